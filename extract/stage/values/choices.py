"""Values that are one of several, depending on the path taken: known things, numbers, arrays and objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from graph_program.extract.records import dataclass
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.structure import choice_of_texts
from graph_program.extract.stage.values.values import (
    ArrayMethod,
    Bound,
    Closure,
    Mixed,
    Partial,
    Ref,
    Static,
    Tensor,
    Text,
    Value,
    is_numeric,
    is_numeric_static,
    type_of,
)
from graph_program.extract.types.tensors.tensor_type import Kind

FUNCTIONS = (Closure, Bound, Partial, ArrayMethod)


def is_function(value: Value) -> bool:
    """Whether a value can be called: one of the program's functions, or a known one."""
    return isinstance(value, FUNCTIONS) or (isinstance(value, Static) and callable(value.value))


@dataclass(frozen=True, eq=False)
class Kept(Mixed):
    """One of some arrays and objects, which are kept apart as a write depends on which one it is."""


def things_of(value: Value) -> Iterator[Value]:
    """All that a value may be."""
    if isinstance(value, Mixed):
        for one in value.values:
            yield from things_of(one)
    else:
        yield value


def one_of_numbers(value: Value) -> Mixed | None:
    """The numbers that a value is one of, if it is a number on every path."""
    if not isinstance(value, Mixed) or value.selector is None or value.grows:
        return None
    return value if all(is_number(v) or one_of_numbers(v) is not None for v in value.values) else None


def is_number(value: Value) -> bool:
    """Whether a value is a number, Python's or NumPy's, and no array."""
    return is_numeric(value) and type_of(value).kind is not Kind.ARRAY


def choice(value: Value) -> Mixed | None:
    """The things that a value is one of, if all are known."""
    found = value if isinstance(value, Mixed) else choice_of_texts(value)
    if found is None or found.selector is None or found.grows:
        return None
    return found if isinstance(found, Kept) or all(map(_is_known, found.values)) else None


def choice_of_known_texts(value: Value) -> Mixed | None:
    """The known texts of which a text is one."""
    return choice(value) if isinstance(value, Text) else None


def is_member(value: Value) -> TypeGuard[Static]:
    """Whether a value is known, and of a subclass of int or float that is not NumPy's."""
    return isinstance(value, Static) and isinstance(value.value, int | float) and not is_numeric_static(value)


def one_of_members(value: Value) -> Mixed | None:
    """The members that a value is one of, depending on the path taken, if it can be nothing else."""
    found = choice(value)
    return found if found is not None and _all_members(found) else None


def _all_members(mixed: Mixed) -> bool:
    return all(is_member(v) or (isinstance(v, Mixed) and _all_members(v)) for v in mixed.values)


def _is_known(value: Value) -> bool:
    known = (isinstance(value, Static) and not is_numeric_static(value)) or isinstance(value, FUNCTIONS)
    return known or isinstance(value, Ref) or choice(value) is not None


def is_object(value: Value) -> TypeGuard[Ref | Tensor]:
    """Whether it is an array or object, which others may have as well."""
    return isinstance(value, Ref) or is_array_of_graph(value)


def one_of_objects(value: Value) -> Mixed | None:
    """The arrays and objects that a value is one of."""
    found = choice(value)
    return found if found is not None and all(is_object(v) or one_of_objects(v) for v in found.values) else None
