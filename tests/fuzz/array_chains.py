"""Random chains of NumPy operations on arrays: what optimizers, ours and onnxruntime's, make of neighbours.

Each step is one template filled with variables for which NumPy has a result; what rounds differently elsewhere is
marked, and goes into continuous functions only.
"""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np

TEMPLATES = Path(__file__).with_name("array_chains.txt")
"""A template a line: those that move elements, that are exact, that round, and that are continuous."""
STEPS = (3, 5, 8)
LARGEST = 400


def _templates() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in TEMPLATES.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            found[line[2:]] = kind = []
        else:
            kind.append(line)
    return found


KINDS = _templates()
ALL = [*KINDS["moves"], *KINDS["exact"], *KINDS["rounding"]]
ROUNDING = frozenset(KINDS["rounding"])
AFTER_ROUNDING = frozenset([*KINDS["moves"], *KINDS["continuous"], *KINDS["rounding"]])


class _Chain:
    def __init__(self, seed: int):
        self.random = random.Random(f"chain {seed}")
        self.values: dict[str, Any] = {}
        self.rounded: set[str] = set()
        self.lines: list[str] = []

    def array(self, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
        numbers = [self.random.choice((-2, -1, 0, 1, 2, 3)) for _ in range(int(np.prod(shape)))]
        halves = np.array(numbers, float).reshape(shape) / (2 if dtype.startswith("float") else 1)
        return (np.abs(halves) if dtype.startswith("u") else halves).astype(dtype)

    def step(self) -> bool:
        a, b, c = (self.random.choice(list(self.values)) for _ in range(3))
        template = self.random.choice(ALL)
        used = {name for name, letter in ((a, "{a}"), (b, "{b}"), (c, "{c}")) if letter in template}
        if used & self.rounded and (template not in AFTER_ROUNDING or c in self.rounded):
            return False
        text = template.format(a=a, b=b, c=c, axis=self.random.choice((0, 1, -1)), k=self.random.choice((-1, 1, 2)))
        try:
            with warnings.catch_warnings(), np.errstate(all="raise"):
                warnings.simplefilter("error")
                value = eval(text, {"np": np}, dict(self.values))
        except (ArithmeticError, IndexError, TypeError, ValueError, Warning):
            return False
        if np.size(value) > LARGEST or (np.size(value) and np.max(np.abs(value)) > 1e4):
            return False
        if any(np.asarray(value).dtype.itemsize > self.values[v].dtype.itemsize for v in used & self.rounded):
            return False  # what was rounded would be compared more closely than it is known
        name = f"v{len(self.lines)}"
        self.values[name] = value
        self.lines.append(f"{name} = {text}")
        if template in ROUNDING or used & self.rounded:
            self.rounded.add(name)
        return True


def chain(seed: int) -> str:
    """A program of a few operations, and two calls of it with arrays of the same sizes."""
    made = _Chain(seed)
    chooser = made.random
    given = {}
    for name in "xy":
        shape = tuple(chooser.choice((1, 2, 2, 3, 4)) for _ in range(chooser.choice((1, 2, 2, 3))))
        dtype = chooser.choice(("float32", "float32", "float64", "float64", "int64", "int32", "uint8", "bool"))
        given[name] = [made.array(shape, dtype) for _ in range(2)]
        made.values[name] = given[name][0]
    wanted = chooser.choice(STEPS)
    for _ in range(200):
        if len(made.lines) < wanted:
            made.step()
    results = [name for name in made.values if name.startswith("v")][-3:] or ["x"]
    body = "\n".join(f"    {line}" for line in [*made.lines, f"return {', '.join(results)}"])
    calls = [
        f"def arguments_{i}():\n    return ({', '.join(_text(given[name][i]) for name in 'xy')},), ()\n" for i in (0, 1)
    ]
    return "\n\n".join(["import numpy as np\n", f"def program(x, y):\n{body}\n", *calls])


def _text(array: np.ndarray[Any, Any]) -> str:
    return f'np.array({array.tolist()}, dtype="{array.dtype.name}")'


__all__ = ["chain"]
