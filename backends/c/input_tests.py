"""What a call tests of its inputs in C: classes, element types, ranks and sizes, where these are numbers or names.

x: float64 [n, 3], y: float64 [n], k: int; require 0 < n
    gp_is_array(gp_given[0], gp_types[0], 2) && gp_is_array(gp_given[1], gp_types[0], 1) &&
    gp_class(gp_given[2]) == gp_py.int_class &&
    gp_fields(gp_given[0])->sizes[1] == 3 &&
    gp_fields(gp_given[1])->sizes[0] == gp_fields(gp_given[0])->sizes[0] &&
    0 < gp_fields(gp_given[0])->sizes[0]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from graph_program.extract.types.dims import Dim, Symbol
from graph_program.extract.types.rules.facts import SizeTest
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

LARGEST = 2**31
"""Numbers below are numbers of C without more ado."""


class _NotTestable(Exception):
    """There is a class or a size that C does not look at."""


def input_test(
    types: Sequence[TensorType], sizes: Sequence[SizeTest], type_name: Callable[[np.dtype[Any]], str]
) -> str | None:
    """The condition of C that is true where the inputs fit; None where C cannot say it.

    Parameters
    ----------
    types : sequence of TensorType
        Of the inputs, in order.
    sizes : sequence of SizeTest
        What their sizes must be besides.
    type_name : callable
        What an element type is called.
    """
    try:
        classes = [_class(f"gp_given[{place}]", type_, type_name) for place, type_ in enumerate(types)]
        places: dict[str, str] = {}
        tests = list(_shapes(types, places))
        tests += [_size_test(test, places) for test in sizes]
    except _NotTestable:
        return None
    return " && ".join((*classes, *dict.fromkeys(tests))) or None


def _class(given: str, type_: TensorType, type_name: Callable[[np.dtype[Any]], str]) -> str:
    if type_.kind is Kind.PYTHON and not type_.is_complex:
        return f"gp_class({given}) == gp_py.{type_.python_class.__name__}_class"
    if type_.kind is Kind.ARRAY and type_.rank:
        return f"gp_is_array({given}, {type_name(type_.dtype)}, {type_.rank})"
    raise _NotTestable


def _shapes(types: Sequence[TensorType], places: dict[str, str]) -> Iterator[str]:
    """The tests of sizes that are numbers or names which came before; fills in where a name is first found."""
    for place, type_ in enumerate(types):
        for axis, dim in enumerate(type_.shape):
            text = f"gp_fields(gp_given[{place}])->sizes[{axis}]"
            name = _name(dim)
            if name is None or name in places:
                yield f"{text} == {_dim(dim, places)}"
            else:
                places[name] = text


def _name(dim: Dim) -> str | None:
    match dim.terms:
        case (((Symbol(name),), 1),):
            return name
    return None


def _dim(dim: Dim, places: dict[str, str]) -> str:
    name, number = _name(dim), dim.constant
    if name in places:
        return places[name]
    if number is None or abs(number) >= LARGEST:
        raise _NotTestable
    return str(number)


def _size_test(test: SizeTest, places: dict[str, str]) -> str:
    clauses = [
        " || ".join(f"{_dim(c.left, places)} {c.op} {_dim(c.right, places)}" for c in clause) for clause in test.clauses
    ]
    holds = " && ".join(f"({clause})" for clause in clauses) or "1"
    skipped = "".join(f"{_dim(dim, places)} <= 0 || " for dim in test.when)
    return f"({skipped}({holds}))" if skipped else holds


__all__ = ["input_test"]
