"""Random loops with counters whose limits are arguments: debouncers, hold-offs, timers, every so many."""

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
    a, b, d = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, bool)
    k, on, mode, hits, at, total = {begin}, 0, -1, 0.0
    out = []
"""
FOOTER = """
    return a, b, d, np.array([k, mode, hits, at]), np.array([on]), float(total), np.array(out, np.int64)
"""
BEGINS = ("0, False, 0", "p, high > 0, 1", "5, True, min(max(p, 0), 2)", "-1, False, 0")
LOOPS = (
    "range(n)",
    "range(n)",
    "range(n)",
    "range(1, n)",
    "range(n - 1, -1, -1)",
    "range(min(p, n))",
    "range(0, n, 2)",
)
TESTS = (
    "c[i]",
    "not c[i]",
    "x[i] > high",
    "q[i] == 1",
    "np.isnan(x[i])",
    "c[i] or x[i] > 0",
    "c[i - 1]",
    "on",
    "mode == 1",
    "c[i] != on",
)
LIMITS = ("p", "p", "p", "p + 1", "p - 2", "3", "len(x)", "2 * p", "q[i]", "q[0]")
ORDERS = (">=", ">=", ">", "==", "<", "!=")
VALUES = ("0", "0", "1", "p", "q[i]", "-1", "2", "q[i] % 4", "p - 1")
CHANGES = (
    "on = not on",
    "on = c[i]",
    "mode = (mode + 1) % 3",
    "mode = 2 if on else 0",
    "hits += 1",
    "out.append(i)",
    "at = i",
)
USES = (
    "a[i] = k",
    "b[i] = k + mode",
    "d[i] = on",
    "d[i] = k > 0",
    "d[i] = k >= p",
    "b[i] = mode",
    "total += float(k % 5)",
    "out.append(k)",
    "a[i] = i - at",
)


class Limits(Generated):
    """One program."""

    def source(self) -> str:
        """The text of a module with a program `f`."""
        lines = [HEADER.format(begin=self.pick(BEGINS)).rstrip()]
        for _ in range(self.pick([1, 1, 2])):
            body = self._statement()
            if self.chosen.random() < 0.2:
                body += self._statement()
            body += [self.pick(USES) for _ in range(self.pick([1, 2]))]
            if self.chosen.random() < 0.15:
                body += [f"if {self.pick(TESTS)} and k > 1:", f"    {self.pick(['break', 'raise ValueError(k)'])}"]
            lines += [f"    for i in {self.pick(LOOPS)}:", *(f"        {line}" for line in body)]
        return "\n".join(lines) + FOOTER

    def _statement(self) -> list[str]:
        pick = self.pick
        test, other = pick(TESTS), pick(TESTS)
        limit, order, value = pick(LIMITS), pick(ORDERS), pick(VALUES)
        change, more = pick(CHANGES), pick(CHANGES)
        return pick(
            [
                [
                    f"if {test}:",
                    "    k = 0",
                    "else:",
                    "    k += 1",
                    f"    if k {order} {limit}:",
                    f"        {change}",
                    f"        k = {value}",
                ],
                [
                    f"if {test}:",
                    "    k += 1",
                    f"    if k {order} {limit}:",
                    f"        k = {value}",
                    f"        {change}",
                ],
                [
                    f"k = k + 1 if {test} else {value}",
                    f"if k {order} {limit}:",
                    f"    {change}",
                    *pick([["    k = 0"], []]),
                ],
                [
                    f"k = k + 1 if {test} else {value}",
                    f"if {limit} <= k < {limit} + 3:",
                    f"    {change}",
                    f"elif k > {limit} + {pick([3, 4])}:",
                    "    k = 0",
                ],
                ["if k > 0:", "    k -= 1", f"elif {test}:", f"    k = {value}", f"    {change}"],
                ["if k > 0:", "    k -= 1", f"if {test} and k == 0:", f"    k = {value}", f"    {change}"],
                [f"if {test}:", f"    k = {value}", "elif k > 0:", "    k -= 1", "    if k == 0:", f"        {change}"],
                [f"if {test}:", f"    k = {value}", "k = max(k - 1, 0)"],
                [
                    "if mode == 0:",
                    f"    if {test}:",
                    f"        mode, k = 1, {value}",
                    "elif mode == 1:",
                    "    k += 1",
                    f"    if k {order} {limit}:",
                    f"        mode, k = {pick(['2, 0', '0, 0', '2, k'])}",
                    f"elif {other}:",
                    f"    mode, k = 0, {pick(['0', 'k', '1'])}",
                ],
                [
                    f"if not on and {test}:",
                    "    k += 1",
                    f"    if k {order} {limit}:",
                    f"        on, k = True, {value}",
                    f"elif on and {other}:",
                    f"    k {pick(['+=', '-='])} 1",
                    f"    if k {order} {limit}:",
                    f"        on, k = False, {value}",
                    f"        {more}",
                    "else:",
                    f"    {pick(['k = 0', 'hits += 1', 'on = not on'])}",
                ],
                [
                    f"k = {pick(['min(k + 1, p)', 'max(k - 1, 0)', 'k - 1 if k > p else k + 1'])}",
                    f"if {test}:",
                    f"    k = {value}",
                    f"    {change}",
                ],
            ]
        )


def arguments(seed: int) -> tuple[tuple[Any, ...], ...]:
    """Arguments, some of which have no elements, and numbers that are as far away as they may be."""
    given = latched_arguments(seed)
    chosen = np.random.default_rng(seed)
    far = int(chosen.choice([2**62 - 9, 9 - 2**62, 2**61, -(2**61)]))
    ends = chosen.choice([2**63 - 1, -(2**63), 2**62, 3 - 2**62], len(given[1][1]))
    x, q, c, p, high = given[1]
    more = (x, np.where(chosen.random(len(q)) < 0.2, ends, q), c, p, high)
    return (*given, more, *((x, q, c, far, high) for x, q, c, _, high in given[:3]))


__all__ = ["Limits", "arguments"]
