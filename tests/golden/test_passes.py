"""The graph of a file before and after one pass, of a program each, held in golden files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graph_program import graph_program
from graph_program.exports.for_model import extraction_for_model
from graph_program.extract.ir.printer import print_graph
from graph_program.extract.types.notation.declared_dims import NO_DIMS
from tests.goldens import Case, load, read

FILES = sorted((Path(__file__).parent / "passes").glob("*.txt"))
CASES = [case for file in FILES for case in read(file)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_before_and_after(case: Case, check_golden: Callable[[Case, str], None]) -> None:
    program, (name,) = load(case.source)["program"], [eval(case.call)]
    before, after = (graph(program, without) for without in ((name,), ()))
    assert before != after
    check_golden(case, f"-- before\n{before}\n-- after\n{after}")


def graph(function: Callable[..., Any], without: tuple[str, ...]) -> str:
    """The graph of a program's file, without what is told of its loops."""
    program = graph_program(function, without=without)
    text = print_graph(extraction_for_model(program._ready(), None, NO_DIMS).program)
    return "\n".join(line.rstrip() for line in text.split("\n") if not line.startswith("#"))
