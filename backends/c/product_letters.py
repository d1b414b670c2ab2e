"""The letters of a product of two operands: their roles, and letters that lie in memory as one.

abmk,kn->abmn    is    <k,kn-><n    with as many < as a, b and m together: one product of matrices, not a times b
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from graph_program.backends.c.arrays import Layout
from graph_program.backends.c.expression import Expr, product, times
from graph_program.extract.records import dataclass

ROWS, COLUMNS = "<", ">"
"""Letters that stand for several."""


@dataclass(frozen=True)
class Roles:
    """The letters of a product of matrices: of the rows, of the columns, of what is summed, and of the rest.

    Attributes
    ----------
    runs : dict of str to str
        The letters that stand for several, with these.
    """

    rows: str
    columns: str
    summed: str
    batch: str
    runs: Mapping[str, str]

    @property
    def product(self) -> str:
        """All letters but those of the rest."""
        own = self.rows, self.columns, self.summed
        return "".join(self.runs.get(letter, letter) for letter in own)


def roles(letters: Sequence[str], result: str) -> Roles | None:
    """The roles of letters, where one is summed over and the result's rows have no gaps."""
    if not result or any(len(set(own)) < len(own) for own in (*letters, result)):
        return None
    runs = _runs(letters, result)
    (left, right), result = (renamed(own, runs) for own in letters), renamed(result, runs)
    summed = [c for c in left if c in right and c not in result]
    rows = [c for c in result if c in left and c not in right]
    columns = [c for c in result if c in right and c not in left]
    if len(summed) != 1 or len({*left, *right} - {*result, *summed}):
        return None
    chosen = {*rows[-1:], *columns[-1:]}
    batch = [c for c in result if c not in chosen]
    if batch and result[-1] in batch:
        return None
    return Roles("".join(rows[-1:]), "".join(columns[-1:]), summed[0], "".join(batch), runs)


def _runs(letters: Sequence[str], result: str) -> dict[str, str]:
    """Letters of one operand that stand side by side in it and in the result, by the letter for all of them."""
    left, right = letters
    free = {
        ROWS: "".join(c for c in left if c in result and c not in right),
        COLUMNS: "".join(c for c in right if c in result and c not in left),
    }
    return {name: run for name, run in free.items() if len(run) > 1 and run in result and run in left + " " + right}


def renamed(own: str, runs: Mapping[str, str]) -> str:
    """Letters with those that stand for several."""
    for name, run in runs.items():
        own = own.replace(run, name)
    return own


def joined(
    own: str, layout: Layout, shape: Sequence[Expr], runs: Mapping[str, str], *, is_whole: bool
) -> tuple[Layout, tuple[Expr, ...]] | None:
    """Where an operand lies by the letters that stand for several, and its sizes; None where they have gaps.

    Parameters
    ----------
    is_whole : bool
        Whether nothing else lies between its elements.
    """
    sizes = tuple(shape)
    for name, run in runs.items():
        if run not in own:
            continue
        first, last, steps = own.index(run), own.index(run) + len(run) - 1, layout.steps
        ahead = [times(sizes[axis + 1], steps[axis + 1]).text for axis in range(first, last)]
        if not is_whole and ahead != [step.text for step in steps[first:last]]:
            return None
        own = own.replace(run, name)
        layout = replace(layout, steps=(*steps[:first], *steps[last:]))
        sizes = (*sizes[:first], product(sizes[first : last + 1]), *sizes[last + 1 :])
    return layout, sizes


__all__ = ["Roles", "joined", "renamed", "roles"]
