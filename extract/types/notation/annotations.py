"""What an annotation says about a value: arrays (jaxtyping's and ours), NumPy classes, numbers, containers.

`annotation_reading` makes these descriptions of annotation objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim, symbol
from graph_program.extract.types.notation.dims_strings import Entry
from graph_program.extract.types.notation.terms import RankVar
from graph_program.extract.types.tensors.bfloat16 import is_bfloat16
from graph_program.extract.types.tensors.element_types import DType, of_kinds
from graph_program.extract.types.tensors.tensor_type import Kind


@dataclass(frozen=True)
class ArrayAnnotation:
    """An array or a number; prints as in the shape language, `float32 [*batch, n]`.

    Attributes
    ----------
    dtypes : frozenset of dtype, or None
        The element types allowed; None allows any.
    dims : tuple of Dim, RankVar or None, or None
        Sizes of the axes, None for one that may be anything, a `RankVar` for any number of axes
        (without a name where the annotation gives none); None as a whole: any shape.
    kind : Kind
        The class of the value.
    word : str
        How the element types are called: `float32`, `float`; a variable's name if it is one.
    variable : str or None
        The element type variable: it stands for the same type everywhere in the signature.
    """

    dtypes: frozenset[DType] | None
    dims: tuple[Entry, ...] | None
    kind: Kind = Kind.ARRAY
    word: str = ""
    variable: str | None = None

    @property
    def dtype(self) -> DType | None:
        """The one element type allowed, if it is one."""
        return next(iter(self.dtypes)) if self.dtypes is not None and len(self.dtypes) == 1 else None

    def allows(self, dtype: DType) -> bool:
        """Whether an array may have this element type; bfloat16 is a float where every float is allowed."""
        if self.dtypes is None or dtype in self.dtypes:
            return True
        return is_bfloat16(dtype) and of_kinds("f") <= self.dtypes

    @property
    def parts(self) -> tuple[RankVar, ...]:
        """The entries that stand for any number of axes."""
        return tuple(e for e in self.dims or () if isinstance(e, RankVar))

    @property
    def is_promise(self) -> bool:
        """Whether it says something of an array; what it says of numbers is a hint, as it is to Python."""
        return self.kind is Kind.ARRAY and (self.dtypes is not None or self.dims is not None)

    @property
    def text(self) -> str:
        """The annotation in the shape language."""
        if self.kind is not Kind.ARRAY:
            return self.word
        if self.dims is None:
            return f"{self.word} [...]" if self.dtypes is not None else "np.ndarray"
        return f"{self.word or 'np.ndarray'} [{', '.join(map(entry_text, self.dims))}]"

    def __str__(self) -> str:
        return self.text

    def dims_for(self, rank: int, ranks: Mapping[str, int]) -> tuple[Dim | None, ...] | None:
        """The dims of a value of this rank; None if it cannot have it.

        `ranks` has the number of axes of each part: of those with a name by name, of the others by
        their position in `dims` as text.  What one part alone leaves open is what the rank leaves.
        """
        if self.dims is None:
            return (None,) * rank
        fixed = len(self.dims) - len(self.parts)
        left = rank - fixed - sum(ranks.get(part_key(e, i), 0) for i, e in enumerate(self.dims))
        dims: list[Dim | None] = []
        for i, entry in enumerate(self.dims):
            if not isinstance(entry, RankVar):
                dims.append(entry)
                continue
            known = ranks.get(part_key(entry, i))
            count, left = (left, 0) if known is None else (known, left)
            dims += [symbol(f"{entry.name}_{k}") if entry.name else None for k in range(count)]
        return tuple(dims) if left == 0 and len(dims) == rank else None


def part_key(entry: Entry, position: int) -> str:
    """What names a part of unknown length: its name, or its position; "" for a single dim."""
    return (entry.name or str(position)) if isinstance(entry, RankVar) else ""


def entry_text(entry: Entry) -> str:
    """One entry in the shape language."""
    if isinstance(entry, RankVar):
        return str(entry) if entry.name else "..."
    return "_" if entry is None else str(entry)


@dataclass(frozen=True)
class TupleAnnotation:
    """A tuple of known length, or a named tuple of class `cls`."""

    elts: tuple[Annotation | None, ...]
    cls: type | None = None


@dataclass(frozen=True)
class SequenceAnnotation:
    """A list, or a tuple of any length, of like elements; `size` is its length if that has a name."""

    element: Annotation | None
    size: Dim | None = None
    is_list: bool = False


@dataclass(frozen=True)
class DictAnnotation:
    """A dict of like values."""

    value: Annotation | None


@dataclass(frozen=True)
class RecordAnnotation:
    """A dataclass; what its fields are is read when asked for (`record_fields`), since classes may be recursive."""

    cls: type


@dataclass(frozen=True)
class StaticAnnotation:
    """A value known at extraction: `str`, `None`, a callable, an enum, `Static[T]`.

    `values` are the only ones allowed, where the annotation says (`None`, `Literal[...]`).
    `forced` is set by `Static[T]`, which also makes numbers static.
    """

    values: tuple[Any, ...] | None = None
    forced: bool = False


@dataclass(frozen=True)
class UnionAnnotation:
    """One of several; `by_default` where a field is None by its default alone, `x: float = None`."""

    options: tuple[Annotation | None, ...]
    by_default: bool = False


Annotation = (
    ArrayAnnotation
    | TupleAnnotation
    | SequenceAnnotation
    | DictAnnotation
    | RecordAnnotation
    | StaticAnnotation
    | UnionAnnotation
)
