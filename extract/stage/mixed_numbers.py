"""Numbers whose class depends on the path taken, such as `max(0, x)`: an int or a float.

    u = max(0, x)       case := 0 or 1
    v = 2.0 * u    ->   v := 2.0 * 0 if case is 0 else 2.0 * x

An operation is done for each class that the number may have, and the results are merged.  Where they are
of several classes again, there is one value of each class, whatever the number of operations before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.extract.stage.caught import of_each_class
from graph_program.extract.stage.join_choices import one_of_numbers
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.values import Mixed, Static, Value, type_of
from graph_program.extract.types.tensor_type import Kind, TensorType

BUILTINS: frozenset[Any] = frozenset([abs, bool, divmod, float, int, isinstance, max, min, pow, round, type])
"""Builtins that take numbers and have no effect."""


def of_each(m: Machine, value: Mixed, answer: Callable[[Value], Value]) -> Value:
    """The answer for the number that it is."""
    return _one_of_each_class(m, of_each_class(m, value, answer))


def _one_of_each_class(m: Machine, value: Value) -> Value:
    """The same number with one alternative for each class that it may have."""
    mixed = one_of_numbers(value)
    if mixed is None or not any(isinstance(v, Mixed) for v in mixed.values):
        return value
    types = list(dict.fromkeys(_types(mixed)))
    case = of_each_class(m, mixed, lambda v: Static(types.index(type_of(v))))
    values = [of_each_class(m, mixed, lambda v, t=t: _of_class(v, t)) for t in types]  # type: ignore[misc]
    locs = tuple(v.loc for v in values if not isinstance(v, Static))  # type: ignore[attr-defined]
    return Mixed(tuple(values), locs, " and ".join(map(str, types)), None, m.cast(case, np.dtype(np.int64)))


def _types(mixed: Mixed) -> list[TensorType]:
    """The classes that a number may have, and element types."""
    return [t for v in mixed.values for t in (_types(v) if isinstance(v, Mixed) else [type_of(v)])]


def _of_class(value: Value, type_: TensorType) -> Value:
    """The number where it has this class; any of the class otherwise."""
    cls = type_.python_class if type_.kind is Kind.PYTHON else type_.dtype.type
    return value if type_of(value) == type_ else Static(cls(0))


def distributed(
    m: Machine,
    function: Any,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    run: Callable[[list[Value], dict[str, Value]], Value],
) -> Value | None:
    """A call of a function of numbers, for each class that an argument may have; None where they have one."""
    if not takes_numbers(function):
        return None
    for i, arg in enumerate(args):
        mixed = one_of_numbers(arg)
        if mixed is not None:
            return of_each(m, mixed, lambda one, i=i: run([*args[:i], one, *args[i + 1 :]], {**keywords}))  # type: ignore[misc]
    for name, arg in keywords.items():
        mixed = one_of_numbers(arg)
        if mixed is not None:
            return of_each(m, mixed, lambda one, name=name: run([*args], {**keywords, name: one}))  # type: ignore[misc]
    return None


def takes_numbers(function: Any) -> bool:
    """Whether a known function is asked about each number that an argument may be."""
    module = getattr(function, "__module__", None) or ""
    if isinstance(function, np.ufunc) or module == math.__name__ or module.partition(".")[0] == np.__name__:
        return True
    try:
        return function in BUILTINS
    except TypeError:
        return False


__all__ = ["distributed", "of_each", "one_of_numbers", "takes_numbers"]
