"""Sizes that differ where only a run tells: the first error in program order, and what was written before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases, check, differs, outcome

Vector = Float64[Tensor, "n"]
Other = Float64[Tensor, "m"]
Matrix = Float64[Tensor, "h w"]

cases = Cases()


def vector(n: int) -> np.ndarray:
    return np.arange(n, dtype=float) * 0.5 - 1


PAIRS = tuple((vector(n), vector(m) + 1) for n in (4, 3, 2, 1, 0) for m in (4, 3, 1, 0))
COUNTED = tuple((*pair, k) for pair in PAIRS for k in (0, 1, 3))
MATRICES = tuple(
    (np.arange(h * w, dtype=float).reshape(h, w), np.arange(k * j, dtype=float).reshape(k, j) - 2)
    for h, w in ((3, 4), (4, 3), (1, 4), (2, 0))
    for k, j in ((3, 4), (4, 4), (1, 1), (0, 4))
)
AT = tuple((*pair, np.array(at)) for pair in PAIRS[::3] for at in ([0, 1, 0], [0, 9, 0], [-1, 0, -8]))


@cases(*PAIRS)
def written_in_place(x: Vector, y: Other) -> Any:
    x += 1.0
    x[1:] += y[:-1]
    x *= y
    return x.sum()


@cases(*MATRICES)
def stencil(a: Matrix, b: Float64[Tensor, "k j"]) -> Any:
    for _ in range(2):
        a[1:, :] -= b[1:, :] - b[:-1, :]
        b[:, 1:] += a[:, 1:] * 0.5
    return a.sum() + b.sum()


@cases(*COUNTED)
def in_a_later_round(x: Vector, y: Other, n: int) -> Any:
    for k in range(n):
        x[: k + 1] += y[k:]
    return x


@cases(*COUNTED)
def while_something_grows(x: Vector, y: Other, n: int) -> Any:
    total, k = 0.0, 0
    while total < 10.0 and k < 50:
        x[n:] += y
        total += abs(float(x.sum())) + 1.0
        k += 1
    return x, k


@cases(*COUNTED)
def before_what_is_raised(x: Vector, y: Other, n: int) -> Any:
    x[n:] -= y
    if x.sum() < 0:
        raise RuntimeError("negative")
    return x[n:] + y


@cases(*COUNTED)
def behind_what_is_raised(x: Vector, y: Other, n: int) -> Any:
    for k in range(n):
        if x.sum() + k > 0.5:
            raise RuntimeError(f"positive in round {k}")
        x += y * k
    return x


@cases(*COUNTED)
def caught(x: Vector, y: Other, n: int) -> Any:
    try:
        x[n:] += y
    except ValueError:
        return -x
    return x


@cases(*COUNTED)
def caught_in_a_loop(x: Vector, y: Other, n: int) -> Any:
    failed = 0
    for k in range(n):
        try:
            x[k:] += y
            x[0] = 5.0
        except ValueError:
            failed += 1
        except IndexError:
            failed += 10
    return x, failed


@cases(*AT)
def beside_indices(x: Vector, y: Other, at: Int64[Tensor, "p"]) -> Any:
    for k in at:
        x[k] += 1.0
        x[1:] += y
        y[k] -= x[0]
    return x, y


@cases(*AT)
def in_a_nest(x: Vector, y: Other, at: Int64[Tensor, "p"]) -> Any:
    out = np.zeros((2, len(x)))
    for i in range(2):
        for j in range(len(at)):
            if j > i:
                out[i] += y[at[j]] * x
                out[i, : j + 1] += y
    return out


@cases(*COUNTED)
def added_to_a_part_in_each_round(x: Vector, y: Other, n: int) -> Any:
    for _ in range(2):
        x[:n] += y[:-1]
    return x.sum()


@cases(*COUNTED)
def sizes_of_results(x: Vector, y: Other, n: int) -> Any:
    kept = x[x > 0]
    z = kept + y[:n]
    return z.max() if len(z) else z


@cases(*COUNTED)
def divided_by_sizes(x: Vector, y: Other, n: int) -> Any:
    z = x[n:] * y
    return len(x) // len(z), np.arange(len(z) // len(y))


@cases.each
def test_the_first_error_is_told(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    program = graph_program(fn, backend="onnxruntime")
    for args in inputs:
        expected, found = outcome(fn, args), outcome(program, args)
        assert not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r} in onnxruntime"
