"""Random loops with what some rounds set and others leave or count on from: latches, switches, counters, since when.

Values of all kinds, set by tests that say whether others are set, in rounds that may be left, ended or fail, with what
they are before and behind the loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.transform.generated import Generated

HEADER = """
import numpy as np
from graph_program import Bool, Float64, Int64, Tensor


def f(x: Float64[Tensor, "n"], q: Int64[Tensor, "n"], c: Bool[Tensor, "n"], p: int, high: float):
    n = len(x)
    a, b, d, g = np.zeros(n), np.zeros(n, np.int64), np.zeros(n, bool), np.zeros((n, 2), np.int64)
    last, at, count, on, armed, total, found = {begin}
    out, spans, m = [], [], np.zeros((3, n))
"""
FOOTER = """
    behind = np.array([last]), np.array([at, count]), np.array([on, armed]), total, found
    return a, b, d, g, m, *behind, np.array(out, np.int64), spans
"""
NOTHING_BEHIND = """
    return a, b, d, g, m, np.array(out, np.int64), spans
"""
BEGINS = ("0.0, -1, 0, False, False, 0.0, 0", "high, p, p, high > 0, True, high, p", "-0.0, -1, 0, True, False, 0.0, 0")
LOOPS = ("range(n)", "range(n)", "range(n)", "range(1, n)", "range(n - 1, -1, -1)", "range(p)", "range(2, n, 2)")
TESTS = (
    "c[i]",
    "not c[i]",
    "x[i] > high",
    "x[i] < -high",
    "q[i] == p",
    "np.isnan(x[i])",
    "i % 3 == 1",
    "c[i] and x[i] > 0",
    "c[i] or q[i] > 1",
    "c[i - 1]",
    "x[i] == x[i - 1]",
)
ASKED = (
    "on",
    "not on",
    "armed",
    "not armed",
    "at < 0",
    "at >= 0",
    "count > 2",
    "on != armed",
    "i - at > 1",
    "last > 0",
)
OUTER = ("range(3)", "range(min(max(p, 0), 3))", "range(2, -1, -1)")
ANEW = (
    "on = False",
    "on = c[r - 3] if n > 3 else True",
    "count = 0",
    "count = r",
    "at = -1",
    "last = 0.0",
    "found += 1",
)
ROWS = ("m[r, i] = last", "m[r, i] = count", "m[r, i] = i - at", "m[r, i] = on", "m[r, i] = last * r", "b[i] += count")
FLOATS = ("float(x[i])", "float(x[i] * 2)", "last", "float(x[i]) - last", "float(i)", "float(x[i - 1])")
INTEGERS = ("i", "int(q[i])", "int(q[i]) + p", "i - at", "count", "count + at", "int(q[i]) * int(q[i])", "i // p")
ADDED = ("1", "2", "int(q[i])", "p", "-1", "i")


class Latches(Generated):
    """One program."""

    def source(self) -> str:
        """The text of a module with a program `f`."""
        lines = [HEADER.format(begin=self.pick(BEGINS)).rstrip()]
        for _ in range(self.pick([1, 1, 1, 2])):
            indent = " " * 4
            if self.chosen.random() < 0.35:
                lines.append(f"    for r in {self.pick(OUTER)}:")
                indent += " " * 4
                lines += [f"{indent}{self.pick(ANEW)}" for _ in range(self.pick([1, 2]))]
            lines.append(f"{indent}for i in {self.pick(LOOPS)}:")
            body: list[str] = []
            for _ in range(self.pick([1, 2, 2, 3])):
                body += self._statement()
            for _ in range(self.pick([1, 1, 2])):
                body += self._use() if len(indent) == 4 or self.chosen.random() < 0.4 else [self.pick(ROWS)]
            if self.chosen.random() < 0.3:
                body += self._statement()
            lines += [f"{indent}    {line}" for line in body]
        return "\n".join(lines) + self.pick([FOOTER, FOOTER, NOTHING_BEHIND])

    def _test(self) -> str:
        return self.pick(ASKED) if self.chosen.random() < 0.2 else self.pick(TESTS)

    def _statement(self) -> list[str]:
        pick, test, other = self.pick, self._test(), self._test()
        value, number, more = pick(FLOATS), pick(INTEGERS), pick(ADDED)
        return pick(
            [
                [f"if {test}:", f"    last = {value}"],
                [f"if {test}:", f"    at = {pick(INTEGERS)}"],
                [f"if {test}:", "    at = i", f"elif {other}:", "    at = -1"],
                [f"if {test}:", "    on = True", f"elif {other}:", "    on = False"],
                [f"if {test}:", f"    on = {other}"],
                ["if on:", f"    if {test}:", "        on = False", f"elif {other}:", "    on = True"],
                [f"armed = {test} if armed else {other}"],
                [f"on = on and {test} or {other}"],
                [f"if {test}:", "    armed = not armed"],
                [f"count = count + {more} if {test} else 0"],
                [f"if {test}:", f"    count += {more}", f"elif {other}:", f"    count = {number}"],
                [f"if {test}:", f"    count = {number}", f"count += {more}"],
                [f"if {test}:", "    count = 0", "else:", "    count -= 1"],
                [f"if {test} and at < 0:", "    at = i", f"elif not {test} and at >= 0:", "    at = -1"],
                [f"if {test}:", f"    last, at, on = {value}, i, {other}"],
                [f"on, armed = {test}, on"],
                [f"last = {pick(('max', 'min'))}(last, float({pick(('x[i]', 'x[i - 1]', 'q[i]'))}))"],
                [f"last = {pick(('max', 'min'))}(float({pick(('x[i]', 'x[i - 1]', 'q[i]'))}), last)"],
                [f"last = last if last {pick(('>', '>=', '<', '<='))} x[i] else float(x[i])"],
                [
                    f"if {pick(('x[i] > last', 'x[i] >= last', 'c[i] and x[i] < last', 'last < x[i]'))}:",
                    "    last, at = float(x[i]), i",
                ],
                [
                    f"if {pick(('q[i] > count', 'q[i] <= count', 'q[i] < count', 'x[i] > 0 and count < i'))}:",
                    f"    count = {number}",
                ],
                ["if int(q[i]) > count:", "    count = int(q[i])", "    found += 1"],
                [f"if {test}:", "    count = min(int(q[i]), count)"],
                [f"found = max(found, {pick(('count', 'i - at', 'int(q[i])'))})"],
                [f"if {test}:", "    continue"] if self.chosen.random() < 0.5 else ["total += last"],
                [f"if {test}:", "    break"] if self.chosen.random() < 0.3 else ["total += float(count)"],
                [f"if {test}:", "    raise ValueError(f'{i} {count}')"]
                if self.chosen.random() < 0.2
                else ["found += at"],
            ]
        )

    def _use(self) -> list[str]:
        pick, test = self.pick, self._test()
        return pick(
            [
                ["a[i] = last"],
                ["a[i] = x[i] - last"],
                ["b[i] = count"],
                ["b[i] = i - at"],
                ["d[i] = on"],
                ["d[i] = on and armed"],
                ["g[i, 0], g[i, 1] = at, count"],
                [f"if {test}:", "    out.append(i - at)"],
                ["if on:", "    out.append(count)"],
                ["if armed and not on:", "    a[i] = last"],
                ["if at >= 0:", "    found += 1"],
                [f"if {test}:", "    spans.append((at, i))"],
                ["a[i] = x[at]"],
                ["b[i] = 7 // count"],
            ]
        )


def arguments(seed: int) -> tuple[tuple[Any, ...], ...]:
    """Arguments, some of which have NaN, infinity, zeros of either sign or no elements."""
    chosen = np.random.default_rng(seed)
    found = []
    for n, p, high in (
        (7, 2, 0.5),
        (12, 1, -0.5),
        (5, 3, np.nan),
        (1, 1, 0.0),
        (0, 0, -0.0),
        (4, -2, 1.0),
        (3, 9, 0.2),
    ):
        x = chosen.choice([0.0, 0.0, -0.0, 1.0, 1.0, -1.0, -1.0, 0.5, 2.0, np.nan, np.inf], n)
        found.append((x, chosen.integers(-1, 4, n), chosen.random(n) < 0.4, p, high))
    return tuple(found)


def extremes(seed: int) -> tuple[tuple[Any, ...], ...]:
    """The same with integers of which sums leave 64 bits."""
    chosen = np.random.default_rng(seed)
    ends = [2**63 - 1, -(2**63), 2**62, 1 - 2**63]
    given = arguments(seed)[:3]
    for _, q, *_ in given:
        q[chosen.integers(len(q))] = chosen.choice(ends)
    return (*given, *((x, q % 3, c, int(chosen.choice(ends)), high) for x, q, c, _, high in given))


__all__ = ["Latches", "arguments", "extremes"]
