"""Where a runtime goes wrong: the first operation of a file that gives something else there, or that it does not do."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import onnx

from graph_program.backends.onnx.call_sites import LINE
from graph_program.backends.onnx.messages import metadata_of, source_of
from graph_program.exports.compared import Rounding, difference_at
from graph_program.verification.apart import Answer, run_apart
from graph_program.verification.inner_values import (
    Way,
    cut_behind,
    graph_at,
    inner_graphs,
    made_in,
    with_outputs,
    without_functions,
)
from graph_program.verification.runtimes import PLAIN, Runtime

PARTS = 8
"""Into so many parts the values of a graph are split where a runtime does not give all of them at once."""
SIDES = frozenset(["then_branch", "else_branch"])
Feed = Mapping[str, Any]


@dataclass(frozen=True)
class Place:
    """An operation of a file.

    Attributes
    ----------
    operator : str
        As `CumSum`.
    value : str
        The name of what it gives.
    source : str
        The line that it comes from, as `track.py:12`; empty where the file does not say it.
    text : str
        How what it gives differs.
    """

    operator: str
    value: str
    source: str
    text: str = ""

    def __str__(self) -> str:
        where = f"{self.source}: " if self.source else ""
        return f"{where}{self.operator} gives {self.value!r}{': ' + self.text if self.text else ''}"


def differing(want: Any, got: Any, precision: float) -> str:
    """Where an array of a runtime is another one, as in `[2] is 1.0 instead of 2.0`; empty where it is not."""
    return "".join(differing_at(want, got, precision)).strip()


def differing_at(want: Any, got: Any, precision: float) -> tuple[str, str]:
    """The same in two parts; floats may differ by the rounding of a precision."""
    want, got = np.asarray(want), np.asarray(got)
    if precision and got.dtype.kind == want.dtype.kind:
        got = got.astype(want.dtype)
    largest = float(np.abs(want[np.isfinite(want)]).max(initial=0)) if want.dtype.kind == "f" else 0.0
    return difference_at(want, got, Rounding(precision, largest))


def in_rounds(want: Any, got: Any, loops: int, precision: float) -> tuple[tuple[int, ...], str] | None:
    """The first round in which a value of a loop's body differs, and how; rounds that only one of them does are not
    looked at, as they come of what was before."""
    common = tuple(slice(0, min(sizes)) for sizes in zip(want.shape[:loops], got.shape[:loops], strict=True))
    want, got = want[common], got[common]
    if not differing(want, got, precision):
        return None
    rounds = np.ndindex(want.shape[:loops])
    texts = ((at, differing(want[at], got[at], precision)) for at in rounds)
    return next(((at, text) for at, text in texts if text), None)


def first_difference(model: Path, feed: Feed, runtime: Runtime, patience: float) -> Place | None:
    """The first value in the order of the file that differs from a plain run; None where none is found.

    Values are looked at as outputs, so that what a runtime makes of several operations at once is taken apart.  That
    ends after as many seconds as one run may take: then it is a value of the innermost graph that was looked through.
    """
    search = _Search(model, feed, runtime, patience)
    found, way, rounds = None, Way(), tuple[int, ...]()
    try:
        at = search.first_in(way, rounds)
        while at is not None:
            rounds, number, found = (*rounds, *at.rounds), at.number, at.place
            inner = inner_graphs(graph_at(search.model, way).node[number])
            ways = [(*way, (number, attribute)) for attribute in inner]
            way, at = next(((w, one) for w in ways if (one := search.first_in(w, rounds)) is not None), (way, None))
    except TimeoutError:
        return found
    return found


def first_refused(model: Path, feed: Feed, runtime: Runtime, patience: float) -> Place | None:
    """The first operation with which a runtime does not load the file, does not run it, or ends."""
    search = _Search(model, feed, runtime, patience)
    low, high = 0, len(search.model.graph.node)
    while low + 1 < high:
        middle = (low + high) // 2
        goes_wrong = search.run(cut_behind(search.model, middle), runtime.name).verdict
        low, high = (low, middle) if goes_wrong else (middle, high)
    return _place(search.model.graph.node[high - 1]) if high else None


class At(NamedTuple):
    """A node that gives something else: in which round of the innermost loop, and which of its graph's nodes."""

    rounds: tuple[int, ...]
    number: int
    place: Place


class _Search:
    def __init__(self, model: Path, feed: Feed, runtime: Runtime, patience: float):
        self.model = without_functions(onnx.load(model))
        self.feed, self.runtime = feed, runtime
        self.end = monotonic() + patience

    def run(self, model: onnx.ModelProto, runtime: str) -> Answer:
        """What becomes of a model; TimeoutError where no time is left."""
        left = self.end - monotonic()
        if left <= 0:
            raise TimeoutError
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "inner.onnx"
            onnx.save(model, path)
            return run_apart(runtime, path, self.feed, left)

    def first_in(self, way: Way, rounds: Sequence[int]) -> At | None:
        """The first node of a graph that gives something else, in some rounds of the outer loops.

        A side of a branch that a plain run does not take gives nothing; what a runtime makes of it, nobody reads.
        """
        graph = graph_at(self.model, way)
        values = list(made_in(graph))
        pairs = self._values(way, [name for _, name in values], rounds)
        if any(attribute in SIDES for _, attribute in way):
            pairs = {name: pair for name, pair in pairs.items() if np.size(pair[0])}
        loops = sum(attribute == "body" for _, attribute in way) - len(rounds)
        found = []
        for number, name in values:
            differs = in_rounds(*pairs[name], loops, self.runtime.precision) if name in pairs else None
            if differs is not None:
                found.append((differs[0], number, name, differs[1]))
        if not found:
            return None
        at, number, name, text = min(found)
        return At(at, number, _place(graph.node[number], name, text))

    def _values(self, way: Way, names: Sequence[str], rounds: Sequence[int]) -> dict[str, tuple[Any, Any]]:
        """Values of a graph as they are in a plain run, and in the runtime."""
        model, shown = with_outputs(self.model, way, names, rounds)
        if not shown:
            return {}
        answers = [self.run(model, name) for name in (PLAIN, self.runtime.name)]
        if any(answer.verdict for answer in answers):
            if len(names) == 1:
                return {}
            step = -(-len(names) // PARTS)
            parts = (names[i : i + step] for i in range(0, len(names), step))
            return {name: pair for part in parts for name, pair in self._values(way, part, rounds).items()}
        wanted, found = (answer.outputs for answer in answers)
        return {name: (wanted[new], found[new]) for new, name in shown.items() if new in wanted and new in found}


def _place(node: onnx.NodeProto, value: str = "", text: str = "") -> Place:
    source = metadata_of(node).get(LINE) or source_of(node)
    return Place(node.op_type, value or node.output[0], source.rpartition(":")[0] or source, text)


__all__ = ["Place", "differing", "differing_at", "first_difference", "first_refused"]
