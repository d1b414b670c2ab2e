"""Operators that a runtime does not take, or gets wrong, in other words that give the same.

    IsNaN(x: float64)     ->    IsNaN(Cast(x, float32))
    IsNaN(x: float32)     ->    Not(Equal(x, x))
    IsInf(x)              ->    Equal(Abs(x), inf)
    ReduceMax(x: bool)    ->    Cast(ReduceMax(Cast(x, int32)), bool)
    NonZero(x: bool)      ->    NonZero(Cast(x, float32))
    ArgMax(x: uint8)      ->    ArgMax(Cast(x, int32))
    Equal(x: bool, y)     ->    Not(Xor(x, y))
    Xor(x, y)             ->    Not(Equal(x, y))
    ReduceLogSumExp(x, 0) ->    Add(Log(ReduceSum(Exp(Sub(x, m)), 0)), m), where m = ReduceMax(x, 0)
    ReduceSumSquare(x)    ->    ReduceSum(Mul(x, x))
    Round(x)              ->    the whole number below, or the next one
    Cast(x, int64)        ->    CastLike(x, 0)
    Shape(x)              ->    CastLike(Shape(x), 0)
    Mul(x, x)             ->    Neg(Mul(x, Neg(x)))
    MatMul(Expand(x), y)  ->    MatMul(Max(Expand(x), Expand(x)), y)
    ReduceSum(x, 0)       ->    Gather(CumSum(x, 0), -1)
    ReduceMean(Mul(x, x)) ->    Sub(0, ReduceMean(Neg(Mul(x, x))))
    Gemm(x, y, z)         ->    Add(MatMul(x, y), z)
    Max(x, 1)             ->    Where(Less(x, 1), 1, x)
    Mod(10, x)            ->    Mod(Where(Equal(x, x), 10, 10), x)
    Cast(x, uint8)        ->    Cast(CastLike(x, 0), uint8), or Cast(Neg(Neg(CastLike(x, 0))), uint8)
    Cast(x: int64, bool)  ->    Not(Equal(x, 0))
    Add(x: uint16, y)     ->    Cast(BitwiseAnd(Cast(Add(x, y), int32), 65535), uint16)
    Add(x: uint8, y)      ->    Cast(Mod(Add(Cast(x, int32), Cast(y, int32)), 256), uint8)
    ScatterND(x, -1, y)   ->    ScatterND(x, Shape(x) - 1, y)

Which ones these are is for whoever asks for a model to say: `Builder.avoided`.  What tract casts to int64, and sizes,
are expressions of sizes there, which divide otherwise below zero and hold 32 bits (0.23); CastLike makes them numbers.
OpenVINO takes what a branch gives, as the condition of a loop, for false after a cast (2026.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnx.avoided import (
    ADDED,
    BYTES,
    CAST_CHAINS,
    CASTS,
    DIVIDENDS,
    LAST_PLACES,
    LOG_SUMS,
    LOOPS,
    MAGNITUDES,
    MEAN_SQUARES,
    NANS,
    SHORTS,
    SIZES,
    SMALL_CASTS,
    SQUARES,
    STRETCHED,
    TO_NUMBERS,
    Avoided,
)
from graph_program.backends.onnx.shapes import ELEMENTWISE

if TYPE_CHECKING:
    from graph_program.backends.onnx.builder import Tensor

Inputs = tuple["Tensor", ...]
Attributes = Mapping[str, Any]
Writing = Callable[[str, Inputs, Attributes], "Tensor | None"]
SMALL = frozenset(ir.DataType[f"{sign}INT{bits}"] for sign in ("", "U") for bits in (8, 16)) | {
    ir.DataType.UINT32,
    ir.DataType.UINT64,
}
"""Integers that are cut out of int64; not int32, as what a runtime calls int64 may have no more digits."""
FLOAT32, FLOAT64, BOOL = map(np.dtype, (np.float32, np.float64, np.bool_))
INT16, INT32, INT64 = map(np.dtype, (np.int16, np.int32, np.int64))
INT8, UINT8, UINT16, UINT32, UINT64 = map(np.dtype, (np.int8, np.uint8, np.uint16, np.uint32, np.uint64))
BYTE = (INT8, UINT8)
PRODUCTS = frozenset(["Einsum", "Gemm", "MatMul"])
MOVED = frozenset(["Concat", "Gather", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze"])
"""Operators that give elements of their first operands as they are."""
SUMS = frozenset(["ReduceMean", "ReduceSum", "ReduceSumSquare"])
OF_NAN = frozenset(["Exp", "Max", "Min", "Relu", "Tanh"])
"""Operators whose result for NaN is NaN."""
WRAPPING = frozenset(["Abs", "Add", "BitShift", "Mul", "Neg", "Sub"])


def operation(avoided: Avoided, operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    """An operation in other words; None where it may stand as it is, or there are no others.

    Parameters
    ----------
    avoided : Avoided
    operator, inputs, attrs
        The operation.
    """
    if not inputs:
        return None
    x = inputs[0]
    if operator == "Cast" and CASTS in avoided.forms and attrs["to"] == ir.DataType.INT64:
        return _as_integers(x)
    if operator == "Cast" and attrs["to"] == ir.DataType.BOOL and LOOPS not in avoided.forms:
        return ~x.equals(0) if x.dtype.kind in "iu" or NANS in avoided.forms else None
    if operator == "Cast" and attrs["to"] in SMALL:
        return _as_small_integers(avoided, x, attrs)
    if operator == "ScatterND" and LAST_PLACES in avoided.forms:
        return _written_from_the_start(inputs, attrs)
    if operator in ("Shape", "Size") and SIZES in avoided.forms:
        return _as_integers(x.builder.ops(operator, x, dtypes=(INT64,), **attrs)[0])
    if operator == "Mul" and SQUARES in avoided.forms and inputs[1].value is x.value and x.dtype in SQUARED:
        return SQUARED[x.dtype](operator, inputs, attrs)
    if operator == "ReduceLogSumExp" and (LOG_SUMS in avoided.forms or "axes" in attrs):
        return _reduced_log_of_sum(inputs, attrs)
    if operator == "LogSoftmax" and LOG_SUMS in avoided.forms:
        return x - _log_of_sum(x, [attrs.get("axis", -1)])
    if operator in OF_NAN and NANS in avoided.forms and x.dtype.kind == "f":
        return _with_nan(operator, inputs)
    if operator == "Mod" and DIVIDENDS in avoided.forms and _is_known_number(x) and not _is_known(inputs[1].value):
        return inputs[1].equals(inputs[1]).where(x, x).op(operator, inputs[1], **attrs)
    if operator == "Gemm" and ADDED in avoided.forms and x.dtype == FLOAT64 and len(inputs) > 2:
        return _product_and_sum(operator, inputs, attrs)
    if operator == "Reshape" and TO_NUMBERS in avoided.forms and _is_empty(inputs[1]):
        return x.op("Squeeze")
    if operator in PRODUCTS and STRETCHED in avoided.forms:
        return _product(operator, inputs, attrs)
    if operator == "ReduceSum" and avoided.wide_sums and x.dtype == INT64:
        return _sum_in_64_bits(operator, inputs, attrs)
    if operator in SUMS and MEAN_SQUARES in avoided.forms and x.dtype == FLOAT64:
        return _sum_for_a_mean(operator, inputs, attrs)
    if operator in WRAPPING and BYTES in avoided.forms and x.dtype in BYTE:
        return _wrapped(operator, inputs, attrs)
    if operator in WRAPPING and SHORTS in avoided.forms and x.dtype in (INT16, UINT16):
        return _in_16_bits(operator, inputs, attrs, x.dtype)
    if operator == "BitwiseNot" and SHORTS in avoided.forms and x.dtype == UINT16:
        return x ^ x.like(0xFFFF)
    if operator == "Abs" and MAGNITUDES in avoided.forms and x.dtype.kind in "if" and _is_joined(x):
        return abs(-x)
    if (operator, x.dtype.name) not in avoided.operators:
        return None
    write = EQUIVALENTS.get((operator, x.dtype.kind))
    return None if write is None else write(operator, inputs, attrs)


def _was_float(x: Tensor) -> bool:
    """Whether integers are a cast of floats: a runtime may make one cast of two."""
    made = x.value.producer()
    given = made.inputs[0] if made is not None and made.op_type in ("Cast", "CastLike") else None
    return x.dtype == INT64 and given is not None and given.dtype is not None and given.dtype.is_floating_point()


def _is_empty(x: Tensor) -> bool:
    return x.known is not None and not x.known.size


def _is_joined(x: Tensor) -> bool:
    made = x.value.producer()
    return made is not None and made.op_type == "Concat"


def _as_integers(x: Tensor) -> Tensor:
    return x.builder.ops("CastLike", x, x.builder.constant(np.array(0)), dtypes=(INT64,))[0]


def _as_small_integers(avoided: Avoided, x: Tensor, attrs: Attributes) -> Tensor | None:
    whole = _as_integers(x) if SMALL_CASTS in avoided.forms and x.dtype.kind == "f" else x
    if CAST_CHAINS in avoided.forms and (whole is not x or _was_float(x)):
        whole = whole.op("Neg").op("Neg")
    to = ir.DataType(attrs["to"]).numpy()
    if whole is not x:
        return whole.cast(to)
    wraps = SHORTS in avoided.forms and to.itemsize == INT16.itemsize and x.dtype.kind in "iu" and x.dtype not in BYTE
    return _in_16_bits("Cast", (x,), attrs, to) if wraps else None


def _in_16_bits(operator: str, inputs: Inputs, attrs: Attributes, dtype: np.dtype[Any]) -> Tensor:
    """An operation of which the last 16 bits are kept at once.

    They are all that is left of the product with 2**16, which float32 has, too: in it some runtimes divide.
    """
    made = inputs[0].builder.ops(operator, *inputs, dtypes=(dtype,), **attrs)[0].cast(INT32)
    kept = made * 0x10000 / 0x10000
    if dtype == UINT16:
        kept = kept.op("Mod", kept.like(0x10000))
    return kept.builder.ops("Cast", kept, dtypes=(dtype,), to=ir.DataType.from_numpy(dtype))[0]


def _written_from_the_start(inputs: Inputs, attrs: Attributes) -> Tensor | None:
    """A write to known places, which are counted from the start; None where they are, or are not known."""
    x, places, new = inputs
    if places.known is None or not (places.known < 0).any():
        return None
    from_the_end = x.builder.constant((places.known < 0).astype(np.int64))
    sizes = x.shape(0, places.known.shape[-1])
    return x.op("ScatterND", places + sizes * from_the_end, new, **attrs)


def _wrapped(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor:
    """An operation on bytes in 32 bits, of which the last eight are kept."""
    dtype, wide = inputs[0].dtype, UINT32 if operator == "BitShift" else INT32
    x, *others = (one.cast(wide) for one in inputs)
    found = x.op(operator, *others, **attrs)
    first = found.like(0 if dtype == UINT8 else 128)
    return ((found + first).op("Mod", found.like(256)) - first).cast(dtype)


def _reduced_log_of_sum(inputs: Inputs, attrs: Attributes) -> Tensor | None:
    """Along axes that are known; where these are an attribute, before opset 18, OpenVINO takes all axes."""
    x, *given = inputs
    known = given[0].known if given else np.array(attrs.get("axes", ()), np.int64)
    if known is None or not known.size:
        return None
    found = _log_of_sum(x, known.tolist())
    return found if attrs.get("keepdims", 1) else found.op("Squeeze", x.builder.ints(*known.tolist()))


def _log_of_sum(x: Tensor, axes: list[int]) -> Tensor:
    """The logarithm of a sum of exponentials, of which the greatest is 1, with dims of size 1 left of the axes."""
    along = x.builder.ints(*axes)
    most = x.op("ReduceMax", along)
    finite = (abs(most) < np.inf).where(most, most.like(0))
    return (x - finite).op("Exp").op("ReduceSum", along).op("Log") + finite


def _with_nan(operator: str, inputs: Inputs) -> Tensor | None:
    """The greater or the less of two, or NaN where one of them is; a choice, for which no comparison with NaN holds."""
    x, *others = inputs
    if operator in ("Exp", "Tanh"):
        return x.equals(x).where(x.builder.ops(operator, x, dtypes=(x.dtype,))[0], x)
    if operator != "Relu" and len(others) != 1:
        return None
    x, y = (x, x.like(0)) if operator == "Relu" else (others[0], x) if _is_no_nan(x) else (x, others[0])
    is_other = y < x if operator == "Min" else x < y
    return is_other.where(y, x if _is_no_nan(y) else y.equals(y).where(x, y))


def _is_no_nan(x: Tensor) -> bool:
    return x.known is not None and not np.isnan(x.known).any()


def _product(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    """A product of the larger of each element and itself, where arrays may be stretched."""
    stretched = [x.dtype.kind == "f" and _may_be_stretched(x.value) for x in inputs[:2]]
    if not any(stretched):
        return None
    kept = [x.op("Max", x) if found else x for x, found in zip(inputs, stretched, strict=False)]
    builder, dtype = inputs[0].builder, inputs[0].dtype
    return builder.ops(operator, *kept, *inputs[2:], dtypes=(dtype,), **attrs)[0]


def _product_and_sum(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor:
    x, y, added = inputs
    x, y = (
        one.op("Transpose", perm=(1, 0)) if attrs.get(turned) else one for one, turned in ((x, "transA"), (y, "transB"))
    )
    alpha, beta = (attrs.get(factor, 1.0) for factor in ("alpha", "beta"))
    product, added = (
        one if abs(factor) == 1 else one * abs(factor) for one, factor in ((x.op("MatMul", y), alpha), (added, beta))
    )
    if alpha < 0:
        return (-added if beta < 0 else added) - product
    return product - added if beta < 0 else product + added


def _may_be_stretched(value: ir.Value) -> bool:
    """Whether elements of an array may be those of a smaller one, each several times, or functions of these."""
    made = (one.producer() for one in _made_of(value, lambda node: node.op_type in MOVED | ELEMENTWISE))
    return any(node is not None and node.op_type in ("Expand", "Where") for node in made)


def _sum_in_64_bits(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    """The last of the sums up to each place; None where it is not known along which axes."""
    x, *given = inputs
    keeps = attrs.get("keepdims", 1)
    if not given and not keeps and not attrs.get("noop_with_empty_axes", 0):
        x, given = x.op("Reshape", x.builder.ints(-1)), [x.builder.ints(0)]
    axes = given[0].known if given else None
    if axes is None or not axes.size:
        return None
    for axis in map(int, axes):
        sums = x.op("CumSum", x.builder.constant(np.array(axis)))
        x = sums.op("Gather", x.builder.ints(-1), axis=axis)
    return x if keeps else x.op("Squeeze", given[0])


def _sum_for_a_mean(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    """A sum or mean of squares as one of their negatives; of no elements, it is no zero below zero."""
    x, *axes = inputs
    if operator == "ReduceSumSquare":
        return _sum_of_squares(operator, inputs, attrs)
    made, may_become_a_mean = x.value.producer(), operator == "ReduceMean" or attrs.get("keepdims", 1)
    if made is None or made.op_type != "Mul" or made.inputs[0] is not made.inputs[1] or not may_become_a_mean:
        return None
    return x.like(0.0) - (-x).op(operator, *axes, **attrs)


def _square(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor:
    x, _ = inputs
    return -(x * -x)


def _square_of_unsigned(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor:
    """In 64 bits, of which the last ones are the same."""
    x, _ = inputs
    wide = x.cast(INT64)
    return (-(wide * -wide)).cast(x.dtype)


def _is_known_number(x: Tensor) -> bool:
    """Whether an array may have one element that whoever loads the file knows, from constants and sizes."""
    sizes = x.sizes if x.known is None else x.known.shape
    return (sizes is None or all(size in (None, 1) for size in sizes)) and _is_known(x.value)


def _is_known(value: ir.Value) -> bool:
    """Whether a value follows from constants and sizes alone."""
    made = _made_of(value, lambda node: node.op_type not in ("Shape", "Size"))
    return all(one.producer() is not None or one.const_value is not None for one in made)


def _made_of(value: ir.Value, goes_on: Callable[[ir.Node], bool]) -> Iterator[ir.Value]:
    """A value and what it is made of, back through the operations for which that holds."""
    seen, left = {value}, [value]
    while left:
        one = left.pop()
        yield one
        node = one.producer()
        if node is not None and goes_on(node):
            new = {given for given in node.inputs if given is not None} - seen
            seen |= new
            left.extend(new)


def _is_nan(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    """What is no number in 64 bits is none in 32, and is not equal to itself."""
    (x,) = inputs
    return ~x.equals(x) if x.dtype == FLOAT32 else x.cast(FLOAT32).op(operator)


def _is_infinite(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    (x,) = inputs
    return None if attrs else abs(x).equals(np.inf)


def _extreme_of_truths(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    x, *axes = inputs
    return x.cast(INT32).op(operator, *axes, **attrs).cast(BOOL)


def _places_of_truths(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    (x,) = inputs
    return x.cast(FLOAT32).op(operator)


def _in_wider_integers(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    (x,) = inputs
    return x.cast(INT32).op(operator, **attrs) if x.dtype.itemsize < INT32.itemsize else None


def _compared_truths(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    """Where two truths are equal, or not, by the operator of the other one."""
    x, y = inputs
    other = "Xor" if operator == "Equal" else "Equal"
    return None if (other, BOOL.name) in x.builder.avoided.operators else ~x.op(other, y)


def _sum_of_squares(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    x, *axes = inputs
    others = {name: value for name, value in attrs.items() if name != "axes"}  # an attribute of learned models
    axes = [x.builder.ints(*attrs["axes"])] if "axes" in attrs else axes
    return (x * x).op("ReduceSum", *axes, **others)


def _rounded(operator: str, inputs: Inputs, attrs: Attributes) -> Tensor | None:
    """Halves go to the even number; what becomes zero keeps its sign, which a choice in onnxruntime would lose.

    Of an infinite number the part behind the point is NaN, which no comparison holds for.
    """
    (x,) = inputs
    size = abs(x)
    below = size.op("Floor")
    part = size - below
    is_odd = (below * 0.5).op("Floor") * 2.0 < below
    up = (x.like(0.5) < part) | (part.equals(0.5) & is_odd)
    found = below + up.cast(x.dtype)
    is_negative = (x < 0.0) | (x.like(1.0) / x < 0.0)
    return found * (1.0 - is_negative.cast(x.dtype) * 2.0)


SQUARED: Mapping[np.dtype[Any], Writing] = {
    **dict.fromkeys((INT16, INT32, INT64), _square),
    **dict.fromkeys((INT8, UINT8), _wrapped),
    **dict.fromkeys((UINT16, UINT32, UINT64), _square_of_unsigned),
}
"""By type of elements."""
EQUIVALENTS: Mapping[tuple[str, str], Writing] = {
    ("IsNaN", "f"): _is_nan,
    ("IsInf", "f"): _is_infinite,
    ("ReduceMax", "b"): _extreme_of_truths,
    ("ReduceMin", "b"): _extreme_of_truths,
    ("Round", "f"): _rounded,
    ("NonZero", "b"): _places_of_truths,
    ("ArgMax", "u"): _in_wider_integers,
    ("ArgMin", "u"): _in_wider_integers,
    ("Equal", "b"): _compared_truths,
    ("Xor", "b"): _compared_truths,
    ("ReduceSumSquare", "f"): _sum_of_squares,
}
"""By operator and kind of elements."""

__all__ = ["EQUIVALENTS", "operation"]
