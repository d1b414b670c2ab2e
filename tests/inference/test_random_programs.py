"""Inference over random programs: it ends, and finds fault only with what fails in Python."""

from __future__ import annotations

import inspect

import pytest

from graph_program import GraphProgramError
from graph_program.extract.stage.program.infer import infer_types
from tests.fuzz.compare import call, load
from tests.fuzz.shape_programs import shape_program


@pytest.mark.parametrize("seed", range(40))
def test_no_fault_is_found_with_a_program_that_runs(seed: int) -> None:
    program = shape_program(seed)
    function = load(program.source)
    unannotated = dict.fromkeys(inspect.signature(function).parameters, inspect.Parameter.empty)
    try:
        inferred = infer_types(function, unannotated)
    except GraphProgramError:
        return
    if any(call(function, args).error is None for args in program.calls):
        assert not inferred.findings, program.source
