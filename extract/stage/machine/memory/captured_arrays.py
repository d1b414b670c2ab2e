"""Captured arrays as inputs of the graph."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graph_program.extract.ir.interface import CapturedInput
from graph_program.extract.ir.paths import ROW, path_name, path_text
from graph_program.extract.stage.machine.decisions import STEPS
from graph_program.extract.stage.values.values import Ref, Static, Tensor
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.bfloat16 import INSTEAD, bfloat16, is_bfloat16, is_extension, is_number
from graph_program.extract.types.tensors.tensor_type import TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine


def captured_object(m: Machine, tensor: Tensor) -> Any:
    """The array that a captured input is."""
    return next(found.array for found, t in m.outside.captured.values() if t is tensor)


def read_late(m: Machine) -> bool:
    """Whether host code may have changed by now what the program has captured."""
    return bool(m.decided[STEPS]) and bool(m.loops.rounds or any(step.changes for step in m.host.steps))


def captured_array(m: Machine, value: Static) -> Tensor:
    """The input of a captured array; the same one wherever it is read."""
    array = value.value
    state = m.outside.owned.values.get(id(array))
    if isinstance(state, Tensor):
        return state
    known = m.outside.captured.get(id(array))
    if known is not None:
        if read_late(m) and not known[0].late:
            m.outside.captured[id(array)] = (replace(known[0], late=True), known[1])
        return known[1]
    if not is_number(array.dtype) or array.dtype.itemsize > (16 if array.dtype.kind == "c" else 8):
        raise m.error(
            "GP404",
            f"the captured array '{path_text(value.path) if value.path else '?'}' has element type {array.dtype}",
            hint=INSTEAD if is_extension(array.dtype) else "use a bool, integer, float or complex array",
        )
    base = path_name(value.path) if value.path else "constant"
    dtype = bfloat16() if is_bfloat16(array.dtype) else array.dtype.newbyteorder("=")
    type_ = TensorType(dtype, tuple(dim(n) for n in array.shape))
    name = m.input_name(base, type_)
    tensor = Tensor(name, type_, m.loc, path=value.path or (name,))
    m.outside.captured[id(array)] = (CapturedInput(name, value.path or (name,), type_, array, read_late(m)), tensor)
    return tensor


def is_state(m: Machine, ref: Ref) -> bool:
    """Whether an object is a captured one, or a part of one, that is state."""
    if ROW in ref.path:
        place = ref.path[: ref.path.index(ROW)]
        return any(value.path == place for value in m.outside.owned.values.values())
    row = m.rows.given.get(ref)
    return any(value is ref or (row is not None and value is row) for value in m.outside.owned.values.values())
