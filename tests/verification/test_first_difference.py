"""The first operation that goes wrong: in a runtime that takes one operator for another, or refuses it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from graph_program import Float64, Tensor, graph_program
from graph_program.backends.models.walks import inner_graphs, nodes_of
from graph_program.verification import first_difference as search
from graph_program.verification.apart import Answer, ended
from graph_program.verification.inner_values import SEEN
from graph_program.verification.runtimes import PLAIN, RUNTIMES

Model = onnx.ModelProto
OTHER = RUNTIMES["openvino"]
"""The name of the runtime that is played here."""


def in_process(changed: Callable[[Model], None]) -> Callable[..., Answer]:
    """Runs models here, in the other runtime after a change of them."""

    def run(runtime: str, path: Path, feed: Mapping[str, Any], patience: float) -> Answer:
        model = onnx.load(path)
        try:
            if runtime != PLAIN:
                changed(model)
            session = onnxruntime.InferenceSession(model.SerializeToString())
        except Exception as error:
            return Answer("refused", str(error))
        taken = {value.name for value in session.get_inputs()}
        names = [value.name for value in session.get_outputs()]
        try:
            outputs = session.run(names, {name: value for name, value in feed.items() if name in taken})
        except Exception as error:
            return Answer("fails", str(error))
        return Answer(outputs=dict(zip(names, outputs, strict=True)))

    return run


def taken_for(operator: str, other: str) -> Callable[[Model], None]:
    def change(model: Model) -> None:
        for node in nodes_of(model):
            node.op_type = other if node.op_type == operator else node.op_type

    return change


def refused(operator: str) -> Callable[[Model], None]:
    def change(model: Model) -> None:
        if any(node.op_type == operator for node in nodes_of(model)):
            raise ValueError(f"there is no {operator}")

    return change


@graph_program
def straight(x: Float64[Tensor, "n"]) -> Any:
    y = np.exp(x)
    z = y - x
    return np.sum(z * 2)  # here


@graph_program
def in_a_loop(x: Float64[Tensor, "n"]) -> Any:
    total = 1.0
    while total < 100:
        total = total + abs(x[0]) + 1
        for i in range(len(x)):
            total = np.tanh(total) * x[i] + total  # here
    return np.sqrt(total)


@graph_program
def on_a_side(x: Float64[Tensor, "n"]) -> Any:
    if np.sum(x) > 1:
        y = x @ x
        y = y * 2 + np.linalg.norm(x)  # here
    else:
        y = np.float64(0)
    return y - 1


X = np.array([1.5, -0.25, 3.0])


@pytest.mark.parametrize(
    ("program", "operator", "other"),
    [(straight, "ReduceSum", "ReduceMax"), (in_a_loop, "Tanh", "Abs"), (on_a_side, "ReduceL2", "ReduceL1")],
)
def test_the_line(program: Any, operator: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.onnx"
    program.export(path, (X,))
    line = line_of(program)
    monkeypatch.setattr(search, "run_apart", in_process(taken_for(operator, other)))
    found = search.first_difference(path, {"x": X}, OTHER, 60)
    assert found is not None
    assert (found.operator, found.source) == (operator, f"{Path(__file__).name}:{line}")
    assert "instead of" in found.text
    monkeypatch.setattr(search, "run_apart", in_process(refused(operator)))
    place = search.first_refused(path, {"x": X}, OTHER, 60)
    assert place is not None
    assert place.operator in (operator, "Loop", "If")


def test_a_search_takes_no_longer_than_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.onnx"
    in_a_loop.export(path, (X,))
    clock = iter(range(0, 1000, 25))
    monkeypatch.setattr(search, "monotonic", lambda: next(clock))
    monkeypatch.setattr(search, "run_apart", in_process(taken_for("Tanh", "Abs")))
    found = search.first_difference(path, {"x": X}, OTHER, 60)
    assert found is not None and found.operator == "Loop"
    assert search.first_difference(path, {"x": X}, OTHER, 0) is None


@graph_program
def on_the_other_side(x: Float64[Tensor, "n"]) -> Any:
    if np.sum(x) > 100:
        y = np.exp(x[0])
    else:
        y = x @ x
        y = y * 2 + np.linalg.norm(x)  # here
    return y - 1


def test_a_side_that_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A runtime may give something for it, too."""

    def change(model: Model) -> None:
        taken_for("ReduceL2", "ReduceL1")(model)
        for node in (node for graph in inner_graphs(model.graph.node) for node in graph.node):
            if node.op_type == "Constant" and node.output[0].startswith(SEEN):
                element = node.attribute[0].t.data_type
                node.attribute[0].t.CopyFrom(onnx.helper.make_tensor("", element, [], [1]))

    path = tmp_path / "m.onnx"
    on_the_other_side.export(path, (X,))
    monkeypatch.setattr(search, "run_apart", in_process(change))
    found = search.first_difference(path, {"x": X}, OTHER, 60)
    assert found is not None and found.source.endswith(f":{line_of(on_the_other_side)}")


def line_of(program: Any) -> int:
    """The one that says so."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    first: int = program.__wrapped__.__code__.co_firstlineno
    return next(i for i in range(first, len(lines)) if lines[i - 1].endswith("# here"))


def test_nothing_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.onnx"
    in_a_loop.export(path, (X,))
    monkeypatch.setattr(search, "run_apart", in_process(lambda model: None))
    assert search.first_difference(path, {"x": X}, OTHER, 60) is None


@pytest.mark.parametrize(
    ("code", "said", "told"),
    [
        (-signal.SIGSEGV, "", "the process ends with SIGSEGV"),
        (3, "one\n\nwhat(): no place\n", "the process ends with exit code 3: what(): no place"),
    ],
)
def test_a_process_that_ends(code: int, said: str, told: str) -> None:
    assert ended(code, said) == told
