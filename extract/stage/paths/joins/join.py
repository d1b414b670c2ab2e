"""Merging what is known on several paths, at the end of a branch or block and at a loop's head.

    if c:            t = ...                  if c:
        x = 1                                     x = 1
    else:                             ->          (copy x := 1)
        x = y + 1                             else:
                                                  t = add(y, 1)
                                                  (copy x := t)

A join works in two steps.  `generalize` builds the merged value: what is the same on all paths
stays; what differs becomes a new merge variable, leaf by leaf; what cannot be merged becomes `Mixed`,
which may exist and is refused where it is used.  Then copies give each path's value to the merge
variables.  A loop's head uses the same steps, and sees whether what a round leaves fits (`meeting`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.residual import Operand
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine import emission
from graph_program.extract.stage.machine.decisions import NUMBERS
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.state import Heap, State
from graph_program.extract.stage.numbers.number_ranges import is_exact
from graph_program.extract.stage.numbers.python_numbers import COUNTER_BITS
from graph_program.extract.stage.paths.iterator_exhaustion import emptied
from graph_program.extract.stage.paths.joins import join_choices, join_numbers, join_objects, strategies, typed_joins
from graph_program.extract.stage.paths.joins import open_joins as opened_joins
from graph_program.extract.stage.paths.joins.identities import NUMBER, number_of
from graph_program.extract.stage.paths.joins.join_mixtures import mixed
from graph_program.extract.stage.paths.joins.meeting import Meeting, Pairs, fits, given_to, pairs, takes
from graph_program.extract.stage.values.exception_values import is_exception
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import is_none, is_unbound, known_value, missing_flag, present_part
from graph_program.extract.stage.values.structure import choice_of_texts, may_fail, number_bits, parts, same_value
from graph_program.extract.stage.values.values import (
    UNKNOWN,
    Host,
    Iteration,
    Maybe,
    Mixed,
    Ref,
    Tensor,
    Text,
    Value,
    is_numeric,
    type_of,
)
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.rules.facts import NOTHING, Facts
from graph_program.extract.types.tensors.promotion import join_types
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, Kind, TensorType

_join_numbers = itertools.count()


def new_number() -> int:
    """A number that no join has."""
    return next(_join_numbers)


@dataclass
class Join:
    """One join: the merge variables made for it, by identity of what they merge.

    `loop` is the number of the loop whose head this is, None for an ordinary join.
    """

    m: Machine
    loop: int | None = None
    place: Loc | None = None
    """The loop's."""
    since: float = math.inf
    """For a loop's head: what was born later is private to a round."""
    needs: frozenset[int] = frozenset()
    """For a loop's head: what its values are static without."""
    typed: bool = False
    """At a loop's head: a value may have one of several types."""
    deferred: dict[tuple[int, int], list[tuple[Value, Value]]] = field(default_factory=dict)
    """By head and value, what `typed_joins` gives to the merge variables."""
    number: int = field(default_factory=new_number)
    leaves: set[int] = field(default_factory=set)
    """ids of the Tensors whose operand is a merge variable of this join."""
    kept: list[Value] = field(default_factory=list)
    """Keeps merged values alive, so that ids stay unique."""
    counters: dict[int, str] = field(default_factory=dict)
    """Merge variables taken for counters (by id), with their names."""
    not_counters: set[str] = field(default_factory=set)
    free_dims: set[str] = field(default_factory=set)
    facts: Facts = NOTHING
    """At a loop's head: what is known at the end of the round."""
    memo: dict[tuple[int, ...], Value] = field(default_factory=dict)
    flags: dict[tuple[int, ...], Value] = field(default_factory=dict)
    own_of: dict[int, Value] = field(default_factory=dict)
    selectors: dict[tuple[int, ...], Tensor] = field(default_factory=dict)
    """By the number that each path has for a value: what tells which of several values without a common type it is."""
    heap: Heap = field(default_factory=Heap)
    """Contents of the objects made by merging."""
    written: dict[Tensor, Operand] = field(default_factory=dict)
    structural: bool = False
    """Whether it merges what has no common type or structure."""
    packings: strategies.Packings = field(default_factory=strategies.Packings)
    widened: int = 0
    """At a loop's head: how many guesses did not hold."""
    choices: dict[str, tuple[set[int], set[int]]] = field(default_factory=dict)
    """How many things, and how long ones, what has a name was taken for one of, in any guess."""
    growing: set[str] = field(default_factory=set)
    """What has more of them in each guess, and is carried on the host."""

    def fresh_dim(self) -> Any:
        d = self.m.fresh_dim()
        self.free_dims.add(str(d))
        return d

    def leaf(self, type_: TensorType, hint: str, values: Sequence[Value]) -> Tensor:
        """A new merge variable."""
        name = self.m.fresh(hint.rpartition(".")[2] or "t", type_)
        result = Tensor(name, type_, self.m.loc, join=self.number, sources=tuple(values))
        if type_ == PY_INT:
            self._bound(result, name, hint, values)
        result.needs = frozenset().union(*(v.needs for v in values))
        if self.loop is not None:
            result.needs = self.needs
        operands = [v.operand for v in values if isinstance(v, Tensor)]
        if (
            type_.kind is Kind.PYTHON
            and values
            and all(not isinstance(o, str) or o in self.m.host.both for o in operands)
        ):
            self.m.host.both.add(name)
        emission.computed(self.m, name, operands)
        self.leaves.add(id(result))
        self.kept.append(result)
        result.since = self.since
        if self.m.decided[NUMBERS] and result.is_array:
            result.identity = self.leaf(NUMBER, f"{name}.number", list(map(number_of, values)))
        return result

    def _bound(self, leaf: Tensor, name: str, hint: str, values: Sequence[Value]) -> None:
        """How large a merged int can get.

        A loop's int that starts small is taken for a counter, which changes by small steps and so cannot leave 60 bits
        in any time there is; `counters_hold` sees whether that is true.  It goes on counting for the loop around.
        """
        steps = frozenset.intersection(*(v.steps for v in values)) if values else frozenset[str]()
        if self.loop is None:
            leaf.bits, leaf.steps = max((number_bits(v) for v in values), default=63), steps
        elif hint not in self.not_counters and all(number_bits(v) <= COUNTER_BITS for v in values):
            leaf.bits, leaf.steps = COUNTER_BITS, steps | {name}
            self.counters[id(leaf)] = hint

    def generalize(self, values: Sequence[Value], states: Sequence[State], hint: str) -> Value:
        """The merged value of `values`, one per path (UNBOUND where a path has none)."""
        first = values[0]
        if isinstance(first, Iteration) and emptied(values, states):
            return mixed(self, values)
        if all(same_value(first, v) for v in values[1:]):
            return first
        key = tuple(map(id, values))
        if key not in self.memo:
            self.kept.extend(values)
            self.memo[key] = self._generalize(values, states, hint)
        return self.memo[key]

    def _generalize(self, values: Sequence[Value], states: Sequence[State], hint: str) -> Value:
        if any(v is UNKNOWN for v in values):
            return UNKNOWN
        present = merged_absence(self, values, states, hint)
        if present is not None:
            return present
        if any(isinstance(v, Open) for v in values):
            return opened_joins.joined(self.m, values)
        if any(isinstance(v, Host) for v in values):
            return strategies.merged_on_host(self, values, states, hint)
        known = join_choices.merged(self, values, hint) or join_numbers.merged(self, values, hint)
        exceptions = self.loop is not None and any(map(is_exception, values))
        if known is None and (self.typed or exceptions):
            known = typed_joins.merged(self, values, hint)
        if known is not None:
            return known
        if join_choices.carries(self, values, hint):
            return strategies.merged_on_host(self, values, states, hint)
        one = next((v for v in values if isinstance(v, Mixed)), None)
        if one is not None:
            return one if self.loop is not None and one.selector is None else mixed(self, values)
        if all(is_numeric(v) for v in values):
            type_ = self.joined_type(same_dims([type_of(v) for v in values], states))
            exact = type_ is not None and all(is_exact(v, type_) for v in values)
            return self.leaf(type_, hint, values) if type_ is not None and exact else mixed(self, values)
        grown = strategies.merged_tuples(self, values, states, hint)
        if grown is not None:
            return grown
        refs = [v for v in values if isinstance(v, Ref)]
        if len(refs) == len(values):
            return join_objects.merged(self, refs, states, hint)
        structures = [parts(v) for v in values]
        first = structures[0]
        if first is None or any(s is None or s[0] != first[0] for s in structures):
            return mixed(self, values)
        columns = zip(*(s[1] for s in structures if s is not None), strict=True)
        inner = [self.generalize(c, states, f"{hint}.{i}") for i, c in enumerate(columns)]
        result = first[2](*inner)
        self.kept.append(result)
        return result

    def joined_type(self, types: Sequence[TensorType]) -> TensorType | None:
        """The type that values of these types merge to, if any."""
        result: TensorType | None = types[0]
        for other in types[1:]:
            if result is None:
                return None
            result = join_types(result, other, self.fresh_dim)
        return result

    def own(self, value: Value, state: State, hint: str) -> Value:
        """A value of one path only, in merge variables: for a loop, and for a view that other paths could not read."""
        if self.loop is None and not may_fail(value):
            return value
        if is_numeric(value):
            return self.leaf(type_of(value), hint, [value])
        if isinstance(value, Text) and choice_of_texts(value) is None:
            return strategies.merged_on_host(self, [value], [state], hint)
        if is_exception(value):
            return typed_joins.merged(self, [value], hint) or value
        if isinstance(value, Ref):
            return join_objects.carried(self, value, state, hint)
        structure = parts(value)
        if structure is None:
            return value
        result = structure[2](*(self.own(v, state, f"{hint}.{i}") for i, v in enumerate(structure[1])))
        self.kept.append(result)
        return result

    def lookup(self, heap: Heap) -> Callable[[Ref], Any]:
        """How to find the contents of an object on a path, or of one made by merging."""
        return lambda ref: heap.get(ref, self.heap.get(ref))


def same_dims(types: list[TensorType], states: Sequence[State]) -> list[TensorType]:
    """Types of the paths that join, with one dim for all where the facts of each path make it so."""
    if all(not s.facts.solved for s in states) or any(t.rank != types[0].rank for t in types):
        return types
    columns = []
    for column in zip(*(t.shape for t in types), strict=True):
        common = next((d for d in column if _is_common(d, column, states)), None)
        columns.append(column if common is None else (common,) * len(column))
    shapes = zip(*columns, strict=True) if columns else [()] * len(types)
    return [replace(t, shape=tuple(shape)) for t, shape in zip(types, shapes, strict=True)]


def _is_common(d: Dim, column: Sequence[Dim], states: Sequence[State]) -> bool:
    return all(s.facts.resolve(d) == s.facts.resolve(e) for s, e in zip(states, column, strict=True))


Test = Callable[[Value], bool]
TESTS: dict[str, Test] = {"unbound": is_unbound, "none": is_none}
"""By what a missing value is; one that is not set may be None as well where it is set."""


def merged_absence(join: Join, values: Sequence[Value], states: Sequence[State], hint: str) -> Value | None:
    """What values merge to of which some are missing, or None: a flag, and the value where it is there.

    if c: best = 3                    missing := not c, best := 3

    None where none is missing.
    """
    absent = next((absent for absent, test in TESTS.items() if any(map(test, values))), None)
    return None if absent is None else _maybe(join, values, states, hint, absent)


def _maybe(join: Join, values: Sequence[Value], states: Sequence[State], hint: str, absent: str) -> Value:
    test = TESTS[absent]
    join.structural |= absent == "none"
    flags = [missing_flag(v, test) for v in values]
    present = [(present_part(v, test), s) for v, s in zip(values, states, strict=True)]
    kept = [(v, s) for v, s in present if v is not None]
    if not kept:
        return values[0]
    missing = flags[0]
    if not all(same_value(missing, f) for f in flags[1:]):
        missing = _flag(join, flags, f"no.{hint}")
    inner_values, inner_states = zip(*kept, strict=True)
    one = inner_values[0]
    if len(kept) == 1 or (may_fail(one) and all(v is one for v in inner_values)):
        inner = join.own(one, inner_states[0], hint)
    else:
        inner = join.generalize(inner_values, inner_states, hint)
    result = Maybe(missing, inner, absent)
    join.kept.append(result)
    return result


def _flag(join: Join, flags: Sequence[Value], hint: str) -> Value:
    """Whether a value is missing: one merge variable for all that are missing on the same paths."""
    key = tuple(known_value(f, id(f)) for f in flags)
    if key not in join.flags:
        join.kept.extend(flags)
        join.flags[key] = join.leaf(PY_BOOL, hint, flags)
    return join.flags[key]


@takes.of(Maybe)
def _takes(at: Meeting, head: Maybe, value: Value) -> bool:
    test = TESTS[head.absent]
    present = present_part(value, test)
    flag = fits(at, head.missing, missing_flag(value, test))
    return flag and (present is None or fits(at, head.value, present))


@given_to.of(Maybe)
def _given(at: Meeting, head: Maybe, value: Value) -> Pairs:
    test = TESTS[head.absent]
    yield from pairs(at, head.missing, missing_flag(value, test))
    present = present_part(value, test)
    if present is not None:
        yield from pairs(at, head.value, present)
