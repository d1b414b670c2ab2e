"""`x.shape = s`: every name of the array gets the view `x.reshape(s)`, if no other thing has it.

z = np.zeros((2, 3))    ->    z = np.zeros((2, 3))
y = z                         y = z
z.shape = 6                   y = z = z.reshape(6)
"""

from __future__ import annotations

from collections.abc import Iterator

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.stage.arrays.layout import reshaped
from graph_program.extract.stage.arrays.lowering_arguments import shape_of
from graph_program.extract.stage.machine.decisions import LAYOUTS
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import reachable
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.values import sharing
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.inside import held, inner_values, items_of, memory_of
from graph_program.extract.stage.values.values import Tensor, Value


def set_shape(m: Machine, array: Tensor, value: Value, refusal: GraphProgramError) -> None:
    """Give an array another shape; refused where somebody else may see it, or its elements may have to move."""
    if not is_local(m, array):
        raise refusal
    changed = reshaped(m, array, shape_of(m, value))
    if changed.view is None:
        unknown = changed.depends - m.decided[LAYOUTS].keys()
        raise Needed(LAYOUTS, unknown, refusal) if unknown else refusal
    for names in m.live.frames.values():
        names.update({name: changed for name, current in names.items() if current is array})


def is_local(m: Machine, array: Tensor) -> bool:
    """Whether an array is only what some names mean: no argument, in no object, and certainly no other array."""
    merged = array.sources or array.join >= 0 or array.identity is not None or array.element is not None
    if not array.is_array or merged or array.path or m.is_captured(array):
        return False
    if any(current is array for values in m.operands[:-1] for current in values):  # the last are this statement's
        return False
    if any(sharing.may_share(kept, array) for kept, _ in m.host.kept):
        return False
    for names in m.live.frames.values():
        if any(current is array and name.startswith("<") for name, current in names.items()):
            return False
    return not any(current is array for current in _inside(m)) and not any(
        other is not array and other.sources and sharing.may_share(other, array) for _, other in reachable.visible(m)
    )


def _inside(m: Machine) -> Iterator[Value]:
    """Everything in an object, a list or a tuple."""
    for contents in m.live.heap.values():
        if isinstance(contents, Growing):
            yield from memory_of(contents)
        else:
            yield from inner_values({}, *items_of(contents))
    for names in m.live.frames.values():
        yield from inner_values({}, *(part for value in names.values() for part in held(value)))
