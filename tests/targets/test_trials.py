"""`export(target=...)` runs the file in its target, where that is installed, before it gets its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, GraphProgramError, Tensor, graph_program
from graph_program.exports import export, options
from graph_program.targets.support import Support
from graph_program.verification import first_difference, of_file, of_target
from graph_program.verification.apart import Answer, run_apart
from graph_program.verification.runtimes import PLAIN, RUNTIMES, SINGLE, Runtime
from tests.loading.node import require_web

X = np.array([1.0, 4.0, 9.0])
Change = Callable[[Path, Mapping[str, Any], Answer], Answer]


@graph_program
def rooted(x: Float64[Tensor, "n"]) -> Any:
    y = np.sqrt(x)
    return y + 1  # here


@graph_program
def first(x: Float64[Tensor, "n"]) -> Any:
    return x[0] + 1


@graph_program
def hashed(n: int) -> int:
    h = 1
    for i in range(5):
        h = (h * 1000003 + n * i) % 1000000007
    return h


def install(monkeypatch: pytest.MonkeyPatch, change: Change, **more: Any) -> None:
    """A target whose runtime does what onnxruntime does, and then something to it."""

    def run(runtime: str, path: Path, feed: Mapping[str, Any], patience: float) -> Answer:
        answer = run_apart(PLAIN, path, feed, patience)
        return answer if runtime == PLAIN else change(path, feed, answer)

    for module in (export, options):
        monkeypatch.setattr(module, "targets", lambda: {"toy": Support("toy", "1.2", False, {})})
    for module in (of_file, first_difference):
        monkeypatch.setattr(module, "run_apart", run)
    toy = Runtime("toy", RUNTIMES["onnxruntime"].load, lambda: "", told=lambda: "1.3", **more)
    monkeypatch.setattr(of_target, "RUNTIMES", {"toy": toy})


def sums_off(path: Path, feed: Mapping[str, Any], answer: Answer) -> Answer:
    """Fours are fives: none of them is what `sqrt` gives."""
    return Answer(outputs={name: a + (a == 4) if a.dtype.kind == "f" else a for name, a in answer.outputs.items()})


def test_equal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, lambda path, feed, answer: answer)
    summary = rooted.export(tmp_path / "m", (X,), target="toy")
    assert summary.target[1:] == ("run in toy 1.3 on the example arguments: equal",)
    assert rooted.export(tmp_path / "m", target="toy").target[1:] == ()  # without arguments there is nothing to run


def test_another_result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, sums_off)
    with pytest.raises(GraphProgramError, match=r"toy 1\.3 gives another result for the example arguments: ") as caught:
        rooted.export(tmp_path / "m", (X,), target="toy")
    line = rooted.__wrapped__.__code__.co_firstlineno + 3
    assert caught.value.code == "GP547" and caught.value.loc.line == line
    assert "Add gives 'result'" in str(caught.value) and "verify=False" in str(caught.value)
    assert not list(tmp_path.iterdir())
    rooted.export(tmp_path / "m", (X,), target="toy", verify=False)
    assert (tmp_path / "m.onnx").is_file()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer("refused", "no kernel"), "toy 1.3 does not take it: no kernel"),
        (Answer("fails", "no memory"), "toy 1.3 does not run it: no memory"),
        (Answer("ends", "SIGSEGV"), "toy 1.3 ends the process: SIGSEGV"),
    ],
)
def test_not_run(answer: Answer, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, lambda path, feed, found: answer)
    with pytest.raises(GraphProgramError, match=words) as caught:
        rooted.export(tmp_path / "m", (X,), target="toy")
    assert caught.value.code == "GP547" and not list(tmp_path.iterdir())


def test_what_takes_long_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, lambda path, feed, answer: Answer("late", "it takes more than 60 s"))
    summary = rooted.export(tmp_path / "m", (X,), target="toy")
    assert summary.target[1:] == ("not compared: toy 1.3 takes more than 60 s for the example arguments",)


def test_what_raises_in_python_may_fail_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, lambda path, feed, answer: Answer("fails", "sizes do not fit"))
    summary = first.export(tmp_path / "m", (np.zeros(0),), target="toy")
    assert summary.target[1:] == ("run in toy 1.3 on the example arguments: equal",)


def test_what_the_file_names_is_the_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def other(path: Path, feed: Mapping[str, Any], answer: Answer) -> Answer:
        return Answer(outputs={name: array + (name != "error") for name, array in answer.outputs.items()})

    install(monkeypatch, other, portable=True, precision=SINGLE)
    with pytest.raises(GraphProgramError, match="integers may not fit 24 bits") as caught:
        hashed.export(tmp_path / "m", (7,), target="toy", portable=True)
    assert caught.value.code == "GP547"


@graph_program
def one_or_two(x: Float64[Tensor, "n"]) -> Any:
    if x.shape[0] > 2:
        return x + 1
    return x * 2, x[:1]


def test_results_of_other_paths_are_not_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A runtime may compute both sides; what is on the other one, nobody reads."""

    def both(path: Path, feed: Mapping[str, Any], answer: Answer) -> Answer:
        found = {name: a if a.size == 3 or not a.ndim else a + 1 for name, a in answer.outputs.items()}
        return Answer(outputs=found)

    install(monkeypatch, both)
    assert "equal" in one_or_two.export(tmp_path / "m", (X,), target="toy").target[-1]
    with pytest.raises(GraphProgramError, match="gives another result"):
        one_or_two.export(tmp_path / "m", (X[:1],), target="toy")


WEIGHTS = np.arange(3000.0).reshape(1000, 3)


@graph_program
def weighted(x: Float64[Tensor, "3"]) -> Any:
    return WEIGHTS @ x


@pytest.mark.parametrize("external_data", [False, True])
@pytest.mark.parametrize("name", ["openvino", "tract", "onnxruntime-web"])
def test_captured_arrays(name: str, external_data: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are of the file, and no inputs of it; also where they stand in another file beside it."""
    if name == "onnxruntime-web":
        monkeypatch.setenv("NODE_PATH", require_web()[1]["NODE_PATH"])
    elif RUNTIMES[name].missing():
        pytest.skip(f"{name} is not installed")
    summary = weighted.export(tmp_path / "m.onnx", (X,), target=name, external_data=external_data)
    assert summary.target[-1].endswith("equal") and len(summary.files) == 1 + external_data
    assert weighted.verify((X,), runtimes=[name]).ok


@pytest.mark.parametrize("name", ["openvino", "tract", "onnxruntime-web"])
def test_a_runtime(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "onnxruntime-web":
        monkeypatch.setenv("NODE_PATH", require_web()[1]["NODE_PATH"])
    missing = RUNTIMES[name].missing()
    if missing:
        pytest.skip(f"{name}: {missing}")
    told = rooted.export(tmp_path / "m", (X,), target=name).target
    assert told[-1] == f"run in {name} {RUNTIMES[name].version} on the example arguments: equal"
    assert any("without elements" in text for text in told) == (name == "tract")


def test_what_needs_a_device_is_not_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, lambda path, feed, answer: Answer("refused", "no device"), by_default=False)
    assert rooted.export(tmp_path / "m", (X,), target="toy").target[1:] == ()


def test_onnxruntime_is_not_asked_twice(tmp_path: Path) -> None:
    assert len(rooted.export(tmp_path / "m", (X,), target="onnxruntime").target) == 1
