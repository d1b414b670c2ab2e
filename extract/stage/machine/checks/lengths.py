"""Lists of computed length: whether one is, and how long, as far as that is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graph_program.extract.diagnostics import DTypeError, GraphProgramError, Loc
from graph_program.extract.stage.machine.decisions import TAKEN_APART, UNROLLED
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.layouts import Contents, Leaf
from graph_program.extract.stage.values.questions import are_known, known_value
from graph_program.extract.stage.values.values import Ref, Tensor, Value

if TYPE_CHECKING:
    from graph_program.extract.ir.paths import Path
    from graph_program.extract.stage.machine.machine import Machine
    from graph_program.extract.types.dims import Dim
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.values import Static, size_of
from graph_program.extract.types.tensors.tensor_type import INT64, Kind


def is_growing(m: Machine, value: Value) -> bool:
    """Whether a value is a list of computed length."""
    return m.state is not None and isinstance(m.state.heap.get(value), Growing)


def length_dim_of(m: Machine, contents: Growing) -> Dim:
    """The number of elements as a dim."""
    return m.facts.resolve(contents.rows.type.shape[0])


def has_computed_length(m: Machine, value: Ref) -> bool:
    """Whether only a run knows how many elements a list or tuple has."""
    contents = m.live.heap[value]
    return isinstance(contents, Growing) and length_dim_of(m, contents).constant is None


def stacked_number(contents: Contents) -> tuple[Leaf, Tensor] | None:
    """The layout and the column of a list of numbers, or of arrays of one shape."""
    if isinstance(contents, Growing) and isinstance(contents.layout, Leaf) and contents.columns[0].shapes is None:
        return contents.layout, contents.columns[0].data
    return None


def merged_loops(found: Sequence[frozenset[Loc | Path] | None]) -> frozenset[Loc | Path] | None:
    """The loops that make several lengths known."""
    return None if any(f is None for f in found) else frozenset().union(*(f for f in found if f is not None))


def structure_error(
    m: Machine, contents: Sequence[Contents], code: str, message: str, hint: str
) -> GraphProgramError | Needed:
    """A refusal that does not stand where unrolling the loops that a list grows in makes its length known."""

    error = m.error(code, message, cls=DTypeError, hint=hint)
    loops = merged_loops([c.loops for c in contents if isinstance(c, Growing)])
    return length_needed(m, loops, error) if loops else error


def length_needed(m: Machine, makers: frozenset[Loc | Path], error: GraphProgramError) -> Needed:
    """What to raise where the length of a list must be known: of loops that it grows in, and lists of the caller.

    Loops are unrolled first, which may be enough.
    """
    loops = {one for one in makers if isinstance(one, Loc)}
    if loops - m.decided[UNROLLED].keys() or loops == makers:
        return Needed(UNROLLED, loops, error)
    return Needed(TAKEN_APART, makers - loops, error)


def smaller(m: Machine, a: Value, b: Value) -> Value:
    """The smaller of two lengths."""
    sizes = size_of(a), size_of(b)
    if sizes[0] is not None and sizes[0] == sizes[1]:
        return a
    if are_known((a, b)):
        return Static(min(known_value(a), known_value(b)))
    return m.op("minimum", m.cast(a, INT64), m.cast(b, INT64), kind=Kind.PYTHON)
