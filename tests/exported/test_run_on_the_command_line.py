"""`graph-program export` and `run` with what devices get: values that are not finite, empty lists, errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_program.cli import main

PROGRAMS = """
import numpy as np

from graph_program import graph_program


class Integrator:
    def __init__(self, limit):
        self.limit, self.total = limit, 0.0

    @graph_program
    def step(self, error: float, dt: float = 0.5) -> float:
        if dt <= 0:
            raise ValueError(f"dt must be positive, got {dt:g}")
        self.total = min(self.total + error * dt, self.limit)
        return self.total


class Ring:
    def __init__(self, size):
        self.data, self.head = np.zeros(size), 0

    @graph_program
    def push(self, samples):
        for s in samples:
            self.data[self.head] = s
            self.head = (self.head + 1) % len(self.data)
        return np.roll(self.data, -self.head)


@graph_program
def runs(data):
    values, lengths = [], []
    for v in data:
        if values and v == values[-1]:
            lengths[-1] += 1
        else:
            values.append(int(v))
            lengths.append(1)
    return values, lengths


@graph_program
def pixels(image):
    return image.sum()
"""
EXPORTS = {
    "step": ("Integrator.step", "--object", "Integrator(2.0)"),
    "push": ("Ring.push", "--object", "Ring(3)", "--arg", "samples=float64[n]"),
    "runs": ("runs", "--arg", "data=int64[n]"),
    "pixels": ("pixels", "--arg", "image=uint8[n]"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files are."""
    made = tmp_path_factory.mktemp("files")
    (made / "programs.py").write_text(PROGRAMS)
    for name, (program, *options) in EXPORTS.items():
        assert main(["export", f"{made / 'programs.py'}:{program}", *options, "-o", str(made / f"{name}.onnx")]) == 0
    return made


@pytest.mark.parametrize(
    "model, given, said",
    [
        ("step", ["error=0.5"], "result: 0.25\nself.total: 0.25\n"),
        ("step", ["error=inf", "dt=1"], "result: 2.0\nself.total: 2.0\n"),
        ("step", ["error=-inf"], "result: -inf\nself.total: -inf\n"),
        ("push", ["samples=[1.0, nan, -inf, 4]"], "[ nan -inf   4.]\nself.data: float64 [3]\n[  4.  nan -inf]\n"),
        ("push", ["samples=[]"], "[0. 0. 0.]\nself.data: float64 [3]\n[0. 0. 0.]\nself.head: 0\n"),
        ("runs", ["data=[1, 1, -2]"], "result.0.0: 1\nresult.0.1: -2\nresult.1.0: 2\nresult.1.1: 1\n"),
        ("pixels", ["image=[0, 255]"], "result: np.uint64(255)\n"),
        ("runs", ["data=[]"], "result.0: []\nresult.1: []\n"),
    ],
)
def test_results(model: str, given: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["run", str(folder / f"{model}.onnx"), *(f"--input={one}" for one in given)]) == 0
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    "model, given, said",
    [
        ("step", ["error=1.0", "dt=0"], "step.onnx raised ValueError: dt must be positive, got 0 (programs.py:14:13)"),
        ("step", ["error=open('x')"], "input error: \"open('x')\" is neither a .npy file nor a number or list"),
        ("step", ["error=nano"], "input error: 'nano' is neither a .npy file nor a number or list"),
        ("push", ["samples=[1.0, [nan]]"], "input samples: '[1.0, [nan]]' is neither a .npy file"),
        ("runs", ["data=[nan]"], "input data: expected int64, got float64"),
        ("pixels", ["image=[1, 300]"], "input image: 300 does not fit uint8"),
        ("pixels", ["image=[-1]"], "input image: -1 does not fit uint8"),
    ],
)
def test_errors(model: str, given: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(folder / f"{model}.onnx"), *(f"--input={one}" for one in given)]) != 0
    assert said in capsys.readouterr().err
