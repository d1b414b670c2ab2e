"""The command line, by its exit codes and its words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from graph_program.cli import main

SOURCE = """
from graph_program import Float32, Tensor, graph_program

@graph_program
def double(x: Float32[Tensor, "n"]):
    return x * 2

@graph_program
def open_types(x):
    return x

def plain(x):
    return x
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "programs.py"
    path.write_text(SOURCE)
    return str(path)


SCALES = """
from graph_program import graph_program


class Scale:
    def __init__(self, by):
        self.by = by

    @graph_program
    def of(self, x):
        return x * self.by
"""


def test_explain(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"{file}:double", "--stage", "graph"]) == 0
    assert "multiply" in capsys.readouterr().out
    assert main(["explain", f"{file}:double", "--stage", "nope"]) == 2


def test_explain_takes_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Types and values of what is not annotated, and the object of a method, as `show` and `export` do."""
    path = tmp_path / "program.py"
    path.write_text(SCALES)
    command = ["explain", f"{path}:Scale.of", "--stage", "graph", "--object", "Scale(3.0)"]
    assert main([*command, "--arg", "x=float32[n]"]) == 0
    assert "of(x: float32 [n]):" in capsys.readouterr().out
    assert main([*command, "--arg", "x=2.5"]) == 0
    assert "of(x: float):" in capsys.readouterr().out
    assert main([*command, "--arg", "z=2.5"]) == 2
    assert "of has no parameter 'z'; its parameters: x" in capsys.readouterr().err


def test_explain_tells_what_is_revealed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "revealing.py"
    path.write_text(SOURCE.replace("return x * 2", "return reveal(x * 2)").replace("import", "import reveal,"))
    assert main(["explain", f"{path}:double"]) == 0
    assert f"{path}:6:12: note: revealed type of 'x * 2' is float32 [n] (graph)" in capsys.readouterr().out


def test_export_and_run(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(tmp_path / "m.onnx")
    assert main(["export", f"{file}:double", "-o", model]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(f"{model}: ") and told[0].endswith("stands alone")
    assert told[1:] == ["inputs", "  x  float32 [n]  x", "outputs", "  result  float32 [n]  result"]
    assert main(["run", model]) == 0
    assert "x: float32 [n]" in capsys.readouterr().out
    assert main(["run", model, "--input", "x=[1, 2.5]"]) == 0
    assert "[2. 5.]" in capsys.readouterr().out
    np.save(tmp_path / "x.npy", np.ones(2, np.float32))
    assert main(["run", model, "--input", f"x={tmp_path / 'x.npy'}"]) == 0
    assert "[2. 2.]" in capsys.readouterr().out
    for bad, code in [("x", 2), ("y=1", 2), ("x=[", 2), ("x=a.npy", 2), ("x=[[1]]", 2)]:
        assert main(["run", model, "--input", bad]) == code, bad


def test_export_with_sizes(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(tmp_path / "m.onnx")
    for given, size in (("n=3", "3"), ("n=1:8", "n"), ("n=2:", "n")):
        assert main(["export", f"{file}:double", "-o", model, "--dim", given]) == 0
        capsys.readouterr()
        assert main(["run", model]) == 0
        assert f"x: float32 [{size}]" in capsys.readouterr().out


@pytest.mark.parametrize(
    "argv, code, words",
    [
        (["check", "missing.py"], 2, "there is no file missing.py"),
        (["explain", "nothing"], 2, "expected FILE:NAME"),
        (["explain", "{file}:nope"], 2, "there is no nope"),
        (["explain", "{file}:plain"], 2, "is not a program"),
        (["explain", "{file}:open_types"], 1, "GP502"),
        (["export", "{file}:double", "-o", "{folder}/no/m.onnx"], 1, "GP501"),
        (["export", "{file}:double", "-o", "m.onnx", "--dim", "n"], 2, "expected NAME=SIZE"),
        (["export", "{file}:double", "-o", "m.onnx", "--dim", "n=a:b"], 2, "expected NAME=SIZE"),
        (["export", "{file}:double", "-o", "m.onnx", "--dim", "n=3:2"], 2, "the smallest size of n, 3"),
        (["export", "{file}:double", "-o", "m.onnx", "--dim", "m=3"], 1, "GP504"),
        (["run", "missing.onnx"], 2, "there is no file"),
        (["run", "{file}"], 1, "cannot be run"),
        (["nope"], 2, "invalid choice"),
        ([], 2, "usage"),
    ],
)
def test_mistakes(
    argv: list[str], code: int, words: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([a.format(file=file, folder=tmp_path) for a in argv]) == code
    err = capsys.readouterr().err
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "text, words", [("def f(:\n", "SyntaxError"), ("\nraise KeyError('mine')\n", "line 2"), ("import nope1", "nope1")]
)
def test_files_that_do_not_import(text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    assert main(["check", str(path)]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert "importlib" not in err
    assert "graph_program/" not in err


CHECKED = """
from graph_program import Float32, Tensor, graph_program

@graph_program
def pick(x: Float32[Tensor, "3 n"], error: int):
    if error < 0:
        raise ValueError(f"negative: {error}")
    return x[error]
"""


def test_run_tells_what_a_model_raised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, model = tmp_path / "checked.py", str(tmp_path / "checked.onnx")
    source.write_text(CHECKED)
    assert main(["export", f"{source}:pick", "-o", model]) == 0
    x = "--input", "x=[[1], [2], [3]]"
    capsys.readouterr()
    assert main(["run", model, *x, "--input", "error=1"]) == 0
    assert capsys.readouterr().out == "result: float32 [1]\n[2.]\n"
    assert main(["run", model, *x, "--input", "error=-1"]) == 1
    assert "raised ValueError: negative: -1 (checked.py:7:9)" in capsys.readouterr().err
    assert main(["run", model, *x, "--input", "error=7"]) == 1
    assert "ONNXRuntimeError" not in capsys.readouterr().err
    assert main(["run", model, "--input", "x=[[1]]", "--input", "error=7"]) == 2
    assert "input x: expected shape [3, n], got [1, 1]" in capsys.readouterr().err
    assert main(["run", str(source)]) == 1
    assert "ONNXRuntimeError" not in capsys.readouterr().err


def test_bad_places_to_write(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--output", file]) == 2
    assert "cannot write into" in capsys.readouterr().err
    assert main(["export", f"{file}:double", "-o", ""]) == 1
    assert "the path is empty" in capsys.readouterr().err


def test_interrupted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "slow.py"
    path.write_text("raise KeyboardInterrupt")
    assert main(["check", str(path)]) == 130
    assert capsys.readouterr().err == "graph-program: interrupted\n"


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("graph-program ")
