"""`graph-program profile`: programs and files, forms of output, and what it says when it is used wrongly."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program.cli import main
from tests.profiles import programs
from tests.profiles.programs import marked


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(programs.__file__, tmp_path / "programs.py")
    np.save(tmp_path / "x.npy", np.eye(40) * 0.5)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(found: Any) -> list[Any]:
    """Lines with those that were inlined there; what took no time included."""
    return [(Path(one["file"]).name, one["line"], one["function"], lines(one["inlined"])) for one in found]


def profiled(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(["profile", *arguments, "--repeat", "2"]) == 0
    return capsys.readouterr().out


def test_a_program(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = profiled(capsys, "programs.py:powers", "--arg", "x=x.npy", "--arg", "k=3")
    assert any(row.endswith("# body") and "%" in row for row in text.splitlines())
    text = profiled(capsys, "programs.py:powers", "--arg", "x=x.npy", "--arg", "k=3", "--operators")
    assert f"programs.py:{marked('body')}" in text


def test_a_method(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = profiled(capsys, "programs.py:Filter.step", "--object", "Filter()", "--arg", "x=np.ones(2)")
    assert any(row.endswith("# state") and "%" in row for row in text.splitlines())


@pytest.mark.parametrize("name", ["powers", "twice"])
def test_a_file_has_the_same_lines(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", f"programs.py:{name}", "-o", "out.onnx"]) == 0
    arguments = ["x=x.npy", *(["k=3"] if name == "powers" else [])]
    here, there = (
        json.loads(profiled(capsys, what, "--json", *(part for a in arguments for part in (option, a))))
        for what, option in ((f"programs.py:{name}", "--arg"), ("out.onnx", "--input"))
    )
    assert lines(there["lines"]) == lines(here["lines"])
    assert there["unattributed"] == 0


def test_local_functions_are_told_apart_by_their_calls(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["export", "programs.py:twice", "-o", "out.onnx"])
    found = json.loads(profiled(capsys, "out.onnx", "--input", "x=x.npy", "--json"))
    assert [line["line"] for line in found["lines"]] == [marked("first"), marked("second")]
    for line in found["lines"]:
        assert marked("of several") in [inner["line"] for inner in line["inlined"]]


def test_a_file_without_its_source(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["export", "programs.py:powers", "-o", "out.onnx"])
    (folder / "elsewhere").mkdir()
    (folder / "programs.py").rename(folder / "elsewhere" / "programs.py")
    arguments = ("out.onnx", "--input", "x=x.npy", "--input", "k=3")
    assert "# body" not in profiled(capsys, *arguments)
    assert "# body" in profiled(capsys, *arguments, "--source", "elsewhere")


def test_a_flame_graph(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profiled(capsys, "programs.py:counted", "--arg", "n=7", "--speedscope", "flame.json")
    found = json.loads((folder / "flame.json").read_text(encoding="utf-8"))
    assert found["profiles"][0]["name"] == "counted"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nothing.py:f"], 2, "there is no file nothing.py"),
        (["nothing.onnx"], 2, "there is no file nothing.onnx"),
        (["programs.py"], 2, "expected FILE:NAME"),
        (["programs.py:powers", "--arg", "k=3"], 2, "needs a value of x"),
        (["programs.py:powers", "--arg", "x=float64[n, n]", "--arg", "k=3"], 2, "needs a value of x"),
        (["programs.py:counted", "--arg", "n=3", "--repeat", "0"], 2, "at least 1"),
        (["programs.py:counted", "--arg", "n=3", "--warmup", "-1"], 2, "expected"),
        (["programs.py:counted", "--input", "n=3"], 2, "--input is for model files"),
        (["out.onnx", "--arg", "n=3"], 2, "--arg is for programs"),
        (["programs.py:asking", "--arg", "x=np.ones(2)"], 1, "GP513"),
        (["programs.py:checked", "--arg", "x=np.ones(4)"], 1, "raised ValueError: too large"),
        (["programs.py:known", "--speedscope", "no/such/folder.json"], 2, "cannot write no/such/folder.json"),
    ],
)
def test_mistakes(arguments: list[str], code: int, said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", *arguments]) == code
    assert said in capsys.readouterr().err


def test_a_file_that_raises(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["export", "programs.py:checked", "-o", "out.onnx"])
    assert main(["profile", "out.onnx"]) == 2
    assert "missing inputs: x" in capsys.readouterr().err
    assert main(["profile", "out.onnx", "--input", "x=[2.0, 2.0]"]) == 1
    assert "out.onnx raised ValueError: too large" in capsys.readouterr().err
