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

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.exact_comparisons import may_round
from graph_program.extract.stage.numbers.number_ranges import is_exact
from graph_program.extract.stage.paths.several.each_case import of_each_class
from graph_program.extract.stage.values.choices import one_of_numbers
from graph_program.extract.stage.values.values import Mixed, Static, Tensor, Value, is_numeric, type_of
from graph_program.extract.types.tensors.promotion import ufunc_dtypes
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import FLOAT64, INT64, Kind, TensorType

COMPARED = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
BUILTINS: frozenset[Any] = frozenset([abs, bool, divmod, float, int, isinstance, max, min, pow, round, type])
"""Builtins that take numbers and have no effect."""


def of_each(m: Machine, value: Mixed, answer: Callable[[Value], Value]) -> Value:
    """The answer for the number that it is."""
    return of_each_class(m, value, answer)


Run = Callable[[list[Value], dict[str, Value]], Value]


def distributed(
    m: Machine, function: Any, args: Sequence[Value], keywords: Mapping[str, Value], run: Run
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


def as_integer(m: Machine, value: Value) -> Value:
    """A number that is an integer of one of several classes as an int, where only its value matters."""
    mixed = one_of_numbers(value)
    if mixed is None or any(type_of(v).dtype.kind not in "iu" for v in mixed.values):
        return value
    return of_each(m, mixed, lambda v: m.cast(v, INT64, Kind.PYTHON))


def takes_numbers(function: Any) -> bool:
    """Whether a known function is asked about each number that an argument may be."""
    module = getattr(function, "__module__", None) or ""
    if isinstance(function, np.ufunc) or module == math.__name__ or module.partition(".")[0] == np.__name__:
        return True
    try:
        return function in BUILTINS
    except TypeError:
        return False


CONVERTING = frozenset([np.add, np.subtract, np.multiply, *COMPARED])
"""What Python does with ints as with the floats that they are beside a float; compared are those that are one."""


def of_operands(
    m: Machine, function: np.ufunc | None, a: Value, b: Value, answer: Callable[[Value, Value], Value]
) -> Value | None:
    """What an operation gives for the numbers that its operands are; None where each has one class.

    `function` is what it is for NumPy.
    """
    left, right = one_of_numbers(a), one_of_numbers(b)
    if left is not None:
        plain = _as_operand(m, function, left, b, 0)
        return answer(plain, b) if plain is not None else of_each(m, left, lambda v: answer(v, b))
    if right is not None:
        plain = _as_operand(m, function, right, a, 1)
        return answer(a, plain) if plain is not None else of_each(m, right, lambda v: answer(a, v))
    return None


def _as_operand(m: Machine, function: np.ufunc | None, mixed: Mixed, other: Value, place: int) -> Value | None:
    """The number in the element type that an operation converts it to, if that is one whatever its class is.

    `place` is its place among the operands.  One operation is done then, without a branch.
    """
    if not is_numeric(other) or function in (None, np.power):
        return None
    types = [type_of(v) for v in mixed.values]
    if type_of(other).kind is Kind.PYTHON:
        floats = function in CONVERTING and type_of(other).dtype == FLOAT64
        same = floats and all(t.kind is Kind.PYTHON for t in types)
        same = same and (function not in COMPARED or not any(may_round(v, other) for v in mixed.values))
        return _in_one_type(m, mixed, FLOAT64, Kind.PYTHON) if same else None
    try:
        pairs = [(t, type_of(other)) if place == 0 else (type_of(other), t) for t in types]
        inputs = {ufunc_dtypes(function, pair)[0] for pair in pairs}
    except TypeRuleError:
        return None
    dtype = next(iter(inputs))[place]
    exact = dtype.kind not in "iu" or all(is_exact(v, TensorType(dtype)) for v in mixed.values)
    return _in_one_type(m, mixed, dtype, Kind.NUMPY) if len(inputs) == 1 and exact else None


def _in_one_type(m: Machine, mixed: Mixed, dtype: np.dtype[Any], kind: Kind) -> Tensor:
    assert mixed.selector is not None
    result = m.cast(mixed.values[-1], dtype, kind)
    for case, value in enumerate(mixed.values[:-1]):
        test = m.op("equal", mixed.selector, Static(case))
        result = m.op("where", test, m.cast(value, dtype, kind), result, kind=kind)
    return result


__all__ = ["as_integer", "distributed", "of_each", "of_operands", "one_of_numbers", "takes_numbers"]
