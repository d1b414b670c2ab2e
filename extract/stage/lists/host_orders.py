"""The order of what only the host can compare, such as strings: it says which element comes when.

sorted(names)       ->      order = host[0](names)      # sorted(range(len(names)), key=names.__getitem__)
                            take(names, order)
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.stage.lists.list_columns import length
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import attributes, objects
from graph_program.extract.stage.values.layouts import Contents
from graph_program.extract.stage.values.values import Static, Tensor
from graph_program.extract.types.tensors.tensor_type import INT64, Kind, TensorType


def positions(m: Machine, keys: Contents, backwards: bool) -> Tensor:
    """The positions of elements in the order of their keys; equal ones stay as they are."""
    count = length(m, keys)
    given = host_entries.step(m, "keep", objects.new_list(m, keys), text="sorted(...)")
    numbers = host_entries.call(m, Static(range), [count], {}, "sorted(...)")
    by = attributes.attribute(m, given, "__getitem__")
    ordered = host_entries.call(m, Static(sorted), [numbers], {"key": by, "reverse": Static(backwards)}, "sorted(...)")
    type_ = TensorType(INT64, (m.fresh_dim(),), Kind.ARRAY)
    told = host_entries.call(m, Static(np.array), [ordered], {"dtype": Static(np.int64)}, "sorted(...)", type_).told
    assert told is not None
    return m.op("reshape", told, count)
