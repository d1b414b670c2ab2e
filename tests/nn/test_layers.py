"""Layers with PyTorch's weights: plain Python against PyTorch, and programs against plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.tensor_api import nn
from tests.nn.test_functions import compare, leaves

FLOATS = ("float32", "float64")
LAYERS = """
Linear(5, 3) | 2,5
Linear(5, 3, False) | 5
Embedding(7, 4) | int 2,3
Conv1d(3, 4, 3, padding=1) | 2,3,7
Conv2d(4, 6, 3, stride=2, groups=2) | 2,4,7,6
Conv2d(3, 4, (3, 2), padding="same", bias=False) | 2,3,7,6
Conv2d(3, 4, 3, padding=1, padding_mode="reflect") | 2,3,7,6
Conv2d(3, 4, 3, padding=2, padding_mode="circular") | 3,7,6
Conv1d(3, 4, 3, padding=2, padding_mode="replicate") | 2,3,7
Conv3d(2, 3, 2) | 1,2,3,4,3
ConvTranspose1d(3, 4, 3, 2) | 2,3,7
ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2) | 2,4,5,6
ConvTranspose3d(2, 3, 2) | 1,2,3,4,3
BatchNorm1d(3) | 4,3
BatchNorm2d(3, 0.1) | 2,3,4,5
LayerNorm(5) | 2,3,5
LayerNorm((3, 5), elementwise_affine=False) | 2,3,5
RMSNorm(5) | 2,3,5
GroupNorm(2, 6) | 2,6,4,3
InstanceNorm2d(3, affine=True) | 2,3,4,5
InstanceNorm1d(3) | 2,3,4
Flatten() | 2,3,4
Flatten(0, 1) | 2,3,4
ReLU() | 2,3
GELU("tanh") | 2,3
Softmax(1) | 2,3
MaxPool2d(2, ceil_mode=True) | 2,3,5,4
AvgPool2d(3, 2, 1) | 2,3,5,4
AdaptiveAvgPool2d((2, 3)) | 2,3,5,4
Upsample(scale_factor=2, mode="bilinear") | 2,3,5,4
LSTM(3, 4) | 6,2,3
LSTM(3, 4, 2, batch_first=True, bidirectional=True) | 2,6,3
LSTM(3, 4, bias=False) | 6,3
GRU(3, 4, 2) | 6,2,3
GRU(3, 4, bidirectional=True) | 6,3
RNN(3, 4, nonlinearity="relu") | 6,2,3
RNN(3, 4, 2, batch_first=True) | 2,6,3
LSTMCell(3, 4) | 2,3
GRUCell(3, 4, False) | 2,3
RNNCell(3, 4, nonlinearity="relu") | 3
PixelShuffle(2) | 2,8,3,4
ZeroPad2d((1, 0, 2, 1)) | 2,3,4,5
AdaptiveMaxPool2d((2, 3)) | 2,3,5,4
TransformerEncoderLayer(8, 2, 16) | 5,2,8
TransformerEncoderLayer(8, 4, 16, activation="gelu", batch_first=True, norm_first=True) | 2,5,8
TransformerEncoderLayer(8, 2, 16, batch_first=True, bias=False) | 5,8
"""
CASES = [tuple(part.strip() for part in line.split("|")) for line in LAYERS.strip().splitlines()]


def array_of(text: str, dtype: str) -> np.ndarray:
    """Random numbers of a shape."""
    rng = np.random.default_rng(3)
    if text.startswith("int"):
        return rng.integers(0, 7, tuple(map(int, text[4:].split(","))))
    return rng.standard_normal(tuple(map(int, text.split(",")))).astype(dtype)


def randomized(module: Any) -> Any:
    """A PyTorch module for inference whose arrays are all random."""
    torch = pytest.importorskip("torch")
    with torch.no_grad():
        for name, tensor in module.state_dict().items():
            if tensor.dtype.is_floating_point:
                tensor.copy_(torch.rand_like(tensor) + (0.5 if "var" in name else -0.3))
    return module.eval()


def as_ours(text: str, dtype: str) -> Any:
    """The layer of ours."""
    given = f"{text[:-1]}, dtype={dtype!r})".replace("(,", "(")
    try:
        return eval(given, vars(nn))
    except TypeError:
        return eval(text, vars(nn))


def numpy_of(tensors: Any) -> Any:
    """PyTorch's results as arrays."""
    return tuple(leaf.detach().numpy() for leaf in leaves(tensors if isinstance(tensors, tuple) else (tensors,)))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("text", "shape"), CASES, ids=lambda part: part)
def test_layers_are_pytorchs(text: str, shape: str, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    module = randomized(eval(text, vars(torch.nn))).to(getattr(torch, dtype))
    layer, x = as_ours(text, dtype), array_of(shape, dtype)
    nn.load(layer, {name: tensor.numpy() for name, tensor in module.state_dict().items()})
    found = layer(x)
    compare(found if isinstance(found, tuple) else (found,), numpy_of(module(torch.from_numpy(x))), dtype)


def applied(layer: Any, x: Any) -> Any:
    return layer(x)


@pytest.mark.parametrize(("text", "shape"), CASES, ids=lambda part: part)
def test_programs_take_layers_as_arguments(text: str, shape: str) -> None:
    layer, x = as_ours(text, "float32"), array_of(shape, "float32")
    expected, found = applied(layer, x), graph_program(applied)(layer, x)
    compare(
        found if isinstance(found, tuple) else (found,),
        expected if isinstance(expected, tuple) else (expected,),
        "float32",
    )


@pytest.mark.parametrize(("text", "shape"), [case for case in CASES if "Norm" in case[0] or "Transf" in case[0]])
def test_models_take_normalisations_as_arguments(text: str, shape: str) -> None:
    """Nobody has to ask for what ONNX's normalisations have as attributes."""
    layer, x = as_ours(text, "float32"), array_of(shape, "float32")
    model = graph_program(applied).model((layer, x))
    assert "x" in {i.name for i in model.graph.input}


@dataclass
class Digits:
    """A small convolutional network, as a user writes it."""

    features: nn.Sequential
    fc: nn.Linear

    def __call__(self, x: Any) -> Any:
        h = self.features(x)
        return nn.log_softmax(self.fc(h.reshape(h.shape[0], -1)), 1)


def digits() -> Digits:
    features = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1, seed=0), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(4, 6, 3, seed=1), nn.relu, nn.AdaptiveAvgPool2d(1),
    )  # fmt: skip
    return Digits(features, nn.Linear(6, 10, seed=2))


NETWORK = digits()


def classify(x: Any) -> Any:
    return np.argmax(NETWORK(x), axis=1), NETWORK(x)


def test_a_captured_network() -> None:
    x = array_of("3,1,8,8", "float32")
    program = graph_program(classify)
    compare(program(x), classify(x), "float32")
    compare(program(x[:1]), classify(x[:1]), "float32")
    NETWORK.fc.bias[:] = 1.5
    compare(program(x), classify(x), "float32")


def test_a_captured_network_that_is_frozen_is_fused() -> None:
    x = array_of("3,1,8,8", "float32")
    program = graph_program(classify, freeze=True)
    compare(program(x), classify(x), "float32")


def test_names_are_those_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    made = [
        ("LSTM(3, 4, 2, bidirectional=True)", ()),
        ("MultiheadAttention(8, 2)", ()),
        ("MultiheadAttention(8, 2, kdim=6, vdim=4)", ()),
        ("TransformerDecoderLayer(8, 2, 16)", ()),
        ("TransformerEncoder(TransformerEncoderLayer(8, 2, 16), 2, LayerNorm(8))", ()),
        ("Sequential(Conv2d(1, 2, 3), ReLU(), BatchNorm2d(2))", ("2.num_batches_tracked",)),
    ]
    for text, extra in made:
        ours, theirs = nn.state_dict(eval(text, vars(nn))), eval(text, vars(torch.nn)).state_dict()
        assert sorted([*ours, *extra]) == sorted(theirs)
        assert {k: v.shape for k, v in ours.items()} == {k: tuple(v.shape) for k, v in theirs.items() if k not in extra}


ATTENTION = """
{"batch_first": True} | {}
{} | {"attn_mask": m}
{"batch_first": True} | {"attn_mask": a, "key_padding_mask": p, "average_attn_weights": False}
{"batch_first": True, "bias": False} | {"key_padding_mask": p, "need_weights": False}
"""


@pytest.mark.parametrize("line", ATTENTION.strip().splitlines())
def test_attention_of_several_heads(line: str) -> None:
    torch = pytest.importorskip("torch")
    options, arguments = (part.strip() for part in line.split("|"))
    rng = np.random.default_rng(0)
    arrays = {
        "m": np.triu(np.ones((4, 6), bool), 3),
        "a": rng.standard_normal((6, 4, 6)).astype("f4"),
        "p": rng.random((3, 6)) > 0.6,
    }
    q, k, v = (rng.standard_normal((3, n, size)).astype("f4") for n, size in ((4, 8), (6, 5), (6, 7)))
    if "batch_first" not in options:
        q, k, v = (np.swapaxes(x, 0, 1).copy() for x in (q, k, v))
    module = randomized(torch.nn.MultiheadAttention(8, 2, kdim=5, vdim=7, **eval(options)))
    layer = nn.MultiheadAttention(8, 2, kdim=5, vdim=7, **eval(options))
    nn.load(layer, {name: tensor.numpy() for name, tensor in module.state_dict().items()})
    named = eval(arguments, arrays)
    tensors = {n: torch.from_numpy(x) if isinstance(x, np.ndarray) else x for n, x in named.items()}
    expected = numpy_of(tuple(x for x in module(*map(torch.from_numpy, (q, k, v)), **tensors) if x is not None))
    found = layer(q, k, v, **named)
    compare(found[: len(expected)], expected, "float32")


def attend(layer: Any, q: Any, k: Any, mask: Any, padding: Any) -> Any:
    return layer(q, k, k, padding, True, mask)


def test_attention_of_several_heads_in_a_program() -> None:
    rng = np.random.default_rng(0)
    layer = nn.MultiheadAttention(8, 2, batch_first=True, seed=1)
    args = (rng.standard_normal((3, 4, 8)).astype("f4"), rng.standard_normal((3, 6, 8)).astype("f4"))
    args += (np.triu(np.ones((4, 6), bool), 3), rng.random((3, 6)) > 0.6)
    compare(graph_program(attend)(layer, *args), attend(layer, *args), "float32")
