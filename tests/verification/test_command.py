"""`graph-program verify`: of programs and of files, with inputs and outputs in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Tensor, graph_program
from graph_program.cli import main

SOURCE = """
import numpy as np
from graph_program import Float32, Tensor, graph_program

@graph_program
def halved(x: Float32[Tensor, "n"], k: int = 2):
    return x / k
"""


@graph_program
def scaled(x: Float32[Tensor, "n"], k: int) -> Any:
    return x * np.float32(k), k - 1


X = np.array([1, 2, 5], np.float32)
HERE = ["--runtime", "onnxruntime"]


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "scaled.onnx"
    scaled.export(path, (X, 3))
    return str(path)


def arrays(tmp_path: Path, **values: Any) -> str:
    path = tmp_path / "arrays.npz"
    np.savez(path, **values)
    return str(path)


def test_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "halved.py"
    file.write_text(SOURCE, encoding="utf-8")
    assert main(["verify", f"{file}:halved", "--arg", "x=np.ones(3, np.float32)", *HERE]) == 0
    said = capsys.readouterr().out
    assert said.startswith("halved, compared with Python\n") and "equal" in said


def test_a_file(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", model, "--with", arrays(tmp_path, x=X, k=3), *HERE]) == 0
    assert "scaled.onnx, compared with onnxruntime" in capsys.readouterr().out
    assert main(["verify", model, "--with", arrays(tmp_path, x=X), "--input", "k=3", "--json", *HERE]) == 0
    assert json.loads(capsys.readouterr().out)["ok"]


def test_outputs_that_are_given(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = {"x": X, "k": 3, "result.0": X * 3}
    assert main(["verify", model, "--with", arrays(tmp_path, **given), *HERE]) == 0
    given["result.0"] = X * 4
    assert main(["verify", model, "--with", arrays(tmp_path, **given), *HERE]) == 1
    assert "result.0[0] is 3.0 instead of 4.0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("values", "others", "words"),
    [
        ({"x": X}, [], "missing inputs: k"),
        ({"x": X, "k": 3, "z": 1}, [], "neither an input nor an output 'z'"),
        ({"x": X.astype(float), "k": 3}, [], "expected float32, got float64"),
        ({"x": X[None], "k": 3}, [], "expected shape [n], got [1, 3]"),
        ({"x": X, "k": 3}, ["--runtime", "other"], "there is no runtime 'other'; there are onnxruntime,"),
        ({"x": X, "k": 3}, ["--arg", "x=1"], "--arg is for programs"),
    ],
)
def test_refused(
    values: dict[str, Any],
    others: list[str],
    words: str,
    model: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["verify", model, "--with", arrays(tmp_path, **values), *HERE, *others]) == 2
    assert words in capsys.readouterr().err


def test_files_that_are_none(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(Path(model).read_bytes()[:200])
    assert main(["verify", str(broken), "--input", "x=[1.0]", *HERE]) == 1
    assert "cannot be run" in capsys.readouterr().err
    other = tmp_path / "broken.npz"
    other.write_bytes(b"PK\3\4 and so on")
    assert main(["verify", model, "--with", str(other), *HERE]) == 2
    assert "cannot read" in capsys.readouterr().err
