"""Attributes, subscripts and iteration of open values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.opened.operators import BOOL, given, no_array
from graph_program.extract.stage.operations import attributes, items, iteration, unpacking
from graph_program.extract.stage.values.open_values import Open, OpenDType, OpenShape
from graph_program.extract.stage.values.questions import is_just, is_known_as, known_value, one_or_many
from graph_program.extract.stage.values.values import (
    ArrayMethod,
    SliceValue,
    Static,
    Tensor,
    Tuple,
    Value,
    is_numeric_static,
    size_of,
)
from graph_program.extract.types.dims import Dim, dim, product
from graph_program.extract.types.notation.terms import ShapeTerm, TypeTerm
from graph_program.extract.types.tensors.shape_arithmetic import INT64_MAX, INT64_MIN, slice_length
from graph_program.extract.types.tensors.tensor_type import PY_INT

if TYPE_CHECKING:
    from graph_program.extract.types.solving.solver import Origin

# ---------------------------------------------------------------- attributes


@attributes.attribute.of(Open)
def attribute(m: Machine, value: Open, name: str) -> Value:
    """`x.name`."""
    found = ATTRIBUTES.get(name)
    if found is not None:
        return found(m, value)
    if hasattr(np.ndarray, name):
        return ArrayMethod(value, name)
    return no_array(m, value)


def _shape(m: Machine, value: Open) -> Value:
    dims = m.inferring.known_dims(value.term.shape)
    if dims is None:
        return OpenShape(value)
    return Tuple(tuple(m.inferring.unknown_number(m, PY_INT, d) for d in dims))


def _ndim(m: Machine, value: Open) -> Value:
    dims = m.inferring.known_dims(value.term.shape)
    return m.inferring.unknown_number(m, PY_INT) if dims is None else Static(len(dims))


def _size(m: Machine, value: Open) -> Value:
    dims = m.inferring.known_dims(value.term.shape)
    return m.inferring.unknown_number(m, PY_INT, None if dims is None else product(dims))


def _dtype(m: Machine, value: Open) -> Value:
    dtype = m.inferring.solver.resolve(value.term).dtype
    return Static(dtype) if isinstance(dtype, np.dtype) else OpenDType(value)


def transposed(m: Machine, value: Open) -> Value:
    """`x.T`; an array of open rank is taken for a matrix."""
    inference = m.inferring
    dims = (inference.solver.fresh_dim(), inference.solver.fresh_dim())
    if inference.known_dims(value.term.shape) is None:
        inference.suppose(
            m,
            f"{value.name or '_'}.T",
            lambda origin: inference.solver.equal_shapes(value.term.shape, dims, origin),
        )
    term = inference.solver.resolve(value.term)
    parts = (s if isinstance(s, Dim) else inference.solver.fresh_rank() for s in reversed(term.shape))
    return given(m, TypeTerm(term.dtype, tuple(parts)))


def _matrix_transposed(m: Machine, value: Open) -> Value:
    inference = m.inferring

    def relate(origin: Origin) -> TypeTerm:
        rest, (a, b) = inference.back(value.term.shape, 2, origin)
        return TypeTerm(inference.solver.resolve(value.term).dtype, (*rest, b, a))

    return given(m, inference.constrain(m, f"{value.name or '_'}.mT", relate))


ATTRIBUTES: dict[str, Callable[[Machine, Open], Value]] = {
    "shape": _shape,
    "ndim": _ndim,
    "size": _size,
    "dtype": _dtype,
    "T": transposed,
    "mT": _matrix_transposed,
    "real": lambda m, value: value,
}

# ---------------------------------------------------------------- subscripts


def entries_of(key: Value) -> list[Value]:
    """The parts of a subscript."""
    return [Static(v) for v in key.value] if is_known_as(key, tuple) else list(one_or_many(key))


@items.item.of(Open, OpenShape)
def get_item(m: Machine, value: Open | OpenShape, key: Value) -> Value:
    """`x[key]`, or `x.shape[key]`."""
    if isinstance(value, OpenShape):
        return shape_item(m, value, key)
    if is_known_as(key, str):  # a dict
        return no_array(m, value)
    entries = entries_of(key)
    term = m.inferring.constrain(m, f"{value.name or '_'}[...]", lambda origin: item_term(m, value, entries, origin))
    return element(m, value, term)


def element(m: Machine, holder: Open, term: TypeTerm | None) -> Value:
    """A value read from another, which may turn out to be a list of structures."""
    found = given(m, term)
    if isinstance(found, Open):
        found.holder = holder.holder or holder.name
    return found


def item_term(m: Machine, value: Open, entries: Sequence[Value], origin: Origin) -> TypeTerm:
    """The type of `x[entries]`."""
    inference = m.inferring
    ellipsis = next((i for i, e in enumerate(entries) if is_just(e, Ellipsis)), None)
    first = list(entries if ellipsis is None else entries[:ellipsis])
    last = [] if ellipsis is None else list(entries[ellipsis + 1 :])
    dims, rest = inference.front(value.term.shape, sum(map(_axes(m), first)), origin)
    rest, end = inference.back(rest, sum(map(_axes(m), last)), origin)
    shape = (*_indexed(m, first, dims), *rest, *_indexed(m, last, end))
    return TypeTerm(inference.solver.resolve(value.term).dtype, shape)


def _axes(m: Machine) -> Any:
    def count(entry: Value) -> int:
        if is_just(entry, None):
            return 0
        shape = _mask_shape(m, entry)
        return 1 if shape is None else len(shape)

    return count


def _mask_shape(m: Machine, entry: Value) -> ShapeTerm | None:
    """The shape of a mask of known rank."""
    if not isinstance(entry, Open | Tensor):
        return None
    term = m.inferring.term(m, entry)
    if term is None or term.dtype != BOOL:
        return None
    return m.inferring.known_dims(term.shape) or None


def _indexed(m: Machine, entries: Sequence[Value], dims: Sequence[Dim]) -> ShapeTerm:
    """The axes that the entries of a subscript leave."""
    solver = m.inferring.solver
    left: list[Any] = []
    remaining = list(dims)
    for entry in entries:
        if is_just(entry, None):
            left.append(dim(1))
            continue
        mask = _mask_shape(m, entry)
        if mask is not None:
            del remaining[: len(mask)]
            left.append(solver.fresh_dim("k"))
            continue
        size = remaining.pop(0)
        if isinstance(entry, SliceValue):
            left.append(sliced(m, size, entry))
        elif isinstance(entry, Open | Tensor):
            term = m.inferring.term(m, entry)
            left.extend(term.shape if term is not None else ())
        elif not is_numeric_static(entry):
            left.append(solver.fresh_dim())
    return tuple(left)


def sliced(m: Machine, size: Dim, entry: SliceValue) -> Dim:
    """The length of a slice."""
    step = known_value(entry.step, 0)
    step = 1 if step is None else step
    fresh = m.inferring.solver.fresh_dim
    if not isinstance(step, int) or step == 0:
        return fresh()
    ends = (0, INT64_MAX) if step > 0 else (INT64_MAX, INT64_MIN)
    bounds = [
        dim(end) if is_just(bound, None) else size_of(m.inferring.integer(m, bound))
        for bound, end in zip((entry.start, entry.stop), ends, strict=True)
    ]
    return slice_length(size, bounds[0], bounds[1], step, lambda: fresh())


@items.write_item.of(Open)
def set_item(m: Machine, value: Open, key: Value, new: Value) -> None:
    """`x[key] = new`."""
    inference = m.inferring
    term = inference.term(m, new)
    entries = entries_of(key)

    def relate(origin: Origin) -> None:
        item = item_term(m, value, entries, origin)
        ranks = [inference.known_dims(s) for s in (item.shape, term.shape)] if term is not None else []
        longer = len(ranks) == 2 and None not in ranks and len(ranks[1] or ()) > len(ranks[0] or ())
        if term is not None and term.shape and not longer:  # NumPy drops leading axes of size 1
            joined = inference.solver.broadcast([item.shape, term.shape], origin)
            inference.solver.equal_shapes(joined, item.shape, origin)

    inference.constrain(m, f"{value.name or '_'}[...] = ...", relate)


def shape_item(m: Machine, value: OpenShape, key: Value) -> Value:
    """`x.shape[i]`."""
    inference, array = m.inferring, value.array
    if not is_known_as(key, int):
        return inference.lost(m)
    i: int = key.value

    def relate(origin: Origin) -> Dim:
        if i >= 0:
            return inference.front(array.term.shape, i + 1, origin)[0][i]
        return inference.back(array.term.shape, -i, origin)[1][0]

    size = inference.constrain(m, f"{array.name or '_'}.shape[{i}]", relate)
    return inference.unknown_number(m, PY_INT, size)


# ---------------------------------------------------------------- iteration


@unpacking.elements_as_asked.of(OpenShape)
def sizes(m: Machine, value: OpenShape, wanted: int) -> list[Value]:
    """`n, d = x.shape`."""
    inference, array = m.inferring, value.array
    dims = tuple(inference.solver.fresh_dim() for _ in range(wanted))

    def relate(origin: Origin) -> None:
        inference.solver.equal_shapes(array.term.shape, dims, origin)

    inference.constrain(m, f"{wanted} names = {array.name or '_'}", relate)
    return [inference.unknown_number(m, PY_INT, inference.solver.resolve(d)) for d in dims]


@unpacking.elements_as_asked.of(Open)
def unpacked(m: Machine, value: Open, wanted: int) -> list[Value]:
    """`a, b = x`."""

    def relate(origin: Origin) -> None:
        (length,), _ = m.inferring.front(value.term.shape, 1, origin)
        m.inferring.solver.equal_dims(length, dim(wanted), origin)

    m.inferring.constrain(m, f"{wanted} names = {value.name or '_'}", relate)
    return [row(m, value) for _ in range(wanted)]


def length(m: Machine, value: Open) -> Value:
    """`len(x)`."""
    inference = m.inferring
    size = inference.constrain(
        m, f"len({value.name or '_'})", lambda origin: inference.front(value.term.shape, 1, origin)[0][0]
    )
    return inference.unknown_number(m, PY_INT, size)


iteration.source.register(Open, lambda m, value: iteration.Source(lambda: length(m, value), lambda k: row(m, value)))


def row(m: Machine, value: Open) -> Value:
    """An element of `for row in x`."""
    inference = m.inferring

    def relate(origin: Origin) -> TypeTerm:
        _, rest = inference.front(value.term.shape, 1, origin)
        return TypeTerm(inference.solver.resolve(value.term).dtype, rest)

    return element(m, value, inference.constrain(m, f"for _ in {value.name or '_'}", relate))
