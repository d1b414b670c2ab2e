"""Pooling along one, two and three axes, with PyTorch's parameters and layouts."""

from __future__ import annotations

from typing import Any

import numpy as np

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


def max_pool1d(
    input: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of [batch, channels, length].

    Parameters
    ----------
    input : ndarray
        With or without the batch.
    kernel_size, stride, padding, dilation : int or tuple of int
        The windows; `stride` is `kernel_size` by default. What is padded is less than any element.
    ceil_mode : bool
        Whether a window may reach over the end.
    return_indices : bool
        Whether to give where the elements were, too: their numbers in the flattened spatial axes.

    Raises
    ------
    ValueError
        Where sizes do not fit.
    TypeError
        For an array that is not of a floating type.
    """
    return largest(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 1)


def max_pool2d(
    input: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """`max_pool1d` along two axes."""
    return largest(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 2)


def max_pool3d(
    input: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """`max_pool1d` along three axes."""
    return largest(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 3)


def largest(
    input: Array,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    return_indices: bool,
    rank: int,
) -> Any:
    """The largest elements of windows along the last `rank` axes."""
    name = f"max_pool{rank}d"
    taps, strides, pads = window_numbers(name, input, kernel_size, stride, padding, rank)
    dilations = each(dilation, rank, "dilation")
    batched = input.ndim == rank + 2
    x = widened(input if batched else input[None])
    lengths = window_lengths(name, x, taps, strides, pads, dilations)
    require_windows(name, x, reached(lengths, strides) if ceil_mode else lengths, strides, dilations)
    margins = ceil_margins(lengths, strides, x.shape[2:], pads) if ceil_mode else ()
    if return_indices:
        y, places = largest_with_places(x, taps, strides, (*pads, *pads), dilations, margins)
        return without_batch(y.astype(input.dtype), batched), without_batch(places, batched)
    y = largest_of_windows(x, taps, strides, (*pads, *pads), dilations, margins)
    return without_batch(y.astype(input.dtype), batched)


def largest_of_windows(x: Any, taps: Any, strides: Any, pads: Any, dilations: Any, margins: Any) -> Any:
    """The fused operation where it is right: for finite elements, in windows that have some."""
    wide = extended(x, margins, -np.inf)
    if x.dtype != np.float32 or (pads != (0,) * len(pads) and dilations != (1,) * len(dilations)):
        return largest_gathered(wide, taps, strides, pads, dilations)
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.sum(x)
        rest = total - total
    y = fused.max_pool(wide, taps, strides, pads, dilations)
    if rest != 0:  # NaN, for a sum that is not finite
        y = largest_gathered(wide, taps, strides, pads, dilations)
    return y


def largest_gathered(x: Any, taps: Any, strides: Any, pads: Any, dilations: Any) -> Any:
    """The largest elements, by way of an array of all windows."""
    windows = fused.gathered(x, fused.pooled_places(x, taps, strides, pads, dilations), -np.inf)
    return np.max(windows, axis=fused.tap_axes(len(strides)))


def largest_with_places(x: Any, taps: Any, strides: Any, pads: Any, dilations: Any, margins: Any) -> Any:
    """The largest elements, and where they are in the flattened spatial axes."""
    rank = len(strides)
    sizes = x.shape[2:]
    wide = extended(x, margins, -np.inf)
    places = fused.pooled_places(wide, taps, strides, pads, dilations)
    windows = fused.gathered(wide, places, -np.inf)
    order = (0, 1, *range(2, 2 + 2 * rank, 2), *range(3, 3 + 2 * rank, 2))
    windows = np.transpose(windows, order).reshape(
        *windows.shape[:2], *windows.shape[2::2], fused.product(windows.shape[3::2])
    )
    numbers = np.zeros((1,) * (2 * rank), np.int64)
    for i, (table, size) in enumerate(zip(places, sizes, strict=True)):
        shape = [1] * (2 * rank)
        shape[i], shape[rank + i] = table.shape
        numbers = numbers * size + table.reshape(shape)
    numbers = numbers.reshape(*windows.shape[2:])
    chosen = np.argmax(windows, axis=-1)[..., np.newaxis]
    found = np.take_along_axis(np.broadcast_to(numbers, windows.shape), chosen, axis=-1)
    return np.max(windows, axis=-1), found[..., 0]


# ---------------------------------------------------------------- averages


def avg_pool1d(
    input: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Array:
    """The mean of each window of [batch, channels, length].

    Parameters
    ----------
    kernel_size, stride, padding : int or tuple of int
        The windows; `stride` is `kernel_size` by default. What is padded is 0.
    ceil_mode : bool
        Whether a window may reach over the end.
    count_include_pad : bool
        Whether padded zeros count.
    """
    return averages(input, kernel_size, stride, padding, ceil_mode, count_include_pad, None, 1)


def avg_pool2d(
    input: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Array:
    """`avg_pool1d` along two axes; `divisor_override` is what sums are divided by instead of their counts."""
    return averages(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 2)


def avg_pool3d(
    input: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Array:
    """`avg_pool2d` along three axes."""
    return averages(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 3)


def averages(
    input: Array,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: Any,
    rank: int,
) -> Array:
    """The means of windows along the last `rank` axes."""
    name = f"avg_pool{rank}d"
    taps, strides, pads = window_numbers(name, input, kernel_size, stride, padding, rank)
    ones = (1,) * rank
    batched = input.ndim == rank + 2
    x = widened(input if batched else input[None])
    lengths = window_lengths(name, x, taps, strides, pads, ones)
    require_windows(name, x, reached(lengths, strides) if ceil_mode else lengths, strides, ones)
    margins = ceil_margins(lengths, strides, x.shape[2:], pads) if ceil_mode else ()
    y = fused.average_pool(extended(x, margins, 0), taps, strides, (*pads, *pads))
    all_taps = fused.product(taps)
    if divisor is not None:
        y = y * (all_taps / divisor)
    elif ceil_mode or (not count_include_pad and pads != (0,) * rank):
        for i, (n, k, s, p) in enumerate(zip(x.shape[2:], taps, strides, pads, strict=True)):
            counts = counted(n, k, s, p, y.shape[2 + i], count_include_pad)
            y = y * (k / counts).astype(x.dtype).reshape(-1, *(1,) * (rank - 1 - i))
    return without_batch(y.astype(input.dtype), batched)


def counted(size: Any, taps: Any, stride: Any, pad: Any, windows: Any, with_pads: bool) -> Any:
    """How many elements of each window along an axis count."""
    starts = np.arange(windows) * stride - pad
    ends = np.minimum(starts + taps, size + pad if with_pads else size)
    return ends - (starts if with_pads else np.maximum(starts, 0))


# ---------------------------------------------------------------- windows


def window_numbers(name: str, x: Any, kernel_size: Any, stride: Any, padding: Any, rank: int) -> Any:
    """The elements of windows, the steps between them and the padding, for each axis."""
    require_floats(name, x)
    require_rank(name, x, rank + 2)
    taps = each(kernel_size, rank, "kernel_size")
    strides = taps if stride is None or stride == () or stride == [] else each(stride, rank, "stride")
    return taps, strides, each(padding, rank, "padding")


def window_lengths(name: str, x: Any, taps: Any, strides: Any, pads: Any, dilations: Any) -> Any:
    """The size of each axis with its padding, and of a window along it."""
    for k, p in zip(taps, pads, strict=True):
        refuse(k < 1, f"{name}: kernel_size must be positive")
        text = f"{name}: padding must be at least 0 and at most half of the window, got {p} for {k}"
        refuse(p < 0 or 2 * p > k, text)
    return [(n + 2 * p, d * (k - 1) + 1) for n, p, k, d in zip(x.shape[2:], pads, taps, dilations, strict=True)]


def reached(lengths: Any, strides: Any) -> Any:
    """What axes must be as long as, where the last window may reach over the end by less than a step."""
    return [(size, length - s + 1) for (size, length), s in zip(lengths, strides, strict=True)]


def ceil_margins(lengths: Any, strides: Any, sizes: Any, pads: Any) -> Any:
    """How many elements are missing behind each axis for a last window that starts inside."""
    margins = []
    for (padded, length), s, n, p in zip(lengths, strides, sizes, pads, strict=True):
        last = -(-(padded - length) // s) * s  # where the last window starts
        last = last if last < n + p else last - s
        margins.append(max(last + length - padded, 0))
    return tuple(margins)


def extended(x: Any, margins: Any, value: Any) -> Any:
    """The array with some more elements behind each spatial axis."""
    for i, n in enumerate(margins):
        axis = 2 + i
        x = np.concatenate((x, np.full((*x.shape[:axis], n, *x.shape[axis + 1 :]), value, x.dtype)), axis=axis)
    return x


# ---------------------------------------------------------------- windows for a number of results


def adaptive_avg_pool1d(input: Array, output_size: Any) -> Array:
    """The means of `output_size` windows that cover the axis as evenly as they can."""
    return adaptive(input, output_size, False, 1)


def adaptive_avg_pool2d(input: Array, output_size: Any) -> Array:
    """`adaptive_avg_pool1d` along two axes; None keeps the size of one."""
    return adaptive(input, output_size, False, 2)


def adaptive_avg_pool3d(input: Array, output_size: Any) -> Array:
    """`adaptive_avg_pool1d` along three axes."""
    return adaptive(input, output_size, False, 3)


def adaptive_max_pool1d(input: Array, output_size: Any) -> Array:
    """The largest elements of `output_size` windows that cover the axis as evenly as they can."""
    return adaptive(input, output_size, True, 1)


def adaptive_max_pool2d(input: Array, output_size: Any) -> Array:
    """`adaptive_max_pool1d` along two axes; None keeps the size of one."""
    return adaptive(input, output_size, True, 2)


def adaptive_max_pool3d(input: Array, output_size: Any) -> Array:
    """`adaptive_max_pool1d` along three axes."""
    return adaptive(input, output_size, True, 3)


def adaptive(input: Array, output_size: Any, is_max: bool, rank: int) -> Array:
    """Means or largest elements of windows that cover the last `rank` axes."""
    name = f"adaptive_{'max' if is_max else 'avg'}_pool{rank}d"
    require_floats(name, input)
    require_rank(name, input, rank + 2)
    batched = input.ndim == rank + 2
    x = widened(input if batched else input[None])
    wanted = each(output_size, rank, "output_size")
    sizes = [n if out is None else out for n, out in zip(x.shape[2:], wanted, strict=True)]
    axes = tuple(range(2, 2 + rank))
    if wanted == (1,) * rank:
        y = np.max(x, axis=axes, keepdims=True) if is_max else np.mean(x, axis=axes, keepdims=True)
        return without_batch(y.astype(input.dtype), batched)
    places = [covering_places(n, out) for n, out in zip(x.shape[2:], sizes, strict=True)]
    windows = fused.gathered(x, places, -np.inf if is_max else 0)
    if is_max:
        y = np.max(windows, axis=fused.tap_axes(rank))
    else:
        y = np.sum(windows, axis=fused.tap_axes(rank))
        for i, (n, out) in enumerate(zip(x.shape[2:], sizes, strict=True)):
            starts, ends = covering(n, out)
            y = y / (ends - starts).astype(x.dtype).reshape(-1, *(1,) * (rank - 1 - i))
    return without_batch(y.astype(input.dtype), batched)


def covering(size: Any, windows: Any) -> Any:
    """Where windows that cover an axis start and end."""
    number = np.arange(windows)
    return number * size // windows, -(-(number + 1) * size // windows)


def covering_places(size: Any, windows: Any) -> Any:
    """Which elements the windows that cover an axis hold; `size` for those that are shorter than the longest."""
    starts, ends = covering(size, windows)
    places = starts[:, np.newaxis] + np.arange(size // windows + 2)
    return np.where(places < ends[:, np.newaxis], places, size)


__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]
