"""How the loops of a file count: with the variable of the source's `for`, from where that begins.

    for i in range(1, n):           for (int64_t i = 1; i < n; i++) {

In the graph a loop counts from 0, and its first operation adds the beginning.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable

from graph_program.backends.c.expression import Expr, constant_of
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass

NAMED = re.compile(r"\bfor (\w+) in range\(")
FROM_ZERO = re.compile(r"\bfor (\w+)(?: in range\((?:[^,()]|\([^()]*\))*\):|, .* in enumerate\([^,]*\):)")
"""Loops of the source whose variable is a counter, and those where it begins with 0."""


@dataclass(frozen=True)
class Counter:
    """What a loop counts.

    Attributes
    ----------
    value : Value
        Of the graph.
    begin, end : str
        The first number, and the one behind the last.
    node : Node, optional
        The operation that the counter stands for.
    """

    value: Value
    begin: str
    end: str
    node: Node | None = None


def counted(loop: Node, limit: Expr, uses: int, known: Callable[[Value], Expr | None]) -> tuple[Counter, str]:
    """What the rounds of a loop count, and the variable of the source that does; "" where there is none.

    Where the graph's own counter is read, too, a variable that begins elsewhere is for those who know it only.

    Parameters
    ----------
    loop : Node
    limit : Expr
        The number of rounds.
    uses : int
        How often the graph's counter is read.
    known : callable
        What values of the graph are in C, as far as they are numbers there.
    """
    from_zero = Counter(loop.regions[0].inputs[0], "0", limit.within(6))
    found = _from_elsewhere(loop.regions[0], limit, known)
    named = "" if found is None else source_name(loop.loc, found)
    if found is not None and (uses == 1 or named):
        return found, named
    return from_zero, source_name(loop.loc, from_zero)


def _from_elsewhere(body: Graph, limit: Expr, known: Callable[[Value], Expr | None]) -> Counter | None:
    """A counter that begins with a number that is known, to which each round adds the graph's own."""
    counter = body.inputs[0]
    node = next((node for node in body.nodes if node.op != "constant"), None)
    if node is None or node.op != "add" or counter not in node.inputs or node.outputs[0].type.rank:
        return None
    first = known(node.inputs[1 - node.inputs.index(counter)])
    begin = None if first is None else constant_of(first)
    ending = f" - {begin}"
    if begin is None or begin <= 0 or not limit.text.endswith(ending):
        return None
    end = limit.text.removesuffix(ending)
    cut = re.fullmatch(rf"gp_maximum_i64\((.+), {begin}\)", end)
    if cut is not None:  # for a range without numbers, which a loop that counts up to its end needs no care for
        end = cut[1]
    if constant_of(Expr(end)) is None and not re.fullmatch(r"\w+( - \d+)*", end):
        return None
    return Counter(node.outputs[0], str(begin), end, node)


def source_name(loc: Loc, counts: Counter) -> str:
    """The variable that the source counts with in a line; "" where there is none."""
    line = linecache.getline(loc.file, loc.line) if loc.line else ""
    found = (FROM_ZERO if counts.node is None else NAMED).search(line)
    return found[1] if found is not None and found[1] != "_" else ""


__all__ = ["Counter", "counted"]
