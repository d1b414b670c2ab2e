"""`x.flags`: whether an array's elements lie in C or Fortran order, without gaps.

The order is known for arrays that the program makes, and becomes part of the signature for arguments
(see `layout`).  An array in one of the orders is in the other, too, where at most one axis is longer than 1.
"""

from __future__ import annotations

from typing import Any

from graph_program.extract.ir import memory
from graph_program.extract.library.arrays import counting as counting_programs
from graph_program.extract.stage.arrays.layout import IN_C_ORDER, layout_of, needed
from graph_program.extract.stage.arrays.lowering_arguments import FALSE, TRUE, sizes_of
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import attribute
from graph_program.extract.stage.operations import attributes, items
from graph_program.extract.stage.operations.known_and_truth import static, tensor
from graph_program.extract.stage.values.values import Static, Tensor, Tuple, Value

ITEMS = {
    "C_CONTIGUOUS": "c_contiguous",
    "C": "c_contiguous",
    "CONTIGUOUS": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous",
    "F": "f_contiguous",
    "FNC": "fnc",
    "FORC": "forc",
}
"""NumPy's names of the items, and the attributes that they are."""


class Flags(Value):
    """`x.flags`."""

    def __init__(self, array: Tensor):
        self.array = array

    def attribute(self, m: Machine, name: str) -> Value:
        """`x.flags.name`."""
        match name:
            case "c_contiguous" | "contiguous":
                return orders(m, self.array)[0]
            case "f_contiguous":
                return orders(m, self.array)[1]
            case "forc":
                return booleans.either(m, *orders(m, self.array))
            case "fnc":
                c, f = orders(m, self.array)
                return booleans.both(m, f, booleans.negate(m, c))
        raise m.error("GP323", f"ndarray.flags.{name} has no graph form")

    def item(self, m: Machine, key: Any) -> Value:
        """`x.flags["C_CONTIGUOUS"]`."""
        if key in ITEMS:
            return self.attribute(m, ITEMS[key])
        raise m.error("GP323", f"ndarray.flags[{key!r}] has no graph form")


attributes.attribute.register(Flags, lambda m, value, name: value.attribute(m, name))
items.item.register(Flags, lambda m, value, key: value.item(m, static(m, key, "the name of an item")))
attribute("flags")(lambda m, a: Flags(tensor(m, a)))


def orders(m: Machine, x: Tensor) -> tuple[Value, Value]:
    """Whether an array is in C order, and whether in Fortran order."""
    layout = layout_of(m, x) if x.is_array else memory.C
    if layout == memory.STRIDED:
        return FALSE, FALSE
    if x.path and x in m.outside.arguments and layout and x.rank > 1:  # exactly this one
        return Static(layout != memory.F), Static(layout != memory.C)
    if not layout:
        error = m.error(
            "GP323",
            "how this array lies in memory is not known, so its flags have no graph form",
            hint="ask for the flags of np.ascontiguousarray(x), or of a .copy()",
        )
        raise needed(m, x, error)
    other = entries.run(m, counting_programs.lies_both_ways, Tuple(tuple(sizes_of(m, x))))
    return (TRUE, other) if layout in IN_C_ORDER else (other, TRUE)
