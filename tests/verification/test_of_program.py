"""`program.verify`: the program's file in other runtimes, compared with Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float32, GraphProgramError, Int64, Tensor, graph_program
from graph_program.verification.apart import Answer, run_apart
from graph_program.verification.of_file import verify_file
from graph_program.verification.runtimes import RUNTIMES
from tests.loading.node import require_web
from tests.models.agreement import loaded

HERE = ["onnxruntime"]
"""A runtime that is always there."""


def require(runtime: str) -> None:
    """Skip a test where a runtime is not installed."""
    missing = RUNTIMES[runtime].missing()
    if missing:
        pytest.skip(f"{runtime}: {missing}")


@graph_program
def smoothed(x: Float32[Tensor, "n"], k: int) -> Any:
    total = np.float32(0)
    out = np.zeros(len(x), np.float32)
    for i in range(len(x)):
        total = total * np.float32(0.5) + x[i]
        out[i] = total
    return out, total, k + 1


@graph_program
def hashed(n: int) -> int:
    h = 1
    for i in range(5):
        h = (h * 1000003 + n * i) % 1000000007
    return h


@graph_program
def written(x: Float32[Tensor, "n"], k: int) -> float:
    x[0] = -1
    if x[k] > 2:
        raise ValueError("too large")
    return float(x[k])


@graph_program
def printed(x: Float32[Tensor, "n"]) -> Any:
    print("here")
    return x + 1


X = np.arange(5, dtype=np.float32)


@pytest.mark.parametrize(
    ("program", "args"),
    [
        (smoothed, (X, 3)),
        (smoothed, (X[:0], 3)),
        (hashed, (7,)),
        (written, (X, 1)),
        (written, (X, 4)),  # raises in Python and in the file
        (written, (X, 9)),
    ],
)
def test_right(program: Callable[..., Any], args: tuple[Any, ...]) -> None:
    before = [np.copy(a) for a in args]
    report = program.verify(args, runtimes=HERE)
    assert report.ok and [f.verdict for f in report.findings] == ["equal"], str(report)
    assert all(np.array_equal(a, b) for a, b in zip(args, before, strict=True))


def test_what_is_printed_in_a_program_is_no_part_of_its_file() -> None:
    report = printed.verify((X,), runtimes=HERE)
    assert report.ok


def test_arguments_by_name() -> None:
    assert smoothed.verify({"x": X, "k": 1}, runtimes=HERE).ok


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime-web"])
def test_another_runtime(runtime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if runtime == "onnxruntime-web":
        monkeypatch.setenv("NODE_PATH", require_web()[1]["NODE_PATH"])
    require(runtime)
    assert smoothed.verify((X, 3), runtimes=[runtime]).ok


def test_a_line_that_goes_wrong() -> None:
    require("openvino")
    report = hashed.verify((7,), runtimes=["onnxruntime", "openvino"])
    right, wrong = report.findings
    assert right.verdict == "equal" and wrong.verdict == "differs" and not report.ok
    (difference,) = wrong.differences
    assert difference.name == "result" and "integers may not fit 24 bits" in difference.expected
    line = 1 + next(i for i, text in enumerate(Path(__file__).read_text().splitlines()) if "1000003" in text)
    assert wrong.first is not None and wrong.first.operator == "Mul"
    assert wrong.first.source == f"test_of_program.py:{line}"
    text = str(report)
    assert "differs" in text and f"test_of_program.py:{line}: Mul" in text
    found = json.loads(report.json())
    assert not found["ok"] and [f["verdict"] for f in found["runtimes"]] == ["equal", "differs"]


class Scaled:
    def __init__(self) -> None:
        self.x = np.zeros(3, np.float32)

    @graph_program
    def step(self, y: Float32[Tensor, "3"]) -> Any:
        self.x = y * np.float32(2)
        return y, (y, y * np.float32(2))


def test_names_of_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What differs is named as in Python: `self.x[1]`."""

    def answered(runtime: str, path: Path, feed: Any, patience: float) -> Answer:
        outputs = dict(run_apart(runtime, path, feed, patience).outputs)
        return Answer(outputs={name: array if name == "result.0" else array * 3 for name, array in outputs.items()})

    monkeypatch.setattr("graph_program.verification.of_file.run_apart", answered)
    y = np.float32([0, 1, 2])
    text = str(Scaled().step.verify((y,), runtimes=HERE))
    assert "result[1][1][1] is 6.0 instead of 2.0" in text and "self.x[1] is 6.0 instead of 2.0" in text
    onnx.save(
        onnx.parser.parse_model(
            '<ir_version: 9, opset_import: ["" : 17]> g (float[n] x) => (float[n] p) {p = Neg (x)}'
        ),
        tmp_path / "g.onnx",
    )
    assert "p[1] is -3.0 instead of -1.0" in str(verify_file(tmp_path / "g.onnx", {"x": y}, {"p": -y}, HERE))


def test_each_gets_the_file_that_is_written_for_it() -> None:
    """tract has no loop: a file for it has another form of the rounds, which one for any runtime has not."""
    require("tract")
    assert smoothed.verify((X, 3), runtimes=["tract"]).ok
    report = smoothed.verify((X, 3), runtimes=["tract"], portable=True)
    (finding,) = report.findings
    assert finding.verdict == "refused" and "Loop" in finding.reason and not report.ok


@graph_program
def halved(x: Float32[Tensor, "n"]) -> Any:
    n = 0
    while x[0] > 1:
        x = x / 2
        n += 1
    return n


def test_one_that_no_file_is_written_for() -> None:
    require("tract")
    report = halved.verify((X + 1,), runtimes=["tract"])
    (finding,) = report.findings
    line = 1 + next(i for i, text in enumerate(Path(__file__).read_text().splitlines()) if "while x[0]" in text)
    assert finding.verdict == "refused" and not report.ok
    assert finding.reason.startswith(f"test_of_program.py:{line}: GP547 ")


@graph_program
def scaled(x: Float32[Tensor, "n"], gain: np.float32) -> Any:
    return x * gain


def test_numbers_are_given_as_numbers() -> None:
    require("tract")
    assert scaled.verify((X, np.float32(3)), runtimes=["tract"]).ok


def test_time_that_is_not_enough() -> None:
    report = smoothed.verify((X, 3), runtimes=HERE, timeout=0.001)
    assert [f.verdict for f in report.findings] == ["late"] and not report.ok


@graph_program
def added(x: Int64[Tensor, "n"]) -> Any:
    return x + 1


def test_one_name_is_one_runtime(tmp_path: Path) -> None:
    args = (np.arange(3),)
    report = added.verify(args, runtimes="onnxruntime")
    assert report.ok and report.asked == ("onnxruntime",) and [f.runtime for f in report.findings] == ["onnxruntime"]
    added.export(tmp_path / "added.onnx", args)
    of_file = verify_file(tmp_path / "added.onnx", {"x": args[0]}, runtimes="onnxruntime")
    assert of_file.ok and of_file.asked == report.asked


@pytest.mark.parametrize(
    ("ask", "code", "words"),
    [
        (lambda: added.verify((np.arange(3),), runtimes=["onnxruntim"]), "GP515", "there is no runtime 'onnxruntim'"),
        (lambda: added.verify((np.arange(3),), runtimes="onnxruntim"), "GP515", "there is no runtime 'onnxruntim'"),
        (lambda: added.verify((np.arange(3),), portabl=True), "GP515", "no option 'portabl'"),
        (lambda: added.verify(None), "GP545", "can only be verified with arguments"),
    ],
)
def test_refused(ask: Callable[[], Any], code: str, words: str) -> None:
    with pytest.raises(GraphProgramError, match=words) as caught:
        ask()
    assert caught.value.code == code


@graph_program
def counted(x: Int64[Tensor, "n m"], y: Int64[Tensor, "k n m"]) -> Any:
    return x.sum(axis=1), x.sum(axis=0), x.sum(), y.sum(axis=2), y.sum(axis=1), y.sum(axis=0)


def test_sums_of_what_has_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before 1.32, onnxruntime had no product of a vector with what has no rows; its form for the web is older."""
    monkeypatch.setenv("NODE_PATH", require_web()[1]["NODE_PATH"])
    for shape in ((0, 3), (2, 0), (0, 0), (2, 3)):
        arrays = np.ones(shape, np.int64), np.ones((0, *shape), np.int64)
        assert counted.verify(arrays, runtimes=["onnxruntime-web"]).ok


LAST = """<ir_version: 8, opset_import: ["" : 17]>
net (float[t, 2] x, float[2] level) => (float[2] last, float[t, 2] all) {
    last, all = Scan <num_scan_inputs: int = 1,
        body: graph = step (float[2] s, float[2] r) => (float[2] n, float[2] o) { n = Max (s, r)  o = Identity (n) }>
        (level, x) }"""


@pytest.mark.parametrize("raises", [False, True])
def test_what_fails_inside_a_network(raises: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python raises there, and a runtime in its own words: that is equal, whether the program raises errors or not."""
    monkeypatch.setenv("NODE_PATH", require_web()[1]["NODE_PATH"])
    net = loaded(tmp_path, LAST)

    @graph_program
    def peaks(x: Float32[Tensor, "t 2"], level: Float32[Tensor, "2"]) -> Any:
        last, curve = net(x, level)
        if raises and (curve > 9).sum() > 100:
            raise OverflowError("clipped")
        return last

    args = np.ones((0, 2), np.float32), np.zeros(2, np.float32)
    with pytest.raises(RuntimeError):
        peaks.python(*args)
    names = [name for name in ("onnxruntime", "onnxruntime-web", "openvino") if not RUNTIMES[name].missing()]
    report = peaks.verify(args, runtimes=names)
    assert report.ok and {f.verdict for f in report.findings} == {"equal"}, str(report)
    for name in names:
        peaks.export(tmp_path / f"{name}.onnx", args, target=name)
    assert peaks.verify((args[0] + 1, args[1]), runtimes=names).ok


def test_arrays_without_elements_for_a_target_that_takes_none(tmp_path: Path) -> None:
    """As an export with them is refused."""
    require("tract")
    (finding,) = scaled.verify((X[:0], np.float32(3)), runtimes=["tract"]).findings
    assert finding.verdict == "refused" and "GP547 tract does not take arrays without elements" in finding.reason
    with pytest.raises(GraphProgramError, match="does not take arrays without elements"):
        scaled.export(tmp_path / "scaled.onnx", (X[:0], np.float32(3)), target="tract")
