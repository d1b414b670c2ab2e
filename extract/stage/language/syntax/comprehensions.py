"""Comprehensions: unrolled over structures of known length, else loops of the graph.

    [f(r) for r in x if r.sum() > 0]        ys := full(0.0, 0, 3)
                                            for k in range(dim(x, 0)):
                                                ...
                                                if t: ys := concatenate(ys, expand_dims(u, axes=(0,)), axis=0)

What a loop gives is appended to a list without a name; its contents are the result.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

from graph_program.extract.ir import residual, tree
from graph_program.extract.source.assigned_names import assigned_in_target
from graph_program.extract.source.names_read import walk
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_dicts
from graph_program.extract.stage.kinds import generators
from graph_program.extract.stage.language.syntax import targets
from graph_program.extract.stage.lists import list_loops
from graph_program.extract.stage.machine import handlers
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.decisions import HOST_DICTS
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.machine.path_ends import ensure_reachable
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.machine.state import Frame
from graph_program.extract.stage.operations import iteration
from graph_program.extract.stage.operations.known_and_truth import settled, static
from graph_program.extract.stage.operations.objects import new_dict, new_list
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.values import structure
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.values import Host, Iteration, MadeSet, Tuple, Value

Found = list[tuple[Value | None, Value]]
T = TypeVar("T")
FEW = 4
"""An iterable of numbers or rows is unrolled up to this many conditions that are computed."""


def comprehension(m: Machine, node: tree.Comprehension) -> Value:
    """The value of a comprehension; of a generator expression, all that it gives."""
    m.node_loc = node.loc
    if node.kind in ("dict", "set") and host_containers.is_made_on_host(m):
        return _on_host(m, node)
    node = generators.spliced(node)
    if node.kind in ("dict", "set"):
        found = _in_its_scope(m, node, lambda: _unrolled(m, node))
        m.node_loc = node.loc
        return _dict_or_set(m, node.kind, found)

    steps = len(m.host.steps)
    contents = _in_its_scope(m, node, lambda: list_loops.gathered(m, _elements(m, node)))
    m.node_loc = node.loc
    if node.kind != generators.KIND:
        return new_list(m, contents)
    given = new_list(m, contents) if isinstance(contents, Growing) else Tuple(contents)
    return generators.made(m, given, apart=len(m.host.steps) == steps and all(s.is_program for s in m.tries.scopes))


def quantified(m: Machine, name: str, node: tree.Comprehension) -> Value:
    """`any(... for ...)` or `all(... for ...)`, which stops at the element that decides."""
    node = generators.spliced(node)

    def produce(tell: Callable[[Value], None]) -> None:
        _clauses(m, node, 0, lambda: tell(entries.truth_of(m, node.element)))

    return _in_its_scope(m, node, lambda: list_loops.decided(m, name, produce))


def first(m: Machine, call: tree.Call) -> Value | None:
    """`next((... for ...), default)`, which stops at the first element; None for any other iterator."""
    node = call.args[0]
    if not isinstance(node, tree.Comprehension) or node.kind != "generator" or len(call.args) > 2:
        return None
    default = entries.evaluate(m, call.args[1]) if len(call.args) == 2 else None
    return _in_its_scope(m, node, lambda: list_loops.first(m, default, _elements(m, node)))


def _elements(m: Machine, node: tree.Comprehension) -> Callable[[Callable[[Value], None]], None]:
    """What gives one element after another to a function."""
    return lambda give: _clauses(m, node, 0, lambda: give(entries.evaluate(m, node.element)))


def _clauses(m: Machine, node: tree.Comprehension, position: int, body: Callable[[], None]) -> None:
    """Evaluate `body` once for everything that the clauses from `position` on give."""
    if position == len(node.clauses):
        body()
        return
    current = node.clauses[position]
    source = iteration.iterate(m, _iterable(m, node, current, position))
    bound = assigned_in_target(current.target)

    def one(item: Value) -> None:
        m.node_loc = current.target.loc
        with handlers.in_generator(m) if position == 0 and node.kind == generators.KIND else nullcontext():
            targets.assign(m, current.target, item)
            _where(m, current.ifs, lambda: _clauses(m, node, position + 1, body))

    def round_(item: Value) -> None:
        one(item)
        for name in bound:  # or later rounds would carry it
            m.locals.pop(name, None)

    place = m.node_loc
    if source.items is None or (source.count or 0) > iteration.MAX_LISTED or not _unroll(m, current, source, one):
        m.node_loc = place
        list_loops.each(m, source, round_)


def _iterable(m: Machine, node: tree.Comprehension, clause: tree.CompFor, position: int) -> Value:
    """What a clause goes through; Python evaluates the first one outside the comprehension's scope."""
    frame = m.current_frame
    scopes = frame.scopes
    if position == 0 and _has_scope(node):
        frame.scopes = scopes[:-1]
    try:
        return entries.evaluate(m, clause.iter)
    finally:
        frame.scopes = scopes


def _has_scope(node: tree.Comprehension) -> bool:
    """Whether Python evaluates a comprehension as a function of its own."""
    return node.kind == "generator" or sys.version_info < (3, 12)


def _where(m: Machine, tests: tuple[tree.Expr, ...], body: Callable[[], None]) -> None:
    """Evaluate `body` where all tests hold."""
    if not tests:
        body()
        return
    test = entries.truth_of(m, tests[0])
    flow.branch(m, test, lambda: _where(m, tests[1:], body), lambda: None)
    ensure_reachable(m)


def _unroll(m: Machine, clause: tree.CompFor, source: iteration.Source, one: Callable[[Value], None]) -> bool:
    """Go through a source whose elements are known; False where a loop is better, as many conditions are computed."""
    assert source.items is not None
    many = bool(clause.ifs) and not source.unroll and (source.count or 0) > FEW
    checkpoint = Checkpoint(m)
    for item in source.items():
        before = len(m.out)
        one(item)
        if many and any(isinstance(s, residual.If) for s in m.out[before:]):
            checkpoint.restore()
            return False
    return True


def _in_its_scope(m: Machine, node: tree.Comprehension, run: Callable[[], T]) -> T:
    """Evaluate with the comprehension's variables as its own."""
    makes_functions = any(isinstance(part, tree.Lambda) for part in walk(node))
    return _in_a_frame_of_its_own(m, node, run) if makes_functions else _in_the_same_frame(m, node, run)


def _in_the_same_frame(m: Machine, node: tree.Comprehension, run: Callable[[], T]) -> T:
    frame, table, bound = m.current_frame, m.locals, _bound(node)
    saved = {n: table[n] for n in bound if n in table}
    held = {f"<{n}>": v for n, v in saved.items()}
    table.update(held)
    original, scopes = frame.function, frame.scopes
    frame.function = dataclasses.replace(original, locals=original.locals | bound)
    frame.scopes = (*scopes, bound) if _has_scope(node) else scopes
    try:
        found = run()
    finally:
        frame.function, frame.scopes = original, scopes
    table = m.live.frames[frame.id]
    for name in (*bound, *held):
        table.pop(name, None)
    table.update(saved)
    return found


def _in_a_frame_of_its_own(m: Machine, node: tree.Comprehension, run: Callable[[], T]) -> T:
    """The functions that it makes go on to see its variables when it has ended."""
    outer = m.current_frame
    function = dataclasses.replace(outer.function, locals=_bound(node), globals=frozenset())
    inner = Frame(function, outer, None, outer.call, labels=outer.labels, caller=outer)
    m.live.frames[inner.id] = {}
    m.frame = inner
    try:
        return run()
    finally:
        m.frame = outer


def _unrolled(m: Machine, node: tree.Comprehension) -> Found:
    """The elements, with the keys of a dict, in order."""
    found: Found = []

    def clause(position: int) -> None:
        if position == len(node.clauses):
            key = None if node.key is None else entries.evaluate(m, node.key)
            found.append((key, entries.evaluate(m, node.element)))
            return
        current = node.clauses[position]
        source = settled(m, _iterable(m, node, current, position))
        if isinstance(source, Host | Iteration) and structure.is_host(source):
            m.node_loc = node.loc
            raise Needed(HOST_DICTS, [m.loc], iteration.unknown_length(m, source))
        for item in iteration.static_items(m, source, "this comprehension"):
            targets.assign(m, current.target, item)
            if all(static(m, entries.truth_of(m, test), "the condition of a comprehension") for test in current.ifs):
                clause(position + 1)

    with host_dicts.made_on_host_otherwise(m, m.loc):
        clause(0)
    return found


def _on_host(m: Machine, node: tree.Comprehension) -> Value:
    """A dict or set of the host, which gets its items one by one."""
    made = host_dicts.on_host(m) if node.kind == "dict" else host_dicts.set_on_host(m, set, [])

    def add() -> None:
        if node.key is None:
            element = entries.evaluate(m, node.element)
            method = host_code.attribute(m, made, "add")
            host_code.step(m, "call", [method, element], count=0, text="{... for ...}", harmless=True)
            return
        key = entries.evaluate(m, node.key)
        host_code.do(m, "set_item", made, key, host_dicts.kept(m, entries.evaluate(m, node.element)))

    _in_its_scope(m, node, lambda: _clauses(m, node, 0, add))
    m.node_loc = node.loc
    return made


def _bound(node: tree.Comprehension) -> frozenset[str]:
    """The names that are the comprehension's own."""
    return frozenset().union(*(assigned_in_target(c.target) for c in node.clauses))


def _dict_or_set(m: Machine, kind: str, found: Found) -> Value:
    if kind == "dict":
        made = new_dict(m, {})
        with host_dicts.made_on_host_otherwise(m, m.loc):
            known = {host_dicts.key_of_new(m, k, made): v for k, v in found if k is not None}
        return new_dict(m, known)
    with host_dicts.made_on_host_otherwise(m, m.loc):
        return MadeSet({static(m, v, "an element of a set") for _, v in found}, loc=m.loc)
