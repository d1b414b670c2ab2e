"""The samples as exported files in onnxruntime-web (WebAssembly, under Node): what onnxruntime gives in Python."""

from __future__ import annotations

import base64
import importlib
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnxruntime
import pytest

from graph_program import GraphProgramError, load
from graph_program.loading import find, programs_of
from graph_program.program import GraphProgramFunction
from graph_program.samples import coins, detections, encoder, kalman, lstm, particles, reciter, tracker
from tests.loading.node import require_web, run_node

SAMPLES = sorted(p.stem for p in (Path(__file__).resolve().parents[2] / "samples").glob("[!_]*.py"))
SCRIPT = Path(__file__).with_name("web.js")
NEEDS_PYTHON = {
    "camera.track": "the frames come from the host",
    "cartpole.episode": "the simulator is the host's",
    "monitor.heat": "a clock decides whether the program raises",
}
"""Programs whose files do not stand alone: `export` refuses them with GP512."""
NOT_IN_THE_WEB: dict[str, str] = {}
"""Files that onnxruntime-web cannot run, and what it says."""

STATIC = {"reciter.recite": ("model.layer.norm1.eps", "model.layer.norm2.eps")}
"""What a file is fixed to."""

Program = GraphProgramFunction[..., Any]
Arrays = dict[str, Any]


def calls() -> dict[str, list[tuple[Any, ...]]]:
    """Arguments of several calls, for each program of the samples whose file stands alone."""
    random = np.random.default_rng(0)
    layer, states = encoder.random_encoder(model=32, inner=64), lstm.random_lstm(inputs=3, hidden=5)
    circle = kalman.noisy_circle(60, noise=1.0)[1]
    key = particles.random.key(1)
    measured = particles.track.python(key, 100)[1]
    return {
        "coins.count_coins": [(coins.photograph()[:120, :160], coins.Settings())],
        "detections.suppress": [detections.noisy_boxes(things, each=5) for things in (0, 3)],
        "encoder.encode": [(random.standard_normal((n, 32)).astype(np.float32), layer) for n in (3, 11)],
        "kalman.smooth_track": [(kalman.Motion(), circle[:n]) for n in (0, 60)],
        "lstm.lstm": [(states, random.standard_normal((n, 3)).astype(np.float32)) for n in (2, 7)],
        "particles.filtered": [(key, measured, 1000)],
        "particles.track": [(key, 100)],
        "reciter.recite": [(reciter.taught(reciter.PROVERB), reciter.encoded("a st"), most) for most in (0, 100)],
        "tracker.Tracker.step": [(point,) for point in tracker.noisy_line(40)[1]],
    }


class Exported(NamedTuple):
    """A file, what is fed to it in each call, and what onnxruntime gives in Python."""

    name: str
    model: Path
    feeds: list[Arrays]
    outputs: list[Arrays]


def program_of(name: str) -> Program:
    """The program of that name; a method is that of a new object."""
    sample, *owner, last = name.split(".")
    module = importlib.import_module(f"graph_program.samples.{sample}")
    place = find(module, owner[0])() if owner else module
    program: Program = getattr(place, last)
    return program


def exported(name: str, calls: list[tuple[Any, ...]], folder: Path) -> Exported:
    """A program's file, and its calls one after the other: state goes from call to call."""
    model = folder / f"{name}.onnx"
    assert program_of(name).export(model, calls[0], static=STATIC.get(name, ())).stands_alone
    loaded, session = load(model), onnxruntime.InferenceSession(model)
    names = [output.name for output in session.get_outputs()]
    feeds, outputs = [], []
    for args in calls:
        feeds.append(loaded.feed(*args))
        outputs.append(dict(zip(names, session.run(names, feeds[-1]), strict=True)))
        loaded(*args)
    return Exported(name, model, feeds, outputs)


def crossing(array: Any) -> dict[str, Any]:
    """An array as the script reads it."""
    array = np.asarray(array)
    if array.dtype.kind in "OU":
        return {"type": "string", "dims": array.shape, "data": array.ravel().tolist()}
    data = base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode()
    return {"type": array.dtype.name, "dims": array.shape, "data": data}


def crossed(tensor: dict[str, Any]) -> Any:
    """An array as the script writes it."""
    if tensor["type"] == "string":
        return np.array(tensor["data"], object).reshape(tensor["dims"])
    dtype = np.dtype(tensor["type"]).newbyteorder("<")
    return np.frombuffer(base64.b64decode(tensor["data"]), dtype).reshape(tensor["dims"])


def in_the_web(files: list[Exported], folder: Path) -> list[dict[str, Any]]:
    """What onnxruntime-web makes of the files, all in one process."""
    questions, answers = folder / "questions.json", folder / "answers.json"
    asked = [
        {"model": str(f.model), "feeds": [{k: crossing(v) for k, v in feed.items()} for feed in f.feeds]} for f in files
    ]
    questions.write_text(json.dumps(asked), encoding="utf-8")
    run_node(SCRIPT, questions, answers)
    found: list[dict[str, Any]] = json.loads(answers.read_text(encoding="utf-8"))
    return found


def differences(file: Exported, answer: dict[str, Any]) -> Iterator[str]:
    """Where the outputs of all calls are not those of onnxruntime in Python."""
    if "error" in answer:
        yield f"{file.name}: {answer['error']}"
        return
    for k, (outputs, tensors) in enumerate(zip(file.outputs, answer["outputs"], strict=True)):
        assert list(tensors) == list(outputs)
        for name, expected in outputs.items():
            try:
                same(crossed(tensors[name]), np.asarray(expected))
            except AssertionError as error:
                yield f"{file.name}, call {k}, {name}: {error}"


def same(found: Any, expected: Any) -> None:
    """Equal in element type, shape and value; functions such as `exp` are others, so floats are nearly equal."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    near = {"float32": 1e-5, "float64": 1e-9}.get(found.dtype.name, 0)
    if near:
        np.testing.assert_allclose(found, expected, rtol=near, atol=near)
    else:
        np.testing.assert_array_equal(found, expected)


def test_every_program_of_the_samples_is_tried() -> None:
    modules = [importlib.import_module(f"graph_program.samples.{name}") for name in SAMPLES]
    found = {f"{name}.{program}" for name, m in zip(SAMPLES, modules, strict=True) for program in programs_of(m)}
    assert found == {*calls(), *NEEDS_PYTHON}


@pytest.mark.parametrize("name", NEEDS_PYTHON)
def test_what_needs_python_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError) as refusal:
        program_of(name).export(tmp_path / "model.onnx")
    assert refusal.value.code == "GP512"


def test_samples(tmp_path: Path) -> None:
    """One process for all files: `NOT_IN_THE_WEB` lists exactly those that it cannot run."""
    require_web()
    with warnings.catch_warnings(action="ignore"):
        files = [exported(name, args, tmp_path) for name, args in calls().items()]
    answers = in_the_web(files, tmp_path)
    failed = {f.name: answer["error"] for f, answer in zip(files, answers, strict=True) if "error" in answer}
    assert failed.keys() == NOT_IN_THE_WEB.keys(), failed
    assert all(NOT_IN_THE_WEB[name] in text for name, text in failed.items()), failed
    ran = [(f, answer) for f, answer in zip(files, answers, strict=True) if f.name not in failed]
    found = [difference for file, answer in ran for difference in differences(file, answer)]
    assert not found, "\n".join(found)
