"""What the report of a quantized export says: size, speed, errors by output and line, decisions that change."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Quantization, Tensor, graph_program
from graph_program.cli import main
from graph_program.quantized import export
from graph_program.quantized.deviations import Decision, Deviation
from graph_program.quantized.report import LineError, QuantizationReport
from tests.quantized.subjects import TOKENS, XS, counted, line, normal, recurrent

WEIGHTS = normal(32, 32)


@graph_program
def rounds(x: Float32[Tensor, "32"]) -> Any:
    count = 0
    while np.abs(x).max() < 100:  # loop
        x = x @ WEIGHTS  # product
        if x[0] > 50:  # branch
            count += 1
    return count


def place(mark: str) -> str:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return f"test_report.py:{next(k for k, text in enumerate(lines, 1) if text.endswith(f'  # {mark}'))}"


def test_text() -> None:
    report = QuantizationReport(
        "int8, calibrated, per channel", 1200, 4000, 0.5e-3, 1e-3,
        (Deviation("y", 0.25, 12.5), Deviation("k", 0.0, 3.0), Deviation("z", math.inf, 1.0)),
        (
            LineError("a.py:3", ("MatMul", "Conv", "MatMul"), 0.5, 10.0, "net/0/Conv"),
            LineError("a.py:4", ("Exp",), math.inf, 1.0),
        ),
        (Decision("a.py:9", "3 rounds instead of 2"),), 4, 12, ("a.py:7",),
    )  # fmt: skip
    assert str(report).splitlines() == [
        "kind    int8, calibrated, per channel; 12 examples",
        "size    1,200 bytes, 0.30 of the float model",
        "run     0.5 ms, float model 1 ms (2.00x)",
        "y       2.5e-01, where the largest number is 12.5",
        "k       the same",
        "z       other sizes, or not finite at other places",
        "a.py:3  2 MatMul, 1 Conv: 5.0e-01, 5.00% of the largest number (net/0/Conv)",
        "a.py:4  1 Exp: not finite",
        "a.py:7  stays float32: no example reaches it with finite numbers other than 0",
        "a.py:9  3 rounds instead of 2",
    ]
    found = json.loads(report.json())
    assert found["format"] == 1 and found["outputs"][2] == {"name": "z", "largest": None, "scale": 1.0}
    assert (
        found["lines"][0]["operations"] == ["MatMul", "Conv", "MatMul"] and found["decisions"][0]["place"] == "a.py:9"
    )


def test_errors_by_output_and_line(tmp_path: Path) -> None:
    summary = counted.export(tmp_path / "counted.onnx", (TOKENS, 3), quantize="int8")
    report = summary.quantized
    assert report is not None
    outputs = {output.name: output for output in report.outputs}
    assert list(outputs) == ["result.0", "result.1"]  # there is no error, and so no argument of its message
    assert 0 < outputs["result.0"].largest < 0.05 and outputs["result.1"].largest == 0
    lines = {error.place: error for error in report.lines}
    assert lines.keys() == {line("row"), line("mixed")}
    assert all(0 < error.relative < 0.02 for error in lines.values())
    assert report.seconds > 0 and report.float_seconds > 0
    assert f"1 MatMul: {lines[line('mixed')].largest:.1e}" in str(summary)


def test_the_error_of_a_line_is_its_own(tmp_path: Path) -> None:
    """That of one round, on what the float model computes: a loop does not make it larger."""
    x = normal(32) / 10
    report = rounds.export(tmp_path / "rounds.onnx", (x,), quantize="int8").quantized
    assert report is not None
    (error,) = report.lines
    assert error.place == place("product") and 0 < error.relative < 0.03


def test_decisions_that_change(tmp_path: Path) -> None:
    report = doubled.export(tmp_path / "same.onnx", (ONES, 200.0), quantize="int8").quantized
    assert report is not None and not report.decisions and report.number == 2
    assert str(report).splitlines()[-1].startswith("branches and loops")
    report = doubled.export(tmp_path / "others.onnx", (ONES, 200.0), quantize=CLIPPED).quantized
    assert report is not None
    assert {one.place: one.text for one in report.decisions} == {
        place("doubling"): "9 rounds instead of 4",
        place("large"): "true 0 times and false 9 times, instead of 1 and 3",
    }


def test_a_loop_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "PATIENCE", 0.2)
    report = endless.export(tmp_path / "endless.onnx", (ONES, 200.0), quantize=CLIPPED).quantized
    assert report is not None and not report.outputs and report.lines
    assert "it was ended after" in report.failed and report.failed in str(report)


ONES = np.ones(16, np.float32)
TWICE = np.eye(16, dtype=np.float32) * 2
CLIPPED = Quantization("int8", calibration=[(ONES, 20.0)])
"""One round, of ones: larger numbers have no place."""


@graph_program
def doubled(x: Float32[Tensor, "16"], limit: float) -> Any:
    count = 0
    while x.sum() < limit and count < 9:  # doubling
        x = x @ TWICE
        if x[0] > 9:  # large
            x = np.tanh(x) + x @ TWICE
        count += 1
    return count


@graph_program
def endless(x: Float32[Tensor, "16"], limit: float) -> Any:
    count = 0
    while x.sum() < limit:
        x = x @ TWICE
        count += 1
    return count


def test_without_arguments_the_lines_are_told(tmp_path: Path) -> None:
    report = recurrent.export(tmp_path / "recurrent.onnx", quantize="int8").quantized
    assert report is not None and not report.outputs and math.isnan(report.seconds)
    assert [(error.place, error.operations) for error in report.lines] == [(line("gates"), ("MatMul", "MatMul"))]
    assert str(report).splitlines()[-1].endswith("  2 MatMul")


def test_the_first_example_stands_for_arguments(tmp_path: Path) -> None:
    asked = Quantization("int8", calibration=iter([(XS,), (normal(3, 32),)]))
    report = recurrent.export(tmp_path / "recurrent.onnx", quantize=asked).quantized
    assert report is not None and report.outputs[0].largest > 0 and report.examples == 2


def test_nothing_is_run_without_verification(tmp_path: Path) -> None:
    report = recurrent.export(tmp_path / "recurrent.onnx", (XS,), quantize="int8", verify=False).quantized
    assert report is not None and not report.outputs and report.bytes < report.float_bytes


SOURCE = """
import numpy as np
from graph_program import Float32, Tensor, graph_program

WEIGHTS = np.random.default_rng(0).normal(size=(32, 32)).astype(np.float32)

def product(x):
    return x @ WEIGHTS

@graph_program
def twice(x: Float32[Tensor, "n 32"]):
    return np.exp(product(x)) @ WEIGHTS

def examples(count=2):
    return ((np.ones((k + 1, 32), np.float32),) for k in range(count))
"""


def test_command(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.py").write_text(SOURCE, encoding="utf-8")
    given = ["export", "p.py:twice", "-o", "p.onnx"]
    int8 = [*given, "--quantize", "int8", "--calibrate", "examples(3)", "--quantize-only", "product"]
    assert main([*int8, "--per-array"]) == 0
    told = capsys.readouterr().out
    assert "int8, calibrated, per array; 3 examples" in told and "p.py:8  1 MatMul: " in told.replace("      ", "  ")
    assert main([*given, "--quantize", "float16", "--quantize-except", "p.py:8"]) == 0
    assert "float16" in capsys.readouterr().out
    assert main([*given, "--quantize", "int8", "--quantize-smallest", "1024"]) == 0
    for options, text in (
        (["--quantize-only", "product"], "--quantize-only needs --quantize"),
        (["--quantize", "int4"], "not 'int4'\n"),
        (["--quantize", "int4"], "write `--quantize int8`"),
        (["--quantize", "int8", "--quantize-smallest", "2000"], "or give `--quantize-smallest 1024`"),
        (["--quantize", "int8", "--calibrate", "3"], "--calibrate: 3 is not a sequence of arguments"),
        (["--quantize", "int8", "--calibrate", "examples(0)"], "GP549"),
        (["--quantize", "int8", "--calibrate", "nobody()"], "nobody() raised NameError"),
    ):
        assert main([*given, *options]) != 0
        assert text in capsys.readouterr().err
