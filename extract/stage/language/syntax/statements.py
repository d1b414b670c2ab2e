"""Statements of the core tree, evaluated one after another."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.source.names_read import mentioned
from graph_program.extract.source.unsupported import refuse_construct
from graph_program.extract.stage.host.values import host_types
from graph_program.extract.stage.kinds import generators
from graph_program.extract.stage.language.calls import calls
from graph_program.extract.stage.language.diagnosis import promises, recovery
from graph_program.extract.stage.language.loops import loops
from graph_program.extract.stage.language.syntax import contexts, names, statement_temporaries, targets, trying
from graph_program.extract.stage.language.syntax.expressions import evaluate, truth
from graph_program.extract.stage.machine.decisions import SPLIT
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory.elements import are_apart
from graph_program.extract.stage.machine.path_ends import leave
from graph_program.extract.stage.machine.signals import KeysNeeded, Unreachable
from graph_program.extract.stage.machine.state import RETURN
from graph_program.extract.stage.objects import live_reads
from graph_program.extract.stage.paths import flow, splitting
from graph_program.extract.stage.paths.flow import exit_block
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.values import NONE, Host, Ref, Static, Value, births


@entries.run_body.given
def run_body(m: Machine, body: Sequence[tree.Stmt], began: int | None = None) -> None:
    if began is None:
        began, body = next(births), statement_temporaries.in_steps(m, body)
    for position, statement in enumerate(body):
        if m.state is None:
            return
        rest = partial(run_body, m, body[position:], began)
        if splitting.apart(m, partial(run, m, statement), rest, began, statement.loc):
            return


def run(m: Machine, node: tree.Stmt) -> None:
    """Evaluate one statement."""
    m.node_loc = node.loc
    live = m.current_frame.live_after.get(id(node))
    if live is not None and isinstance(node, tree.For | tree.With):
        live = live.union(*map(mentioned, node.body))
    m.current_frame.live_now = live
    handler = HANDLERS.get(type(node))
    if handler is None:
        raise m.error("GP299", f"{type(node).__name__} statements have no meaning here")
    place, generated = m.loc, len(m.iterators.generators)
    if place in m.decided[SPLIT]:
        handler = splitting.within(handler)
    m.operands.append([])
    try:
        if m.options.recovery is not None:
            recovery.run(m, m.options.recovery, node, handler)
        else:
            handler(m, node)
        generators.refuse_kept(m, generated)
    except Unreachable:
        m.state = None
    except KeysNeeded as needed:
        needed.subjects = needed.subjects or (place,)
        raise
    finally:
        m.operands.pop()


def run_assign(m: Machine, node: tree.Assign) -> None:
    first = node.targets[0]
    m.hint = first.id if isinstance(first, tree.Name) else ""
    source, generates = node.value, isinstance(node.value, tree.Comprehension) and node.value.kind == "generator"
    if generates and len(node.targets) == 1 and isinstance(first, tree.TupleExpr | tree.ListExpr):
        source, generates = replace(source, kind="list"), False  # type: ignore[call-arg]  # unpacked at once
    value = evaluate(m, source)
    m.hint = ""
    if generates:
        raise generators.kept(m)
    if node.annotation is not None and isinstance(value, Host):
        value = host_types.annotated(m, value, node.annotation)
    if node.annotation is not None:
        promises.check_assigned(m, value, node)
    exchanged = _apart_lists(m) if _is_exchange(node) else []
    for target in node.targets:
        m.node_loc = node.loc
        targets.assign(m, target, value)
    _keep_apart(m, exchanged)


def _is_exchange(node: tree.Assign) -> bool:
    """Whether an assignment exchanges two elements, at positions that the first one of them cannot change.

    Between the two assignments an object stands in two places, and behind them each is in one place again.
    """
    target, value = node.targets[0], node.value
    if len(node.targets) > 1 or not isinstance(target, tree.TupleExpr) or not isinstance(value, tree.TupleExpr):
        return False
    return (
        len(target.elts) == 2
        and target.elts == value.elts[::-1]
        and all(isinstance(e, tree.Subscript) and _is_place(e.value) and _is_position(e.index) for e in target.elts)
        and len({repr(e.value) for e in target.elts if isinstance(e, tree.Subscript)}) == 1
    )


def _is_place(node: tree.Expr) -> bool:
    while isinstance(node, tree.Attribute):
        node = node.value
    return isinstance(node, tree.Name)


def _is_position(node: tree.Expr) -> bool:
    match node:
        case tree.Binary(_, left, right):
            return _is_position(left) and _is_position(right)
        case tree.Unary(_, operand):
            return _is_position(operand)
    return isinstance(node, tree.Name | tree.Constant)


def _apart_lists(m: Machine) -> list[tuple[Ref, Any]]:
    """The lists whose arrays and objects are all different ones, with what they hold."""
    lists = [(ref, found) for ref, found in m.live.heap.items() if ref.cls is list]
    return [(ref, c) for ref, c in lists if (c.apart if isinstance(c, Growing) else are_apart(m, c))]


def _keep_apart(m: Machine, before: list[tuple[Ref, Any]]) -> None:
    """After an exchange, the elements are different ones if they were before."""
    for ref, contents in before:
        now = m.live.heap.get(ref)
        if isinstance(now, Growing) and now is not contents and not now.apart:
            m.live.heap[ref] = replace(now, apart=True)


def run_expression(m: Machine, node: tree.ExprStmt) -> None:
    if isinstance(node.value, tree.Yield) and m.frame is not None and m.frame.at_yield is not None:
        m.frame.at_yield(NONE if node.value.value is None else evaluate(m, node.value.value))
        return
    evaluate(m, node.value)


def run_if(m: Machine, node: tree.If) -> None:
    test = truth(m, node.test)
    m.node_loc = node.loc
    flow.branch(m, test, lambda: run_body(m, node.body), lambda: run_body(m, node.orelse))


def run_block(m: Machine, node: tree.Block) -> None:
    labels = m.current_frame.labels
    outer = labels.get(node.label)
    label = m.fresh(node.label.partition(".")[0])
    labels[node.label] = label
    try:
        with exit_block(m, label, node):
            run_body(m, node.body)
    finally:
        if outer is None:
            labels.pop(node.label, None)
        else:
            labels[node.label] = outer


def run_return(m: Machine, node: tree.Return) -> None:
    generated = len(m.iterators.generators)
    value: Value = NONE if node.value is None else evaluate(m, node.value)
    m.node_loc = node.loc
    generators.refuse_kept(m, generated)
    value = host_types.returned(m, value)
    promises.check_result(m, value, node)
    m.locals[RETURN] = value
    leave(m, m.current_frame.labels[RETURN])


def run_function(m: Machine, node: tree.FunctionDef) -> None:
    function = node.function
    decorators = [evaluate(m, decorator) for decorator in function.decorators]
    m.node_loc = node.loc
    value: Value = names.closure(m, function)
    for decorator, written in zip(reversed(decorators), reversed(function.decorators), strict=True):
        m.node_loc = written.loc
        value = calls.call(m, decorator, [value], {})
    names.assign_name(m, function.name, value)


def run_import(m: Machine, node: tree.ImportName) -> None:
    package = m.global_names().get("__package__") or ""
    try:
        name = "." * node.level + node.module
        module = importlib.import_module(name, package or None)
        value: Value = Static(module)
        if node.name is not None and hasattr(module, node.name):
            value = live_reads.captured_attribute(m, Static(module, (name,)), node.name)
        elif node.name is not None:
            value = Static(importlib.import_module(f"{name}.{node.name}", package or None))
        elif "." in node.module and node.target == node.module.partition(".")[0]:
            value = Static(importlib.import_module(node.target))
    except (ImportError, TypeError) as error:  # a TypeError where there is no package to be relative to
        text = (
            str(error) if isinstance(error, ImportError) else "attempted relative import with no known parent package"
        )
        raise m.error("GP348", text) from None
    m.locals[node.target] = value


def run_delete(m: Machine, node: tree.Delete) -> None:
    for target in node.targets:
        targets.delete(m, target)


def run_unsupported(m: Machine, node: tree.Unsupported) -> None:
    raise refuse_construct(node.construct, m.loc)


HANDLERS: dict[type, Callable[[Machine, Any], None]] = {
    tree.Assign: run_assign,
    tree.AugAssign: targets.augment,
    tree.ExprStmt: run_expression,
    tree.If: run_if,
    tree.While: loops.run_while,
    tree.For: loops.run_for,
    tree.Block: run_block,
    tree.Leave: lambda m, node: leave(m, m.current_frame.labels[node.label]),
    tree.Return: run_return,
    tree.FunctionDef: run_function,
    tree.ImportName: run_import,
    tree.Delete: run_delete,
    tree.Raise: trying.run_raise,
    tree.Try: trying.run_try,
    tree.With: contexts.run_with,
    tree.Unsupported: run_unsupported,
    statement_temporaries.Keep: statement_temporaries.keep,
    statement_temporaries.Drop: statement_temporaries.drop,
}
