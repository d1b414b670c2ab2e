"""Activation functions, with PyTorch's names, parameters and formulas (`torch.nn.functional`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api import fused
from graph_program.tensor_api.nn.common import Array, require_floats, widened


def relu(input: Array) -> Array:
    """max(0, x)."""
    return np.maximum(input, 0)


def relu6(input: Array) -> Array:
    """min(max(0, x), 6)."""
    return np.minimum(np.maximum(input, 0), 6)


def hardtanh(input: Array, min_val: Any = -1.0, max_val: Any = 1.0) -> Array:
    """x between two bounds."""
    return np.minimum(np.maximum(input, min_val), max_val)


def leaky_relu(input: Array, negative_slope: Any = 0.01) -> Array:
    """x, and `negative_slope` times x below 0."""
    require_floats("leaky_relu", input)
    return np.where(input > 0, input, input * negative_slope)


def prelu(input: Array, weight: Array) -> Array:
    """`leaky_relu` with a slope that is an array: one number, or one for each channel."""
    require_floats("prelu", input, weight)
    slope = weight.reshape(-1, *(1,) * (input.ndim - 2)) if input.ndim > 1 and weight.size > 1 else weight
    return np.where(input > 0, input, input * slope)


def elu(input: Array, alpha: Any = 1.0) -> Array:
    """x, and alpha (exp(x) - 1) below 0."""
    require_floats("elu", input)
    return np.where(input > 0, input, alpha * np.expm1(np.minimum(input, 0)))


def selu(input: Array) -> Array:
    """Klambauer et al., 2017: a scaled `elu` whose numbers keep mean and variance."""
    return 1.0507009873554804934193349852946 * elu(input, 1.6732632423543772848170429916717)


def celu(input: Array, alpha: Any = 1.0) -> Array:
    """max(0, x) + min(0, alpha (exp(x / alpha) - 1))."""
    require_floats("celu", input)
    return np.maximum(input, 0) + alpha * np.expm1(np.minimum(input, 0) / alpha)


def erf(input: Array) -> Array:
    """The error function."""
    require_floats("erf", input)
    return fused.erf(widened(input)).astype(input.dtype)


def gelu(input: Array, approximate: str = "none") -> Array:
    """x times the normal distribution function of x; with `approximate="tanh"` Hendrycks and Gimpel's approximation."""
    require_floats("gelu", input)
    x = widened(input)
    if approximate == "none":
        y = x * (1 + fused.erf(x / 1.4142135623730951)) * 0.5
    elif approximate == "tanh":
        y = 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    else:
        raise ValueError("approximate argument must be either none or tanh.")
    return y.astype(input.dtype)


def sigmoid(input: Array) -> Array:
    """1 / (1 + exp(-x))."""
    require_floats("sigmoid", input)
    with np.errstate(over="ignore"):
        return (1 / (1 + np.exp(-widened(input)))).astype(input.dtype)


def logsigmoid(input: Array) -> Array:
    """log(sigmoid(x))."""
    require_floats("logsigmoid", input)
    return np.minimum(input, 0) - np.log1p(np.exp(-np.abs(input)))


def silu(input: Array) -> Array:
    """x sigmoid(x), also known as swish."""
    return input * sigmoid(input)


def softplus(input: Array, beta: Any = 1.0, threshold: Any = 20.0) -> Array:
    """log(1 + exp(beta x)) / beta, and x where beta x is above a threshold."""
    require_floats("softplus", input)
    scaled = widened(input) * beta
    smooth = np.log1p(np.exp(np.minimum(scaled, threshold))) / beta
    return np.where(scaled > threshold, widened(input), smooth).astype(input.dtype)


def mish(input: Array) -> Array:
    """x tanh(softplus(x))."""
    return input * np.tanh(softplus(input))


def softsign(input: Array) -> Array:
    """x / (1 + |x|)."""
    require_floats("softsign", input)
    return input / (1 + np.abs(input))


def tanhshrink(input: Array) -> Array:
    """x - tanh(x)."""
    require_floats("tanhshrink", input)
    return input - np.tanh(input)


def softshrink(input: Array, lambd: Any = 0.5) -> Array:
    """x moved towards 0 by `lambd`, and 0 where it is nearer."""
    require_floats("softshrink", input)
    return np.where(input > lambd, input - lambd, np.where(input < -lambd, input + lambd, input * 0))


def hardshrink(input: Array, lambd: Any = 0.5) -> Array:
    """x, and 0 between -lambd and lambd."""
    require_floats("hardshrink", input)
    return np.where((input >= -lambd) & (input <= lambd), np.zeros_like(input), input)


def threshold(input: Array, threshold: Any, value: Any) -> Array:
    """x above a threshold, else a value."""
    return np.where(input <= threshold, np.asarray(value, input.dtype), input)


def hardsigmoid(input: Array) -> Array:
    """min(max(0, x + 3), 6) / 6."""
    require_floats("hardsigmoid", input)
    return relu6(input + 3) / 6


def hardswish(input: Array) -> Array:
    """x hardsigmoid(x)."""
    require_floats("hardswish", input)
    return input * relu6(input + 3) / 6


def glu(input: Array, dim: Any = -1) -> Array:
    """The first half along an axis times the sigmoid of the second."""
    first, second = np.split(input, 2, axis=dim)
    return first * sigmoid(second)


def softmax(input: Array, dim: Any, dtype: Any = None) -> Array:
    """exp(x) / sum(exp(x)) along an axis."""
    x = input if dtype is None else input.astype(dtype)
    require_floats("softmax", x)
    return fused.softmax(widened(x), dim).astype(x.dtype)


def softmin(input: Array, dim: Any, dtype: Any = None) -> Array:
    """`softmax` of -x."""
    return softmax(-input, dim, dtype)


def log_softmax(input: Array, dim: Any, dtype: Any = None) -> Array:
    """The logarithm of `softmax`, from differences."""
    x = input if dtype is None else input.astype(dtype)
    require_floats("log_softmax", x)
    return fused.log_softmax(widened(x), dim).astype(x.dtype)


def tanh(input: Array) -> Array:
    """The hyperbolic tangent."""
    require_floats("tanh", input)
    return np.tanh(input)


__all__ = [
    "celu",
    "elu",
    "erf",
    "gelu",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
]
