"""Exported models of programs whose objects are in tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from graph_program import Float64, graph_program

FRAMES = np.array([[1.0, 5.0], [1.2, 9.0], [1.3, 5.2], [7.0, 7.4]])


@dataclass
class Track:
    pos: float
    hits: int = 1
    age: int = 0


def follow(frames: Float64[np.ndarray, "frames points"]) -> Any:
    tracks = []
    for points in frames:
        for d in points:
            best = None
            for t in tracks:
                if abs(t.pos - d) < 1.0:
                    best = t
            if best is None:
                tracks.append(Track(d))
            else:
                best.pos = 0.5 * (best.pos + d)
                best.hits += 1
                best.age = 0
        for t in tracks:
            t.age += 1
        tracks = [t for t in tracks if t.age < 3]
    return tracks


def test_an_object_is_the_number_of_its_row(tmp_path: Path) -> None:
    path = tmp_path / "follow.onnx"
    graph_program(follow).export(str(path))
    session = onnxruntime.InferenceSession(path)
    names = [output.name for output in session.get_outputs()]
    assert names == ["tracks", "Track.pos", "Track.hits", "Track.age", "error"]
    for frames in (FRAMES, FRAMES[:0], FRAMES[:, :1]):
        rows, positions, hits, ages, error = session.run(None, {"frames": frames})
        expected = follow(frames)
        assert not error
        assert np.allclose(positions[rows], [t.pos for t in expected])
        assert hits[rows].tolist() == [t.hits for t in expected]
        assert ages[rows].tolist() == [t.age for t in expected]


def test_a_model_gives_columns_where_a_call_gives_the_callers_own_objects() -> None:
    program = graph_program(lambda tracks, least: [t for t in tracks if t.pos > least])
    tracks = [Track(1.0), Track(3.0), Track(2.0)]
    assert program(tracks, 1.5)[1] is tracks[2]
    model = program.model((tracks, 1.5))
    session = onnxruntime.InferenceSession(model.SerializeToString())
    names = [output.name for output in session.get_outputs()]
    assert "Track.pos" not in names
    feed = {i.name: np.full(3, 7) for i in session.get_inputs()}
    feed |= {"tracks.pos": np.array([t.pos for t in tracks]), "least": np.array(1.5)}
    assert session.run(names[:1], feed)[0].tolist() == [3.0, 2.0]
