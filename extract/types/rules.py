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
from graph_program.extract.types import index_rules
from graph_program.extract.types.dims import Dim, maximum, symbol
from graph_program.extract.types.errors import TypeRuleError
from graph_program.extract.types.linear_rules import REMAPPED, einsum, matmul
from graph_program.extract.types.promotion import ufunc_dtypes
from graph_program.extract.types.shapes import (
    ONE,
    ZERO,
    Fresh,
    Shape,
    broadcast_shapes,
    broadcasts_into,
    dim_decide,
    never_one,
    requested_dims,
    reshape_dims,
    shape_text,
)
from graph_program.extract.types.site import Rule, Site, same_dtypes
from graph_program.extract.types.tensor_type import BOOL, INT64, TensorType
from graph_program.tensor_api.opdef import OPS

__all__ = ["RULES", "TypeRuleError", "broadcast_shapes", "dim_decide", "infer"]


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

    Returns
    -------
    TensorType
        Always of kind ARRAY; the caller decides the Python class.

    Raises
    ------
    TypeRuleError
        Where the operation fails for all sizes.
    """
    return RULES[OPS[op].family](Site(op, operands, attrs, sizes, fresh))


# ---------------------------------------------------------------- element by element


def _elementwise_inputs(site: Site) -> None:
    """NumPy's own loop for these element types must take them as they are (weak numbers included)."""
    strong = [TensorType(t.dtype, t.shape) for t in site.operands]
    inputs, _ = ufunc_dtypes(OPS[site.op].reference, strong)
    for wanted, given in zip(inputs, site.operands, strict=True):
        if wanted != given.dtype:
            text = f"{site.op}: NumPy computes it in {wanted.name}, the operand is {given.dtype.name}"
            raise TypeRuleError("dtype", text)


def _elementwise(site: Site) -> TensorType:
    dtype = same_dtypes(site, site.operands)
    _elementwise_inputs(site)
    return TensorType(dtype, broadcast_shapes([t.shape for t in site.operands], site.fresh))


def _predicate(site: Site) -> TensorType:
    same_dtypes(site, site.operands)
    _elementwise_inputs(site)
    return TensorType(BOOL, broadcast_shapes([t.shape for t in site.operands], site.fresh))


def _where(site: Site) -> TensorType:
    if site.x.dtype != BOOL:
        raise TypeRuleError("dtype", f"where: the condition is {site.x.dtype.name}, not bool")
    dtype = same_dtypes(site, site.operands[1:])
    return TensorType(dtype, broadcast_shapes([t.shape for t in site.operands], site.fresh))


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


def _is_empty_reduction(shape: Shape, axes: Sequence[int]) -> bool:
    """Whether there are results to compute, each from no elements at all, whatever the sizes."""
    kept = _reduced(shape, axes, False)
    return any(shape[i] == ZERO for i in axes) and all((d.lower or 0) > 0 for d in kept)


def _reduction(site: Site) -> TensorType:
    axes = tuple(site.attrs["axes"])
    if site.op in _NO_IDENTITY and _is_empty_reduction(site.x.shape, axes):
        name = _NO_IDENTITY[site.op]
        raise TypeRuleError("value", f"zero-size array to reduction operation {name} which has no identity")
    return TensorType(site.x.dtype, _reduced(site.x.shape, axes, site.attrs["keepdims"]))


def _arg_reduction(site: Site) -> TensorType:
    axes = (site.attrs["axis"],)
    if _is_empty_reduction(site.x.shape, axes):
        raise TypeRuleError("value", f"attempt to get {site.op} of an empty sequence")
    return TensorType(INT64, _reduced(site.x.shape, axes, site.attrs["keepdims"]))


# ---------------------------------------------------------------- creation and movement


def _full(site: Site) -> TensorType:
    dims = requested_dims(site.sizes_from(1), site.fresh, "negative dimensions are not allowed")
    return TensorType(site.x.dtype, dims)


def _iota(site: Site) -> TensorType:
    n = site.size(0)
    return TensorType(INT64, (site.fresh() if n is None else maximum(0, n),))


def _dim(site: Site) -> TensorType:
    if site.attrs["axis"] >= site.x.rank:
        raise TypeRuleError("index", "tuple index out of range")
    return TensorType(INT64)


def _reshape(site: Site) -> TensorType:
    return TensorType(site.x.dtype, reshape_dims(site.x.shape, site.sizes_from(1), site.fresh))


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
    if any(never_one(site.x.shape[i]) for i in axes):
        raise TypeRuleError("shape", "cannot select an axis to squeeze out which has size not equal to one")
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
    target = requested_dims(wanted, site.fresh, "all elements of broadcast shape must be non-negative")
    if not broadcasts_into(source, target):
        raise TypeRuleError(
            "shape",
            f"{REMAPPED}{shape_text(source)}  and requested shape {shape_text(target)}",
        )
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
        _check_joined(first, t, i, axis)
        for d in range(first.rank):
            if d == axis:
                shape[d] = shape[d] + t.shape[d]
            elif shape[d].constant is None and t.shape[d].constant is not None:
                shape[d] = t.shape[d]
    return TensorType(dtype, tuple(shape))


def _check_joined(first: TensorType, t: TensorType, i: int, axis: int) -> None:
    if t.rank != first.rank:
        raise TypeRuleError(
            "shape",
            "all the input arrays must have same number of dimensions, but the array at index 0 has "
            f"{first.rank} dimension(s) and the array at index {i} has {t.rank} dimension(s)",
        )
    for d, (a, b) in enumerate(zip(first.shape, t.shape, strict=True)):
        if d != axis and dim_decide("==", a, b) is False:
            raise TypeRuleError(
                "shape",
                "all the input array dimensions except for the concatenation axis must match exactly, but "
                f"along dimension {d}, the array at index 0 has size {a} and the array at index {i} has "
                f"size {b}",
            )


# ---------------------------------------------------------------- products


def _matmul(site: Site) -> TensorType:
    dtype = same_dtypes(site, site.operands)
    return TensorType(dtype, matmul(site.operands[0].shape, site.operands[1].shape, site.fresh))


def _einsum(site: Site) -> TensorType:
    dtype = same_dtypes(site, site.operands)
    shape = einsum(site.attrs["equation"], [t.shape for t in site.operands], site.fresh)
    return TensorType(dtype, shape)


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
    "slice": index_rules.slice,
    "set_slice": index_rules.set_slice,
    "take": index_rules.take,
    "nonzero": index_rules.nonzero,
    "gather_nd": index_rules.gather_nd,
    "set_index": index_rules.set_index,
    "matmul": _matmul,
    "einsum": _einsum,
}
"""The rule of each family of operations."""
