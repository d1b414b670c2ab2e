"""Operations of bfloat16: computed in float32 and rounded once, as `ml_dtypes` does.

c = a * b               ->      c = cast(multiply(cast(a, float32), cast(b, float32)), bfloat16)
s = sum(a)              ->      s = 0; for row in a: s = s + row          (rounded after each addition)
c = maximum(a, b)       ->      the same: there is nothing to round

`emission.operation` asks here for every operation with a bfloat16 operand, so that none is done another way.
What is left of bfloat16 are conversions, and operations that give numbers of their operands; `slice/bfloat16`
then keeps these numbers as float32, so that nothing behind it has to know of bfloat16.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graph_program.extract import diagnostics
from graph_program.extract.library import bfloat16 as programs
from graph_program.extract.stage.machine import emission
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.numbers.arithmetic import arithmetic
from graph_program.extract.stage.values.questions import one_or_many, one_or_tuple
from graph_program.extract.stage.values.values import Static, Tensor, Value, type_of
from graph_program.extract.types.tensors.bfloat16 import FLOAT32, bfloat16
from graph_program.extract.types.tensors.tensor_type import Kind

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine

MOVING = frozenset(
    [
        *("broadcast_to", "concatenate", "expand_dims", "reshape", "squeeze", "transpose"),
        *("gather_nd", "scatter_nd", "set_index", "set_slice", "slice", "take"),
        *("cast", "dim", "full", "where"),
    ]
)
"""Operations that give elements of their operands."""
EXACT = frozenset(
    [
        *("absolute", "ceil", "copysign", "floor", "negative", "rint", "trunc"),
        *("argmax", "argmin", "argsort", "fmax", "fmin", "max", "maximum", "min", "minimum", "sort"),
        *("equal", "greater", "greater_equal", "less", "less_equal", "not_equal"),
        *("isfinite", "isinf", "isnan", "signbit"),
    ]
)
"""Operations whose results need no rounding."""
ROUNDED = frozenset(
    [
        *("add", "divide", "floor_divide", "fmod", "matmul", "multiply", "reciprocal", "remainder", "subtract"),
        *("cbrt", "exp", "exp2", "expm1", "hypot", "log", "log10", "log1p", "log2", "logaddexp", "power", "sqrt"),
        *("arccos", "arcsin", "arctan", "arctan2", "cos", "sin", "tan"),
        *("arccosh", "arcsinh", "arctanh", "cosh", "sinh", "tanh"),
    ]
)
"""Operations that are computed in float32 and rounded; sums of products are rounded at their end, as by `np.dot`."""


def concerns(name: str, operands: Sequence[Value]) -> bool:
    """Whether an operation is to be done here."""
    return name not in MOVING and name not in EXACT and any(type_of(v).is_bfloat16 for v in operands)


@emission.of_bfloat16.given
def operation(
    m: Machine, name: str, operands: Sequence[Value], attrs: Mapping[str, Any], kind: Kind, hint: str
) -> Tensor | None:
    if not concerns(name, operands):
        return None
    if name in _PROGRAMS:
        return m.reclassed(_PROGRAMS[name](m, operands[0], **attrs), kind)
    if name not in ROUNDED:
        raise refused(m, f"'{name}'")
    wide = [m.cast(v, FLOAT32) if type_of(v).is_bfloat16 else v for v in operands]
    return m.cast(emission.operation(m, name, wide, attrs, kind, hint), bfloat16(), kind)


def refused(m: Machine, what: str) -> diagnostics.GraphProgramError:
    """The refusal of what has no graph form in bfloat16."""
    return m.error(
        "GP581",
        f"{what} of bfloat16 has no graph form",
        hint="compute it in float32: x.astype(np.float32) has the same numbers, and .astype(x.dtype) rounds the result",
    )


def by_way_of_float32(m: Machine, function: Callable[..., Value], operands: Sequence[Tensor]) -> Value:
    """What a function of several operations gives, computed in float32 as a whole where an operand is bfloat16."""
    if not any(v.type.is_bfloat16 for v in operands):
        return function(m, *operands)
    found = function(m, *(m.cast(v, FLOAT32) if v.type.is_bfloat16 else v for v in operands))
    return one_or_tuple([_rounded(m, v) for v in one_or_many(found)])


def _rounded(m: Machine, value: Value) -> Value:
    return m.cast(value, bfloat16()) if type_of(value).dtype == FLOAT32 else value


# ---------------------------------------------------------------- one after the other


def _sign(m: Machine, x: Value) -> Tensor:
    """-1, 1, and what is neither less nor greater than 0 as it is: NaN, and -0.0 with its sign."""
    zero, one = (m.constant(programs.number(value)) for value in (0, 1))
    below = m.op("where", m.op("less", x, zero), m.op("negative", one), x)
    return m.op("where", m.op("greater", x, zero), one, below)


def _run(m: Machine, program: Any, x: Value) -> Tensor:
    return entries.tensor(m, entries.run(m, program, x))


def _of_axes(program: Any) -> Callable[..., Tensor]:
    """A reduction over axes, in the order of the elements, by a program that adds up the rows of a matrix."""

    def run(m: Machine, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
        axes = tuple(axis % x.rank for axis in axes)
        kept = [i for i in range(x.rank) if i not in axes]
        sizes = [m.dimension(x, i) for i in kept]
        rows = _as_matrix(m, m.op("transpose", x, perm=(*sorted(axes), *kept)) if x.rank else x, len(axes))
        result = m.op("reshape", _run(m, program, rows), *sizes)
        return m.op("expand_dims", result, axes=tuple(sorted(axes))) if keepdims and axes else result

    return run


def _along_axis(program: Any) -> Callable[..., Tensor]:
    """A running sum along an axis."""

    def run(m: Machine, x: Tensor, axis: int) -> Tensor:
        first = (axis % x.rank, *(i for i in range(x.rank) if i != axis % x.rank))
        moved = m.op("transpose", x, perm=first)
        sizes = [m.dimension(moved, i) for i in range(x.rank)]
        result = m.op("reshape", _run(m, program, _as_matrix(m, moved, 1)), *sizes)
        return m.op("transpose", result, perm=tuple(first.index(i) for i in range(x.rank)))

    return run


def _as_matrix(m: Machine, x: Tensor, leading: int) -> Tensor:
    """The array with its leading axes as one, and the others as another."""
    sizes = [m.dimension(x, i) for i in range(x.rank)]
    return m.op("reshape", x, _product(m, sizes[:leading]), _product(m, sizes[leading:]))


def _product(m: Machine, sizes: Sequence[Value]) -> Value:
    one: Value = Static(1)
    return functools.reduce(functools.partial(arithmetic, m, "*"), sizes, one)


_PROGRAMS: dict[str, Callable[..., Tensor]] = {
    "sign": _sign,
    "sum": _of_axes(programs.total),
    "prod": _of_axes(programs.product),
    "cumsum": _along_axis(programs.running_total),
    "cumprod": _along_axis(programs.running_product),
}
