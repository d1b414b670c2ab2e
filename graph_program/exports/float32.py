"""A program that computes in float32 what it computes in float64: `export(..., float="float32")`.

For devices without a unit for doubles.  Python floats, float64 arrays and the parts of complex numbers become
float32; integers, and floats of fewer bits, stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import UNKNOWN, Diagnostic, Loc, UnsupportedError
from graph_program.extract.ir.graph import GraphProgram, Node
from graph_program.extract.ir.models import CALL
from graph_program.extract.ir.retyped import retyped
from graph_program.extract.transform import optimize
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
LARGEST = float(np.finfo(FLOAT64).max), np.finfo(FLOAT32).max


def in_float32(program: GraphProgram, disabled: frozenset[str] | None = None) -> GraphProgram:
    """The program in float32; as its graph is, or with `disabled`, without those passes, optimized again.

    Raises
    ------
    UnsupportedError
        GP518 for a constant that float32 does not have, not even nearly.
    """
    made = retyped(program, narrower, partial(_narrower_node, program))
    return made if disabled is None else optimize(made, disabled)


def narrower(type_: TensorType) -> TensorType:
    """The type of a value in float32."""
    if type_.dtype != FLOAT64:
        return type_
    return replace(type_, dtype=FLOAT32, kind=Kind.NUMPY if type_.kind is Kind.PYTHON else type_.kind)


def narrower_arrays(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays of float64 as float32."""
    return {name: array.astype(FLOAT32) if array.dtype == FLOAT64 else array for name, array in arrays.items()}


def _narrower_node(program: GraphProgram, node: Node, new: Node) -> Node:
    if node.op == CALL:
        _require_narrow(node)
    attrs = {name: _attribute(value, program, node) for name, value in new.attrs.items()}
    return replace(new, attrs=attrs) if new.attrs else new


def _require_narrow(node: Node) -> None:
    """Refuse the call of a model that takes or gives float64: what it computes in is its own."""
    model = node.attrs["model"]
    wide = next((port for port in (*model.inputs, *model.outputs) if port.dtype == FLOAT64), None)
    if wide is not None:
        text = f"the model {model.name} has float64 in {wide.name!r}, and stays as it is"
        hint = "export that model in float32, or this program without `float=`"
        raise UnsupportedError(Diagnostic("GP518", text, node.loc, hint=hint))


def _attribute(value: Any, program: GraphProgram, node: Node) -> Any:
    if isinstance(value, np.dtype):
        return FLOAT32 if value == FLOAT64 else value
    if not isinstance(value, np.ndarray | np.generic) or value.dtype != FLOAT64:
        return value
    largest, own = LARGEST
    wide = np.asarray(value)
    with np.errstate(all="ignore"):
        found = np.where(np.abs(wide) == largest, np.copysign(own, wide), wide).astype(FLOAT32)
    lost = (np.isfinite(wide) & ~np.isfinite(found)) | ((wide != 0) & (found == 0))
    if lost.any():
        raise _not_there(float(wide[lost].flat[0]), _first_use(program, node))
    return found if isinstance(value, np.ndarray) else found[()]


def _first_use(program: GraphProgram, node: Node) -> Loc:
    """Where a constant is read: constants themselves are in no line."""
    readers = (reader.loc for reader in program.graph.walk() if set(node.outputs) & set(reader.inputs))
    return next(readers, node.loc) if node.loc == UNKNOWN else node.loc


def _not_there(number: float, loc: Loc) -> UnsupportedError:
    """The refusal of a number, of the program or of a function of NumPy's."""
    less = "infinite" if abs(number) > 1 else "0"
    if loc.is_library:
        text = f"this computes with {number!r}, which would be {less} in float32"
        hint = "export it without `float=`, or do it outside, and pass what it gives as an argument"
    else:
        text = f"{number!r} would be {less} in float32"
        hint = "numbers of float32 are 0 or between 1.4e-45 and 3.4e38; infinity is `math.inf`"
    return UnsupportedError(Diagnostic("GP518", text, loc, hint=hint))


__all__ = ["in_float32", "narrower", "narrower_arrays"]
