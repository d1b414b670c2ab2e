"""Programs that use `nn` as models are used: loops, conditions, state, caches, sizes that differ."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program import graph_program
from graph_program.tensor_api import nn
from graph_program.tensor_api.nn import conv2d as convolve
from tests.nn.test_functions import leaves
from tests.programs.plain import Cases, outcome

cases = Cases()
RNG = np.random.default_rng(0)


def array(*shape: int, dtype: str = "f4") -> Any:
    return RNG.standard_normal(shape).astype(dtype)


@cases((np.pad(np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]], "f4"), 2), 4), (np.zeros((5, 6), "f4"), 3))
def life(board: Any, rounds: int) -> Any:
    around = np.ones((1, 1, 3, 3), np.float32)
    around[0, 0, 1, 1] = 0
    for _ in range(rounds):
        neighbours = nn.conv2d(board[None, None], around, padding=1)[0, 0]
        board = ((neighbours == 3) | ((board > 0) & (neighbours == 2))).astype(np.float32)
        if board.sum() == 0:
            break
    return board


@dataclass
class Residual:
    first: nn.Conv2d
    norm: nn.GroupNorm
    second: nn.Conv2d

    def __call__(self, x: Any) -> Any:
        y = nn.silu(self.norm(self.first(x)))
        return x + self.second(y)


BLOCKS = [
    Residual(nn.Conv2d(4, 4, 3, padding=1, seed=i), nn.GroupNorm(2, 4), nn.Conv2d(4, 4, 1, seed=i)) for i in range(3)
]


@cases((array(2, 4, 6, 5),), (array(1, 4, 3, 3),))
def residual_blocks(x: Any) -> Any:
    for i in range(len(BLOCKS)):
        x = BLOCKS[i](x)
    return x


@cases((array(1, 4, 6, 8), True), (array(1, 4, 6, 8), False))
def one_of_two(x: Any, flag: bool) -> Any:
    return BLOCKS[0](x) if flag else BLOCKS[1](x)


@dataclass
class Decoder:
    embedding: nn.Embedding
    gru: nn.GRU
    head: nn.Linear


DECODER = Decoder(nn.Embedding(9, 6, seed=0), nn.GRU(6, 8, seed=1), nn.Linear(8, 9, seed=2))


@cases((DECODER, 3, 12), (DECODER, 1, 5), (DECODER, 4, 0))
def decode(model: Decoder, token: int, most: int) -> Any:
    weights = model.gru.layers[0]
    h = np.zeros((1, 8), np.float32)
    said = []
    for _ in range(most):
        x = model.embedding(np.array([token]))
        h = nn.gru_cell(x, h, weights.weight_ih, weights.weight_hh, weights.bias_ih, weights.bias_hh)
        token = int(np.argmax(model.head(h)))
        said.append(token)
        if token == 4:
            break
    return np.array(said, np.int64)


ATTENTION = nn.MultiheadAttention(8, 2, batch_first=True, seed=3)


@cases((array(1, 1, 8), 4), (array(1, 1, 8), 1))
def cached_attention(x: Any, steps: int) -> Any:
    cache = x
    for _ in range(steps):
        y = ATTENTION(x, cache, cache, need_weights=False)[0]
        cache = np.concatenate((cache, y), axis=1)
        x = nn.layer_norm(y, (8,))
    return cache


DOWN, UP = nn.Conv2d(2, 4, 3, stride=2, padding=1, seed=0), nn.Conv2d(6, 2, 3, padding="same", seed=1)


@cases((array(1, 2, 8, 6),), (array(3, 2, 4, 10),))
def hourglass(x: Any) -> Any:
    small = nn.relu(DOWN(x))
    large = nn.interpolate(small, scale_factor=2, mode="bilinear")
    wide = nn.interpolate(small, (x.shape[2], x.shape[3]), mode="bilinear", align_corners=True)
    return UP(np.concatenate((x, large), axis=1)) + UP(np.concatenate((x, wide), axis=1))


def boxes(count: int) -> Any:
    corners = RNG.random((count, 2)) * 10
    return np.concatenate((corners, corners + 3 + RNG.random((count, 2))), axis=1).astype(np.float32)


@cases((boxes(12), RNG.random(12).astype("f4")), (boxes(1), np.ones(1, "f4")), (boxes(0), np.ones(0, "f4")))
def best_boxes(found: Any, scores: Any) -> Any:
    kept = nn.nms(found, scores, 0.3)
    return kept, found[kept]


@cases((array(2, 3, 6, 6, dtype="f2"), array(4, 3, 3, 3, dtype="f2")))
def half_precision(x: Any, w: Any) -> Any:
    y = nn.max_pool2d(nn.gelu(nn.conv2d(x, w)), 2)
    return y, nn.softmax(y, 1), nn.avg_pool2d(y, 2), nn.group_norm(y, 2), nn.layer_norm(y, (2,))


MIXED = nn.Sequential(nn.Linear(5, 4, seed=0), functools.partial(nn.leaky_relu, negative_slope=0.2), lambda x: x * 2)


@cases((array(3, 5),), (array(5),))
def functions_in_a_row(x: Any) -> Any:
    return MIXED(x)


@dataclass
class Filter:
    """A layer with state of its own."""

    cell: nn.LSTM
    h: Any
    c: Any

    def step(self, x: Any) -> Any:
        w = self.cell.layers[0]
        self.h, self.c = nn.lstm_cell(x, (self.h, self.c), w.weight_ih, w.weight_hh, w.bias_ih, w.bias_hh)
        return self.h


@cases((Filter(nn.LSTM(3, 4, seed=0), np.zeros((1, 4), "f4"), np.zeros((1, 4), "f4")), array(5, 1, 3)))
def state_in_a_model(model: Filter, xs: Any) -> Any:
    total = np.zeros((1, 4), np.float32)
    for x in xs:
        total += model.step(x)
    return total


@cases((nn.Linear(3, 2, seed=0), array(4, 3), array(4, 2), 6))
def trained_by_hand(model: nn.Linear, x: Any, y: Any, rounds: int) -> Any:
    for _ in range(rounds):
        error = model(x) - y
        model.weight -= np.float32(0.1) * (error.T @ x)
        model.bias -= np.float32(0.1) * error.sum(axis=0)
    return (error * error).sum()


@cases((array(1, 1, 9, 9), 1.5), (array(2, 1, 7, 6), 0.5))
def blurred(x: Any, sigma: float) -> Any:
    offsets = np.arange(-2, 3)
    line = np.exp(-0.5 * (offsets / sigma) ** 2)
    kernel = (np.outer(line, line) / np.outer(line, line).sum()).astype(np.float32)
    return convolve(x, kernel[None, None], padding="same")


@cases((array(3, 5, 8), np.array([5, 1, 3])), (array(1, 2, 8), np.array([2])))
def lengths_that_differ(x: Any, lengths: Any) -> Any:
    padding = np.arange(x.shape[1]) >= lengths[:, None]
    return ATTENTION(x, x, x, key_padding_mask=padding)


@cases((array(11), 3), (array(5), 5))
def most_likely(scores: Any, k: int) -> Any:
    values, places = nn.topk(scores, k)
    return nn.softmax(values, 0), places


@cases((array(1, 3, 6, 6),), (array(1, 2, 6, 6),), (array(1, 3, 2, 6),))
def caught(x: Any) -> Any:
    try:
        y = nn.conv2d(x, np.ones((2, 3, 3, 3), np.float32))
    except ValueError:
        y = np.zeros((1, 2, 1, 1), np.float32)
    return y.sum()


@cases((array(1, 2, 5, 4),), (array(2, 1, 4, 4),))
def places_of_maxima(x: Any) -> Any:
    found, places = nn.max_pool2d(x, 2, return_indices=True)
    flat = x.reshape(x.shape[0], x.shape[1], x.shape[2] * x.shape[3])
    again = np.take_along_axis(flat, places.reshape(x.shape[0], x.shape[1], -1), axis=2)
    return (again == found.reshape(again.shape)).all()


@cases((np.array([[0.5, np.nan, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0]], "f4"),), (np.array([[1, 2, 3, 2]], "f4"),))
def nan_is_the_largest(x: Any) -> Any:
    return nn.topk(x, 2), nn.topk(x, 3, 1, False), nn.topk(x.astype(np.float64), 2)


@cases((array(6, 2, 3), array(2, 2, 4)), (array(1, 2, 3), array(2, 2, 4)), (array(0, 2, 3), array(2, 2, 4)))
def backwards_and_forwards(x: Any, h: Any) -> Any:
    return BOTH(x, (h, h))


BOTH = nn.LSTM(3, 4, bidirectional=True, seed=5)


@cases.each
def test_programs(fn: Any, inputs: Any) -> None:
    program = graph_program(fn)
    for args in inputs:
        expected, found = outcome(fn, args), outcome(program, args)
        assert not isinstance(expected[0], type), expected
        assert not isinstance(found[0], type), found
        for a, b in zip(parts(expected), parts(found), strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            tolerance = 4e-3 if a.dtype == np.float16 else 3e-5
            np.testing.assert_allclose(a, b, tolerance, tolerance)


def parts(result: tuple[Any, ...]) -> list[Any]:
    """What a call gives, and the arrays that it leaves in models."""
    written = [
        array for x in result[1] if not isinstance(x, int | float | np.ndarray) for array in nn.state_dict(x).values()
    ]
    return [np.asarray(leaf) for leaf in (*leaves(result[0]), *written)]
