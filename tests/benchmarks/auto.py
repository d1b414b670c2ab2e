"""What `backend="auto"` chooses, against plain Python with NumPy and against both back ends by themselves.

python -m tests.benchmarks auto

A program is called until the choice is made; the table then has the times of calls, and below it stand the programs
where the choice is more than 1.1 times slower than NumPy, or than the other back end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from graph_program import graph_program
from tests.benchmarks.measure import aligned, decided, interleaved, own_time, three_digits
from tests.benchmarks.native_programs import Case, all_cases

HEAD = ["program", "NumPy, us", "onnxruntime, us", "native, us", "auto, us", "chosen", "auto/NumPy"]
WAYS = ("NumPy", "onnxruntime", "native", "auto")
LIMIT = 1.1
LONGEST = 0.5
"""Seconds of a call in the slowest way from which on it is only made once more."""


def array_cases() -> dict[str, Case]:
    """Operations on large arrays, where NumPy's kernels are what is to be beaten."""
    random = np.random.default_rng(2)
    x, ints, square = random.normal(size=200_000), random.integers(0, 1000, 200_000), random.normal(size=(400, 400))
    functions: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "sort": (lambda x: np.sort(x), (x,)),
        "sort of ints": (lambda x: np.sort(x), (ints,)),
        "argsort": (lambda x: np.argsort(x, kind="stable"), (x,)),
        "median": (lambda x: np.median(x), (x,)),
        "max": (lambda x: x.max(), (x,)),
        "argmax": (lambda x: np.argmax(x), (x,)),
        "max of rows": (lambda x: x.max(axis=1), (square,)),
        "max of columns": (lambda x: x.max(axis=0), (square,)),
        "sum": (lambda x: x.sum(), (x,)),
        "mean and variance": (lambda x: (x.mean(), x.var()), (x,)),
        "cumsum": (lambda x: np.cumsum(x), (x,)),
        "product of matrices": (lambda x: x @ x, (square,)),
        "exp": (lambda x: np.exp(x), (x,)),
        "tanh": (lambda x: np.tanh(x), (x,)),
        "power": (lambda x: np.abs(x) ** 1.5, (x,)),
        "chain": (lambda x: (x * 2 + 1) * (x - 3) / (x * x + 1), (x,)),
        "where": (lambda x: np.where(x > 0, x, 0.1 * x), (x,)),
        "softmax": (lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(), (x,)),
        "distances": (lambda x: np.sqrt(((x[:200, None] - x[None, :200]) ** 2).sum(axis=2)), (square[:, :3].copy(),)),
        "transpose": (lambda x: x.T + x, (square,)),
        "take": (lambda x, i: x[i], (x, ints)),
        "mask": (lambda x: x[x > 0], (x,)),
        "histogram": (lambda i: np.bincount(i, minlength=1000), (ints,)),
        "concatenate": (lambda x: np.concatenate((x, x)), (x,)),
        "unique": (lambda i: np.unique(i), (ints,)),
        "searchsorted": (lambda x, i: np.searchsorted(x, i), (np.arange(1000.0), x)),
    }
    return functions


def tables(quick: bool, corpus: bool) -> list[str]:
    """A line for each program, and those where the choice is wrong."""
    lines: list[list[str]] = []
    slow: list[str] = []
    for name, (function, arguments) in {**all_cases(), **array_cases()}.items():
        seconds, chosen = _measured(function, arguments, quick)
        ratio = seconds["auto"] / seconds["NumPy"]
        lines.append([name, *(three_digits(seconds[way] * 1e6) for way in WAYS), chosen, f"{ratio:.2f}"])
        if ratio > LIMIT:
            best = min(seconds["native"], seconds["onnxruntime"]) / seconds["NumPy"]
            slow.append(f"{name}: {ratio:.2f} of NumPy's time, {best:.2f} with the better back end")
    found = [f"what auto chooses, a call from Python\n{aligned([HEAD, *lines])}"]
    return [*found, "\n".join([f"above {LIMIT}: {len(slow)} of {len(lines)}", *slow])]


def _measured(function: Any, arguments: tuple[Any, ...], quick: bool) -> tuple[dict[str, float], str]:
    made = {
        "NumPy": function,
        "onnxruntime": graph_program(function, backend="onnxruntime"),
        "native": graph_program(function, backend="native"),
        "auto": graph_program(function, backend="auto"),
    }
    chosen = decided(made["auto"], partial(made["auto"], *arguments))
    work = {way: partial(call, *arguments) for way, call in made.items()}
    longest = max(map(_seconds, work.values()))
    return interleaved(work, 1 if longest > LONGEST else 3 if quick else 9, clock=own_time()), chosen


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


__all__ = ["array_cases", "tables"]
