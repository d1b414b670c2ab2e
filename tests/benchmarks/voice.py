"""Speech in a recording: the sample's file beside the loop in Python that comes with the network (`silero-vad`)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from graph_program.samples import voice_activity
from tests.benchmarks.measure import MISSING, Row, compared, interleaved

FILE, TORCH, ONNX = "one file", "silero-vad, TorchScript", "silero-vad, its ONNX model"


def rows(quick: bool) -> list[Row]:
    """Microseconds for a chunk of 32 ms, on one thread."""
    if find_spec("silero_vad") is None or find_spec("torch") is None:
        return [Row("speech in a recording", TORCH, MISSING)]
    audio = voice_activity.recording(4 if quick else 20)
    work = {FILE: _file(audio), TORCH: _package(audio, False), ONNX: _package(audio, True)}
    pieces = {name: call() for name, call in work.items()}
    assert all(found == pieces[ONNX] for found in pieces.values()), pieces
    seconds = interleaved(work, 3 if quick else 15)
    chunks = len(audio) / voice_activity.CHUNK
    return compared("speech in a recording", work, {name: time / chunks for name, time in seconds.items()}, "us/chunk")


def _file(audio: Any) -> Callable[[], list[Any]]:
    """The exported program in a session of onnxruntime."""
    import onnxruntime

    settings = voice_activity.Settings()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.onnx"
        voice_activity.find_speech.export(path, (voice_activity.network(), audio, settings))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
    feed = {f"settings.{name}": np.array(value) for name, value in asdict(settings).items()} | {"audio": audio}

    def call() -> list[Any]:
        first, last = session.run(None, feed)[:2]
        return list(zip(first.tolist(), last.tolist(), strict=True))

    return call


def _package(audio: Any, as_onnx: bool) -> Callable[[], list[Any]]:
    """The package's own function, with the settings of the sample."""
    import silero_vad
    import torch

    torch.set_num_threads(1)
    settings = voice_activity.Settings()
    milliseconds = voice_activity.RATE // 1000
    model, tensor = silero_vad.load_silero_vad(onnx=as_onnx), torch.from_numpy(audio)

    def call() -> list[Any]:
        found = silero_vad.get_speech_timestamps(
            tensor,
            model,
            threshold=settings.threshold,
            min_speech_duration_ms=settings.shortest // milliseconds,
            min_silence_duration_ms=settings.silence // milliseconds,
            speech_pad_ms=settings.margin // milliseconds,
        )
        return [(piece["start"], piece["end"]) for piece in found]

    return call
