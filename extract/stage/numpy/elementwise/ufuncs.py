"""NumPy's ufuncs as functions: one operation each, or a combination of a few.

np.add(x, y, dtype=np.float32)   ->   add(cast(x, float32), cast(y, float32))
np.logical_and(x, y)             ->   bitwise_and(not_equal(x, 0), not_equal(y, 0))
np.deg2rad(x)                    ->   multiply(x, 0.017453292519943295)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from graph_program.extract.library import neighbours
from graph_program.extract.library.arrays import integers, ufuncs
from graph_program.extract.stage.arrays.lowering_arguments import (
    array,
    as_bool,
    dtype_error,
    dtype_of,
    evaluated,
    is_given,
    kind_of,
    number,
    own_array,
    refuse_given,
    takes,
    u,
    value_error,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic, bfloat16_operations, complex_numbers
from graph_program.extract.stage.numpy.outputs import require_broadcast, targets, ufunc_results
from graph_program.extract.stage.operations.known_and_truth import numeric, static, tensor
from graph_program.extract.stage.values.questions import one_or_many, one_or_tuple
from graph_program.extract.stage.values.values import Tensor, Tuple, Value, type_of
from graph_program.extract.types.tensors.promotion import ufunc_dtypes, weak_dtype
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import BOOL
from graph_program.tensor_api.numpy_names import LOGICAL, UFUNCS

Compute = Callable[[Machine, np.ufunc, Sequence[Value], "np.dtype[Any] | None"], Value]
"""`compute(m, ufunc, operands, dtype)`."""


UNINITIALISED = "without `out=` the other elements are whatever was in memory; give one, or use np.where"


def register(ufunc: np.ufunc, compute: Compute) -> None:
    """Register a ufunc of one or two operands; `compute` sees its operands and `dtype=`."""

    def run(m: Machine, operands: Sequence[Value], out: Value, where: Value, dtype: Value, casting: Value) -> Value:
        operands = [own_array(m, x) for x in operands]
        if is_given(casting):
            require_casting(m, ufunc, operands, dtype_of(m, dtype), casting)
        found = targets(m, out, ufunc.nout)
        if found is not None:
            require_broadcast(m, operands, found, where)
            result = compute(m, ufunc, operands, dtype_of(m, dtype))
            return ufunc_results(m, ufunc.__name__, result, found, where, casting)
        refuse_given(m, f"np.{ufunc.__name__}", UNINITIALISED, where=where)
        given = {"dtype": dtype} if is_given(dtype) else {}
        return evaluated(m, ufunc, operands, given) or compute(m, ufunc, operands, dtype_of(m, dtype))

    if ufunc.nin == 1:

        @lowers(ufunc, name=f"np.{ufunc.__name__}")
        @takes("x, /, out=None, *, where=True, casting=None, order=None, dtype=None, subok=True")
        def unary(m: Machine, x: Value, out: Value, where: Value, casting: Value, dtype: Value) -> Value:
            return run(m, (x,), out, where, dtype, casting)

    else:

        @lowers(ufunc, name=f"np.{ufunc.__name__}")
        @takes("x1, x2, /, out=None, *, where=True, casting=None, order=None, dtype=None, subok=True")
        def binary(m: Machine, x1: Value, x2: Value, out: Value, where: Value, casting: Value, dtype: Value) -> Value:
            return run(m, (x1, x2), out, where, dtype, casting)


# ---------------------------------------------------------------- promotion


def promoted(
    m: Machine, ufunc: np.ufunc, operands: Sequence[Value], dtype: np.dtype[Any] | None = None
) -> list[Tensor]:
    """Operands in the element types of the loop that NumPy would choose."""
    values = [numeric(m, v) for v in operands]
    types = [type_of(v) for v in values]
    if dtype is None:
        inputs, _ = m.by_rule(ufunc_dtypes, ufunc, types)
    else:
        inputs = m.by_rule(loop_inputs, ufunc, tuple(weak_dtype(t) for t in types), dtype)
    return [arithmetic.convert(m, v, d) for v, d in zip(values, inputs, strict=True)]


def require_casting(
    m: Machine, ufunc: np.ufunc, operands: Sequence[Value], dtype: np.dtype[Any] | None, casting: Value
) -> None:
    """NumPy's errors for a casting rule that is none, or does not allow the operands."""
    types = [weak_dtype(type_of(numeric(m, v))) for v in operands]
    signature = (*(None,) * ufunc.nin, *(dtype,) * ufunc.nout)
    rule: Any = static(m, casting, "the casting rule")
    try:
        ufunc.resolve_dtypes((*types, *(None,) * ufunc.nout), signature=signature, casting=rule)
    except ValueError as error:
        raise value_error(m, str(error)) from None
    except TypeError as error:
        raise m.type_error(TypeRuleError("dtype", str(error))) from None


@lru_cache(maxsize=1024)
def loop_inputs(ufunc: np.ufunc, operands: tuple[Any, ...], dtype: np.dtype[Any]) -> tuple[np.dtype[Any], ...]:
    """The input types of the loop whose result is `dtype`."""
    signature = (*(None,) * ufunc.nin, *(dtype,) * ufunc.nout)
    try:
        resolved = ufunc.resolve_dtypes((*operands, *(None,) * ufunc.nout), signature=signature)
    except TypeError as error:
        raise TypeRuleError("dtype", str(error)) from None
    return tuple(resolved[: ufunc.nin])


def operation(m: Machine, ufunc: np.ufunc, operands: Sequence[Value], dtype: np.dtype[Any] | None) -> Value:
    """A ufunc that is one operation."""
    if dtype is None and ufunc not in ROUNDING:
        return u(m, ufunc, *operands)
    cast = promoted(m, ufunc, operands, dtype)
    if ufunc in ROUNDING and cast[0].type.dtype.kind in "biu":
        return fresh(m, cast[0])
    return m.op(UFUNCS[ufunc], *cast, kind=result_kind(*cast))


ROUNDING = {np.floor, np.ceil, np.trunc}
"""Ufuncs that leave integers as they are."""


def result_kind(*operands: Tensor) -> Any:
    """An array, or a NumPy scalar where all operands are of rank 0."""
    return kind_of(max(v.rank for v in operands))


def fresh(m: Machine, x: Tensor) -> Tensor:
    """A ufunc's result with the same elements: a new array, or a NumPy scalar."""
    return m.copied(x) if x.rank else m.reclassed(x, kind_of(0))


def logical(m: Machine, ufunc: np.ufunc, operands: Sequence[Value], dtype: np.dtype[Any] | None) -> Value:
    """`np.logical_and` and the like."""
    if dtype not in (None, BOOL):
        raise dtype_error(
            m, f"No loop matching the specified signature and casting was found for ufunc {ufunc.__name__}"
        )
    values = [as_bool(m, v) for v in operands]
    return m.op(LOGICAL[ufunc], *values, kind=result_kind(*values))


# ---------------------------------------------------------------- combinations

Body = Callable[..., Value]


def composed(*ufuncs: np.ufunc) -> Callable[[Body], Body]:
    """Register `body(m, *operands)`, whose operands have the element types of NumPy's loop."""

    def decorate(body: Body) -> Body:
        def compute(m: Machine, ufunc: np.ufunc, operands: Sequence[Value], dtype: np.dtype[Any] | None) -> Value:
            return bfloat16_operations.by_way_of_float32(m, body, promoted(m, ufunc, operands, dtype))

        for ufunc in ufuncs:
            register(ufunc, compute)
        return body

    return decorate


def by_program(program: Callable[..., Any]) -> Body:
    """A body that a program over arrays is, of one result or several."""

    def body(m: Machine, *operands: Tensor) -> Value:
        found = entries.run(m, program, *(array(m, x) for x in operands))
        return one_or_tuple([m.reclassed(tensor(m, v), result_kind(*operands)) for v in one_or_many(found)])

    return body


def same(m: Machine, x: Tensor, value: float) -> Tensor:
    """A constant of an operand's element type."""
    return number(m, value, x.type.dtype)


@composed(np.conjugate)
def conjugate(m: Machine, x: Tensor) -> Value:
    return complex_numbers.conjugate(m, x, result_kind(x)) if x.type.is_complex else fresh(m, x)


composed(np.positive)(fresh)
composed(np.fabs)(lambda m, x: u(m, np.absolute, x))
composed(np.square)(lambda m, x: u(m, np.multiply, x, x))
composed(np.deg2rad, np.radians)(lambda m, x: u(m, np.multiply, x, same(m, x, math.pi / 180)))
composed(np.rad2deg, np.degrees)(lambda m, x: u(m, np.multiply, x, same(m, x, 180 / math.pi)))


composed(np.float_power)(lambda m, x, y: u(m, np.power, x, y))


composed(np.divmod)(lambda m, x, y: Tuple((u(m, np.floor_divide, x, y), u(m, np.remainder, x, y))))


PROGRAMS: dict[np.ufunc, Callable[..., Any]] = {
    np.heaviside: ufuncs.heaviside,
    np.logaddexp2: ufuncs.logaddexp2,
    np.modf: ufuncs.modf,
    np.frexp: integers.frexp,
    np.ldexp: ufuncs.ldexp,
    np.gcd: integers.gcd,
    np.lcm: integers.lcm,
    np.bitwise_count: integers.bitwise_count,
    np.nextafter: neighbours.nextafter,
    np.spacing: neighbours.spacing,
}
"""Those that are programs over arrays."""
for _ufunc, _program in PROGRAMS.items():
    composed(_ufunc)(by_program(_program))
for _ufunc in UFUNCS:
    register(_ufunc, operation)
for _ufunc in LOGICAL:
    register(_ufunc, logical)
