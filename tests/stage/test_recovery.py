"""An extraction that goes on after refusals refuses what others refuse, for the same reason first."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import graph_program
from graph_program import GraphProgramError, GraphProgramFunction
from graph_program.extract import steps
from graph_program.extract.ir.specs import ArgSpec
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.machine.recovery import Recovery
from graph_program.extract.stage.program.evaluate import Staged, evaluate_program
from graph_program.samples import kalman, lstm
from tests.goldens import Case, load, read

FOLDER = Path(__file__).resolve().parents[1]
REFUSED = [case for file in sorted((FOLDER / "diagnostics" / "cases").glob("*.txt")) for case in read(file)]


@pytest.fixture
def recoveries(monkeypatch: pytest.MonkeyPatch) -> list[Recovery]:
    """Makes every extraction go on after refusals; gives what they found."""
    made: list[Recovery] = []

    def going_on(fn: Any, specs: Mapping[str, ArgSpec], *, options: Options, **others: Any) -> Staged:
        made.append(Recovery())
        return evaluate_program(fn, specs, options=dataclasses.replace(options, recovery=made[-1]), **others)

    monkeypatch.setattr(steps, "evaluate_program", going_on)
    return made


def called(case: Case) -> Any:
    names = load(case.source)
    program = names.get("program")
    if program is not None and not isinstance(program, GraphProgramFunction):
        names["program"] = graph_program.graph_program(program)
    return eval(case.call, names)


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_the_first_finding_is_the_refusal(case: Case, recoveries: list[Recovery]) -> None:
    with pytest.raises(GraphProgramError) as caught:
        called(case)
    assert str(caught.value) in case.expected
    for recovery in recoveries:
        texts = list(map(str, recovery.findings))  # none, where the body is not what is refused
        assert texts == [] or texts[0] in case.expected
        assert len(set(texts)) == len(texts)


def test_nothing_is_found_where_nothing_is_wrong(recoveries: list[Recovery]) -> None:
    for program in (kalman.smooth_track, lstm.lstm):
        graph_program.graph_program(program.python).model(freeze=False)  # the sample's own may be extracted by now
    assert [recovery.findings for recovery in recoveries] == [[], []]
