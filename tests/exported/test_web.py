"""The samples as exported files in onnxruntime-web (WebAssembly, under Node): what onnxruntime gives in Python."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import GraphProgramError, load
from graph_program.command_line.user_files import find, programs_of
from graph_program.program import GraphProgramFunction
from graph_program.samples import (
    camera,
    cartpole,
    coins,
    detections,
    digits,
    encoder,
    kalman,
    lstm,
    monitor,
    particles,
    radar,
    reciter,
    regulator,
    text_page,
    text_recognition,
    tracker,
    voice_activity,
)
from tests.exported.web import Exported, differences, in_the_web, require_web
from tests.programs.host.test_host_export import module_at

SAMPLES = sorted(p.stem for p in (Path(__file__).resolve().parents[2] / "samples").glob("[!_]*.py"))
MOST = 20
"""How many runs of a segment are compared."""
NOT_IN_THE_WEB: dict[str, str] = {}
"""Files that onnxruntime-web cannot run, and what it says."""

Program = GraphProgramFunction[..., Any]


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
        "digits.features": [(image,) for image in digits.pictures()[0][:3]],
        "digits.read_digit": [(digits.trees(), image) for image in digits.pictures()[0][:3]],
        "encoder.encode": [(random.standard_normal((n, 32)).astype(np.float32), layer) for n in (3, 11)],
        "kalman.smooth_track": [(kalman.Motion(), circle[:n]) for n in (0, 60)],
        "lstm.lstm": [(states, random.standard_normal((n, 3)).astype(np.float32)) for n in (2, 7)],
        "particles.filtered": [(key, measured, 1000)],
        "particles.track": [(key, 100)],
        "radar.Radar.measure": [(point,) for point in radar.flight(20)],
        "reciter.recite": [(reciter.taught(reciter.PROVERB), reciter.encoded("a st"), most) for most in (0, 100)],
        "regulator.Regulator.step": [(read, regulator.WANTED) for read in regulator.simulated(20)[0].tolist()],
        "text_page.read_page": [
            (text_page.detector(), text_recognition.network(), page)
            for page in (text_page.drawn([["a", "cb"]]), np.full((40, 50, 3), 255, np.uint8))
        ],
        "text_recognition.recognise": [
            (text_recognition.network(), text_recognition.drawn(text)) for text in ("abba", "c")
        ],
        "text_recognition.recognise_by_beam": [(text_recognition.network(), text_recognition.drawn("abba"))],
        "voice_activity.find_speech": [
            (voice_activity.network(), voice_activity.recording(1, seed), voice_activity.Settings()) for seed in (0, 1)
        ],
        "tracker.Tracker.step": [(point,) for point in tracker.noisy_line(40)[1]],
    }


def calls_with_host() -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
    """A call of each program that needs Python, and what it has captured."""
    return {
        "camera.track": ((12, 32, 48, 0.3), {"GREY": camera.GREY}),
        "cartpole.episode": ((cartpole.random_policy(), 0), {}),
        "monitor.heat": ((monitor.hot_edge(32), 2000, 250, 1e-4), {}),
    }


def program_of(name: str) -> Program:
    """The program of that name; a method is that of a new object."""
    sample, *owner, last = name.split(".")
    module = importlib.import_module(f"graph_program.samples.{sample}")
    place = find(module, owner[0])() if owner else module
    program: Program = getattr(place, last)
    return program


def exported(name: str, calls: list[tuple[Any, ...]], folder: Path) -> Exported:
    """A program's file, and its calls one after the other: state goes from call to call, in place too."""
    model = folder / f"{name}.onnx"
    assert program_of(name).export(model, calls[0]).stands_alone
    loaded, session = load(model), onnxruntime.InferenceSession(model)
    names = [output.name for output in session.get_outputs()]
    feeds, outputs = [], []
    for args in calls:
        feeds.append({key: np.array(value) for key, value in loaded.feed(*args).items()})
        outputs.append(dict(zip(names, session.run(names, feeds[-1]), strict=True)))
        loaded(*args)
    return Exported(name, model, feeds, outputs)


def segments(
    name: str, args: tuple[Any, ...], captured: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[Exported]:
    """The files between the host steps of a program, and what they are fed when it runs in Python."""
    program_of(name).export(folder / name, args, host="segments")
    files = {
        str(path): Exported(f"{name}, {path.stem}", path, [], []) for path in sorted((folder / name).glob("*.onnx"))
    }

    class Session(onnxruntime.InferenceSession):  # type: ignore[misc]
        def __init__(self, path: str, *options: Any, **more: Any) -> None:
            super().__init__(path, *options, **more)
            self.file = files[path]

        def run(self, names: Any, feed: Any, options: Any = None) -> Any:
            outputs = super().run(names, feed, options)
            if len(self.file.feeds) < MOST:
                self.file.feeds.append({key: np.array(value) for key, value in feed.items()})
                told = [output.name for output in self.get_outputs()]
                self.file.outputs.append(dict(zip(told, outputs, strict=True)))
            return outputs

    with monkeypatch.context() as patch:
        patch.setattr(onnxruntime, "InferenceSession", Session)
        module_at(folder / name / "host.py").load(**captured)(*args)
    assert all(file.feeds for file in files.values())
    return list(files.values())


def test_every_program_of_the_samples_is_tried() -> None:
    modules = [importlib.import_module(f"graph_program.samples.{name}") for name in SAMPLES]
    found = {f"{name}.{program}" for name, m in zip(SAMPLES, modules, strict=True) for program in programs_of(m)}
    assert found == {*calls(), *calls_with_host()}


@pytest.mark.parametrize("name", calls_with_host())
def test_what_needs_python_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError) as refusal:
        program_of(name).export(tmp_path / "model.onnx")
    assert refusal.value.code == "GP512"


def test_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process for all files: `NOT_IN_THE_WEB` lists exactly those that it cannot run."""
    require_web()
    with warnings.catch_warnings(action="ignore"):
        files = [exported(name, args, tmp_path) for name, args in calls().items()]
        for name, (args, captured) in calls_with_host().items():
            files += segments(name, args, captured, tmp_path, monkeypatch)
    answers = in_the_web(files)
    failed = {f.name: answer["error"] for f, answer in zip(files, answers, strict=True) if "error" in answer}
    assert failed.keys() == NOT_IN_THE_WEB.keys(), failed
    assert all(NOT_IN_THE_WEB[name] in text for name, text in failed.items()), failed
    ran = [(f, answer) for f, answer in zip(files, answers, strict=True) if f.name not in failed]
    found = [difference for file, answer in ran for difference in differences(file, answer)]
    assert not found, "\n".join(found)
