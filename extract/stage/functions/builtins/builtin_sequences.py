"""Builtins that go over a sequence: `sum`, `min`, `max`, `any`, `all`, `len`.

    max(a, b)      ->   t = where(greater(b, a), b, a)          NaN and ties as Python decides them
    sum(x)         ->   t = sum(x, axes=(0,))                   for an array
    any(items)     ->   t = bitwise_or(bool(item0), bool(item1))

Elements are compared and combined in Python's order; those of a structure are evaluated already.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from functools import partial, reduce
from typing import NoReturn

import numpy as np

from graph_program.extract.stage.arrays.indices.indexing import rows_of_array
from graph_program.extract.stage.host.steps.host_code import call_host
from graph_program.extract.stage.kinds import range_values
from graph_program.extract.stage.lists import choice_columns, growing_lists, list_loops
from graph_program.extract.stage.machine.checks import booleans, lengths
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers_builtin
from graph_program.extract.stage.numbers import arithmetic, python_numbers
from graph_program.extract.stage.numbers.number_ranges import is_exact
from graph_program.extract.stage.operations import iteration, operators
from graph_program.extract.stage.operations.iteration import MAX_LISTED, Source, begun, iterate, static_items
from graph_program.extract.stage.operations.known_and_truth import settled, tensor, truth_value
from graph_program.extract.stage.operations.of_numbers.conversions import is_array
from graph_program.extract.stage.operations.of_numbers.number_protocol import converted, type_error
from graph_program.extract.stage.operations.static_evaluation import OPAQUE, python_object, try_now
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.several.forms import THINGS, asked_of_each
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.exception_values import python_text
from graph_program.extract.stage.values.layouts import Choice
from graph_program.extract.stage.values.questions import is_false, is_just, is_known, is_known_as, is_true, one_or_many
from graph_program.extract.stage.values.structure import class_name, number_bits
from graph_program.extract.stage.values.values import (
    NONE,
    Host,
    Range,
    Static,
    Tensor,
    Tuple,
    Value,
    is_numeric,
    size_of,
    type_of,
)
from graph_program.extract.types import dims
from graph_program.extract.types.tensors.promotion import join_types, ufunc_dtypes
from graph_program.extract.types.tensors.tensor_type import BOOL, INT64, PY_INT, Kind, TensorType

FALSE, ZERO = Static(False), Static(0)


# ---------------------------------------------------------------- len


@lowers_builtin(len)
@asked_of_each(THINGS)
def len_(m: Machine, obj: Value, /) -> Value:
    return converted(m, len, obj) or iteration.length(m, m.in_graph(obj))


# ---------------------------------------------------------------- folds


def fold(m: Machine, op: str, items: Sequence[Value], start: Value) -> Value:
    """`((start op a) op b) op ...`."""
    return reduce(partial(operators.binary, m, op), items, start)


def reduce_array(m: Machine, reduction: str, op: str, array: Value, start: Value) -> Value:
    """`start op array[0] op array[1] ...` as one reduction over the first axis.

    The elements are NumPy scalars or arrays.  So the result is one; where there are no scalars, too, where Python gives
    `start` itself.
    """
    x = tensor(m, array)
    source = rows_of_array(m, x)
    if source.count == 0:
        return start
    start = settled(m, start)
    if not is_numeric(start):
        return fold(m, op, static_items(m, x, f"{reduction}()"), start)
    element = TensorType(x.type.dtype, x.type.shape[1:], Kind.NUMPY if x.rank == 1 else Kind.ARRAY)
    (dtype, _), _ = ufunc_dtypes(arithmetic.BINARY[op][1], [type_of(start), element])
    x = m.cast(x, dtype)
    result = m.op(reduction, x, axes=(0,), keepdims=False, kind=element.kind)
    total = operators.binary(m, op, start, result)
    if x.rank == 1 or source.count or type_of(start).rank:
        return total
    return flow.choose(m, arithmetic.compare(m, "==", source.trips(), ZERO), lambda: start, lambda: total)


@lowers_builtin(sum)
def sum_(m: Machine, iterable: Value, /, start: Value = ZERO) -> Value:
    now = try_now(m, sum, iterable, start)
    if now is not None:
        return now
    iterable = settled(m, iterable)
    if is_known_as(start, str | bytes):
        raise type_error(m, "sum() can't sum strings [use ''.join(seq) instead]")
    if is_array(m, iterable):
        return reduce_array(m, "sum", "+", iterable, start)
    computed = computed_source(m, iterable)
    if computed is not None:
        return sum_of_computed(m, iterable, computed, start)
    return fold(m, "+", static_items(m, iterable, "sum()"), start)


def computed_source(m: Machine, value: Value) -> Source | None:
    """How to go through an iterable whose elements cannot be listed; None for one whose can, and for arrays."""
    value = settled(m, value)
    if is_array(m, value):
        return None
    source = iterate(m, value)
    return source if source.items is None or (source.count or 0) > MAX_LISTED else None


def sum_of_computed(m: Machine, value: Value, source: Source, start: Value) -> Value:
    """`sum` of an iterable of computed length: one reduction for a list of NumPy numbers, arrays or floats."""
    held = growing_lists.contents(m, value) if lengths.is_growing(m, value) else ()  # type: ignore[arg-type]
    if isinstance(held, Growing) and isinstance(held.layout, Choice) and is_numeric(start):
        total = choice_columns.total(m, held, lambda rest: sum_of_computed(m, rest, iterate(m, rest), start))
        if total is not None:
            return total
    found = lengths.stacked_number(held)
    if found is not None and is_numeric(start):
        leaf, data = found
        whole = leaf.type.kind is Kind.PYTHON and leaf.type.dtype.kind != "f"
        if not whole and (leaf.type.kind is not Kind.PYTHON or type_of(start).kind is Kind.PYTHON):
            total = reduce_array(m, "sum", "+", data, start)
            if leaf.type.kind is not Kind.PYTHON:
                return total
            return _start_of_none(m, source, start, m.reclassed(total, leaf.type.kind))  # type: ignore[arg-type]
    total = list_loops.folded(m, source, start, lambda total, v: operators.binary(m, "+", total, v))
    return _start_of_none(m, source, start, total)


def _start_of_none(m: Machine, source: Source, start: Value, total: Value) -> Value:
    """The sum of no floats is the int that it starts with."""
    if not is_numeric(start) or not is_numeric(total):
        return total
    types = type_of(start), type_of(total)
    if types[0] == types[1] or any(t.kind is not Kind.PYTHON for t in types):
        return total
    empty = arithmetic.compare(m, "==", source.trips(), ZERO)
    return flow.choose(m, empty, lambda: start, lambda: total)


# ---------------------------------------------------------------- min and max


def better(m: Machine, op: str, best: Value, candidate: Value, keys: tuple[Value, Value] | None) -> Value:
    """`candidate if candidate op best else best`, as `min` and `max` compare."""
    left, right = (candidate, best) if keys is None else (keys[1], keys[0])
    return chosen(m, truth_value(m, operators.comparison(m, op, left, right)), candidate, best)


def chosen(m: Machine, test: Value, a: Value, b: Value) -> Value:
    """`a if test else b`, both already evaluated: a `where` for numbers of one class, else a branch."""
    numbers = is_numeric(a) and is_numeric(b)
    if is_known(test) or not numbers or Kind.ARRAY in (type_of(a).kind, type_of(b).kind):
        return flow.choose(m, test, lambda: a, lambda: b)
    type_ = join_types(type_of(a), type_of(b), m.fresh_dim)
    if type_ is None or not (is_exact(a, type_) and is_exact(b, type_)):
        return flow.choose(m, test, lambda: a, lambda: b)
    result = m.op("where", test, m.cast(a, type_.dtype), m.cast(b, type_.dtype), kind=type_.kind)
    if type_ == PY_INT:
        widths = [number_bits(m.cast(v, INT64)) for v in (a, b)]
        python_numbers.tagged(result, max(widths), a, b)
    return result


def extreme(m: Machine, name: str, op: str, items: Sequence[Value], key: Value) -> Value:
    """The element of `items` that no other is better than; the first of equals."""
    best = items[0]
    best_key = keyed(m, key, best)
    for item in items[1:]:
        if best_key is None:
            sizes = size_of(best), size_of(item)
            best = better(m, op, best, item, None)
            if isinstance(best, Tensor) and best.type == PY_INT:
                best.size = extreme_size(name, *sizes) if best.size is None else best.size
            continue
        item_key = keyed(m, key, item)
        assert item_key is not None
        test = truth_value(m, operators.comparison(m, op, item_key, best_key))
        best, best_key = one_or_many(chosen(m, test, Tuple((item, item_key)), Tuple((best, best_key))))
    return best


def extreme_size(name: str, a: dims.Dim | None, b: dims.Dim | None) -> dims.Dim | None:
    """The symbolic value of `min` or `max` of two sizes."""
    if a is None or b is None:
        return None
    return dims.maximum(a, b) if name == "max" else dims.minimum(a, b)


def keyed(m: Machine, key: Value, item: Value) -> Value | None:
    """`key(item)`; None where there is no key."""
    if is_just(key, None):
        return None
    return entries.call(m, key, [item], {})


def extreme_of_array(m: Machine, name: str, array: Tensor, default: Value | None) -> Value:
    """`max(x)` of a vector: Python keeps the first element if it is NaN, and passes over later NaNs."""
    length = rows_of_array(m, array).trips()
    empty = arithmetic.compare(m, "==", length, Static(0))
    if default is not None:
        return flow.choose(m, empty, lambda: default, lambda: _extreme_element(m, name, array))
    # A branch, not a check: the position of an extreme is not defined for no elements.
    flow.raise_where(m, empty, *empty_text(name))
    return _extreme_element(m, name, array)


def _extreme_element(m: Machine, name: str, array: Tensor) -> Value:
    x = array
    if array.type.dtype.kind == "f":
        first = m.op("take", array, m.constant(np.asarray(0)), axis=0)
        x = m.op("where", m.op("isnan", array), first, array)
    if array.type.dtype == BOOL:
        x = m.cast(array, np.dtype(np.uint8))
    position = m.op(f"arg{name}", x, axis=0, keepdims=False)
    return m.op("take", array, position, axis=0, kind=Kind.NUMPY)


def empty_text(name: str) -> tuple[type[BaseException], str]:
    """What `max([])` or `min([])` raises in this Python version."""
    return python_text(lambda: max([]) if name == "max" else min([]))


def raise_text(m: Machine, error: tuple[type[BaseException], str]) -> NoReturn:
    """Raise an exception with one text."""
    m.raise_(error[0], (error[1],))


def choose_extreme(m: Machine, name: str, op: str, args: Sequence[Value], key: Value, default: Value | None) -> Value:
    """`min` or `max` of several arguments, or of one iterable."""
    if len(args) > 1:
        if default is not None:
            raise type_error(m, f"Cannot specify a default for {name}() with multiple positional arguments")
        return extreme(m, name, op, args, key)
    value = begun(m, settled(m, args[0]))
    if isinstance(value, Host):
        keywords = {"key": key} if default is None else {"key": key, "default": default}
        return call_host(m, getattr(builtins, name), [value], keywords)
    no_key = is_just(key, None)
    if is_array(m, value) and no_key:
        array = tensor(m, value)
        if array.rank == 1:
            return extreme_of_array(m, name, array, default)
        if array.rank > 1 and not all(d.constant == 1 for d in array.type.shape[1:]):
            truth_value(m, Tensor("row", TensorType(BOOL, array.type.shape[1:])))
    if isinstance(value, Range) and no_key and python_object(m, value) is OPAQUE:
        return extreme_of_range(m, name, value, default)
    if is_numeric(value) and not is_array(m, value):
        raise type_error(m, f"'{class_name(value)}' object is not iterable")
    computed = computed_source(m, value)
    if computed is not None:
        held = growing_lists.contents(m, value) if lengths.is_growing(m, value) else None  # type: ignore[arg-type]
        by_position = held is not None and lengths.stacked_number(held) is None
        return extreme_of_computed(m, name, op, computed, key, default, by_position)
    items = static_items(m, value, f"{name}()")
    if items:
        return extreme(m, name, op, items, key)
    if default is not None:
        return default
    raise_text(m, empty_text(name))


def extreme_of_computed(
    m: Machine, name: str, op: str, source: Source, key: Value, default: Value | None, by_position: bool
) -> Value:
    """`min` or `max` of an iterable of computed length; `by_position`, the element is that of a list."""

    def found() -> Value:
        if is_just(key, None):
            if by_position:
                return source.item(list_loops.best_position(m, source, partial(position_of_better, m, op, source)))
            return list_loops.best(m, source, lambda a, b: better(m, op, a, b, None))
        pairs = Source(source.trips, lambda k: keyed_pair(m, key, source.item(k), k if by_position else None))
        pair = list_loops.best(m, pairs, lambda a, b: better(m, op, a, b, (one_or_many(a)[0], one_or_many(b)[0])))
        return source.item(one_or_many(pair)[1]) if by_position else one_or_many(pair)[1]

    empty = arithmetic.compare(m, "<=", source.trips(), Static(0))
    if default is not None:
        return flow.choose(m, empty, lambda: default, found)
    flow.raise_where(m, empty, *empty_text(name))
    return found()


def position_of_better(m: Machine, op: str, source: Source, best: Value, candidate: Value) -> Value:
    """Of two positions in a list, that of the element which `min` or `max` keeps."""
    test = truth_value(m, operators.comparison(m, op, source.item(candidate), source.item(best)))
    return arithmetic.select_int(m, test, candidate, best)


def keyed_pair(m: Machine, key: Value, item: Value, position: Value | None) -> Value:
    """An element, or its position, behind its key."""
    found = keyed(m, key, item)
    assert found is not None
    return Tuple((found, item if position is None else position))


def extreme_of_range(m: Machine, name: str, value: Range, default: Value | None) -> Value:
    """`min` or `max` of a range with computed bounds: its first or last element."""
    source = iterate(m, value)
    trips = source.trips()
    upward = operators.comparison(m, ">", value.step, Static(0))

    def element() -> Value:
        last = range_values.last_number(m, value)
        test = upward if name == "max" else booleans.negate(m, upward)
        return last if is_true(test) else chosen(m, test, last, source.item(Static(0)))

    empty = arithmetic.compare(m, "<=", trips, Static(0))
    if default is not None:
        return flow.choose(m, empty, lambda: default, element)
    m.check(empty, *empty_text(name))
    return element()


@lowers_builtin(max)
def max_(m: Machine, first: Value, /, *rest: Value, key: Value = NONE, default: Value | None = None) -> Value:
    return choose_extreme(m, "max", ">", [first, *rest], key, default)


@lowers_builtin(min)
def min_(m: Machine, first: Value, /, *rest: Value, key: Value = NONE, default: Value | None = None) -> Value:
    return choose_extreme(m, "min", "<", [first, *rest], key, default)


# ---------------------------------------------------------------- any and all


def quantify(m: Machine, name: str, iterable: Value) -> Value:
    """`any(iterable)` or `all(iterable)`: the elements are there already, their truths are combined."""
    iterable = settled(m, iterable)
    if is_array(m, iterable):
        array = tensor(m, iterable)
        if array.rank and all(d.constant == 1 for d in array.type.shape[1:]):
            zero = m.constant(np.zeros((), array.type.dtype))
            truths = array if array.type.dtype == BOOL else m.op("not_equal", array, zero)
            axes = tuple(range(array.rank))
            return m.op(name, truths, axes=axes, keepdims=False, kind=Kind.PYTHON)
        if array.rank:
            truth_value(m, Tensor("row", TensorType(BOOL, array.type.shape[1:])))
    computed = computed_source(m, iterable)
    if computed is not None:
        return list_loops.quantified(m, computed, name, lambda v: truth_value(m, v))
    result: Value = Static(name == "all")
    combine, is_decided = (booleans.both, is_false) if name == "all" else (booleans.either, is_true)
    for item in static_items(m, iterable, f"{name}()"):
        result = combine(m, result, truth_value(m, item))
        if is_decided(result):
            break
    return result


lowers_builtin(any)(lambda m, iterable, /: quantify(m, "any", iterable))
lowers_builtin(all)(lambda m, iterable, /: quantify(m, "all", iterable))
