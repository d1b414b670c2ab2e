"""Methods of ufuncs: `np.add.reduce`, `np.maximum.accumulate`, `np.multiply.outer`, `np.add.at`."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arrays import writing as programs
from graph_program.extract.stage.arrays import alias
from graph_program.extract.stage.arrays.lowering_arguments import (
    array,
    call,
    checked_axis,
    dtype_of,
    is_given,
    u,
    value_error,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import FUNCTIONS, lowers
from graph_program.extract.stage.numpy.outputs import target_of
from graph_program.extract.stage.operations.known_and_truth import static
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Value
from graph_program.tensor_api.numpy_names import ACCUMULATIONS, REDUCTIONS, UFUNCS

ZERO = Static(0)


def ufunc_method(m: Machine, ufunc: np.ufunc, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`ufunc.name(*args, **keywords)`.

    Raises
    ------
    UnsupportedError
        For a method without a graph form (GP321).
    """
    if name == "at" and not keywords:
        return at(m, ufunc, args)
    table = {"reduce": REDUCTIONS, "accumulate": ACCUMULATIONS}.get(name, {})
    if ufunc in table and len(args) + len(keywords) <= 3:
        # These reduce the first axis unless told otherwise, where np.sum and the others take all.
        if len(args) < 2 and "axis" not in keywords:
            keywords = {**keywords, "axis": ZERO}
        return call(m, getattr(np, table[ufunc]), *args, **keywords)
    if name == "reduce" and folds(ufunc) and 1 <= len(args) <= 2 and set(keywords) <= {"axis"}:
        return fold(m, ufunc, args[0], args[1] if len(args) == 2 else keywords.get("axis", ZERO))
    if name == "accumulate" and folds(ufunc) and 1 <= len(args) <= 3 and set(keywords) <= {"axis", "dtype"}:
        return accumulate(m, ufunc, *args, **keywords)
    if name == "reduceat" and folds(ufunc) and 2 <= len(args) <= 4 and set(keywords) <= {"axis", "dtype"}:
        return reduceat(m, ufunc, *args, **keywords)
    if name == "outer" and ufunc in FUNCTIONS and len(args) == 2 and not keywords:
        left, right = array(m, args[0]), array(m, args[1])
        if right.rank:
            left = m.op("expand_dims", left, axes=tuple(range(left.rank, left.rank + right.rank)))
        return u(m, ufunc, left, right) if ufunc in UFUNCS else call(m, ufunc, left, right)
    raise m.error(
        "GP321",
        f"np.{ufunc.__name__}.{name} has no graph form",
        hint="use the function over a whole axis, such as np.sum, or write a loop",
    )


def folds(ufunc: np.ufunc) -> bool:
    """Whether a ufunc takes a result and one more element, and gives a result."""
    return ufunc in FUNCTIONS and ufunc.nin == 2 and ufunc.nout == 1 and ufunc.signature is None


def fold(m: Machine, ufunc: np.ufunc, a: Value, axis: Value) -> Value:
    """`ufunc.reduce(a, axis)`, one part of the axis after the other."""
    x, along = array(m, a), static(m, axis, "an axis")
    if isinstance(along, tuple):
        raise m.error("GP321", f"np.{ufunc.__name__}.reduce has a graph form for one axis", hint="reduce one by one")
    if along is not None and not x.rank:
        raise m.error("GP302", "cannot reduce on a scalar")
    place = None if along is None else checked_axis(m, along, x.rank)
    parts, identity = in_result_type(m, ufunc, x), ufunc.identity
    if identity is not None:  # -1, of which NumPy makes ones everywhere, is no unsigned integer
        identity = np.asarray(identity).astype(parts.type.dtype)[()]
    return entries.run(m, programs.folded, Static(ufunc), parts, Static(place), Static(identity))


def in_result_type(m: Machine, ufunc: np.ufunc, x: Tensor, dtype: Value = NONE) -> Tensor:
    """An array in the element type of results that take one element after the other in."""
    wanted = dtype_of(m, dtype) if is_given(dtype) else None
    try:
        found = ufunc.resolve_dtypes((wanted, x.type.dtype, wanted), reduction=True)[0]
    except TypeError as error:
        raise m.error("GP302", str(error)) from None
    return m.cast(x, found)


ASSOCIATIVE = {
    *(np.maximum, np.minimum, np.fmax, np.fmin, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.gcd, np.lcm),
    *(np.logical_and, np.logical_or, np.logical_xor),
}
"""For which partial results may be made of partial results."""


def accumulate(m: Machine, ufunc: np.ufunc, a: Value, axis: Value = ZERO, dtype: Value = NONE) -> Value:
    """`ufunc.accumulate(a, axis)`: the results on the way."""
    x, place = _along(m, ufunc, "accumulate", a, axis)
    program = programs.accumulated_by_doubling if ufunc in ASSOCIATIVE else programs.accumulated
    return entries.run(m, program, Static(ufunc), in_result_type(m, ufunc, x, dtype), Static(place))


def reduceat(m: Machine, ufunc: np.ufunc, a: Value, indices: Value, axis: Value = ZERO, dtype: Value = NONE) -> Value:
    """`ufunc.reduceat(a, indices, axis)`: the results of parts of the axis."""
    x, place = _along(m, ufunc, "reduceat", a, axis)
    at = array(m, indices)
    if at.rank != 1:
        text = "object of too small depth for desired array"
        raise value_error(m, text if not at.rank else "object too deep for desired array")
    return entries.run(m, programs.reduced_at, Static(ufunc), in_result_type(m, ufunc, x, dtype), at, Static(place))


def _along(m: Machine, ufunc: np.ufunc, method: str, a: Value, axis: Value) -> tuple[Tensor, int]:
    """The array and the axis along which a method goes."""
    x, along = array(m, a), static(m, axis, "an axis")
    if not x.rank:
        raise m.error("GP302", f"cannot {method} on a scalar")
    one = along[0] if isinstance(along, tuple) and len(along) == 1 else 0 if along is None else along
    if isinstance(one, tuple) or (along is None and x.rank != 1):
        raise value_error(m, f"{method} does not allow multiple axes")
    return x, checked_axis(m, one, x.rank)


def at(m: Machine, ufunc: np.ufunc, args: list[Value]) -> Value:
    """`ufunc.at(a, indices)` or `ufunc.at(a, indices, b)`: once for each time that an element is named."""
    if ufunc not in FUNCTIONS or not 2 <= len(args) <= 3:
        raise m.error("GP321", f"np.{ufunc.__name__}.at has no graph form", hint="write a loop")
    target = target_of(m, args[0], "first operand must be array")
    alias.require_writable(m, target)
    if (ufunc.nin == 1) == (len(args) == 3):
        needed = "second operand needed for ufunc" if ufunc.nin == 2 else "second operand provided when ufunc is unary"
        raise value_error(m, needed)
    if ufunc.nin == 1:
        return entries.run(m, programs.change_at, Static(ufunc), target, args[1])
    values = array(m, args[2])
    if ufunc is np.add and adds_exactly(array(m, target).type.dtype, values.type.dtype):
        return entries.run(m, programs.add_at, target, args[1], values)
    return entries.run(m, programs.combine_at, Static(ufunc), target, args[1], values)


def adds_exactly(target: np.dtype[Any], values: np.dtype[Any]) -> bool:
    """Whether values can be cast before they are added: NumPy adds in the common type and casts each sum."""
    if target.kind not in "iuf" or values.kind not in "biuf" or (target.itemsize < 4 and target.kind == "f"):
        return False
    integers = target.kind in "iu" and values.kind in "iu" and np.can_cast(values, target, "same_kind")
    return integers or np.result_type(target, values) == target


@lowers(programs.added)
def added(m: Machine, x: Value, indices: Value, values: Value) -> Value:
    """The operation that adds values at positions of a vector."""
    target = array(m, x)
    return m.op("scatter_add", target, m.cast(array(m, values), target.type.dtype), array(m, indices))
