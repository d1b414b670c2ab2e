"""What a program requires of its annotated dims beyond what the annotations say.

    def f(x: Float32[Tensor, "n k"], w: Float32[Tensor, "m k"]):
        return x @ w                     needs k == m, which the annotations do not say

To a reader two names are two sizes, as two type variables are two types.  The program is right for
some sizes, so this is no error; it is what a transposed or misnamed weight looks like.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graph_program.extract.diagnostics import Diagnostic

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine
    from graph_program.extract.types.rules.facts import Clause

SOMETIMES = "not every run gets here"


def note(m: Machine, clauses: Sequence[Clause]) -> None:
    """Note the clauses that make annotated dims equal to something else."""
    for clause in clauses:
        names = frozenset[str]().union(*(c.symbols for c in clause))
        if not names or not names <= m.options.declared or all(c.op != "==" for c in clause):
            continue
        text = " or ".join(map(str, clause))
        notes = () if m.live.certain else (SOMETIMES,)
        found = Diagnostic(
            "GP360",
            f"this needs {text}, which the annotations do not say",
            m.loc,
            notes=notes,
            hint="write the relation into the annotations, such as the same name for the same size",
        )
        if found not in m.report.unsaid:
            m.report.unsaid.append(found)
