"""Expressions about shapes, as source text: what the random programs of `shape_programs` are made of.

Each method gives a text that may or may not run; the generator tries it and keeps what is of use.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

HEADER = """\
import numpy as np
from graph_program import Bool, Float32, Float64, Int32, Int64, Tensor


def centred(a, axis=0):
    return a - a.mean(axis=axis, keepdims=True)


def halves(a):
    h = len(a) // 2
    return a[:h], a[h:]


def outer(a, b):
    return a[:, None] * b[None, :]


def windows(a, width):
    count = max(len(a) - width + 1, 0)
    return a[np.arange(count)[:, None] + np.arange(width)]


def padded(a, to):
    return np.concatenate([a, np.zeros(max(to - a.shape[0], 0), a.dtype)])


def flat_pairs(a):
    return a.reshape(a.shape[0] // 2, 2, -1)


def total(a):
    result = 0
    for row in a:
        result = result + row
    return result


def grown(a, count):
    for k in range(count):
        a = np.concatenate([a, a[:1]])
    return a
"""
HELPERS_OF_ONE = ("centred({})", "flat_pairs({})", "total({})", "halves({})[0]", "halves({})[1]", "centred({}, 1)")
SLICES = ("{a}:{b}", "{a}:", ":{b}", "::{s}", "{a}:{b}:{s}", ":", "{a}", "None", "...", ":{b}:{s}", "{a}::{s}")

Environment = Mapping[str, Any]


class Texts:
    """Writes expressions over the variables of an environment.

    Parameters
    ----------
    choose : random.Random
        The only source of randomness.
    """

    def __init__(self, choose: random.Random):
        self.choose = choose
        self.scope: Environment = {}

    def pick(self, options: Any) -> Any:
        return self.choose.choice(list(options))

    # ------------------------------------------------------------ leaves

    def names(self, wanted: Callable[[Any], bool]) -> list[str]:
        return [name for name, value in self.scope.items() if not name.startswith("_") and wanted(value)]

    def arrays(self, rank: int | None = None) -> list[str]:
        """Names of arrays; of that rank, if there are any."""
        found = self.names(lambda v: isinstance(v, np.ndarray))
        fitting = [name for name in found if rank is None or self.scope[name].ndim == rank]
        return fitting or found or ["np.arange(3.0)"]

    def leaf(self, rank: int | None = None) -> str:
        return str(self.pick(self.arrays(rank)))

    def rank(self, name: str) -> int:
        value = self.scope.get(name)
        return value.ndim if isinstance(value, np.ndarray) else 1

    def axis(self, name: str, extra: int = 0) -> int:
        rank = max(self.rank(name) + extra, 1)
        return int(self.pick([*range(rank), -1]))

    # ------------------------------------------------------------ numbers

    def size(self, depth: int = 0) -> str:
        """An integer that is likely to be a size."""
        name = self.leaf()
        known = self.names(lambda v: type(v) is int)
        forms = [
            lambda: str(self.pick([0, 1, 2, 3, 4])),
            lambda: str(self.pick(known)) if known else "2",
            lambda: f"len({self.leaf(1)})",
            lambda: f"{name}.shape[{self.axis(name)}]",
            lambda: f"{name}.shape[{self.axis(name)}]",
            lambda: f"{self.leaf(1)}.size",
        ]
        if depth < 2:
            forms += [
                lambda: f"({self.size(depth + 1)} {self.pick(['+', '-', '*', '+'])} {self.size(depth + 1)})",
                lambda: f"({self.size(depth + 1)} {self.pick(['+ 1', '- 1', '// 2', '* 2', '// 3', '% 3'])})",
                lambda: f"{self.pick(['max', 'min'])}({self.size(depth + 1)}, {self.size(depth + 1)})",
                lambda: f"abs({self.size(depth + 1)} - {self.size(depth + 1)})",
            ]
        return str(self.pick(forms)())

    def truth(self) -> str:
        name = self.leaf()
        forms = [
            lambda: f"{self.size()} {self.pick(['<', '<=', '==', '!=', '>', '>='])} {self.size(1)}",
            lambda: f"{name}.shape == {self.leaf()}.shape",
            lambda: f"{name}.sum() {self.pick(['>', '<'])} {self.pick(['0', '4', '-3'])}",
            lambda: f"np.any({name} > 2)",
            lambda: f"{self.size(1)} < {self.size(1)} and {self.size(1)} > 1",
        ]
        return str(self.pick(forms)())

    # ------------------------------------------------------------ arrays

    def array(self, depth: int = 0) -> str:
        """An array; `depth` says how deep in an expression it stands."""
        if depth > 1 or (depth and self.pick([True, False])):
            return self.leaf()
        families = (self.arithmetic, self.sliced, self.reshaped, self.joined, self.moved, self.made, self.counted)
        return str(
            self.pick([*families, self.sliced, self.reshaped, self.arithmetic, self.helped, self.reduced])(depth)
        )

    def arithmetic(self, depth: int) -> str:
        a = self.array(depth + 1)
        b = self.array(depth + 1)
        x, y = self.leaf(2), self.leaf(2)
        forms = [
            f"({a} {self.pick('+-*')} {b})",
            f"({a} {self.pick('+-*')} {b})",
            f"({a} {self.pick('+-*')} {self.pick(['2', '0.5', self.size(1)])})",
            f"({x} @ {y})",
            f"({x} @ {y}.T)",
            f"({x}.T @ {self.leaf()})",
            f"(({a})[:, None] * ({b})[None, :])",
            f"np.where({x} > 1, {x}, {b})",
            f"np.maximum({a}, {b})",
            f"(np.expand_dims({a}, {self.pick([0, 1, -1])}) + {b})",
            f"np.sqrt(np.abs({a}))",
            f"np.einsum('ij,jk->ik', {x}, {y})",
        ]
        return str(self.pick(forms))

    def bound(self, name: str) -> str:
        size = self.size(1)
        return str(self.pick(["0", "1", "2", "-1", "-2", "-3", "3", size, size, f"-{size}", f"len({name}) - 1"]))

    def sliced(self, depth: int) -> str:
        name = self.leaf()
        parts = []
        for _ in range(self.pick([1, 1, max(self.rank(name), 1)])):
            step = self.pick(["1", "2", "3", "-1", "-2", "-1"])
            parts.append(self.pick(SLICES).format(a=self.bound(name), b=self.bound(name), s=step))
        return f"{name}[{', '.join(parts)}]"

    def reshaped(self, depth: int) -> str:
        name = self.leaf(self.pick([1, 2, 3]))
        s = [f"{name}.shape[{i}]" for i in range(self.rank(name))] or ["1"]
        everything = " * ".join(s)
        forms = [
            f"{name}.reshape(-1)",
            f"{name}.reshape({everything})",
            f"{name}.reshape(-1, {s[-1]})",
            f"{name}.reshape({s[0]}, -1)",
            f"{name}.reshape({s[-1]}, {s[0]}{', -1' if len(s) != 2 else ''})",
            f"{name}.reshape(2, -1)",
            f"{name}.reshape({s[0]} // 2, 2, -1)",
            f"{name}.reshape({name}.size // 2, 2)",
            f"{name}.reshape(({self.size()}, {self.size()}))",
            f"{name}.reshape(-1, {self.size(1)})",
            f"np.reshape({name}, (1, -1, {s[-1]}))",
            f"{name}.reshape({self.leaf()}.shape)",
            f"{name}.ravel()",
            f"np.broadcast_to({name}, ({self.size(1)}, {', '.join(s)}))",
            f"np.broadcast_to({name}, {self.leaf()}.shape)",
            f"np.resize({name}, ({self.size(1)}, 2))",
        ]
        return str(self.pick(forms))

    def joined(self, depth: int) -> str:
        a, b = self.array(depth + 1), self.array(depth + 1)
        name = self.leaf()
        axis = self.axis(name)
        forms = [
            f"np.concatenate([{name}, {name}[{self.pick(['1:', ':2', '::2', ':0'])}]])",
            f"np.concatenate([{a}, {b}], axis={axis})",
            f"np.concatenate(({name}, {name}), axis={axis})",
            f"np.stack([{name}, {name} * 2], axis={self.axis(name, 1)})",
            f"np.stack([{a}, {b}])",
            f"np.pad({name}, {self.pick(['1', '2', '(1, 0)', self.size(1)])})",
            f"np.tile({name}, {self.pick(['2', '(2, 1)', '(1, 3)', self.size(1), f'({self.size(1)}, 2)'])})",
            f"np.repeat({name}, {self.pick(['2', self.size(1)])}, axis={axis})",
            f"np.repeat({name}, {self.pick(['2', self.size(1)])})",
            f"np.vstack([{a}, {b}])",
            f"np.hstack([{name}, {b}])",
            f"np.outer({self.leaf(1)}, {self.leaf(1)})",
            f"np.append({name}, {b})",
        ]
        return str(self.pick(forms))

    def moved(self, depth: int) -> str:
        name = self.leaf()
        axis = self.axis(name)
        forms = [
            f"{name}.T",
            f"np.transpose({name})",
            f"np.swapaxes({name}, {axis}, {self.axis(name)})",
            f"np.moveaxis({name}, 0, -1)",
            f"np.squeeze({name}, {axis})",
            f"np.expand_dims({name}, {self.axis(name, 1)})",
            f"np.squeeze({name}[None], 0)",
            f"np.flip({name}, {axis})",
            f"np.roll({name}, {self.size(1)}, axis={axis})",
            f"np.diff({name}, axis={axis})",
            f"np.diff({name})",
            f"np.sort({name}, axis={axis})",
            f"np.cumsum({name}, axis={axis})",
            f"np.atleast_2d({name})",
            f"np.diagonal({self.leaf(2)})",
            f"np.triu({self.leaf(2)})",
        ]
        return str(self.pick(forms))

    def made(self, depth: int) -> str:
        a, b = self.size(), self.size(1)
        kind = self.pick(["", ", np.float32", ", dtype=np.int64"])
        forms = [
            f"np.zeros({a}{kind})",
            f"np.ones(({a}, {b}){kind})",
            f"np.zeros(({b}, {a}, 2))",
            f"np.arange({a})",
            f"np.arange({a}, {b})",
            f"np.arange({b}, {a}, {self.pick(['2', '-1', '3', '-2'])})",
            f"np.eye({b})",
            f"np.full({self.leaf()}.shape, {self.pick(['1.5', '2'])})",
            f"np.zeros_like({self.leaf()})",
            f"np.linspace(0, 1, {b})",
            f"np.ones({self.leaf()}.shape[::-1])",
            f"np.zeros({self.leaf()}.shape + (2,))",
            f"np.zeros({self.leaf(2)}.shape[1:])",
        ]
        return str(self.pick(forms))

    def counted(self, depth: int) -> str:
        """Shapes that depend on values."""
        name = self.leaf()
        limit = self.pick(["0", "1", "-2", "100"])
        forms = [
            f"{name}[{name} > {limit}]",
            f"np.nonzero({name} > {limit})[{self.pick(['0', '-1'])}]",
            f"np.flatnonzero({name})",
            f"np.unique({name})",
            f"{name}[np.nonzero({name} > {limit})]",
            f"np.argwhere({name} > {limit})",
            f"np.arange(int(np.sum({name} > {limit})))",
            f"{name}[:int(np.sum({name} > {limit}))]",
            f"{name}[{self.leaf(1)} > {limit}]",
            f"np.compress({self.leaf(1)} > {limit}, {name}, axis={self.axis(name)})",
        ]
        return str(self.pick(forms))

    def reduced(self, depth: int) -> str:
        name = self.leaf(self.pick([1, 2, 3]))
        axis = self.axis(name)
        keep = self.pick([", keepdims=True", ""])
        forms = [
            f"{name}.sum(axis={axis}{keep})",
            f"{name}.max(axis={axis}{keep})",
            f"np.mean({name}, axis={axis}{keep})",
            f"np.argmax({name}, axis={axis})",
            f"np.sum({name}, axis=(0, -1))",
            f"np.any({name} > 1, axis={axis}{keep})",
            f"np.cumsum({name})",
            f"np.take({name}, np.arange({self.size(1)}), axis={axis})",
            f"{name}[np.argsort({self.leaf(1)}, kind='stable')]",
            f"{name}[{self.leaf(1)}.argmax()]",
        ]
        return str(self.pick(forms))

    def helped(self, depth: int) -> str:
        name = self.leaf()
        forms = [
            *(form.format(name) for form in HELPERS_OF_ONE),
            f"outer({self.leaf(1)}, {self.leaf(1)})",
            f"windows({self.leaf(1)}, {self.pick(['2', self.size(1)])})",
            f"padded({self.leaf(1)}, {self.size(1)})",
            f"grown({name}, {self.pick(['2', self.size(1)])})",
        ]
        return str(self.pick(forms))
