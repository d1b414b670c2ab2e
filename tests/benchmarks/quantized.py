"""Quantized models beside the float32 ones: size, time of a run and error, as the report of an export tells them.

An LSTM written as a loop over time, a transformer's encoder, a convolutional network, and a small network in a loop
over a signal with decisions around it.  Weights are random; times are measured in turns.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graph_program import Float32, Int64, Quantization, Tensor, graph_program
from graph_program.quantized.report import QuantizationReport
from graph_program.samples import lstm
from graph_program.tensor_api import nn
from tests.benchmarks.measure import aligned, three_digits
from tests.benchmarks.models import encoder, random_encoder

RANDOM = np.random.default_rng(0)
EXAMPLES = 8
"""Arguments of a calibration set."""


class Subject(NamedTuple):
    """A program, and new arguments for it."""

    program: Any
    arguments: Callable[[], tuple[Any, ...]]


def normal(*shape: int) -> Any:
    """Random float32."""
    return RANDOM.standard_normal(shape).astype(np.float32)


NET = nn.Sequential(
    nn.Conv2d(3, 32, 3, padding=1, seed=0), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(32, 64, 3, padding=1, seed=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(64, 64, 3, padding=1, seed=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
    nn.Linear(64, 10, seed=3),
)  # fmt: skip


@graph_program
def convolutional(pictures: Float32[Tensor, "batch 3 height width"]) -> Any:
    return NET(pictures)


CHUNK, STATE = 256, 128
FIRST, SECOND = normal(CHUNK, 4 * STATE) / np.float32(16), normal(4 * STATE, STATE) / np.float32(23)


def heard(chunk: Any, state: Any) -> Any:
    """A probability, and the state for the next chunk."""
    inner = np.maximum(chunk @ FIRST, 0)
    state = np.float32(0.6) * state + np.float32(0.4) * np.abs(np.tanh(inner @ SECOND))
    return 1 / (1 + np.exp(-12 * (state.mean() - np.float32(0.3)))), state


@graph_program
def pieces(signal: Float32[Tensor, "samples"]) -> Any:
    """Where a network hears something: two thresholds, and silences that are too short to count."""
    state = np.zeros(STATE, np.float32)
    first, last = [], []
    began, quiet = -1, 0
    for k in range(signal.shape[0] // CHUNK):
        p, state = heard(signal[k * CHUNK : (k + 1) * CHUNK], state)
        if p >= 0.6:
            quiet = 0
            if began < 0:
                began = k
        elif p < 0.4 and began >= 0:
            quiet += 1
            if quiet > 2:
                first.append(began)
                last.append(k)
                began = -1
    return np.array(first, np.int64), np.array(last, np.int64)


def signal(chunks: int = 100) -> Any:
    """Noise that is loud now and then."""
    loud = np.repeat(np.sin(np.arange(chunks) / 5 + RANDOM.uniform(0, 6)) > 0, CHUNK)
    return normal(chunks * CHUNK) * np.where(loud, np.float32(1), np.float32(0.05))


def subjects(quick: bool) -> Mapping[str, Subject]:
    """The programs by name."""
    width, tokens, hidden, side = (16, 8, 24, 16) if quick else (256, 64, 512, 64)
    layer = lstm.random_lstm(hidden, hidden)
    weights = random_encoder(width, 4 * width, 1000, 128)
    for part in weights.layers:
        for matrix in (*vars(part.attention).values(), part.first, part.second):
            matrix[...] = normal(*matrix.shape) / np.float32(np.sqrt(width))

    @graph_program
    def recurrent(xs: Float32[Tensor, "time inputs"]) -> Any:
        return lstm.lstm(layer, xs)

    @graph_program
    def attentive(words: Int64[Tensor, "batch length"]) -> Any:
        return encoder(weights, words)

    return {
        f"LSTM, {hidden} units, {tokens} tokens": Subject(recurrent, lambda: (normal(tokens, hidden),)),
        f"encoder, 2 layers, width {width}": Subject(attentive, lambda: (RANDOM.integers(0, 1000, (2, tokens)),)),
        f"CNN, 3 convolutions, {side}x{side}": Subject(convolutional, lambda: (normal(4, 3, side, side),)),
        "network in a loop, decisions": Subject(pieces, lambda: (signal(),)),
    }


def kinds(arguments: Callable[[], tuple[Any, ...]]) -> Mapping[str, Quantization]:
    """Ways to quantize."""
    examples = [arguments() for _ in range(EXAMPLES)]
    return {
        "int8, dynamic": Quantization("int8"),
        "int8, dynamic, per array": Quantization("int8", per_channel=False),
        "int8, calibrated": Quantization("int8", calibration=examples),
        "float16": Quantization("float16"),
    }


def tables(quick: bool, corpus: bool) -> list[str]:
    """One table."""
    lines = [("program", "kind", "size", "of float32", "ms", "float32 ms", "faster", "error", "decisions")]
    with tempfile.TemporaryDirectory() as folder:
        for name, subject in subjects(quick).items():
            for kind, asked in kinds(subject.arguments).items():
                path, given = Path(folder) / "one.onnx", subject.arguments()
                summary = subject.program.export(path, given, quantize=asked)
                lines.append((name, kind, *_cells(summary.quantized)))
    return [aligned(lines, texts=2)]


def _cells(report: QuantizationReport) -> tuple[str, ...]:
    floats = [output for output in report.outputs if output.scale]
    worst = max((output.largest / output.scale for output in floats), default=0.0)
    return (
        f"{report.bytes / 1e3:,.0f} kB",
        f"{report.bytes / report.float_bytes:.2f}",
        three_digits(report.seconds * 1e3),
        three_digits(report.float_seconds * 1e3),
        f"{report.float_seconds / report.seconds:.2f}x",
        f"{worst:.2%}",
        f"{len(report.decisions)} of {report.number}" if report.number else "",
    )
