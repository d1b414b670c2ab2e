"""Principal signatures: types of parameters from their uses, results and weights.

The programs are the worked examples of Collins and Grover, "Axon: A Language for Dynamic Shapes in
Deep Learning Graphs" (2022), written over NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float, Float32, GraphProgramError, Tensor, graph_program, static_range
from graph_program.extract.types.solving.store import Store

WEIGHTS = np.ones((784, 10), np.float32)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(q, k, v):
    return softmax(q @ k.T) @ v


def batched_attention(q, k, v):
    scores = q @ np.swapaxes(k, -1, -2)
    return softmax(scores) @ v


def annotated_attention(q: Float[Tensor, "*b n d"], k: Float[Tensor, "*b m d"], v: Float[Tensor, "*b m v"]):
    return softmax(q @ np.swapaxes(k, -1, -2)) @ v


def add_one(x):
    return x + 1


def larger(a: np.float32, b):
    return np.maximum(a, b)


def dense(x):
    return np.tanh(x @ WEIGHTS)


def linear(x: Float32[Tensor, "n d"], w):
    return x @ w


def of_any_rank(x: Float32[Tensor, "*batch n"], w: Float32[Tensor, "n m"]):
    return x @ w


def transposed_product(a, b):
    return np.einsum("ij,kj->ik", a, b)


def convolve(x, w: Float32[Tensor, "8 8"]) -> Float32[Tensor, "4 8 1024 256"]:
    rows, columns = x.shape[2] - 7, x.shape[3] - 7
    out = np.zeros((x.shape[0], x.shape[1], rows, columns), np.float32)
    for i in range(8):
        for j in range(8):
            out = out + x[:, :, i : i + rows, j : j + columns] * w[i, j]
    return out


def cell(x, h, wx, wh):
    return np.tanh(x @ wx + h @ wh)


def rnn(xs, h, wx, wh):
    for x in xs:
        h = cell(x, h, wx, wh)
    return h


def residual_rnn(xs, h, wx, wh):
    for x in xs:
        h = h + cell(x, h, wx, wh)
    return h


def lstm(xs, h, c, w, u, b):
    _, n = h.shape
    for x in xs:
        z = x @ w + h @ u + b
        c = sigmoid(z[:, n : 2 * n]) * c + sigmoid(z[:, :n]) * np.tanh(z[:, 2 * n : 3 * n])
        h = sigmoid(z[:, 3 * n :]) * np.tanh(c)
    return h, c


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def bidirectional(xs, h, wx, wh):
    forward, backward = h, h
    for x in xs:
        forward = cell(x, forward, wx, wh)
    for x in xs[::-1]:
        backward = cell(x, backward, wx, wh)
    return np.concatenate([forward, backward], axis=-1)


def running_mean(x):
    return (x[1:] + x[:-1]) / 2


def halves(x):
    n = x.shape[0]
    return x.reshape(n // 2, 2, -1)


def polynomial(xs, k: float):
    total = 0.0
    for x in xs:
        total = total * k + x
    return total


def pooled(x):
    blocks = (x.shape[-2] // 2, 2, x.shape[-1] // 2, 2)
    return x.reshape(x.shape[:-2] + blocks).max((-3, -1))


def reshaped(x, shape):
    return x.reshape(shape)


def of_another_type(x, dtype):
    return x.astype(dtype)


def turned(x, turn):
    return x.T if turn else x


def of_a_dict(parameters, x):
    return x @ parameters["w"] + parameters["b"]


def by_name(x, kind):
    return np.tanh(x) if kind == "tanh" else x


def masked_mean(x, mask):
    weights = mask[..., None].astype(x.dtype)
    return (x * weights).sum(-2) / weights.sum(-2)


def symmetric(x):
    return np.allclose(x, x.T), np.array_equal(x, x[1:])


def sorted_flat(x: Float32[Tensor, "n m"], y):
    return np.sort(x, axis=None) + y


def of_layers(layers, x):
    for layer in layers:
        x = np.tanh(x @ layer.w)
    return x


def of_the_first(layers, x):
    return x @ layers[0].w


def along(x: Float32[Tensor, "n"], axis):
    return x.sum(axis=axis) if axis == 0 else x


def never(x):
    raise ValueError(x.shape)


SIGNATURES: list[tuple[Callable[..., Any], str]] = [
    (softmax, "softmax: t [*s, a] -> t [*s, a]"),
    (attention, "attention: (t [a, b], t [c, b], t [c, d]) -> t [a, d]"),
    (batched_attention, "batched_attention: (t [*s, a, b], t [*s, c, b], t [*s, c, d]) -> t [*s, a, d]"),
    (annotated_attention, "annotated_attention: (t [*b, n, d], t [*b, m, d], t [*b, m, v]) -> t [*b, n, v]"),
    (add_one, "add_one: t [*s] -> t [*s]"),
    (larger, "larger: (np.float32, float32 [*s]) -> float32 [*s]"),
    (dense, "dense: float32 [a, 784] -> float32 [a, 10]"),
    (linear, "linear: (float32 [n, d], float32 [d, a]) -> float32 [n, a]"),
    (of_any_rank, "of_any_rank: (float32 [*batch, n], float32 [n, m]) -> float32 [*batch, m]"),
    (transposed_product, "transposed_product: (t [a, b], t [c, b]) -> t [a, c]"),
    (convolve, "convolve: (float32 [4, 8, 1031, 263], float32 [8, 8]) -> float32 [4, 8, 1024, 256]"),
    (rnn, "rnn: (t [a, *s, b, c], t [*s, b, d], t [*s, c, d], t [*s, d, d]) -> t [*s, b, d]"),
    (residual_rnn, "residual_rnn: (t [a, *s, b, c], t [*s, b, d], t [*s, c, d], t [*s, d, d]) -> t [*s, b, d]"),
    (lstm, "lstm: (t [a, b, c], t [b, d], t [b, d], t [c, e], t [d, e], t [b, e]) -> (t [b, d], t [b, d])"),
    (bidirectional, "bidirectional: (t [a, *s, b, c], t [*s, b, d], t [*s, c, d], t [*s, d, d]) -> t [*s, b, 2*d]"),
    (polynomial, "polynomial: (t [a, *s], float) -> t [*s]"),
    (running_mean, "running_mean: t [a, *s] -> t [max(0,a-1), *s]"),
    (halves, "halves: t [a, *s] -> t [a//2, 2, b]"),
    (pooled, "pooled: t [*s, a, b] -> t [*r, c]"),
    (reshaped, "reshaped: (t [*s], u [*r]) -> t [*q]"),
    (of_another_type, "of_another_type: (t [*s], u [*r]) -> v [*s]"),
    (turned, "turned: (t [a, b], u []) -> t [c, d]"),
    (of_a_dict, "of_a_dict: (?, u [*r, a, b]) -> u [*r, a, c]"),
    (by_name, "by_name: (t [*s], ?) -> t [*s]"),
    (masked_mean, "masked_mean: (t [*s, a, b], u [*s, a]) -> t [*s, b]"),
    (symmetric, "symmetric: t [a, a] -> (bool, bool)"),
    (sorted_flat, "sorted_flat: (float32 [n, m], float32 [m*n]) -> float32 [m*n]"),
    (of_layers, "of_layers: (?, u [*r, b, c]) -> u [*r, b, c]"),
    (of_the_first, "of_the_first: (?, u [*r, b, c]) -> u [*r, b, d]"),
    (along, "along: (float32 [n], t []) -> u [*s]"),
    (never, "never: t [*s] -> ?"),
]


@pytest.mark.parametrize(("function", "expected"), SIGNATURES, ids=lambda v: getattr(v, "__name__", ""))
def test_signature(function: Callable[..., Any], expected: str) -> None:
    assert graph_program(function).signature == expected


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.transpose(0, 5),
        lambda x: x.astype("no type"),
        lambda x: x.min(no_argument=1),
        lambda x, y: np.tensordot(x, y, "no number"),
    ],
)
def test_what_numpy_does_not_take_is_no_crash(function: Callable[..., Any]) -> None:
    try:
        assert isinstance(graph_program(function).signature, str)
    except GraphProgramError as error:
        assert error.diagnostic.loc.line


# ---------------------------------------------------------------- long programs


def chain(length: int) -> Any:
    def program(x, w):
        for _ in static_range(length):
            x = np.tanh(x @ w) + x
        return x

    return program


def test_the_work_grows_in_step_with_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0
    run = Store._run

    def counted(self: Store, relation: Any) -> None:
        nonlocal looked_at
        looked_at += 1
        run(self, relation)

    monkeypatch.setattr(Store, "_run", counted)
    counts = []
    for length in (20, 80):
        looked_at = 0
        assert graph_program(chain(length)).signature == "program: (t [*s, a, b], t [*s, b, b]) -> t [*s, a, b]"
        counts.append(looked_at)
    assert counts[1] < 5 * counts[0]
