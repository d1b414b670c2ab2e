"""Layers as plain dataclasses of arrays: linear maps, convolutions, normalisation, tables of vectors.

Constructors take PyTorch's arguments and give PyTorch's initial distributions; fields have the names of PyTorch's state
dict, so that `load` finds them. A layer is called like a function, in plain Python and in a program.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program.tensor_api.nn import convolution, functions, normalization
from graph_program.tensor_api.nn.common import Array, each
from graph_program.tensor_api.static import Static


class Layer:
    """What layers share: how they are shown, and how their parts are named in a state dict."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(described(self))})"

    def named_parts(self) -> Iterator[tuple[str, Any]]:
        """The parts of the layer that may have arrays of their own, with what their names start with."""
        for f in dataclasses.fields(self):  # type: ignore[arg-type]
            yield f"{f.name}.", getattr(self, f.name)

    def array_name(self, field: str) -> str:
        """What an array is called in a state dict."""
        return field


def described(layer: Any) -> Iterator[str]:
    """The fields of a layer, arrays by type and shape."""
    for f in dataclasses.fields(layer):
        value = getattr(layer, f.name)
        if isinstance(value, np.ndarray):
            yield f"{f.name}: {value.dtype.name} {list(value.shape)}"
        else:
            yield f"{f.name}={value!r}"


def uniform(shape: tuple[int, ...], bound: float, dtype: Any, seed: Any) -> Array:
    """Uniform random numbers between -bound and bound."""
    return np.random.default_rng(seed).uniform(-bound, bound, shape).astype(dtype)


def inverse_root(count: int) -> float:
    """1 / sqrt(count), the bound of PyTorch's initial weights."""
    return 1 / math.sqrt(count) if count else 0.0


@dataclass(init=False, repr=False, eq=False)
class Linear(Layer):
    """input @ weight.T + bias.

    Parameters
    ----------
    in_features, out_features : int
    bias : bool
        Whether there is one.
    dtype : dtype
        Of the arrays.
    seed : int or numpy.random.Generator, optional
        Where initial weights come from.
    """

    weight: Any
    bias: Any

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, *, dtype: Any = np.float32, seed: Any = None
    ) -> None:
        rng, bound = np.random.default_rng(seed), inverse_root(in_features)
        self.weight = uniform((out_features, in_features), bound, dtype, rng)
        self.bias = uniform((out_features,), bound, dtype, rng) if bias else None

    def __call__(self, input: Array) -> Array:
        return functions.linear(input, self.weight, self.bias)


@dataclass(init=False, repr=False, eq=False)
class Embedding(Layer):
    """The rows of a table at positions."""

    weight: Any

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        dtype: Any = np.float32,
        seed: Any = None,
    ) -> None:
        self.weight = np.random.default_rng(seed).standard_normal((num_embeddings, embedding_dim)).astype(dtype)
        if padding_idx is not None:
            self.weight[padding_idx] = 0

    def __call__(self, input: Array) -> Array:
        return functions.embedding(input, self.weight)


# ---------------------------------------------------------------- convolutions


@dataclass(init=False, repr=False, eq=False)
class Convolution(Layer):
    """What `Conv1d`, `Conv2d` and `Conv3d` share."""

    weight: Any
    bias: Any
    stride: Static[Any]
    padding: Static[Any]
    dilation: Static[Any]
    groups: Static[int]
    padding_mode: Static[str]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        *,
        dtype: Any = np.float32,
        seed: Any = None,
    ) -> None:
        if padding_mode != "zeros" and padding_mode not in functions.PAD_MODES:
            raise ValueError("padding_mode: expected zeros, reflect, replicate or circular")
        shape = (out_channels, in_channels // groups, *each(kernel_size, self.rank(), "kernel_size"))
        rng, bound = np.random.default_rng(seed), inverse_root(math.prod(shape[1:]))
        self.weight = uniform(shape, bound, dtype, rng)
        self.bias = uniform(shape[:1], bound, dtype, rng) if bias else None
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.groups, self.padding_mode = groups, padding_mode

    def rank(self) -> int:
        """The number of spatial axes."""
        raise NotImplementedError

    def __call__(self, input: Array) -> Array:
        rank = self.rank()
        if self.padding_mode == "zeros":
            return convolution.convolution(
                input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups, rank
            )
        strides, dilations = each(self.stride, rank, "stride"), each(self.dilation, rank, "dilation")
        before, behind = convolution.paddings(self.padding, self.weight.shape[2:], strides, dilations, rank)
        widths = [(0, 0)] * (input.ndim - rank) + list(zip(before, behind, strict=True))
        padded = np.pad(input, widths, mode=functions.PAD_MODES[self.padding_mode])  # type: ignore[call-overload]
        return convolution.convolution(padded, self.weight, self.bias, strides, 0, dilations, self.groups, rank)


@dataclass(init=False, repr=False, eq=False)
class Conv1d(Convolution):
    """`nn.conv1d` with a weight and a bias."""

    def rank(self) -> int:
        return 1


@dataclass(init=False, repr=False, eq=False)
class Conv2d(Convolution):
    """`nn.conv2d` with a weight and a bias."""

    def rank(self) -> int:
        return 2


@dataclass(init=False, repr=False, eq=False)
class Conv3d(Convolution):
    """`nn.conv3d` with a weight and a bias."""

    def rank(self) -> int:
        return 3


@dataclass(init=False, repr=False, eq=False)
class TransposedConvolution(Layer):
    """What `ConvTranspose1d`, `ConvTranspose2d` and `ConvTranspose3d` share."""

    weight: Any
    bias: Any
    stride: Static[Any]
    padding: Static[Any]
    output_padding: Static[Any]
    groups: Static[int]
    dilation: Static[Any]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        *,
        dtype: Any = np.float32,
        seed: Any = None,
    ) -> None:
        shape = (in_channels, out_channels // groups, *each(kernel_size, self.rank(), "kernel_size"))
        rng, bound = np.random.default_rng(seed), inverse_root(math.prod(shape[1:]))
        self.weight = uniform(shape, bound, dtype, rng)
        self.bias = uniform((out_channels,), bound, dtype, rng) if bias else None
        self.stride, self.padding, self.output_padding = stride, padding, output_padding
        self.groups, self.dilation = groups, dilation

    def rank(self) -> int:
        """The number of spatial axes."""
        raise NotImplementedError

    def __call__(self, input: Array) -> Array:
        return convolution.transposed_convolution(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self.output_padding,
            self.groups,
            self.dilation,
            self.rank(),
        )


@dataclass(init=False, repr=False, eq=False)
class ConvTranspose1d(TransposedConvolution):
    """`nn.conv_transpose1d` with a weight and a bias."""

    def rank(self) -> int:
        return 1


@dataclass(init=False, repr=False, eq=False)
class ConvTranspose2d(TransposedConvolution):
    """`nn.conv_transpose2d` with a weight and a bias."""

    def rank(self) -> int:
        return 2


@dataclass(init=False, repr=False, eq=False)
class ConvTranspose3d(TransposedConvolution):
    """`nn.conv_transpose3d` with a weight and a bias."""

    def rank(self) -> int:
        return 3


# ---------------------------------------------------------------- normalisation


@dataclass(init=False, repr=False, eq=False)
class BatchNorm(Layer):
    """`nn.batch_norm` with the mean and variance of training; for any number of spatial axes."""

    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any
    eps: float

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: Any = 0.1, affine: bool = True, *, dtype: Any = np.float32
    ) -> None:
        self.weight = np.ones(num_features, dtype) if affine else None
        self.bias = np.zeros(num_features, dtype) if affine else None
        self.running_mean, self.running_var = np.zeros(num_features, dtype), np.ones(num_features, dtype)
        self.eps = eps

    def __call__(self, input: Array) -> Array:
        return normalization.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, False, 0.1, self.eps
        )


BatchNorm1d = BatchNorm2d = BatchNorm3d = BatchNorm


@dataclass(init=False, repr=False, eq=False)
class LayerNorm(Layer):
    """`nn.layer_norm` with a weight and a bias."""

    weight: Any
    bias: Any
    normalized_shape: Static[Any]
    eps: Static[float]

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        *,
        dtype: Any = np.float32,
    ) -> None:
        self.normalized_shape = tuple(np.atleast_1d(normalized_shape).tolist())
        self.weight = np.ones(self.normalized_shape, dtype) if elementwise_affine else None
        self.bias = np.zeros(self.normalized_shape, dtype) if elementwise_affine and bias else None
        self.eps = eps

    def __call__(self, input: Array) -> Array:
        return normalization.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


@dataclass(init=False, repr=False, eq=False)
class RMSNorm(Layer):
    """`nn.rms_norm` with a weight."""

    weight: Any
    normalized_shape: Static[Any]
    eps: Any

    def __init__(
        self, normalized_shape: Any, eps: Any = None, elementwise_affine: bool = True, *, dtype: Any = np.float32
    ) -> None:
        self.normalized_shape = tuple(np.atleast_1d(normalized_shape).tolist())
        self.weight = np.ones(self.normalized_shape, dtype) if elementwise_affine else None
        self.eps = eps

    def __call__(self, input: Array) -> Array:
        return normalization.rms_norm(input, self.normalized_shape, self.weight, self.eps)


@dataclass(init=False, repr=False, eq=False)
class GroupNorm(Layer):
    """`nn.group_norm` with a weight and a bias."""

    weight: Any
    bias: Any
    num_groups: Static[int]
    eps: Static[float]

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, *, dtype: Any = np.float32
    ) -> None:
        self.weight = np.ones(num_channels, dtype) if affine else None
        self.bias = np.zeros(num_channels, dtype) if affine else None
        self.num_groups, self.eps = num_groups, eps

    def __call__(self, input: Array) -> Array:
        return normalization.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


@dataclass(init=False, repr=False, eq=False)
class InstanceNorm(Layer):
    """`nn.instance_norm`, with a weight and a bias if `affine`; for any number of spatial axes."""

    weight: Any
    bias: Any
    eps: Static[float]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: Any = 0.1,
        affine: bool = False,
        *,
        dtype: Any = np.float32,
    ) -> None:
        self.weight = np.ones(num_features, dtype) if affine else None
        self.bias = np.zeros(num_features, dtype) if affine else None
        self.eps = eps

    def __call__(self, input: Array) -> Array:
        return normalization.instance_norm(input, None, None, self.weight, self.bias, True, 0.1, self.eps)


InstanceNorm1d = InstanceNorm2d = InstanceNorm3d = InstanceNorm

__all__ = [
    "BatchNorm",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "Embedding",
    "GroupNorm",
    "InstanceNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "Layer",
    "LayerNorm",
    "Linear",
    "RMSNorm",
]
