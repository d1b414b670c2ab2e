"""Models that runtimes other than onnxruntime take: the same results, without what they choke on.

    y = Loop(n, true, x), gives 1         r = Loop(n, true, x), gives 1; y = Where(n > 0, r, x)
    y = Loop(n, true, x)                  y = Loop(n > 0 ? n : 0, true, x)
    y = Loop(n, true), collects v         r = Loop(n, true), collects v; y = Slice(r, 0, n > 0 ? 2147483647 : 0)

Of a loop without rounds, what it has collected is in OpenVINO what it had collected in the run before, and a carried
value that no round reads outside of branches is anything.  In tract, which has a Scan in its place, all that is carried
is zero then, of float32 (0.23).
Of a model that it reads from a path, it takes what inner graphs read of the graph around them, and that graph gives,
for results of the inner graphs, too (2026.4).  NaN is greater than any number there, and less than none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnx.avoided import (
    CONSTANT_SIDE,
    LOOPS,
    NOTHING,
    OPEN_RESULTS,
    OTHER_SIDES,
    OUTER_WRITES,
    TWO_BRANCHES,
    Avoided,
)
from graph_program.backends.onnx.portable_loops import without_loops
from graph_program.backends.onnx.portable_sides import with_chosen_sides, with_one_size, without_cheap_sides
from graph_program.backends.onnx.portable_sizes import with_kept_results, with_open_sizes, without_empty_constants
from graph_program.backends.onnx.portable_writes import with_copies
from graph_program.backends.onnx.pruning import read_values
from graph_program.backends.onnx.shapes import attribute

if TYPE_CHECKING:
    from graph_program.backends.onnx.builder import Builder, Tensor

ALL = int(np.iinfo(np.int32).max)
"""The end of a slice that cuts nothing off, also where integers have 32 bits."""
FROM_THE_OTHER_SIDE = {"Greater": "Less", "GreaterOrEqual": "LessOrEqual"}
"""Comparisons, and what they are with their operands exchanged."""


def loop_results(builder: Builder, inputs: Sequence[Tensor], body: ir.Graph, results: Sequence[Tensor]) -> list[Tensor]:
    """The results of a loop, right also where it has no rounds.

    Parameters
    ----------
    builder : Builder
    inputs : sequence of Tensor
        Of the loop: trips, condition, initial values.
    body : onnx_ir.Graph
    results : sequence of Tensor
        What the loop gives.
    """
    initial = inputs[2:]
    read, is_scan = {value for node in body for value in node.inputs}, LOOPS in builder.avoided.forms
    lost = [i for i, value in enumerate(body.inputs[2:]) if is_scan or value not in read]
    runs = _has_rounds(builder, inputs[0], inputs[1]) if lost or len(results) > len(initial) else None
    if runs is None:
        return list(results)
    found = list(results)
    for i in lost:
        found[i] = _chosen(builder, runs, results[i], initial[i], body.inputs[2 + i].shape)
    if len(results) > len(initial):
        start = builder.ints(0)
        end = (runs.cast(inputs[0].dtype) * ALL).op("Unsqueeze", start)
        found[len(initial) :] = [stack.op("Slice", start, end, start) for stack in results[len(initial) :]]
    return found


def rounds(trips: Tensor) -> Tensor:
    """How many rounds a loop has at most, as a number that is not negative: with such a one, OpenVINO goes on for ever.

    A Scan that stands in its place is over a range, which has none then.
    """
    is_needed = trips.builder.is_portable and LOOPS not in trips.builder.avoided.forms and trips.known is None
    return (trips > 0).where(trips, 0) if is_needed else trips


def _has_rounds(builder: Builder, trips: Tensor, condition: Tensor) -> Tensor | None:
    """Whether a loop has rounds; None where it always has."""
    tests = [] if trips.known is not None and int(trips.known) > 0 else [trips > 0]
    if condition.known is None or not condition.known:
        tests.append(condition)
    return reduce(and_, tests) if tests else None


def _chosen(builder: Builder, runs: Tensor, result: Tensor, initial: Tensor, shape: ir.Shape | None) -> Tensor:
    """The result of rounds, or where there are none, the initial value; with the sign of its zero."""
    number, kind = shape is not None and not len(shape), result.dtype.kind
    if LOOPS in builder.avoided.forms:
        wide = result.dtype if kind == "f" or result.dtype.itemsize == 8 else np.dtype(np.int64)
        return runs.where(result.cast(wide), initial.cast(wide)).cast(result.dtype)
    if number and kind == "b":
        return (runs & result) | (~runs & initial)
    if number and kind != "f" and builder.kernels.has("Where", result.dtype):
        return runs.where(result, initial)
    return builder.branch(runs, lambda: [result], lambda: [initial], [result.dtype])[0]


def with_one_more(x: Tensor, rank: int, axis: int) -> Tensor:
    """A tensor with another zero at the end of an axis, so that a sum along it has terms.

    OpenVINO has no products of matrices that sum nothing where it fuses them with what follows.
    """
    pads = np.zeros((2, rank), np.int64)
    pads[1, axis] = 1
    return x.op("Pad", x.builder.constant(pads.ravel()))


def make_portable(
    graph: ir.Graph,
    unique: Callable[[str], str],
    avoided: Avoided = NOTHING,
    placeholders: Collection[ir.Value] = (),
) -> None:
    """Write a graph without what other runtimes choke on, and with ranks wherever they are known, in place.

    Parameters
    ----------
    graph : onnx_ir.Graph
    unique : callable
        Makes a name unique.
    avoided : Avoided
        What one runtime has not, for which the model is.
    placeholders : collection of onnx_ir.Value
        Constants of which nothing is used.
    """
    if LOOPS in avoided.forms:
        without_loops(graph, unique)
    without_empty_constants(graph, unique)
    _with_equal_ranks(graph)
    with_open_sizes(graph, unique)
    _with_comparisons_that_nan_fails(graph)
    if TWO_BRANCHES in avoided.forms:
        without_cheap_sides(graph, unique, placeholders)
    if OTHER_SIDES in avoided.forms:
        with_one_size(graph, unique, placeholders)
    if CONSTANT_SIDE in avoided.forms:
        with_chosen_sides(graph, unique)
    if OUTER_WRITES in avoided.forms and LOOPS not in avoided.forms:
        with_copies(graph, unique)
    if OPEN_RESULTS in avoided.forms:
        with_kept_results(graph, unique)
    _with_outputs_apart(graph, unique)
    _without_names_of_sizes(graph)


def _with_comparisons_that_nan_fails(graph: ir.Graph) -> None:
    """Ask what is less, where it is asked what is greater, in place."""
    for node in ir.traversal.RecursiveGraphIterator(graph):
        less = FROM_THE_OTHER_SIDE.get(node.op_type)
        if less is not None and not node.domain:
            left, right = node.inputs
            node.op_type = less
            node.replace_input_with(0, right)
            node.replace_input_with(1, left)


def _with_outputs_apart(graph: ir.Graph, unique: Callable[[str], str]) -> None:
    """Give copies of what inner graphs read as well, from a graph and its inner graphs, in place."""
    inner = [value.as_graph() for node in graph for value in node.attributes.values() if _is_graph(value)]
    for each in inner:
        _with_outputs_apart(each, unique)
    read = {value for each in inner for value in read_values(each)}
    for place, output in enumerate(graph.outputs):
        made = output.producer()
        if output in read and made is not None:
            copy = ir.Value(name=output.name, type=output.type, shape=output.shape)
            output.name = unique(f"{output.name}.read")
            node = ir.Node("", "Identity", [output], outputs=[copy], name=f"Identity_{output.name}")
            node.metadata_props.update(made.metadata_props)
            graph.append(node)
            graph.outputs[place] = copy


def _without_names_of_sizes(graph: ir.Graph) -> None:
    """Leave the names of sizes to inputs and outputs of the model, in place.

    A runtime that is told the sizes of a run has no use for names inside, and tract refuses numbers in their place.
    """
    kept = {*graph.inputs, *graph.outputs}
    for node in ir.traversal.RecursiveGraphIterator(graph):
        inner = (value.as_graph() for value in node.attributes.values() if _is_graph(value))
        for value in (*node.outputs, *(one for each in inner for one in each.inputs)):
            if value.shape is not None and value not in kept:
                value.shape = ir.Shape([size if isinstance(size, int) else None for size in value.shape])


def _is_graph(value: ir.Attr) -> bool:
    return value.type == ir.AttributeType.GRAPH


def _with_equal_ranks(graph: ir.Graph) -> None:
    """Say the rank of what an `If` gives on both sides, and of what a `Loop` carries, where it is said in one place.

    The sides of branches in learned models may give other ranks.
    """
    nodes = [*ir.traversal.RecursiveGraphIterator(graph)]
    open_ranks = _open_ranks(nodes)
    for group in (group for node in reversed(nodes) for group in _groups(node)):
        if open_ranks.isdisjoint(group):
            _equal_ranks(group)


def _groups(node: ir.Node) -> Iterable[tuple[ir.Value, ...]]:
    """The values of branches and loops that have one rank in programs: each result, and what gives it."""
    match node.op_type:
        case "If":
            sides = [attribute(node, name).outputs for name in ("then_branch", "else_branch")]
            return zip(node.outputs, *sides, strict=True)
        case "Loop":
            body, count = attribute(node, "body"), len(node.inputs) - 2
            return zip(node.outputs[:count], body.inputs[2:], body.outputs[1 : 1 + count], strict=True)
    return ()


def _open_ranks(nodes: Sequence[ir.Node]) -> set[ir.Value]:
    """Results of branches and loops that are given in several ranks, and what is made of them without a rank said."""
    found = set[ir.Value]()
    before = -1
    while before < len(found):
        before = len(found)
        for node in nodes:
            for result, *given in _groups(node):
                ranks = {len(value.shape) for value in given if value.shape is not None}
                if len(ranks) > 1 or _any_open(given, found):
                    found.add(result)
            if _any_open(node.inputs, found):
                found.update(value for value in node.outputs if value.shape is None)
    return found


def _any_open(values: Iterable[ir.Value | None], found: Collection[ir.Value]) -> bool:
    return any(value is not None and value.shape is None and value in found for value in values)


def _equal_ranks(values: Collection[ir.Value]) -> None:
    known = next((value.shape for value in values if value.shape is not None), None)
    type_ = next((value.type for value in values if value.type is not None), None)
    for value in values:
        value.type = value.type or type_
        if value.shape is None and known is not None:
            value.shape = ir.Shape([None] * len(known))


__all__ = ["ALL", "loop_results", "make_portable", "rounds", "with_one_more"]
