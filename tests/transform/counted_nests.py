"""Random nests of loops that count on from round to round, write one place behind the other, end early or fail."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.transform.generated import Generated

HEADER = """
import numpy as np
from graph_program import Float64, Int64, Tensor


def f(x: Float64[Tensor, "h w"], y: Float64[Tensor, "n"], p: int, q: int):
    h, w = x.shape
    n = len(y)
    out, rows = np.zeros({size}), np.zeros((h, w))
    i, j, total = {begin}
    kept = []
"""
FOOTER = """
    return out, rows, i, j, float(total), np.array(kept, np.int64)
"""
SIZES = ("h * w", "h * w", "h * w * 2", "h * w + 1", "n", "max(p, 0) * w")
BEGINS = ("0, 0, 0.0", "0, 1, 0.0", "p, 0, 0.0", "1, h, 1.0", "-1, 0, 0.0")
OUTER = ("range(h)", "range(h)", "range(1, h)", "range(h - 1, -1, -1)", "range(p)", "range(max(h - 2, 0))")
INNER = ("range(w)", "range(w)", "range(w - 1)", "range(0, w, 2)", "range(q)", "range(3)", "range(r)")
STEPS = ("i += 1", "i += 1", "i += 2", "i -= 1", "i += q", "i += w", "j += 1", "i, j = i + 1, j + 2")


class Nests(Generated):
    """One program."""

    def source(self) -> str:
        """The text of a module with a program `f`."""
        lines = [HEADER.format(size=self.pick(SIZES), begin=self.pick(BEGINS)).rstrip()]
        for _ in range(self.pick([1, 1, 2])):
            lines += [f"    for r in {self.pick(OUTER)}:"]
            body = [*self._maybe(0.2, self._statement()), f"for c in {self.pick(INNER)}:"]
            inner = self._maybe(0.3, self._guard()) + self._use()
            if self.chosen.random() < 0.3:
                inner += ["for m in range(2):", f"    {self.pick(STEPS)}"]
            inner += [self.pick(STEPS), *self._maybe(0.2, self._statement())]
            body += [f"    {line}" for line in inner] + self._maybe(0.3, self._statement())
            body += self._maybe(0.2, ["if total > 9.0:", "    break"])
            lines += [f"        {line}" for line in body]
        return "\n".join(lines) + FOOTER

    def _maybe(self, share: float, lines: list[str]) -> list[str]:
        return lines if self.chosen.random() < share else []

    def _statement(self) -> list[str]:
        return self.pick(
            [
                [self.pick(STEPS)],
                ["j = i"],
                ["if r % 2:", f"    {self.pick(STEPS)}"],
                ["total += i"],
                ["kept.append(i)"],
                ["i = 0"],
            ]
        )

    def _guard(self) -> list[str]:
        return self.pick(
            [
                ["if x[r % h, c % w] < 0:", f"    {self.pick(['continue', 'break', 'i += 1'])}"],
                ["if i >= len(out):", "    break"],
                ["if c == r:", "    continue"],
                ["if i > 7:", "    raise ValueError(f'{r} {c} {i}')"],
            ]
        )

    def _use(self) -> list[str]:
        return self.pick(
            [
                ["out[i] = x[r, c]"],
                ["out[i] = x[r % h, c % w] * 2"],
                ["rows[r % h, c % w] = y[i]"],
                ["out[r * w + c] = i"],
                ["total += y[i % max(n, 1)]"],
                ["try:", "    out[i] = 1.0", "except IndexError:", "    j += 5"],
                ["out[i] += 1.0"],
                ["total += i * j"],
            ]
        )


def arguments(seed: int) -> tuple[tuple[Any, ...], ...]:
    """Arguments, some of which have no elements."""
    chosen = np.random.default_rng(seed)
    sizes = ((2, 3, 6, 2, 1), (3, 2, 7, 3, 2), (1, 1, 1, 1, 1), (0, 3, 0, 0, 0), (2, 0, 2, 2, 3), (3, 4, 20, 5, -1))
    return tuple((chosen.integers(-1, 4, (h, w)) * 1.0, chosen.normal(size=n), p, q) for h, w, n, p, q in sizes)


__all__ = ["Nests", "arguments"]
