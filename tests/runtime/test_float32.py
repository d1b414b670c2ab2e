"""Exports that compute in float32 what Python computes in float64, and what they say of the difference."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import Float64, GraphProgramError, Tensor, graph_program
from tests.runtime.native_programs import Vector, needs_compiler


@graph_program
def root(x: float) -> Any:
    """Newton's steps, of which float32 takes fewer."""
    guess, steps = x, 0
    while abs(guess * guess - x) > 1e-9 and steps < 40:
        guess = (guess + x / guess) / 2
        steps += 1
    return guess, steps


@graph_program
def above(x: Vector, limit: float) -> Any:
    total, count = 0.0, 0
    for i in range(len(x)):
        if x[i] > limit:
            total += x[i]
            count += 1
    return total, count, x * 2


CLOSE = np.array([1.0, 1.0 + 1e-12, 3.0])


@needs_compiler
def test_c_without_doubles(tmp_path: Path) -> None:
    summary = above.export(tmp_path / "above.c", (np.array([1.0, 2.5, 4.0]), 2.0), float="float32")
    text = (tmp_path / "above.c").read_text()
    assert "double" not in text and "const float *x, float limit" in summary.function
    assert "int64_t *result_1" in summary.function
    assert summary.float32 is not None and not summary.float32.decisions
    assert [output.largest for output in summary.float32.outputs] == [0.0, 0.0]
    assert "gives what NumPy gives in float32" in summary.tried


@graph_program
def converted(x: Float64[Tensor, "n"], w: Float64[Tensor, "n n"]):
    y = w @ x
    return int(x[0]), y.astype(np.int32), y.astype(np.uint8), y.astype(np.uint32), y.astype(np.uint64)


@needs_compiler
def test_no_double_constant_beside_a_float(tmp_path: Path) -> None:
    converted.export(tmp_path / "converted.c", (np.array([1.5, 3.0]), np.eye(2)), float="float32")
    text = re.sub(r"/\*.*?\*/", "", (tmp_path / "converted.c").read_text(), flags=re.DOTALL)
    assert "double" not in text and not re.search(r"\d\.\d+(?![\def])", text)


@needs_compiler
def test_decisions_that_change(tmp_path: Path) -> None:
    report = above.export(tmp_path / "above.c", (CLOSE, 1.0), float="float32").float32
    assert report is not None
    decided = [decision for decision in report.decisions if "test_float32.py" in decision.place]
    assert [decision.text for decision in decided] == ["taken another way in 1 of 3 cases"]
    assert report.outputs[0].largest == pytest.approx(1.0) and report.outputs[-1].largest == 1.0


@needs_compiler
def test_rounds_that_change(tmp_path: Path) -> None:
    summary = root.export(tmp_path / "root.c", (2.0,), float="float32")
    assert summary.float32 is not None
    assert any("rounds instead of" in decision.text for decision in summary.float32.decisions)
    assert "in float32, for the example arguments" in str(summary)


def test_onnx_without_doubles(tmp_path: Path) -> None:
    path = tmp_path / "above.onnx"
    summary = above.export(path, (np.array([1.0, 2.5, 4.0]), 2.0), float="float32")
    session = onnxruntime.InferenceSession(path)
    assert {value.type for value in session.get_inputs()} == {"tensor(float)"}
    total, count, twice = session.run(None, {"x": np.array([3.0, 5.0], np.float32), "limit": np.array(4, np.float32)})[
        :3
    ]
    assert (total, count, twice.tolist()) == (5.0, 1, [6.0, 10.0]) and total.dtype == np.float32
    assert summary.float32 is not None and not summary.float32.decisions


@needs_compiler
def test_state_and_captured_arrays(tmp_path: Path) -> None:
    weights = np.array([0.25, 0.75])

    class Smooth:
        def __init__(self) -> None:
            self.last = np.array([1.0, 2.0])

        @graph_program
        def step(self, x: float) -> float:
            self.last[0] = self.last[1]
            self.last[1] = x
            return float(np.sum(self.last * weights))

    Smooth().step.export(tmp_path / "smooth.c", (3.0,), float="float32")
    assert "double" not in (tmp_path / "smooth.c").read_text() + (tmp_path / "smooth.h").read_text()


@pytest.mark.parametrize("number", [1e300, 1e-300])
def test_constants_that_float32_has_not(number: float, tmp_path: Path) -> None:
    @graph_program
    def guarded(x: float) -> float:
        return max(x, number) / 2

    with pytest.raises(GraphProgramError, match=r"GP518.*would be (infinite|0) in float32") as refused:
        guarded.export(tmp_path / "guarded.c", (1.0,), float="float32")
    assert "return max(x, number) / 2" in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_functions_that_compute_with_what_float32_has_not(tmp_path: Path) -> None:
    @graph_program
    def fitted(a: Float64[Tensor, "n 3"], b: Vector) -> Any:
        return np.linalg.lstsq(a, b)[0]

    with pytest.raises(GraphProgramError, match=r"GP518.*this computes with 1e-200, which would be 0") as refused:
        fitted.export(tmp_path / "fitted.onnx", float="float32")
    assert "return np.linalg.lstsq(a, b)[0]" in str(refused.value)


def test_infinity_stays(tmp_path: Path) -> None:
    @graph_program
    def smallest(x: Vector) -> float:
        found = math.inf
        for v in x:
            found = min(found, v)
        return found

    report = smallest.export(tmp_path / "smallest.onnx", (np.array([2.0, 1.0]),), float="float32").float32
    assert report is not None and report.outputs[0].largest == 0.0


def test_an_unknown_float(tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match=r"GP515.*'float64' or 'float32', not 'float33'"):
        above.export(tmp_path / "above.c", float="float33")
