"""Random loops, one to three deep, whose rounds may fail in the middle: what files tell with the number of an error.

Indices that are data, literal ones into axes that may be too short, floats that become integers, integers that leave 64
bits, divisors that are 0, extremes of what is empty, and exceptions of the program; among maps, sums, counts, records,
flags and lists, branches and early exits, of arrays of which nothing is known but their rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.transform.generated import Generated

HEADER = """
import numpy as np
from graph_program import Float64, Int64, Tensor


def f(
    img: Float64[Tensor, "h w c"], x: Float64[Tensor, "m"], q: Int64[Tensor, "k"], table: Float64[Tensor, "t"], p: int
):
    h, w, m = img.shape[0], img.shape[1], len(x)
    a, b, row = np.zeros((h, w)), np.zeros((h, w), np.int64), np.zeros(m)
    s, best, where, count, found = 0.0, -9.0, p, 0, False
    out = [p]
"""
FOOTER = """
    return a, b, row, np.array([s, best]), np.array([where, count]), found, np.array(out)
"""
LOOPS = {
    1: (
        "range(m)",
        "range(len(q))",
        "range(p)",
        "range(1, m)",
        "range(m - 1, -1, -1)",
        "range(4)",
        "range(len(q) + 1)",
    ),
    2: ("range(h)", "range(h)", "range(p)", "range(h - 1)"),
    3: ("range(w)", "range(w)", "range(len(q))", "range(3)", "range(i, w)"),
    4: ("range(3)", "range(img.shape[2])", "range(m)"),
}
INDICES = {
    1: ("i", "q[i]", "int(x[i])", "i + p", "i - 1", "min(max(i + p, 0), len(table) - 1)", "q[i] % 4", "2", "i // 2"),
    2: ("i", "j", "q[j]", "q[i]", "j - i", "i + j", "int(img[i, j, 0])", "2", "min(max(j - p, 0), len(table) - 1)"),
    3: ("i", "j", "k", "q[k]", "i + k", "j * p + k", "j - k", "1"),
}
FLOATS = {
    1: ("x[i]", "table[{}]", "x[i] * table[{}]", "table[{}] + table[i]", "np.sqrt(x[i])", "float(q[i])", "x[{}]"),
    2: (
        "img[i, j, 0]",
        "img[i, j, 1] + img[i, j, 2]",
        "table[{}]",
        "img[i, j, 0] * table[{}]",
        "x[{}]",
        "img[{}, j, 0]",
    ),
    3: ("img[i, j, k]", "table[{}]", "img[i, j, k] * x[k]", "x[{}] - img[i, j, 0]", "img[i, {}, k]"),
}
INTEGERS = {
    1: ("q[{}]", "int(x[i])", "q[i] * q[i]", "p // q[i]", "int(round(table[{}]))", "i * p", "p % (i - 2)"),
    2: ("int(img[i, j, 0])", "i * w + j + 1", "q[{}]", "q[j] // (i + p)", "int(np.floor(table[{}]))", "q[i] - q[j]"),
    3: ("int(img[i, j, k])", "q[{}]", "i * w * 3 + j * 3 + k", "q[k] // (j - p)", "int(x[k] * 1e3)"),
}
TESTS = ("{} > 0.5", "{} == {}", "not {} < 1.0")


class Failing(Generated):
    """One program."""

    def source(self) -> str:
        """The text of a module with a program `f`."""
        lines = [HEADER.rstrip()]
        for _ in range(self.pick([1, 1, 2])):
            depth = self.pick([1, 1, 2, 2, 2, 3])
            lines.append(f"    for i in {self.pick(LOOPS[1 if depth == 1 else 2])}:")
            indent = " " * 8
            if depth > 1:
                lines += [indent + line for line in self._statement(1)] if self.chosen.random() < 0.15 else []
                lines.append(f"{indent}for j in {self.pick(LOOPS[3])}:")
                indent += " " * 4
            if depth > 2:
                lines.append(f"{indent}for k in {self.pick(LOOPS[4])}:")
                indent += " " * 4
            for _ in range(self.pick([1, 1, 2, 2, 3])):
                lines += [indent + line for line in self._statement(depth)]
        return "\n".join(lines) + FOOTER

    def _float(self, depth: int) -> str:
        return self.pick(FLOATS[depth]).format(self.pick(INDICES[depth]))

    def _integer(self, depth: int) -> str:
        return self.pick(INTEGERS[depth]).format(self.pick(INDICES[depth]))

    def _test(self, depth: int) -> str:
        return self.pick(TESTS).format(self._float(depth), self._float(depth))

    def _statement(self, depth: int) -> list[str]:
        pick, value, number, test = self.pick, self._float(depth), self._integer(depth), self._test(depth)
        places = {1: ("row[i]", "a[i, 0]"), 2: ("a[i, j]", "row[j]"), 3: ("a[i, j]", "a[i, k]")}[depth]
        whole = {1: "b[i, 0]", 2: "b[i, j]", 3: "b[i, j]"}[depth]
        common = [
            [f"{pick(places)} = {value}"],
            [f"{pick(places)} = {value}", f"{whole} = {number}"],
            [f"{whole} = {number}"],
            [f"v = {value}", f"{pick(places)} = v * v", "s += v"],
            [f"if {test}:", f"    {pick(places)} = {value}"],
            [f"if {test}:", f"    {whole} = {number}", "else:", f"    {pick(places)} = {value}"],
            [f"s += {value}"],
            [f"count += {number}"],
            [f"best = max(best, {value})"],
            [f"if {value} > best:", f"    best, where = {value}, i"],
            [f"if {test}:", "    count += 1"],
            [f"{pick(places)} += {value}"],
            [f"found = found or bool({test})"],
        ]
        rare = [
            [f"if {test}:", f"    out.append({number})"],
            [f"if {test}:", "    where = i", "    break"],
            [f"if {test}:", "    continue", f"{whole} = {number}"],
            [f"if {test}:", '    raise ValueError(f"{i} and {p}")'],
            [f"if {test}:", "    return a, b, row, np.array([s, best]), np.array([i, p]), True, np.array(out)"],
            ["s += np.max(img[i, 0])" if depth == 1 else "s += np.max(img[i, j])"],
            ["where = int(np.argmax(img[:, 0, 0]))"],
            [f"row[{pick(INDICES[depth])}] = {value}"],
            [f"assert {test}"],
        ]
        return pick(common) if self.chosen.random() < 0.75 else pick(rare)


def arguments(seed: int) -> tuple[tuple[Any, ...], ...]:
    """Arguments, some of which have NaN, infinity, great numbers, zeros or no elements."""
    chosen = np.random.default_rng(seed)
    found = []
    for (h, w, c), m, k, t, p in (
        ((3, 4, 3), 5, 5, 6, 2),
        ((4, 3, 3), 4, 4, 4, 3),
        ((2, 3, 2), 3, 6, 2, 1),
        ((2, 0, 3), 2, 3, 0, 2),
        ((0, 2, 1), 0, 0, 1, 0),
        ((1, 1, 1), 1, 1, 3, -1),
    ):
        img, x = chosen.integers(0, 3, (h, w, c)) * 0.5, chosen.integers(0, 4, m) * 1.0
        q, table = chosen.integers(0, 3, k), chosen.integers(0, 5, t) * 0.5
        odd = chosen.integers(4)
        if odd == 0 and m:
            x[chosen.integers(m)] = chosen.choice([np.nan, np.inf, -3.0, 1e15])
        if odd == 1 and img.size:
            img.flat[chosen.integers(img.size)] = chosen.choice([np.nan, -np.inf, 7.0])
        if odd == 2 and k:
            q[chosen.integers(k)] = chosen.choice([9, -1, -9, 2**62, 0])
        found.append((img, x, q, table, p))
    return tuple(found)


__all__ = ["Failing", "arguments"]
