"""What is asked of values everywhere: whether one is known, None, missing on some path, an array, a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import UnionType
from typing import Any, TypeGuard

import numpy as np

from graph_program.extract.stage.values.column_data import SEQUENCES
from graph_program.extract.stage.values.values import (
    UNBOUND,
    DictView,
    Host,
    Iteration,
    Maybe,
    Ref,
    Row,
    Static,
    Tensor,
    Tuple,
    Value,
)


def is_known(value: Value | None) -> TypeGuard[Static]:
    """Whether a value is known."""
    return isinstance(value, Static)


def is_known_as(value: Value, cls: type | UnionType | tuple[type, ...]) -> TypeGuard[Static]:
    """Whether a value is known, and an instance of a class."""
    return isinstance(value, Static) and isinstance(value.value, cls)


def is_just(value: Value, thing: object) -> TypeGuard[Static]:
    """Whether a value is known to be one object, such as None or a function."""
    return isinstance(value, Static) and value.value is thing


def known_value(value: Value | None, otherwise: Any = None) -> Any:
    """The object that a value is known to be, `otherwise` where it is not known."""
    return value.value if isinstance(value, Static) else otherwise


def known_size(value: Value) -> int | None:
    """The int that a value of the graph is, where that is a size that is known."""
    return None if value.size is None else value.size.constant


def is_true(test: Value) -> bool:
    """Whether a truth value is known, and true."""
    return isinstance(test, Static) and bool(test.value)


def is_false(test: Value) -> bool:
    """Whether a truth value is known, and false."""
    return isinstance(test, Static) and not test.value


def are_known(values: Iterable[Value]) -> bool:
    """Whether all values are known."""
    return all(map(is_known, values))


def is_ref_to(value: Value | None, *classes: type) -> TypeGuard[Ref]:
    """Whether a value is a mutable object of one of some classes."""
    return isinstance(value, Ref) and value.cls in classes


def has_contents(value: Value | None) -> TypeGuard[Ref | Row]:
    """Whether a value is an object whose contents the program has, in its heap or in a table."""
    return isinstance(value, Ref | Row)


def is_list(value: Value) -> bool:
    """Whether a value is a list, known or made by the program."""
    return is_ref_to(value, list) or is_known_as(value, list)


def is_list_or_tuple(value: Value) -> bool:
    """Whether a value is a list or tuple, known or made by the program."""
    is_tuple = isinstance(value, Tuple) and not isinstance(value, DictView)
    return is_tuple or is_ref_to(value, *SEQUENCES) or is_known_as(value, SEQUENCES)


def is_plain_tuple(value: Value) -> TypeGuard[Tuple]:
    """Whether a value is a tuple of known length, and no named one."""
    return type(value) is Tuple and value.cls is None


def one_or_many(value: Value) -> tuple[Value, ...]:
    """What a tuple holds, or the one value that stands for it."""
    return value.elts if isinstance(value, Tuple) else (value,)


def one_or_tuple(values: Sequence[Value]) -> Value:
    """The one value, or the tuple of several, as NumPy takes and gives them."""
    return values[0] if len(values) == 1 else Tuple(tuple(values))


def is_array_of_graph(value: Value | None) -> TypeGuard[Tensor]:
    """Whether a value is an array, and not one that is known."""
    return isinstance(value, Tensor) and value.is_array


def has_computed_rows(value: Value) -> TypeGuard[Tensor]:
    """Whether a value is an array whose length only the run tells."""
    return is_array_of_graph(value) and value.rank > 0 and value.type.shape[0].constant is None


def is_of_numpy(value: Value) -> bool:
    """Whether a value is an array or a number of NumPy's, which makes an array of what it is compared with."""
    return not value.is_python if isinstance(value, Tensor) else is_known_as(value, np.ndarray | np.generic)


def is_untold(value: Value) -> TypeGuard[Host]:
    """Whether a value is on the host, and the graph is told nothing of it."""
    return isinstance(value, Host) and value.told is None


def is_optional(value: Value) -> TypeGuard[Maybe]:
    """Whether a value is None on some path, and something else on another."""
    return isinstance(value, Maybe) and value.absent == "none"


def is_partly_set(value: Value | None) -> TypeGuard[Maybe]:
    """Whether some path has set a variable, and another has not."""
    return isinstance(value, Maybe) and value.absent == "unbound"


def is_iteration(value: Value | None, *kinds: str) -> TypeGuard[Iteration]:
    """Whether a value is an iterator that one of some functions gives."""
    return isinstance(value, Iteration) and value.kind in kinds


def is_unbound(value: Value) -> bool:
    """Whether some path has not set a variable."""
    return value is UNBOUND or is_partly_set(value)


def is_none(value: Value) -> bool:
    """Whether it is None on some path."""
    return is_just(value, None) or is_optional(value)


def missing_flag(value: Value, test: Callable[[Value], bool]) -> Value:
    """Whether a value is missing, as a value."""
    return value.is_missing if value.there is not value and test(value) else Static(test(value))


def present_part(value: Value, test: Callable[[Value], bool]) -> Value | None:
    """The value where it is there; None for what never is."""
    if not test(value):
        return value
    return value.value if isinstance(value, Maybe) else None
