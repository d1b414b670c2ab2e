"""A program whose loops count to a number that may be the size of an array, in two versions.

    def f(n, x):                                    if equal(n, dim(x, axis=0)):
        loop(k < n): ... take(x, k) ...     to          f for n = len(x), whose loops are array operations
                                                    else:
                                                        f as it is

Where the number is the size, indices that the loops count are inside and arrays that are made of it fit to the given
ones, so that checks which keep loops from being array operations are decided.  So they are for sizes of arrays that
one loop goes along together (`for i in range(len(x)): ... y[i]`), which are taken for one, and in short programs for
sizes that are compared, where a round has less to do if they are the same (`y[1:-1] = x[:-2] + x[2:]`).  Loop
versioning (Byler et al., 1987), of the whole program: sizes are in the types of all values.  The second version is kept
where it saves a third of the work, or in short programs a fifth.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from graph_program.extract.control.names import Names
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.loops import LoopReport, told
from graph_program.extract.ir.retyped import with_sizes
from graph_program.extract.records import dataclass
from graph_program.extract.transform.flag_values import flags_of
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.rewrite import replace_values
from graph_program.extract.transform.symbols import symbol_name
from graph_program.extract.types.dims import Dim, dim, maximum, put_in, symbol
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, TensorType

Optimize = Callable[[GraphProgram], GraphProgram]
ROUNDS = 100
"""So many rounds a loop is taken to have."""
MOST = 2 / 3
"""The second version has this part of the other one's work at most."""
SHORT = 300
"""So many operations make a short program: a second version is no burden."""
MOST_IF_SHORT = 0.8
"""This part of the work the second version of a short program has at most."""
WRITE = 3
"""A write into an array that a loop carries costs as much as so many other operations: the array is copied."""
FREE = frozenset({"constant", "placeholder", "expand_dims"})
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
    assumed = [] if program.host else _assumed(general)
    if not assumed:
        return general
    special = optimize(_with_sizes(program, assumed))
    same = len(special.graph.inputs) == len(general.graph.inputs) and special.error_args == general.error_args
    most = MOST_IF_SHORT if sum(1 for _ in general.graph.walk()) <= SHORT else MOST
    if not same or special.errors != general.errors or _work(special.graph) > most * _work(general.graph):
        return general
    return _either(general, special, assumed)


# ---------------------------------------------------------------- what is the same


@dataclass(frozen=True)
class Same:
    """A number among the arguments, or the size of an axis of one, that is taken for the size of another axis.

    Attributes
    ----------
    number : int
        Of the argument.
    axis : int, optional
        None for a number.
    array, of : int
        The other axis, and its argument.
    """

    number: int
    axis: int | None
    array: int
    of: int


def _assumed(program: GraphProgram) -> list[Same]:
    """The numbers that loops count to, and sizes of what they go along, each with the size that it is taken for."""
    graph, flags = program.graph, flags_of(program) if program.is_checked else None
    places: dict[str, tuple[int, int]] = {}
    for number, value in enumerate(graph.inputs):
        for axis, size in enumerate(value.type.shape):
            if symbol_name(size):
                places.setdefault(symbol_name(size), (number, axis))
    numbers = {v: i for i, v in enumerate(graph.inputs) if not v.type.rank and v.type.dtype == np.int64}
    makers = graph.makers()
    votes: dict[int, Counter[str]] = {}
    first: dict[str, str] = {}
    for a, b in _compared(graph):
        if a in places and b in places:
            _join(first, a, b)
    for loop in graph.walk() if places else ():
        end = _end(loop, makers, flags)
        if end is None:
            continue
        names = [name for size in _counted_sizes(loop, end, makers) if (name := symbol_name(size)) in places]
        if end in numbers:
            votes.setdefault(numbers[end], Counter()).update(names)
        elif _size_name(end, makers) in places:
            for name in names:
                _join(first, _size_name(end, makers), name)
    found = {number: ballot.most_common(1)[0][0] for number, ballot in votes.items() if ballot}
    for number, name in found.items():
        for other in votes[number]:
            _join(first, name, other)
    same = [Same(number, None, *places[_first(first, name)]) for number, name in found.items()]
    return same + [Same(*places[name], *places[_first(first, name)]) for name in first if _first(first, name) != name]


def _compared(graph: Graph) -> Iterator[tuple[str, str]]:
    """The sizes of which a short program asks whether they are the same, where what is asked stays open in a loop."""
    nodes = list(graph.walk())
    if len(nodes) > SHORT or not any(_is_open(node) for node in nodes if node.op == "loop"):
        return
    ranges = Ranges()
    for node in nodes:
        ranges.note(node)
    for node in nodes:
        if node.op in ("equal", "not_equal"):
            found = [ranges.of(value) for value in node.inputs if not value.type.rank and value.type.dtype == np.int64]
            sizes = [ends[0] for ends in found if ends is not None and ends[0] == ends[1]]
            yield from _same_names(*sizes) if len(sizes) == 2 else ()


def _same_names(one: Dim, other: Dim) -> Iterator[tuple[str, str]]:
    """The symbols of two sizes that are the same if those are; whether -1 counts as 0 says nothing."""
    if len(one.symbols) == len(other.symbols) == 1:
        (a,), (b,) = one.symbols, other.symbols
        if maximum(0, put_in(one, {a: symbol(b)})) == maximum(0, other):
            yield a, b


def _is_open(loop: Node) -> bool:
    """Whether there is a branch in a loop, or something is made as large there as something else."""
    body = loop.regions[0].walk()
    return any(node.op == "if" or (node.op == "broadcast_to" and node.inputs[0].type.rank) for node in body)


def _end(loop: Node, makers: Mapping[Value, Node], flags: set[Value] | None) -> Value | None:
    """What a loop counts to, or to less than that; None where there is nothing left in it that could be decided.

    Without flags there are no checks, and sizes are what keeps it a loop.  With flags, those are checks; and what is
    written into an array that the loop carries could be collected if its place was known to be inside.
    """
    if loop.op != "loop":
        return None
    body = loop.regions[0]
    is_open = any(node.op in ("if", "set_index") for node in body.walk())
    if flags is not None and not is_open and flags.isdisjoint(body.inputs):
        return None
    form = _rounds(loop, makers)
    ((end, factor),) = form.terms.items() if len(form.terms) == 1 else ((loop.inputs[0], 0),)
    return end if factor == 1 and form.constant <= 0 else None


def _rounds(loop: Node, makers: Mapping[Value, Node]) -> Linear:
    """How many rounds a loop has, where it has some: `max(n, 1) - 1` are n - 1."""
    form = linear(loop.inputs[0], makers.get)
    if len(form.terms) != 1:
        return form
    ((term, factor),) = form.terms.items()
    node = makers.get(term)
    if node is None or node.op != "maximum" or factor != 1:
        return form
    sides = [linear(value, makers.get) for value in node.inputs]
    open_ = [side for side in sides if side.terms]
    return open_[0] + Linear({}, form.constant) if len(open_) == 1 else form


def _size_name(value: Value, makers: Mapping[Value, Node]) -> str:
    node = makers.get(value)
    return symbol_name(node.inputs[0].type.shape[node.attrs["axis"]]) if node is not None and node.op == "dim" else ""


def _first(first: Mapping[str, str], name: str) -> str:
    """The size that one is taken for."""
    while first.get(name, name) != name:
        name = first[name]
    return name


def _join(first: dict[str, str], a: str, b: str) -> None:
    one, other = _first(first, a), _first(first, b)
    first.setdefault(one, one)
    first[other] = one


def _counted_sizes(loop: Node, end: Value, makers: Mapping[Value, Node]) -> Iterator[Dim]:
    """The sizes of axes that a loop goes along with its counter, or up to where it ends, if they are not longer."""
    counter = loop.regions[0].inputs[0]
    rounds = _rounds(loop, makers)
    for node in loop.regions[0].walk():
        if node.op in AXES:
            indices = node.inputs[2 if node.op == "set_index" else 1 :]
            for index, axis in zip(indices, AXES[node.op](node), strict=False):
                form = linear(index, makers.get)
                steps, rest = form.terms.get(counter, 0), form.without(counter)
                furthest = (rest + (rounds + Linear({}, -1)).times(steps)) - Linear({end: 1})
                if (steps > 0 or end in rest.terms) and (furthest.terms or furthest.constant < (0 if steps else 1)):
                    yield node.inputs[0].type.shape[axis]


AXES: dict[str, Callable[[Node], Sequence[int]]] = {
    "take": lambda node: (node.attrs["axis"],),
    "slice": lambda node: node.attrs["axes"],
    "gather_nd": lambda node: range(node.attrs["axis"], node.attrs["axis"] + len(node.inputs) - 1),
    "set_index": lambda node: range(len(node.inputs) - 2),
}
"""The axes along which the operands behind the array, and behind what is written, are places."""


# ---------------------------------------------------------------- the second version


def _with_sizes(program: GraphProgram, assumed: Sequence[Same]) -> GraphProgram:
    """The program for what is the same: its types say so, and it reads sizes instead of numbers."""
    inputs = program.graph.inputs
    names: dict[str, Dim] = {}
    for same in assumed:
        if same.axis is not None:
            name = symbol_name(inputs[same.number].type.shape[same.axis])
            names[name] = inputs[same.array].type.shape[same.of]
    numbers = [same for same in assumed if same.axis is None]
    sizes = {inputs[same.number]: inputs[same.array].type.shape[same.of] for same in numbers}
    given = {symbol_name(size) for value in inputs for size in value.type.shape}
    names |= {name: size for name, size in _made_of(program.graph, sizes).items() if name not in given}
    result = with_sizes(program, names)
    taken = Names(value.name for value in result.graph.values())
    for same in numbers:
        read = Value(taken.fresh(f"{inputs[same.number].name}.size"), PY_INT)
        replace_values(result.graph, {result.graph.inputs[same.number]: read})
        result.graph.nodes.insert(0, Node("dim", [result.graph.inputs[same.array]], [read], {"axis": same.of}))
    return result


def _made_of(graph: Graph, sizes: Mapping[Value, Dim]) -> dict[str, Dim]:
    """The sizes of arrays that are made of numbers which are sizes, by their names."""
    makers = graph.makers()
    found: dict[str, Dim] = {}
    for node in graph.walk() if sizes else ():
        if node.op in MAKERS:
            for value, size in zip(node.inputs[1:], node.outputs[0].type.shape, strict=False):
                form = linear(value, makers.get)
                if symbol_name(size) and form.terms and sizes.keys() >= form.terms.keys():
                    found[symbol_name(size)] = sum((sizes[v] * k for v, k in form.terms.items()), dim(form.constant))
    return found


def _work(graph: Graph, rounds: int = 1) -> int:
    """How many operations a graph does; a branch costs two, and half of one for each value that it hands on.

    Collecting rows is no work: back ends do that for what a round gives.
    """
    total = 0
    for node in graph.nodes:
        if node.op == "if":
            total += rounds * (2 + len(node.outputs) // 2)
        elif node.op == "set_index" and node.inputs[0] in graph.inputs:
            total += rounds * WRITE
        elif node.op not in FREE and not _collects(node, graph):
            total += rounds
        for region in node.regions:
            total += _work(region, rounds * ROUNDS if node.op == "loop" else rounds)
    return total


def _collects(node: Node, body: Graph) -> bool:
    """Whether a node puts a row behind those that a loop has collected."""
    return node.op == "concatenate" and node.inputs[0] in body.inputs and node.outputs[0] in body.outputs


def _either(general: GraphProgram, special: GraphProgram, assumed: Sequence[Same]) -> GraphProgram:
    """One of two versions, by whether all is the same."""
    graph, other = general.graph, special.graph
    names = Names(value.name for value in graph.values())
    for value in other.values():
        value.name = names.fresh(value.name)
    replace_values(other, dict(zip(other.inputs, graph.inputs, strict=True)))
    nodes: list[Node] = []

    def made(op: str, inputs: list[Value], name: str, type_: TensorType, **attrs: int) -> Value:
        result = Value(names.fresh(name), type_)
        nodes.append(Node(op, inputs, [result], attrs))
        return result

    def size(number: int, axis: int | None) -> Value:
        value = graph.inputs[number]
        return value if axis is None else made("dim", [value], "size", PY_INT, axis=axis)

    tests = [
        made("equal", [size(same.number, same.axis), size(same.array, same.of)], "same", PY_BOOL) for same in assumed
    ]
    test = functools.reduce(lambda a, b: made("bitwise_and", [a, b], "same", PY_BOOL), tests)
    outputs = [Value(names.fresh(value.name), value.type) for value in graph.outputs]
    sides = [Graph([], version.nodes, version.outputs) for version in (other, graph)]
    nodes.append(Node("if", [test], outputs, {}, sides))
    condition = " and ".join(_text(graph, same) for same in assumed)
    return replace(
        general, graph=Graph(graph.inputs, nodes, outputs), loops=_reports(general.loops, special.loops, condition)
    )


def _text(graph: Graph, same: Same) -> str:
    one = graph.inputs[same.number].name + ("" if same.axis is None else f".shape[{same.axis}]")
    return f"{one} is {graph.inputs[same.array].name}.shape[{same.of}]"


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
