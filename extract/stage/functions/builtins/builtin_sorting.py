"""`sorted(items)` and `items.sort()`.

    sorted(["b", "a"])                      ->      evaluated at extraction
    sorted([(cost, "x"), (price, "y")])     ->      order = argsort(...); take(items, order)     (`list_orders`)
    sorted([sin, cos], key=score)           ->      order = argsort(...); one of sin, cos by order[0], by order[1]

Known elements that are compared by more than numbers change places with their neighbours where they must.
"""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.stage.functions.builtins.builtin_iterables import listed
from graph_program.extract.stage.functions.builtins.builtin_sequences import FALSE, keyed
from graph_program.extract.stage.lists import columns, list_loops, list_orders
from graph_program.extract.stage.lists.positions import computed_position_writes
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers_builtin
from graph_program.extract.stage.operations import objects, operators
from graph_program.extract.stage.operations.known_and_truth import static, truth_value
from graph_program.extract.stage.operations.of_numbers.number_protocol import type_error
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.layouts import Contents
from graph_program.extract.stage.values.questions import are_known, is_just, one_or_many
from graph_program.extract.stage.values.structure import parts
from graph_program.extract.stage.values.values import (
    NONE,
    Ref,
    Row,
    Static,
    Tensor,
    Tuple,
    Value,
    size_of,
    static_contents,
)
from graph_program.extract.types.tensors.tensor_type import Kind


def sorted_contents(m: Machine, found: Contents, key: Value, reverse: Value) -> Contents:
    """The contents of a list in order; by keys that are known at extraction, or by numbers that are computed."""
    backwards = bool(static(m, reverse, "`reverse`"))
    if isinstance(found, Growing):
        no_key = is_just(key, None)
        keys = found if no_key else list_loops.mapped(m, found, lambda v: keyed(m, key, v) or v)
        return columns.reordered(m, found, list_orders.positions(m, found, keys, backwards), once=True)
    by = tuple(one_of_several.read(m, keyed(m, key, v) or v) for v in found)
    if any(objects.user_method(k, "__lt__") is not None for k in by):
        return _insertion_sorted(m, found, by, backwards)
    if all(is_known(m, k) for k in by):
        return _in_known_order(m, found, by, backwards)
    return _in_computed_order(m, found, by, backwards)


@generic
def is_known(m: Machine, key: Value) -> bool:
    """Whether all that an element is compared by is known at extraction."""
    inside = parts(key)
    return are_known((key,)) if inside is None else all(is_known(m, v) for v in inside[1])


@is_known.of(Tensor)
def _is_constant(m: Machine, key: Tensor) -> bool:
    size = size_of(key)
    return (size is not None and size.constant is not None) or static_contents(key) is not None


is_known.register(Row, lambda *_: False)


@is_known.of(Ref)
def _holds_known(m: Machine, key: Ref) -> bool:
    held = m.live.heap[key]
    return isinstance(held, tuple) and all(is_known(m, v) for v in held)


def _in_known_order(m: Machine, found: Sequence[Value], by: Sequence[Value], backwards: bool) -> Contents:
    """Elements in the order of keys that are known."""
    keys = [static(m, k, "the key that a list is sorted by") for k in by]
    try:
        order = sorted(range(len(found)), key=keys.__getitem__, reverse=backwards)
    except TypeError as error:
        raise type_error(m, str(error)) from None
    return tuple(found[i] for i in order)


def _in_computed_order(m: Machine, found: tuple[Value, ...], by: tuple[Value, ...], backwards: bool) -> Contents:
    """Elements in the order of keys that are computed: columns, or one of the elements in each place."""
    lookup = m.live.heap.__getitem__
    if columns.grown(m, by, lookup) is None:
        return _insertion_sorted(m, found, by, backwards)
    order = list_orders.positions(m, found, by, backwards)
    whole = columns.grown(m, found, lookup)
    if whole is not None:
        return columns.reordered(m, whole, order, once=True)
    places = [m.op("take", order, Static(i), axis=0, kind=Kind.PYTHON) for i in range(len(found))]
    return tuple(computed_position_writes.one_of(m, found, place) for place in places)


def _insertion_sorted(m: Machine, found: Sequence[Value], by: Sequence[Value], backwards: bool) -> Contents:
    """Elements in the order that the `__lt__` of their keys' class gives: neighbours change places where they must."""
    pairs = [Tuple((k, v)) for k, v in zip(by, found, strict=True)]
    pairs = pairs[::-1] if backwards else pairs
    for last in range(len(pairs) - 1, 0, -1):
        for i in range(last):
            a, b = pairs[i], pairs[i + 1]
            less = truth_value(m, operators.comparison(m, "<", b.elts[0], a.elts[0]))
            both = flow.choose(m, less, lambda a=a, b=b: Tuple((b, a)), lambda a=a, b=b: Tuple((a, b)))  # type: ignore[misc]
            pairs[i : i + 2] = one_or_many(both)  # type: ignore[assignment]
    return tuple(p.elts[1] for p in (pairs[::-1] if backwards else pairs))


@lowers_builtin(sorted)
def sorted_(m: Machine, iterable: Value, /, *, key: Value = NONE, reverse: Value = FALSE) -> Value:
    return objects.new_list(m, sorted_contents(m, listed(m, iterable, "sorted()"), key, reverse))
