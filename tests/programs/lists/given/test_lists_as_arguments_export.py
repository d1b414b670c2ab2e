"""Models of programs with lists: each number or array in the elements is an input with a common first dim."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from graph_program import Float64, graph_program
from tests.programs.given_lists import counted
from tests.programs.lists.given.test_lists_as_arguments_objects import Tracker, frames
from tests.programs.lists.given.test_lists_as_arguments_state import Log

DTYPES = {
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
    "tensor(float)": np.float32,
}


def session_of(path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run(session: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The outputs by name, for inputs as NumPy would make arrays of them."""
    feed = {i.name: np.asarray(given[i.name], DTYPES[i.type]) for i in session.get_inputs()}
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, feed), strict=True))


def columns_of(tracks: list[Any]) -> dict[str, Any]:
    return {
        "self.tracks.x": np.array([t.x for t in tracks]).reshape(-1, 4),
        "self.tracks.number": [t.number for t in tracks],
        "self.tracks.age": [t.age for t in tracks],
        "self.tracks.misses": [t.misses for t in tracks],
    }


def test_a_tracker_is_stepped(tmp_path: Path) -> None:
    tracker, given = Tracker(), frames(12)
    program = graph_program(tracker.step)
    program(*given[0])
    program(*given[1])
    program.export(tmp_path / "tracker.onnx", given[2])
    session = session_of(tmp_path / "tracker.onnx")
    state = {**columns_of(tracker.tracks), "self.count": tracker.count}
    plain = copy.deepcopy(tracker)
    for (zs,) in given[2:]:
        numbers, count = plain.step(zs)
        outputs = run(session, {"zs": zs, **state})
        assert (outputs["result.0"].tolist(), int(outputs["result.1"])) == (numbers, count)
        state = {name: outputs[f"{name}_out"] for name in state}
        for name, column in columns_of(plain.tracks).items():
            np.testing.assert_allclose(state[name], column)
    assert len(plain.tracks) != len(tracker.tracks)


def test_a_log_is_stepped(tmp_path: Path) -> None:
    log = Log()
    program = graph_program(log.step)
    program(1.0)
    program(2.0)
    with counted() as names:
        program.export(tmp_path / "log.onnx", (3.0,))
    assert len(names) <= 2  # a file has no prints, and columns instead of the caller's objects
    session = session_of(tmp_path / "log.onnx")
    state: dict[str, Any] = {"self.log": [], "self.count": 0}
    for x in (4.0, 5.0, 9.0):
        outputs = run(session, {"x": x, **state})
        state = {name: outputs[f"{name}_out"] for name in state}
    assert state["self.log"].tolist() == [4.0, 5.0, 9.0]
    assert outputs["result"] == 6.0


def test_annotations_are_enough(tmp_path: Path) -> None:
    def program(xs: list[float], pairs: list[tuple[int, float]]) -> Any:
        pairs.append((len(xs), 0.5))
        return [x * 2 for x in xs if x > 0], sum(a * b for a, b in pairs)

    graph_program(program).export(tmp_path / "lists.onnx")
    session = session_of(tmp_path / "lists.onnx")
    shapes = {i.name: i.shape for i in session.get_inputs()}
    assert shapes == {"xs": ["xs_0"], "pairs.0": ["pairs_0"], "pairs.1": ["pairs_0"]}
    for xs, pairs in (([1.0, -1.0, 3.0], [(1, 2.0)]), ([], []), ([0.5], [(2, 1.0), (3, 4.0)])):
        outputs = run(session, {"xs": xs, "pairs.0": [a for a, _ in pairs], "pairs.1": [b for _, b in pairs]})
        doubled, total = program(xs, pairs)
        assert outputs["result.0"].tolist() == doubled
        assert np.isclose(outputs["result.1"], total)
        assert outputs["pairs.0_out"].tolist() == [a for a, _ in pairs]
        assert outputs["pairs.1_out"].tolist() == [b for _, b in pairs]


def test_what_a_call_gives_back_is_no_reason_to_fix_a_list(tmp_path: Path) -> None:
    def program(xs: Any) -> Any:
        return xs[0] * 1.0, xs[-1]

    arrays = [np.arange(3.0), np.ones(3)]
    graph_program(program).export(tmp_path / "arrays.onnx", (arrays,))
    session = session_of(tmp_path / "arrays.onnx")
    for xs in (arrays, [np.zeros(5)], [np.full(2, float(i)) for i in range(7)]):
        outputs = run(session, {"xs": np.array(xs)})
        assert [o.tolist() for o in outputs.values()][:2] == [xs[0].tolist(), xs[-1].tolist()]


def test_a_list_that_is_needed_statically_is_taken_apart(tmp_path: Path) -> None:
    def program(x: Any, shape: Any) -> Any:
        return x.reshape(shape)

    graph_program(program).export(tmp_path / "shaped.onnx", (np.zeros(6), [2, 3]))
    session = session_of(tmp_path / "shaped.onnx")
    assert [i.name for i in session.get_inputs()] == ["x", "shape.0", "shape.1"]


class Frames:
    def __init__(self) -> None:
        self.frames: list[Any] = []

    def step(self, x: Float64[np.ndarray, "4"]) -> Any:
        self.frames.append(x * 1.0)
        if len(self.frames) > 3:
            self.frames.pop(0)
        return np.stack(self.frames).mean(axis=0)


def test_a_window_of_arrays_is_stepped(tmp_path: Path) -> None:
    frames = Frames()
    program = graph_program(frames.step)
    program(np.arange(4.0))
    program.export(tmp_path / "frames.onnx", (np.ones(4),))
    session = session_of(tmp_path / "frames.onnx")
    state, plain = {"self.frames": np.zeros((0, 4))}, Frames()
    for i in range(6):
        outputs = run(session, {"x": np.full(4, float(i)), **state})
        np.testing.assert_allclose(outputs["result"], plain.step(np.full(4, float(i))))
        state = {"self.frames": outputs["self.frames_out"]}
    assert len(state["self.frames"]) == 3
