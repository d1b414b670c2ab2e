"""Layers without weights, and layers in a row, so that models are built as in PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graph_program.tensor_api import fused
from graph_program.tensor_api.nn import activations, functions, pooling, resizing
from graph_program.tensor_api.nn.common import Array, each
from graph_program.tensor_api.nn.layers import Layer
from graph_program.tensor_api.static import Static


@dataclass(init=False, repr=False, eq=False)
class Sequential(Layer):
    """Layers, or functions, one after the other; in a state dict they are called by their numbers."""

    layers: Any

    def __init__(self, *layers: Any) -> None:
        self.layers = list(layers)

    def __call__(self, input: Any) -> Any:
        for layer in self.layers:
            input = layer(input)
        return input

    def __repr__(self) -> str:
        return f"Sequential({', '.join(getattr(x, '__name__', None) or repr(x) for x in self.layers)})"

    def named_parts(self) -> Iterator[tuple[str, Any]]:
        for i, layer in enumerate(self.layers):
            yield f"{i}.", layer


@dataclass
class Identity(Layer):
    """What it is given."""

    def __call__(self, input: Array) -> Array:
        return input


@dataclass
class Dropout(Layer):
    """What it is given: nothing is dropped in inference."""

    p: float = 0.5

    def __call__(self, input: Array) -> Array:
        return input


@dataclass
class Flatten(Layer):
    """Some axes as one."""

    start_dim: Static[int] = 1
    end_dim: Static[int] = -1

    def __call__(self, input: Array) -> Array:
        start, end = self.start_dim % input.ndim, self.end_dim % input.ndim
        together = fused.product(input.shape[start : end + 1])
        return input.reshape(*input.shape[:start], together, *input.shape[end + 1 :])


@dataclass
class ReLU(Layer):
    """`nn.relu`."""

    def __call__(self, input: Array) -> Array:
        return activations.relu(input)


@dataclass
class ReLU6(Layer):
    """`nn.relu6`."""

    def __call__(self, input: Array) -> Array:
        return activations.relu6(input)


@dataclass
class LeakyReLU(Layer):
    """`nn.leaky_relu`."""

    negative_slope: float = 0.01

    def __call__(self, input: Array) -> Array:
        return activations.leaky_relu(input, self.negative_slope)


@dataclass
class ELU(Layer):
    """`nn.elu`."""

    alpha: float = 1.0

    def __call__(self, input: Array) -> Array:
        return activations.elu(input, self.alpha)


@dataclass
class GELU(Layer):
    """`nn.gelu`."""

    approximate: str = "none"

    def __call__(self, input: Array) -> Array:
        return activations.gelu(input, self.approximate)


@dataclass
class SiLU(Layer):
    """`nn.silu`."""

    def __call__(self, input: Array) -> Array:
        return activations.silu(input)


@dataclass
class Mish(Layer):
    """`nn.mish`."""

    def __call__(self, input: Array) -> Array:
        return activations.mish(input)


@dataclass
class Sigmoid(Layer):
    """`nn.sigmoid`."""

    def __call__(self, input: Array) -> Array:
        return activations.sigmoid(input)


@dataclass
class Tanh(Layer):
    """`nn.tanh`."""

    def __call__(self, input: Array) -> Array:
        return activations.tanh(input)


@dataclass
class Softplus(Layer):
    """`nn.softplus`."""

    beta: float = 1.0
    threshold: float = 20.0

    def __call__(self, input: Array) -> Array:
        return activations.softplus(input, self.beta, self.threshold)


@dataclass
class Hardsigmoid(Layer):
    """`nn.hardsigmoid`."""

    def __call__(self, input: Array) -> Array:
        return activations.hardsigmoid(input)


@dataclass
class Hardswish(Layer):
    """`nn.hardswish`."""

    def __call__(self, input: Array) -> Array:
        return activations.hardswish(input)


@dataclass
class Softmax(Layer):
    """`nn.softmax` along an axis."""

    dim: Static[int] = -1

    def __call__(self, input: Array) -> Array:
        return activations.softmax(input, self.dim)


@dataclass
class LogSoftmax(Layer):
    """`nn.log_softmax` along an axis."""

    dim: Static[int] = -1

    def __call__(self, input: Array) -> Array:
        return activations.log_softmax(input, self.dim)


# ---------------------------------------------------------------- pooling


@dataclass
class MaxPool1d(Layer):
    """`nn.max_pool1d`."""

    kernel_size: Static[Any]
    stride: Static[Any] = None
    padding: Static[Any] = 0
    dilation: Static[Any] = 1
    return_indices: Static[bool] = False
    ceil_mode: Static[bool] = False

    def __call__(self, input: Array) -> Any:
        return pooling.max_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


@dataclass
class MaxPool2d(Layer):
    """`nn.max_pool2d`."""

    kernel_size: Static[Any]
    stride: Static[Any] = None
    padding: Static[Any] = 0
    dilation: Static[Any] = 1
    return_indices: Static[bool] = False
    ceil_mode: Static[bool] = False

    def __call__(self, input: Array) -> Any:
        return pooling.max_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


@dataclass
class AvgPool1d(Layer):
    """`nn.avg_pool1d`."""

    kernel_size: Static[Any]
    stride: Static[Any] = None
    padding: Static[Any] = 0
    ceil_mode: Static[bool] = False
    count_include_pad: Static[bool] = True

    def __call__(self, input: Array) -> Array:
        return pooling.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


@dataclass
class AvgPool2d(Layer):
    """`nn.avg_pool2d`."""

    kernel_size: Static[Any]
    stride: Static[Any] = None
    padding: Static[Any] = 0
    ceil_mode: Static[bool] = False
    count_include_pad: Static[bool] = True
    divisor_override: Static[Any] = None

    def __call__(self, input: Array) -> Array:
        return pooling.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


@dataclass
class AdaptiveAvgPool1d(Layer):
    """`nn.adaptive_avg_pool1d`."""

    output_size: Static[Any]

    def __call__(self, input: Array) -> Array:
        return pooling.adaptive_avg_pool1d(input, self.output_size)


@dataclass
class AdaptiveAvgPool2d(Layer):
    """`nn.adaptive_avg_pool2d`."""

    output_size: Static[Any]

    def __call__(self, input: Array) -> Array:
        return pooling.adaptive_avg_pool2d(input, self.output_size)


@dataclass
class AdaptiveMaxPool2d(Layer):
    """`nn.adaptive_max_pool2d`."""

    output_size: Static[Any]

    def __call__(self, input: Array) -> Array:
        return pooling.adaptive_max_pool2d(input, self.output_size)


@dataclass
class PixelShuffle(Layer):
    """`nn.pixel_shuffle`."""

    upscale_factor: Static[int]

    def __call__(self, input: Array) -> Array:
        return functions.pixel_shuffle(input, self.upscale_factor)


@dataclass
class ZeroPad2d(Layer):
    """Zeros on all sides of the last two axes, or left, right, above and below."""

    padding: Static[Any]

    def __call__(self, input: Array) -> Array:
        return functions.pad(input, each(self.padding, 4, "padding"))


@dataclass
class Upsample(Layer):
    """`nn.interpolate`."""

    size: Static[Any] = None
    scale_factor: Static[Any] = None
    mode: str = "nearest"
    align_corners: Static[Any] = None

    def __call__(self, input: Array) -> Array:
        return resizing.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners)


__all__ = [
    "ELU",
    "GELU",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "Dropout",
    "Flatten",
    "Hardsigmoid",
    "Hardswish",
    "Identity",
    "LeakyReLU",
    "LogSoftmax",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "PixelShuffle",
    "ReLU",
    "ReLU6",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
    "Upsample",
    "ZeroPad2d",
]
