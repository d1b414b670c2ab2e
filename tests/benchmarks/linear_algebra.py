"""Functions of `np.linalg` as programs against NumPy's own: time and error, over the size of the matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import graph_program
from tests.benchmarks.measure import Row, interleaved, three_digits

SIZES = [4, 16, 64, 256]
EPSILON = float(np.finfo(np.float64).eps)
Array = np.ndarray[Any, Any]


def solve(a: Array, b: Array) -> Any:
    return np.linalg.solve(a, b)


def inv(a: Array, b: Array) -> Any:
    return np.linalg.inv(a)


def det(a: Array, b: Array) -> Any:
    return np.linalg.det(a)


def cholesky(a: Array, b: Array) -> Any:
    return np.linalg.cholesky(a)


def qr(a: Array, b: Array) -> Any:
    return np.linalg.qr(a)


def eigvalsh(a: Array, b: Array) -> Any:
    return np.linalg.eigvalsh(a)


def svdvals(a: Array, b: Array) -> Any:
    return np.linalg.svdvals(a)


FUNCTIONS: list[Callable[..., Any]] = [solve, inv, det, cholesky, qr, eigvalsh, svdvals]


def error(found: Any, expected: Any) -> float:
    """The largest difference, in units of the last place of the largest element."""
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    return max(float(np.abs(f - e).max() / np.abs(e).max()) for f, e in pairs) / EPSILON


def rows(quick: bool) -> list[Row]:
    """One row for each function and size: our time, NumPy's, the difference; the ratio of times."""
    found = []
    for function in FUNCTIONS[:2] if quick else FUNCTIONS:
        program = graph_program(function)
        for n in SIZES[:2] if quick else SIZES:
            random = np.random.default_rng(n)
            factor = random.normal(size=(n, n))
            args = (factor @ factor.T / n + np.eye(n), random.normal(size=n))
            difference = error(program(*args), function(*args))
            work = {"ours": lambda p=program, a=args: p(*a), "NumPy": lambda f=function, a=args: f(*a)}
            seconds = interleaved(work, 3 if quick else 7)
            ours, numpys = (three_digits(seconds[name] * 1e6) for name in ("ours", "NumPy"))
            told = f"{ours} us, NumPy {numpys} us, {three_digits(difference)} ulps apart"
            found.append(Row("linear_algebra", f"{function.__name__} n={n}", told, _ratio(seconds)))
    return found


def _ratio(seconds: dict[str, float]) -> str:
    return three_digits(seconds["ours"] / seconds["NumPy"])
