"""Elements read from lists of known length at computed positions, and then written under a name of their own.

    row = rows[i]                rows := columns
    row[j] += 1         ->       row := row i of the columns
                                 row := set_index(row, ..., j)
                                 rows := set_index(rows, row, i)

Reading makes a copy, and leaves the list as it is.  Where a copy turns out to be written, the evaluation starts
again, and the list is made one of columns where it is read, which knows its elements (`stage/lists/element_writes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.stage.machine.decisions import COLUMNS
from graph_program.extract.stage.machine.declared import write_entries
from graph_program.extract.stage.machine.memory import elements
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.questions import is_ref_to
from graph_program.extract.stage.values.values import Ref, Tensor, Value

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine

Refusal = GraphProgramError | Needed


def becomes_columns(m: Machine, holder: Value, whole: Growing) -> bool:
    """Whether a list that is read at a computed position is one of columns from here on."""
    if not is_ref_to(holder, list) or not elements.is_noted(whole):
        return False
    if m.loc in m.decided[COLUMNS]:
        m.live.heap[holder] = whole
        return True
    m.loops.computed_reads += [(v, m.loc) for v in (whole.arrays, whole.objects) if v is not None]
    return False


@write_entries.columns_instead.given
def otherwise(m: Machine, target: Tensor | Ref, refusal: Refusal) -> Exception:
    while target.view is not None:
        target = target.view.base
    error = refusal if isinstance(refusal, GraphProgramError) else refusal.error
    for source in target.sources:
        places = frozenset(place for value, place in m.loops.computed_reads if value is source)
        if places - m.decided[COLUMNS].keys():
            return Needed(COLUMNS, places, error)
    return refusal
