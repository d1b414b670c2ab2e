"""Random loops, left early, around a `while` that may never end for elements that no round comes to."""

from __future__ import annotations

import random

HEADER = """
import numpy as np
from graph_program import Int64, Tensor


class TooLong(Exception):
    pass


def f(x: Int64[Tensor, "n"], y: Int64[Tensor, "n"], p: int):
    total, best, place, last, kept = 0, p, -1, 0, [0]
    for i in range(len(x)):
"""
RESULT = "return int(total), int(best), int(place), int(last), np.array(kept)"
LIMIT = 300
"""Where Python does more rounds of a `while`, it is not asked what it gives."""


class EndlessNest:
    """Writes one program.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def source(self, limited: bool) -> str:
        """The text of a module with the program `f`; a limited one raises where a `while` goes on for long."""
        state = self.random.getstate()
        lines = [*self._before(), *self._while(limited), *self._behind()]
        self.random.setstate(state)
        return HEADER + "\n".join("        " + line for line in lines) + f"\n    {RESULT}\n"

    def _before(self) -> list[str]:
        leaves = ["break", "raise ValueError(f'{i} is {x[i]}')", RESULT]
        lines = [f"if x[i] == {self._pick('0', '5', 'p')}:", f"    {self._pick(*leaves)}"]
        lines = lines if self._often() else []
        if self._seldom():
            lines += ["if x[i] % 5 == 4:", "    continue"]
        return [*lines, f"n, steps, sign = x[i], {self._pick('0', '1', 'i')}, {self._pick('1', '-1')}"]

    def _while(self, limited: bool) -> list[str]:
        test = self._pick("n != 1", "n > 1", "n != 1 and n != p", "abs(n) > 2", "n % 7 != 1")
        body = ["if round_of_while > LIMIT: raise TooLong".replace("LIMIT", str(LIMIT)), "round_of_while += 1"]
        body = body if limited else []
        leaves = ["break", "raise ValueError(f'{i} comes to {n}')", "return i, int(n), 0, int(steps), np.array(kept)"]
        leave = [f"if {self._pick('steps > 9', 'n > 50', 'n == 3', 'steps * n > 99')}:", f"    {self._pick(*leaves)}"]
        if self._often():
            body += leave
        step = self._pick("n // 2 if n % 2 == 0 else 3 * n + 1", "n - 3", "n // 2", "n + sign * (i + 1)")
        body += [f"n = {step}", "steps += 1"]
        if self._seldom():
            body += ["k = n", f"while {self._pick('k > 3', 'k != 0 and k > -9')}:", "    k -= 2", "    steps += 1"]
        if self._seldom():
            body += leave
        return [*(["round_of_while = 0"] if limited else []), f"while {test}:", *("    " + line for line in body)]

    def _behind(self) -> list[str]:
        leaves = ["break", "raise ValueError(f'{i} has {steps}')", RESULT.replace("int(place)", "7")]
        lines = [f"if {self._pick('steps > 12', 'n == 2', 'steps == 0')}:", f"    {self._pick(*leaves)}"]
        lines = lines if self._seldom() else []
        does = ["total += steps", "y[i] = steps", "y[i] += n", "last = n", "kept.append(steps)", "total -= int(n > 0)"]
        does += ["if steps > best:\n            best, place = steps, i"]
        return [*(lines if self._often() else []), *self.random.sample(does, self.random.randint(2, 4)), *lines]

    def _pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def _often(self) -> bool:
        return self.random.random() < 0.6

    def _seldom(self) -> bool:
        return self.random.random() < 0.3
