"""Convolutions and their transposes along one, two and three axes, with PyTorch's parameters and layouts."""

from __future__ import annotations

from typing import Any

from graph_program.tensor_api import fused
from graph_program.tensor_api.nn.common import (
    Array,
    each,
    refuse,
    require_floats,
    require_rank,
    require_windows,
    widened,
    without_batch,
)


def conv1d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: Any = 1,
) -> Array:
    """Cross-correlation of [batch, channels, length] with [out, channels / groups, taps].

    Parameters
    ----------
    input : ndarray
        With or without the batch.
    weight : ndarray
        [out, channels / groups, taps].
    bias : ndarray, optional
        [out].
    stride, dilation : int or tuple of int
        Steps between windows, and between the elements of one.
    padding : int, tuple of int, "same" or "valid"
        How many zeros stand on each side.
    groups : int
        How many groups of channels are convolved apart.

    Returns
    -------
    ndarray
        [batch, out, windows].

    Raises
    ------
    ValueError
        Where shapes do not fit.
    TypeError
        For arrays that are not of one floating type.
    """
    return convolution(input, weight, bias, stride, padding, dilation, groups, 1)


def conv2d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: Any = 1,
) -> Array:
    """`conv1d` along two axes: [batch, channels, height, width]."""
    return convolution(input, weight, bias, stride, padding, dilation, groups, 2)


def conv3d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: Any = 1,
) -> Array:
    """`conv1d` along three axes: [batch, channels, depth, height, width]."""
    return convolution(input, weight, bias, stride, padding, dilation, groups, 3)


def convolution(
    input: Array,
    weight: Array,
    bias: Array | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: Any,
    rank: int,
) -> Array:
    """A cross-correlation along the last `rank` axes."""
    name = f"conv{rank}d"
    require_weights(name, input, weight, bias, rank)
    strides, dilations = each(stride, rank, "stride"), each(dilation, rank, "dilation")
    before, behind = paddings(padding, weight.shape[2:], strides, dilations, rank)
    batched = input.ndim == rank + 2
    x = widened(input if batched else input[None])
    channels = weight.shape[1] * groups
    refuse(x.shape[1] != channels, f"{name}: expected {channels} channels in {groups} groups, got {x.shape[1]}")
    refuse(weight.shape[0] % groups != 0, f"{name}: {weight.shape[0]} outputs are no multiple of {groups} groups")
    require_bias(name, bias, weight.shape[0])
    lengths = [
        (n + b + a, d * (k - 1) + 1)
        for n, k, b, a, d in zip(x.shape[2:], weight.shape[2:], before, behind, dilations, strict=True)
    ]
    require_windows(name, x, lengths, strides, dilations)
    y = fused.conv(x, widened(weight), widened(bias), strides, (*before, *behind), dilations, groups)
    return without_batch(y.astype(input.dtype), batched)


def require_weights(name: str, x: Any, weight: Any, bias: Any, rank: int) -> None:
    """Numbers of axes and element types."""
    require_floats(name, x, weight, bias)
    require_rank(name, x, rank + 2)
    if weight.ndim != rank + 2:
        raise ValueError(f"{name}: expected a weight of {rank + 2} dimensions, got {weight.ndim}")


def require_bias(name: str, bias: Any, size: Any) -> None:
    """A bias has an element for each output."""
    if bias is not None:
        refuse(bias.ndim != 1, f"{name}: expected a bias of 1 dimension")
        refuse(bias.shape[0] != size, f"{name}: expected a bias of {size} elements, got {bias.shape[0]}")


def paddings(padding: Any, taps: Any, strides: Any, dilations: Any, rank: int) -> Any:
    """How many zeros stand before and behind each axis; of an odd number for "same", one more behind."""
    if isinstance(padding, str):
        if padding == "valid":
            return (0,) * rank, (0,) * rank
        if padding != "same":
            raise ValueError(f"padding: expected 'same' or 'valid', got {padding!r}")
        for s in strides:
            if s != 1:
                raise ValueError("padding='same' is not supported for strided convolutions")
        total = [d * (k - 1) for k, d in zip(taps, dilations, strict=True)]
        return tuple([n // 2 for n in total]), tuple([n - n // 2 for n in total])
    numbers = each(padding, rank, "padding")
    for n in numbers:
        refuse(n < 0, "negative padding is not supported")
    return numbers, numbers


def conv_transpose1d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: Any = 1,
    dilation: Any = 1,
) -> Array:
    """The transpose of `conv1d` as a linear map, with a weight [channels, out / groups, taps].

    Parameters
    ----------
    padding : int or tuple of int
        What `conv1d` would have padded: how much is left out on each side.
    output_padding : int or tuple of int
        How many elements more the result has at the end.

    The other parameters, and what is raised, are those of `conv1d`.
    """
    return transposed_convolution(input, weight, bias, stride, padding, output_padding, groups, dilation, 1)


def conv_transpose2d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: Any = 1,
    dilation: Any = 1,
) -> Array:
    """`conv_transpose1d` along two axes."""
    return transposed_convolution(input, weight, bias, stride, padding, output_padding, groups, dilation, 2)


def conv_transpose3d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: Any = 1,
    dilation: Any = 1,
) -> Array:
    """`conv_transpose1d` along three axes."""
    return transposed_convolution(input, weight, bias, stride, padding, output_padding, groups, dilation, 3)


def transposed_convolution(
    input: Array,
    weight: Array,
    bias: Array | None,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: Any,
    dilation: Any,
    rank: int,
) -> Array:
    """A transposed convolution along the last `rank` axes."""
    name = f"conv_transpose{rank}d"
    require_weights(name, input, weight, bias, rank)
    strides, dilations = each(stride, rank, "stride"), each(dilation, rank, "dilation")
    more, cut = each(output_padding, rank, "output_padding"), each(padding, rank, "padding")
    batched = input.ndim == rank + 2
    x = widened(input if batched else input[None])
    refuse(x.shape[1] != weight.shape[0], f"{name}: expected {weight.shape[0]} channels, got {x.shape[1]}")
    refuse(weight.shape[0] % groups != 0, f"{name}: {weight.shape[0]} channels are no multiple of {groups} groups")
    require_bias(name, bias, weight.shape[1] * groups)
    for m, s, d in zip(more, strides, dilations, strict=True):
        refuse(m >= s and m >= d, f"{name}: output_padding must be smaller than stride or dilation")
    lengths = [
        ((n - 1) * s + d * (k - 1) + 1 + m - 2 * p, 1)
        for n, k, s, d, m, p in zip(x.shape[2:], weight.shape[2:], strides, dilations, more, cut, strict=True)
    ]
    require_windows(name, x, lengths, strides, dilations)
    pads = (*cut, *cut)
    y = fused.conv_transpose(x, widened(weight), widened(bias), strides, pads, more, dilations, groups)
    return without_batch(y.astype(input.dtype), batched)


__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]
