"""Lists in lists, and in objects of lists: values, and where each list ends."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from graph_program import graph_program
from tests.programs.given_lists import check, counted
from tests.programs.stateful import check_calls


@dataclass
class Track:
    weight: float
    history: list[float]


def tracks(count: int) -> list[Track]:
    return [Track(i * 0.5, [float(j) for j in range(i + 1)]) for i in range(count)]


def sums(xs: Any) -> Any:
    return [sum(x) for x in xs], len(xs), [x[-1] for x in xs if len(x) > 1], max(len(x) for x in xs)


def test_lists_of_lists() -> None:
    check(
        sums,
        ([[1.0, 2.0], [], [3.0]],),
        ([[1.0]],),
        ([[1.0] * 5, [2.0, 3.0]],),
        ([[i * 1.0] * i for i in range(9)],),
        ([[]],),
    )


def reached(neighbours: Any, start: Any) -> Any:
    seen = [False] * len(neighbours)
    todo, order = [start], []
    while todo:
        n = todo.pop()
        if not seen[n]:
            seen[n] = True
            order.append(n)
            for k in neighbours[n]:
                todo.append(k)
    return order


def test_a_graph() -> None:
    check(reached, ([[1, 2], [2], [0], []], 0), ([[]], 0), ([[1], [2, 3], [], [4], [0]], 1))


def test_lists_of_pairs() -> None:
    def program(edges: Any) -> Any:
        return [sum(w * k for k, w in out) for out in edges]

    check(program, ([[(1, 0.5), (2, 1.5)], []],), ([[(4, 2.0)], [(1, 1.0)] * 3, []],))


def test_lists_of_arrays() -> None:
    def program(groups: Any) -> Any:
        return [np.sum(np.stack(g)) for g in groups if len(g) > 0]

    check(program, ([[np.ones(2), np.zeros(2)], []],), ([[np.full(2, 3.0)]],))


def test_lists_in_objects_that_are_read() -> None:
    def program(ts: Any) -> Any:
        total = 0.0
        for t in ts:
            for h in t.history:
                total += h * t.weight
        return total, [len(t.history) for t in ts]

    check(program, (tracks(3),), (tracks(1),), (tracks(6),))


def test_lists_in_objects_that_are_written() -> None:
    def program(ts: Any, v: Any) -> Any:
        for t in ts:
            t.history.append(v)
            if len(t.history) > 3:
                t.history.pop(0)
                t.weight += 1.0
        return len(ts)

    check(program, (tracks(3), 2.0), (tracks(1), 1.0), (tracks(6), 4.0))


def test_lists_of_lists_that_are_written_are_static() -> None:
    def program(xs: Any, v: Any) -> Any:
        xs[0].append(v)
        return len(xs)

    check(program, ([[1.0], []], 2.0), ([[1.0], [2.0]], 3.0), extractions=2)


class Recorder:
    def __init__(self) -> None:
        self.tracks: list[Track] = []

    def step(self, v: float) -> Any:
        if v > 1:
            self.tracks.append(Track(v, [v]))
        for t in self.tracks:
            t.history.append(t.history[-1] * 0.5)
        self.tracks = [t for t in self.tracks if t.history[-1] > 0.2]
        return len(self.tracks)


def test_objects_with_lists_in_the_state() -> None:
    with counted() as names:
        check_calls(Recorder, "step", *((float(i % 4),) for i in range(10)))
    assert len(names) <= 3


def test_a_model(tmp_path: Path) -> None:
    graph_program(reached).export(tmp_path / "reached.onnx", ([[1, 2], [2], [0], []], 0))
    session = onnxruntime.InferenceSession(str(tmp_path / "reached.onnx"), providers=["CPUExecutionProvider"])
    assert {i.name for i in session.get_inputs()} == {"neighbours", "neighbours.offsets", "start"}
    for neighbours, start in (([[1], [2, 3], [], [4], [0]], 1), ([[]], 0)):
        offsets = np.cumsum([0, *map(len, neighbours)])
        values = np.array([k for one in neighbours for k in one], np.int64)
        feed = {"neighbours": values, "neighbours.offsets": offsets, "start": np.array(start)}
        assert session.run([session.get_outputs()[0].name], feed)[0].tolist() == reached(neighbours, start)
