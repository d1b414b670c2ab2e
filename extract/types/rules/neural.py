"""Type rules of the fused operators of neural networks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.types.dims import Dim, dim, provably_different
from graph_program.extract.types.dims.windows import spread_sizes, window_counts
from graph_program.extract.types.rules.facts import equal
from graph_program.extract.types.rules.site import Site
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import INT64, TensorType

FLOAT32 = np.dtype(np.float32)


def _of_float32(site: Site) -> None:
    for t in site.operands:
        if t.dtype != FLOAT32:
            raise TypeRuleError("dtype", f"{site.op}: operands are float32, not {t.dtype.name}")


def _require_rank(site: Site, rank: int, operands: Sequence[TensorType]) -> None:
    for t in operands:
        if t.rank != rank:
            raise TypeRuleError("shape", f"{site.op}: expected {rank} dimensions, got {t.rank}")


def _require_equal(site: Site, a: Dim, b: Dim, what: str) -> None:
    if a == b:
        return
    text = (f"{site.op}: {what} ", a, " is different from ", b)
    if provably_different(a, b):
        raise TypeRuleError("shape", *text)
    site.require([equal(a, b)], "shape", *text)


def _convolution_operands(site: Site, channels: Dim, out: Dim) -> None:
    """Ranks, element types, and sizes that must be equal."""
    _of_float32(site)
    _require_rank(site, len(site.attrs["strides"]) + 2, site.operands[:2])
    _require_rank(site, 1, site.operands[2:])
    _require_equal(site, site.x.shape[1], channels, "the number of channels")
    for bias in site.operands[2:]:
        _require_equal(site, bias.shape[0], out, "the size of the bias")


def conv(site: Site) -> TensorType:
    """Cross-correlation."""
    w, attrs = site.operands[1].shape, site.attrs
    _require_rank(site, len(attrs["strides"]) + 2, site.operands[1:2])
    _convolution_operands(site, w[1] * attrs["groups"], w[0])
    counts = window_counts(site.x.shape[2:], w[2:], attrs["strides"], attrs["pads"], attrs["dilations"])
    return TensorType(FLOAT32, (site.x.shape[0], w[0], *counts))


def conv_transpose(site: Site) -> TensorType:
    """The transpose of a convolution."""
    w, attrs = site.operands[1].shape, site.attrs
    _require_rank(site, len(attrs["strides"]) + 2, site.operands[1:2])
    out = w[1] * attrs["groups"]
    _convolution_operands(site, w[0], out)
    sizes = spread_sizes(
        site.x.shape[2:], w[2:], attrs["strides"], attrs["pads"], attrs["output_padding"], attrs["dilations"]
    )
    return TensorType(FLOAT32, (site.x.shape[0], out, *sizes))


def pool(site: Site) -> TensorType:
    """One element for each window."""
    attrs = site.attrs
    _of_float32(site)
    _require_rank(site, len(attrs["strides"]) + 2, site.operands)
    taps = [dim(k) for k in attrs["taps"]]
    counts = window_counts(site.x.shape[2:], taps, attrs["strides"], attrs["pads"], attrs.get("dilations"))
    return TensorType(FLOAT32, (*site.x.shape[:2], *counts))


def same_float32(site: Site) -> TensorType:
    """A result like the operand."""
    _of_float32(site)
    return TensorType(FLOAT32, site.x.shape)


def same_float(site: Site) -> TensorType:
    """A result like the operand, whose elements are floats."""
    if site.x.dtype.kind != "f":
        raise TypeRuleError("dtype", f"{site.op}: operands are floats, not {site.x.dtype.name}")
    return TensorType(site.x.dtype, site.x.shape)


def top_k(site: Site) -> TensorType:
    """Some positions along the last axis."""
    _of_float32(site)
    return TensorType(INT64, (*site.x.shape[:-1], dim(site.attrs["k"])))


def resize(site: Site) -> TensorType:
    """Sizes as asked for."""
    _of_float32(site)
    _require_rank(site, 4, site.operands)
    return TensorType(FLOAT32, (*site.x.shape[:2], *map(dim, site.attrs["sizes"])))


def layer_norm(site: Site) -> TensorType:
    """Weight and bias have the shape of what is normalised."""
    _of_float32(site)
    for t in site.operands[1:]:
        if t.rank > site.x.rank:
            raise TypeRuleError("shape", f"{site.op}: expected at most {site.x.rank} dimensions, got {t.rank}")
        for a, b in zip(reversed(t.shape), reversed(site.x.shape), strict=False):
            _require_equal(site, a, b, "the size of a weight")
    return TensorType(FLOAT32, site.x.shape)


def recurrent(site: Site) -> TensorType:
    """Matrices have rows for each unit in each gate; states are collected, but for an LSTM's last cell state."""
    _of_float32(site)
    gates = 3 if site.op == "gru" else 4
    x, w, r, b, *states = site.operands
    _require_rank(site, 3, [x])
    _require_rank(site, 2, [w, r, *states])
    _require_rank(site, 1, [b])
    batch, hidden = states[0].shape[0], dim(site.attrs["units"])
    for matrix in (w, r):
        _require_equal(site, matrix.shape[0], hidden * gates, "the number of rows of a matrix")
    _require_equal(site, b.shape[0], hidden * gates * 2, "the size of the biases")
    _require_equal(site, w.shape[1], x.shape[2], "the size of an input")
    _require_equal(site, r.shape[1], hidden, "the size of a state")
    for state in states:
        _require_equal(site, state.shape[0], x.shape[1], "the size of the batch")
        _require_equal(site, state.shape[1], hidden, "the size of a state")
    return TensorType(FLOAT32, (batch, hidden) if site.op == "lstm_memory" else (x.shape[0], batch, hidden))


def instance_norm(site: Site) -> TensorType:
    """A weight and a bias for each channel."""
    _of_float32(site)
    _require_rank(site, 1, site.operands[1:])
    if site.x.rank < 3:
        raise TypeRuleError("shape", f"{site.op}: expected at least 3 dimensions, got {site.x.rank}")
    for t in site.operands[1:]:
        _require_equal(site, t.shape[0], site.x.shape[1], "the size of a weight")
    return TensorType(FLOAT32, site.x.shape)
