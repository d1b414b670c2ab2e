"""Random programs that read and write parts of arrays through every kind of NumPy index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.fuzz.generator import Program

Choose = Callable[[Sequence[Any]], Any]
DTYPES = ("float64", "float32", "int64", "int32", "uint8", "bool")
READ = "return y[{index}]"
WRITE = "y[{index}] = v\n    return y"
UPDATE = "y[{index}] += v\n    return y"
VIEW = "w = y[{index}]\n    w[...] = v\n    return y, w"
LATER = "w = y[{index}]\n    y[...] = v\n    return y, w"
ROUNDS = "for r in range(2):\n        y[{index}] = v + r\n    return y, y[{index}]"
BODIES = (READ, READ, READ, WRITE, WRITE, WRITE, UPDATE, VIEW, LATER, ROUNDS)


LAYOUTS = (
    "x = base = {x}",
    "base = {x}\n    x = np.asfortranarray(base)",
    "base = np.repeat({x}, 2, axis={last}) if {last} >= 0 else {x}\n    x = base[..., ::2] if {last} >= 0 else base",
)
"""An array in C order, in Fortran's, and one with gaps between its elements."""


def expression(value: Any) -> str:
    """Python text of a number or array."""
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()}, np.{value.dtype.name}).reshape({value.shape})"
    return f"np.{type(value).__name__}({value})" if isinstance(value, np.generic) else repr(value)


class Indexing:
    """Makes one program; `choose` picks from a sequence, so that Hypothesis or a seed can drive it."""

    def __init__(self, choose: Choose):
        self.choose = choose
        self.args: dict[str, Any] = {}
        self.common: tuple[int, ...] = ()

    def program(self) -> Program:
        """A program and its arguments."""
        shape = tuple(self.choose((0, 1, 2, 3, 3, 4)) for _ in range(self.choose((0, 1, 1, 2, 2, 3, 3, 4))))
        x = self.array(shape, self.choose(DTYPES))
        self.common = self.choose(((), (1,), (2,), (2,), (3,), (0,), (2, 2), (2, 1)))
        entries = self.entries(shape)
        index = ", ".join(entries) + ("," if len(entries) == 1 and self.choose((True, False, False)) else "")
        body = self.choose(BODIES)
        self.args["v"] = self.value(x, entries)
        parameters = ", ".join(("x", *self.args))
        start = "y = x" if self.choose((True, False)) else "y = x.copy()"
        text = body.format(index=index or "()")
        source = f"import numpy as np\n\n\ndef program({parameters}):\n    {start}\n    {text}\n"
        given = ", ".join(map(expression, self.args.values()))
        x_text = self.choose((LAYOUTS[0], *LAYOUTS)).format(x=expression(x), last=f"{x.ndim} - 1")
        making = f"\n\ndef arguments_0():\n    {x_text}\n    return (x, {given}), (base,)\n"
        return Program(source + making)

    def array(self, shape: Sequence[int], dtype: str) -> np.ndarray[Any, Any]:
        """An array whose elements tell their place."""
        return (np.arange(int(np.prod(shape))).reshape(shape) % 120 + 3).astype(dtype)

    def argument(self, value: Any) -> str:
        """A parameter with this value; its name."""
        name = f"p{len(self.args)}"
        self.args[name] = value
        return name

    # ------------------------------------------------------------ entries

    def entries(self, shape: tuple[int, ...]) -> list[str]:
        """The parts of a subscript for an array of this shape; now and then one too many."""
        entries: list[str] = []
        axis, ellipsis = 0, False
        wanted = self.choose((1, 1, 2, 2, 3, 4))
        limit = len(shape) + self.choose((0,) * 20 + (1,))
        while len(entries) < wanted:
            kind = self.choose(("int", "slice", "slice", "array", "array", "mask", "none", "ellipsis", "flag", "list"))
            if kind == "none" and self.choose((True, False)):
                entries.append(self.choose(("None", "np.newaxis")))
            elif kind == "ellipsis" and not ellipsis:
                entries.append("...")
                ellipsis = True
                axis = max(axis, len(shape) - (wanted - len(entries)))
            elif kind == "flag" and self.choose((True, False, False)):
                entries.append(self.flag())
            elif kind in ("int", "slice", "array", "list", "mask"):
                used = self.mask_rank(shape, axis) if kind == "mask" else 1
                if axis + used > limit or (kind == "mask" and not used):
                    break
                size = shape[axis] if axis < len(shape) else 2
                entries.append(self.mask(shape[axis : axis + used]) if kind == "mask" else self.one(kind, size))
                axis += used
        return entries

    def one(self, kind: str, size: int) -> str:
        """An entry for one axis."""
        return {"int": self.integer, "slice": self.part, "array": self.positions_text, "list": self.listed}[kind](size)

    def integer(self, size: int) -> str:
        k = self.choose(range(-size, size)) if size and self.choose((True,) * 12 + (False,)) else 4
        return str(k) if self.choose((True, False)) else self.argument(self.choose((k, k, np.int64(k), np.array(k))))

    def bound(self, size: int) -> str:
        k = self.choose((*range(-size - 2, size + 3), None))
        if k is None:
            return ""
        return str(k) if self.choose((True, True, False)) else self.argument(k)

    def part(self, size: int) -> str:
        if self.choose((True, False, False)):
            return ":"
        step = self.choose(("", "", "1", "2", "-1", "-2", "3"))
        step = self.argument(int(step)) if step and self.choose((True, False, False, False, False)) else step
        text = f"{self.bound(size)}:{self.bound(size)}"
        return f"{text}:{step}" if step else text

    def positions(self, size: int) -> np.ndarray[Any, Any]:
        shape = self.choose((self.common, self.common, self.common, (1,), (), (3,), (2,)))
        count = int(np.prod(shape))
        if not size:
            shape, count = (*shape[:-1], 0), 0
        known = [self.choose(range(-size, size)) for _ in range(count)]
        if known and self.choose((False,) * 15 + (True,)):
            known[-1] = size + 1
        found = np.array(known, np.int64).reshape(shape)
        narrow = np.uint8 if (found >= 0).all() and self.choose((True, False)) else np.int32
        return found.astype(narrow) if self.choose((True, False)) else found

    def listed(self, size: int) -> str:
        return repr([int(k) for k in self.positions(size).reshape(-1)])

    def positions_text(self, size: int) -> str:
        return self.argument(self.positions(size))

    def mask_rank(self, shape: tuple[int, ...], axis: int) -> int:
        return self.choose(range(1, len(shape) - axis + 1)) if axis < len(shape) else 0

    def mask(self, shape: tuple[int, ...]) -> str:
        if self.choose((False,) * 15 + (True,)):
            shape = (*shape[:-1], shape[-1] + 1)
        known = np.array([self.choose((True, False)) for _ in range(int(np.prod(shape)))], bool).reshape(shape)
        if len(shape) == 1 and shape[0] and self.choose((False, False, True)):
            return repr(known.tolist())
        return self.argument(known)

    def flag(self) -> str:
        known = self.choose((True, False))
        return str(known) if self.choose((True, False)) else self.argument(self.choose((known, np.bool(known))))

    # ------------------------------------------------------------ values

    def value(self, x: np.ndarray[Any, Any], entries: list[str]) -> Any:
        """What is assigned: a number, an array that fits, or now and then one that does not."""
        kind = self.choose(("number", "fits", "fits", "fits", "part", "other"))
        dtype = self.choose((x.dtype.name, x.dtype.name, "float64", "int32"))
        if kind == "number":
            return self.choose((7, 1.5, True, np.float32(2.5), np.int8(-1), np.array(3.0)))
        try:
            shape = eval(f"x[{', '.join(entries) or '()'}]", {"np": np, "x": x, **self.args}).shape
        except (IndexError, ValueError):
            shape = ()
        if kind == "part":
            shape = shape[self.choose((0, 1)) :]
            shape = tuple(self.choose((n, n, 1)) for n in shape)
        elif kind == "other":
            shape = self.choose(((2,), (3,), (1, 1, 1, 1, 2), (0,), (*shape, 2)))
        return (np.arange(int(np.prod(shape))).reshape(shape) * 3 % 100 + 1).astype(dtype)
