"""Shapes of ONNX values, operator by operator, over symbolic dims.

A program's own types say the shapes of its values; these rules say those of the values in between,
which lowerings make.  Element types are known from the builder.  A rule gives a shape per output, None
where nothing is known; the elements of integer vectors and scalars that sizes are made of are followed
too, as `contents`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import onnx_ir as ir

from graph_program.extract.types.dims import (
    MAX_WEIGHT,
    Dim,
    dim,
    exact_quotient,
    maximum,
    minimum,
    product,
    provably_less_equal,
    symbol,
)
from graph_program.extract.types.tensors.shape_arithmetic import INT64_MAX, ONE, broadcast_dims, slice_length

Shape: TypeAlias = tuple[Dim, ...]
MOST_ELEMENTS = 32
"""Of a constant that may hold sizes."""


class Shapes:
    """What is known of the values of a model.

    Attributes
    ----------
    shapes, contents : dict
        The shape of each value, and the elements of integer vectors and scalars.
    """

    def __init__(self) -> None:
        self.shapes: dict[ir.Value, Shape] = {}
        self.contents: dict[ir.Value, Shape] = {}
        self._count = itertools.count()

    def fresh(self) -> Dim:
        """A dim of which nothing is known."""
        return symbol(f"?{next(self._count)}")

    def shape(self, value: ir.Value | None) -> Shape | None:
        if value is None:
            return None
        if value not in self.shapes and value.const_value is not None:
            self.shapes[value] = tuple(dim(int(n)) for n in value.const_value.shape)  # type: ignore[arg-type]
        return self.shapes.get(value)

    def content(self, value: ir.Value | None) -> Shape | None:
        """The elements of a vector or scalar of integers."""
        if value is None or value.dtype != ir.DataType.INT64:
            return None
        constant = value.const_value
        if constant is not None and len(constant.shape) < 2 and constant.size <= MOST_ELEMENTS:
            self.contents[value] = tuple(map(dim, constant.numpy().ravel().tolist()))
        return self.contents.get(value)

    def constants(self, value: ir.Value | None) -> list[int] | None:
        """The elements, where they are all numbers."""
        content = self.content(value)
        numbers = [d.constant for d in content or ()]
        return None if content is None or None in numbers else [n for n in numbers if n is not None]

    def infer(self, node: ir.Node) -> list[Shape | None]:
        """The shapes of a node's outputs; remembers their contents."""
        several = SEVERAL.get(node.op_type)
        if several is not None:
            return several(self, node)
        rule = RULES.get(node.op_type, _broadcast if node.op_type in ELEMENTWISE else None)
        shape = rule(self, node) if rule is not None else None
        follow = CONTENTS.get(node.op_type) if shape is not None and len(shape) < 2 else None
        content = follow(self, node) if follow is not None else None
        self.contents.pop(node.outputs[0], None)
        if content is None or shape is None or product(shape) != dim(len(content)):
            return [shape] * len(node.outputs)
        if all(d.weight <= MAX_WEIGHT for d in content):
            self.contents[node.outputs[0]] = content
        return [shape] * len(node.outputs)

    def broadcast(self, shapes: Sequence[Shape | None]) -> Shape | None:
        """The broadcast of shapes; None where one is not known, or they do not fit."""
        known = [shape for shape in shapes if shape is not None]
        if len(known) < len(shapes):
            return None
        rank = max(map(len, known))
        padded = [(ONE,) * (rank - len(shape)) + shape for shape in known]
        result = padded[0]
        for other in padded[1:]:
            merged = [broadcast_dims(a, b, self.fresh) for a, b in zip(result, other, strict=True)]
            fitting = tuple(d for d in merged if d is not None)
            if len(fitting) < rank:
                return None
            result = fitting
        return result


Rule = Callable[[Shapes, ir.Node], "Shape | None"]
RuleOfSeveral = Callable[[Shapes, ir.Node], "list[Shape | None]"]


def known_rank(value: ir.Value | None) -> int | None:
    """The rank of a value, where its shape or contents are known."""
    if value is None:
        return None
    if value.const_value is not None:
        return len(value.const_value.shape)
    return None if value.shape is None else len(value.shape)


def attribute(node: ir.Node, name: str, default: Any = None) -> Any:
    """The value of an attribute."""
    found = node.attributes.get(name)
    return default if found is None else found.value


def _input(node: ir.Node, i: int) -> ir.Value | None:
    return node.inputs[i] if i < len(node.inputs) else None


def _broadcast(s: Shapes, node: ir.Node) -> Shape | None:
    return s.broadcast([s.shape(x) for x in node.inputs])


def _same(s: Shapes, node: ir.Node) -> Shape | None:
    return s.shape(node.inputs[0])


def _transformed(s: Shapes, node: ir.Node) -> Shape | None:
    """Both parts of as many points as there are, unless a number of points or only half of them is asked for."""
    shape, is_other = s.shape(node.inputs[0]), attribute(node, "onesided", 0) or any(node.inputs[1:2])
    return None if shape is None or is_other else (*shape[:-1], dim(2))


def _of_indices(s: Shapes, node: ir.Node) -> Shape | None:
    return s.shape(node.inputs[1])


def _scalar(s: Shapes, node: ir.Node) -> Shape:
    return ()


def _axes(s: Shapes, node: ir.Node, rank: int) -> list[int] | None:
    """The axes, an input or, in older operators, an attribute, counted from the front; none where none are given."""
    axes = attribute(node, "axes", ()) if _input(node, 1) is None else s.constants(_input(node, 1))
    return None if axes is None else [axis % rank for axis in axes]


def _reduced(shape: Shape, axes: Sequence[int], keepdims: int) -> Shape:
    if keepdims:
        return tuple(ONE if i in axes else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in axes)


def _reduce(s: Shapes, node: ir.Node) -> Shape | None:
    shape = s.shape(node.inputs[0])
    if shape is None:
        return None
    axes = _axes(s, node, len(shape))
    if axes is None:
        return None
    if not axes and attribute(node, "noop_with_empty_axes", 0):
        return shape
    return _reduced(shape, axes or range(len(shape)), attribute(node, "keepdims", 1))


def _position(s: Shapes, node: ir.Node) -> Shape | None:
    shape = s.shape(node.inputs[0])
    if shape is None:
        return None
    return _reduced(shape, [attribute(node, "axis", 0) % len(shape)], attribute(node, "keepdims", 1))


def _concat(s: Shapes, node: ir.Node) -> Shape | None:
    shapes = [shape for shape in map(s.shape, node.inputs) if shape is not None]
    if len(shapes) < len(node.inputs):
        return None
    axis = attribute(node, "axis") % len(shapes[0])
    columns = list(zip(*shapes, strict=True))
    result = [next((d for d in column if d.constant is not None), column[0]) for column in columns]
    result[axis] = sum(columns[axis], dim(0))
    return tuple(result)


def _gather(s: Shapes, node: ir.Node) -> Shape | None:
    shape, indices = s.shape(node.inputs[0]), s.shape(node.inputs[1])
    if shape is None or indices is None:
        return None
    axis = attribute(node, "axis", 0) % len(shape)
    return (*shape[:axis], *indices, *shape[axis + 1 :])


def _gather_nd(s: Shapes, node: ir.Node) -> Shape | None:
    shape, indices = s.shape(node.inputs[0]), s.shape(node.inputs[1])
    depth = indices[-1].constant if indices else None
    if shape is None or indices is None or depth is None:
        return None
    return (*indices[:-1], *shape[attribute(node, "batch_dims", 0) + depth :])


def _requested(s: Shapes, value: ir.Value | None) -> list[Dim] | None:
    """The dims that a vector asks for; fresh ones for what is not known, negative numbers as they are."""
    content, shape = s.content(value), s.shape(value)
    if content is not None:
        sure = (d.constant is not None or provably_less_equal(0, d) for d in content)
        return [d if known else s.fresh() for d, known in zip(content, sure, strict=True)]
    rank = shape[0].constant if shape else None
    return None if rank is None else [s.fresh() for _ in range(rank)]


def _expand(s: Shapes, node: ir.Node) -> Shape | None:
    wanted = _requested(s, node.inputs[1])
    return None if wanted is None else s.broadcast([s.shape(node.inputs[0]), tuple(wanted)])


def _reshape(s: Shapes, node: ir.Node) -> Shape | None:
    wanted, shape = _requested(s, node.inputs[1]), s.shape(node.inputs[0])
    if wanted is None:
        return None
    if not attribute(node, "allowzero", 0):  # 0 stands for the size that there is, and may be one of a run
        kept = [d if d.constant or provably_less_equal(1, d) else s.fresh() for d in wanted]
        wanted = [shape[i] if d.constant == 0 and shape and i < len(shape) else kept[i] for i, d in enumerate(wanted)]
    for i, d in enumerate(wanted):
        if d.constant == -1:
            rest = product(wanted[:i] + wanted[i + 1 :])
            left = None if shape is None else exact_quotient(product(shape), rest)
            wanted[i] = s.fresh() if left is None else left
    return tuple(wanted)


def _value(node: ir.Node) -> ir.TensorProtocol | None:
    """Of a `Constant`."""
    return None if "sparse_value" in node.attributes else ir.convenience.get_const_tensor(node.outputs[0])


def _constant(s: Shapes, node: ir.Node) -> Shape | None:
    constant = _value(node)
    return None if constant is None else tuple(dim(int(n)) for n in constant.shape.numpy())


def _constant_of_shape(s: Shapes, node: ir.Node) -> Shape | None:
    wanted = _requested(s, node.inputs[0])
    return None if wanted is None else tuple(wanted)


def _slice(s: Shapes, node: ir.Node) -> Shape | None:
    shape = s.shape(node.inputs[0])
    if shape is None:
        return None
    result = list(shape)
    axes = range(len(shape)) if _input(node, 3) is None else s.constants(_input(node, 3))
    steps = [1] * len(shape) if _input(node, 4) is None else s.constants(_input(node, 4))
    if axes is None or steps is None:
        return tuple(s.fresh() for _ in shape)
    unknown = [None] * len(axes)
    starts, stops = (s.content(node.inputs[i]) or unknown for i in (1, 2))
    for axis, start, stop, step in zip(axes, starts, stops, steps, strict=False):
        result[axis] = slice_length(shape[axis], start, stop, step, s.fresh)
    return tuple(result)


def _squeeze(s: Shapes, node: ir.Node) -> Shape | None:
    shape = s.shape(node.inputs[0])
    if shape is None:
        return None
    axes = _axes(s, node, len(shape))
    if axes is None or axes:
        return None if axes is None else _reduced(shape, axes, 0)
    sure = all(d.constant is not None for d in shape)
    return tuple(d for d in shape if d.constant != 1) if sure else None


def _unsqueeze(s: Shapes, node: ir.Node) -> Shape | None:
    shape, axes = s.shape(node.inputs[0]), s.constants(node.inputs[1])
    if shape is None or axes is None:
        return None
    rank = len(shape) + len(axes)
    new, rest = {axis % rank for axis in axes}, iter(shape)
    return tuple(ONE if i in new else next(rest) for i in range(rank))


def _transpose(s: Shapes, node: ir.Node) -> Shape | None:
    shape = s.shape(node.inputs[0])
    return None if shape is None else tuple(shape[axis] for axis in attribute(node, "perm", range(len(shape))[::-1]))


def _gemm(s: Shapes, node: ir.Node) -> Shape | None:
    x, y = s.shape(node.inputs[0]), s.shape(node.inputs[1])
    if x is None or y is None:
        return None
    return x[attribute(node, "transA", 0)], y[1 - attribute(node, "transB", 0)]


def _matmul(s: Shapes, node: ir.Node) -> Shape | None:
    left, right = s.shape(node.inputs[0]), s.shape(node.inputs[1])
    if left is None or right is None:
        return None
    batch = s.broadcast([left[:-2], right[:-2]])
    return None if batch is None else (*batch, *left[-2:-1], *(right[-1:] if len(right) > 1 else ()))


def _range(s: Shapes, node: ir.Node) -> Shape:
    start, stop, step = (s.content(x) for x in node.inputs)
    if start is None or stop is None or step != (ONE,):
        return (s.fresh(),)
    return (maximum(0, stop[0] - start[0]),)


def _nonzero(s: Shapes, node: ir.Node) -> Shape | None:
    shape = s.shape(node.inputs[0])
    return None if shape is None else (dim(len(shape)), s.fresh())


def _top_k(s: Shapes, node: ir.Node) -> Shape | None:
    shape, count = s.shape(node.inputs[0]), s.content(node.inputs[1])
    if shape is None:
        return None
    axis = attribute(node, "axis", -1) % len(shape)
    return (*shape[:axis], count[0] if count is not None else s.fresh(), *shape[axis + 1 :])


def _selected(s: Shapes, node: ir.Node) -> Shape | None:
    """What a Shape node reads."""
    shape = s.shape(node.inputs[0])
    return None if shape is None else shape[attribute(node, "start", 0) : attribute(node, "end", INT64_MAX)]


def _shape(s: Shapes, node: ir.Node) -> Shape | None:
    found = _selected(s, node)
    return None if found is None else (dim(len(found)),)


def _split(s: Shapes, node: ir.Node) -> list[Shape | None]:
    """Pieces along an axis: of known sizes, or of equal ones, the last of which may be smaller."""
    shape, sizes, count = s.shape(node.inputs[0]), s.content(_input(node, 1)), len(node.outputs)
    if shape is None or (sizes is None and _input(node, 1) is not None):
        return [None] * count
    axis = attribute(node, "axis", 0) % len(shape)
    if sizes is None:
        whole = shape[axis].constant
        if whole is None:
            sizes = tuple(s.fresh() for _ in range(count))
        else:
            piece = -(-whole // count)
            sizes = tuple(dim(max(0, min(piece, whole - i * piece))) for i in range(count))
    return [(*shape[:axis], size, *shape[axis + 1 :]) for size in sizes]


def _along(s: Shapes, node: ir.Node) -> list[Shape | None]:
    """All states, and the last ones, in each direction."""
    x, r = s.shape(node.inputs[0]), s.shape(node.inputs[2])
    if x is None or r is None or len(x) != 3 or len(r) != 3:
        return [None] * len(node.outputs)
    if attribute(node, "layout", 0):
        every, last = (x[0], x[1], r[0], r[2]), (x[0], r[0], r[2])
    else:
        every, last = (x[0], r[0], x[1], r[2]), (r[0], x[1], r[2])
    return [every, *[last] * (len(node.outputs) - 1)]


def _normalized(s: Shapes, node: ir.Node) -> list[Shape | None]:
    """The result, and of what the mean and the deviation are, if they are asked for."""
    shape = s.shape(node.inputs[0])
    if shape is None:
        return [None] * len(node.outputs)
    axis = attribute(node, "axis", -1) % len(shape)
    return [shape, *[(*shape[:axis], *[ONE] * (len(shape) - axis))] * (len(node.outputs) - 1)]


_ELEMENTWISE = """
Abs Acos Acosh Add And Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast Ceil Cos Cosh Div
Equal Erf Exp Floor Gelu Greater GreaterOrEqual Identity IsInf IsNaN Less LessOrEqual Log Max Min Mod Mul Neg Not Or Pow
Reciprocal Relu Round Sigmoid Sign Sin Sinh Sqrt Sub Sum Tan Tanh Where Xor
"""
SEVERAL: Mapping[str, RuleOfSeveral] = {
    "GRU": _along,
    "LSTM": _along,
    "LayerNormalization": _normalized,
    "Split": _split,
}
"""Of operators whose outputs are of different shapes."""
ELEMENTWISE = frozenset(_ELEMENTWISE.split())
"""Operators whose result has the broadcast of their operands' shapes."""

RULES: Mapping[str, Rule] = {
    "ArgMax": _position,
    "ArgMin": _position,
    "Concat": _concat,
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "CumSum": _same,
    "DFT": _transformed,
    "Expand": _expand,
    "Gather": _gather,
    "GatherElements": _of_indices,
    "GatherND": _gather_nd,
    "InstanceNormalization": _same,
    "LogSoftmax": _same,
    "Gemm": _gemm,
    "MatMul": _matmul,
    "NonZero": _nonzero,
    "Range": _range,
    "ReduceL2": _reduce,
    "ReduceMax": _reduce,
    "ReduceMin": _reduce,
    "ReduceProd": _reduce,
    "ReduceSum": _reduce,
    "ReduceSumSquare": _reduce,
    "Reshape": _reshape,
    "ScatterElements": _same,
    "ScatterND": _same,
    "Shape": _shape,
    "Size": _scalar,
    "Slice": _slice,
    "Softmax": _same,
    "Squeeze": _squeeze,
    "TopK": _top_k,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}

# ---------------------------------------------------------------- elements of vectors of sizes


def _elements(s: Shapes, node: ir.Node) -> Shape | None:
    constant = _value(node)
    if constant is None or constant.dtype != ir.DataType.INT64 or constant.size > MOST_ELEMENTS:
        return None
    return tuple(map(dim, constant.numpy().ravel().tolist()))


def _passed(s: Shapes, node: ir.Node) -> Shape | None:
    return s.content(node.inputs[0])


def _joined(s: Shapes, node: ir.Node) -> Shape | None:
    parts = [part for part in map(s.content, node.inputs) if part is not None]
    return tuple(itertools.chain(*parts)) if len(parts) == len(node.inputs) else None


def _size(s: Shapes, node: ir.Node) -> Shape | None:
    shape = s.shape(node.inputs[0])
    return None if shape is None else (product(shape),)


def _product(s: Shapes, node: ir.Node) -> Shape | None:
    content = s.content(node.inputs[0])
    return None if content is None else (product(content),)


def _element(s: Shapes, node: ir.Node) -> Shape | None:
    content, places, shape = s.content(node.inputs[0]), s.constants(node.inputs[1]), s.shape(node.inputs[0])
    if content is None or places is None or shape is None or len(shape) != 1:
        return None
    return tuple(content[i] for i in places) if all(-len(content) <= i < len(content) for i in places) else None


def _arithmetic(combine: Callable[[Dim, Dim], Dim]) -> Rule:
    def content(s: Shapes, node: ir.Node) -> Shape | None:
        a, b = s.content(node.inputs[0]), s.content(_input(node, 1))
        if a is None or b is None or len(node.inputs) > 2:
            return None
        a, b = (a * len(b), b) if len(a) == 1 else (a, b * len(a)) if len(b) == 1 else (a, b)
        return tuple(combine(x, y) for x, y in zip(a, b, strict=True)) if len(a) == len(b) else None

    return content


CONTENTS: Mapping[str, Rule] = {
    "Add": _arithmetic(lambda x, y: x + y),
    "Cast": _passed,
    "Concat": _joined,
    "Constant": _elements,
    "Gather": _element,
    "Identity": _passed,
    "Max": _arithmetic(maximum),
    "Min": _arithmetic(minimum),
    "Mul": _arithmetic(lambda x, y: x * y),
    "ReduceProd": _product,
    "Reshape": _passed,
    "Shape": _selected,
    "Size": _size,
    "Squeeze": _passed,
    "Sub": _arithmetic(lambda x, y: x - y),
    "Unsqueeze": _passed,
}

__all__ = ["ELEMENTWISE", "RULES", "Shape", "Shapes", "attribute", "known_rank"]
