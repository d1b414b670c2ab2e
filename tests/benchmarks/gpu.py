"""Programs on a GPU beside the CPU: what leaving the arrays' size to CUDA wins, and what loops over small ones lose.

The same programs with `providers=["CUDAExecutionProvider", "CPUExecutionProvider"]`, as they are and with products in
TF32, and on the CPU with the threads that onnxruntime takes.  Each is compared with Python; arguments and results are
NumPy arrays, so copies to the device and back are part of a call.

    python -m tests.benchmarks gpu
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import graph_program
from graph_program.samples import encoder
from graph_program.tensor_api import nn
from graph_program.verification.runtimes import CPU_PROVIDER, CUDA, CUDA_PROVIDER, ON_CUDA, RUNTIMES
from tests.benchmarks.measure import aligned, interleaved, three_digits

RNG = np.random.default_rng(0)
LAYERS = [encoder.random_encoder(256, 1024, seed) for seed in range(12)]
NET = nn.Sequential(
    nn.Conv2d(16, 64, 3, padding=1, seed=0), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1, seed=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10, seed=2),
)  # fmt: skip
PROVIDERS: dict[str, Any] = {
    "CPU": [CPU_PROVIDER],
    "CUDA": [*ON_CUDA],
    "CUDA, TF32": [(CUDA_PROVIDER, {"use_tf32": "1"}), CPU_PROVIDER],
}


def stack(x: Any) -> Any:
    for layer in LAYERS:
        x = encoder.encode(x, layer)
    return x


def network(x: Any) -> Any:
    return NET(x)


def escapes(c: Any) -> Any:
    """The rounds after which points leave, while there is one that has not."""
    x, y, count, rounds = np.zeros_like(c[0]), np.zeros_like(c[1]), np.zeros_like(c[0]), 0
    inside = x * x + y * y < 4
    while rounds < 50 and inside.any():
        x, y = np.where(inside, x * x - y * y + c[0], x), np.where(inside, 2 * x * y + c[1], y)
        inside = x * x + y * y < 4
        count += inside
        rounds += 1
    return count


def filtered(x: Any) -> Any:
    """A filter of first order: a round for each row, of a few numbers."""
    y, out = x[0], np.zeros_like(x)
    for k in range(len(x)):
        y = y + np.float32(0.1) * (x[k] - y)
        out[k] = y
    return out


POINTS = np.stack(np.meshgrid(np.linspace(-2, 1, 1000), np.linspace(-1, 1, 1000))).astype(np.float32)
CASES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "encoder, 12 layers, 1024 tokens": (stack, RNG.standard_normal((1024, 256)).astype(np.float32)),
    "network, 32 images": (network, RNG.standard_normal((32, 16, 64, 64)).astype(np.float32)),
    "while over a million numbers": (escapes, POINTS),
    "a round for each of 1000 rows": (filtered, RNG.standard_normal((1000, 8)).astype(np.float32)),
}


def tables(quick: bool, corpus: bool) -> list[str]:
    """A line for each program: milliseconds, how much faster than the CPU, and the distance from Python."""
    missing = RUNTIMES[CUDA].missing()
    if missing:
        return [f"gpu: {missing}"]
    lines = [("program", *(f"{name}, ms" for name in PROVIDERS), "CUDA", *(f"error, {name}" for name in PROVIDERS))]
    for name, (function, x) in CASES.items():
        programs = {to: graph_program(function, providers=given) for to, given in PROVIDERS.items()}
        expected = function(x)
        errors = [np.abs(program(x) - expected).max() / np.abs(expected).max() for program in programs.values()]
        calls = {to: lambda program=program, x=x: program(x) for to, program in programs.items()}
        seconds = interleaved(calls, 3 if quick else 9, least=0.0 if quick else 0.05)
        times = [three_digits(value * 1e3) for value in seconds.values()]
        share = f"{three_digits(seconds['CPU'] / seconds['CUDA'])}x"
        lines.append((name, *times, share, *(f"{error:.1e}" for error in errors)))
    return [aligned(lines)]
