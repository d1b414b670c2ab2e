"""What the lowerings of NumPy's functions share: arguments, axes, element types, sizes, constants.

A lowering takes `Value`s named as NumPy names its parameters.  `numpy_function` registers one, and
evaluates calls whose arguments are all known with the real function.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import known_and_truth, objects
from graph_program.extract.stage.operations.iteration import static_items, structure_items
from graph_program.extract.stage.operations.known_and_truth import numeric, settled, static, tensor
from graph_program.extract.stage.operations.of_numbers import conversions
from graph_program.extract.stage.operations.static_evaluation import call_now, known_arguments
from graph_program.extract.stage.values.questions import (
    is_array_of_graph,
    is_just,
    is_known,
    is_known_as,
    is_list_or_tuple,
    known_size,
)
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import (
    NONE,
    Ref,
    Static,
    Tensor,
    Tuple,
    Value,
    is_numeric,
    is_numpy_number,
    size_of,
    type_of,
)
from graph_program.extract.types.dims import Dim, maximum, minimum
from graph_program.extract.types.tensors import promotion
from graph_program.extract.types.tensors.bfloat16 import INSTEAD, bfloat16, is_bfloat16, is_extension, is_number
from graph_program.extract.types.tensors.tensor_type import BOOL, FLOAT64, INT64, Kind, TensorType
from graph_program.tensor_api.numpy_names import REFUSED_DTYPE_KINDS

DType = np.dtype[Any]
FALSE, TRUE = Static(False), Static(True)
ZERO, ONE, MINUS_ONE = Static(0), Static(1), Static(-1)

FOLDED_ELEMENTS = 4096
"""Known arrays up to this size become constants; larger ones are computed by the graph."""


# ---------------------------------------------------------------- registration


def numpy_function(
    *functions: Any, method: str = "", name: str = ""
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register a lowering that is evaluated now where all arguments are known."""

    def register(run: Callable[..., Value]) -> Callable[..., Value]:
        @functools.wraps(run)
        def lowered(m: Machine, *args: Value, **keywords: Value) -> Value:
            return evaluated(m, functions[0], args, keywords) or run(m, *args, **keywords)

        registry.lowers(*functions, method=method, name=name)(lowered)
        return lowered

    return register


DEFAULTS = {(type(v.value), v.value): v for v in (NONE, FALSE, TRUE, ZERO, ONE, MINUS_ONE)}
"""By what they are; a lowering may ask whether it has been given any other value."""


def takes(parameters: str) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Give a lowering the parameters that NumPy documents; it is called with those that it names itself.

    @takes("a, axis=None, *, keepdims=False")
    def lowered(m: Machine, a: Value, axis: Value) -> Value: ...
    """

    def give(run: Callable[..., Value]) -> Callable[..., Value]:
        names = run.__code__.co_varnames[1 : run.__code__.co_argcount]
        lowered: Any = eval(f"lambda m, {parameters}: run(m, {', '.join(names)})", {"run": run})
        lowered.__defaults__ = tuple(map(_default, lowered.__defaults__ or ()))
        lowered.__kwdefaults__ = {name: _default(value) for name, value in (lowered.__kwdefaults__ or {}).items()}
        functools.update_wrapper(lowered, run)
        del lowered.__wrapped__  # its parameters are its own
        return lowered  # type: ignore[no-any-return]

    return give


def _default(value: Any) -> Value:
    return DEFAULTS.get((type(value), value)) or Static(value)


def evaluated(
    m: Machine, function: Callable[..., Any], args: Sequence[Value], keywords: dict[str, Value]
) -> Value | None:
    """The result of a NumPy function of known numbers and lists of them; None where one is not known."""
    known = known_arguments(m, args, keywords)
    return None if known is None else from_numpy(m, call_now(m, function, *known))


def from_numpy(m: Machine, result: Any) -> Value | None:
    """A freshly computed object as a value; None for an array that is too large to be a constant."""
    if isinstance(result, tuple):
        parts = [from_numpy(m, r) for r in result]
        return None if any(p is None for p in parts) else Tuple(tuple(p for p in parts if p is not None))
    if isinstance(result, np.ndarray):
        small = result.size <= FOLDED_ELEMENTS and is_number(result.dtype)
        return m.constant(np.ascontiguousarray(result).reshape(result.shape)) if small else None
    return Static(result) if isinstance(result, bool | int | float | complex) or is_numpy_number(result) else None


def is_given(value: Value) -> bool:
    """Whether an optional argument was given: not None, not NumPy's own marker."""
    return not (is_just(value, None) or is_just(value, np._NoValue))


def refuse_given(m: Machine, function: str, hint: str = "", **arguments: Value) -> None:
    """Refuse arguments that have no graph form unless they have their default."""
    for name, value in arguments.items():
        if is_given(value) and not (name == "where" and is_just(value, True)):
            raise m.error(
                "GP321",
                f"{function} has no graph form for `{name}=`",
                hint=hint or HINTS.get(name, "leave the argument out"),
            )


HINTS = {
    "out": "assign the result: `y = f(x)` or `y[...] = f(x)`",
    "where": "use np.where(condition, value, other)",
    "initial": "combine the result with the initial value afterwards",
    "order": "leave the argument out; arrays in a graph are in C order",
}


def value_error(m: Machine, text: str) -> diagnostics.GraphProgramError:
    """A ValueError that NumPy raises whatever the values, refused."""
    return m.error("GP303", text, cls=diagnostics.ProgramValueError)


def dtype_error(m: Machine, text: str, hint: str = "") -> diagnostics.GraphProgramError:
    """A TypeError that NumPy raises whatever the values, refused."""
    return m.error("GP302", text, hint=hint, raised=True)


# ---------------------------------------------------------------- element types


def dtype_of(m: Machine, value: Value) -> DType | None:
    """The element type that an argument names; None if it was not given.

    Raises
    ------
    DTypeError
        For element types that a graph cannot hold (GP322), and what NumPy does not understand.
    """
    if not is_given(value):
        return None
    named = static(m, value, "an element type")
    return checked_dtype(m, m.by_python(np.dtype, named))


def checked_dtype(m: Machine, dtype: DType) -> DType:
    """An element type, refused where a graph cannot hold it."""
    if is_bfloat16(dtype):
        return bfloat16()
    if is_extension(dtype) or dtype.kind in REFUSED_DTYPE_KINDS or dtype.itemsize > (16 if dtype.kind == "c" else 8):
        raise m.error(
            "GP322",
            f"a graph cannot hold arrays of element type {dtype.name}",
            hint=INSTEAD if is_extension(dtype) else "use a bool, integer, float or complex type",
        )
    return dtype.newbyteorder("=")


def require_cast(m: Machine, source: DType, target: DType, rule: Any = "safe", what: str = "array data") -> None:
    """NumPy's error for elements that a casting rule does not let become those of another type."""
    if not np.can_cast(source, target, rule):
        raise dtype_error(m, f"Cannot cast {what} from {source!r} to {target!r} according to the rule '{rule}'")


def result_dtype(m: Machine, *values: Value, weak: bool = True) -> DType:
    """The common element type; with `weak` False Python numbers count as int64 and float64 arrays."""
    types = [type_of(v) for v in values]
    if not weak:
        types = [TensorType(t.dtype, t.shape) for t in types]
    return m.by_rule(promotion.result_type, types)


def inexact(dtype: DType) -> DType:
    """The float type in which NumPy computes with `dtype`; float64 for integers, booleans and bfloat16."""
    return FLOAT64 if dtype.kind in "biu" or is_bfloat16(dtype) else dtype


# ---------------------------------------------------------------- values


def kind_of(rank: int) -> Kind:
    """The class of a ufunc's or reduction's result."""
    return Kind.ARRAY if rank else Kind.NUMPY


def returned(m: Machine, result: Tensor) -> Tensor:
    """A result as most NumPy functions give it: a NumPy scalar where its rank is 0."""
    return m.reclassed(result, Kind.NUMPY) if not result.rank else result


def array(m: Machine, value: Value) -> Tensor:
    """`np.asanyarray(value)`: the array itself, or a number, a list or an object with `__array__` made one."""
    value = numeric(m, own_array(m, value))
    result = tensor(m, value)
    return result if result.is_array else m.reclassed(result, Kind.ARRAY)


def own_array(m: Machine, value: Value) -> Value:
    """What `__array__` of the user's class gives; a value without one as it is."""
    given = objects.user_defined(m, value, "__array__") if isinstance(value, Ref | Tuple) else None
    return value if given is None else given


def number(m: Machine, value: Any, dtype: DType) -> Tensor:
    """A constant scalar."""
    return m.constant(np.asarray(value, dtype))


def as_bool(m: Machine, value: Value) -> Tensor:
    """The truth of each element."""
    x = tensor(m, value)
    if x.type.dtype == BOOL:
        return x
    return m.op("not_equal", x, number(m, 0, x.type.dtype), kind=x.type.kind)


def call(m: Machine, function: Any, *args: Value, **keywords: Value) -> Value:
    """A call of another function that has a lowering."""
    return registry.FUNCTIONS[function](m, list(args), keywords)


def call_tensor(m: Machine, function: Any, *args: Value, **keywords: Value) -> Tensor:
    """`call`, where the result is a number or array."""
    return tensor(m, call(m, function, *args, **keywords))


u = arithmetic.ufunc
"""A ufunc on values, promoted: `u(m, np.add, a, b)`."""


def sequence(m: Machine, value: Value, what: str) -> list[Value]:
    """The elements of a list, tuple, or array of known length."""
    value = settled(m, value)
    items = structure_items(m, value)
    hint = known_and_truth.instead_of_view(value)
    if items is not None and not hint:
        return items
    if is_known_as(value, np.ndarray):
        value = m.captured_array(value)
    if is_array_of_graph(value) and value.rank:
        return static_items(m, value, f"an operation on {what}")
    raise m.error("GP302", f"{what} must be a list or tuple, not {describe(value)}", hint=hint)


def is_sequence(m: Machine, value: Value) -> bool:
    """Whether a value is a list or tuple."""
    return is_list_or_tuple(settled(m, value))


# ---------------------------------------------------------------- axes


def checked_axis(m: Machine, axis: Any, rank: int, name: str = "") -> int:
    """An axis counted from 0, refused in NumPy's words where there is none."""
    position = as_index(m, axis)
    if not -rank <= position < rank:
        prefix = f"{name}: " if name else ""
        text = f"{prefix}axis {position} is out of bounds for array of dimension {rank}"
        raise m.error("GP303", text, cls=diagnostics.ProgramAxisError)
    return position % rank if rank else 0


def axis_of(m: Machine, value: Value, rank: int, name: str = "") -> int:
    """One axis, counted from 0."""
    return checked_axis(m, static(m, value, "an axis"), rank, name)


def axes_of(m: Machine, value: Value, rank: int, of_scalars: bool = True, lists: bool = False) -> tuple[int, ...]:
    """The axes that an argument names, ascending; all of them for None.

    NumPy's own loops take axis=0 and axis=-1 of an array of rank 0, too (`of_scalars`); its functions that are
    written in Python take `lists`.
    """
    given = static(m, value, "an axis")
    if given is None:
        return tuple(range(rank))
    if lists:
        return tuple(sorted(listed_axes(m, value, rank)))
    if rank == 0 and of_scalars and given in (0, -1):
        return ()
    axes = [checked_axis(m, a, rank) for a in (given if isinstance(given, tuple) else (given,))]
    if len(set(axes)) != len(axes):
        raise value_error(m, "duplicate value in 'axis'")
    return tuple(sorted(axes))


def listed_axes(m: Machine, value: Value, rank: int, name: str = "", repeats: bool = False) -> tuple[int, ...]:
    """The axes that an argument names, in its order, as NumPy's `normalize_axis_tuple` finds them."""
    given = static(m, value, "an axis")
    axes = tuple(checked_axis(m, a, rank, name) for a in (given if isinstance(given, tuple | list) else (given,)))
    if len(set(axes)) != len(axes) and not repeats:
        raise value_error(m, f"repeated axis in `{name}` argument" if name else "repeated axis")
    return axes


def flag(m: Machine, value: Value, what: str) -> bool:
    """A boolean option."""
    return is_given(value) and bool(static(m, value, what))


# ---------------------------------------------------------------- sizes

SIZE_OPS: dict[str, tuple[str, Callable[[Dim, Dim], Dim]]] = {
    "+": ("add", operator.add),
    "-": ("subtract", operator.sub),
    "*": ("multiply", operator.mul),
    "//": ("floor_divide", operator.floordiv),
    "max": ("maximum", maximum),
    "min": ("minimum", minimum),
}


def size_op(m: Machine, op: str, a: Value, b: Value) -> Value:
    """Arithmetic on sizes: known numbers now, symbolic ones with their symbols."""
    name, combine = SIZE_OPS[op]
    left, right = size_of(a), size_of(b)
    size = combine(left, right) if left is not None and right is not None else None
    if size is not None and size.constant is not None:
        return Static(size.constant)
    for value, own in ((a, left), (b, right)):
        if size is not None and size == own:
            return value
    result = m.op(name, m.cast(a, INT64), m.cast(b, INT64), kind=Kind.PYTHON)
    result.size, result.bits = size, 48 if size is not None else 62
    return result


def size_product(m: Machine, sizes: Sequence[Value]) -> Value:
    """The product of sizes; 1 for none."""
    one: Value = ONE
    return functools.reduce(functools.partial(size_op, m, "*"), sizes, one)


def sizes_of(m: Machine, x: Tensor) -> list[Value]:
    """The shape of an array as numbers."""
    return [m.dimension(x, axis) for axis in range(x.rank)]


def element_count(m: Machine, x: Tensor, axes: Sequence[int] | None = None) -> Value:
    """The number of elements along some axes, or of all."""
    chosen = range(x.rank) if axes is None else axes
    return size_product(m, [m.dimension(x, axis) for axis in chosen])


def as_size(m: Machine, value: Value) -> Value:
    """An int argument as a Python int."""
    value = settled(m, conversions.own_index(m, settled(m, value)))
    if is_known(value):
        return Static(as_index(m, value.value))
    x = tensor(m, value)
    if x.rank or x.type.dtype.kind not in "iu":
        raise dtype_error(m, f"'{describe(x)}' object cannot be interpreted as an integer")
    size = known_size(x)
    return m.cast(x, INT64, Kind.PYTHON) if size is None else Static(size)


def as_index(m: Machine, obj: Any) -> int:
    """A known object as an int, refused in Python's words."""
    return m.by_python(operator.index, obj)


def shape_of(m: Machine, value: Value) -> list[Value]:
    """A shape argument: an int or a sequence of ints."""
    value = settled(m, value)
    if is_sequence(m, value):
        return [as_size(m, v) for v in sequence(m, value, "a shape")]
    if is_numeric(value) and type_of(value).rank == 1:
        return [as_size(m, v) for v in sequence(m, value, "a shape")]
    return [as_size(m, value)]


def known(value: Value) -> int | None:
    """A size, where it is known."""
    size = size_of(value)
    return None if size is None else size.constant


def equal_sizes(m: Machine, a: Value, b: Value) -> bool | None:
    """Whether two sizes are equal, where that is so or not in all runs; None where it depends on the run."""
    return arithmetic.decide(m, "==", size_of(a), size_of(b))


def in_common_type(m: Machine, *values: Value) -> list[Tensor]:
    """Arrays of their common element type, Python numbers counting as int64 and float64."""
    arrays = [array(m, v) for v in values]
    dtype = result_dtype(m, *arrays)
    return [m.cast(x, dtype) for x in arrays]


def flat(m: Machine, x: Tensor) -> Tensor:
    """The elements in row-major order."""
    return x if x.rank == 1 else m.op("reshape", x, MINUS_ONE)


def require_clip_mode(m: Machine, mode: Value, function: str) -> None:
    """NumPy's error for a way to deal with positions that are outside which there is not."""
    how = static(m, mode, f"the mode of {function}")
    if how not in ("raise", "wrap", "clip"):
        raise value_error(m, f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {how!r})")


def require_kind(m: Machine, function: Any, kind: Value, stable: Value) -> None:
    """NumPy's errors for an algorithm that there is not; all of them give the same."""
    given = {"kind": kind, "stable": stable}
    chosen = {name: static(m, v, f"`{name}`") for name, v in given.items() if is_given(v)}
    try:
        function(np.zeros(0), **chosen)
    except ValueError as error:
        raise value_error(m, str(error)) from None
    except TypeError as error:
        raise dtype_error(m, str(error)) from None
