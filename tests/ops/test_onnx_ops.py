"""Every operation in onnxruntime against NumPy: element types, edge values, shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import onnxruntime
import pytest

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.backends.onnx.emit import emit, to_proto
from graph_program.tensor_api.opdef import OPS
from tests.ops.onnx_run import VARIANTS, Trial, program_of, run
from tests.ops.rows import ROWS, Case, Row

BATCH = 50
"""Calls in one session; sessions take more than twice the time for twice the nodes."""

PRESERVING = {"elementwise"}
"""Families whose result has the operands' element type."""


SINGLE = {
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "Div": "divide", "Exp": "exp", "Log": "log", "Sqrt": "sqrt",
    "Sin": "sin", "Tanh": "tanh", "Neg": "negative", "Abs": "absolute", "Pow": "power", "Max": "maximum",
    "Min": "minimum", "Less": "less", "Equal": "equal", "Cast": "cast", "MatMul": "matmul",
    "ReduceSum": "sum", "CumSum": "cumsum", "Gather": "take", "Concat": "concatenate", "Transpose": "transpose",
}  # fmt: skip
"""Operations on float32 and float64 that are one ONNX node."""


@pytest.mark.parametrize("name", ROWS)
def test_same_as_numpy(name: str) -> None:
    check(name)


@pytest.mark.parametrize("name", ["cos", "tan", "where", "maximum", "minimum", "sort"])
def test_same_as_numpy_with_the_kernels_of_this_version(name: str) -> None:
    check(name, onnxruntime=onnxruntime.__version__)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("operator", SINGLE)
def test_common_operations_are_one_node(operator: str, dtype: str) -> None:
    name = SINGLE[operator]
    trials = [trial for trial in trials_of(name, np.dtype(dtype)) if trial.want.ndim == 2]
    models = [to_proto(emit(program_of([trial])[0])) for trial in trials]
    assert [operator] in [[node.op_type for node in model.graph.node] for model in models]


def check(name: str, **options: object) -> None:
    """Compare all trials of an operation."""
    row = ROWS[name]
    trials = [trial for dtype in row.dtypes for trial in trials_of(name, dtype)]
    assert trials
    batches = [trials[i : i + BATCH] for i in range(0, len(trials), BATCH)]
    problems = [problem for batch in batches for problem in problems_of(batch, row, **options)]
    assert not problems, f"{len(problems)} of {len(trials)} differ, among them\n" + "\n".join(problems[:12])


def problems_of(trials: Sequence[Trial], row: Row, **options: object) -> Iterator[str]:
    """The trials that differ from NumPy, described."""
    program, arrays = program_of(trials)
    for trial, got in zip(trials, run(program, arrays, **options), strict=True):
        problem = difference(got, trial.want, row)
        if problem:
            yield describe(trial, problem)


def trials_of(name: str, dtype: np.dtype) -> Iterator[Trial]:
    for case in ROWS[name].cases(dtype):
        want = reference(name, case)
        if want is None or (OPS[name].family in PRESERVING and want.dtype != dtype):
            continue
        for variant in VARIANTS:
            scalars = any(np.ndim(x) == 0 for x in case.operands[1:])
            if variant != "constant" or scalars:
                yield Trial(name, case, variant, want)


def reference(name: str, case: Case) -> np.ndarray | None:
    """NumPy's result; None where NumPy refuses."""
    with np.errstate(all="ignore"):
        try:
            return np.asarray(OPS[name].reference(*case.operands, **case.attrs))
        except (TypeError, ValueError):
            return None


def difference(got: np.ndarray, want: np.ndarray, row: Row) -> str:
    """What differs, or nothing."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
    wrong = mismatches(got, want, row)
    if not wrong.any():
        return ""
    places = np.flatnonzero(np.atleast_1d(wrong).ravel())
    return f"at {places[:5]}: {got.ravel()[places[:5]]!r} instead of {want.ravel()[places[:5]]!r}"


def mismatches(got: np.ndarray, want: np.ndarray, row: Row) -> np.ndarray:
    if want.dtype.kind != "f":
        return got != want
    with np.errstate(all="ignore"):
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        ulps = row.ulps + (want.dtype == np.float16)
        error = np.abs(got.astype(np.longdouble) - want.astype(np.longdouble))
        allowed = ulps * np.spacing(np.abs(want)) + row.absolute * np.finfo(want.dtype).eps
        near = np.isfinite(want) & (error <= allowed) & (ulps + row.absolute > 0)
        wrong = ~(same | near)
    if row.signed_zeros:
        wrong |= (want == 0) & (got == 0) & (np.signbit(got) != np.signbit(want))
    return wrong


def describe(trial: Trial, problem: str) -> str:
    shapes = [f"{np.asarray(x).dtype}{np.shape(x)}" for x in trial.case.operands]
    values = [x for x in trial.case.operands if np.size(x) < 9]
    return f"{trial.op}({', '.join(shapes)}, {trial.case.attrs}) {trial.variant}: {problem}\n{values}"
