"""Random nests of loops over numbers that are arguments, which may fail in any round: indices, `raise`, divisions."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tests.transform.generated import Generated

HEADER = """
import numpy as np
from graph_program import Float64, Int64, Tensor


def f(img: Float64[Tensor, "r c"], v: Float64[Tensor, "n"], h: int, w: int, p: int):
    out = np.zeros((max(h, 0) + 2, max(w, 0) + 2))
    line = np.zeros(6)
    total = 0.0
    count = 0
"""
FOOTER = """
    return out, line, float(total), count
"""
OUTER = (
    "range(h)",
    "range(h)",
    "range(h)",
    "range(1, h)",
    "range(h - 1)",
    "range(len(v))",
    "range(h - 1, -1, -1)",
    "range(p, h)",
)
INNER = (
    "range(w)",
    "range(w)",
    "range(w)",
    "range(1, w)",
    "range(h)",
    "range(y, w)",
    "range(len(v))",
    "range(p)",
    "range(p, p + w)",
)
READS = (
    "img[y, x]",
    "img[y + 1, x]",
    "img[y, x + 1]",
    "img[y + 2, x + 1]",
    "img[x, y]",
    "v[x]",
    "v[y]",
    "v[x + 2]",
    "v[p]",
    "img[p, x]",
    "img[y, p]",
    "img[y - 1, x]",
    "float(10 // p)",
    "float(6 // (w - x))",
)
ROWS = ("v[y]", "img[y, 0]", "img[y, p]", "v[p]", "v[y + 1]", "img[0, y]")
TESTS = ("x == p", "y == p and x > 0", "v[y] > 0.8", "y + x > 5")


class Nest(Generated):
    """One program."""

    def source(self) -> str:
        """The text of a module with a program `f`."""
        pick = self.pick
        lines = [HEADER.strip("\n"), f"    for y in {pick(OUTER)}:"]
        if self.chosen.random() < 0.3:
            lines.append(f"        row = {pick(ROWS)}")
        else:
            lines.append("        row = 1.0")
        lines.append(f"        for x in {pick(INNER)}:")
        terms = [pick(READS) for _ in range(pick([1, 2, 2, 3, 4]))]
        value = " + ".join([*terms, "row"])
        if self.chosen.random() < 0.25:
            lines += [
                f"            if {pick(TESTS)}:",
                f"                raise ValueError({pick(['y', 'x', 'y * x'])})",
            ]
        lines.append("            " + pick([f"out[y, x] = {value}", f"total += {value}", f"line[x] = {value}"]))
        if self.chosen.random() < 0.3:
            lines.append("            " + pick(["count += 1", "line[y] = v[x]", "out[y, x] = v[y] * 2"]))
        if self.chosen.random() < 0.2:
            lines.append("        " + pick(["line[y] = v[y]", "count += 2", "total += v[p]"]))
        return "\n".join(lines) + FOOTER


FLAT_HEADER = """
import numpy as np
from graph_program import Float64, Tensor


def f(v: Float64[Tensor, "n"], u: Float64[Tensor, "m"], h: int, w: int, p: int):
    out = np.zeros(h * w if 0 < h < 9 and 0 < w < 9 else 3)
    line = np.zeros(8)
    total = 0.0
"""
FLAT_FOOTER = """
    return out, line, float(total)
"""
STRIDES = ("w", "w", "p", "p", "h", "3")
FLAT_INNER = ("range(w)", "range(w)", "range(h)", "range(3)", "range(len(u))")


class FlatNest(Generated):
    """One program with indices such as `y * w + x` into arrays of one axis, by strides that are arguments."""

    def source(self) -> str:
        """The text of a module with a program `f`."""
        pick, stride, inner = self.pick, self.pick(STRIDES), self.pick(FLAT_INNER)
        index = f"y * {stride} + x"
        reads = [f"v[{index}]", f"v[{index}]", f"u[{index}]", f"v[{index} + 1]", f"v[x + y * {stride}]", "u[y]", "u[x]"]
        reads += [f"v[x * {stride} + y]", f"v[{index}] * u[{index}]"]
        lines = [
            FLAT_HEADER.strip("\n"),
            f"    for y in {pick(['range(h)', 'range(h)', 'range(len(u))', 'range(2, h)'])}:",
        ]
        lines.append(f"        for x in {inner}:")
        value = " + ".join(pick(reads) for _ in range(pick([1, 1, 2, 3])))
        writes = [f"out[{index}] = {value}", f"total += {value}", f"line[{index}] += {value}", f"line[y] += {value}"]
        lines.append("            " + pick(writes))
        if self.chosen.random() < 0.2:
            lines.append("            " + pick(writes))
        return "\n".join(lines) + FLAT_FOOTER


def flat_arguments(seed: int) -> tuple[tuple[Any, ...], ...]:
    """Arrays of few elements, and strides to places inside, in front of and far behind them."""
    random = np.random.default_rng(seed)
    strides = (0, 1, 2, 3, 4, 5, -1, -2, 7, 2**40, -(2**40))
    found = []
    for n, m in ((12, 4), (12, 12), (6, 3), (3, 6), (1, 1), (0, 2), (2, 0), (20, 20), (5, 9), (9, 5)):
        for _ in range(2):
            h, w = (int(random.choice((0, 1, 2, 3, 3, 4, 4, 5, -1))) for _ in range(2))
            found.append((random.random(n), random.random(m), h, w, int(strides[random.integers(len(strides))])))
    return (*found, (np.ones(12), np.ones(12), 3, 4, 4), (np.ones(12), np.ones(13), 4, 3, 3))


def arguments(seed: int) -> tuple[tuple[Any, ...], ...]:
    """Arrays with and without elements, and numbers inside of them, at their ends and outside."""
    random = np.random.default_rng(seed)
    shapes = [(4, 5, 6), (3, 3, 2), (1, 4, 1), (0, 3, 0), (2, 0, 3)]
    found = []
    for (rows, columns, n), _ in itertools.product(shapes, range(3)):
        numbers = (rows, columns, n, 0, 1, rows - 1, columns + 1, -1)
        h, w, p = (int(random.choice(numbers)) for _ in range(3))
        found.append((random.random((rows, columns)), random.random(n), h, w, p))
    return (*found, (np.ones((9, 9)), np.ones(9), 3, 4, 1), (np.ones((2, 2)), np.ones(9), 2, 2, 0))


__all__ = ["FlatNest", "Nest", "arguments", "flat_arguments"]
