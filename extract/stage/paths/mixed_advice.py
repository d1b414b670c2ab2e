"""What to write where a value is of different kinds on different paths, by what these are.

0 and float64           0.0 or np.float32(0) instead of 0
int and float64 [n]     an array on every path, such as np.zeros(...) instead of 0
tuple and tuple         as many elements on every path
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graph_program.extract.stage.values.choices import is_function, things_of
from graph_program.extract.stage.values.column_data import SEQUENCES
from graph_program.extract.stage.values.questions import is_known_as, is_ref_to
from graph_program.extract.stage.values.values import Mixed, Ref, Tuple, Value, is_numeric, type_of


def advice(mixed: Mixed) -> str:
    """The hint of a refusal of this value."""
    things = list(things_of(mixed))
    return next(text for fits, text in HINTS if all(map(fits, things)))


def _is_number(value: Value) -> bool:
    return is_numeric(value) and type_of(value).rank == 0


def _is_array(value: Value) -> bool:
    return is_numeric(value) and type_of(value).rank > 0


def _is_structure(value: Value) -> bool:
    known = is_known_as(value, list | tuple | dict)
    return known or isinstance(value, Tuple) or is_ref_to(value, *SEQUENCES, dict)


def _is_object(value: Value) -> bool:
    return isinstance(value, Ref)


HINTS: Sequence[tuple[Callable[[Value], bool], str]] = (
    (_is_number, "give it the same type on every path, for example by writing 0.0 or np.float32(0) instead of 0"),
    (_is_array, "give it the same rank and element type on every path, for example with keepdims=True or astype"),
    (is_numeric, "make it an array of one rank on every path, for example by writing np.zeros(...) instead of 0"),
    (_is_structure, "give it the same elements on every path: as many, under the same keys, of the same types"),
    (is_function, "call it in each of the branches that choose it"),
    (_is_object, "use it in the branches where it is made, or behind a test of its class with isinstance"),
    (lambda *_: True, "use it in the branches where it is set, or give it the same type on every path"),
)
"""Hints for values of which all are such; the first that fits."""
