"""Models written plainly, for measurements and for tests: a transformer's encoder, a convolutional network.

Everything is annotated, so that each is a program without example arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program import Float32, Int64, Tensor, graph_program

HEADS = 2
KERNEL = 3


@dataclass
class Attention:
    """Self-attention of `HEADS` heads (Vaswani et al., 2017)."""

    queries: Float32[Tensor, "width width"]
    keys: Float32[Tensor, "width width"]
    values: Float32[Tensor, "width width"]
    output: Float32[Tensor, "width width"]


@dataclass
class Layer:
    attention: Attention
    first: Float32[Tensor, "width inner"]
    first_bias: Float32[Tensor, "inner"]
    second: Float32[Tensor, "inner width"]
    second_bias: Float32[Tensor, "width"]
    scale: Float32[Tensor, "2 width"]
    shift: Float32[Tensor, "2 width"]


@dataclass
class Encoder:
    words: Float32[Tensor, "vocabulary width"]
    places: Float32[Tensor, "longest width"]
    layers: tuple[Layer, Layer]


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def normalised(x: Any, scale: Any, shift: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * scale + shift


def split_heads(x: Any) -> Any:
    """`[b, n, HEADS * d]` as `[b, HEADS, n, d]`."""
    b, n, width = x.shape
    return x.reshape(b, n, HEADS, width // HEADS).transpose(0, 2, 1, 3)


def attend(p: Attention, x: Any) -> Any:
    b, n, width = x.shape
    q, k, v = split_heads(x @ p.queries), split_heads(x @ p.keys), split_heads(x @ p.values)
    scores = q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width // HEADS))
    mixed = softmax(scores) @ v
    return mixed.transpose(0, 2, 1, 3).reshape(b, n, width) @ p.output


def layer(p: Layer, x: Any) -> Any:
    x = normalised(x + attend(p.attention, x), p.scale[0], p.shift[0])
    inner = np.maximum(x @ p.first + p.first_bias, 0)
    return normalised(x + (inner @ p.second + p.second_bias), p.scale[1], p.shift[1])


@graph_program
def encoder(p: Encoder, tokens: Int64[Tensor, "batch length"]) -> Float32[Tensor, "batch length width"]:
    """A transformer's encoder over sequences of word numbers."""
    x = p.words[tokens] + p.places[: tokens.shape[1]]
    for part in p.layers:
        x = layer(part, x)
    return x


@dataclass
class Network:
    """3x3 convolutions as matrices: a row per neighbour and channel, a column per feature."""

    first: Float32[Tensor, "9 features"]
    first_bias: Float32[Tensor, "features"]
    second: Float32[Tensor, "9*features 2*features"]
    second_bias: Float32[Tensor, "2*features"]
    last: Float32[Tensor, "2*features classes"]


def patches(x: Any) -> Any:
    """`[b, h, w, c]` as `[b, h-2, w-2, 9*c]`: the windows of each position (im2col)."""
    height, width = x.shape[1] - KERNEL + 1, x.shape[2] - KERNEL + 1
    windows = [x[:, i : i + height, j : j + width] for i in range(KERNEL) for j in range(KERNEL)]
    return np.concatenate(windows, axis=-1)


def halved(x: Any) -> Any:
    """The largest of each 2x2 block; an odd row or column at the end is left out."""
    height, width = x.shape[1] // 2, x.shape[2] // 2
    x = x[:, : 2 * height, : 2 * width]
    return x.reshape(x.shape[0], height, 2, width, 2, x.shape[3]).max(axis=4).max(axis=2)


@graph_program
def network(p: Network, pictures: Float32[Tensor, "batch height width"]) -> Float32[Tensor, "batch classes"]:
    """Two convolutions with pooling, and class scores of their mean."""
    x = pictures[:, :, :, None]
    x = halved(np.maximum(patches(x) @ p.first + p.first_bias, 0))
    x = np.maximum(patches(x) @ p.second + p.second_bias, 0)
    return x.mean(axis=(1, 2)) @ p.last


@graph_program
def operations(
    x: Float32[Tensor, "n m"], y: Float32[Tensor, "n m"], w: Float32[Tensor, "m k"], v: Float32[Tensor, "2*n"]
) -> Any:
    """One after the other, what changes shapes."""
    rows, columns = x.shape
    joined = np.concatenate([x, y], axis=0)
    pairs = v.reshape(-1, 2)
    halves = joined[::2] + joined[1::2]
    padded = np.pad(x, ((1, 1), (0, 2)))
    tiled = np.tile(x @ w, (2, 1))
    inner = padded[1:-1, : columns - 1]
    stacked = np.stack([x, y, x * y], axis=1).transpose(2, 0, 1)
    flat = stacked.reshape(columns, 3 * rows)
    steps = np.arange(rows + 1, dtype=np.float32)[:, None] + np.zeros((1, columns), np.float32)
    outer = pairs[:, :1] * pairs[:, 1:].T
    windows = joined[:-2] + joined[1:-1] + joined[2:]
    total = np.zeros(columns, np.float32)
    for row in joined:
        total = total + row * row
    if total.sum() > 1:
        halves = halves / total
    elif rows > 2:
        halves = np.zeros((rows, columns), np.float32)
    repeated = np.repeat(total, 3).reshape(columns, 3)
    differences = np.diff(np.cumsum(windows, axis=0), axis=0)
    spread = np.broadcast_to(steps.mean(axis=0), (rows, columns)) + np.eye(rows, columns, dtype=np.float32)
    return halves, tiled, inner, flat @ np.ones((3 * rows, 2), np.float32), outer, repeated, differences, spread


def _uniform(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).uniform(-1, 1, shape).astype(np.float32)


def random_encoder(width: int = 8, inner: int = 12, vocabulary: int = 11, longest: int = 9) -> Encoder:
    """An encoder with random weights."""

    def random_layer() -> Layer:
        attention = Attention(*(_uniform(width, width) for _ in range(4)))
        first, second = _uniform(width, inner), _uniform(inner, width)
        return Layer(attention, first, _uniform(inner), second, _uniform(width), _uniform(2, width), _uniform(2, width))

    return Encoder(_uniform(vocabulary, width), _uniform(longest, width), (random_layer(), random_layer()))


def random_network(features: int = 4, classes: int = 3) -> Network:
    """A network with random weights."""
    second = _uniform(9 * features, 2 * features)
    bias = _uniform(2 * features)
    return Network(_uniform(9, features), _uniform(features), second, bias, _uniform(2 * features, classes))


EXAMPLES: dict[str, Callable[[], tuple[Any, ...]]] = {
    "encoder": lambda: (random_encoder(), np.array([[1, 5, 3, 10, 0], [2, 2, 9, 4, 7]])),
    "network": lambda: (random_network(), _uniform(2, 14, 17)),
    "operations": lambda: (_uniform(4, 5), _uniform(4, 5), _uniform(5, 3), _uniform(8)),
}
"""Arguments for each program."""
