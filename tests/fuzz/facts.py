"""Are the inferred types of every value of a program's graph right, at every size it is run at?

A `Recorder` is the reference interpreter's environment: each value, in the bodies of `if` and `loop`
too, is held against its `TensorType` when it is computed.  Constants must be equal, names must mean
one size, expressions must evaluate to the size.  The arguments say what their dims' names mean; a
name that belongs to a value which is computed (how many elements a mask picks) gets its meaning where
it is first seen, and keeps it as long as that graph, or that round of the loop, goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from graph_program.backends.reference import interpreter
from graph_program.extract.arguments.call_sizes import check_sizes
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.types.dims import Dim, Symbol
from graph_program.extract.types.tensors.tensor_type import TensorType

Sizes = dict[str, int]


@dataclass
class Region:
    """One graph: the values that are defined in it, and what its names mean in the present round."""

    parent: Region | None
    sizes: Sizes = field(default_factory=dict)
    waiting: list[tuple[Value, int, int]] = field(default_factory=list)
    """Dims with names that have no meaning yet: value, axis, size."""
    inner: list[Region] = field(default_factory=list)
    rounds: frozenset[str] = frozenset()
    """Names that mean another size in each round of this loop, or of one around it."""
    after: Sizes = field(default_factory=dict)
    """What those mean in the next round."""

    def restart(self) -> None:
        """Another round begins: what was found out in the last one is forgotten."""
        self.sizes.clear()
        self.after.clear()
        self.waiting.clear()
        for region in self.inner:
            region.restart()

    def known(self) -> Sizes:
        return {**(self.parent.known() if self.parent else {}), **self.sizes}


class Recorder(interpreter.Environment):
    """Checks each value as it is computed.

    Attributes
    ----------
    checked : int
        How many values were checked.
    findings : list of str
        Where a type was wrong.
    """

    def __init__(self, program: GraphProgram, sizes: Sizes):
        super().__init__(program)
        self.checked = 0
        self.findings: list[str] = []
        self._regions: dict[Value, Region] = {}
        self._first: set[Value] = set()
        self._nodes: dict[Value, Node] = {}
        self._errors = interpreter.error_numbers(program)
        self._failed = False
        self._unread: dict[int, np.ndarray] = {}
        """Placeholders and what is computed from them: nothing is said about those."""
        self._place(program.graph, Region(None, dict(sizes)))

    def _place(self, graph: Graph, region: Region) -> None:
        values = [*graph.inputs, *(v for node in graph.nodes for v in node.outputs)]
        self._regions.update(dict.fromkeys(values, region))
        if region.parent is not None:
            self._first.update(values[:1])
        for node in graph.nodes:
            self._nodes.update(dict.fromkeys(node.outputs, node))
            for inner in node.regions:
                carried = _names(inner.inputs) - _names(node.inputs)
                region.inner.append(Region(region, rounds=region.rounds | carried))
                self._place(inner, region.inner[-1])

    def has_error(self) -> bool:
        return self._failed

    def update(self, pairs: Iterable[tuple[Value, np.ndarray]] = ()) -> None:  # type: ignore[override]
        for value, array in pairs:
            if value in self._first:
                self._regions[value].restart()
            self._taint(value, array)
            self[value] = array
            if value in self._errors and array.item() and not self._failed:
                self._failed = interpreter.Environment.has_error(self)
            if not self._failed and id(array) not in self._unread:
                self._check(value, array)

    def _taint(self, value: Value, array: np.ndarray) -> None:
        node = self._nodes.get(value)
        if node is None or node.op in ("if", "loop", "constant"):
            return
        if node.op == "placeholder" or any(id(self[v]) in self._unread for v in node.inputs):
            self._unread[id(array)] = array

    def _check(self, value: Value, array: np.ndarray) -> None:
        self.checked += 1
        wrong = self._mismatch(value, array)
        if wrong is not None:
            node = self._nodes.get(value)
            made = f" = {node.op} at {node.loc}" if node else ""
            self.findings.append(f"%{value.name}: {value.type}{made}: {wrong}")

    def _mismatch(self, value: Value, array: np.ndarray) -> str | None:
        type_ = value.type
        if array.dtype != type_.dtype:
            return f"computed {array.dtype}"
        if array.ndim != type_.rank:
            return f"computed rank {array.ndim}"
        region = self._regions[value]
        node = self._nodes.get(value)
        if node is not None and node.op == "loop":
            for name in _names(node.regions[0].inputs) - _names(node.inputs):
                region.sizes.pop(name, None)  # the test before the first round has the same names
        for axis, size in enumerate(array.shape):
            region.waiting.append((value, axis, size))
        return self._settle(region)

    def _settle(self, region: Region) -> str | None:
        """Give names their meaning, and check what has only names with one."""
        known, waiting = region.known(), region.waiting
        progress = True
        while progress:
            progress, rest = False, []
            for value, axis, size in waiting:
                d = value.type.shape[axis]
                solved = _solved(d, size, known)
                if solved is not None:
                    known[solved[0]] = region.sizes[solved[0]] = solved[1]
                    progress = True
                    if solved[1] < 0:
                        region.waiting = []
                        return f"%{value.name} axis {axis} is {size}, so {d} has a negative name"
                elif d.symbols <= known.keys():
                    if d.evaluate(known) != size and not _of_next_round(region, d, size, known):
                        region.waiting = []
                        return f"%{value.name} axis {axis} is {size}, not {d} where {_meaning(known, d.symbols)}"
                else:
                    rest.append((value, axis, size))
            waiting = rest
        region.waiting = waiting
        return None


def _of_next_round(region: Region, d: Dim, size: int, known: Sizes) -> bool:
    """Whether a dim has a size by what names will mean in the next round, as far as that is known."""
    if d.symbols.isdisjoint(region.rounds):
        return False
    meant = {name: known[name] for name in d.symbols - region.rounds} | region.after
    solved = _solved(d, size, meant)
    if solved is not None and solved[1] >= 0:
        region.after[solved[0]] = solved[1]
        return True
    return d.symbols <= meant.keys() and d.evaluate(meant) == size


def _names(values: Iterable[Value]) -> frozenset[str]:
    return frozenset(name for value in values for d in value.type.shape for name in d.symbols)


def _solved(d: Dim, size: int, known: Sizes) -> tuple[str, int] | None:
    """The one name without a meaning in a linear expression, and what it must mean."""
    names = d.symbols - known.keys()
    if len(names) != 1 or not all(isinstance(atom, Symbol) for monomial, _ in d.terms for atom in monomial):
        return None
    (name,) = names
    first, second, third = (d.evaluate({**known, name: i}) for i in range(3))
    slope = second - first
    if slope == 0 or third - second != slope or (size - first) % slope:
        return None
    return name, (size - first) // slope


def _meaning(known: Sizes, names: Iterable[str]) -> str:
    return ", ".join(f"{name}={known[name]}" for name in sorted(names)) or "it is constant"


@dataclass
class Recorded:
    """What a run of the reference interpreter showed."""

    checked: int = 0
    findings: list[str] = field(default_factory=list)


def record(program: GraphProgram, arrays: list[np.ndarray]) -> Recorded:
    """Run a graph on its inputs and check the type of every value."""
    inputs = program.graph.inputs
    sizes = check_sizes([(v.name, v.type, a.shape) for v, a in zip(inputs, arrays, strict=True)])
    recorder = Recorder(program, sizes)
    given = [np.asarray(a, v.type.dtype) for v, a in zip(inputs, arrays, strict=True)]
    with np.errstate(all="ignore"):
        try:
            interpreter.evaluate(program.graph, given, recorder)
        except interpreter.OperationError as error:
            if isinstance(error.original, TypeError):
                recorder.findings.append(str(error))
    return Recorded(recorder.checked, recorder.findings)


def types_of(graph: Graph) -> Iterator[TensorType]:
    """The type of every value of a graph, inner graphs included."""
    yield from (v.type for v in graph.inputs)
    for node in graph.nodes:
        yield from (v.type for v in node.outputs)
        for region in node.regions:
            yield from types_of(region)


def known_dims(graph: Graph) -> tuple[int, int]:
    """How many dims of a graph's values are constants or expressions of its inputs' sizes; and all of them."""
    given = {name for value in graph.inputs for d in value.type.shape for name in d.symbols}
    dims = [d for t in types_of(graph) for d in t.shape]
    return sum(d.symbols <= given for d in dims), len(dims)
