"""Expressions of the core tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.source.unsupported import refuse_construct
from graph_program.extract.stage.functions.builtins import builtin_iterables
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_dicts
from graph_program.extract.stage.host.values.host_dicts import dict_display
from graph_program.extract.stage.kinds import formatting
from graph_program.extract.stage.language.calls import calls
from graph_program.extract.stage.language.diagnosis import recovery, reveal
from graph_program.extract.stage.language.syntax import comprehensions, names, statement_temporaries
from graph_program.extract.stage.lists import columns
from graph_program.extract.stage.lists.positions import computed_position_writes
from graph_program.extract.stage.machine.checks import booleans, lengths
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.objects import argument_binding
from graph_program.extract.stage.operations import attributes, items, iteration, objects, operators
from graph_program.extract.stage.operations.known_and_truth import settled, static, truth_value
from graph_program.extract.stage.operations.of_numbers import conversions
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.several import optional
from graph_program.extract.stage.values import layouts
from graph_program.extract.stage.values.structure import joined_text
from graph_program.extract.stage.values.values import NONE, MadeSet, SliceValue, Static, Tensor, Tuple, Value


@entries.evaluate.given
def evaluate(m: Machine, node: tree.Expr) -> Value:
    m.node_loc = node.loc
    handler = HANDLERS.get(type(node))
    if handler is None:
        raise m.error("GP299", f"{type(node).__name__} expressions have no meaning here")
    m.operands.append([])
    try:
        if m.options.recovery is not None:
            value = recovery.attempt(m, m.options.recovery, node, handler)
        else:
            value = handler(m, node)
    finally:
        m.operands.pop()
    m.operands[-1].append(value)
    return value


@entries.truth_of.given
def truth(m: Machine, node: tree.Expr) -> Value:
    if m.options.recovery is not None:
        return recovery.attempt_truth(m, m.options.recovery, node, _truth)
    return _truth(m, node)


def _truth(m: Machine, node: tree.Expr) -> Value:
    match node:
        case tree.BoolOp(op, values):
            return _short_circuit(m, op, values, lambda e: truth(m, e))
        case tree.Unary("not", operand):
            return booleans.negate(m, truth(m, operand))
    value = evaluate(m, node)
    m.node_loc = node.loc
    return truth_value(m, value)


def _attribute(m: Machine, node: tree.Attribute) -> Value:
    value = evaluate(m, node.value)
    m.node_loc = node.loc
    return host_code.there(m, attributes.get_attribute(m, value, node.attr))


def _subscript(m: Machine, node: tree.Subscript) -> Value:
    value = evaluate(m, node.value)
    index = evaluate(m, node.index)
    m.node_loc = node.loc
    return host_code.there(m, items.get_item(m, value, index))


def _slice(m: Machine, node: tree.Slice) -> Value:
    bounds = [NONE if e is None else evaluate(m, e) for e in (node.lower, node.upper, node.step)]
    return SliceValue(*(conversions.own_index(m, bound) for bound in bounds))


def elements(m: Machine, nodes: Sequence[tree.Expr], function: Value | None = None) -> list[Value]:
    """The values of a display or of the arguments of a function, `*` expanded."""
    values: list[Value] = []
    for node in nodes:
        if isinstance(node, tree.Starred):
            value = _starred(m, node, function if len(nodes) == 1 else None)
            values.extend(iteration.static_items(m, value, iteration.STAR))
        else:
            values.append(evaluate(m, node))
    return values


def _starred(m: Machine, node: tree.Starred, function: Value | None = None) -> Value:
    """What stands behind a `*`; Python names the function that has nothing else."""
    value = settled(m, evaluate(m, node.value))
    if function is None:
        return optional.present(m, value, lambda none: [*none])
    called = argument_binding.named_like(m, function)
    return optional.present(m, value, lambda none: called(*none))


def _tuple(m: Machine, node: tree.TupleExpr) -> Value:
    hint, m.hint = m.hint, ""
    pieces = [_part(m, e) for e in node.elts]
    m.hint = hint
    return objects.new_sequence(m, tuple, columns.joined(m, pieces))


def _part(m: Machine, node: tree.Expr) -> layouts.Contents:
    """What one expression adds to a tuple: one of computed length is made of such lists and tuples only."""
    if not isinstance(node, tree.Starred):
        return (evaluate(m, node),)
    value = _starred(m, node)
    if lengths.is_growing(m, value):
        return builtin_iterables.listed(m, value, iteration.STAR)
    return tuple(iteration.static_items(m, value, iteration.STAR))


def _piece(m: Machine, node: tree.Expr) -> layouts.Contents:
    """What one expression adds to a list."""
    if not isinstance(node, tree.Starred):
        return (evaluate(m, node),)
    return builtin_iterables.listed(m, _starred(m, node), iteration.STAR)


def _set(m: Machine, node: tree.SetExpr) -> Value:
    m.node_loc = node.loc
    place = m.loc
    on_host = host_containers.is_made_on_host(m)
    found = elements(m, node.elts)
    m.node_loc = node.loc
    if on_host:
        return host_dicts.set_on_host(m, set, [Tuple(tuple(found))])
    with host_dicts.made_on_host_otherwise(m, place):
        return MadeSet({static(m, v, "an element of a set") for v in found}, loc=place)


def _call(m: Machine, node: tree.Call) -> Value:
    hint, m.hint = m.hint, ""
    function = computed_position_writes.method(m, node.func) or evaluate(m, node.func)
    shortcut = calls.special_form(m, function, node)
    if shortcut is not None:
        return shortcut
    args = elements(m, node.args, function)
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = evaluate(m, keyword.value)
        named = {keyword.name: value} if keyword.name else _unpacked(m, function, value)
        for name in named.keys() & keywords.keys():
            text = f"{argument_binding.qualified(m, function)} got multiple values for keyword argument '{name}'"
            raise m.error("GP320", text)
        keywords.update(named)
    m.node_loc, m.hint = node.loc, hint
    return calls.call_there(m, function, args, keywords, tail=m.frame is not None and id(node) in m.frame.tail_calls)


def _unpacked(m: Machine, function: Value, value: Value) -> dict[str, Value]:
    """The arguments in what stands behind a `**`."""
    called = argument_binding.named_like(m, function)
    return objects.dict_contents(m, optional.present(m, settled(m, value), lambda none: called(**none)))


def _unary(m: Machine, node: tree.Unary) -> Value:
    if node.op == "not":
        return truth(m, node)
    value = evaluate(m, node.operand)
    m.node_loc = node.loc
    return operators.unary(m, node.op, value)


def _binary(m: Machine, node: tree.Binary) -> Value:
    hint, m.hint = m.hint, ""
    left = evaluate(m, node.left)
    right = evaluate(m, node.right)
    m.node_loc, m.hint = node.loc, hint
    return operators.binary(m, node.op, left, right)


def _compare(m: Machine, node: tree.Compare) -> Value:
    hint, m.hint = m.hint, ""
    left = evaluate(m, node.left)
    m.hint = hint
    return _compare_rest(m, node, left, 0)


def _compare_rest(m: Machine, node: tree.Compare, left: Value, position: int) -> Value:
    right = evaluate(m, node.rights[position])
    m.node_loc = node.loc
    result = operators.comparison(m, node.ops[position], left, right)
    if position == len(node.ops) - 1:
        return result
    test = truth_value(m, result)
    return flow.choose(m, test, lambda: _compare_rest(m, node, right, position + 1), lambda: result)


def _short_circuit(m: Machine, op: str, values: Sequence[tree.Expr], take: Callable[[tree.Expr], Value]) -> Value:
    """`a and b and ...`: the first value that decides, else the last; the rest is not evaluated."""
    value = take(values[0])
    if len(values) == 1:
        return value
    m.node_loc = values[0].loc
    test = truth_value(m, value)
    go_on = booleans.negate(m, test) if op == "or" else test
    rest: list[Value] = []

    def second() -> Value:
        rest.append(_short_circuit(m, op, values[1:], take))
        return rest[0]

    result = flow.choose(m, go_on, second, lambda: value)
    if isinstance(result, Tensor) and result not in rest and result is not value:
        decisive = op == "and"
        result.implied = (decisive, ((test, decisive), *((v, decisive) for v in rest)))
    return result


def _if_expression(m: Machine, node: tree.IfExp) -> Value:
    test = truth(m, node.test)
    return flow.choose(m, test, lambda: evaluate(m, node.body), lambda: evaluate(m, node.orelse))


def _named(m: Machine, node: tree.NamedExpr) -> Value:
    m.hint = node.target
    value = evaluate(m, node.value)
    m.hint = ""
    names.assign_name(m, node.target, value)
    reveal.answer(m, tree.Name(node.target, loc=node.loc), value)
    return value


def _unsupported(m: Machine, node: tree.UnsupportedExpr) -> Value:
    raise refuse_construct(node.construct, m.loc)


HANDLERS: dict[type, Callable[[Machine, Any], Value]] = {
    tree.Constant: lambda m, node: NONE if node.value is None else Static(node.value),
    tree.Name: lambda m, node: names.read_name(m, node.id),
    tree.Attribute: _attribute,
    tree.Subscript: _subscript,
    tree.Slice: _slice,
    tree.TupleExpr: _tuple,
    tree.ListExpr: lambda m, node: objects.new_list(m, columns.joined(m, [_piece(m, e) for e in node.elts])),
    tree.SetExpr: _set,
    tree.DictExpr: dict_display,
    tree.Call: _call,
    tree.Unary: _unary,
    tree.Binary: _binary,
    tree.Compare: _compare,
    tree.BoolOp: lambda m, node: _short_circuit(m, node.op, node.values, lambda e: evaluate(m, e)),
    tree.IfExp: _if_expression,
    tree.NamedExpr: _named,
    tree.Lambda: lambda m, node: names.closure(m, node.function),
    tree.JoinedStr: lambda m, node: joined_text(formatting.message_parts(m, node)),
    tree.Comprehension: comprehensions.comprehension,
    tree.UnsupportedExpr: _unsupported,
    tree.Yield: _unsupported,
    statement_temporaries.Part: statement_temporaries.read_part,
}
