"""The state at the head of a loop: the first guess, whether a round keeps to it, and a wider one."""

from __future__ import annotations

import itertools
from dataclasses import replace

from graph_program.extract.ir import tree
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.state import Body, State
from graph_program.extract.stage.numbers.number_ranges import known_numbers
from graph_program.extract.stage.paths.joins.join import Join
from graph_program.extract.stage.paths.joins.join_objects import contents_fit
from graph_program.extract.stage.paths.joins.join_states import merge_states, state_pairs
from graph_program.extract.stage.paths.joins.meeting import Meeting, fits
from graph_program.extract.stage.paths.joins.strategies import Packings
from graph_program.extract.stage.values.inside import inner_values, items_of
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.structure import number_bits, same_static, same_value
from graph_program.extract.stage.values.values import UNBOUND, Mixed, Tensor, Value, is_numeric, type_of

SMALL_BITS = 40
"""A value of more bits at the end of a round is no counter."""


def live_at_end(m: Machine, node: tree.While | tree.For) -> frozenset[str] | None:
    """Names that may be read after the last statement of a loop's body."""
    if m.frame is None or not node.body or isinstance(node.body[-1], tree.Leave | tree.Return | tree.Raise):
        return None  # after a statement that leaves, what is live where it leaves to
    return m.frame.live_after.get(id(node.body[-1]))


def first_guess(join: Join, entry: State, body: Body, frame: int, held: set[str]) -> State:
    """The state at the head if the loop's own names became variables of the types they have."""
    head = entry.copy()
    forget(head, body.live, frame, held)
    names = head.frames.get(frame, {})
    for name in body.assigned & names.keys():
        value = names[name]
        in_place = is_array_of_graph(value) and name not in body.bound
        if is_numeric(value) and not in_place:
            names[name] = join.leaf(type_of(value), name, [value])
    return head


def is_stable(join: Join, head: State, back: State) -> bool:
    """Whether the state at the end of a round is one that the state at the head covers."""
    at = Meeting(join, head.heap, back.heap)
    for frame, names in head.frames.items():
        table = back.frames.get(frame, {})
        if any(n not in names for n in table):
            return False
        if not all(fits(at, v, table.get(n, UNBOUND)) for n, v in names.items()):
            return False
    given: dict[int, tuple[Value, Value]] = {}
    for merged, value in state_pairs(join, head, back):
        if not same_value(given.setdefault(id(merged), (merged, value))[1], value):
            return False  # what was one value is two by now
    for ref, contents in head.heap.items():
        present = back.heap.get(ref, contents)
        rebound = given.get(id(ref), (ref, ref))[1] is not ref
        if not rebound and contents is not present and not contents_fit(at, contents, present):
            return False
    return all(
        tensor in join.written or operand == head.written.get(tensor, tensor.operand)
        for tensor, operand in back.written.items()
        if tensor.born < join.since and tensor.view is None
    )


def is_mixed_at(head: State, loop: int) -> bool:
    """Whether there are values without a common type that met at the head of a loop."""
    names = (names.values() for names in head.frames.values())
    held = itertools.chain(*names, *map(items_of, head.heap.values()))
    return any(isinstance(v, Mixed) and v.loop == loop and v.place is not None for v in inner_values({}, *held))


def widen(join: Join, entry: State, head: State, back: State) -> State:
    """A head state that covers the entry, the last guess and the end of the round."""
    join.widened += 1
    join.memo.clear()
    join.flags.clear()
    join.heap.clear()
    join.written.clear()
    join.packings = Packings()
    merged = merge_states(join, [entry, head, back])
    return replace(merged, facts=entry.facts, bound=entry.bound, consumed=entry.consumed, sides=entry.sides)


def forget(state: State, live: frozenset[str] | None, frame: int, held: set[str]) -> None:
    """Drop local names that no later round and nothing after the loop reads.

    `held` are the arrays that loops around this one go over.
    """
    names = state.frames.get(frame, {})
    for name in [n for n in names if n not in held and (n.startswith("<") or (live is not None and n not in live))]:
        del names[name]


def numbers_hold(join: Join, head: State, back: State) -> bool:
    """Whether the numbers that were relied on to be some known ones are such."""
    for leaf, value in state_pairs(join, head, back):
        if not leaf.relied or value is leaf:
            continue
        known, given = known_numbers(leaf), known_numbers(value, leaf)
        if known is None or given is None or not all(any(same_static(g, k) for k in known) for g in given):
            return False
    return True


def counters_hold(join: Join, head: State, back: State) -> bool:
    """Whether every int taken for a counter is one; those that are not are remembered."""
    known = len(join.not_counters)
    for leaf, value in state_pairs(join, head, back):
        hint = join.counters.get(id(leaf))
        if hint is None or not isinstance(leaf, Tensor):
            continue
        if leaf.operand not in value.steps and number_bits(value) > SMALL_BITS:
            join.not_counters.add(hint)
    return len(join.not_counters) == known
