"""Linear maps, tables of vectors, attention, and choices, with PyTorch's parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graph_program.tensor_api import fused
from graph_program.tensor_api.nn.common import Array, refuse, require_floats, widened


def linear(input: Array, weight: Array, bias: Array | None = None) -> Array:
    """input @ weight.T + bias, with a weight [out, in]."""
    require_floats("linear", input, weight, bias)
    y = input @ weight.T
    return y if bias is None else y + bias


def bilinear(input1: Array, input2: Array, weight: Array, bias: Array | None = None) -> Array:
    """input1 @ weight[o] @ input2 for each output o, with a weight [out, in1, in2]."""
    require_floats("bilinear", input1, input2, weight, bias)
    y = np.einsum("...i,oij,...j->...o", input1, weight, input2)
    return y if bias is None else y + bias


def embedding(input: Array, weight: Array, padding_idx: Any = None) -> Array:
    """The rows of a table at positions; a negative one counts from the end, as in NumPy.

    `padding_idx` matters in training only.

    Raises
    ------
    IndexError
        For a position outside of the table.
    """
    return weight[input]


def dropout(input: Array, p: Any = 0.5, training: bool = False) -> Array:
    """The array itself: nothing is dropped in inference.

    Raises
    ------
    NotImplementedError
        For `training=True`.
    """
    if training:
        raise NotImplementedError("dropout: only inference, where nothing is dropped")
    return input


def scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    dropout_p: Any = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool = False,
) -> Array:
    """softmax(query @ key.T * scale + mask) @ value (Vaswani et al., 2017).

    Parameters
    ----------
    query, key, value : ndarray
        [..., length, size] each; keys and values are of one length.
    attn_mask : ndarray, optional
        Of bool, true where a query may look; or numbers that are added. A query that may look nowhere gives 0.
    dropout_p : float
        0, as in inference.
    is_causal : bool
        Whether a query looks only at keys up to its own position.
    scale : float, optional
        1 / sqrt(size) by default.
    enable_gqa : bool
        Whether groups of heads share keys and values.
    """
    require_floats("scaled_dot_product_attention", query, key, value)
    if dropout_p != 0.0:
        raise NotImplementedError("scaled_dot_product_attention: only inference, where nothing is dropped")
    if attn_mask is not None and is_causal:
        raise ValueError("scaled_dot_product_attention: a mask is given, and is_causal is true")
    q, k, v = widened(query), widened(key), widened(value)
    if enable_gqa:
        k, v = np.repeat(k, q.shape[-3] // k.shape[-3], axis=-3), np.repeat(v, q.shape[-3] // v.shape[-3], axis=-3)
    factor = 1.0 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = (q * factor) @ np.swapaxes(k, -1, -2)
    if is_causal:
        scores = np.where(np.tri(scores.shape[-2], scores.shape[-1], dtype=np.bool_), scores, -np.inf)
    if attn_mask is None:
        return (fused.softmax(scores, -1) @ v).astype(query.dtype)
    scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == np.bool_ else scores + widened(attn_mask)
    nowhere = np.max(scores, axis=-1, keepdims=True, initial=-np.inf) == -np.inf
    return (np.where(nowhere, 0, fused.softmax(scores, -1)).astype(v.dtype) @ v).astype(query.dtype)


def one_hot(input: Array, num_classes: Any = -1) -> Array:
    """1 at the place that each integer says, along a new last axis, and 0 elsewhere.

    Raises
    ------
    ValueError
        For an integer that is negative, or not less than `num_classes`.
    """
    if input.dtype.kind not in "iu":
        raise TypeError(f"one_hot: expected an array of integers, got {input.dtype.name}")
    if (input < 0).any():
        raise ValueError("one_hot: class values must be non-negative")
    if num_classes == -1:
        if input.size == 0:
            raise ValueError("one_hot: the number of classes of an empty array is not known")
        classes = int(input.max()) + 1
    else:
        classes = num_classes
        if (input >= classes).any():
            raise ValueError("one_hot: class values must be smaller than num_classes")
    return (input[..., np.newaxis] == np.arange(classes)).astype(np.int64)


def topk(input: Array, k: Any, dim: Any = -1, largest: bool = True, sorted: bool = True) -> tuple[Array, Array]:
    """The `k` largest elements along an axis, or smallest, and where they are; of equal ones the first come first.

    NaN is larger than any number.

    Raises
    ------
    ValueError
        Where the axis has fewer elements.
    """
    size = input.shape[dim]
    refuse(k < 0, f"topk: k = {k} is negative")
    refuse(k > size, f"topk: k = {k} is more than the {size} elements along the axis")
    x = np.moveaxis(input, dim, -1)
    places = largest_places(x, k) if largest else np.argsort(x, axis=-1, kind="stable")[..., :k]
    values = np.take_along_axis(x, places, axis=-1)
    return np.moveaxis(values, -1, dim), np.moveaxis(places, -1, dim)


def largest_places(x: Any, k: Any) -> Any:
    """The places of the largest elements; the fused operation does not know where NaN belongs."""
    if x.dtype != np.float32:
        return fused.top_k(x, k)
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.sum(x)
    if np.isnan(total):
        order = x.shape[-1] - 1 - np.flip(np.argsort(np.flip(x, axis=-1), axis=-1, kind="stable"), axis=-1)
        places = order[..., :k]
    else:
        places = fused.top_k(x, k)
    return places


def nms(boxes: Array, scores: Array, iou_threshold: Any) -> Array:
    """The boxes that are left when each that overlaps a better one is dropped: their positions, the best first.

    Parameters
    ----------
    boxes : ndarray
        [boxes, 4]: x1, y1, x2, y2.
    scores : ndarray
        [boxes].
    iou_threshold : float
        The most that two boxes which are kept have in common: intersection over union.
    """
    order = np.argsort(-scores, kind="stable")
    ordered = boxes[order]
    areas = (ordered[:, 2] - ordered[:, 0]) * (ordered[:, 3] - ordered[:, 1])
    kept = np.ones(len(order), np.bool_)
    later = np.arange(len(order))
    for i in range(len(order)):
        if kept[i]:
            low = np.maximum(ordered[i, :2], ordered[:, :2])
            high = np.minimum(ordered[i, 2:], ordered[:, 2:])
            sides = np.maximum(high - low, 0)
            common = sides[:, 0] * sides[:, 1]
            overlap = common / (areas[i] + areas - common)
            kept = kept & ~((overlap > iou_threshold) & (later > i))
    return order[kept]


PAD_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""PyTorch's names of ways to pad, and NumPy's."""


def pad(input: Array, pad: Any, mode: str = "constant", value: Any = None) -> Array:
    """More elements at both ends of the last axes.

    Parameters
    ----------
    pad : tuple of int
        How many before and behind the last axis, then the second last, and so on; negative numbers are refused.
    mode : {"constant", "reflect", "replicate", "circular"}
        What they are.
    value : float, optional
        The constant, 0 by default.
    """
    if mode not in PAD_MODES:
        raise ValueError(f"pad: no such mode: {mode!r}")
    if len(pad) % 2 != 0 or len(pad) > 2 * input.ndim:
        raise ValueError(f"pad: expected a pair of numbers for each of at most {input.ndim} axes, got {len(pad)}")
    for n in pad:
        refuse(n < 0, "pad: negative padding is not supported")
    pairs = [(pad[2 * i], pad[2 * i + 1]) for i in range(len(pad) // 2)]
    widths = [(0, 0)] * (input.ndim - len(pairs)) + pairs[::-1]
    if mode == "constant":
        return np.pad(input, widths, constant_values=0 if value is None else value)
    return np.pad(input, widths, mode=PAD_MODES[mode])  # type: ignore[call-overload]


def cosine_similarity(x1: Array, x2: Array, dim: Any = 1, eps: Any = 1e-8) -> Array:
    """The cosine of the angle between vectors along an axis; their lengths count as at least `eps`."""
    require_floats("cosine_similarity", x1, x2)
    lengths = [np.maximum(np.sqrt(np.sum(x * x, axis=dim)), eps) for x in (x1, x2)]
    return np.sum(x1 * x2, axis=dim) / (lengths[0] * lengths[1])


def pixel_shuffle(input: Array, upscale_factor: Any) -> Array:
    """[..., c r r, h, w] as [..., c, h r, w r] (Shi et al., 2016)."""
    r = upscale_factor
    lead, c, h, w = input.shape[:-3], input.shape[-3], input.shape[-2], input.shape[-1]
    refuse(c % (r * r) != 0, f"pixel_shuffle: {c} channels are no multiple of {r} * {r}")
    n = len(lead)
    parts = input.reshape(*lead, c // (r * r), r, r, h, w)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return np.transpose(parts, order).reshape(*lead, c // (r * r), h * r, w * r)


__all__ = [
    "bilinear",
    "cosine_similarity",
    "dropout",
    "embedding",
    "linear",
    "nms",
    "one_hot",
    "pad",
    "pixel_shuffle",
    "scaled_dot_product_attention",
    "topk",
]
