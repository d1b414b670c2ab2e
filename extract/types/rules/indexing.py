"""Type rules of reading and writing parts of a tensor."""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.types.dims import bounded, dim, product
from graph_program.extract.types.rules import requirements
from graph_program.extract.types.rules.facts import NOTHING
from graph_program.extract.types.rules.site import Site, same_dtypes
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.shape_arithmetic import (
    Shape,
    broadcast_shapes,
    broadcasts_into,
    shape_parts,
    slice_length,
)
from graph_program.extract.types.tensors.tensor_type import INT64, TensorType


def _sliced(site: Site, first_bound: int) -> Shape:
    axes, steps = site.attrs["axes"], site.attrs["steps"]
    shape = list(site.x.shape)
    for i, (axis, step) in enumerate(zip(axes, steps, strict=True)):
        start, stop = site.size(first_bound + i), site.size(first_bound + len(axes) + i)
        shape[axis] = slice_length(shape[axis], start, stop, step, site.fresh)
    return tuple(shape)


def slice(site: Site) -> TensorType:
    """`x[start:stop:step, ...]`."""
    return TensorType(site.x.dtype, _sliced(site, 1))


def set_slice(site: Site) -> TensorType:
    """x with `x[start:stop:step, ...] = value`."""
    same_dtypes(site, site.operands[:2])
    _check_assigned(site, _sliced(site, 2))
    return TensorType(site.x.dtype, site.x.shape)


def _check_assigned(site: Site, target: Shape) -> None:
    for clauses, text in requirements.assigned(site.operands[1].shape, target):
        if any(NOTHING.open_part(clause) == () for clause in clauses):
            raise TypeRuleError("shape", *text)
        site.require(clauses, "shape", *text)


def _check_indices(site: Site, indices: Sequence[TensorType]) -> None:
    if site.attrs.get("axis", 0) + len(indices) > site.x.rank:
        text = f"array is {site.x.rank}-dimensional, but {site.attrs.get('axis', 0) + len(indices)} were indexed"
        raise TypeRuleError("index", f"too many indices for array: {text}")
    if any(t.dtype.kind not in "iu" for t in indices):
        raise TypeRuleError("index", "arrays used as indices must be of integer (or boolean) type")


def _index_shape(site: Site, indices: Sequence[TensorType]) -> Shape:
    shapes = [t.shape for t in indices]
    text = ("shape mismatch: indexing arrays could not be broadcast together with shapes ",)
    message = (*text, *requirements.shapes_text([s for s in shapes if s]))
    try:
        result = broadcast_shapes(shapes, site.fresh)
    except TypeRuleError:
        raise TypeRuleError("index", *message) from None
    site.require(requirements.broadcast(shapes), "index", *message)
    return result


def take(site: Site) -> TensorType:
    """Elements at positions along one axis."""
    axis, shape = site.attrs["axis"], site.x.shape
    _check_indices(site, site.operands[1:])
    return TensorType(site.x.dtype, shape[:axis] + site.operands[1].shape + shape[axis + 1 :])


def nonzero(site: Site) -> TensorType:
    """Positions of true elements: how many there are is known at run time only, not more than elements."""
    count = bounded(site.fresh(), product(site.x.shape))
    return TensorType(INT64, (dim(site.x.rank), count))


def gather_nd(site: Site) -> TensorType:
    """`x[:, i, j]` with index tensors."""
    return TensorType(site.x.dtype, _selected(site, site.operands[1:]))


def _selected(site: Site, indices: Sequence[TensorType]) -> Shape:
    """The shape of what index tensors, or integers, select."""
    _check_indices(site, indices)
    axis, shape = site.attrs.get("axis", 0), site.x.shape
    return shape[:axis] + _index_shape(site, indices) + shape[axis + len(indices) :]


def scatter_add(site: Site) -> TensorType:
    """A vector with values added at positions."""
    same_dtypes(site, site.operands[:2])
    _check_indices(site, site.operands[2:])
    return TensorType(site.x.dtype, site.x.shape)


def set_index(site: Site) -> TensorType:
    """x with `x[i, j, ...] = value`, for integers and for index tensors."""
    indices, value = site.operands[2:], site.operands[1].shape
    same_dtypes(site, site.operands[:2])
    target = _selected(site, indices)
    if site.op == "set_index" and target:
        _check_assigned(site, target)
        return TensorType(site.x.dtype, site.x.shape)
    # One element set through integers takes no dims at all; index tensors have their own text.
    text: requirements.Parts = ["setting an array element with a sequence."]
    if target:
        text = ["shape mismatch: value array of shape ", *shape_parts(value), " could not be broadcast to "]
        text += ["indexing result of shape ", *shape_parts(target)]
    if not broadcasts_into(value, target, extra_ones=bool(target)):
        raise TypeRuleError("shape", *text)
    site.require(requirements.stretched(value, target), "shape", *text)
    return TensorType(site.x.dtype, site.x.shape)
