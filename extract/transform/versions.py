"""A program whose loops count to a number that may be the size of an array, in two versions.

    def f(n, x):                                    if equal(n, dim(x, axis=0)):
        loop(k < n): ... take(x, k) ...     to          f for n = len(x), whose loops are array operations
                                                    else:
                                                        f as it is

Where the number is the size, indices that the loops count are inside and arrays that are made of it fit to the given
ones, so that checks which keep loops from being array operations are decided.  Loop versioning (Byler et al., 1987), of
the whole program: sizes are in the types of all values.  The second version is kept where it saves a third of the work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from graph_program.extract.control.names import Names
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.loops import LoopReport, told
from graph_program.extract.ir.retyped import with_sizes
from graph_program.extract.transform.linear import linear
from graph_program.extract.transform.rewrite import replace_values
from graph_program.extract.transform.symbols import symbol_name
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT

Optimize = Callable[[GraphProgram], GraphProgram]
Place = tuple[int, int]
"""The number of an argument, and an axis of it."""
ROUNDS = 100
"""So many rounds a loop is taken to have."""
MOST = 2 / 3
"""The second version has this part of the other one's work at most."""
MAKERS = frozenset({"full", "broadcast_to", "reshape"})
"""Operations whose operands behind the first one are the sizes of the result."""


def in_versions(program: GraphProgram, optimize: Optimize) -> GraphProgram:
    """The optimized program, with a version for numbers that are sizes where that has less work.

    Parameters
    ----------
    program : GraphProgram
        Stays as it is.
    optimize : callable
        Gives the optimized form of a program.
    """
    general = optimize(program)
    places = {} if program.host else _assumed(general.graph)
    if not places:
        return general
    special = optimize(_with_sizes(program, places))
    same = len(special.graph.inputs) == len(general.graph.inputs) and special.error_args == general.error_args
    if not same or special.errors != general.errors or _work(special.graph) > MOST * _work(general.graph):
        return general
    return _either(general, special, places)


# ---------------------------------------------------------------- which numbers


def _assumed(graph: Graph) -> dict[int, Place]:
    """The numbers among the arguments that loops count to, each with the size that it is taken for."""
    sizes: dict[str, Place] = {}
    for number, value in enumerate(graph.inputs):
        for axis, size in enumerate(value.type.shape):
            if symbol_name(size):
                sizes.setdefault(symbol_name(size), (number, axis))
    numbers = {v: i for i, v in enumerate(graph.inputs) if not v.type.rank and v.type.dtype == np.int64}
    makers = {value: node for node in graph.walk() for value in node.outputs}
    found: dict[int, Counter[str]] = {}
    for loop in graph.walk() if numbers and sizes else ():
        if loop.op != "loop" or not any(node.op == "if" for node in loop.regions[0].walk()):
            continue  # nothing in it is left to decide
        form = linear(loop.inputs[0], makers.get)
        ends = [value for value in form.terms if value in numbers]
        for end in ends if len(ends) == 1 and form.terms[ends[0]] == 1 and form.constant <= 0 else ():
            names = (symbol_name(size) for size in _counted_sizes(loop, end, makers))
            found.setdefault(numbers[end], Counter()).update(name for name in names if name in sizes)
    return {number: sizes[votes.most_common(1)[0][0]] for number, votes in found.items() if votes}


def _counted_sizes(loop: Node, end: Value, makers: Mapping[Value, Node]) -> Iterator[Dim]:
    """The sizes of axes that a loop goes along with its counter, or up to the number where it ends."""
    body = loop.regions[0]
    counted = {body.inputs[0], end}
    for node in body.walk():
        if node.op in ("take", "slice"):
            axes = node.attrs["axes"] if node.op == "slice" else (node.attrs["axis"],)
            for place, axis in enumerate(axes):
                if counted & {*linear(node.inputs[1 + place], makers.get).terms}:
                    yield node.inputs[0].type.shape[axis]


# ---------------------------------------------------------------- the second version


def _with_sizes(program: GraphProgram, places: Mapping[int, Place]) -> GraphProgram:
    """The program for numbers that are sizes: it reads these instead, and its types say so."""
    inputs = program.graph.inputs
    sizes = {inputs[number]: inputs[array].type.shape[axis] for number, (array, axis) in places.items()}
    makers = {value: node for node in program.graph.walk() for value in node.outputs}
    names: dict[str, Dim] = {}
    for node in program.graph.walk():
        if node.op in MAKERS:
            for value, size in zip(node.inputs[1:], node.outputs[0].type.shape, strict=False):
                form = linear(value, makers.get)
                if symbol_name(size) and form.terms and sizes.keys() >= form.terms.keys():
                    names[symbol_name(size)] = sum((sizes[v] * k for v, k in form.terms.items()), dim(form.constant))
    given = {symbol_name(size) for value in inputs for size in value.type.shape}
    result = with_sizes(program, {name: size for name, size in names.items() if name not in given})
    taken = Names(value.name for value in _values(result.graph))
    for number, (array, axis) in places.items():
        read = Value(taken.fresh(f"{inputs[number].name}.size"), PY_INT)
        replace_values(result.graph, {result.graph.inputs[number]: read})
        result.graph.nodes.insert(0, Node("dim", [result.graph.inputs[array]], [read], {"axis": axis}))
    return result


def _values(graph: Graph) -> Iterator[Value]:
    yield from graph.inputs
    for node in graph.nodes:
        yield from node.outputs
        for region in node.regions:
            yield from _values(region)


def _work(graph: Graph, rounds: int = 1) -> int:
    """How many operations a graph does."""
    total = 0
    for node in graph.nodes:
        total += rounds if node.op not in ("constant", "placeholder") else 0
        for region in node.regions:
            total += _work(region, rounds * ROUNDS if node.op == "loop" else rounds)
    return total


def _either(general: GraphProgram, special: GraphProgram, places: Mapping[int, Place]) -> GraphProgram:
    """One of two versions, by whether the numbers are the sizes."""
    graph, other = general.graph, special.graph
    names = Names(value.name for value in _values(graph))
    for value in _values(other):
        value.name = names.fresh(value.name)
    replace_values(other, dict(zip(other.inputs, graph.inputs, strict=True)))
    nodes: list[Node] = []
    test: Value | None = None
    for number, (array, axis) in places.items():
        size, same = Value(names.fresh("size"), PY_INT), Value(names.fresh("same"), PY_BOOL)
        nodes.append(Node("dim", [graph.inputs[array]], [size], {"axis": axis}))
        nodes.append(Node("equal", [graph.inputs[number], size], [same]))
        if test is not None:
            both = Value(names.fresh("same"), PY_BOOL)
            nodes.append(Node("bitwise_and", [test, same], [both]))
            same = both
        test = same
    assert test is not None
    outputs = [Value(names.fresh(value.name), value.type) for value in graph.outputs]
    sides = [Graph([], version.nodes, version.outputs) for version in (other, graph)]
    nodes.append(Node("if", [test], outputs, {}, sides))
    condition = " and ".join(_text(graph, number, place) for number, place in places.items())
    return replace(
        general, graph=Graph(graph.inputs, nodes, outputs), loops=_reports(general.loops, special.loops, condition)
    )


def _text(graph: Graph, number: int, place: Place) -> str:
    array, axis = place
    return f"{graph.inputs[number].name} is {graph.inputs[array].name}.shape[{axis}]"


def _reports(general: list[LoopReport], special: list[LoopReport], condition: str) -> list[LoopReport]:
    """What became of loops in either version."""
    found = {report.place: report for report in told(special)}
    reports = []
    for report in told(general):
        other = found.pop(report.place, None)
        differs = other is not None and other.text != report.text
        reports.append(replace(other, condition=condition, otherwise=report) if other and differs else report)
    return [*reports, *found.values()]


__all__ = ["in_versions"]
