"""Values that some path does not have, or that are None there: a flag, and the value where it is there.

if c: best = 3                    missing := not c, best := 3
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from graph_program.extract.stage.machine.state import State
from graph_program.extract.stage.paths.joins.meeting import Meeting, Pairs, fits, given_to, pairs, takes
from graph_program.extract.stage.values.questions import is_none, is_unbound, known_value, missing_flag, present_part
from graph_program.extract.stage.values.structure import may_fail, same_value
from graph_program.extract.stage.values.values import Maybe, Value
from graph_program.extract.types.tensors.tensor_type import PY_BOOL

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join

Test = Callable[[Value], bool]
TESTS: dict[str, Test] = {"unbound": is_unbound, "none": is_none}
"""By what a missing value is; one that is not set may be None as well where it is set."""


def merged(join: Join, values: Sequence[Value], states: Sequence[State], hint: str) -> Value | None:
    """What values merge to of which some are missing; None where none is."""
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
