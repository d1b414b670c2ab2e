"""Recurrent cells, and loops over them along a sequence, with PyTorch's parameters and order of gates."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.nn.activations import sigmoid
from graph_program.tensor_api.nn.common import Array, require_floats
from graph_program.tensor_api.nn.functions import linear


def rnn_tanh_cell(
    input: Array, hx: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None
) -> Array:
    """One step of Elman's network: tanh(w_ih x + b_ih + w_hh h + b_hh)."""
    return np.tanh(linear(input, w_ih, b_ih) + linear(hx, w_hh, b_hh))


def rnn_relu_cell(
    input: Array, hx: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None
) -> Array:
    """`rnn_tanh_cell` with max(0, x) instead of tanh."""
    return np.maximum(linear(input, w_ih, b_ih) + linear(hx, w_hh, b_hh), 0)


def lstm_cell(
    input: Array,
    hx: tuple[Array, Array],
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None = None,
    b_hh: Array | None = None,
) -> tuple[Array, Array]:
    """One step of an LSTM: the new hidden state and the new cell state.

    Parameters
    ----------
    input : ndarray
        [batch, inputs], or [inputs].
    hx : tuple of ndarray
        The hidden state and the cell state, [batch, hidden] each.
    w_ih, w_hh : ndarray
        [4 hidden, inputs] and [4 hidden, hidden]: input gate, forget gate, candidate, output gate.
    b_ih, b_hh : ndarray, optional
        [4 hidden].
    """
    require_floats("lstm_cell", input, hx[0], hx[1])
    return lstm_step(with_bias(linear(input, w_ih, b_ih), b_hh), hx[0], hx[1], w_hh)


def with_bias(x: Any, bias: Any) -> Any:
    """The array with a bias added if there is one."""
    return x if bias is None else x + bias


def lstm_step(projected: Any, h: Any, c: Any, w_hh: Any) -> tuple[Any, Any]:
    """`lstm_cell` with the input projected; all gates are squashed at once."""
    n = h.shape[-1]
    gates = projected + linear(h, w_hh)
    opened = sigmoid(gates)
    kept = opened[..., n : 2 * n] * c + opened[..., :n] * np.tanh(gates[..., 2 * n : 3 * n])
    return opened[..., 3 * n :] * np.tanh(kept), kept


def gru_cell(
    input: Array, hx: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None
) -> Array:
    """One step of a GRU; the gates are in the order reset, update, new."""
    require_floats("gru_cell", input, hx)
    return gru_step(linear(input, w_ih, b_ih), hx, w_hh, b_hh)


def gru_step(projected: Any, h: Any, w_hh: Any, b_hh: Any) -> Any:
    """`gru_cell` with the input projected."""
    n = h.shape[-1]
    recurrent = linear(h, w_hh, b_hh)
    opened = sigmoid(projected[..., : 2 * n] + recurrent[..., : 2 * n])
    update = opened[..., n:]
    new = np.tanh(projected[..., 2 * n :] + opened[..., :n] * recurrent[..., 2 * n :])
    return new + update * (h - new)


# ---------------------------------------------------------------- sequences


def run_lstm(x: Any, h: Any, c: Any, weights: Any, backwards: bool) -> Any:
    """The hidden states after each element of [time, batch, inputs], and the last states."""
    w_ih, w_hh, b_ih, b_hh = weights
    projected = with_bias(linear(x, w_ih, b_ih), b_hh)
    states = np.empty((x.shape[0], *h.shape), x.dtype)
    for step in range(x.shape[0]):
        t = x.shape[0] - 1 - step if backwards else step
        h, c = lstm_step(projected[t], h, c, w_hh)
        states[t] = h
    return states, h, c


def run_gru(x: Any, h: Any, weights: Any, backwards: bool) -> Any:
    """The same for a GRU."""
    w_ih, w_hh, b_ih, b_hh = weights
    projected = linear(x, w_ih, b_ih)
    states = np.empty((x.shape[0], *h.shape), x.dtype)
    for step in range(x.shape[0]):
        t = x.shape[0] - 1 - step if backwards else step
        h = gru_step(projected[t], h, w_hh, b_hh)
        states[t] = h
    return states, h


def run_rnn(x: Any, h: Any, weights: Any, backwards: bool, nonlinearity: str) -> Any:
    """The same for Elman's network."""
    w_ih, w_hh, b_ih, b_hh = weights
    projected = with_bias(linear(x, w_ih, b_ih), b_hh)
    states = np.empty((x.shape[0], *h.shape), x.dtype)
    for step in range(x.shape[0]):
        t = x.shape[0] - 1 - step if backwards else step
        total = projected[t] + linear(h, w_hh)
        h = np.tanh(total) if nonlinearity == "tanh" else np.maximum(total, 0)
        states[t] = h
    return states, h


__all__ = ["gru_cell", "lstm_cell", "rnn_relu_cell", "rnn_tanh_cell"]
