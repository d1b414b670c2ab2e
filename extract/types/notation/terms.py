"""Terms of the shape language: types and shapes with variables in them, and how each is written.

A `Dim` (`extract.types.dims`) is an integer or an expression over names.  A shape is a tuple of dims and
of parts of unknown length; appends are flattened, so `s @ [m, k]` is `(RankVar("s"), m, k)`.  Every term
prints itself in the language that `shape_language` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim

DType = np.dtype[Any]

# ---------------------------------------------------------------- shapes


@dataclass(frozen=True)
class RankVar:
    """`*s`: an unknown run of dims."""

    name: str

    def __str__(self) -> str:
        return f"*{self.name}"


@dataclass(frozen=True)
class Broadcast:
    """`*s & *r`: what these shapes broadcast to, as a part of a shape."""

    shapes: tuple[ShapeTerm, ...]

    def __str__(self) -> str:
        return " & ".join(
            str(s[0]) if len(s) == 1 and isinstance(s[0], RankVar) else shape_text(s) for s in self.shapes
        )


@dataclass(frozen=True)
class Ragged:
    """`*`: a dim that differs from element to element."""

    def __str__(self) -> str:
        return "*"


@dataclass(frozen=True)
class Computed:
    """`*reduce(s, axes)`: a part of a shape that an operation's attributes determine.

    `function` is a key of the table in `computed_shapes`; arguments are names of rank variables, of
    attributes and of operands.
    """

    function: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"*{self.function}({', '.join(self.arguments)})"


Segment = Dim | RankVar | Broadcast | Ragged | Computed
ShapeTerm = tuple[Segment, ...]


class Resolved(tuple[Segment, ...]):
    """A shape with what is known put in, which also remembers the variables that knew it.

    It is equal to the plain tuple; the solver uses what it remembers to name the places of a conflict.
    """

    written: ShapeTerm

    @classmethod
    def of(cls, shape: ShapeTerm, written: ShapeTerm) -> Resolved:
        """A resolved shape and, position by position, what its segments were before."""
        made = cls(shape)
        made.written = written
        return made

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Resolved.of(found, self.written[index]) if isinstance(index, slice) else found


def as_written(shape: ShapeTerm) -> ShapeTerm:
    """A shape with its variables, where it remembers them."""
    return shape.written if isinstance(shape, Resolved) else shape


REPEATED = "..."
"""The symbol that stands for the rest of a sum over repeated operands: `n+m+...`."""


def segment_text(segment: Segment) -> str:
    """One part of a shape as written between its brackets."""
    if isinstance(segment, Dim) and REPEATED in segment.symbols:
        return f"{segment.substitute({REPEATED: segment - segment})}+{REPEATED}"
    return str(segment)


def shape_text(shape: Sequence[Segment]) -> str:
    """A shape in the shape language: `[*s, n, 2*m]`."""
    return f"[{', '.join(map(segment_text, shape))}]"


# ---------------------------------------------------------------- element types


@dataclass(frozen=True)
class DTypeVar:
    """`t`: an element type that is not known; `kinds` are the kinds it may have, None for all."""

    name: str
    kinds: frozenset[str] | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Weak:
    """A Python number's type, which gives way to that of the arrays it meets (NEP 50).

    A Python bool promotes as a NumPy one does, so both are written `bool`.
    """

    python: type

    def __str__(self) -> str:
        return self.python.__name__


@dataclass(frozen=True)
class Promoted:
    """`t | u`: what NumPy promotes these element types to."""

    of: tuple[DTypeTerm, ...]

    def __str__(self) -> str:
        return " | ".join(map(dtype_text, self.of))


@dataclass(frozen=True)
class Floating:
    """`float(t)`: the type that `np.exp` and its like compute in; with `wide`, `quotient(t)`: of `/` and `np.mean`.

    They differ in narrow integers: `np.exp` of int8 is float16, a quotient of int8 is float64.
    """

    of: DTypeTerm
    wide: bool = False

    def __str__(self) -> str:
        return f"{'quotient' if self.wide else 'float'}({dtype_text(self.of)})"


DTypeTerm = DType | DTypeVar | Promoted | Floating | Weak


def dtype_text(dtype: DTypeTerm) -> str:
    """An element type in the shape language: `float32`, `t`, `t | u`."""
    return dtype.name if isinstance(dtype, np.dtype) else str(dtype)


# ---------------------------------------------------------------- types and signatures


@dataclass(frozen=True)
class TypeTerm:
    """`float32 [n, 4]`, `t [*s, n]`: an element type and a shape."""

    dtype: DTypeTerm
    shape: ShapeTerm = ()

    def __str__(self) -> str:
        return f"{dtype_text(self.dtype)} {shape_text(self.shape)}"


@dataclass(frozen=True)
class Condition:
    """`rank(s) = axis`, `k <= size(s)`: what must hold of dims beyond what the shapes say."""

    left: Dim
    op: str
    right: Dim

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"


KINDS: dict[str, frozenset[str]] = {
    "bool": frozenset("b"),
    "integer": frozenset("iu"),
    "float": frozenset("f"),
    "number": frozenset("iuf"),
    "complex": frozenset("c"),
    "discrete": frozenset("biu"),
}
"""Words for sets of kinds of element types, as in `where t is float`."""


@dataclass(frozen=True)
class Signature:
    """`matmul: (t [*s, m, k], t [*s, k, n]) -> t [*s, m, n]`: the types of an operation or a program.

    With `variadic` the last operand stands for any number of operands of that type.  A variable that
    only the results have is decided by the data.
    """

    name: str
    operands: tuple[TypeTerm, ...]
    results: tuple[TypeTerm, ...]
    variadic: bool = False
    conditions: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        operands = [*map(str, self.operands), *([REPEATED] if self.variadic else [])]
        left = operands[0] if len(operands) == 1 else f"({', '.join(operands)})"
        right = str(self.results[0]) if len(self.results) == 1 else f"({', '.join(map(str, self.results))})"
        head = f"{self.name}: " if self.name else ""
        where = ", ".join([*self._kind_texts(), *map(str, self.conditions)])
        return f"{head}{left} -> {right}{' where ' + where if where else ''}"

    def _kind_texts(self) -> list[str]:
        variables = dict.fromkeys(v for t in (*self.operands, *self.results) for v in dtype_variables(t.dtype))
        words = {kinds: word for word, kinds in KINDS.items()}
        return [f"{v} is {words.get(v.kinds) or '/'.join(sorted(v.kinds))}" for v in variables if v.kinds is not None]


# ---------------------------------------------------------------- variables


def dtype_variables(dtype: DTypeTerm) -> Iterator[DTypeVar]:
    """The variables of an element type, in order, with repetitions."""
    if isinstance(dtype, DTypeVar):
        yield dtype
    elif isinstance(dtype, Promoted):
        for part in dtype.of:
            yield from dtype_variables(part)
    elif isinstance(dtype, Floating):
        yield from dtype_variables(dtype.of)


def rank_variables(shape: Sequence[Segment]) -> Iterator[RankVar]:
    """The rank variables of a shape, in order, with repetitions."""
    for segment in shape:
        if isinstance(segment, RankVar):
            yield segment
        elif isinstance(segment, Broadcast):
            for part in segment.shapes:
                yield from rank_variables(part)


def dims_of(shape: Sequence[Segment]) -> Iterator[Dim]:
    """The dims of a shape, those inside broadcasts included."""
    for segment in shape:
        if isinstance(segment, Dim):
            yield segment
        elif isinstance(segment, Broadcast):
            for part in segment.shapes:
                yield from dims_of(part)


def fixed_rank(shape: Sequence[Segment]) -> int | None:
    """How many dims a shape has; None where a part has unknown length."""
    return None if any(isinstance(s, RankVar | Broadcast | Computed) for s in shape) else len(shape)
