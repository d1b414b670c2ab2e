"""Which lists have a length that no signature fixes: those whose elements are alike."""

from __future__ import annotations

from graph_program.extract.ir.paths import Path, path_name
from graph_program.extract.ir.specs import ArgSpec, ListSpec, RowsSpec, TensorSpec
from graph_program.extract.types.annotation_types import Annotation, ArrayAnnotation, SequenceAnnotation
from graph_program.extract.types.dims import symbol
from graph_program.extract.types.tensor_type import Kind, TensorType


def rows_spec(static: ListSpec, note: Annotation | None, path: Path) -> RowsSpec | None:
    """The spec of a list of any length; None where its elements are not alike.

    An empty list has what its annotation says.
    """
    element = _common(static.elts) if static.elts else _annotated(note)
    if element is None:
        return None
    return RowsSpec(element, symbol(f"{path_name(path)}_0"), static)


def _common(elts: tuple[ArgSpec, ...]) -> ArgSpec | None:
    """The spec that all elements have."""
    first = elts[0]
    if not isinstance(first, TensorSpec) or first.type.kind is Kind.ARRAY:
        return None
    return first if all(e == first for e in elts) else None


def _annotated(note: Annotation | None) -> ArgSpec | None:
    """The spec of the elements that an annotation says."""
    element = note.element if isinstance(note, SequenceAnnotation) else None
    if isinstance(element, ArrayAnnotation) and element.kind is not Kind.ARRAY and element.dtype is not None:
        return TensorSpec(TensorType(element.dtype, (), element.kind))
    return None
