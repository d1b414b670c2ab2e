"""What a write to an array or object asks of the lists, tables and captured state above that have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_program.extract.stage.values.generic import forward, generic
from graph_program.extract.stage.values.values import Value

if TYPE_CHECKING:
    from graph_program.extract.diagnostics import GraphProgramError
    from graph_program.extract.stage.machine.machine import Machine
    from graph_program.extract.stage.machine.signals import Needed
    from graph_program.extract.stage.values.column_data import Element
    from graph_program.extract.stage.values.values import Ref, Tensor


@forward
def sharer(m: Machine, target: Tensor | Ref, element: Element) -> str | None:
    """The name of what may be, or have in it, what an element of a list has; "" for the list itself."""


@forward
def write_back(m: Machine, element: Element, rebound: bool = False) -> None:
    """Give a list what its element is now; other elements that were read from it are read again.

    Where the element has got other arrays or objects (`rebound`), those that the others had stay what they are.
    """


@forward
def columns_instead(m: Machine, target: Tensor | Ref, refusal: GraphProgramError | Needed) -> Exception:
    """What to raise where a write is refused: that the list is to be columns, if what is written was read from it."""


@forward
def note_change(m: Machine, value: Tensor | Ref) -> None:
    """Remember that an array, list or dict in an attribute is written in place."""


@forward
def refused_write(m: Machine, target: Any, error: GraphProgramError) -> Exception:
    """What to raise where a captured array or container is written: `error`, unless it can be state."""


@generic
def store_attribute(m: Machine, holder: Value, name: str, value: Value) -> None:
    """Put an attribute into an instance itself, whatever its class says."""
    raise NotImplementedError
