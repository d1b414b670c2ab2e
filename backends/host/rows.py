"""Lists of any length to columns: one array for each number or array in their elements.

    [(1.0, 2), (3.0, 4)]        [1.0, 3.0]  [2, 4]

It goes attribute by attribute, not element by element, so that what is done for each element is done in C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from graph_program.extract.ir.paths import ROW, Path
from graph_program.extract.ir.specs import ArgSpec, RowsSpec, TensorSpec
from graph_program.extract.types.tensor_type import Kind, TensorType

Array = np.ndarray[Any, Any]
Columns = list[Array]


class Misfit(Exception):
    """An element is another one than the signature has."""


def packer(spec: RowsSpec, checked: bool) -> Callable[[Any], Columns | None]:
    """What makes columns of a list; with `checked`, None of one that is another than the signature has."""

    def pack(elements: list[Any]) -> Columns:
        return list(_packed(elements, spec.element, checked))

    def checking(elements: Any) -> Columns | None:
        if type(elements) is not list:
            return None
        try:
            return pack(elements)
        except (Misfit, OverflowError):
            return None

    return checking if checked else pack


def columns(spec: RowsSpec, path: Path) -> list[tuple[Path, TensorType]]:
    """The places and types of the columns, in the order in which they are packed."""
    return list(_columns(spec.element, (*path, ROW), spec))


def _columns(element: ArgSpec, path: Path, rows: RowsSpec) -> Iterator[tuple[Path, TensorType]]:
    assert isinstance(element, TensorSpec)
    yield path, TensorType(element.type.dtype, (rows.length, *element.type.shape), Kind.ARRAY)


def _packed(values: Sequence[Any], spec: ArgSpec, checked: bool) -> Iterator[Array]:
    assert isinstance(spec, TensorSpec)
    yield _numbers(values, spec.type, checked)


def _numbers(values: Sequence[Any], type_: TensorType, checked: bool) -> Array:
    cls = type_.python_class if type_.kind is Kind.PYTHON else type_.dtype.type
    if checked and not {cls}.issuperset(map(type, values)):
        raise Misfit
    return np.fromiter(values, type_.dtype, len(values))
