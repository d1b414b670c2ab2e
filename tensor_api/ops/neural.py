"""The fused operators of neural networks, on float32 but for softmax; their meaning in NumPy is `tensor_api/fused.py`.

Other element types are computed by other operations. Spatial axes come after batch and channels; `pads` are what is
before each of them, then what is behind each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api import fused
from graph_program.tensor_api.opdef import define


def _conv(x: np.ndarray, w: np.ndarray, *bias: np.ndarray, **attrs: Any) -> Any:
    return fused.conv(x, w, bias[0] if bias else None, **attrs)


def _conv_transpose(x: np.ndarray, w: np.ndarray, *bias: np.ndarray, **attrs: Any) -> Any:
    return fused.conv_transpose(x, w, bias[0] if bias else None, **attrs)


define(
    "conv",
    "x w *bias",
    "(float32 [n, c, *s], float32 [o, g, *k], float32 [o], ...) "
    "-> float32 [n, o, *windows(s, k, strides, pads, dilations)] where c = g*groups",
    "conv",
    _conv,
    "cross-correlation with zeros outside; at most one bias",
    attrs="strides pads dilations groups",
)
define(
    "conv_transpose",
    "x w *bias",
    "(float32 [n, c, *s], float32 [c, g, *k], float32 [o], ...) "
    "-> float32 [n, o, *spread(s, k, strides, pads, output_padding, dilations)] where o = g*groups",
    "conv_transpose",
    _conv_transpose,
    "the transpose of `conv` as a linear map; at most one bias",
    attrs="strides pads output_padding dilations groups",
)
define(
    "max_pool",
    "x",
    "float32 [n, c, *s] -> float32 [n, c, *windows(s, taps, strides, pads, dilations)]",
    "pool",
    fused.max_pool,
    "the largest element of each window, of finite elements and of windows that have some",
    attrs="taps strides pads dilations",
)
define(
    "average_pool",
    "x",
    "float32 [n, c, *s] -> float32 [n, c, *windows(s, taps, strides, pads)]",
    "pool",
    fused.average_pool,
    "the mean of each window, with zeros outside",
    attrs="taps strides pads",
)
define(
    "softmax",
    "x",
    "t [*s] -> t [*s] where t is float",
    "same_float",
    fused.softmax,
    "softmax",
    attrs="axis",
)
define(
    "log_softmax",
    "x",
    "float32 [*s] -> float32 [*s]",
    "same_float32",
    fused.log_softmax,
    "the logarithm of softmax",
    attrs="axis",
)
define(
    "layer_norm",
    "x weight bias",
    "(float32 [*s, *r], float32 [*r], float32 [*r]) -> float32 [*s, *r]",
    "layer_norm",
    fused.layer_norm,
    "mean 0 and variance 1 over the axes from `axis` < 0 on, times weight plus bias",
    attrs="axis epsilon",
)
define(
    "instance_norm",
    "x weight bias",
    "(float32 [n, c, *s], float32 [c], float32 [c]) -> float32 [n, c, *s]",
    "instance_norm",
    fused.instance_norm,
    "mean 0 and variance 1 over the spatial axes, times weight plus bias",
    attrs="epsilon",
)
define(
    "top_k",
    "x",
    "float32 [*s, n] -> int64 [*s, m] where m = k",
    "top_k",
    fused.top_k,
    "the places of the k largest elements along the last axis, of equal ones the first first; not for NaN",
    attrs="k",
)
define(
    "resize",
    "x",
    "float32 [n, c, h, w] -> float32 [n, c, *sizes(sizes)]",
    "resize",
    fused.resize,
    "another height and width, between the nearest elements",
    attrs="sizes align_corners",
)
define(
    "gelu",
    "x",
    "float32 [*s] -> float32 [*s]",
    "same_float32",
    fused.gelu,
    "x times the normal distribution function of x, or its approximation by the hyperbolic tangent",
    attrs="approximate",
)
_SEQUENCE = "(float32 [t, n, i], float32 [g, i], float32 [g, h], float32 [2*g], float32 [n, h], float32 [n, h])"
define(
    "lstm",
    "x w r b h c",
    f"{_SEQUENCE} -> float32 [t, n, h] where g = 4*h, h = units",
    "recurrent",
    fused.lstm,
    "the hidden states of an LSTM along the first axis, of finite elements and no empty axes; gates are input, output, "
    "forget, cell",
    attrs="units",
)
define(
    "lstm_memory",
    "x w r b h c",
    f"{_SEQUENCE} -> float32 [n, h] where g = 4*h, h = units",
    "recurrent",
    fused.lstm_memory,
    "the last cell state of an LSTM, of finite elements and no empty axes",
    attrs="units",
)
define(
    "gru",
    "x w r b h",
    "(float32 [t, n, i], float32 [g, i], float32 [g, h], float32 [2*g], float32 [n, h]) "
    "-> float32 [t, n, h] where g = 3*h, h = units",
    "recurrent",
    fused.gru,
    "the states of a GRU along the first axis, of finite elements and no empty axes; gates are update, reset, new; "
    "the state is reset `behind` its product or before",
    attrs="units behind",
)
define("erf", "x", "float32 [*s] -> float32 [*s]", "same_float32", fused.erf, "the error function")
