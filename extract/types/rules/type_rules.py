"""The type rule of every primitive operation: operand types in, result type out.

`infer` is what the extractor and the graph verifier call.  Rules are a table keyed by the operation's
family (`OpDef.family`); they work on symbolic dims and refuse only what is wrong for all sizes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.extract.types.dims import Dim, dim, maximum, never_one, symbol
from graph_program.extract.types.rules import indexing, neural, requirements
from graph_program.extract.types.rules.facts import Requirement, condition, equal
from graph_program.extract.types.rules.products import REMAPPED, einsum, matmul
from graph_program.extract.types.rules.site import Rule, Site, same_dtypes
from graph_program.extract.types.tensors.promotion import ufunc_dtypes
from graph_program.extract.types.tensors.rule_errors import Given, TypeRuleError
from graph_program.extract.types.tensors.shape_arithmetic import (
    ONE,
    ZERO,
    Fresh,
    Shape,
    broadcast_shapes,
    broadcasts_into,
    dim_decide,
    requested_dims,
    reshape_dims,
    reshape_text,
    shape_parts,
)
from graph_program.extract.types.tensors.tensor_type import BOOL, INT64, TensorType
from graph_program.tensor_api.opdef import OPS

__all__ = ["RULES", "infer"]


_numbers = itertools.count(1)


def anonymous_dim() -> Dim:
    """A new dim under a name that no program can write."""
    return symbol(f"?{next(_numbers)}")


def infer(
    op: str,
    operands: Sequence[TensorType],
    attrs: Mapping[str, Any],
    sizes: Sequence[Dim | None] = (),
    fresh: Fresh = anonymous_dim,
    requirements: list[Requirement] | None = None,
) -> TensorType:
    """The type of an operation's result.

    Parameters
    ----------
    op : str
        Name of a primitive operation (a key of `OPS`).
    operands : sequence of TensorType
        Operand types, already of the element types that the operation wants.
    attrs : mapping
        Static attributes of the operation.
    sizes : sequence of Dim or None
        `sizes[i]` is the value of operand `i` where that is an int64 scalar known symbolically.
    fresh : callable
        Makes a new unknown dim.
    requirements : list, optional
        Filled with what must hold of the sizes for the operation not to fail, where that depends on them.

    Returns
    -------
    TensorType
        Always of kind ARRAY; the caller decides the Python class.

    Raises
    ------
    TypeRuleError
        Where the operation fails for all sizes.
    """
    found = [] if requirements is None else requirements
    return RULES[OPS[op].family](Site(op, operands, attrs, sizes, fresh, found))


# ---------------------------------------------------------------- element by element


def _elementwise_inputs(site: Site) -> None:
    """NumPy's own loop for these element types must take them as they are (weak numbers included)."""
    strong = [TensorType(t.dtype, t.shape) for t in site.operands]
    inputs, _ = ufunc_dtypes(OPS[site.op].reference, strong)
    for wanted, given in zip(inputs, site.operands, strict=True):
        if wanted != given.dtype:
            text = f"{site.op}: NumPy computes it in {wanted.name}, the operand is {given.dtype.name}"
            raise TypeRuleError("dtype", text)


def _broadcast(site: Site) -> Shape:
    shapes = [t.shape for t in site.operands]
    result = broadcast_shapes(shapes, site.fresh)
    clauses = requirements.broadcast(shapes)
    if clauses:
        text = "operands could not be broadcast together with shapes "
        site.require(clauses, "shape", text, *requirements.shapes_text(shapes))
    return result


def _elementwise(site: Site) -> TensorType:
    dtype = same_dtypes(site, site.operands)
    _elementwise_inputs(site)
    return TensorType(dtype, _broadcast(site))


def _predicate(site: Site) -> TensorType:
    same_dtypes(site, site.operands)
    _elementwise_inputs(site)
    return TensorType(BOOL, _broadcast(site))


def _where(site: Site) -> TensorType:
    if site.x.dtype != BOOL:
        raise TypeRuleError("dtype", f"where: the condition is {site.x.dtype.name}, not bool")
    dtype = same_dtypes(site, site.operands[1:])
    return TensorType(dtype, _broadcast(site))


def _cast(site: Site) -> TensorType:
    return TensorType(np.dtype(site.attrs["dtype"]), site.x.shape)


def _same(site: Site) -> TensorType:
    return TensorType(site.x.dtype, site.x.shape)


def _positions(site: Site) -> TensorType:
    return TensorType(INT64, site.x.shape)


# ---------------------------------------------------------------- reductions

_NO_IDENTITY = {"max": "maximum", "min": "minimum"}


def _reduced(shape: Shape, axes: Sequence[int], keepdims: bool) -> Shape:
    if keepdims:
        return tuple(ONE if i in axes else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in axes)


def _require_elements(site: Site, axes: Sequence[int], message: str) -> None:
    """Refuse to reduce nothing, which has no identity to give, also where there are no results."""
    if any(site.x.shape[i] == ZERO for i in axes):
        raise TypeRuleError("value", message)
    site.require(requirements.some_elements(site.x.shape, axes), "value", message)


def _reduction(site: Site) -> TensorType:
    axes = tuple(site.attrs["axes"])
    if site.op in _NO_IDENTITY:
        text = f"zero-size array to reduction operation {_NO_IDENTITY[site.op]} which has no identity"
        _require_elements(site, axes, text)
    return TensorType(site.x.dtype, _reduced(site.x.shape, axes, site.attrs["keepdims"]))


def _arg_reduction(site: Site) -> TensorType:
    axes = (site.attrs["axis"],)
    _require_elements(site, axes, f"attempt to get {site.op} of an empty sequence")
    return TensorType(INT64, _reduced(site.x.shape, axes, site.attrs["keepdims"]))


# ---------------------------------------------------------------- creation and movement


def _full(site: Site) -> TensorType:
    dims = requested_dims(site.sizes_from(1), site.fresh, NEGATIVE)
    _require_not_negative(site, NEGATIVE)
    return TensorType(site.x.dtype, dims)


NEGATIVE = "negative dimensions are not allowed"


def _require_not_negative(site: Site, message: str) -> None:
    """Sizes that are asked for, all but the first operand, are no less than 0."""
    known = (d for d in site.sizes_from(1) if d is not None)
    clauses = [(condition("<=", 0, d),) for d in known if d.lower is None or d.lower < 0]
    site.require(clauses, "value", message)


def _iota(site: Site) -> TensorType:
    n = site.size(0)
    return TensorType(INT64, (site.fresh() if n is None else maximum(0, n),))


def _dim(site: Site) -> TensorType:
    if site.attrs["axis"] >= site.x.rank:
        raise TypeRuleError("index", "tuple index out of range")
    return TensorType(INT64)


def _reshape(site: Site) -> TensorType:
    dims = site.sizes_from(1)
    result = reshape_dims(site.x.shape, dims, site.fresh)
    clauses = requirements.reshaped(site.x.shape, dims)
    if clauses:
        site.require(clauses, "shape", *reshape_text(site.x.shape, dims))
    return TensorType(site.x.dtype, result)


def _transpose(site: Site) -> TensorType:
    perm = site.attrs["perm"]
    if len(perm) != site.x.rank:
        raise TypeRuleError("shape", "axes don't match array")
    return TensorType(site.x.dtype, tuple(site.x.shape[i] for i in perm))


def _expand_dims(site: Site) -> TensorType:
    shape = list(site.x.shape)
    for axis in site.attrs["axes"]:
        shape.insert(axis, ONE)
    return TensorType(site.x.dtype, tuple(shape))


def _squeeze(site: Site) -> TensorType:
    axes = site.attrs["axes"]
    text = "cannot select an axis to squeeze out which has size not equal to one"
    if any(never_one(site.x.shape[i]) for i in axes):
        raise TypeRuleError("shape", text)
    site.require([equal(site.x.shape[i], ONE) for i in axes if site.x.shape[i] != ONE], "shape", text)
    return TensorType(site.x.dtype, _reduced(site.x.shape, axes, False))


def _broadcast_to(site: Site) -> TensorType:
    source, sizes = site.x.shape, site.sizes_from(1)
    lead = len(sizes) - len(source)
    if lead < 0:
        raise TypeRuleError("shape", "input operand has more dimensions than allowed by the axis remapping")
    # A dim that cannot be stretched says what an unknown target must be.
    wanted = [
        source[i - lead] if d is None and i >= lead and never_one(source[i - lead]) else d for i, d in enumerate(sizes)
    ]
    negative = "all elements of broadcast shape must be non-negative"
    target = requested_dims(wanted, site.fresh, negative)
    shown = [Given(i) if d is None else t for i, (d, t) in enumerate(zip(sizes, target, strict=True), 1)]
    text = (REMAPPED, *shape_parts(source), "  and requested shape ", *shape_parts(shown))
    if not broadcasts_into(source, target):
        raise TypeRuleError("shape", *text)
    _require_not_negative(site, negative)
    site.require(requirements.stretched(source, target), "shape", *text)
    return TensorType(site.x.dtype, target)


def _concatenate(site: Site) -> TensorType:
    if not site.operands:
        raise TypeRuleError("value", "need at least one array to concatenate")
    dtype = same_dtypes(site, site.operands)
    axis, first = site.attrs["axis"], site.x
    if not first.rank:
        raise TypeRuleError("shape", "zero-dimensional arrays cannot be concatenated")
    shape = list(first.shape)
    for i, t in enumerate(site.operands[1:], start=1):
        _check_joined(site, t, i, axis)
        for d in range(first.rank):
            if d == axis:
                shape[d] = shape[d] + t.shape[d]
            elif shape[d].constant is None and t.shape[d].constant is not None:
                shape[d] = t.shape[d]
    return TensorType(dtype, tuple(shape))


def _check_joined(site: Site, t: TensorType, i: int, axis: int) -> None:
    first = site.x
    if t.rank != first.rank:
        raise TypeRuleError(
            "shape",
            "all the input arrays must have same number of dimensions, but the array at index 0 has "
            f"{first.rank} dimension(s) and the array at index {i} has {t.rank} dimension(s)",
        )
    for d, (a, b) in enumerate(zip(first.shape, t.shape, strict=True)):
        if d == axis or a == b:
            continue
        text = (
            "all the input array dimensions except for the concatenation axis must match exactly, but "
            f"along dimension {d}, the array at index 0 has size ",
            a,
            f" and the array at index {i} has size ",
            b,
        )
        if dim_decide("==", a, b) is False:
            raise TypeRuleError("shape", *text)
        site.require([equal(a, b)], "shape", *text)


# ---------------------------------------------------------------- products


def _matmul(site: Site) -> TensorType:
    dtype = same_dtypes(site, site.operands)
    return TensorType(dtype, matmul(site))


def _gemm(site: Site) -> TensorType:
    dtype = same_dtypes(site, site.operands)
    if dtype.kind != "f":
        raise TypeRuleError("dtype", f"gemm: operands are floats, not {dtype.name}")
    shape = matmul(site)
    if len(shape) != 2 or site.x.rank != 2:
        raise TypeRuleError("shape", "gemm: operands are matrices")
    for added in site.operands[2:]:
        site.require(
            requirements.stretched(added.shape, shape), "shape", "gemm: what is added broadcasts to the product"
        )
    return TensorType(dtype, shape)


def _einsum(site: Site) -> TensorType:
    dtype = same_dtypes(site, site.operands)
    return TensorType(dtype, einsum(site))


def _dft(site: Site) -> TensorType:
    dtype = same_dtypes(site, site.operands)
    if dtype.kind != "f" or not site.x.rank:
        raise TypeRuleError("dtype", f"{site.op}: the parts are arrays of floats, not {dtype.name}")
    for part in site.operands[1:]:
        if part.rank != site.x.rank:
            raise TypeRuleError("shape", f"{site.op}: both parts have one shape")
        clauses = [equal(a, b) for a, b in zip(site.x.shape, part.shape, strict=True) if a != b]
        site.require(clauses, "shape", f"{site.op}: both parts have one shape")
    return TensorType(dtype, (*site.x.shape, dim(2)))


RULES: dict[str, Rule] = {
    "elementwise": _elementwise,
    "predicate": _predicate,
    "where": _where,
    "cast": _cast,
    "same": _same,
    "positions": _positions,
    "reduction": _reduction,
    "arg_reduction": _arg_reduction,
    "full": _full,
    "iota": _iota,
    "dim": _dim,
    "reshape": _reshape,
    "transpose": _transpose,
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "broadcast_to": _broadcast_to,
    "concatenate": _concatenate,
    "slice": indexing.slice,
    "set_slice": indexing.set_slice,
    "take": indexing.take,
    "nonzero": indexing.nonzero,
    "gather_nd": indexing.gather_nd,
    "set_index": indexing.set_index,
    "scatter_add": indexing.scatter_add,
    "matmul": _matmul,
    "gemm": _gemm,
    "einsum": _einsum,
    "dft": _dft,
    "conv": neural.conv,
    "conv_transpose": neural.conv_transpose,
    "pool": neural.pool,
    "same_float32": neural.same_float32,
    "same_float": neural.same_float,
    "top_k": neural.top_k,
    "resize": neural.resize,
    "recurrent": neural.recurrent,
    "layer_norm": neural.layer_norm,
    "instance_norm": neural.instance_norm,
}
"""The rule of each family of operations."""

FAIL_BY_THEMSELVES = frozenset({"elementwise", "predicate", "where", "matmul", "set_index"})
"""Families whose operations fail in every back end for operands whose sizes do not fit; others may stretch them."""


def fails_by_itself(op: str) -> bool:
    """Whether an operation fails when it is run on sizes that its rule requires not to be."""
    return OPS[op].family in FAIL_BY_THEMSELVES
