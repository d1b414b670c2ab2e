"""Formulas that are recognised: programs with the pass and without it, in onnxruntime with one thread."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import onnx

from graph_program import Float32, Float64, Tensor, graph_program
from tests.benchmarks.graphs.counts import counted
from tests.benchmarks.measure import Row, interleaved, three_digits
from tests.benchmarks.networks import session

RNG = np.random.default_rng(0)
Arrays = tuple[np.ndarray, ...]


def array(*shape: int) -> Any:
    """Random float32."""
    return RNG.uniform(-1, 1, shape).astype(np.float32)


@dataclass(frozen=True)
class Case:
    """A program that a pass recognises something in, and its arguments."""

    of: str
    function: Callable[..., Any]
    args: Arrays


def layer_norm(x: Float32[Tensor, "n 256"], w: Float32[Tensor, "256"], b: Float32[Tensor, "256"]) -> Any:
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * w + b


def gelu(x: Float32[Tensor, "n 256"]) -> Any:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def lstm(
    x: Float32[Tensor, "t 8"], w: Float32[Tensor, "8 64"], u: Float32[Tensor, "16 64"], b: Float32[Tensor, "64"]
) -> Any:
    h, c = np.zeros(16, np.float32), np.zeros(16, np.float32)
    states = np.zeros((x.shape[0], 16), np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states[t] = h
    return states


def gru(
    x: Float32[Tensor, "t 8"], w: Float32[Tensor, "8 48"], u: Float32[Tensor, "16 48"], b: Float32[Tensor, "48"]
) -> Any:
    h = np.zeros(16, np.float32)
    states = np.zeros((x.shape[0], 16), np.float32)
    for t in range(x.shape[0]):
        a, r = x[t] @ w + b, h @ u
        z = sigmoid(a[:16] + r[:16])
        n = np.tanh(a[32:] + sigmoid(a[16:32] + r[16:32]) * r[32:])
        h = (1 - z) * n + z * h
        states[t] = h
    return states


def layer(x: Float32[Tensor, "n 256"], w: Float32[Tensor, "64 256"], b: Float32[Tensor, "64"]) -> Any:
    return np.maximum(x @ w.T + b, 0)


def layer_of_doubles(x: Float64[Tensor, "n 64"], w: Float64[Tensor, "64 64"], b: Float64[Tensor, "64"]) -> Any:
    return x @ w + b


CASES = [
    Case("layer_norm", layer_norm, (array(1, 256), array(256), array(256))),
    Case("layer_norm", layer_norm, (array(128, 256), array(256), array(256))),
    Case("gelu", gelu, (array(1, 256),)),
    Case("gelu", gelu, (array(128, 256),)),
    Case("gemm", layer, (array(16, 256), array(64, 256), array(64))),
    Case("gemm", layer_of_doubles, tuple(x.astype(np.float64) for x in (array(16, 64), array(64, 64), array(64)))),
    Case("recurrent", lstm, (array(1, 8), array(8, 64), array(16, 64), array(64))),
    Case("recurrent", lstm, (array(50, 8), array(8, 64), array(16, 64), array(64))),
    Case("recurrent", gru, (array(50, 8), array(8, 48), array(16, 48), array(48))),
]


def model(case: Case, *without: str) -> onnx.ModelProto:
    """The model of a case, made without some passes."""
    return graph_program(case.function, without=without).model(include_errors=False)


def rows(quick: bool) -> list[Row]:
    """One row for each case: nodes and time with the pass and without it, and how many times faster it is with it."""
    found = []
    for case in CASES[:1] if quick else CASES:
        models = {"on": model(case), "off": model(case, case.of)}
        sessions = {name: session(made) for name, made in models.items()}
        feeds = {given.name: x for given, x in zip(sessions["on"].get_inputs(), case.args, strict=True)}
        results = [running.run(None, feeds)[0] for running in sessions.values()]
        assert np.allclose(*results, 1e-4, 1e-5), case.of
        work = {name: partial(running.run, None, feeds) for name, running in sessions.items()}
        seconds = interleaved(work, 3 if quick else 41, 10)
        times = {
            name: f"{three_digits(s * 1e6)} us, {counted(models[name]).nodes} nodes" for name, s in seconds.items()
        }
        shape = "x".join(map(str, case.args[0].shape))
        median = f"{times['on']}; off: {times['off']}"
        found.append(
            Row(
                "forms",
                f"{case.of}: {case.function.__name__} {shape}",
                median,
                three_digits(seconds["off"] / seconds["on"]),
            )
        )
    return found
