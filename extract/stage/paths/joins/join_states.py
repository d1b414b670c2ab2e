"""Merging whole states: the names, objects and written arrays of the paths that meet."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from graph_program.extract.ir.residual import Operand
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import on_path
from graph_program.extract.stage.machine.signals import Unreachable
from graph_program.extract.stage.machine.state import Exit, State
from graph_program.extract.stage.paths import structural_parameters
from graph_program.extract.stage.paths.iterator_exhaustion import either
from graph_program.extract.stage.paths.joins import join_choices, join_objects
from graph_program.extract.stage.paths.joins.join import Join, new_number
from graph_program.extract.stage.paths.joins.join_leaves import source
from graph_program.extract.stage.paths.joins.meeting import Deferred, Meeting, Pairs, pairs
from graph_program.extract.stage.paths.joins.strategies import Packings
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.values import UNBOUND, Ref, Tensor, Value, is_numeric
from graph_program.extract.types.rules.facts import Facts

STALE = ""
"""What a view is in step with after a join: no contents at all."""


def merge_states(join: Join, states: Sequence[State]) -> State:
    """The merged state of several paths; merge variables are still to be assigned."""
    merged = State(reach=None)
    first = states[0]
    for frame in first.frames:
        if not all(frame in s.frames for s in states):
            continue
        tables = [s.frames[frame] for s in states]
        merged.frames[frame] = _merge_names(join, tables, states)
    names = {v: name for table in merged.frames.values() for name, v in table.items() if isinstance(v, Ref)}
    for ref in dict.fromkeys(r for s in states for r in s.heap if r.born < join.since):
        contents = [(s.heap[ref], s) for s in states if ref in s.heap]
        found = _merge_object(join, ref, contents, names.get(ref, ""))
        only_here = join.loop is None and len(contents) < len(states)
        merged.heap[ref] = join_choices.contents_of_its_path(join, found) if only_here else found
    for tensor in dict.fromkeys(t for s in states for t in s.written if t.born < join.since):
        if tensor.view is not None:  # read again from its base when it is next used
            merged.synced[tensor] = STALE
            continue
        merged.written[tensor] = _merge_written(join, tensor, states)
    merged.elements = tuple(e for e in first.elements if all(e in s.elements for s in states[1:]))
    merged.heap.update(join.heap)
    return merged


def _merge_names(join: Join, tables: Sequence[dict[str, Value]], states: Sequence[State]) -> dict[str, Value]:
    names = dict.fromkeys(n for t in tables for n in t)
    return {n: join.generalize([t.get(n, UNBOUND) for t in tables], states, n) for n in names}


def _merge_object(join: Join, ref: Ref, contents: Sequence[tuple[Any, State]], name: str) -> Any:
    values, states = zip(*contents, strict=True)
    first = values[0]
    if all(v is first for v in values[1:]):
        return first
    hint = name if name.isidentifier() and ref.cls is list else "field" if isinstance(first, dict) else "item"
    return join_objects.merged_contents(join, values, states, hint)


def _merge_written(join: Join, tensor: Tensor, states: Sequence[State]) -> Operand:
    operands = [s.written.get(tensor, tensor.operand) for s in states]
    if all(o == operands[0] for o in operands[1:]):
        return operands[0]
    hint = tensor.operand if isinstance(tensor.operand, str) else "t"
    name = join.written[tensor] = join.m.fresh(hint, tensor.type)
    return name


def state_pairs(join: Join, merged: State, state: State) -> Pairs:
    """All merge variables of a merged state with what one path has for them."""
    rebound: set[int] = set()
    at = Meeting(join, merged.heap, state.heap)

    def noted(found: Pairs) -> Pairs:
        for head, value in found:
            if isinstance(head, Ref) and head is not value:
                rebound.add(id(head))
            yield head, value

    for frame, names in merged.frames.items():
        table = state.frames.get(frame, {})
        for name, head in names.items():
            yield from noted(pairs(at, head, table.get(name, UNBOUND)))
    ours = [ref for ref in merged.heap if ref in state.heap]
    for ref in sorted(ours, key=lambda r: r in join.heap):  # merged objects last: a path may rebind them
        if id(ref) not in rebound:
            yield from noted(join_objects.content_pairs(at, merged.heap[ref], state.heap[ref]))


def assign_state(join: Join, merged: State, path: Exit) -> None:
    """Write the copies from one path's state to the merge variables of the merged state."""
    out: dict[str, Operand] = {}
    state = path.state
    join.packings = Packings()
    with on_path(join.m, path):
        for head, value in state_pairs(join, merged, state):
            if (
                isinstance(head, Tensor)
                and isinstance(head.operand, str)
                and (is_numeric(value) or isinstance(value, Deferred))
            ):
                out[head.operand] = source(join, head, value)
        for tensor, name in join.written.items():
            out[str(name)] = state.written.get(tensor, tensor.operand)
    for target, operand in out.items():
        if target != operand:
            path.copy.targets.append(target)
            path.copy.sources.append(operand)


def assigned(join: Join, merged: State, path: Exit) -> bool:
    """Like `assign_state`; false where the path turns out not to get there.

    A view is read again from its base: where what was learnt of sizes since denies the shape that it
    has, no run takes the path, which then ends with an exception.
    """
    try:
        assign_state(join, merged, path)
    except Unreachable:
        return False
    return True


def join_exits(m: Machine, exits: Sequence[Exit]) -> State | None:
    """Merge the paths that meet at the end of a branch or block; None if there are none."""
    if not exits:
        return None
    if len(exits) == 1:
        return exits[0].state
    for path in exits:
        tell_what_is_there(m, path, [e.state for e in exits])
    join = Join(m)
    merged = merge_states(join, [e.state for e in exits])
    merged.facts = functools.reduce(Facts.meet, (e.state.facts for e in exits))
    merged.checked = frozenset.intersection(*(e.state.checked for e in exits))
    first, *others = (e.state.bound for e in exits)
    merged.bound = {name: value for name, value in first.items() if all(o.get(name) is value for o in others)}
    merged.consumed = either(e.state for e in exits)
    structural_parameters.meet(join, merged, [e.state for e in exits])
    reached = [assigned(join, merged, exit_) for exit_ in exits]
    return merged if any(reached) else None


def set_sources(join: Join, head: State, entry: State, back: State) -> bool:
    """Tell the values at a loop's head what they may be: the entry's, or the last round's.

    Returns whether one of them is an array or object, and may now share memory with what it did not before.
    """
    found: dict[int, tuple[Value, list[Value]]] = {}
    join.packings = Packings()
    for state in (entry, back):
        for leaf, value in state_pairs(join, head, state):
            if value is not leaf:
                found.setdefault(id(leaf), (leaf, []))[1].append(value)
    for leaf, values in found.values():
        deferred = any(isinstance(v, Deferred) for v in values)
        if leaf.is_python and deferred:
            leaf.sources = ()  # nothing is known of the number
        elif is_array_of_graph(leaf) and deferred:
            leaf.sources = tuple(_as_source(join, leaf, v) for v in values)
        elif isinstance(leaf, Tensor | Ref) and not deferred:
            leaf.sources = tuple(values)
    return any(not isinstance(leaf, Tensor) or leaf.is_array for leaf, _ in found.values())


def _as_source(join: Join, leaf: Tensor, value: Value) -> Value:
    """What a merge variable may be on a path, as one value: a path gives each variable one at most."""
    if not isinstance(value, Deferred):
        return value
    arrays = value.arrays()
    if len(arrays) == 1:
        return arrays[0]
    return Tensor(leaf.operand, leaf.type, join.m.loc, join=new_number(), sources=arrays)


def tell_what_is_there(m: Machine, path: Exit, states: Sequence[State]) -> None:
    """Have what may be None, and is not on a path, told at its end where another has a number or an array for it."""
    for frame, names in path.state.frames.items():
        for name, value in list(names.items()):
            if value.is_there and any(_is_of_graph(s, frame, name) for s in states):
                with on_path(m, path):
                    names[name] = host_entries.there(m, value)


def _is_of_graph(state: State, frame: int, name: str) -> bool:
    value = state.frames.get(frame, {}).get(name)
    return value is not None and is_numeric(value) and value.host is None
