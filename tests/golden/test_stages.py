"""The text of characteristic programs after each stage, held in golden files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import graph_program
from graph_program import GraphProgramFunction
from tests.goldens import Case, load, read

STAGES = ("source", "stage", "cfg", "graph", "optimized")
FILES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
CASES = [case for file in FILES for case in read(file)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_stages(case: Case, check_golden: Callable[[Case, str], None]) -> None:
    names = load(case.source)
    program = names["program"]
    assert not isinstance(program, GraphProgramFunction)
    names["program"] = graph_program.graph_program(program)
    names["args"] = lambda *args: args
    args = eval(case.call, names)
    text = "\n".join(f"-- {stage}\n{names['program'].explain(stage, args)}" for stage in STAGES)
    check_golden(case, "\n".join(line.rstrip() for line in text.split("\n")).rstrip())
