"""An LSTM over a sequence of any length, written as the loop that the textbook shows.

Run with `python samples/lstm.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program import Float32, Tensor, graph_program


@dataclass
class LSTM:
    """The parameters of one layer (Hochreiter and Schmidhuber, 1997; with forget gate).

    The four blocks of columns are the input gate, the forget gate, the candidate and the output gate.
    """

    input_weights: Float32[Tensor, "inputs 4*hidden"]
    hidden_weights: Float32[Tensor, "hidden 4*hidden"]
    bias: Float32[Tensor, "4*hidden"]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def cell(p: LSTM, x: Any, h: Any, c: Any) -> Any:
    """One step: the new hidden state and the new cell state."""
    n = h.shape[0]
    gates = x @ p.input_weights + h @ p.hidden_weights + p.bias
    c = sigmoid(gates[n : 2 * n]) * c + sigmoid(gates[:n]) * np.tanh(gates[2 * n : 3 * n])
    return sigmoid(gates[3 * n :]) * np.tanh(c), c


@graph_program
def lstm(p: LSTM, xs: Float32[Tensor, "time inputs"]) -> Float32[Tensor, "time hidden"]:
    """The hidden state after each element of the sequence `xs`."""
    h = np.zeros(p.hidden_weights.shape[0], dtype=np.float32)
    c = np.zeros(p.hidden_weights.shape[0], dtype=np.float32)
    states = np.zeros((xs.shape[0], h.shape[0]), dtype=np.float32)
    for t in range(xs.shape[0]):
        h, c = cell(p, xs[t], h, c)
        states[t] = h
    return states


def random_lstm(inputs: int, hidden: int, seed: int = 0) -> LSTM:
    """A layer with uniform random weights, scaled as is usual for an LSTM."""
    random = np.random.default_rng(seed)

    def uniform(*shape: int) -> Any:
        return random.uniform(-1, 1, shape).astype(np.float32) / np.float32(np.sqrt(hidden))

    return LSTM(uniform(inputs, 4 * hidden), uniform(hidden, 4 * hidden), uniform(4 * hidden))


def main() -> None:
    layer = random_lstm(inputs=3, hidden=5)
    random = np.random.default_rng(1)
    for length in (2, 7):
        xs = random.standard_normal((length, 3)).astype(np.float32)
        states = lstm(layer, xs)
        print(f"{length} steps: states of shape {states.shape}, the last is {np.round(states[-1], 3)}")


if __name__ == "__main__":
    main()
