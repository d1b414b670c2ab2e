"""Random loops over windows whose sizes are arguments: radii, lengths, steps, of any sign.

Nests of one to four loops whose bounds and indices are sums, multiples and quotients of the arguments, the counters and
the sizes; places outside are left out, clamped, or an error.  What is known of such sums decides what is checked, and
what is done at once.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

HEADER = """
import numpy as np
from graph_program import Float64, Tensor


def f(x: Float64[Tensor, "n"], img: Float64[Tensor, "h w"], r: int, k: int, s: int):
    n, (h, w) = len(x), img.shape
    out, grid, count, total, best, found = np.zeros(n), np.zeros((h, w)), 0, 0.0, -9.0, []
"""
FOOTER = """
    return out, grid, count, np.array([total, best]), np.array(found, np.int64)
"""
OUTER = {
    "range(n)": ("i", "n"),
    "range(r, n - r)": ("i", "n"),
    "range(n // k)": ("i", "n"),
    "range((n - k) // s + 1)": ("i", "n"),
    "range(n - k + 1)": ("i", "n"),
    "range(0, n, k)": ("i", "n"),
}
ROWS = ("range(h)", "range(r, h - r)", "range(h // k)", "range((h - k) // s + 1)", "range(h - k + 1)", "range(k)")
COLUMNS = ("range(w)", "range(r, w - r)", "range(w // k)", "range((w - k) // s + 1)", "range(w - k + 1)", "range(y)")
INNER = ("range(-r, r + 1)", "range(k)", "range(1, r + 1)", "range(r)", "range(k - 1, -1, -1)")
CUT = "range(max(0, {0} - r), min({1}, {0} + r + 1))"
BEHIND = "range(max(0, {0} - k + 1), {0} + 1)"
AHEAD = "range({0}, min({1}, {0} + k))"
OVER = (*INNER, *(cut.format("i", "n") for cut in (CUT, BEHIND, AHEAD)))
OVER += ("range(i, i + k)", "range(i, n)", "range(i - r, i + r + 1)")
OVER_ROWS, OVER_COLUMNS = (
    (*INNER, *(cut.format(*names) for cut in (CUT, BEHIND, AHEAD))) for names in (("y", "h"), ("x2", "w"))
)
PLACES = ("i + j", "i * k + j", "i * s + j", "i - j", "j", "i + j * s", "i + j + r", "j * k + i")
ROW_PLACES, COLUMN_PLACES = (
    ("y + p", "y * k + p", "y * s + p", "y - p", "p"),
    ("x2 + q", "x2 * k + q", "x2 * s + q", "q"),
)
NUMBERS = ("int({}) & 255", "1", "int({} > 0.5)", "i * k + j", "r * j", "j * j + k", "i - r")


class Windows:
    """One program.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int):
        self.pick = (chosen := random.Random(seed)).choice
        self.chance = chosen.random

    def source(self) -> str:
        """The text of a module with a program `f`."""
        lines = [HEADER.rstrip()]
        for _ in range(self.pick([1, 1, 2])):
            lines += ["    " + line for line in (self._picture() if self.chance() < 0.5 else self._signal())]
        return "\n".join(lines) + FOOTER

    def _signal(self) -> list[str]:
        place, value = self.pick(PLACES), "x[at]"
        taken = self._taken(["at"], [place], ["n"], value, self.pick(NUMBERS).format(value))
        inside = ["acc, seen = 0.0, 0", f"for j in {self.pick(OVER)}:", *("    " + line for line in taken)]
        return [f"for i in {self.pick([*OUTER])}:", *("    " + line for line in [*inside, *self._kept("out[i]", "i")])]

    def _picture(self) -> list[str]:
        places, value = [self.pick(ROW_PLACES), self.pick(COLUMN_PLACES)], "img[yy, xx]"
        number = self.pick(("int({}) & 255", "1", "p * p + q * q", "y * w + x2", "p * k + q")).format(value)
        taken = self._taken(["yy", "xx"], places, ["h", "w"], value, number)
        over = self.pick(OVER_ROWS), self.pick(OVER_COLUMNS)
        inside = [f"for p in {over[0]}:", f"    for q in {over[1]}:", *(" " * 8 + t for t in taken)]
        body = ["acc, seen = 0.0, 0", *inside, *self._kept("grid[y, x2]", "y")]
        return [f"for y in {self.pick(ROWS)}:", f"    for x2 in {self.pick(COLUMNS)}:", *(" " * 8 + b for b in body)]

    def _taken(self, names: list[str], places: list[str], sizes: list[str], value: str, number: str) -> list[str]:
        """What a round takes, where its places are inside, as far as that is asked."""
        how = self.pick(["left out", "left out", "clamped", "error", "error", "continue"])
        bounds = list(zip(names, places, sizes, strict=True))
        if how == "clamped":
            lines = [f"{name} = min(max({place}, 0), {size} - 1)" for name, place, size in bounds]
        else:
            lines = [f"{name} = {place}" for name, place, _ in bounds]
        what = self.pick(
            [
                [f"acc += {value}", "seen += 1"],
                [f"acc += {value}", f"seen += {number}"],
                [f"acc = max(acc, {value})"],
                [f"if {value} > 1.0:", "    seen += 1"],
                [f"if {value} > 1.0:", "    seen = -1", "    break"],
                [f"total += {value}", f"count += {number}"],
            ]
        )
        if how == "continue":
            return [*lines, f"if {' or '.join(f'{a} < 0 or {a} >= {b}' for a, _, b in bounds)}:", "    continue", *what]
        if how == "left out":
            asked = " and ".join(f"0 <= {name} < {size}" for name, _, size in bounds)
            return [*lines, f"if {asked}:", *("    " + line for line in what)]
        return [*lines, *what]

    def _kept(self, place: str, counter: str) -> list[str]:
        """What is done with what a window has given."""
        return self.pick(
            [
                [f"{place} = acc"],
                [f"{place} = acc / seen if seen != 0 else -1.0"],
                [f"{place} = acc / k"],
                ["total += acc", "count += seen"],
                ["if acc > best:", f"    best, count = acc, {counter}"],
                ["if seen == 2:", f"    found.append({counter} * k)"],
                [f"{place} += acc", "count = count + seen"],
            ]
        )


def arguments(seed: int) -> tuple[tuple[Any, ...], ...]:
    """Arguments: usual windows, and some that are empty, too large, or negative."""
    chosen = np.random.default_rng(seed)
    found = []
    for n, (h, w), r, k, s in (
        (9, (4, 5), 1, 2, 1),
        (12, (5, 4), 2, 3, 2),
        (6, (3, 3), 0, 1, 1),
        (4, (2, 3), 3, 5, 2),
        (0, (0, 2), 1, 2, 1),
        (5, (3, 2), -1, 2, -1),
        (5, (3, 4), 1, -2, 1),
        (7, (3, 4), 1, 2, 0),
        (4, (2, 2), int(chosen.integers(-4, 5)), int(chosen.integers(-4, 5)), int(chosen.integers(-4, 5))),
    ):
        found.append((chosen.integers(0, 4, n) * 0.5, chosen.integers(0, 5, (h, w)) * 0.5, r, k, s))
    return tuple(found)


__all__ = ["Windows", "arguments"]
