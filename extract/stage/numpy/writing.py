"""NumPy functions that write to their first argument: `np.copyto`."""

from __future__ import annotations

import numpy as np

from graph_program.extract.stage import alias
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.numpy.common import TRUE, as_bool, dtype_error
from graph_program.extract.stage.numpy.outputs import targets
from graph_program.extract.stage.registry import lowers
from graph_program.extract.stage.use import static, tensor
from graph_program.extract.stage.values import NONE, Static, Value
from graph_program.extract.types.tensor_type import Kind

SAME_KIND = Static("same_kind")


@lowers(np.copyto, name="np.copyto")
def copyto(m: Machine, dst: Value, src: Value, casting: Value = SAME_KIND, where: Value = TRUE) -> Value:
    """`np.copyto`: the elements of one array, where a condition holds."""
    from graph_program.extract.stage.index_writes import filled

    found, value = targets(m, dst), tensor(m, src)
    if found is None or found[0] is None:
        raise dtype_error(m, "copyto() argument 1 must be numpy.ndarray")
    target, rule = found[0], static(m, casting, "the casting rule")
    source, dtype = value.type.dtype, target.type.dtype
    if not np.can_cast(source, dtype, rule) and not (value.is_python and dtype.kind == "f"):
        raise dtype_error(m, f"Cannot cast array data from {source!r} to {dtype!r} according to the rule '{rule}'")
    new = filled(m, target, m.cast(value, dtype, Kind.ARRAY))
    if where is not TRUE:
        new = m.op("where", filled(m, target, m.reclassed(as_bool(m, where), Kind.ARRAY)), new, target)
    alias.write(m, target, new)
    return NONE
