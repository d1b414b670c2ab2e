"""Annotations of `*args` and `**kwargs`, which say what each of them is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, GraphProgramError, Tensor, graph_program, load
from tests.programs.plain import check

A, B = np.array([3, 1], np.float32), np.array([2, 5], np.float32)


def apart(*xs: Float32[Tensor, "n"]) -> Any:
    return xs[0] - xs[1], len(xs)


def weighed(x: float, *more: float, **options: float) -> Any:
    total = x
    for value in more:
        total += value * options["weight"]
    return total


def test_arguments_of_that_type() -> None:
    check(apart, (A, B), (A, B, A))
    check(weighed, (1.5,))
    program = graph_program(weighed)
    assert program(1.5, 2.0, 3.0, weight=0.5) == weighed(1.5, 2.0, 3.0, weight=0.5)


def test_others_are_refused() -> None:
    with pytest.raises(GraphProgramError, match=r"xs\[1\]: expected float32 \[n\], got an array of float64") as refused:
        graph_program(apart)(A, B.astype(np.float64))
    assert refused.value.code == "GP401"


def test_a_file_has_as_many_as_its_example(tmp_path: Path) -> None:
    program = graph_program(apart)
    with pytest.raises(GraphProgramError, match="the annotation of 'xs' leaves open how many elements") as refused:
        program.export(tmp_path / "none.onnx")
    assert refused.value.code == "GP502"
    program.export(tmp_path / "two.onnx", (A, B))
    found = load(tmp_path / "two.onnx")(B, A)
    np.testing.assert_array_equal(found[0], B - A)
    assert found[1] == 2
