"""Random chains of NumPy operations on arrays: what optimizers, ours and onnxruntime's, make of neighbours.

Each step is one template filled with variables for which NumPy has a result; what rounds differently elsewhere is
marked, and goes into continuous functions only.
"""

from __future__ import annotations

import random
import re
import warnings
from typing import Any

import numpy as np

MOVES = """
{a}.T | np.transpose({a}) | {a}[::-1] | {a}[..., ::-1] | {a}[1:] | {a}[:, 0] | {a}[0] | {a}[..., -1] | {a}[..., None]
{a}[None] | {a}[::2] | {a}[-1:0:-1] | {a}.reshape(-1) | {a}.reshape(-1, 2) | {a}.reshape(2, -1) | {a}.ravel() | {a}.copy()
{a}.reshape(-1, 2).T | {a}.reshape(2, -1).T | np.ravel({a}.T) | {a}[:, ::-1].T | {a}[0:0] | {a}[:-1] + {a}[1:]
np.expand_dims({a}, {axis}) | np.squeeze({a}) | np.swapaxes({a}, 0, -1) | np.moveaxis({a}, 0, -1) | np.flip({a})
np.roll({a}, {k}) | np.roll({a}, {k}, axis={axis}) | np.tile({a}, 2) | np.tile({a}, (2, 1)) | np.repeat({a}, 2, axis={axis})
np.pad({a}, 1) | np.pad({a}, 1, mode="edge") | np.pad({a}, 1, constant_values=2) | np.broadcast_to({a}, (2, *{a}.shape))
np.concatenate([{a}, {b}]) | np.concatenate([{a}, {b}], axis=-1) | np.stack([{a}, {b}], axis={axis}) | np.vstack([{a}, {b}])
np.hstack([{a}, {b}]) | np.array([{a}, {a}]) | np.atleast_2d({a}) | np.take({a}, [0, -1], axis={axis}) | np.rot90({a})
np.array_split({a}, 2)[0] | np.split({a}, 2, axis={axis})[1] | np.tril({a}) | np.triu({a}, 1) | np.diag({a}) | np.meshgrid({a}, {b})[0]
np.where({c} > 0, {a}, {b}) | np.where({c} > 0, {a}, 0) | np.zeros_like({a}) | np.full_like({a}, 2) | np.column_stack([{a}, {b}])
"""
EXACT = """
-{a} | abs({a}) | {a} + 1 | {a} * 2 | {a} * 0.5 | 2 - {a} | {a} // 2 | {a} % 3 | {a} ** 2 | {a} > 1 | {a} == {b} | {a} <= {b}
{a} + {b} | {a} - {b} | {a} * {b} | {a} @ {b} | {a}.T @ {b} | {a} @ {b}.T | {a}.T @ {b}.T | np.dot({a}, {b}) | np.outer({a}, {b})
2 * ({a} @ {b}) | ({a} * 0.5) @ {b} | ({a} @ {b}) + 1 | ({a}.T @ {b}) * 2 + 1 | np.inner({a}, {b}) | np.vdot({a}, {a}) | np.kron({a}, {b})
np.maximum({a}, {b}) | np.minimum({a}, 1) | np.clip({a}, -1, 2) | np.sign({a}) | np.floor({a} * 0.5) | np.round({a} * 0.5) | np.ceil({a})
np.square({a}) | np.positive({a}) | np.negative(-{a}) | {a} * 1 | {a} + 0 | {a} * 0 | {a} - {a} | ({a} + 1) - 1 | ({a} * 2) * 0.5
np.logical_not({a}) | np.logical_and({a}, {b}) | ({a} > 0) & ({b} > 0) | ~({a} > 0) | np.isnan({a}) | np.isfinite({a}) | {a} != 0
{a}.astype(np.float32) | {a}.astype(np.float64) | {a}.astype(np.int32) | {a}.astype(np.int64) | {a}.astype(bool) | {a}.astype(np.float16)
{a}.sum() | {a}.sum(axis={axis}) | {a}.sum(axis={axis}, keepdims=True) | {a}.prod(axis={axis}) | {a}.max(axis={axis}) | {a}.min()
{a}.max(axis={axis}, keepdims=True) | {a} - {a}.max(axis={axis}, keepdims=True) | {a}.argmax(axis={axis}) | {a}.argmin() | np.ptp({a})
{a}.cumsum() | {a}.cumsum(axis={axis}) | np.cumprod({a}) | np.diff({a}) | np.diff({a}, axis={axis}) | np.trace({a}) | np.cumsum({a}[::-1])
np.sort({a}) | np.sort({a}, axis={axis}) | np.argsort({a}, kind="stable") | np.unique({a}) | {a}[{a} > 0] | {a}[{a} > {b}] | np.nonzero({a})[0]
np.any({a}, axis={axis}) | np.all({a} > -1) | np.count_nonzero({a}, axis={axis}) | np.median({a}) | np.flatnonzero({a}) | {a}[np.argsort({a}[:, 0])]
np.einsum("ij->ji", {a}) | np.einsum("ij,jk->ik", {a}, {b}) | np.einsum("ij,kj->ki", {a}, {b}) | np.einsum("ij,ij->i", {a}, {b}) | np.einsum("ii", {a})
np.einsum("ijk->kij", {a}) | np.einsum("i,ij->j", {a}, {b}) | np.einsum("ji,j->i", {a}, {b}) | np.tensordot({a}, {b}, 1) | np.matvec({a}.T, {b})
np.convolve({a}, {b}) | np.searchsorted(np.sort({a}), {b}) | np.bincount(np.abs({a})) | np.histogram({a}, 3)[0] | np.isin({a}, {b})
np.add.outer({a}, {b}) | np.add.reduce({a}, axis={axis}) | np.maximum.accumulate({a}) | np.add.accumulate({a}) | np.arange(len({a})) + {a}
{a} + np.arange({a}.shape[-1]) | {a} * np.eye({a}.shape[0]) | np.eye(len({a})) @ {a} | np.ones_like({a}) @ {a} | np.full(len({a}), 2) @ {a}
"""
INEXACT = """
{a}.mean() | {a}.mean(axis={axis}) | {a}.var() | {a}.std(axis={axis}) | np.sqrt(abs({a})) | np.exp({a} * 0.1) | np.tanh({a}) | np.sin({a})
{a} / ({b} + 10) | {a} / 3 | 1 / ({a} ** 2 + 1) | np.log1p(abs({a})) | {a} * 0.1 | {a} / np.sqrt(({a} ** 2).sum() + 1) | np.linalg.norm({a})
np.exp({a} - {a}.max(axis={axis}, keepdims=True)) | {a} * 0.1 @ {b} | ({a} @ {b}) / 3 | 1 / (1 + np.exp(-{a})) | np.hypot({a}, {b}) | {a} * (1 / (1 + np.exp(-{a})))
({a} - {a}.mean(axis=-1, keepdims=True)) / np.sqrt({a}.var(axis=-1, keepdims=True) + 0.1) | np.maximum({a}, 0) * 0.3 | np.average({a}, axis={axis})
"""
CONTINUOUS = """
-{a} | abs({a}) | {a} + 1 | {a} * 2 | {a} * 0.5 | {a} + {b} | {a} - {b} | {a} * {b} | {a} @ {b} | {a}.T @ {b} | np.dot({a}, {b})
np.maximum({a}, {b}) | np.clip({a}, -1, 2) | {a}.sum(axis={axis}) | {a}.max(axis={axis}) | {a}.min() | {a}.cumsum() | np.diff({a}) | np.sort({a})
"""
STEPS = (3, 5, 8)
LARGEST = 400


def _templates(text: str) -> list[str]:
    return [t.strip() for line in text.splitlines() for t in line.split(" | ") if t]


ANY, ROUNDED = _templates(MOVES + EXACT + INEXACT), _templates(MOVES + CONTINUOUS + INEXACT)
ROUNDING = frozenset(_templates(INEXACT))


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
        template = self.random.choice(ANY)
        used = {name for name, letter in ((a, "{a}"), (b, "{b}"), (c, "{c}")) if letter in template}
        if used & self.rounded and (template not in ROUNDED or c in self.rounded):
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
    return re.sub(r"\s+", " ", f"np.array({array.tolist()}, dtype=np.{array.dtype.name}_)").replace(
        f"{array.dtype.name}_", "bool" if array.dtype == bool else array.dtype.name
    )


__all__ = ["chain"]
