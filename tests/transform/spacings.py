"""Random loops whose events have a pause behind each, by the last one that they remember."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.transform.generated import Generated
from tests.transform.latches import arguments as latched_arguments

HEADER = """
import numpy as np
from graph_program import Bool, Float64, Int64, Tensor


def f(x: Float64[Tensor, "n"], q: Int64[Tensor, "n"], c: Bool[Tensor, "n"], p: int, high: float):
    n = len(x)
    a, d = np.zeros(n, np.int64), np.zeros(n, bool)
    last, hits, total = {begin}, 0, 0.0
    out = []
"""
FOOTER = """
    return a, d, last, hits, float(total), np.array(out, np.int64)
"""
BEGINS = ("-p", "-1", "-1000", "0", "p", "-10**9", "2**62", "-(2**62)", "p - 3", "len(x)")
LOOPS = ("range(n)", "range(n)", "range(1, n)", "range(1, n - 1)", "range(p)", "range(n - 1, -1, -1)", "range(0, n, 2)")
TESTS = ("x[i] > high", "c[i]", "c[i] and x[i] > 0", "not c[i] or q[i] == 1", "x[i] > x[i - 1]", "True")
FAR = (
    "i - last >= {gap}",
    "i - last > {gap}",
    "i >= last + {gap}",
    "i > last + {gap}",
    "last <= i - {gap}",
    "last + {gap} < i",
    "{gap} <= i - last",
    "i - last >= {gap} + 1",
    "not i - last < {gap}",
    "i - last != {gap}",
    "2 * (i - last) > {gap}",
)
GAPS = ("2", "3", "p", "1", "0", "-2", "p * 2", "5", "n", "q[i]", "2**62", "p + 2**61")
SETS = ("last = i", "last = i", "last = i", "last = i + 1", "last = i - 1", "last = p + i", "last = 2 * i", "last = 7")
USES = ("a[i] = last", "d[i] = True", "out.append(i)", "total += float(x[i])", "a[i] = i - last", "out.append(last)")


class Spacings(Generated):
    """One program."""

    def source(self) -> str:
        """The text of a module with a program `f`."""
        lines = [HEADER.format(begin=self.pick(BEGINS)).rstrip()]
        for _ in range(self.pick([1, 1, 2])):
            indent = " " * 4
            if self.chosen.random() < 0.15:
                lines += [f"{indent}for r in range(2):", f"{indent}    {self.pick(('last = -5', 'hits += 1'))}"]
                indent += " " * 4
            body = [f"for i in {self.pick(LOOPS)}:"] + [f"    {line}" for line in self._body()]
            lines += [f"{indent}{line}" for line in body]
        return "\n".join(lines) + FOOTER

    def _body(self) -> list[str]:
        test, far = self.pick(TESTS), self.pick(FAR).format(gap=self.pick(GAPS))
        event = [self.pick(SETS), *(["hits += 1"] if self.chosen.random() < 0.5 else []), self.pick(USES)]
        inner = [f"    {line}" for line in event]
        lines = self.pick(
            [
                [f"if ({test}) and {far}:", *inner],
                [f"if {far} and ({test}):", *inner],
                [f"if {test}:", f"    if {far}:", *[f"    {line}" for line in inner]],
                [f"if not ({test}) or not ({far}):", "    continue", *event],
                [
                    f"if {far}:",
                    f"    if {test}:",
                    *[f"    {line}" for line in inner],
                    "    else:",
                    "        total += 1.0",
                ],
            ]
        )
        if self.chosen.random() < 0.3:
            lines.append(self.pick(USES))
        if self.chosen.random() < 0.15:
            lines += [
                f"if hits > {self.pick('12')}:",
                f"    {self.pick(['break', 'raise ValueError(last)', 'last = 0'])}",
            ]
        return lines


def arguments(seed: int) -> tuple[tuple[Any, ...], ...]:
    """Arguments, some of which have no elements, and numbers of which differences leave 64 bits."""
    given = latched_arguments(seed)
    ends = [2**63 - 1, -(2**63), 2**62, 2**62 + 3, -(2**61)]
    far = int(np.random.default_rng(seed).choice(ends))
    return (*given, *((x, q, c, far, high) for x, q, c, _, high in given[:3]))


__all__ = ["Spacings", "arguments"]
