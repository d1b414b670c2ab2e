"""Random nests over pairs: inner loops that begin or end where the loop around is, and writes on both sides.

Pairs of every order, with gaps and steps; writes to an element and to its mirror image, beside each other and shifted;
own rows and columns, sums, records, counts and lists of all pairs; what is read back; branches, checks, early exits and
exceptions in the middle.
"""

from __future__ import annotations

import random

HEADER = """
import numpy as np
from graph_program import Float64, Tensor


def f(x: Float64[Tensor, "n"], a: Float64[Tensor, "n n"], p: int):
    n = len(x)
    d, e, row = np.zeros((n, n)), a.copy(), np.zeros(n)
    s, best, where, count, found = 0.0, -9.0, p, 0, False
    out = [p]
"""
FOOTER = """
    return d, e, row, np.array([s, best]), np.array([where, count]), found, np.array(out)
"""
OUTER = ("range(n)",) * 4 + ("range(n - 1)", "range(1, n)", "range(n - 1, -1, -1)", "range(0, n, 2)")
INNER = ("range(i + 1, n)",) * 4 + ("range(i)",) * 3 + ("range(i, n)", "range(i + 1)", "range(n)", "range(n - i)")
MORE = ("range(i + 2, n)", "range(i - 1, -1, -1)", "range(i, n, 2)", "range(max(0, i - 2), i)", "range(1, n - i)")
VALUES = ("abs(x[i] - x[j])", "x[i] * x[j]", "x[j]", "x[i] + 1.0", "a[i, j]", "a[j, i] * 2.0", "1.0", "float(j - i)")
VALUES += ("x[j - i] + x[i]", "a[i, j] - a[j, i]", "np.sqrt(abs(x[j]))", "float(i)")
TESTS = ("x[i] > x[j]", "a[i, j] == a[j, i]", "x[j] > 0.5", "i + j == p", "x[i] + x[j] == 1.5")


def source(seed: int) -> str:
    """The text of a module with a program `f`."""
    chosen = random.Random(seed)
    pick = chosen.choice
    lines = [HEADER.rstrip()]
    for _ in range(pick([1, 1, 2])):
        lines.append(f"    for i in {pick(OUTER)}:")
        if chosen.random() < 0.2:
            lines.append(f"        {pick(['row[i] = x[i]', 'best = best + 1.0', 'd[i, i] = x[i]', 'count += i'])}")
        lines.append(f"        for j in {pick(INNER if chosen.random() < 0.8 else MORE)}:")
        for _ in range(pick([1, 1, 1, 2, 2, 3])):
            lines += [" " * 12 + line for line in _statement(chosen)]
        if chosen.random() < 0.15:
            lines.append(f"        {pick(['row[i] = s', 'where += 1', 'e[i] = row', 's = s * 0.5'])}")
    return "\n".join(lines) + FOOTER


def _statement(chosen: random.Random) -> list[str]:
    pick = chosen.choice
    value, test, x = pick(VALUES), pick(TESTS), pick(["d", "d", "e"])
    both = [f"v = {value}", f"{x}[i, j] = v", f"{x}[j, i] = {pick(['v', 'v', '-v', value])}"]
    common = [
        *[both] * 4,
        [f"{x}[i, j] = {value}"],
        [f"{x}[j, i] = {value}"],
        [f"{x}[i, j] += {value}"],
        [f"{x}[i, j] = {x}[j, i] = {value}"],
        [f"{x}[i, j] = {value}", f"{x}[j, i] = {x}[i, j]"],
        [f"s += {value}"],
        ["count += 1"],
        [f"best = max(best, {value})"],
        [f"if {value} > best:", f"    best, where = {value}, j"],
        [f"if {test}:", *("    " + line for line in both)],
        [f"if {test}:", "    count += 1"],
        [f"row[j] = {value}"],
        [f"row[i] += {value}"],
        [f"found = found or bool({test})"],
    ]
    rare = [
        [f"if {test}:", f"    out.append({pick(['i', 'j', 'i * n + j'])})"],
        [f"if {test}:", "    where = j", "    break"],
        [f"if {test}:", "    continue"],
        [f"if {test}:", "    return d, e, row, np.array([s, best]), np.array([i, j]), True, np.array(out)"],
        [f"if {test} and i == p:", '    raise ValueError(f"{i} and {j}")'],
        [f"{x}[i, j - i] = {value}"],
        [f"{x}[i - 1, j] = {value}", f"{x}[j, i - 1] = {value}"],
        [f"{x}[j, i] = {x}[i, j] + {value}"],
        [f"row[j] = row[i] + {value}"],
        [f"s = s + {x}[j, i]"],
        [f"count += 10 // (i - j + {pick(['n', '1'])})"],
        [f"row[j - i] = {value}"],
    ]
    return pick(common) if chosen.random() < 0.75 else pick(rare)


__all__ = ["source"]
