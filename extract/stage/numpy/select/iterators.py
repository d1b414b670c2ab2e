"""NumPy's iterators: `x.flat`, np.ndenumerate, np.ndindex, np.nditer.

    for index, v in np.ndenumerate(x):      for k in range(x.size):
        total += v * index[0]                   total += take(flat(x), k) * (k // dim(x, 1))

All of them count through the elements in row-major order; the position on each axis is computed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from graph_program.extract.ir import memory
from graph_program.extract.stage.arrays import array_contents, size_checks
from graph_program.extract.stage.arrays.array_writes import contents_for
from graph_program.extract.stage.arrays.indices import indexing
from graph_program.extract.stage.arrays.indices.index_writes import set_tensor
from graph_program.extract.stage.arrays.layout import is_contiguous, layout_of, needed, viewed
from graph_program.extract.stage.arrays.lowering_arguments import (
    MINUS_ONE,
    array,
    as_size,
    dtype_error,
    element_count,
    is_given,
    is_sequence,
    refuse_given,
    sequence,
    size_product,
    sizes_of,
    takes,
)
from graph_program.extract.stage.machine.checks.booleans import either
from graph_program.extract.stage.machine.checks.size_facts import require
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import attribute, lowers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numpy.move.movement import permuted, stretched
from graph_program.extract.stage.operations import items, iteration, operators
from graph_program.extract.stage.operations.iteration import SOURCES, Source
from graph_program.extract.stage.operations.known_and_truth import numeric, settled, static, tensor
from graph_program.extract.stage.operations.of_numbers.conversions import may_not_fit
from graph_program.extract.stage.operations.operator_slots import comparison_of_present
from graph_program.extract.stage.values.questions import (
    is_array_of_graph,
    is_just,
    is_list_or_tuple,
    known_value,
    one_or_many,
    one_or_tuple,
)
from graph_program.extract.stage.values.values import Iteration, SliceValue, Tensor, Tuple, Value, is_numeric, type_of
from graph_program.extract.types.rules.facts import condition
from graph_program.extract.types.tensors.tensor_type import Kind


@iteration.length.of(Iteration)
def _length(m: Machine, value: Iteration) -> Value:
    if value.kind != "flat":
        return iteration.length.declared(m, value)
    return m.dimension(tensor(m, value.parts[0]), 0)


def counted(total: Value, item: Callable[[Value], Value], arrays: tuple[Tensor, ...] = ()) -> Source:
    """`item` of 0, 1, ... up to `total`."""
    return iteration.indexed_source(lambda: total, item, known_value(total), arrays)


def position(m: Machine, k: Value, sizes: Sequence[Value]) -> Tuple:
    """The index of the k-th element in row-major order, on each axis."""
    found: list[Value] = []
    for size in reversed(sizes[1:]):
        found.append(size_checks.quotient(m, "remainder", k, size))
        k = size_checks.quotient(m, "floor_divide", k, size)
    return Tuple(tuple(reversed([*found, k] if sizes else [])))


# ---------------------------------------------------------------- x.flat


@attribute("flat")
def flat(m: Machine, a: Value) -> Value:
    """`x.flat`: an iterator over the elements, which can be indexed and written through."""
    return Iteration("flat", (flat_view(m, array(m, a)),))


def flat_view(m: Machine, x: Tensor) -> Tensor:
    """All elements in row-major order; writes go to the array whatever its layout."""
    if x.rank == 1:
        return m.alias_of(x)
    sizes = sizes_of(m, x)
    return viewed(
        m,
        x,
        lambda base: m.op("reshape", base, MINUS_ONE),
        lambda _, contents: m.op("reshape", contents, *sizes),
    )


def flat_source(m: Machine, value: Iteration) -> Source:
    view = tensor(m, value.parts[0])
    return counted(m.dimension(view, 0), lambda k: indexing.get_tensor(m, view, k), (view,))


@items.item.of(Iteration)
def _item(m: Machine, value: Iteration, key: Value) -> Value:
    """`x.flat[key]`: an element, or a copy of several."""
    if value.kind != "flat":
        raise items.not_subscriptable(m, value)
    view = tensor(m, value.parts[0])
    found = indexing.get_tensor(m, view, checked_key(m, view, key, "__getitem__"))
    return m.copied(found) if is_array_of_graph(found) else found


@comparison_of_present.of(Iteration)
def _comparison(m: Machine, one: Iteration, op: str, a: Value, b: Value) -> Value | None:
    """`x.flat == y`: that of an array with the elements."""
    if one.kind != "flat" or op not in arithmetic.COMPARE:
        return None
    elements = m.copied(tensor(m, one.parts[0]))
    return operators.comparison(m, op, *(elements if v is one else v for v in (a, b)))


@items.write_item.of(Iteration)
def _write_item(m: Machine, holder: Iteration, key: Value, value: Value) -> None:
    """`x.flat[key] = value` for one value, or as many as there are places."""
    if holder.kind != "flat":
        items.write_item.declared(m, holder, key, value)
        return
    view = tensor(m, holder.parts[0])
    key = checked_key(m, view, key, "__setitem__")
    dtype, value = view.type.dtype, array_contents.listed(m, value)
    value = contents_for(m, value, dtype) if is_list_or_tuple(value) else numeric(m, value)
    if may_not_fit(value, dtype) and is_numeric(key):
        refused = array_contents.outside(m, tensor(m, value), dtype)
        m.check(m.reclassed(refused, Kind.PYTHON), ValueError, "Error setting single item of array.")
    if type_of(value).rank:
        places = indexing.get_tensor(m, view, key)
        if type_of(places).shape != type_of(value).shape:
            hint = "write to x.reshape(-1)[...], or repeat the values with np.resize"
            raise m.error("GP321", "x.flat[...] = values has no graph form for another number of values", hint=hint)
    set_tensor(m, view, key, value)


def checked_key(m: Machine, view: Tensor, key: Value, method: str) -> Value:
    """A key of `x.flat`, with its own error for a number that is out of bounds."""
    key = settled(m, key)
    if len(one_or_many(key)) == 1:
        key = settled(m, *one_or_many(key))
    if isinstance(key, SliceValue) or is_just(key, Ellipsis):
        return key
    if not is_numeric(key) or type_of(key).rank or type_of(key).dtype.kind not in "iu":
        hint = "index x.reshape(-1) instead"
        raise m.error("GP321", "x.flat has no graph form for this kind of index", hint=hint)
    k, size = as_size(m, key), m.dimension(view, 0)
    low = arithmetic.compare(m, "<", k, arithmetic.arithmetic(m, "*", size, MINUS_ONE))
    outside = either(m, low, arithmetic.compare(m, ">=", k, size))
    m.check(outside, IndexError, "index ", k, f" is out of bounds for {_axis_in_errors(method)} ", size)
    return k


@functools.cache
def _axis_in_errors(method: str) -> str:
    """What the installed NumPy says of `x.flat[k]` and `x.flat[k] = v`, in which its versions differ."""
    arguments = {"__getitem__": (0,), "__setitem__": (0, 0.0)}[method]
    try:
        getattr(np.empty(0).flat, method)(*arguments)
    except IndexError as error:
        text = str(error)
    return text.partition("for ")[2].rpartition(" ")[0]


# ---------------------------------------------------------------- counting


lowers(np.ndenumerate, name="np.ndenumerate")(lambda m, arr: Iteration("ndenumerate", (array(m, arr),)))


def ndenumerate_source(m: Machine, value: Iteration) -> Source:
    x = tensor(m, value.parts[0])
    view, sizes = flat_view(m, x), sizes_of(m, x)

    def item(k: Value) -> Value:
        return Tuple((position(m, k, sizes), indexing.get_tensor(m, view, k)))

    return counted(m.dimension(view, 0), item, (x,))


@lowers(np.ndindex, name="np.ndindex")
def ndindex(m: Machine, /, *shape: Value) -> Value:
    """`np.ndindex(*shape)` or `np.ndindex(shape)`: all indices of an array of this shape."""
    if len(shape) == 1 and is_sequence(m, shape[0]):
        shape = tuple(sequence(m, shape[0], "a shape"))
    sizes = [as_size(m, size) for size in shape]
    for size in sizes:
        size_checks.check_not_negative(m, size)
    return Iteration("ndindex", tuple(sizes))


def ndindex_source(m: Machine, value: Iteration) -> Source:
    sizes = list(value.parts)
    return counted(size_product(m, sizes), lambda k: position(m, k, sizes))


@lowers(np.nditer, name="np.nditer")
@takes(
    'op, flags=None, op_flags=None, op_dtypes=None, order="K", casting=None, op_axes=None, itershape=None, buffersize=0'
)
def nditer(
    m: Machine,
    op: Value,
    flags: Value,
    op_flags: Value,
    op_dtypes: Value,
    order: Value,
    casting: Value,
    op_axes: Value,
    itershape: Value,
) -> Value:
    """`np.nditer(x)` or `np.nditer((x, y))`: the elements as arrays of rank 0, to be read."""
    given = {"flags": flags, "op_flags": op_flags, "op_dtypes": op_dtypes, "casting": casting, "op_axes": op_axes}
    refuse_given(m, "np.nditer", hint="loop over np.ndindex(x.shape)", **given, itershape=itershape)
    several = is_sequence(m, op)
    arrays = [array(m, a) for a in (sequence(m, op, "the operands") if several else [op])]
    size_checks.check_broadcast(m, arrays)
    in_order = is_given(order) and static(m, order, "the order") == "C"
    if not in_order and len({x.rank for x in arrays}) == 1 and all(layout_of(m, x) == memory.F for x in arrays):
        arrays, in_order = [permuted(m, x, range(x.rank)[::-1]) for x in arrays], True
    if not in_order and not all(x.rank == 0 or is_contiguous(m, x) for x in arrays):
        error = m.error(
            "GP321",
            "np.nditer goes through an array in the order of its memory, which is not known here",
            hint='say order="C", or loop over np.ndindex(x.shape)',
        )
        unknown = [x for x in arrays if x.rank and not layout_of(m, x)]
        raise needed(m, unknown[0], error) if unknown else error
    if not arrays:
        raise dtype_error(m, "Need at least one array")
    filled = [(condition("<", 0, size),) for x in arrays for size in x.type.shape]
    require(m, filled, ValueError, "Iteration of zero-sized operands is not enabled", operands=arrays)
    return Iteration("nditer", (Tuple(tuple(arrays)) if several else arrays[0],))


def nditer_source(m: Machine, value: Iteration) -> Source:
    operands = settled(m, value.parts[0])
    arrays = [tensor(m, x) for x in one_or_many(operands)]
    sizes = size_checks.broadcast_sizes(m, [sizes_of(m, x) for x in arrays])
    views = [flat_view(m, stretched(m, x, sizes)) for x in arrays]

    def item(k: Value) -> Value:
        found = [m.reclassed(tensor(m, indexing.get_tensor(m, view, k)), Kind.ARRAY) for view in views]
        return one_or_tuple(found)

    total = element_count(m, arrays[0]) if len(arrays) == 1 else size_product(m, sizes)
    return counted(total, item, tuple(arrays))


SOURCES.update(flat=flat_source, ndenumerate=ndenumerate_source, ndindex=ndindex_source, nditer=nditer_source)
