"""An LSTM cell of 16 units over a sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float32, Tensor, graph_program

SIZES = (50, 3)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


@graph_program
def lstm(
    x: Float32[Tensor, "t 8"],
    w: Float32[Tensor, "8 64"],
    u: Float32[Tensor, "16 64"],
    b: Float32[Tensor, "64"],
) -> Any:
    """The hidden state after each step (Hochreiter and Schmidhuber, 1997); gates are input, forget, cell, output."""
    h = np.zeros(16, np.float32)
    c = np.zeros(16, np.float32)
    hidden = np.zeros((x.shape[0], 16), np.float32)
    for t in range(x.shape[0]):
        gates = x[t] @ w + h @ u + b
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        hidden[t] = h
    return hidden


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """Random weights and a random sequence."""
    shapes = {"x": (size, 8), "w": (8, 64), "u": (16, 64), "b": (64,)}
    return {name: rng.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
