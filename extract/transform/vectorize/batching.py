"""How each operation is done for all lanes at once: one rule for each, as in JAX's `vmap` and TensorFlow's `pfor`.

An operation that has no rule keeps its loop.
"""

from __future__ import annotations

import functools
import string
from collections.abc import Callable

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.sizes_read import EXTREMES, axes_of
from graph_program.extract.transform.vectorize.lanes import Lanes, Mask, indexed, inside
from graph_program.extract.transform.vectorize.maker import INT64_MAX, Maker
from graph_program.extract.transform.vectorize.reasons import StaysLoop
from graph_program.extract.transform.vectorize.windows import windows
from graph_program.extract.types.dims import Dim, dim, provably_equal, provably_less_equal
from graph_program.extract.types.tensors.tensor_type import TensorType
from graph_program.tensor_api.opdef import OPS

Rule = Callable[[Lanes, Node, Mask], Value]
SMALL_ROW = 16
"""Rows of so many elements are taken whole, though one element of each is wanted."""


def batched(lanes: Lanes, node: Node, mask: Mask) -> Value:
    """What an operation gives in all lanes, if an operand varies.

    Raises
    ------
    StaysLoop
        If there is no rule for it.
    """
    rule = RULES.get(node.op) or FAMILIES.get(OPS[node.op].family if node.op in OPS else "")
    if rule is None:
        raise StaysLoop(node.loc, f"there is no form of `{node.op}` for all rounds at once")
    if node.op in ("take", "gather_nd") and lanes.first is not None and not node.outputs[0].type.rank:
        empty = lanes.perhaps_empty(node, mask)
        if empty:
            return _where_filled(lanes, node, mask, rule, empty)
    if lanes.is_in_vain(mask) and is_told(lanes, node) and not lanes.cannot_fail(node):
        return _of_some(lanes, node, mask, rule)
    return rule(lanes, node, mask)


def is_told(lanes: Lanes, node: Node) -> bool:
    """Whether a check says so where an operation finds no elements, so that it may give anything then."""
    return node.op in EXTREMES and not lanes.maker.rewriter.program.leaves_checks


def _of_some(lanes: Lanes, node: Node, mask: Mask, rule: Rule) -> Value:
    """The greatest, or least, of elements in each lane, or zeros where there are none."""
    maker, (x,), output = lanes.maker, node.inputs, node.outputs[0]
    varies = lanes.varies(x)
    axes = [axis for axis in axes_of(node) if not maker.numbers.is_positive(x.type.shape[axis])]
    tests = [maker.op("less", maker.constant(0), maker.op("dim", lanes.get(x), axis=axis + varies)) for axis in axes]

    def found() -> Value:
        return rule(lanes, node, mask) if varies else maker.op(node.op, lanes.get(x), **node.attrs)

    def none() -> Value:
        sizes = [lanes.count] * varies + [maker.size(size) for size in output.type.shape]
        return maker.op("full", maker.constant(0, output.type.dtype), *sizes)

    made = _either(lanes, node, functools.reduce(_both(maker), tests), found, none) if tests else found()
    if axes:
        lanes.stand_ins[output] = frozenset(x.type.shape[axis] for axis in axes)
    return made if varies else _same_for_all(lanes, made)


def _where_filled(lanes: Lanes, node: Node, mask: Mask, rule: Rule, empty: list[tuple[Dim, Value]]) -> Value:
    """Elements of an array, if it has any, and zeros otherwise: a block of rounds must not copy all of the array.

    Where it has none, and one is wanted all the same, the operation itself says so, if no check does.
    """
    maker, wanted = lanes.maker, lanes.mask_of(mask)
    tests = [maker.op("less", maker.constant(0), count) for _, count in empty]
    test = functools.reduce(_both(maker), tests)

    def elements() -> Value:
        lanes.filled = tuple(size for size, _ in empty)
        try:
            return rule(lanes, node, mask)
        finally:
            lanes.filled = ()

    def zeros() -> Value:
        return lanes.spread(maker.constant(0, node.outputs[0].type.dtype), 0)

    def none_there() -> Value:
        assert wanted is not None
        some = maker.op("any", wanted, axes=tuple(range(wanted.type.rank)), keepdims=False)
        return _either(lanes, node, some, elements, zeros)

    told = not maker.rewriter.program.leaves_checks or all(inside(lanes, *pair, mask) for pair in indexed(node))
    return _either(lanes, node, test, elements, zeros if told or wanted is None else none_there)


def _both(maker: Maker) -> Callable[[Value, Value], Value]:
    return lambda a, b: maker.op("bitwise_and", a, b)


def _either(lanes: Lanes, node: Node, test: Value, body: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
    """What stands for the result of an operation: one of two values, only one of which is computed."""
    maker, regions, made = lanes.maker, [], None
    for side in (body, orelse):
        mark = maker.mark()
        value = side()
        made = made or value
        regions.append(maker.graph([], [value], mark))
    assert made is not None
    output = Value(maker.rewriter.names.fresh(node.outputs[0].name), made.type)
    maker.add(Node("if", [test], [output], {}, regions, node.loc))
    return output


def _elementwise(lanes: Lanes, node: Node, mask: Mask) -> Value:
    rank = node.outputs[0].type.rank
    return lanes.maker.op(node.op, *(lanes.aligned(value, rank) for value in node.inputs), **node.attrs)


def _axis(lanes: Lanes, node: Node, mask: Mask) -> Value:
    """An operation along one axis."""
    if node.op in ("sort", "argsort"):
        lanes.needs_round = True
    attrs = {**node.attrs, "axis": node.attrs["axis"] + 1}
    return lanes.maker.op(node.op, lanes.get(node.inputs[0]), **attrs)


def _axes(lanes: Lanes, node: Node, mask: Mask) -> Value:
    """An operation along some axes."""
    attrs = {**node.attrs, "axes": tuple(axis + 1 for axis in node.attrs["axes"])}
    return lanes.maker.op(node.op, lanes.get(node.inputs[0]), **attrs)


def _transpose(lanes: Lanes, node: Node, mask: Mask) -> Value:
    perm = (0, *(axis + 1 for axis in node.attrs["perm"]))
    return lanes.maker.op("transpose", lanes.get(node.inputs[0]), perm=perm)


def _concatenate(lanes: Lanes, node: Node, mask: Mask) -> Value:
    parts = [lanes.each(value) for value in node.inputs]
    return lanes.maker.op("concatenate", *parts, axis=node.attrs["axis"] + 1)


def _slice(lanes: Lanes, node: Node, mask: Mask) -> Value:
    x, *bounds = node.inputs
    if any(map(lanes.varies, bounds)):
        found = windows(lanes, node)
        if found is None:
            raise StaysLoop(node.loc, "each round reads another slice")
        return found
    axes = tuple(axis + 1 for axis in node.attrs["axes"])
    return lanes.maker.op("slice", lanes.get(x), *map(lanes.get, bounds), axes=axes, steps=node.attrs["steps"])


def _sizes(lanes: Lanes, node: Node) -> list[Value]:
    """The sizes that an operation is given."""
    sizes = node.inputs[1:]
    if any(map(lanes.varies, sizes)):
        raise StaysLoop(node.loc, "each round makes an array of another size")
    return [lanes.get(size) for size in sizes]


def _iota(lanes: Lanes, node: Node, mask: Mask) -> Value:
    raise StaysLoop(node.loc, "each round counts up to another number")


def _full(lanes: Lanes, node: Node, mask: Mask) -> Value:
    sizes = _sizes(lanes, node)
    value = lanes.aligned(node.inputs[0], len(sizes))
    return lanes.maker.op("broadcast_to", value, lanes.count, *sizes)


def _reshape(lanes: Lanes, node: Node, mask: Mask) -> Value:
    sizes = _sizes(lanes, node)
    x, maker = lanes.get(node.inputs[0]), lanes.maker
    numbers = [maker.numbers.of(size) for size in sizes]
    if numbers == [dim(-1)]:
        whole = [maker.op("dim", x, axis=axis) for axis in range(1, x.type.rank)] or [maker.constant(1)]
        sizes = [functools.reduce(lambda a, b: maker.op("multiply", a, b), whole)]
    elif any(number is None or number.constant == -1 for number in numbers):
        sizes = [maker.size(size) for size in node.outputs[0].type.shape]
    return maker.op("reshape", x, lanes.count, *sizes)


def _take(lanes: Lanes, node: Node, mask: Mask) -> Value:
    x, index = node.inputs
    axis, maker = node.attrs["axis"], lanes.maker
    ((_, size),) = indexed(node)
    array, at = lanes.get(x), lanes.get(index)
    if not lanes.is_certain(node):
        array, at = lanes.safe_access(array, axis + lanes.varies(x), index, size, mask)
    varying = at.type.rank > index.type.rank
    if not lanes.varies(x):
        if varying:
            return _taken(lanes, node, array, at)
        return _same_for_all(lanes, maker.op("take", array, at, axis=axis))
    if not varying:
        return maker.op("take", array, at, axis=axis + 1)
    if axis:
        raise StaysLoop(node.loc, "there is no form of this subscript for all rounds at once")
    return maker.op("gather_nd", array, _lane_numbers(lanes, at.type.rank), at, axis=0)


def _same_for_all(lanes: Lanes, made: Value) -> Value:
    return lanes.spread(made, made.type.rank)


def _lane_numbers(lanes: Lanes, rank: int) -> Value:
    """The number of each lane, to index an array of lanes with an index of a rank."""
    return lanes.maker.expand(lanes.lanes, *range(1, rank))


def _taken(lanes: Lanes, node: Node, x: Value, at: Value) -> Value:
    """Elements of one array for all lanes; the array itself if they are all of them in order."""
    index = node.inputs[1]
    axis, maker = node.attrs["axis"], lanes.maker
    made = _run(lanes, x, index, axis) if at is lanes.get(index) else None
    if made is None:
        made = maker.op("take", x, at, axis=axis)
    if not axis:
        return made
    rest = [k for k in range(made.type.rank) if k != axis]
    return maker.op("transpose", made, perm=(axis, *rest))


def _run(lanes: Lanes, x: Value, index: Value, axis: int) -> Value | None:
    """Elements one behind the other, which are all there; None if they may not be."""
    if covers(lanes, index, x.type.shape[axis]):
        return x
    run = in_order(lanes, index, x.type.shape[axis])
    if run is None:
        return None
    made, shape = lanes.maker.op("slice", x, *run, axes=(axis,), steps=(1,)), x.type.shape
    made.type = TensorType(x.type.dtype, (*shape[:axis], lanes.size, *shape[axis + 1 :]), made.type.kind)
    return made


def in_order(lanes: Lanes, index: Value, size: Dim) -> tuple[Value, Value] | None:
    """The bounds of a slice of places that are one behind the other; None if they are others, or may be outside."""
    found = lanes.affine_of(index)
    if found is None or found.base is None or not is_in_order(lanes, index, size):
        return None
    start, trips = lanes.start(found), lanes.maker.numbers.of(lanes.trips)
    behind = None if trips is None or lanes.first is not None else (size - found.base - trips).constant
    if behind is None or behind < 0:
        return start, lanes.maker.op("add", start, lanes.count)
    return start, lanes.maker.constant(-behind if behind else INT64_MAX)


def is_in_order(lanes: Lanes, index: Value, size: Dim) -> bool:
    """Whether places are one behind the other, and all inside."""
    found, ends = lanes.affine_of(index), lanes.range_of(index)
    if found is None or found.factor != 1 or found.base is None or ends is None:
        return False
    return provably_less_equal(0, ends[0]) and provably_less_equal(ends[1] + 1, size)


def covers(lanes: Lanes, index: Value, size: object) -> bool:
    """Whether an index is 0, 1, ... up to a size, a number in each round."""
    found = lanes.affine_of(index)
    whole = found is not None and found.factor == 1 and found.base is not None and found.base.constant == 0
    return whole and lanes.first is None and provably_equal(lanes.size, size)  # type: ignore[arg-type]


def _gather_nd(lanes: Lanes, node: Node, mask: Mask) -> Value:
    x, *indices = node.inputs
    maker, axis = lanes.maker, node.attrs["axis"]
    array, made = lanes.get(x), []
    for k, (index, size) in enumerate(indexed(node)):
        at = lanes.get(index)
        if not lanes.is_certain(node):
            array, at = lanes.safe_access(array, axis + k + lanes.varies(x), index, size, mask)
        made.append(at)
    varying = [m.type.rank > index.type.rank for index, m in zip(indices, made, strict=True)]
    rank = max(index.type.rank for index in indices)
    if not any(varying):
        if lanes.varies(x):
            return maker.op("gather_nd", array, *made, axis=axis + 1)
        return _same_for_all(lanes, maker.op("gather_nd", array, *made, axis=axis))
    if axis:
        raise StaysLoop(node.loc, "there is no form of this subscript for all rounds at once")
    is_row = not lanes.varies(x) and len(indices) == 2 and rank == 0 and not all(varying)
    if is_row and not (lanes.is_certain(node) and lanes.needs_round_for(node)):
        return _row_or_column(lanes, node, array, made, varying)
    places = [_at_rank(lanes, m, v, rank) for m, v in zip(made, varying, strict=True)]
    if lanes.varies(x):
        places.insert(0, _lane_numbers(lanes, rank + 1))
    return maker.op("gather_nd", array, *places, axis=0)


def _at_rank(lanes: Lanes, made: Value, varying: bool, rank: int) -> Value:
    """An index such that indices of lanes of this rank broadcast."""
    return lanes.maker.expand(made, *range(1, 1 + rank - (made.type.rank - 1))) if varying else made


def _row_or_column(lanes: Lanes, node: Node, x: Value, made: list[Value], varying: list[bool]) -> Value:
    """Elements of one row, or of one column."""
    maker = lanes.maker
    first, second = made
    (number,) = (k for k, varies in enumerate(varying) if varies)
    index = node.inputs[1 + number]
    if number:
        row = maker.op("take", x, first, axis=0)
        some = _run(lanes, row, index, 0) if second is lanes.get(index) else None
        return maker.op("take", row, second, axis=0) if some is None else some
    rows = _run(lanes, x, index, 0) if first is lanes.get(index) else None
    if rows is not None:
        return maker.op("take", rows, second, axis=1)
    length = x.type.shape[1].constant
    if length is not None and length <= SMALL_ROW:
        return maker.op("take", maker.op("take", x, first, axis=0), second, axis=1)
    return maker.op("gather_nd", x, first, second, axis=0)


def _set_index(lanes: Lanes, node: Node, mask: Mask) -> Value:
    """Writing into an array that each lane has for itself."""
    x, value, *indices = node.inputs
    maker = lanes.maker
    if value.type.rank and value.type.shape != x.type.shape[len(indices) :]:
        raise StaysLoop(node.loc, "it may fail in rounds that do not do it")
    places = enumerate(zip(indices, x.type.shape, strict=False), lanes.varies(x))
    made = [lanes.safe_index(lanes.get(x), axis, index, size, mask) for axis, (index, size) in places]
    rest = x.type.shape[len(indices) :]
    base = lanes.each(x)
    sizes = [maker.op("dim", base, axis=1 + len(indices) + k) for k in range(len(rest))]
    values = lanes.fitted(value, rest, sizes)
    return maker.op("scatter_nd", base, values, lanes.lanes, *made, axis=0, unique=True)


def _scatter_nd(lanes: Lanes, node: Node, mask: Mask) -> Value:
    """Writing to places of an array that each lane has for itself."""
    x, value, *indices = node.inputs
    rank, rest = max(index.type.rank for index in indices), x.type.rank - len(indices)
    in_vain = lanes.is_in_vain(mask) and not lanes.is_certain(node)
    if in_vain or node.attrs["axis"] or value.type.rank != rank + rest:
        raise StaysLoop(node.loc, "there is no form of `scatter_nd` for all rounds at once")
    places = [_at_rank(lanes, lanes.get(index), lanes.varies(index), rank) for index in indices]
    places.insert(0, _lane_numbers(lanes, rank + 1))
    return lanes.maker.op("scatter_nd", lanes.each(x), lanes.each(value), *places, axis=0, unique=node.attrs["unique"])


def _set_slice(lanes: Lanes, node: Node, mask: Mask) -> Value:
    x, value, *bounds = node.inputs
    if any(map(lanes.varies, bounds)) or value.type.rank > x.type.rank:
        raise StaysLoop(node.loc, "each round writes another slice")
    axes = tuple(axis + 1 for axis in node.attrs["axes"])
    values = lanes.aligned(value, x.type.rank)
    return lanes.maker.op(
        "set_slice", lanes.each(x), values, *map(lanes.get, bounds), axes=axes, steps=node.attrs["steps"]
    )


def _matmul(lanes: Lanes, node: Node, mask: Mask) -> Value:
    a, b = node.inputs
    maker, ranks = lanes.maker, (lanes.lane_rank(a), lanes.lane_rank(b))
    left, right = lanes.get(a), lanes.get(b)
    if not lanes.varies(b) and ranks[0] in (1, 2) and ranks[1] <= 2:
        return maker.op("matmul", left, right)
    if max(ranks) > 2:
        raise StaysLoop(node.loc, "there is no form of this product for all rounds at once")
    if not lanes.varies(a) and ranks[1] == 1:
        turned = maker.op("transpose", left, perm=(1, 0)) if ranks[0] == 2 else left
        return maker.op("matmul", right, turned)
    drop: tuple[int, ...] = ()
    if ranks[0] == 1:
        left, drop = maker.expand(left, left.type.rank - 1), (*drop, -2)
    if ranks[1] == 1:
        right, drop = maker.expand(right, right.type.rank), (*drop, -1)
    made = maker.op("matmul", left, right)
    axes = tuple(sorted(made.type.rank + axis for axis in drop))
    return maker.op("squeeze", made, axes=axes) if axes else made


def _einsum(lanes: Lanes, node: Node, mask: Mask) -> Value:
    equation = node.attrs["equation"].replace(" ", "")
    inputs, output = equation.split("->")
    letter = next(c for c in string.ascii_letters if c not in equation)
    parts = [
        letter + part if lanes.varies(value) else part
        for part, value in zip(inputs.split(","), node.inputs, strict=True)
    ]
    return lanes.maker.op("einsum", *map(lanes.get, node.inputs), equation=f"{','.join(parts)}->{letter}{output}")


def _dft(lanes: Lanes, node: Node, mask: Mask) -> Value:
    return lanes.maker.op("dft", *map(lanes.each, node.inputs))


def _broadcast_to(lanes: Lanes, node: Node, mask: Mask) -> Value:
    return _full(lanes, node, mask)


def _same_float32(lanes: Lanes, node: Node, mask: Mask) -> Value:
    return (_axis if "axis" in node.attrs else _elementwise)(lanes, node, mask)


FAMILIES: dict[str, Rule] = {
    **dict.fromkeys(("elementwise", "predicate", "where", "cast"), _elementwise),
    **dict.fromkeys(("same", "positions", "arg_reduction"), _axis),
    "reduction": _axes,
    "same_float32": _same_float32,
}
RULES: dict[str, Rule] = {
    "transpose": _transpose,
    "expand_dims": _axes,
    "squeeze": _axes,
    "concatenate": _concatenate,
    "slice": _slice,
    "iota": _iota,
    "full": _full,
    "broadcast_to": _broadcast_to,
    "reshape": _reshape,
    "take": _take,
    "gather_nd": _gather_nd,
    "set_index": _set_index,
    "scatter_nd": _scatter_nd,
    "set_slice": _set_slice,
    "matmul": _matmul,
    "einsum": _einsum,
    "dft": _dft,
}

__all__ = ["batched", "covers"]
