"""The discrete Fourier transform: ONNX's operator, or products of matrices where a runtime is to do without it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from graph_program.backends.onnx.builder import FLOAT32, INT64, Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering, floating
from graph_program.backends.onnx.rules.movement import unsqueezed
from graph_program.extract.ir.graph import Node

AXIS_AS_INPUT = 20
"""The version since when the operator takes its axis as an input."""
POWERS = np.ldexp(np.float32(1), np.arange(24))
"""Of two, which float32 knows."""
Size = int | Tensor
"""A size that is known, or a vector of one."""
Parts = tuple[Tensor, Tensor]


def _dft(builder: Builder, node: Node, *parts: Tensor) -> Tensor:
    def formula(*wide: Tensor) -> Tensor:
        is_avoided = ("DFT", wide[0].dtype.name) in builder.avoided.operators
        return _by_products(builder, node, wide) if is_avoided else _by_operator(builder, wide)

    return floating(formula)(builder, node, *parts)


def _by_operator(builder: Builder, parts: Sequence[Tensor]) -> Tensor:
    """The operator takes the parts along a last axis, or the real one alone."""
    pairs = _side_by_side(builder, parts)
    if builder.opset < AXIS_AS_INPUT:
        return pairs.op("DFT", axis=-2)
    return builder.ops("DFT", pairs, None, builder.constant(np.array(-2, np.int64)), dtypes=(None,))[0]


def _side_by_side(builder: Builder, parts: Sequence[Tensor]) -> Tensor:
    columns = [unsqueezed(part, -1) for part in parts]
    return columns[0] if len(columns) == 1 else builder.op("Concat", *columns, axis=-1)


def _by_products(builder: Builder, node: Node, parts: Sequence[Tensor]) -> Tensor:
    """The points as a matrix, of which the columns are transformed, turned, and then the rows.

    Bailey, "FFTs in external or hierarchical memory" (1990).
    """
    type_ = node.inputs[0].type
    first, dtype, before = parts[0], parts[0].dtype, type_.rank - 1
    n: Size = type_.shape[-1].constant if type_.shape[-1].constant is not None else first.shape(before, before + 1)
    rows, columns = _divided(builder, n)
    lead, sizes = first.shape(0, before), [_vector(builder, size) for size in (rows, columns)]
    matrix = builder.op("Concat", lead, *sizes, axis=0)
    points = [part.op("Reshape", matrix, allowzero=1) for part in parts]
    done = _product("MatMul", _roots(builder, (rows, rows), rows, dtype), points)
    turned = _product("Mul", done, _roots(builder, (rows, columns), n, dtype))
    found = _product("MatMul", turned, _roots(builder, (columns, columns), columns, dtype))
    pairs = _side_by_side(builder, found).op("Transpose", perm=[*range(before), before + 1, before, before + 2])
    whole = builder.op("Concat", lead, _vector(builder, n), builder.ints(2), axis=0)
    return pairs.op("Reshape", whole, allowzero=1)


def _divided(builder: Builder, n: Size) -> tuple[Size, Size]:
    """Two sizes that are about the same, with this product."""
    if isinstance(n, int):
        rows = math.gcd(n, 1 << n.bit_length() // 2)
        return rows, n // rows
    fits = builder.op("LessOrEqual", builder.constant(POWERS * POWERS), n.cast(FLOAT32))
    root = fits.where(builder.constant(POWERS), 1).op("ReduceMax", builder.ints(0), keepdims=1).cast(INT64)
    return root, n.op("Div", root)


def _vector(builder: Builder, size: Size) -> Tensor:
    return builder.ints(size) if isinstance(size, int) else size


def _roots(builder: Builder, sizes: tuple[Size, Size], n: Size, dtype: np.dtype) -> Parts:
    """The powers of an n-th root of 1 by products of the numbers of rows and columns."""
    if isinstance(n, int):
        assert isinstance(sizes[0], int) and isinstance(sizes[1], int)
        angles = np.multiply.outer(np.arange(sizes[0]), np.arange(sizes[1])) % max(n, 1) * (-2 * np.pi / max(n, 1))
        cosine, sine = (builder.constant(part.astype(dtype)) for part in (np.cos(angles), np.sin(angles)))
        return cosine, sine
    zero, one = (builder.constant(np.array(k, np.int64)) for k in (0, 1))
    rows, columns = (builder.op("Range", zero, _vector(builder, size).op("Squeeze"), one) for size in sizes)
    angle = (unsqueezed(rows, 1) * columns).op("Mod", n).cast(dtype) * (-2 * np.pi) / n.cast(dtype)
    return angle.op("Cos"), angle.op("Sin")


def _product(operator: str, x: Sequence[Tensor], y: Sequence[Tensor]) -> Parts:
    """Of complex numbers, or of what has a real part alone."""
    re, im = x[0].op(operator, y[0]), x[1].op(operator, y[0])
    if len(y) == 1:
        return re, im
    return re - x[1].op(operator, y[1]), im + x[0].op(operator, y[1])


RULES = {"dft": Lowering("f", _dft)}
"""Lowerings by operation name."""
