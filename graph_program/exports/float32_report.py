"""What float32 changes for the example arguments: how far results are apart, and which decisions are others.

Both graphs are run by the interpreter, as they were extracted, where branches are branches and loops are loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graph_program.backends.reference import interpreter
from graph_program.exports.checked import Run, failed
from graph_program.exports.compared import difference
from graph_program.exports.feeds import Feed
from graph_program.exports.float32 import in_float32
from graph_program.exports.outputs import complete
from graph_program.extract.diagnostics import Loc
from graph_program.quantized.deviations import Decision, Deviation, deviation

if TYPE_CHECKING:
    from graph_program.extract.extraction import Extraction
    from graph_program.extract.ir.graph import GraphProgram, Node


@dataclass(frozen=True)
class Float32Report:
    """What float32 changes for the example arguments.

    Attributes
    ----------
    outputs : tuple of Deviation
        Those with floats.
    decisions : tuple of Decision
        Branches that are taken another way, and loops with another number of rounds.
    number : int
        How many branches and loops there are.
    failed : str
        Why there is nothing to compare; empty where there is.
    """

    outputs: tuple[Deviation, ...] = ()
    decisions: tuple[Decision, ...] = ()
    number: int = 0
    failed: str = ""

    def lines(self) -> Iterator[tuple[str, str]]:
        """The rows of a table."""
        if self.failed:
            yield "nothing to compare", self.failed
        yield from ((output.name, str(output)) for output in self.outputs)
        yield from ((decision.place, decision.text) for decision in self.decisions)
        if self.number and not self.decisions and not self.failed:
            yield "branches and loops", f"all {self.number} as in float64" if self.number > 1 else "as in float64"


class _Traced(interpreter.Environment):
    """Notes which way branches go, and how many rounds loops have."""

    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.taken: dict[Node, list[int]] = {}

    def decided(self, node: Node, choice: int) -> None:
        self.taken.setdefault(node, []).append(choice)


def report(extraction: Extraction, feed: Feed, loc: Loc) -> Float32Report:
    """Run a program in both precisions."""
    wide = complete(extraction.unoptimized, extraction.interface, loc)
    narrow = in_float32(wide)
    traces = _Traced(wide), _Traced(narrow)
    try:
        pairs = [interpreter.run(one, feed, trace) for one, trace in zip((wide, narrow), traces, strict=True)]
    except interpreter.OperationError as error:
        return Float32Report(failed=f"{error.loc}: {type(error.original).__name__}")
    count = len(wide.output_names)
    decisions = [n for n in wide.graph.walk() if n.op in ("if", "loop")]
    others = [n for n in narrow.graph.walk() if n.op in ("if", "loop")]
    if wide.errors and (pairs[0][count] or pairs[1][count]):
        same = int(pairs[0][count]) == int(pairs[1][count])
        told = "the program raises" + ("" if same else " in one of them only, or another exception")
        return Float32Report(decisions=_changed(decisions, others, *traces), number=len(decisions), failed=told)
    outputs = tuple(deviation(*three) for three in zip(wide.output_names, *(p[:count] for p in pairs), strict=True))
    floats = tuple(output for output, value in zip(outputs, pairs[0], strict=False) if value.dtype.kind == "f")
    moved = tuple(o for o in outputs if o not in floats and o.largest)
    return Float32Report((*floats, *moved), _changed(decisions, others, *traces), len(decisions))


def _changed(nodes: list[Node], others: list[Node], wide: _Traced, narrow: _Traced) -> tuple[Decision, ...]:
    """The decisions that are not the same in both runs."""
    found = []
    for node, other in zip(nodes, others, strict=True):
        a, b = wide.taken.get(node, []), narrow.taken.get(other, [])
        if a == b:
            continue
        place = node.loc.where.rpartition(":")[0]
        if node.op == "loop":
            text = f"{sum(b)} rounds instead of {sum(a)}"
        elif len(a) == len(b):
            text = f"taken another way in {sum(x != y for x, y in zip(a, b, strict=True))} of {len(a)} cases"
        else:
            text = f"reached {len(b)} times instead of {len(a)}"
        found.append(Decision(place, text))
    return tuple(dict.fromkeys(found))


def compare_in_float32(program: GraphProgram, feed: Feed, run: Run, loc: Loc) -> None:
    """Compare what a file computes with NumPy in float32.

    Raises
    ------
    ExportError
        GP505 where anything differs.
    """
    types = {value.name: value.type.dtype for value in program.graph.inputs}
    given = {name: np.asarray(value, types.get(name)) for name, value in feed.items()}
    try:
        with np.errstate(all="ignore"):
            expected = interpreter.run(program, given)
    except interpreter.OperationError:
        return  # Python raises here
    found = run(given)
    count = len(program.output_names)
    if program.errors and expected[count]:
        return
    for name, want in zip(program.output_names, expected, strict=False):
        where = difference(np.asarray(want), np.asarray(found[name]) if name in found else want)
        if where:
            raise failed(f"the file gives another result than NumPy in float32: {name}{where}", loc)


__all__ = ["Float32Report", "compare_in_float32", "report"]
