"""The table of decisions: what it says of itself, and what making one does to others."""

from __future__ import annotations

import pytest

from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Loc
from graph_program.extract.ir.paths import SizeStep
from graph_program.extract.stage.machine import decisions
from graph_program.extract.stage.machine.decisions import NOTHING_YET, StateAttribute
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.machine.recovery import Recovery
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.program.restarts import restarted

HERE, THERE = Loc("a.py", 1, 2, 1, 3), Loc("a.py", 3, 4, 3, 5)
REFUSAL = GraphProgramError(Diagnostic("GP356", "no length", THERE))


def test_names_are_told_apart_and_what_is_forgotten_exists() -> None:
    names = [one.name for one in decisions.ALL]
    assert len(set(names)) == len(names) > 10
    assert {name for one in decisions.ALL for name in one.forgets} <= set(names)


def test_a_decision_forgets_others() -> None:
    decided = NOTHING_YET.and_of(decisions.UNROLLED, [HERE], REFUSAL).and_of(decisions.PARTED, [HERE], REFUSAL)
    decided = decided.and_of(decisions.TABLES, [int], REFUSAL)
    assert not decided[decisions.UNROLLED]
    assert list(decided[decisions.PARTED]) == [HERE]
    assert list(decided.without(decisions.PARTED)[decisions.TABLES]) == [int]


def test_an_attribute_takes_the_place_of_those_reached_through_it() -> None:
    outer, inner = object(), object()
    attributes = [StateAttribute(inner, ("self", ".a"), "x"), StateAttribute(outer, ("self",), "b")]
    decided = NOTHING_YET.and_of(decisions.STATE, attributes, REFUSAL)
    decided = decided.and_of(decisions.STATE, [StateAttribute(outer, ("self",), "a")], REFUSAL)
    assert [one.name for one in decided[decisions.STATE]] == ["b", "a"]
    assert StateAttribute(outer, ("other",), "b") in decided[decisions.STATE]


def test_what_is_decided_already_is_refused() -> None:
    options = restarted(Options(), Needed(decisions.UNROLLED, [HERE], REFUSAL))
    assert restarted(options, Needed(decisions.UNROLLED, [HERE, THERE], REFUSAL)).decided != options.decided
    with pytest.raises(GraphProgramError, match="no length"):
        restarted(options, Needed(decisions.UNROLLED, [HERE], REFUSAL))


def test_refusals_are_looked_for_again_where_a_decision_says_so() -> None:
    for decision in (decisions.STATE, decisions.UNROLLED):
        recovery = Recovery()
        recovery.report(REFUSAL)
        restarted(Options(recovery=recovery), Needed(decision, [HERE], REFUSAL))
        assert bool(recovery.findings) != decision.finds_again


def test_text() -> None:
    decided = NOTHING_YET.and_of(decisions.SIZES, [("x", SizeStep(1))], REFUSAL)
    decided = decided.and_of(decisions.STEPS, [decisions.EVERYWHERE], None).and_of(
        decisions.ORIGINALS, [(int, "n")], None
    )
    assert list(decisions.told(decided)) == [
        "x.shape[1]: known by value (otherwise GP356: no length; a.py:3:4)",
        "int.n: the caller's array is kept, as it is written in place and replaced",
        "everywhere: host code runs where it is reached, not after the graph",
    ]
