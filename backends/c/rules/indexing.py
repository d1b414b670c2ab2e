"""Parts of an array, read and written.

What is written to is the array's own memory where nobody reads its old elements any more, else a copy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext

from graph_program.backends.c.arrays import Array, Element, Layout, Place, element_of, in_memory, position
from graph_program.backends.c.c_types import local_type
from graph_program.backends.c.expression import (
    ONE,
    ZERO,
    Expr,
    constant_of,
    is_simple,
    less,
    number,
    plus,
    product,
    times,
)
from graph_program.backends.c.function import APART, Function, rule
from graph_program.backends.c.readers import READS_ONCE
from graph_program.backends.c.rules.elementwise import added_to
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import dim, provably_less_equal
from graph_program.tensor_api.ops.indexing import INT64_MAX, INT64_MIN

READS_ONCE |= {"slice", "nonzero"}


def index(fn: Function, value: Value, size: Expr) -> Expr:
    """A position, of which negative ones count from the end."""
    found = fn.number(value)
    known = constant_of(found)
    if known is not None:
        return found if known >= 0 else plus(size, found)
    return found if _is_positive(fn, value) else fn.call("gp_index", found, size)


def _is_positive(fn: Function, value: Value) -> bool:
    """Whether a number, or each element of an array, is seen not to be negative."""
    found = fn.ranges.of(value)
    return found is not None and provably_less_equal(dim(0), found[0])


def _kept(fn: Function, value: Value) -> Array:
    """Positions that are read more than once."""
    return fn.stored(value) if value.type.rank and fn.array(value).work else fn.array(value)


FARTHEST = 2**62
"""No axis has so many elements: a step of more goes as far, and 64 bits have this one negated, too."""


@dataclass(frozen=True)
class Span:
    """Where a slice begins in an axis, how many elements it has, and how far these are from each other."""

    start: Expr
    count: Expr
    step: int

    def at(self, place: Expr) -> Expr:
        """The position in the array of one in the slice."""
        return (
            plus(self.start, times(place, number(self.step)))
            if self.step > 0
            else less(self.start, times(place, number(-self.step)))
        )


def spans(fn: Function, node: Node, array: Array, bounds: Sequence[Value]) -> dict[int, Span]:
    """The span of each sliced axis."""
    axes, steps = node.attrs["axes"], [max(-FARTHEST, min(step, FARTHEST)) for step in node.attrs["steps"]]
    half = len(axes)
    return {
        axis: _span(fn, fn.number(bounds[i]), fn.number(bounds[half + i]), array.shape[axis], steps[i])
        for i, axis in enumerate(axes)
    }


def _span(fn: Function, start: Expr, stop: Expr, size: Expr, step: int) -> Span:
    first, end = _bound(fn, start, size, step), _bound(fn, stop, size, step)
    if step == 1 and first.text == "0":
        return Span(ZERO, fn.size(end, "count"), 1)
    first = fn.size(first, "start") if constant_of(first) is None else first
    if constant_of(first) is not None and constant_of(end) is not None:
        return Span(first, number(len(range(int(first.text), int(end.text), step))), step)
    return Span(first, fn.size(fn.call("gp_count", first, end, number(step)), "count"), step)


def _bound(fn: Function, bound: Expr, size: Expr, step: int) -> Expr:
    """Where a slice begins or ends, with Python's meaning."""
    known = {"INT64_MAX": INT64_MAX, "INT64_MIN": INT64_MIN}.get(bound.text, constant_of(bound))
    length = constant_of(size)
    if known is not None and length is not None:
        low, high = (0, length) if step > 0 else (-1, length - 1)
        at = known + length if known < 0 else known
        return number(min(max(at, low), high))
    if known == INT64_MAX:
        return size if step > 0 else less(size, Expr("1"))
    if step > 0 and known == 0:
        return ZERO
    return fn.call("gp_bound" if step > 0 else "gp_bound_back", bound, size)


@rule("slice")
def _slice(fn: Function, node: Node) -> Array:
    array = fn.array(node.inputs[0])
    found = spans(fn, node, array, node.inputs[1:])
    shape = [found[axis].count if axis in found else size for axis, size in enumerate(array.shape)]

    def layout(own: Layout) -> Layout:
        starts = [found[k].start if k in found else ZERO for k in range(array.rank)]
        return own.moved(starts, [number(found[k].step) if k in found else ONE for k in range(array.rank)])

    return array.view(shape, lambda at: [found[k].at(i) if k in found else i for k, i in enumerate(at)], layout)


@rule("take")
def _take(fn: Function, node: Node) -> Array | Expr:
    x, indices = node.inputs
    return _gathered(fn, node, x, [indices], node.attrs["axis"])


@rule("gather_nd")
def _gather(fn: Function, node: Node) -> Array | Expr:
    x, *indices = node.inputs
    return _gathered(fn, node, x, indices, node.attrs["axis"])


def _gathered(fn: Function, node: Node, x: Value, indices: Sequence[Value], axis: int) -> Array | Expr:
    """Elements at positions."""
    array = fn.array(x)
    count = len(indices)
    if all(not i.type.rank for i in indices):
        fixed = [index(fn, i, array.shape[axis + k]) for k, i in enumerate(indices)]
        if array.rank == count:
            return array.at(fixed)
        fixed = [fn.size(i, "at") for i in fixed]
        rest = [*array.shape[:axis], *array.shape[axis + count :]]

        def layout(own: Layout) -> Layout:
            starts = [fixed[k - axis] if axis <= k < axis + count else ZERO for k in range(array.rank)]
            kept = [k for k in range(array.rank) if not axis <= k < axis + count]
            return own.moved(starts, [ONE] * array.rank).turned(kept)

        return array.view(rest, lambda at: [*at[:axis], *fixed, *at[axis:]], layout)
    if array.work:
        array = fn.stored(x)
    places = [fn.array(i) if fn.is_read_once(i) else _kept(fn, i) for i in indices]
    shape, element = _positions(fn, places)
    rank = len(shape)
    are_positive = [_is_positive(fn, i) for i in indices]

    def at(indices_: Sequence[Expr]) -> Expr:
        inner = element(indices_[axis : axis + rank])
        found = [i if are_positive[k] else fn.call("gp_index", i, array.shape[axis + k]) for k, i in enumerate(inner)]
        return array.at([*indices_[:axis], *found, *indices_[axis + rank :]])

    sizes = [*array.shape[:axis], *shape, *array.shape[axis + count :]]
    reads = array.reads.union(*(p.reads for p in places))
    stays = array.rank == count  # then a position is read for the element that is at its place
    moved = array.reads.union(*(p.moved if stays and _have_shape(p, sizes) else p.reads for p in places))
    return Array(array.dtype, tuple(sizes), at, None, reads, moved, 1)


def _have_shape(array: Array, shape: Sequence[Expr]) -> bool:
    return [size.text for size in array.shape] == [size.text for size in shape]


def _positions(fn: Function, places: Sequence[Array]) -> tuple[list[Expr], Callable[[Sequence[Expr]], list[Expr]]]:
    """The shape that index arrays broadcast to, and the indices at a place of it."""
    shape = fn.broadcast([p.shape for p in places])
    return shape, lambda at: [element_of(p, at, shape) for p in places]


def target(fn: Function, node: Node) -> Array:
    """The array that a node writes to: the operand's own memory, or a copy."""
    x = node.inputs[0]
    value = node.outputs[0]
    fn.place_of(node.loc)
    if x not in node.inputs[1:] and fn.may_write(x, node):
        found = fn.array(x)
        assert found.place is not None
        return found
    return fn.materialized(fn.array(x), value)


def _written(fn: Function, node: Node, value: Value, memory: frozenset[str]) -> None:
    """Compute what is written before it is written, if it reads that memory."""
    found = fn.values[value]
    if value is not node.inputs[0] and isinstance(found, Array) and found.rank and found.reads & memory:
        fn.values[value] = fn.materialized(found, None, "new")
        fn.pending.pop(value, None)


def _reads_only(fn: Function, place: Place, where: Expr, element: Expr) -> bool:
    """Whether an element is computed from that memory only as it is where the element is written."""
    memory = place.memory | {place.name}
    places = [v.place for v in fn.values.values() if isinstance(v, Array) and v.place is not None]
    names = memory | {other.name for other in places if (other.memory | {other.name}) & memory}
    text = element.text.replace(f"{place.name}[{where.text}]", "")
    return re.search(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b", text) is None


@rule("set_index")
def _set_index(fn: Function, node: Node) -> Array:
    x, value, *indices = node.inputs
    _written(fn, node, value, fn.array(x).reads)
    made = target(fn, node)
    at = [index(fn, i, made.shape[k]) for k, i in enumerate(indices)]
    if made.rank == len(at):
        fn.store(made, at, _broadcast(fn, value, ())(()) if value.type.rank else fn.number(value))
        return made
    at = [fn.size(i, "at") for i in at]
    element = _broadcast(fn, value, made.shape[len(at) :])
    with fn.indices(made.shape[len(at) :], APART) as rest:
        fn.store(made, [*at, *rest], element(rest))
    return made


def _broadcast(fn: Function, value: Value, shape: Sequence[Expr]) -> Element:
    """The element of what is written at a place, where it broadcasts."""
    if not value.type.rank:
        number_ = fn.number(value)
        if not is_simple(number_):
            number_ = fn.variable(local_type(value.type.dtype), "value", number_)
        return lambda at: number_
    array = fn.array(value)
    if array.work and array.rank and len(array.shape) != len(shape):
        array = fn.stored(value)
    if array.rank > len(shape):  # leading axes of size 1
        extra = array.rank - len(shape)
        array = array.view(array.shape[extra:], lambda at: [*[ZERO] * extra, *at])
    return lambda at: element_of(array, at, shape)


@rule("set_slice")
def _set_slice(fn: Function, node: Node) -> Array:
    x, value, *bounds = node.inputs
    before = fn.array(x)
    found = spans(fn, node, before, bounds)
    shape = [found[axis].count if axis in found else size for axis, size in enumerate(before.shape)]
    if not _is_written_over(fn, value, before, found, shape):
        _written(fn, node, value, before.reads)
    made = target(fn, node)
    element = _broadcast(fn, value, shape)
    with fn.twice(), fn.indices(shape, APART) as at:
        fn.store(made, [found[k].at(i) if k in found else i for k, i in enumerate(at)], element(at))
    return made


def _is_written_over(fn: Function, value: Value, before: Array, found: dict[int, Span], shape: Sequence[Expr]) -> bool:
    """Whether elements are computed from those that they are written over, and from no others of that memory."""
    array = fn.values[value]
    if not isinstance(array, Array) or array.place is not None or before.place is None or array.rank != len(shape):
        return False
    if not fn.is_read_once(value):
        return False
    at = [Expr(f"at_{axis}") for axis in range(len(shape))]
    where = position([found[k].at(i) if k in found else i for k, i in enumerate(at)], before.shape)
    with fn.apart() as lines:
        element = element_of(array, at, shape)
    return not lines and _reads_only(fn, before.place, where, element)


@rule("scatter_nd")
def _scatter(fn: Function, node: Node) -> Array:
    x, value, *indices = node.inputs
    axis = node.attrs["axis"]
    for operand in (value, *indices):
        _written(fn, node, operand, fn.array(x).reads)
    made = target(fn, node)
    places = [_kept(fn, i) for i in indices]
    shape, at_places = _positions(fn, places)
    count = len(indices)
    whole = [*made.shape[:axis], *shape, *made.shape[axis + count :]]
    element = _broadcast(fn, value, whole)
    with fn.indices(whole) as at:
        inner = at_places(at[axis : axis + len(shape)])
        found = [fn.call("gp_index", i, made.shape[axis + k]) for k, i in enumerate(inner)]
        fn.store(made, [*at[:axis], *found, *at[axis + len(shape) :]], element(at))
    return made


@rule("scatter_add")
def _scatter_add(fn: Function, node: Node) -> Array:
    x, value, indices = node.inputs
    for operand in (value, indices):
        _written(fn, node, operand, fn.array(x).reads)
    made = target(fn, node)
    places, added = fn.array(indices), fn.array(value)
    with fn.indices(places.shape) as at:
        where = [fn.call("gp_index", places.at(at), made.shape[0])]
        where = [fn.variable("int64_t", "at", where[0])]
        fn.store(made, where, added_to(fn, made.dtype, made.at(where), added.at(at)))
    return made


@rule("nonzero")
def _nonzero(fn: Function, node: Node) -> Array:
    """Two walks: how many there are, and where."""
    value = node.outputs[0]
    mask = fn.array(node.inputs[0])
    if mask.work > 4:
        mask = fn.stored(node.inputs[0])
    count, at_ = fn.fresh("count"), fn.fresh("at")
    fn.line(f"int64_t {count} = 0;")
    with fn.indices(mask.shape) as at:
        fn.line(f"{count} += {mask.at(at).within(2)};")
    shape = [number(mask.rank), Expr(count)]
    is_flat = mask.rank == 1  # then each index is written, and stays where the element holds: no branch
    room = plus(product(shape), ONE) if is_flat else product(shape)
    place = fn.allocate(value.type.dtype, [room], value.name, value)
    fn.line(f"int64_t {at_} = 0;")
    with fn.indices(mask.shape) as at, nullcontext() if is_flat else fn.block(f"if ({mask.at(at).text})"):
        for axis, found in enumerate(at):
            row = plus(times(number(axis), Expr(count)), Expr(at_))
            fn.line(f"{place.name}[{row.text}] = {found.text};")
        fn.line(f"{at_} += {mask.at(at).within(2)};" if is_flat else f"{at_}++;")
    return in_memory(place, value.type.dtype, shape)
