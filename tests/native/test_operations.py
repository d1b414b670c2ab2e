"""Every operation in C against NumPy: element types, edge values, shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.backends.c import rules
from graph_program.backends.c.emit import emit
from graph_program.backends.c.function import RULES
from graph_program.backends.c.library import NativeSession
from graph_program.extract.graph_steps import FOR_INTERPRETERS
from graph_program.tensor_api.opdef import OPS
from tests.native.compilers import QUICK, needs_compiler
from tests.ops.onnx_run import Trial, program_of
from tests.ops.rows import ROWS
from tests.ops.test_onnx_ops import describe, difference, trials_of

assert rules  # fills RULES

BATCH = 60
"""Calls in one file; ctypes takes 1,024 arguments."""
RECOGNISED = frozenset(["gelu", "gemm", "gru", "lstm", "lstm_memory"])
"""Operations that passes for runtimes make of several; compilers get these."""
MOST = 300
"""Calls of an operation."""


def test_every_operation_has_a_rule() -> None:
    assert {"gelu", "gemm", "recurrent"} <= FOR_INTERPRETERS
    assert sorted(set(OPS) - set(RULES)) == sorted(RECOGNISED)


@needs_compiler
@pytest.mark.parametrize("name", [name for name in ROWS if name not in RECOGNISED])
def test_same_as_numpy(name: str) -> None:
    row = ROWS[name]
    trials = some([trial for dtype in row.dtypes for trial in trials_of(name, dtype)])
    found = [got for i in range(0, len(trials), BATCH) for got in run(trials[i : i + BATCH])]
    differences = [(trial, difference(got, trial.want, row)) for trial, got in zip(trials, found, strict=True)]
    problems = [describe(trial, problem) for trial, problem in differences if problem]
    assert not problems, f"{len(problems)} of {len(trials)} differ, among them\n" + "\n".join(problems[:12])


def some(trials: Sequence[Trial]) -> list[Trial]:
    """Each case in one of its variants, in turn; every other one where there are very many."""
    cases: dict[int, list[Trial]] = {}
    for trial in trials:
        cases.setdefault(id(trial.case), []).append(trial)
    found = [variants[place % len(variants)] for place, variants in enumerate(cases.values())]
    assert found
    return found[:: -(-len(found) // MOST)]


def run(trials: Sequence[Trial]) -> list[np.ndarray]:
    """The results of all trials, from one C function."""
    program, arrays = program_of(trials)
    return NativeSession(program, emit(program), QUICK).run(None, arrays)
