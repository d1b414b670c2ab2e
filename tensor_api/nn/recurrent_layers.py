"""`LSTM`, `GRU` and `RNN`: several layers of a recurrent cell along a sequence, in one direction or both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program.tensor_api.nn import recurrent
from graph_program.tensor_api.nn.common import Array, refuse, require_floats
from graph_program.tensor_api.nn.layers import Layer, inverse_root, uniform
from graph_program.tensor_api.static import Static

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
"""How many blocks of rows the weights have."""


@dataclass(eq=False)
class RecurrentWeights(Layer):
    """The weights of one layer in one direction; `suffix` is how PyTorch's names of them end."""

    weight_ih: Any
    weight_hh: Any
    bias_ih: Any
    bias_hh: Any
    suffix: str

    def array_name(self, field: str) -> str:
        return field + self.suffix


@dataclass(init=False, repr=False, eq=False)
class Recurrent(Layer):
    """What the three share: weights, and the way through layers and directions."""

    layers: Any
    mode: str
    hidden_size: Static[int]
    batch_first: Static[bool]
    directions: Static[int]

    def prepare(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        bias: bool,
        batch_first: bool,
        bidirectional: bool,
        dtype: Any,
        seed: Any,
    ) -> None:
        """Set the fields."""
        self.mode, self.hidden_size, self.batch_first = mode, hidden_size, batch_first
        self.directions = 2 if bidirectional else 1
        self.layers, rng = [], np.random.default_rng(seed)
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else hidden_size * self.directions
            for direction in range(self.directions):
                suffix = f"_l{layer}" + ("_reverse" if direction else "")
                self.layers.append(self.weights(inputs, bias, suffix, dtype, rng))

    def weights(self, inputs: int, bias: bool, suffix: str, dtype: Any, rng: Any) -> RecurrentWeights:
        """The initial weights of one layer in one direction."""
        rows, bound = GATES[self.mode] * self.hidden_size, inverse_root(self.hidden_size)
        shapes = [(rows, inputs), (rows, self.hidden_size)] + ([(rows,), (rows,)] if bias else [])
        w_ih, w_hh, *rest = (uniform(shape, bound, dtype, rng) for shape in shapes)
        b_ih, b_hh = rest or (None, None)
        return RecurrentWeights(w_ih, w_hh, b_ih, b_hh, suffix)

    def named_parts(self) -> Iterator[tuple[str, Any]]:
        for weights in self.layers:
            yield "", weights

    def along(self, x: Any, h: Any, c: Any, weights: Any, backwards: bool) -> Any:
        """One layer in one direction: the states after each element, and the last ones."""
        arrays = (weights.weight_ih, weights.weight_hh, weights.bias_ih, weights.bias_hh)
        if self.mode == "LSTM":
            return recurrent.run_lstm(x, h, c, arrays, backwards)
        if self.mode == "GRU":
            states, h = recurrent.run_gru(x, h, arrays, backwards)
        else:
            states, h = recurrent.run_rnn(x, h, arrays, backwards, "tanh" if self.mode == "RNN_TANH" else "relu")
        return states, h, c

    def sequence(self, input: Any, hidden: Any, cell: Any) -> Any:
        """All layers: the states after each element, and the last states of each layer and direction."""
        require_floats(self.mode, input, hidden, cell)
        if input.ndim not in (2, 3):
            raise ValueError(f"{self.mode}: expected 2 or 3 dimensions, got {input.ndim}")
        batched = input.ndim == 3
        x = input if batched else input[:, np.newaxis]
        x = np.swapaxes(x, 0, 1) if self.batch_first and batched else x
        shape = (len(self.layers), x.shape[1], self.hidden_size)
        first_h, first_c = initial(hidden, shape, x.dtype, batched), initial(cell, shape, x.dtype, batched)
        last_h, last_c, outputs = [], [], []
        for i, weights in enumerate(self.layers):
            states, h, c = self.along(x, first_h[i], first_c[i], weights, i % self.directions == 1)
            last_h.append(h)
            last_c.append(c)
            outputs.append(states)
            if i % self.directions == self.directions - 1:
                x = outputs[0] if self.directions == 1 else np.concatenate(outputs, axis=-1)
                outputs = []
        x = np.swapaxes(x, 0, 1) if self.batch_first and batched else x
        hidden, cell = np.stack(last_h), np.stack(last_c)
        return (x, hidden, cell) if batched else (x[:, 0], hidden[:, 0], cell[:, 0])


def initial(state: Any, shape: Any, dtype: Any, batched: bool) -> Any:
    """The first states of all layers: those given, or zeros."""
    if state is None:
        return np.zeros(shape, dtype)
    given = state if batched else state[:, np.newaxis]
    for n, wanted in zip(given.shape, shape, strict=True):
        refuse(n != wanted, f"initial states: expected [layers * directions, batch, hidden], got {n} for {wanted}")
    return given


@dataclass(init=False, repr=False, eq=False)
class LSTM(Recurrent):
    """Layers of `lstm_cell` along [time, batch, inputs] ([batch, time, inputs] if `batch_first`).

    A call gives the hidden states after each element, and the last hidden and cell states of each layer and direction.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        *,
        dtype: Any = np.float32,
        seed: Any = None,
    ) -> None:
        if proj_size:
            raise NotImplementedError("LSTM: proj_size")
        self.prepare("LSTM", input_size, hidden_size, num_layers, bias, batch_first, bidirectional, dtype, seed)

    def __call__(self, input: Array, hx: tuple[Array, Array] | None = None) -> tuple[Array, tuple[Array, Array]]:
        hidden, cell = (None, None) if hx is None else hx
        states, h, c = self.sequence(input, hidden, cell)
        return states, (h, c)


@dataclass(init=False, repr=False, eq=False)
class GRU(Recurrent):
    """Layers of `gru_cell`; a call gives the hidden states, and the last one of each layer and direction."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        dtype: Any = np.float32,
        seed: Any = None,
    ) -> None:
        self.prepare("GRU", input_size, hidden_size, num_layers, bias, batch_first, bidirectional, dtype, seed)

    def __call__(self, input: Array, hx: Array | None = None) -> tuple[Array, Array]:
        states, h, _ = self.sequence(input, hx, None)
        return states, h


@dataclass(init=False, repr=False, eq=False)
class RNN(Recurrent):
    """Layers of `rnn_tanh_cell` or `rnn_relu_cell`; a call gives what that of `GRU` gives."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        dtype: Any = np.float32,
        seed: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNN: expected the nonlinearity tanh or relu, got {nonlinearity!r}")
        mode = f"RNN_{nonlinearity.upper()}"
        self.prepare(mode, input_size, hidden_size, num_layers, bias, batch_first, bidirectional, dtype, seed)

    def __call__(self, input: Array, hx: Array | None = None) -> tuple[Array, Array]:
        states, h, _ = self.sequence(input, hx, None)
        return states, h


# ---------------------------------------------------------------- cells


@dataclass(init=False, repr=False, eq=False)
class Cell(Layer):
    """What the cells share: weights for one step."""

    weight_ih: Any
    weight_hh: Any
    bias_ih: Any
    bias_hh: Any
    hidden_size: Static[int]

    def prepare(self, gates: int, input_size: int, hidden_size: int, bias: bool, dtype: Any, seed: Any) -> None:
        """Set the fields."""
        rng, rows, bound = np.random.default_rng(seed), gates * hidden_size, inverse_root(hidden_size)
        self.weight_ih = uniform((rows, input_size), bound, dtype, rng)
        self.weight_hh = uniform((rows, hidden_size), bound, dtype, rng)
        self.bias_ih = uniform((rows,), bound, dtype, rng) if bias else None
        self.bias_hh = uniform((rows,), bound, dtype, rng) if bias else None
        self.hidden_size = hidden_size

    def first(self, input: Any) -> Any:
        """The state before the first step."""
        return np.zeros((*input.shape[:-1], self.hidden_size), input.dtype)


@dataclass(init=False, repr=False, eq=False)
class LSTMCell(Cell):
    """`nn.lstm_cell`; a call gives the new hidden state and the new cell state."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, *, dtype: Any = np.float32, seed: Any = None
    ) -> None:
        self.prepare(4, input_size, hidden_size, bias, dtype, seed)

    def __call__(self, input: Array, hx: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
        state = (self.first(input), self.first(input)) if hx is None else hx
        return recurrent.lstm_cell(input, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


@dataclass(init=False, repr=False, eq=False)
class GRUCell(Cell):
    """`nn.gru_cell`."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, *, dtype: Any = np.float32, seed: Any = None
    ) -> None:
        self.prepare(3, input_size, hidden_size, bias, dtype, seed)

    def __call__(self, input: Array, hx: Array | None = None) -> Array:
        h = self.first(input) if hx is None else hx
        return recurrent.gru_cell(input, h, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


@dataclass(init=False, repr=False, eq=False)
class RNNCell(Cell):
    """`nn.rnn_tanh_cell` or `nn.rnn_relu_cell`."""

    nonlinearity: Static[str]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        *,
        dtype: Any = np.float32,
        seed: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNNCell: expected the nonlinearity tanh or relu, got {nonlinearity!r}")
        self.prepare(1, input_size, hidden_size, bias, dtype, seed)
        self.nonlinearity = nonlinearity

    def __call__(self, input: Array, hx: Array | None = None) -> Array:
        h = self.first(input) if hx is None else hx
        arrays = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if self.nonlinearity == "tanh":
            return recurrent.rnn_tanh_cell(input, h, *arrays)
        return recurrent.rnn_relu_cell(input, h, *arrays)


__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNCell"]
