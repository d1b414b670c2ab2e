"""Elements of known lists and dicts at computed positions, where they are changed: a branch for each.

    buckets = [[], [], []]                  if equal(i, 0):
    buckets[i].append(v)          ->            (append to the first)
    totals[i].count += 1                    elif equal(i, 1):
                                                ...

What only reads an element reads a row of columns (`stage/lists/columns`), which are copies.
"""

from __future__ import annotations

import dis
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.records import dataclass
from graph_program.extract.source.assigned_names import root_name
from graph_program.extract.stage.arrays import array_writes
from graph_program.extract.stage.arrays.operation_checks import check_position
from graph_program.extract.stage.lists import growing_lists
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import attributes, items, known_and_truth
from graph_program.extract.stage.operations.known_and_truth import contents_of, mixed_error, settled
from graph_program.extract.stage.operations.of_numbers.conversions import index_of
from graph_program.extract.stage.paths.several import each_case, one_of_several
from graph_program.extract.stage.paths.splitting import may_miss
from graph_program.extract.stage.values import user_classes
from graph_program.extract.stage.values.choices import is_object, things_of
from graph_program.extract.stage.values.column_data import SEQUENCES, Growing
from graph_program.extract.stage.values.inside import contents_in, inner_values
from graph_program.extract.stage.values.questions import is_known, is_ref_to, known_value
from graph_program.extract.stage.values.structure import class_name, describe_all
from graph_program.extract.stage.values.values import (
    NONE,
    UNBOUND,
    ArrayMethod,
    Bound,
    Closure,
    Mixed,
    Ref,
    Static,
    Tensor,
    Value,
    is_numeric,
)
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

STORES = ("STORE_ATTR", "STORE_SUBSCR", "DELETE_ATTR", "DELETE_SUBSCR")
CHANGING = frozenset(array_writes.METHODS).union(*array_writes.MUTATING.values())
"""Methods of arrays, lists and dicts that change them."""
MAX_CHOICES = 64
"""Of more elements than this, one is not chosen by branches."""


@dataclass(frozen=True)
class Chosen:
    """One of some values, by number."""

    values: tuple[Value, ...]
    selector: Tensor

    def each(self, m: Machine, use: Callable[[Value], Value]) -> Value:
        """What `use` gives for the one that it is."""

        def test(number: int) -> Value:
            return arithmetic.compare(m, "==", self.selector, Static(number))

        return each_case.choose_one(m, len(self.values), test, lambda number: use(self.values[number]))


def one_of(m: Machine, values: tuple[Value, ...], selector: Tensor) -> Value:
    """The value with some number; functions and other known things stay what they are."""
    mixed = Mixed(values, (), describe_all(values), None, selector)
    known = one_of_several.choice(mixed) is not None and not any(map(is_object, things_of(mixed)))
    return mixed if known else Chosen(values, selector).each(m, lambda value: value)


def item(m: Machine, holder: Value, elements: Sequence[Value], key: Value) -> Value:
    """`holder[key]`, which is one of some elements of different kinds."""
    return one_of(m, tuple(elements), _selector_of_position(m, holder, len(elements), key))


def owner_of(m: Machine, node: tree.Expr) -> Value | Chosen:
    """What a method is called of, or an attribute or a subscript is written to."""
    if isinstance(node, tree.Attribute) and isinstance(node.value, tree.Subscript | tree.Attribute):
        return _attribute(m, node)
    if not isinstance(node, tree.Subscript):
        return entries.evaluate(m, node)
    holder = owner_of(m, node.value)
    key = entries.evaluate(m, node.index)
    m.node_loc = node.loc
    if isinstance(holder, Chosen):
        return _inner(m, holder, key)
    return at(m, holder, key) or items.get_item(m, holder, key)


def _attribute(m: Machine, node: tree.Attribute) -> Value | Chosen:
    """`holder[key].name`."""
    holder = owner_of(m, node.value)
    m.node_loc = node.loc
    if not isinstance(holder, Chosen):
        return attributes.get_attribute(m, holder, node.attr)
    contents = [m.live.heap.get(v) for v in holder.values]
    found = tuple(c.get(node.attr) if isinstance(c, dict) else None for c in contents)
    known = tuple(v for v in found if v is not None and is_object(v))
    if len(known) == len(found):
        return Chosen(known, holder.selector)
    return holder.each(m, lambda v: attributes.get_attribute(m, v, node.attr))


def at(m: Machine, holder: Value, key: Value) -> Chosen | None:
    """`holder[key]` as one of the elements, where these can be changed and which one it is, is computed."""
    if one_of_several.one_of_objects(holder) is not None:
        return None
    holder = settled(m, holder)
    one_of = one_of_several.choice(key)
    if one_of is not None and may_miss(m, holder, one_of):
        raise mixed_error(m, one_of)
    elements = _elements(m, holder)
    if elements is None or not 1 < len(elements) <= MAX_CHOICES or not all(map(is_object, elements.values())):
        return None
    selector = _selector(m, holder, tuple(elements), key)
    return None if selector is None else Chosen(tuple(elements.values()), selector)


def _elements(m: Machine, holder: Value) -> dict[Any, Value] | None:
    """What a structure that is known holds, by key or position."""
    if is_ref_to(holder, dict):
        known: dict[Any, Value] = contents_of(m, holder, ordered=False)
        return known
    found = contents_in(m.live.heap, holder) if user_classes.class_of(holder) in SEQUENCES else None
    return None if found is None or isinstance(found, Growing) else dict(enumerate(found))


def _selector(m: Machine, holder: Value, keys: Sequence[Any], key: Value) -> Tensor | None:
    """The number of the element that a key or position stands for; None where it is not computed."""
    one_of = one_of_several.choice(key)
    if one_of is not None:
        return _selector_of_choice(m, one_of, keys)
    key = settled(m, key)
    if not known_and_truth.is_computed(m, key) or not is_numeric(key):
        return None
    if user_classes.class_of(holder) is dict:
        return _selector_of_key(m, keys, key)
    return _selector_of_position(m, holder, len(keys), key)


def _selector_of_position(m: Machine, holder: Value, size: int, key: Value) -> Tensor:
    position = index_of(m, key)
    check_position(m, Static(size), position, f"{class_name(holder)} index out of range")
    return m.cast(growing_lists.from_start(m, position, Static(size)), INT64, Kind.PYTHON)


def _selector_of_key(m: Machine, keys: Sequence[Any], key: Value) -> Tensor | None:
    """The number of an integer key."""
    assert isinstance(key, Tensor)
    if not all(type(k) is int for k in keys) or key.type.dtype.kind not in "iu" or key.is_array:
        return None
    tests = [arithmetic.compare(m, "==", key, Static(k)) for k in keys]
    m.check(booleans.negate(m, booleans.any_of(m, tests)), KeyError, key)
    return m.cast(arithmetic.first_holding(m, list(enumerate(tests[:-1])), Static(len(keys) - 1)), INT64, Kind.PYTHON)


def _selector_of_choice(m: Machine, key: Mixed, keys: Sequence[Any]) -> Tensor | None:
    """The number of a key that is one of some texts or enum members."""
    if key.selector is None or any(not is_known(v) or v.value not in keys for v in key.values):
        return None
    numbers = [list(keys).index(known_value(v)) for v in key.values]
    found: Value = Static(numbers[-1])
    for case in reversed(range(len(numbers) - 1)):
        test = arithmetic.compare(m, "==", key.selector, Static(case))
        found = arithmetic.select_int(m, test, Static(numbers[case]), found)
    return m.cast(found, INT64, Kind.PYTHON)


def _inner(m: Machine, outer: Chosen, key: Value) -> Value | Chosen:
    """An element of one of some structures."""
    sizes = {len(e) if (e := _elements(m, v)) is not None else -1 for v in outer.values}
    (size, *others) = sizes
    total = len(outer.values) * size
    uniform = not others and size > 0 and total <= MAX_CHOICES
    key = key if one_of_several.choice(key) is not None else settled(m, key)
    if not uniform or one_of_several.choice(key) is not None:
        return outer.each(m, lambda v: items.get_item(m, v, key))
    elements = [_elements(m, v) or {} for v in outer.values]
    if not all(is_object(v) for found in elements for v in found.values()):
        return outer.each(m, lambda v: items.get_item(m, v, key))
    if is_known(key):
        position = key.value
        if type(position) is int and position < 0 and user_classes.class_of(outer.values[0]) is list:
            position += size
        if not all(position in found for found in elements):
            return outer.each(m, lambda v: items.get_item(m, v, key))
        return Chosen(tuple(found[position] for found in elements), outer.selector)
    lists = all(user_classes.class_of(v) is list for v in outer.values)
    if not lists or not known_and_truth.is_computed(m, key):
        return outer.each(m, lambda v: items.get_item(m, v, key))
    position = _selector_of_position(m, outer.values[0], size, key)
    number = arithmetic.arithmetic(m, "+", arithmetic.arithmetic(m, "*", outer.selector, Static(size)), position)
    return Chosen(tuple(v for found in elements for v in found.values()), m.cast(number, INT64, Kind.PYTHON))


def for_each(m: Machine, holder: Value | Chosen, use: Callable[[Value], None]) -> None:
    """Do something to a value, or to the one of some that it is."""

    def used(value: Value) -> Value:
        use(value)
        return NONE

    if isinstance(holder, Chosen):
        holder.each(m, used)
    else:
        one_of_several.for_each(m, holder, use)


def method(m: Machine, node: tree.Expr) -> Value | None:
    """`holder[key].name` to be called, where it may change an element that is one of some; None for anything else."""
    if not isinstance(node, tree.Attribute) or not isinstance(node.value, tree.Subscript | tree.Attribute):
        return None
    if not _has_subscript(node.value) or not (node.attr in CHANGING or _is_writer(m, node.value, node.attr)):
        return None
    holder = owner_of(m, node.value)
    m.node_loc = node.loc
    if not isinstance(holder, Chosen):
        return attributes.get_attribute(m, holder, node.attr)
    functions = tuple(attributes.get_attribute(m, v, node.attr) for v in holder.values)
    if all(isinstance(f, ArrayMethod | Bound | Closure | Static) for f in functions):
        return Mixed(functions, (), "one of several methods", None, holder.selector)
    return holder.each(m, lambda v: attributes.get_attribute(m, v, node.attr))


def _has_subscript(node: tree.Expr) -> bool:
    while isinstance(node, tree.Attribute):
        node = node.value
    return isinstance(node, tree.Subscript)


def _is_writer(m: Machine, node: tree.Expr, name: str) -> bool:
    """Whether a known list or dict in a local name has instances in it whose method may write to them."""
    if m.frame is None:
        return False
    value = m.locals.get(root_name(node), UNBOUND)
    inside = inner_values(m.live.heap, value)
    return any(may_write(v.cls, name) for v in inside if isinstance(v, Ref) and v.cls not in (list, dict))


def may_write(cls: type, name: str, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a method of the user's class has a statement that may change its object."""
    function = inspect.getattr_static(cls, name, None)
    if not isinstance(function, types.FunctionType) or name in seen:
        return False
    code = function.__code__
    if any(i.opname in STORES for i in dis.get_instructions(code)) or CHANGING.intersection(code.co_names):
        return True
    return any(may_write(cls, other, seen | {name}) for other in code.co_names)
