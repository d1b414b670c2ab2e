"""What the fused operators of the graph compute, in NumPy: the meaning of the operations of `ops/neural.py`.

In a program a call with float32 arrays is one operation; with float64 arrays these functions are programs themselves.
Layouts are PyTorch's: batch, channels, then the spatial axes. `pads` lists what is before each spatial axis, then
what is behind each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


# ---------------------------------------------------------------- windows


def product(sizes: Any) -> Any:
    """The product of sizes."""
    total = 1
    for size in sizes:
        total = total * size
    return total


def window_places(size: Any, taps: Any, stride: Any, before: Any, dilation: Any, count: Any) -> Array:
    """For each window along an axis, which elements it covers; `size` where that is outside."""
    places = np.arange(count)[:, np.newaxis] * stride - before + np.arange(taps) * dilation
    return np.where((places >= 0) & (places < size), places, size)


def spread_places(size: Any, taps: Any, stride: Any, before: Any, dilation: Any, count: Any) -> Array:
    """The same for an axis between whose elements `stride - 1` zeros stand, and taps in reverse."""
    spread = np.arange(count)[:, np.newaxis] + before - np.arange(taps) * dilation
    places = spread // stride
    inside = (spread % stride == 0) & (places >= 0) & (places < size)
    return np.where(inside, places, size)


def gathered(x: Array, places: Any, outside: Any) -> Array:
    """The windows of all spatial axes: [n, c, *sizes] as [n, c, windows, taps, windows, taps, ...]."""
    axis = 2
    for table in places:
        edge = np.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), outside, x.dtype)
        x = np.take(np.concatenate((x, edge), axis=axis), table, axis=axis, mode="clip")
        axis += 2
    return x


def pooled_places(x: Array, taps: Any, strides: Any, pads: Any, dilations: Any) -> Any:
    """`window_places` of each spatial axis."""
    rank = len(strides)
    return [
        window_places(n, k, s, before, d, (n + before + after - d * (k - 1) - 1) // s + 1)
        for n, k, s, before, after, d in zip(
            x.shape[2:], taps, strides, pads[:rank], pads[rank:], dilations, strict=True
        )
    ]


def tap_axes(rank: int) -> tuple[int, ...]:
    """The axes of `gathered` that go over the elements of a window."""
    return tuple(range(3, 3 + 2 * rank, 2))


# ---------------------------------------------------------------- convolutions


def conv(x: Array, w: Array, bias: Array | None, strides: Any, pads: Any, dilations: Any, groups: Any) -> Array:
    """Cross-correlation of [n, c, *sizes] with [out, c / groups, *taps]."""
    windows = gathered(x, pooled_places(x, w.shape[2:], strides, pads, dilations), 0)
    weights = w.reshape(groups, w.shape[0] // groups, product(w.shape[1:]))
    return products(windows, weights, bias, len(strides))


def conv_transpose(
    x: Array, w: Array, bias: Array | None, strides: Any, pads: Any, output_padding: Any, dilations: Any, groups: Any
) -> Array:
    """The transpose of `conv` as a linear map, of [n, c, *sizes] with [c, out / groups, *taps]."""
    rank = len(strides)
    places = [
        spread_places(n, k, s, before, d, (n - 1) * s - before - after + d * (k - 1) + more + 1)
        for n, k, s, before, after, more, d in zip(
            x.shape[2:], w.shape[2:], strides, pads[:rank], pads[rank:], output_padding, dilations, strict=True
        )
    ]
    split = w.reshape(groups, w.shape[0] // groups, w.shape[1], product(w.shape[2:]))
    weights = np.swapaxes(split, 1, 2).reshape(groups, w.shape[1], w.shape[0] // groups * product(w.shape[2:]))
    return products(gathered(x, places, 0), weights, bias, rank)


def products(windows: Array, weights: Array, bias: Array | None, rank: int) -> Array:
    """Windows [n, c, windows, taps, ...] times weights [groups, out / groups, c / groups * taps]."""
    n, c, groups = windows.shape[0], windows.shape[1], weights.shape[0]
    counts, taps = windows.shape[2::2], windows.shape[3::2]
    split = windows.reshape(n, groups, c // groups, *windows.shape[2:])
    order = (0, 1, *range(3, 3 + 2 * rank, 2), 2, *range(4, 4 + 2 * rank, 2))
    rows = np.transpose(split, order).reshape(n, groups, product(counts), c // groups * product(taps))
    found = np.swapaxes(rows @ np.swapaxes(weights, -1, -2), -1, -2)
    result = found.reshape(n, groups * weights.shape[1], *counts)
    return result if bias is None else result + bias.reshape(1, -1, *(1,) * rank)


# ---------------------------------------------------------------- pooling


def max_pool(x: Array, taps: Any, strides: Any, pads: Any, dilations: Any) -> Array:
    """The largest element of each window; what lies outside is less than any."""
    windows = gathered(x, pooled_places(x, taps, strides, pads, dilations), -np.inf)
    return np.max(windows, axis=tap_axes(len(strides)))


def average_pool(x: Array, taps: Any, strides: Any, pads: Any) -> Array:
    """The mean of each window; what lies outside counts as 0."""
    windows = gathered(x, pooled_places(x, taps, strides, pads, (1,) * len(strides)), 0)
    return np.mean(windows, axis=tap_axes(len(strides)))


# ---------------------------------------------------------------- normalisation


def softmax(x: Array, axis: Any) -> Array:
    """exp(x) / sum(exp(x)) along an axis."""
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True, initial=-np.inf))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def log_softmax(x: Array, axis: Any) -> Array:
    """The logarithm of `softmax`, from differences."""
    shifted = x - np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def layer_norm(x: Array, weight: Array, bias: Array, axis: Any, epsilon: Any) -> Array:
    """(x - mean) / sqrt(variance + epsilon) over the axes from `axis` < 0 to the last, then times weight plus bias."""
    axes = tuple(range(axis, 0))
    centered = x - np.mean(x, axis=axes, keepdims=True)
    variance = np.mean(centered * centered, axis=axes, keepdims=True)
    return centered / np.sqrt(variance + epsilon) * weight + bias


def instance_norm(x: Array, weight: Array, bias: Array, epsilon: Any) -> Array:
    """The same over the spatial axes of [n, c, *sizes], with a weight and a bias for each channel."""
    axes = tuple(range(2, x.ndim))
    shape = (1, -1, *(1,) * len(axes))
    centered = x - np.mean(x, axis=axes, keepdims=True)
    variance = np.mean(centered * centered, axis=axes, keepdims=True)
    return centered / np.sqrt(variance + epsilon) * weight.reshape(shape) + bias.reshape(shape)


# ---------------------------------------------------------------- choices, sizes


def top_k(x: Array, k: Any) -> Array:
    """The places of the `k` largest elements along the last axis, of equal ones the first first; NaN is the largest."""
    order = x.shape[-1] - 1 - np.flip(np.argsort(np.flip(x, axis=-1), axis=-1, kind="stable"), axis=-1)
    return order[..., :k]


def resize(x: Array, sizes: Any, align_corners: Any) -> Array:
    """[n, c, height, width] in another height and width, between the nearest elements.

    Corners coincide, or with `align_corners` the middles of the elements there.
    """
    for i, out in enumerate(sizes):
        x = between(x, 2 + i, source_places(x.shape[2 + i], out, None, align_corners, x.dtype))
    return x


def source_places(size: Any, out: Any, step: Any, align_corners: Any, dtype: Any) -> Any:
    """Where in an axis the elements of the new one are, which are `step` apart (by default as the sizes say)."""
    number = np.arange(out).astype(dtype)
    if align_corners:
        return number * (np.asarray(size - 1).astype(dtype) / np.asarray(max(out - 1, 1)).astype(dtype))
    ratio = np.asarray(size).astype(dtype) / np.asarray(out).astype(dtype) if step is None else np.asarray(step, dtype)
    return (number + 0.5) * ratio - 0.5


def between(x: Array, axis: int, places: Any) -> Array:
    """Along an axis, between the two nearest elements."""
    n = x.shape[axis]
    inside = np.maximum(places, 0)
    low = np.minimum(np.floor(inside).astype(np.int64), n - 1)
    high = np.minimum(low + 1, n - 1)
    part = (inside - np.floor(inside)).reshape(-1, *(1,) * (x.ndim - 1 - axis))
    return np.take(x, low, axis=axis, mode="clip") * (1 - part) + np.take(x, high, axis=axis, mode="clip") * part


# ---------------------------------------------------------------- the error function

# Coefficients of fdlibm's `s_erf.c` (Sun Microsystems, 1993), the highest power first.
_SMALL = (
    (-2.37630166566501626084e-05, -5.77027029648944159157e-03, -2.84817495755985104766e-02,
     -3.25042107247001499370e-01, 1.28379167095512558561e-01),
    (-3.96022827877536812320e-06, 1.32494738004321644526e-04, 5.08130628187576562776e-03,
     6.50222499887672944485e-02, 3.97917223959155352819e-01, 1.0),
)  # fmt: skip
_NEAR_ONE = (
    (-2.16637559486879084300e-03, 3.54783043256182359371e-02, -1.10894694282396677476e-01,
     3.18346619901161753674e-01, -3.72207876035701323847e-01, 4.14856118683748331666e-01, -2.36211856075265944077e-03),
    (1.19844998467991074170e-02, 1.36370839120290507362e-02, 1.26171219808761642112e-01,
     7.18286544141962662868e-02, 5.40397917702171048937e-01, 1.06420880400844228286e-01, 1.0),
)  # fmt: skip
_MIDDLE = (
    (-9.81432934416914548592e+00, -8.12874355063065934246e+01, -1.84605092906711035994e+02, -1.62396669462573470355e+02,
     -6.23753324503260060396e+01, -1.05586262253232909814e+01, -6.93858572707181764372e-01,
     -9.86494403484714822705e-03),
    (-6.04244152148580987438e-02, 6.57024977031928170135e+00, 1.08635005541779435134e+02, 4.29008140027567833386e+02,
     6.45387271733267880336e+02, 4.34565877475229228821e+02, 1.37657754143519042600e+02,
     1.96512716674392571292e+01, 1.0),
)  # fmt: skip
_LARGE = (
    (-4.83519191608651397019e+02, -1.02509513161107724954e+03, -6.37566443368389627722e+02, -1.60636384855821916062e+02,
     -1.77579549177547519889e+01, -7.99283237680523006574e-01, -9.86494292470009928597e-03),
    (-2.24409524465858183362e+01, 4.74528541206955367215e+02, 2.55305040643316442583e+03, 3.19985821950859553908e+03,
     1.53672958608443695994e+03, 3.25792512996573918826e+02, 3.03380607434824582924e+01, 1.0),
)  # fmt: skip
_ERF_ONE = 8.45062911510467529297e-01


def quotient(z: Array, numerator: Any, denominator: Any) -> Array:
    """The quotient of two polynomials, by Horner's scheme."""
    above, below = np.zeros_like(z), np.zeros_like(z)
    for c in numerator:
        above = above * z + c
    for c in denominator:
        below = below * z + c
    return above / below


def erf(x: Array) -> Array:
    """The error function, of each element."""
    wide = x.astype(np.float64)
    a = np.minimum(np.abs(wide), 6.0)
    square = a * a
    small = wide + wide * quotient(np.minimum(square, 1.0), *_SMALL)
    near_one = _ERF_ONE + quotient(a - 1.0, *_NEAR_ONE)
    inverse = 1.0 / np.maximum(square, 1.0)
    tail = np.where(a < 1 / 0.35, quotient(inverse, *_MIDDLE), quotient(inverse, *_LARGE))
    far = 1.0 - np.exp(tail - square - 0.5625) / np.maximum(a, 1.0)
    outer = np.copysign(np.where(a < 1.25, near_one, far), wide)
    return np.where(a < 0.84375, small, outer).astype(x.dtype)


def gelu(x: Array, approximate: str) -> Array:
    """x times the normal distribution function of x; "tanh": Hendrycks and Gimpel's approximation."""
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1 + erf(x / 1.4142135623730951))


# ---------------------------------------------------------------- recurrent networks


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def lstm_states(x: Array, w: Array, r: Array, b: Array, h: Array, c: Array) -> tuple[Array, Array]:
    """The hidden states of an LSTM along [time, batch, inputs], and the last cell state."""
    n = h.shape[-1]
    states = np.empty((x.shape[0], *h.shape), x.dtype)
    for t in range(x.shape[0]):
        gates = x[t] @ w.T + h @ r.T + b[: 4 * n] + b[4 * n :]
        opened = _sigmoid(gates[:, : 3 * n])
        c = opened[:, 2 * n :] * c + opened[:, :n] * np.tanh(gates[:, 3 * n :])
        h = states[t] = opened[:, n : 2 * n] * np.tanh(c)
    return states, c


def lstm(x: Array, w: Array, r: Array, b: Array, h: Array, c: Array, units: int) -> Array:
    """The hidden states."""
    return lstm_states(x, w, r, b, h, c)[0]


def lstm_memory(x: Array, w: Array, r: Array, b: Array, h: Array, c: Array, units: int) -> Array:
    """The last cell state."""
    return lstm_states(x, w, r, b, h, c)[1]


def gru(x: Array, w: Array, r: Array, b: Array, h: Array, units: int, behind: int) -> Array:
    """The states of a GRU along [time, batch, inputs]."""
    n = h.shape[-1]
    states = np.empty((x.shape[0], *h.shape), x.dtype)
    for t in range(x.shape[0]):
        inputs, own = x[t] @ w.T + b[: 3 * n], h @ r[: 2 * n].T + b[3 * n : 5 * n]
        opened = _sigmoid(inputs[:, : 2 * n] + own)
        update, reset = opened[:, :n], opened[:, n:]
        matrix, bias = r[2 * n :].T, b[5 * n :]
        own = reset * (h @ matrix + bias) if behind else (reset * h) @ matrix + bias
        new = np.tanh(inputs[:, 2 * n :] + own)
        h = states[t] = (1 - update) * new + update * h
    return states


__all__ = [
    "average_pool",
    "conv",
    "conv_transpose",
    "erf",
    "gelu",
    "gru",
    "instance_norm",
    "layer_norm",
    "log_softmax",
    "lstm",
    "lstm_memory",
    "max_pool",
    "resize",
    "softmax",
    "top_k",
]
