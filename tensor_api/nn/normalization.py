"""Normalisation, with PyTorch's parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api import fused
from graph_program.tensor_api.nn.common import Array, refuse, require_floats, widened


def batch_norm(
    input: Array,
    running_mean: Array,
    running_var: Array,
    weight: Array | None = None,
    bias: Array | None = None,
    training: bool = False,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
) -> Array:
    """Each channel of [batch, channels, ...] with the mean and variance that were found in training.

    Raises
    ------
    NotImplementedError
        For `training=True`.
    """
    if training:
        raise NotImplementedError("batch_norm: only inference, with running mean and variance")
    require_floats("batch_norm", input, running_mean, running_var, weight, bias)
    scale = 1 / np.sqrt(widened(running_var) + eps)
    if weight is not None:
        scale = scale * weight
    shift = -widened(running_mean) * scale
    if bias is not None:
        shift = shift + bias
    shape = (-1, *(1,) * (input.ndim - 2))
    return (widened(input) * scale.reshape(shape) + shift.reshape(shape)).astype(input.dtype)


def layer_norm(
    input: Array, normalized_shape: Any, weight: Array | None = None, bias: Array | None = None, eps: Any = 1e-5
) -> Array:
    """Mean 0 and variance 1 over the last axes, which have the shape `normalized_shape`; then times weight plus bias.

    Raises
    ------
    ValueError
        Where shapes do not fit.
    TypeError
        For arrays that are not of one floating type.
    """
    require_floats("layer_norm", input, weight, bias)
    shape = normalized(input, normalized_shape, weight, bias, "layer_norm")
    x = widened(input)
    factors = np.ones(shape, x.dtype) if weight is None else widened(weight)
    shifts = np.zeros(shape, x.dtype) if bias is None else widened(bias)
    return fused.layer_norm(x, factors, shifts, -len(shape), eps).astype(input.dtype)


def normalized(input: Any, normalized_shape: Any, weight: Any, bias: Any, name: str) -> Any:
    """The shape of what is normalised, if it is that of the last axes."""
    shape = tuple(normalized_shape) if isinstance(normalized_shape, tuple | list) else (normalized_shape,)
    if input.ndim < len(shape) or len(shape) == 0:
        raise ValueError(f"{name}: expected at least {max(len(shape), 1)} dimensions, got {input.ndim}")
    for i, n in enumerate(shape):
        size = input.shape[i - len(shape)]
        refuse(size != n, f"{name}: expected {n} elements along axis {i - len(shape)}, got {size}")
    for x in (weight, bias):
        if x is not None:
            refuse(x.ndim != len(shape), f"{name}: expected a weight and a bias of {len(shape)} dimensions")
            for size, n in zip(x.shape, shape, strict=True):
                refuse(size != n, f"{name}: expected {n} elements along an axis of weight and bias, got {size}")
    return shape


def rms_norm(input: Array, normalized_shape: Any, weight: Array | None = None, eps: Any = None) -> Array:
    """x divided by its root mean square over the last axes, times a weight (Zhang and Sennrich, 2019)."""
    require_floats("rms_norm", input, weight)
    shape = normalized(input, normalized_shape, weight, None, "rms_norm")
    x = widened(input)
    epsilon = float(np.finfo(x.dtype).eps) if eps is None else eps
    y = x / np.sqrt(np.mean(x * x, axis=tuple(range(-len(shape), 0)), keepdims=True) + epsilon)
    return (y if weight is None else y * weight).astype(input.dtype)


def group_norm(
    input: Array, num_groups: Any, weight: Array | None = None, bias: Array | None = None, eps: Any = 1e-5
) -> Array:
    """Mean 0 and variance 1 over groups of channels of [batch, channels, ...]; then for each channel weight and bias.

    Raises
    ------
    ValueError
        Where channels are no multiple of groups.
    """
    require_floats("group_norm", input, weight, bias)
    if input.ndim < 2:
        raise ValueError(f"group_norm: expected at least 2 dimensions, got {input.ndim}")
    channels = input.shape[1]
    refuse(channels % num_groups != 0, f"group_norm: {channels} channels are no multiple of {num_groups} groups")
    x = widened(input)
    grouped = x.reshape(x.shape[0], num_groups, fused.product(x.shape[1:]) // num_groups)
    ones, zeros = np.ones(num_groups, x.dtype), np.zeros(num_groups, x.dtype)
    return affine(fused.instance_norm(grouped, ones, zeros, eps).reshape(x.shape), weight, bias).astype(input.dtype)


def affine(y: Any, weight: Any, bias: Any) -> Any:
    """Times weight plus bias, for each channel of [batch, channels, ...]."""
    shape = (-1, *(1,) * (y.ndim - 2))
    if weight is not None:
        y = y * weight.reshape(shape)
    return y if bias is None else y + bias.reshape(shape)


def instance_norm(
    input: Array,
    running_mean: Array | None = None,
    running_var: Array | None = None,
    weight: Array | None = None,
    bias: Array | None = None,
    use_input_stats: bool = True,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
) -> Array:
    """Mean 0 and variance 1 over the spatial axes of [batch, channels, ...]; then for each channel weight and bias."""
    require_floats("instance_norm", input, weight, bias)
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise ValueError("instance_norm: expected running_mean and running_var when use_input_stats=False")
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if input.ndim < 3:
        raise ValueError(f"instance_norm: expected at least 3 dimensions, got {input.ndim}")
    x = widened(input)
    factors = np.ones(x.shape[1], x.dtype) if weight is None else widened(weight)
    shifts = np.zeros(x.shape[1], x.dtype) if bias is None else widened(bias)
    return fused.instance_norm(x, factors, shifts, eps).astype(input.dtype)


def normalize(input: Array, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12) -> Array:
    """x divided by its norm along an axis, or by `eps` where that is more."""
    require_floats("normalize", input)
    length = np.sum(np.abs(input) ** p, axis=dim, keepdims=True) ** (1.0 / p)
    return input / np.maximum(length, eps)


__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "normalize", "rms_norm"]
