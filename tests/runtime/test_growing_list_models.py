"""Lists of computed length in exported models: their columns are outputs, run by onnxruntime alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from graph_program import Float32, Float64, Tensor, graph_program


@graph_program
def rows_above(x: Float32[Tensor, "n 3"], least: float) -> Any:
    rows = []
    for row in x:
        if row.sum() > least:
            rows.append(row)
    return rows


@graph_program
def positive_runs(x: Float64[Tensor, "n"]) -> Any:
    runs = []
    start = 0
    for i in range(x.shape[0]):
        if x[i] <= 0:
            if i > start:
                runs.append(x[start:i])
            start = i + 1
    return runs


@graph_program
def first_above(x: Float64[Tensor, "n"], least: float) -> Any:
    found = [i for i, v in enumerate(x) if v > least]
    return found[0]


def exported(program: Any, path: Path) -> onnxruntime.InferenceSession:
    program.export(path)
    onnx.checker.check_model(str(path), full_check=True)
    return onnxruntime.InferenceSession(path)


@pytest.mark.parametrize("count", [4, 0])
def test_stacked_rows(tmp_path: Path, count: int) -> None:
    x = np.arange(3.0 * count, dtype=np.float32).reshape(count, 3)
    session = exported(rows_above, tmp_path / "rows.onnx")
    for least in (5.0, 1e9):
        (rows,) = session.run(None, {"x": x, "least": np.array(least)})
        expected = rows_above.python(x, least)
        assert rows.shape == (len(expected), 3)
        assert rows.dtype == np.float32
        assert all(np.array_equal(a, b) for a, b in zip(rows, expected, strict=True))


def test_arrays_of_different_lengths(tmp_path: Path) -> None:
    session = exported(positive_runs, tmp_path / "runs.onnx")
    assert [o.name for o in session.get_outputs()] == ["runs", "runs.shapes"]
    for x in (np.array([1.0, 2, -1, 3, 0, -2, 4, 5, 6, 0]), -np.ones(3), np.zeros(0)):
        data, shapes = session.run(None, {"x": x})
        expected = positive_runs.python(x)
        assert [list(s) for s in shapes] == [[len(r)] for r in expected]
        assert np.array_equal(data, np.concatenate([*expected, np.zeros(0)]))


def test_error_of_an_empty_list(tmp_path: Path) -> None:
    session = exported(first_above, tmp_path / "first.onnx")
    names = [o.name for o in session.get_outputs()]
    found = dict(zip(names, session.run(None, {"x": np.array([1.0, 5, 7]), "least": np.array(4.0)}), strict=True))
    assert found.pop("error") == 0
    assert list(found.values()) == [1]
    failed = dict(zip(names, session.run(None, {"x": np.array([1.0]), "least": np.array(4.0)}), strict=True))
    assert failed["error"] != 0
    with pytest.raises(IndexError, match="list index out of range"):
        first_above(np.array([1.0]), 4.0)
