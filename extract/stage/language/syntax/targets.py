"""Assignment to names, attributes, subscripts and patterns; augmented assignment; `del`."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Sequence

from graph_program.extract.ir import tree
from graph_program.extract.stage.arrays import alias, array_writes
from graph_program.extract.stage.functions.builtins import sequence_methods
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_operands
from graph_program.extract.stage.kinds import computed_keys
from graph_program.extract.stage.language.diagnosis.reveal import answer
from graph_program.extract.stage.language.syntax.names import assign_name
from graph_program.extract.stage.lists import growing_lists
from graph_program.extract.stage.lists.positions import computed_position_writes
from graph_program.extract.stage.machine.checks import lengths
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import reachable
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.objects import attribute_writes, captured_state, structure_operators
from graph_program.extract.stage.opened import operators as opened_operators
from graph_program.extract.stage.operations import attributes, items, objects, operator_slots, operators, unpacking
from graph_program.extract.stage.operations.known_and_truth import settled
from graph_program.extract.stage.paths.sample_operands import refuse_misfit
from graph_program.extract.stage.paths.several import mixed_numbers, one_of_several, optional
from graph_program.extract.stage.values import user_classes
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import is_array_of_graph, is_just, is_known_as, is_list, is_ref_to
from graph_program.extract.stage.values.values import UNBOUND, Host, Mixed, Ref, Row, Static, Tensor, Value, is_numeric


@entries.assign.given
def assign(m: Machine, target: tree.Expr, value: Value) -> None:
    match target:
        case tree.Name(name):
            assign_name(m, name, value)
            answer(m, target, value)
        case tree.TupleExpr(elts) | tree.ListExpr(elts):
            unpack(m, elts, value)
        case tree.Attribute(owner, attr):
            holder = computed_position_writes.owner_of(m, owner)
            m.node_loc = target.loc
            computed_position_writes.for_each(
                m, holder, lambda one: attribute_writes.set_attribute(m, one, attr, value)
            )
            answer(m, target)
        case tree.Subscript(owner, index):
            holder = computed_position_writes.owner_of(m, owner)
            key = entries.evaluate(m, index)
            m.node_loc = target.loc
            computed_position_writes.for_each(m, holder, lambda one: items.set_item(m, one, key, value))
            answer(m, target)
        case _:
            raise m.error("GP299", "this cannot be assigned to")


def unpack(m: Machine, elts: tuple[tree.Expr, ...], value: Value) -> None:
    """`a, *b, c = value`."""
    star = next((i for i, e in enumerate(elts) if isinstance(e, tree.Starred)), None)
    targets = [e.value if isinstance(e, tree.Starred) else e for e in elts]
    for target, part in zip(targets, _parts(m, targets, star, host_entries.with_text_there(m, value)), strict=True):
        assign(m, target, part)


def _parts(m: Machine, targets: Sequence[tree.Expr], star: int | None, value: Value) -> Iterable[Value]:
    """What each target gets; the list of a starred one is made when those before it have got theirs."""
    if isinstance(value, Host):
        names = [t.id if isinstance(t, tree.Name) else "part" for t in targets]
        return host_code.unpack(m, value, len(targets), star, names)
    wanted = len(targets) - (star is not None)
    if star is not None and lengths.is_growing(m, settled(m, value)):
        return growing_lists.unpacked(m, m.live.heap[settled(m, value)], star, wanted - star)
    items = unpacking.items_to_unpack(m, value, wanted, star is None)
    if star is None:
        if len(items) < wanted:
            raise m.error("GP304", f"not enough values to unpack (expected {wanted}, got {len(items)})")
        if len(items) > wanted:
            raise m.error("GP304", f"too many values to unpack (expected {wanted})")
        return items
    if len(items) < wanted:
        raise m.error("GP304", f"not enough values to unpack (expected at least {wanted}, got {len(items)})")
    behind = len(items) - (wanted - star)
    starred = (objects.new_list(m, middle) for middle in [items[star:behind]])
    return itertools.chain(items[:star], starred, items[behind:])


def augment(m: Machine, node: tree.AugAssign) -> None:
    """`target op= value`: in place for arrays and lists, else an assignment."""
    match node.target:
        case tree.Name(name):
            old = entries.evaluate(m, node.target)
            value = entries.evaluate(m, node.value)
            m.node_loc, m.hint = node.loc, name
            new = in_place(m, node.op, old, value)
            m.hint = ""
            assign_name(m, name, new)
        case tree.Attribute(owner, attr):
            holder = computed_position_writes.owner_of(m, owner)
            computed_position_writes.for_each(m, holder, lambda one: augment_attribute(m, node, one, attr))
        case tree.Subscript(owner, index):
            holder = computed_position_writes.owner_of(m, owner)
            key = entries.evaluate(m, index)
            m.node_loc = node.target.loc
            computed_position_writes.for_each(m, holder, lambda one: augment_item(m, node, one, key))
        case _:
            raise m.error("GP299", "this cannot be assigned to")
    answer(m, node.target)


def augment_attribute(m: Machine, node: tree.AugAssign, holder: Value, name: str) -> None:
    """`holder.name op= value`."""
    old = attributes.get_attribute(m, holder, name)
    value = entries.evaluate(m, node.value)
    m.node_loc = node.loc
    new = in_place(m, node.op, old, value)
    if not (is_element(holder) and new is old.there is not old and attribute_writes.is_plainly_set(holder, name)):
        attribute_writes.set_attribute(m, holder, name, new)


def is_element(holder: Value) -> bool:
    """Whether an object is in a list of computed length, or in the table of its class."""
    return isinstance(holder, Row) or holder.element is not None


def takes_items(holder: Value) -> bool:
    """Whether `holder[key] = value` may be more than an error."""
    cls = user_classes.class_of(holder)
    return cls is None or hasattr(cls, "__setitem__")


def augment_item(m: Machine, node: tree.AugAssign, holder: Value, key: Value) -> None:
    """`holder[key] op= value`; an element that is one of several lists or arrays is changed itself."""

    def of_element(old: Value) -> None:
        value = entries.evaluate(m, node.value)
        m.node_loc = node.loc
        new = in_place(m, node.op, old, value)
        one = old.there
        there = found is not None or one.view is not None or (one.is_array and one.element is not None)
        if new is not one or not there or not takes_items(holder):
            items.set_item(m, holder, key, new)

    found = computed_position_writes.at(m, holder, key)
    if found is None and is_ref_to(holder, dict) and one_of_several.choice(key) is None:
        known, key = m.live.heap[holder], settled(m, key)
        if computed_keys.is_asked(m, known, key):
            computed_keys.for_each(m, known, key, lambda one: augment_item(m, node, holder, one))
            return
    computed_position_writes.for_each(m, items.get_item(m, holder, key) if found is None else found, of_element)


@entries.in_place.given
def in_place(m: Machine, op: str, old: Value, value: Value) -> Value:
    left, right = mixed_numbers.one_of_numbers(old), mixed_numbers.one_of_numbers(value)
    if left is not None:  # numbers cannot be changed
        return operators.binary(m, op, old, value)
    if right is not None:
        return mixed_numbers.of_each(m, right, lambda v: in_place(m, op, old, v))
    one_of = one_of_several.one_of_objects(old)
    if one_of is not None:
        return _in_place_of_each(m, op, one_of, value)
    old = settled(m, old)
    old = m.in_graph(old)
    if old.is_array or is_ref_to(old, list, dict, set):
        value = host_operands.known(m, value)  # it is the object that the program has which changes
    elif (isinstance(old, Host) or isinstance(value, Host)) and not operator_slots.defines(
        arithmetic.BINARY[op][2], old, value
    ):
        return host_code.in_place(m, op, old, value)
    there = optional.arguments(m, getattr(operator, f"i{arithmetic.BINARY[op][2]}"), [old, value])
    if there != [old, value]:
        return in_place(m, op, *there)
    if isinstance(old, Open) or (isinstance(old, Tensor) and isinstance(value, Open)):
        return opened_operators.in_place(m, op, old, value)
    custom = operator_slots.in_place_method(m, arithmetic.BINARY[op][2], old, value)
    if custom is not None:
        return custom
    if op in ("+", "*") and is_list(old) and not structure_operators.is_of_numpy_in(op, value):
        return _list_in_place(m, op, old, value)
    if op == "|" and is_ref_to(old, dict):
        return _dict_in_place(m, old, value)
    if is_known_as(old, set) and type(old.value) is set and not old.path and reachable.is_shared(m, old):
        raise captured_state.refused_change(m, old, f"__i{arithmetic.BINARY[op][2]}__")
    if is_array_of_graph(old):
        array_writes.write_operator(m, op, old, value)
        return old
    if is_just(old, None) and is_numeric(value):
        refuse_misfit(m, getattr(operator, f"i{arithmetic.BINARY[op][2]}"), old, value)
    return operators.binary(m, op, old, value)


def _dict_in_place(m: Machine, old: Ref, value: Value) -> Value:
    """`old |= value` of a dict, which is `old.update(value)`."""
    sequence_methods.METHODS[dict, "update"](m, [old, value], {})
    return old


def _list_in_place(m: Machine, op: str, old: Value, value: Value) -> Value:
    """`old += value` and `old *= value` of a list."""
    if isinstance(old, Static):
        raise captured_state.refused_change(m, old, "__iadd__")
    assert isinstance(old, Ref)
    result = operators.binary(m, op, old, value) if op == "*" else structure_operators.extended(m, old, value)
    assert isinstance(result, Ref)
    alias.before_write(m, old)
    alias.store(m, old, m.live.heap[result])
    return old


def _in_place_of_each(m: Machine, op: str, old: Mixed, value: Value) -> Value:
    """`in_place` of one of some arrays or objects."""
    same: list[bool] = []

    def changed(one: Value) -> Value:
        new = in_place(m, op, one, value)
        same.append(new is one)
        return new

    result = one_of_several.of_each(m, old, changed)
    return old if all(same) else result


def delete(m: Machine, target: tree.Expr) -> None:
    """`del target`."""
    match target:
        case tree.Name(name):
            entries.evaluate(m, target)
            assign_name(m, name, UNBOUND)
        case tree.TupleExpr(elts) | tree.ListExpr(elts):
            for elt in elts:
                delete(m, elt)
        case tree.Attribute(owner, attr):
            holder = entries.evaluate(m, owner)
            m.node_loc = target.loc
            attribute_writes.delete_attribute(m, holder, attr)
        case tree.Subscript(owner, index):
            holder, key = entries.evaluate(m, owner), entries.evaluate(m, index)
            m.node_loc = target.loc
            attribute_writes.delete_item(m, holder, key)
        case _:
            raise m.error("GP299", "this cannot be deleted")
