"""The same elements in another arrangement, and arrays from numbers and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graph_program.backends.c.arrays import Array, Layout, in_memory
from graph_program.backends.c.c_types import kept_type, literal, local_type
from graph_program.backends.c.expression import (
    ONE,
    ZERO,
    Expr,
    choice,
    constant_of,
    infix,
    is_simple,
    plus,
    product,
    times,
)
from graph_program.backends.c.function import APART, Function, rule
from graph_program.backends.c.loops import room
from graph_program.backends.c.readers import READS_ONCE
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.types.dims import dim, provably_less_equal

READS_ONCE |= {"transpose", "expand_dims", "squeeze", "reshape", "concatenate"}
READS_ONCE |= {"broadcast_to"}


@rule("constant")
def _constant(fn: Function, node: Node) -> Array | Expr:
    value, array = node.outputs[0], np.asarray(node.attrs["value"])
    if not value.type.rank:
        return literal(array.dtype, array[()])
    return fn.constant(value, array)


@rule("full")
def _full(fn: Function, node: Node) -> Array:
    element = fn.number(node.inputs[0])
    if not is_simple(element):
        element = fn.variable(local_type(node.inputs[0].type.dtype), "value", element)
    shape = [fn.size(fn.number(size)) for size in node.inputs[1:]]
    return Array(node.outputs[0].type.dtype, tuple(shape), lambda at: element, lambda at: element, work=0)


@rule("iota")
def _iota(fn: Function, node: Node) -> Array:
    found = fn.number(node.inputs[0])
    low = fn.ranges.of(node.inputs[0])
    if low is None or not provably_less_equal(dim(0), low[0]):
        found = fn.call("gp_maximum_i64", found, ZERO)
    size = fn.size(found)
    return Array(node.outputs[0].type.dtype, (size,), lambda at: at[0], lambda at: at)


@rule("dim")
def _dim(fn: Function, node: Node) -> Expr:
    axis: int = node.attrs["axis"]
    return fn.array(node.inputs[0]).shape[axis]


@rule("transpose")
def _transpose(fn: Function, node: Node) -> Array:
    array, perm = fn.array(node.inputs[0]), node.attrs["perm"]
    back = [perm.index(axis) for axis in range(len(perm))]
    turned = [array.shape[axis] for axis in perm]
    return array.view(turned, lambda at: [at[axis] for axis in back], lambda layout: layout.turned(perm))


@rule("expand_dims", "squeeze")
def _units(fn: Function, node: Node) -> Array:
    """Axes of size 1 come and go."""
    array, axes = fn.array(node.inputs[0]), node.attrs["axes"]
    shape = list(array.shape)
    if node.op == "squeeze":
        shape = [size for axis, size in enumerate(shape) if axis not in axes]
    else:
        for axis in sorted(axes):
            shape.insert(axis, Expr("1"))

    def indices(at: Sequence[Expr]) -> list[Expr]:
        found = list(at)
        if node.op == "squeeze":
            for axis in sorted(axes):
                found.insert(axis, ZERO)
            return found
        return [index for axis, index in enumerate(found) if axis not in axes]

    if array.place is not None:
        return in_memory(array.place, array.dtype, shape)

    def layout(own: Layout) -> Layout:
        if node.op == "squeeze":
            return own.turned([axis for axis in range(array.rank) if axis not in axes])
        steps = iter(own.steps)
        return replace(own, steps=tuple(ZERO if axis in axes else next(steps) for axis in range(len(shape))))

    view = array.view(shape, indices, layout)
    return replace(view, flat=array.flat, moved=array.moved)


@rule("reshape")
def _reshape(fn: Function, node: Node) -> Array:
    value = node.outputs[0]
    source = fn.array(node.inputs[0])
    if source.flat is None:
        source = fn.stored(node.inputs[0])
    sizes = [fn.number(size) for size in node.inputs[1:]]
    shape = [
        Expr(str(d.constant)) if d.constant is not None else s for d, s in zip(value.type.shape, sizes, strict=True)
    ]
    shape = [size if constant_of(size) is not None else fn.size(size) for size in shape]
    signed = [axis for axis, value_ in enumerate(node.inputs[1:]) if not _is_size(fn, value_, shape[axis])]
    shape = [_rest(fn, source, shape, axis) if axis in signed else size for axis, size in enumerate(shape)]
    if source.place is not None:
        return in_memory(source.place, source.dtype, shape)
    return source.reshaped(shape)


def _is_size(fn: Function, value: Value, size: Expr) -> bool:
    """Whether a number is not -1, which stands for what the other sizes leave."""
    if constant_of(size) is not None:
        return size.text != "-1"
    found = fn.ranges.of(value)
    return found is not None and provably_less_equal(dim(0), found[0])


def _rest(fn: Function, source: Array, shape: Sequence[Expr], axis: int) -> Expr:
    """What the other sizes leave, where a size is -1."""
    size = shape[axis]
    others = product(own for k, own in enumerate(shape) if k != axis)
    left = choice(infix(">", others, ZERO), infix("/", source.size, others), ZERO)
    return fn.size(left if size.text == "-1" else choice(infix("<", size, ZERO), left, size))


@rule("broadcast_to")
def _broadcast(fn: Function, node: Node) -> Array:
    source, value = node.inputs[0], node.outputs[0]
    shape = [fn.size(fn.number(size)) for size in node.inputs[1:]]
    if not source.type.rank:
        element = fn.number(source)
        if not is_simple(element):
            element = fn.variable(local_type(source.type.dtype), "value", element)
        return Array(value.type.dtype, tuple(shape), lambda at: element, lambda at: element)
    array = fn.array(source) if not fn.array(source).work else fn.stored(source)
    behind = len(shape) - array.rank

    def indices(at: Sequence[Expr]) -> list[Expr]:
        return [
            ZERO if own.text == "1" else _own(index, own, size)
            for index, own, size in zip(at[behind:], array.shape, shape[behind:], strict=True)
        ]

    return array.view(shape, indices)


def _own(index: Expr, own: Expr, size: Expr) -> Expr:
    if own.text == size.text or own.text.isdigit():
        return index
    return infix("*", infix("!=", own, ONE), index)


@rule("concatenate")
def _concatenate(fn: Function, node: Node) -> Array:
    value, axis = node.outputs[0], node.attrs["axis"]
    first = fn.values.get(node.inputs[0])
    if isinstance(first, Array) and first.place is not None and first.place.block and axis == 0:
        grown = _appended(fn, node, first)
        if grown is not None:
            return grown
    arrays = [fn.array(x) for x in node.inputs]
    constant = value.type.shape[axis].constant
    total = Expr(str(constant)) if constant is not None else ZERO
    if constant is None:
        for array in arrays:
            total = plus(total, array.shape[axis])
        total = fn.size(total)
    shape = [*arrays[0].shape[:axis], total, *arrays[0].shape[axis + 1 :]]
    place = fn.allocate(value.type.dtype, shape, value.name, value)
    start = ZERO
    made = in_memory(place, value.type.dtype, shape)
    for array in arrays:
        _put(fn, made, array, axis, start)
        start = plus(start, array.shape[axis])
    return made


def _put(fn: Function, made: Array, array: Array, axis: int, start: Expr) -> None:
    """Write an array into a larger one."""
    assert made.place is not None
    if axis == 0 and (array.flat is not None):
        inner = product(array.shape[1:])
        fn.fill(made.place, replace(array, place=None), _times(start, inner))
        return
    with fn.indices(array.shape, APART) as at:
        target = [plus(start, index) if k == axis else index for k, index in enumerate(at)]
        fn.store(made, target, array.at(at))


def _times(a: Expr, b: Expr) -> Expr:
    made = times(a, b)
    return made if made.level <= 3 else Expr(f"({made.text})", 0, made.reads)


def _appended(fn: Function, node: Node, first: Array) -> Array | None:
    """Elements put behind those of an array that grows and that nobody else reads."""
    if not fn.may_write(node.inputs[0], node):
        return None
    place = first.place
    assert place is not None
    rest = [fn.array(x) for x in node.inputs[1:]]
    rest = [fn.materialized(x) if x.reads & (place.memory | {place.name}) else x for x in rest]
    total = first.shape[0]
    for array in rest:
        total = plus(total, array.shape[0])
    total = fn.variable("int64_t", "size", total)
    shape = [total, *first.shape[1:]]
    c_type = kept_type(first.dtype)
    fn.line(f"{place.name} = {room(fn, place, c_type, product(shape))};")
    fn.line(f"if (!{place.name}) goto no_memory;")
    made = in_memory(place, first.dtype, shape)
    start = first.shape[0]
    for array in rest:
        _put(fn, made, array, 0, start)
        start = plus(start, array.shape[0])
    return made
