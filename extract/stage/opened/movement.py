"""Functions that move elements of open values: reshape, transpose, stack, concatenate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.opened import subscripts
from graph_program.extract.stage.opened.operators import given
from graph_program.extract.stage.opened.schemes import dims_of, flat, scheme, stacked, static_int, term_of
from graph_program.extract.stage.operations.iteration import sequence_items
from graph_program.extract.stage.values.open_values import Open, OpenShape
from graph_program.extract.stage.values.questions import one_or_tuple
from graph_program.extract.stage.values.values import NONE, Static, Tuple, Value, size_of
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.notation.terms import ShapeTerm, TypeTerm
from graph_program.extract.types.tensors.shape_arithmetic import reshape_dims

if TYPE_CHECKING:
    from graph_program.extract.types.solving.solver import Origin


@scheme("ravel", "flatten")
def ravel(m: Machine, a: Value, *args: Value, **keywords: Value) -> Value:
    term = term_of(m, a)
    return given(m, TypeTerm(term.dtype, flat(m, term.shape)))


@scheme("reshape")
def reshape(m: Machine, a: Value, *shape: Value, **keywords: Value) -> Value:
    """`x.reshape(2, -1)`, `np.reshape(x, (2, -1))`."""
    inference = m.inferring
    term = term_of(m, a)
    given_shape = keywords.get("shape", one_or_tuple(shape))
    if isinstance(given_shape, OpenShape):
        return given(m, TypeTerm(term.dtype, dims_of(m, given_shape)))
    if isinstance(given_shape, Open) and (given_shape.lost or given_shape.term.shape):  # an int, or any shape
        return given(m, TypeTerm(term.dtype, (inference.solver.fresh_rank(),)))
    items = sequence_items(m, given_shape)
    sizes = [size_of(inference.integer(m, v)) for v in (items if items is not None else [given_shape])]
    known = inference.known_dims(term.shape)
    if known is not None:
        return given(m, TypeTerm(term.dtype, m.by_rule(reshape_dims, known, sizes, inference.solver.fresh_dim)))
    minus = dim(-1)
    return given(
        m, TypeTerm(term.dtype, tuple(inference.solver.fresh_dim() if s is None or s == minus else s for s in sizes))
    )


@scheme("transpose")
def transpose(m: Machine, a: Value, *axes: Value, **keywords: Value) -> Value:
    if not isinstance(a, Open):
        return m.inferring.lost(m)
    wanted = keywords.get("axes", axes[0] if len(axes) == 1 else Tuple(tuple(axes)))
    order = [static_int(v) for v in (sequence_items(m, wanted) or [])]
    if not order:
        return subscripts.transposed(m, a)
    if any(i is None or not -len(order) <= i < len(order) for i in order):
        return m.inferring.lost(m)

    def relate(origin: Origin) -> TypeTerm:
        dims = tuple(m.inferring.solver.fresh_dim() for _ in order)
        m.inferring.solver.equal_shapes(a.term.shape, dims, origin)
        shape = tuple(dims[i] for i in order if i is not None)
        return TypeTerm(m.inferring.solver.resolve(a.term).dtype, shape)

    return given(m, m.inferring.constrain(m, "transpose", relate))


@scheme("swapaxes")
def swapaxes(m: Machine, a: Value, axis1: Value, axis2: Value) -> Value:
    i, j = static_int(axis1), static_int(axis2)
    return moved(m, a, i, j, lambda dims, p, q: [dims[q if k == p else p if k == q else k] for k in range(len(dims))])


@scheme("moveaxis")
def moveaxis(m: Machine, a: Value, source: Value, destination: Value) -> Value:
    def move(dims: list[Dim], p: int, q: int) -> list[Dim]:
        rest = [d for k, d in enumerate(dims) if k != p]
        return [*rest[:q], dims[p], *rest[q:]]

    return moved(m, a, static_int(source), static_int(destination), move)


def moved(
    m: Machine, a: Value, i: int | None, j: int | None, move: Callable[[list[Dim], int, int], list[Dim]]
) -> Value:
    """Axes `i` and `j` in other places; both counted from the same end where the rank is open."""
    inference = m.inferring
    term = term_of(m, a)
    known = inference.known_dims(term.shape)
    if i is None or j is None or (known is None and (i < 0) is not (j < 0)):
        return inference.lost(m)

    def relate(origin: Origin) -> TypeTerm:
        if known is not None:
            return TypeTerm(term.dtype, tuple(move(list(known), i % len(known), j % len(known))))
        if i < 0:
            rest, dims = inference.back(term.shape, -min(i, j), origin)
            return TypeTerm(term.dtype, (*rest, *move(dims, len(dims) + i, len(dims) + j)))
        dims, rest = inference.front(term.shape, max(i, j) + 1, origin)
        return TypeTerm(term.dtype, (*move(dims, i, j), *rest))

    return given(m, inference.constrain(m, "axes moved", relate))


@scheme("expand_dims")
def expand_dims(m: Machine, a: Value, axis: Value) -> Value:
    inference, term, i = m.inferring, term_of(m, a), static_int(axis)
    if i is None:
        return inference.lost(m)

    def relate(origin: Origin) -> TypeTerm:
        before, behind = inference.before_axis(term.shape, i, origin)
        return TypeTerm(term.dtype, (*before, dim(1), *behind))

    return given(m, inference.constrain(m, "np.expand_dims", relate))


@scheme("squeeze")
def squeeze(m: Machine, a: Value, axis: Value = NONE) -> Value:
    inference, term, i = m.inferring, term_of(m, a), static_int(axis)
    if i is None:
        return inference.lost(m)

    def relate(origin: Origin) -> TypeTerm:
        before, one, behind = inference.around_axis(term.shape, i, origin)
        inference.solver.equal_dims(one, dim(1), origin)
        return TypeTerm(term.dtype, (*before, *behind))

    return given(m, inference.constrain(m, "np.squeeze", relate))


@scheme("broadcast_to")
def broadcast_to(m: Machine, a: Value, shape: Value, *args: Value) -> Value:
    term, target = term_of(m, a), dims_of(m, shape)
    solver = m.inferring.solver
    m.inferring.constrain(
        m,
        "np.broadcast_to",
        lambda origin: solver.equal_shapes(solver.broadcast([term.shape, target], origin), target, origin),
    )
    return given(m, TypeTerm(term.dtype, target))


@scheme("stack")
def stack(m: Machine, arrays: Value, axis: Value = NONE, *args: Value, **keywords: Value) -> Value:
    items, i = sequence_items(m, arrays), static_int(axis) if axis is not NONE else 0
    if items is None or i is None:
        return m.inferring.lost(m)
    term = stacked(m, items)
    first, rest = term.shape[0], term.shape[1:]

    def relate(origin: Origin) -> TypeTerm:
        before, behind = m.inferring.before_axis(rest, i, origin)
        return TypeTerm(term.dtype, (*before, first, *behind))

    return given(m, m.inferring.constrain(m, "np.stack", relate))


@scheme("concatenate", "append")
def concatenate(m: Machine, arrays: Value, *args: Value, **keywords: Value) -> Value:
    """`np.concatenate(arrays, axis)`: other dims are equal, those along the axis add up."""
    axis = keywords.get("axis", args[0] if args else Static(0))
    items, i = sequence_items(m, arrays), static_int(axis)
    if items is None or i is None:
        return m.inferring.lost(m)
    terms = [term_of(m, v) for v in items]
    return given(m, m.inferring.constrain(m, "np.concatenate", lambda origin: joined(m, terms, i, origin)))


def joined(m: Machine, terms: Sequence[TypeTerm], axis: int, origin: Origin) -> TypeTerm:
    """The type of arrays joined along an axis."""
    inference, total = m.inferring, dim(0)
    before: ShapeTerm = ()
    after: ShapeTerm = ()
    for k, term in enumerate(terms):
        if axis >= 0:
            dims, rest = inference.front(term.shape, axis + 1, origin)
            ours: tuple[ShapeTerm, ShapeTerm] = tuple(dims[:axis]), rest
            total = total + dims[axis]
        else:
            lead, dims = inference.back(term.shape, -axis, origin)
            ours = lead, tuple(dims[1:])
            total = total + dims[0]
        if k:
            inference.solver.equal_shapes(before, ours[0], origin)
            inference.solver.equal_shapes(after, ours[1], origin)
        else:
            before, after = ours
    dtype = inference.solver.promote([t.dtype for t in terms], origin)
    return TypeTerm(dtype, (*before, total, *after))


@scheme("take")
def take(m: Machine, a: Value, indices: Value, axis: Value = NONE, *args: Value, **keywords: Value) -> Value:
    inference, term, places, i = m.inferring, term_of(m, a), term_of(m, indices), static_int(axis)
    if axis is NONE or i is None:
        return given(m, TypeTerm(term.dtype, places.shape))

    def relate(origin: Origin) -> TypeTerm:
        before, _, behind = inference.around_axis(term.shape, i, origin)
        return TypeTerm(term.dtype, (*before, *places.shape, *behind))

    return given(m, inference.constrain(m, "np.take", relate))
