"""Number parameters that pick a structure, which a program is evaluated for by their values.

    def f(x, deep: bool):               deep = True:    for name in ["a", "b"]: ...
        names = ["a"]           ->      deep = False:   for name in ["a"]: ...
        if deep: names = [*names, "b"]
        for name in names: x = LAYERS[name][1](x)

What is not the same on two paths may be merged all the same, and mostly is.  Where it leads to a refusal in the
end, and tests of parameters have parted these paths, the evaluation starts again with the parameters known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir.paths import Path, path_text
from graph_program.extract.ir.residual import Operand
from graph_program.extract.stage.machine.state import Side, State
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine
    from graph_program.extract.stage.paths.joins.join import Join

PARTED = ("GP311", "GP312", "GP357", "GP442", "GP455")
"""Refusals of what is not the same on all paths."""


def given(m: Machine, name: str, type_: TensorType, path: Path) -> None:
    """A parameter, or a number in one: a flag or a count may pick a structure, of floats there are too many."""
    if type_ in (PY_BOOL, PY_INT):
        m.choices.decided[name] = frozenset([path])


def take_side(m: Machine, test: Operand, holds: bool) -> None:
    """The present path is on one side of a test."""
    if isinstance(test, str) and test in m.choices.decided:
        m.live.sides |= {Side(test, holds, m.choices.decided[test])}


def meet(join: Join, merged: State, states: Sequence[State]) -> None:
    """Paths meet: where they have nothing in common, note what has parted them."""
    sides = [s.sides for s in states]
    merged.sides = frozenset.intersection(*sides)
    if join.structural:
        parting = frozenset.union(*sides) - merged.sides
        join.m.choices.picking.update(*(side.deciding for side in parting))


def without_values(error: GraphProgramError, picking: Iterable[Path]) -> GraphProgramError:
    """The refusal where there are no arguments, with what these would decide."""
    names = " and ".join(f"'{path_text(path)}'" for path in sorted(picking, key=path_text))
    if error.code not in PARTED or not names:
        return error
    return error.with_note(f"tests of {names} part these paths: with example arguments, it is known which one is taken")
