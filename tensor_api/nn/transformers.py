"""Attention of several heads, and the layers of a transformer (Vaswani et al., 2017)."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program.tensor_api.nn import activations, functions
from graph_program.tensor_api.nn.common import Array, require_floats
from graph_program.tensor_api.nn.layers import Layer, LayerNorm, Linear, uniform
from graph_program.tensor_api.static import Static

ACTIVATIONS = {"relu": activations.relu, "gelu": activations.gelu}


@dataclass(init=False, repr=False, eq=False)
class MultiheadAttention(Layer):
    """Attention of queries to keys and values, in several heads.

    Parameters
    ----------
    embed_dim, num_heads : int
        The size of vectors, and into how many parts it is divided.
    kdim, vdim : int, optional
        The sizes of keys and values, where they differ.
    batch_first : bool
        Whether arrays are [batch, length, size], not [length, batch, size].
    """

    in_proj_weight: Any
    q_proj_weight: Any
    k_proj_weight: Any
    v_proj_weight: Any
    in_proj_bias: Any
    out_proj: Linear
    num_heads: Static[int]
    batch_first: Static[bool]

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        *,
        dtype: Any = np.float32,
        seed: Any = None,
    ) -> None:
        if embed_dim % num_heads:
            raise ValueError(f"MultiheadAttention: {embed_dim} is no multiple of {num_heads} heads")
        rng, n = np.random.default_rng(seed), embed_dim
        sizes = (n, kdim or n, vdim or n)
        together = sizes == (n, n, n)
        self.in_proj_weight = uniform((3 * n, n), math.sqrt(6 / (4 * n)), dtype, rng) if together else None
        parts = [None if together else uniform((n, size), math.sqrt(6 / (n + size)), dtype, rng) for size in sizes]
        self.q_proj_weight, self.k_proj_weight, self.v_proj_weight = parts
        self.in_proj_bias = np.zeros(3 * n, dtype) if bias else None
        self.out_proj = Linear(n, n, bias, dtype=dtype, seed=rng)
        self.num_heads, self.batch_first = num_heads, batch_first

    def __call__(
        self,
        query: Array,
        key: Array,
        value: Array,
        key_padding_mask: Array | None = None,
        need_weights: bool = True,
        attn_mask: Array | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Array, Array | None]:
        """The attended values, and the weights with which they were (None unless `need_weights`).

        `key_padding_mask` [batch, keys] and `attn_mask` [queries, keys] or [batch * heads, queries, keys] are true
        where a key is *not* looked at, or are numbers that are added. `is_causal` only says what a mask is like.
        """
        require_floats("MultiheadAttention", query, key, value)
        batched = query.ndim == 3
        if not batched:
            query, key, value = query[np.newaxis], key[np.newaxis], value[np.newaxis]
            key_padding_mask = None if key_padding_mask is None else key_padding_mask[np.newaxis]
        elif not self.batch_first:
            query, key, value = np.swapaxes(query, 0, 1), np.swapaxes(key, 0, 1), np.swapaxes(value, 0, 1)
        q, k, v = self.projected(query, key, value)
        mask = self.merged_mask(attn_mask, key_padding_mask, query.shape[0], q.dtype)
        scores = (q / math.sqrt(q.shape[-1])) @ np.swapaxes(k, -1, -2)
        weights = activations.softmax(scores if mask is None else scores + mask, -1)
        mixed = np.swapaxes(weights @ v, 1, 2)
        output = self.out_proj(mixed.reshape(mixed.shape[0], mixed.shape[1], -1))
        if average_attn_weights:
            weights = np.mean(weights, axis=1)
        if not batched:
            return output[0], weights[0] if need_weights else None
        output = output if self.batch_first else np.swapaxes(output, 0, 1)
        return output, weights if need_weights else None

    def projected(self, query: Any, key: Any, value: Any) -> Any:
        """Queries, keys and values as [batch, heads, length, size]."""
        n = self.out_proj.weight.shape[0]
        w = self.in_proj_weight
        if w is None:
            rows = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        else:
            rows = (w[:n], w[n : 2 * n], w[2 * n :])
        b = self.in_proj_bias
        shifts = (None, None, None) if b is None else (b[:n], b[n : 2 * n], b[2 * n :])
        return [
            self.heads(functions.linear(x, weight, bias))
            for x, weight, bias in zip((query, key, value), rows, shifts, strict=True)
        ]

    def heads(self, x: Any) -> Any:
        """[batch, length, size] as [batch, heads, length, size of one]."""
        return np.swapaxes(x.reshape(x.shape[0], x.shape[1], self.num_heads, -1), 1, 2)

    def merged_mask(self, attn_mask: Any, key_padding_mask: Any, batch: Any, dtype: Any) -> Any:
        """Both masks as numbers to be added to [batch, heads, queries, keys]; None where there is none."""
        mask = None
        if attn_mask is not None:
            mask = added(attn_mask, dtype)
            if mask.ndim == 3:
                mask = mask.reshape(batch, self.num_heads, *mask.shape[1:])
        if key_padding_mask is not None:
            padding = added(key_padding_mask, dtype)[:, np.newaxis, np.newaxis]
            mask = padding if mask is None else mask + padding
        return mask


MultiHeadAttention = MultiheadAttention


def added(mask: Any, dtype: Any) -> Any:
    """A mask as numbers: minus infinity where one of bool is true."""
    if mask.dtype == np.bool_:
        return np.where(mask, -np.inf, 0.0).astype(dtype)
    return mask.astype(dtype)


@dataclass(init=False, repr=False, eq=False)
class TransformerEncoderLayer(Layer):
    """Attention of a sequence to itself, then two linear maps, with normalisation after each or before.

    Parameters
    ----------
    d_model, nhead, dim_feedforward : int
        The size of vectors, the number of heads, and the size between the linear maps.
    activation : {"relu", "gelu"} or callable
        Between the linear maps.
    batch_first : bool
        Whether arrays are [batch, length, size], not [length, batch, size].
    norm_first : bool
        Whether what goes into the two parts is normalised, not what comes out.
    """

    self_attn: MultiheadAttention
    linear1: Linear
    linear2: Linear
    norm1: LayerNorm
    norm2: LayerNorm
    activation: Any
    norm_first: Static[bool]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        dtype: Any = np.float32,
        seed: Any = None,
    ) -> None:
        rng = np.random.default_rng(seed)
        self.self_attn = MultiheadAttention(d_model, nhead, bias=bias, batch_first=batch_first, dtype=dtype, seed=rng)
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype=dtype, seed=rng)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype=dtype, seed=rng)
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.activation = ACTIVATIONS[activation] if isinstance(activation, str) else activation
        self.norm_first = norm_first

    def __call__(
        self,
        src: Array,
        src_mask: Array | None = None,
        src_key_padding_mask: Array | None = None,
        is_causal: bool = False,
    ) -> Array:
        x = src
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.self_attn(y, y, y, src_key_padding_mask, False, src_mask)[0]
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)[0])
        return self.norm2(x + self.feed_forward(x))

    def feed_forward(self, x: Any) -> Any:
        """The two linear maps."""
        return self.linear2(self.activation(self.linear1(x)))


@dataclass(init=False, repr=False, eq=False)
class TransformerDecoderLayer(Layer):
    """An encoder layer that attends to another sequence, the memory, too."""

    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention
    linear1: Linear
    linear2: Linear
    norm1: LayerNorm
    norm2: LayerNorm
    norm3: LayerNorm
    activation: Any
    norm_first: Static[bool]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        dtype: Any = np.float32,
        seed: Any = None,
    ) -> None:
        rng = np.random.default_rng(seed)
        self.self_attn, self.multihead_attn = (
            MultiheadAttention(d_model, nhead, bias=bias, batch_first=batch_first, dtype=dtype, seed=rng)
            for _ in range(2)
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype=dtype, seed=rng)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype=dtype, seed=rng)
        norms = [LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype) for _ in range(3)]
        self.norm1, self.norm2, self.norm3 = norms
        self.activation = ACTIVATIONS[activation] if isinstance(activation, str) else activation
        self.norm_first = norm_first

    def __call__(
        self,
        tgt: Array,
        memory: Array,
        tgt_mask: Array | None = None,
        memory_mask: Array | None = None,
        tgt_key_padding_mask: Array | None = None,
        memory_key_padding_mask: Array | None = None,
    ) -> Array:
        x = tgt
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.self_attn(y, y, y, tgt_key_padding_mask, False, tgt_mask)[0]
            y = self.norm2(x)
            x = x + self.multihead_attn(y, memory, memory, memory_key_padding_mask, False, memory_mask)[0]
            return x + self.feed_forward(self.norm3(x))
        x = self.norm1(x + self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask)[0])
        seen = self.multihead_attn(x, memory, memory, memory_key_padding_mask, False, memory_mask)[0]
        x = self.norm2(x + seen)
        return self.norm3(x + self.feed_forward(x))

    def feed_forward(self, x: Any) -> Any:
        """The two linear maps."""
        return self.linear2(self.activation(self.linear1(x)))


@dataclass(init=False, repr=False, eq=False)
class TransformerEncoder(Layer):
    """Copies of an encoder layer, one after the other, and a normalisation at the end if one is given."""

    layers: Any
    norm: Any

    def __init__(self, encoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        self.layers = [copy.deepcopy(encoder_layer) for _ in range(num_layers)]
        self.norm = norm

    def __call__(self, src: Array, mask: Array | None = None, src_key_padding_mask: Array | None = None) -> Array:
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


__all__ = [
    "MultiHeadAttention",
    "MultiheadAttention",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]
