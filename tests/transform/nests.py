"""Random nests of loops over arrays: what the vectoriser has to tell apart.

Maps in place and into other arrays, overlapping writes, reversed ranges and steps, zero trips, sums, records, last
values, lists that grow, histograms, branches, loops inside that end at different times, early exits, and exceptions
in the middle; slices whose bounds move on one axis or on both, parts that every round reads and writes, masks, elements
of a matrix that several rounds write, and `while` loops that count.
"""

from __future__ import annotations

import random

HEADER = """
import numpy as np
from graph_program import Float64, Int64, Tensor


def f(x: Float64[Tensor, "n"], m: Float64[Tensor, "h w"], q: Int64[Tensor, "n"], p: int, u: float):
"""


class Nest:
    """Writes one program.

    Parameters
    ----------
    seed : int
        Of even ones no index is outside, so that more loops become array operations.
    """

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.added = random.Random(-1 - seed)
        """Says which statements add to a matrix instead."""
        self.windows = random.Random(-1_000_000 - seed)
        """Says which statements are about windows instead."""
        self.is_tame = seed % 2 == 0
        self.axes: list[str] = []
        self.lines: list[str] = []
        self.counters: list[str] = []
        self.counting: list[bool] = []
        """Whether loops are `while` loops, of which `continue` would never end."""
        self.numbers = 0

    def source(self) -> str:
        """The text of a module with the program `f`."""
        pick = self.random.choice
        self.line(1, pick(["y = np.zeros(x.shape[0])", "y = x.copy()", "y = np.ones(x.shape[0] + 2)"]))
        self.line(1, pick(["z = np.zeros((m.shape[0], m.shape[1]))", "z = m.copy()"]))
        self.line(1, "c = np.zeros(8, dtype=np.int64)")
        self.line(1, "g = np.zeros((3, 4))")
        self.line(1, f"s, t, best, place, last, count, found = 0.0, {pick(['u', '1.0'])}, u - 9.0, 0, u, p, False")
        self.line(1, "out = [u]")
        self.line(1, "names = [p]")
        for _ in range(self.random.randint(1, 2)):
            self.loop(1, depth=self.random.randint(1, 3))
        self.line(1, "numbers = np.array([s, t, best, last]), np.array([place, count]), np.array(found)")
        self.line(1, "return y, z, c, g, *numbers, np.array(out), np.array(names)")
        return HEADER + "\n".join(self.lines) + "\n"

    def line(self, level: int, text: str) -> None:
        self.lines.append("    " * level + text)

    def loop(self, level: int, depth: int) -> None:
        """A loop over numbers, and what it does."""
        pick = self.random.choice
        counter = "ijk"[len(self.counters)]
        sizes = ["x.shape[0]", "m.shape[0]", "m.shape[1]", "p", "4"]
        size = pick(sizes[:1] * 4 + sizes[1:3] * 2 + sizes)
        if self.is_tame:
            size = pick(["x.shape[0]", "m.shape[0]", "m.shape[1]"])
            if self.axes and self.axes[-1] != "x.shape[0]":
                size = pick(["m.shape[0]", "m.shape[1]"])
        ranges = [f"range({size})"] * 4 + [
            f"range(1, {size})",
            f"range({size} - 1)",
            f"range({size} - 1, -1, -1)",
            f"range(0, {size}, 2)",
            f"range({size} - 2, 0, -2)",
            f"range(-2, {size} - 2)",
            "range(0)",
        ]
        if self.is_tame:
            ranges = [r for r in ranges if "-2" not in r and "+ 2" not in r]
        if self.counters and not self.is_tame:
            ranges += [f"range({self.counters[-1]})", f"range({self.counters[-1]} + 1, {size})"]
        counted = self.random.random() < 0.2
        if counted:
            first, test, step = pick(self.counts(counter, size))
            self.line(level, f"{counter} = {first}")
            self.line(level, f"while {test}:")
        else:
            self.line(level, f"for {counter} in {pick(ranges)}:")
        self.counters.append(counter)
        self.counting.append(counted)
        self.axes.append(size)
        for _ in range(self.random.randint(1, 3)):
            self.statement(level + 1, depth)
        if counted:
            self.line(level + 1, f"{counter} += {step}")
        self.counters.pop()
        self.counting.pop()
        self.axes.pop()

    def counts(self, counter: str, size: str) -> list[tuple[str, str, int]]:
        """What a loop that counts begins with, what it asks, and its step."""
        up = f"{counter} < {size}"
        found = [("0", up, 1), ("0", up, 1), ("1", up, 1), ("0", up, 2), (f"{size} - 1", f"{counter} >= 0", -1)]
        found += [("0", f"{counter} <= {size} - 1", 1), (f"{size} - 1", f"not {counter} < 0", -2)]
        return found if self.is_tame else [*found, ("-2", up, 1), ("p", up, 3), (size, f"p <= {counter}", -1)]

    def statement(self, level: int, depth: int) -> None:
        kinds = [self.assign] * 6 + [self.branch] * 2
        if depth > 1:
            kinds += [lambda level, depth: self.loop(level, depth - 1)] * 4 + [self.inner_while]
        if self.random.random() < 0.08:
            kinds = [self.leave]
        self.random.choice(kinds)(level, depth)

    def assign(self, level: int, depth: int) -> None:
        i, e, test = self.index(), self.value(), self.test()
        choices = [
            f"y[{i}] = {e}",
            f"y[{i}] = {e}",
            f"y[{i}] += {e}",
            f"y[{i}] = y[{self.index()}] + {e}",
            f"z[{self.row()}, {self.column()}] = {e}",
            f"z[{self.row()}, {self.column()}] = {e}",
            f"z[{self.row()}] = m[{self.row()}] * {e}",
            f"z[{self.row()}] /= np.sum(m[{self.row()}]) + 100.0",
            f"s += {e}",
            f"s -= {e}",
            f"t = t * 0.5 + {e}",
            "count += 1",
            f"count += {self.counter()} * 2 - 3",
            f"last = {e}",
            f"y[{i}] = last\n{'    ' * level}last = {e}",
            f"out.append({e})",
            f"names.append({self.counter()})",
            f"c[q[{self.index()}] % 8] += 1",
            f"c[{self.counter()} % 8] = count",
            *self.sliced(e),
            f"found = found or {test}",
            f"if {e} > best:\n{'    ' * (level + 1)}best = {e}\n{'    ' * (level + 1)}place = {self.counter()}",
            f"best = max(best, {e})",
        ]
        chosen = self.random.choice(choices)
        if self.added.random() < 0.12:
            chosen = self.to_matrix()
        if self.windows.random() < 0.12:
            chosen = self.windows.choice(self.window(e))
        self.line(level, chosen)

    def to_matrix(self) -> str:
        """A statement about elements of a matrix, wherever they are."""
        k, element = self.counter(), f"q[{self.index()}]"
        rows, columns = [f"{element} % 3", f"{k} % 3"], [f"{element} % 4", f"{element} % 4 - 4", f"{k} % 4"]
        if not self.is_tame:
            rows, columns = [*rows, f"{element} - 5"], [*columns, k]
        place = f"g[{self.added.choice(rows)}, {self.added.choice(columns)}]"
        return self.added.choice([f"{place} += 1", f"{place} += 1", f"{place} -= {k} * 0.5", f"{place} = {k}"])

    def sliced(self, e: str) -> list[str]:
        """Statements about parts of arrays, whose bounds move."""
        k, j = self.counter(), self.counter()
        start, stop = self.random.choice(
            [("", k), ("", f"{k} + 1"), (f"{k} + 1", ""), (k, f"{j} + 2"), (f"{k} - 1", "")]
        )
        part, row, column = f"{start}:{stop}", self.row(), self.column()
        return [
            f"y[{part}] += {e}",
            f"y[{part}] = y[{part}] * 0.5 + x[{part}]" if self.random.random() < 0.3 else f"y[{part}] *= 0.5",
            f"z[{row}, {part}] += m[{row}, {part}] * {e}",
            f"z[{part}, {column}] = m[{part}, {column}] + 1.0",
            f"z[{row}, {column}] += np.sum(z[{part}, {column}])",
            f"z[{row}, {column}] -= np.sum(z[{row}, {part}])",
            f"s += np.sum(x[{part}])",
            f"y[{self.index()}] = np.max(x[{part}])" if self.random.random() < 0.2 else f"s += np.sum(y[{part}])",
        ]

    def window(self, e: str) -> list[str]:
        """Statements about parts of a matrix along both of its axes, and about parts that stay where they are."""
        pick, row, column = self.windows.choice, self.row(), self.column()
        there, other = (f"{self.bounds(row)}, {self.bounds(column)}" for _ in range(2))
        fixed = pick(["1:", ":-1", "::2", "1:3", "p:"])
        found = [
            f"s += np.sum(m[{there}])",
            f"s += np.sum(m[{there}] * {e})",
            f"z[{row}, {column}] = np.sum(m[{there}])",
            f"z[{row}, {column}] += np.sum(z[{there}] * 0.5)",
            f"z[{there}] += {e}",
            f"z[{there}] = m[{there}] * {e}",
            f"z[{there}] *= 0.5",
            f"y[{fixed}] += x[{self.index()}] * {e}",
            f"y[{fixed}] = y[{fixed}] * 0.5 + {e}",
            f"z[{fixed}, {column}] += m[{fixed}, {column}]",
            f"z[{row}, {fixed}] += m[{row}, {fixed}] * {e}",
            f"z[{fixed}, {fixed}] -= m[{fixed}, {fixed}] * {e}",
            f"z[m > u] += m[m > u] * {e}",
            "z[z < m] = m[z < m] * 0.5 + z[z < m]",
            f"y[y > {e}] *= 0.5",
        ]
        return found if self.is_tame else [*found, f"z[{there}] = m[{other}] + z[{there}]"]

    def bounds(self, k: str) -> str:
        """The bounds of one axis of a window."""
        moving = [f"{k}:{k} + 2", f"{k}:{k} + 2", f"{k}:", f":{k} + 1", f":{k}"]
        return self.windows.choice(moving if self.is_tame else [*moving, f"{k} - 1:{k} + 2", f"{k} + 1:", f"{k}:1:-1"])

    def branch(self, level: int, depth: int) -> None:
        self.line(level, f"if {self.test()}:")
        self.statement(level + 1, depth)
        if self.random.random() < 0.4:
            self.line(level, "else:")
            self.statement(level + 1, depth)

    def inner_while(self, level: int, depth: int) -> None:
        self.numbers += 1
        a, b = f"a{self.numbers}", f"b{self.numbers}"
        self.line(level, f"{a}, {b} = {self.value()}, 0")
        self.line(level, f"while {b} < 7 and abs({a}) < {self.random.choice(['4.0', '50.0'])}:")
        self.line(level + 1, f"{a} = {a} * 1.5 + {self.random.choice(['1.0', 'u', self.value()])}")
        self.line(level + 1, f"{b} += 1")
        self.line(level, self.random.choice([f"y[{self.index()}] = {a}", f"s += {b}", f"count += {b}"]))

    def leave(self, level: int, depth: int) -> None:
        test = self.test()
        self.line(level, f"if {test}:")
        again = "break" if self.counting[-1] else "continue"
        self.line(level + 1, self.random.choice(["break", again, "raise ValueError('stop')"]))

    def counter(self) -> str:
        return self.random.choice(self.counters)

    def over(self, size: str) -> list[str]:
        """The counters that are inside an axis."""
        return [k for k, axis in zip(self.counters, self.axes, strict=True) if axis == size]

    def index(self) -> str:
        if self.is_tame:
            return self.random.choice(self.over("x.shape[0]") or ["0"])
        k = self.random.choice(self.counters[-1:] * 3 + self.counters)
        return self.random.choice([k] * 8 + [f"{k} - 1", f"{k} + 1", f"-1 - {k}", f"{k} // 2", "0", f"q[{k}] % 3"])

    def row(self) -> str:
        if self.is_tame:
            return self.random.choice(self.over("m.shape[0]") or ["0"])
        return self.random.choice([self.counters[0]] * 6 + [f"{self.counters[-1]} - 1", "0"])

    def column(self) -> str:
        if self.is_tame:
            return self.random.choice(self.over("m.shape[1]") or ["0"])
        return self.random.choice([self.counters[-1]] * 6 + [f"{self.counters[0]} - 1", "0"])

    def value(self) -> str:
        element, entry = f"x[{self.index()}]", f"m[{self.row()}, {self.column()}]"
        simple = [element, entry, "u", "1.5", f"{self.counter()} * 0.25"]
        if self.is_tame:
            simple = [v for v in simple if "[0" not in v and " 0]" not in v]
        first, second = (self.random.choice(simple) for _ in range(2))
        return self.random.choice([first, first, f"({first} + {second})", f"({first} * {second})", f"(-{first})"])

    def test(self) -> str:
        e = self.value()
        return self.random.choice([f"{e} > 0.5", f"{e} < 0.0", f"{self.counter()} % 2 == 0", f"{e} > 2.5"])
