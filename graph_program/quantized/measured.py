"""How far a quantized model is from the float one: its outputs, each line by itself, and its decisions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx_ir as ir
from onnx_ir.passes.common import NameFixPass

from graph_program.quantized.collected import ROWS, Writer, bodies, collect, graphs_of
from graph_program.quantized.deviations import Decision, Deviation, deviation
from graph_program.quantized.places import Places
from graph_program.quantized.report import LineError
from graph_program.quantized.running import Feed, as_written, session_of

Twins = Sequence[tuple[ir.Node, Sequence[ir.Value]]]
"""Operations, each with what it would give when quantized, on the same inputs."""


def outputs_apart(expected: Mapping[str, Any], found: Mapping[str, Any]) -> tuple[Deviation, ...]:
    """How far outputs are from each other."""
    return tuple(deviation(name, want, found[name]) for name, want in expected.items() if name in found)


def errors_of_lines(
    model: ir.Model, twins: Twins, feed: Feed | None, line: Callable[[ir.Node], str]
) -> tuple[LineError, ...]:
    """The error that each line adds: its quantized operations beside the float ones, in one run of the float model.

    Parameters
    ----------
    model : onnx_ir.Model
        The float model with the twins in it; it is changed.
    twins : sequence
    feed : Feed, optional
    line : callable
        Of an operation.
    """
    operations: dict[str, list[str]] = {}
    for node, _ in twins:
        operations.setdefault(line(node), []).append(node.op_type)
    worst: dict[str, LineError] = {}
    for (number, _), (error, scale) in ({} if feed is None else _errors(model, twins, feed)).items():
        node = twins[number][0]
        largest = math.inf if math.isnan(error) else error
        found = LineError(line(node), tuple(operations[line(node)]), largest, scale, str(node.name))
        if found.place not in worst or found.relative > worst[found.place].relative:
            worst[found.place] = found
    lines = (worst.get(place, LineError(place, tuple(names))) for place, names in operations.items())
    return tuple(sorted(lines, key=lambda one: -one.relative))


def _errors(model: ir.Model, twins: Twins, feed: Feed) -> dict[tuple[int, int], tuple[float, float]]:
    of_graph: dict[Any, list[int]] = {}
    for number, (node, _) in enumerate(twins):
        of_graph.setdefault(node.graph, []).append(number)

    def rows(graph: ir.Graph) -> dict[tuple[int, int], ir.Value]:
        writer, found = Writer(graph), {}
        for number in of_graph.get(graph, []):
            node, others = twins[number]
            for place, (own, other) in enumerate(zip(node.outputs, others, strict=True)):
                if own.name and own.dtype in (ir.DataType.FLOAT, None):
                    apart = writer.node("Abs", writer.node("Sub", own, other))
                    found[number, place] = writer.largest(apart, writer.node("Abs", own))
        return found

    keys = collect(model, rows, "Max", 2)
    if not keys:
        return {}
    NameFixPass()(model)  # what reads the same value is named alike
    (table,) = as_written(model).run([ROWS], feed)
    return {key: (float(error), float(scale)) for key, (error, scale) in zip(keys, table, strict=True)}


class Side(NamedTuple):
    """A graph inside of a branch or loop, by the name of its node."""

    node: str
    attribute: str


def decisions_of(model: ir.Model, feed: Feed) -> dict[Side, int]:
    """How often each side of a branch and each body of a loop runs; the model is changed."""
    inside = {
        body: Side(str(node.name), name)
        for graph in graphs_of(model.graph)
        for node in graph
        for name, body in bodies(node).items()
    }

    def rows(graph: ir.Graph) -> dict[Side, ir.Value]:
        return {inside[graph]: Writer(graph).constant(np.ones((1, 1), np.int64))} if graph in inside else {}

    keys = collect(model, rows, "Add", 1, np.int64)
    if not keys:
        return {}
    (table,) = session_of(model).run([ROWS], feed)
    return {key: int(count) for key, (count,) in zip(keys, table, strict=True)}


def changed(
    model: ir.Model, places: Places, before: Mapping[Side, int], after: Mapping[Side, int]
) -> tuple[Decision, ...]:
    """The decisions that are others."""
    found = []
    for graph in graphs_of(model.graph):
        for node in graph:
            pairs = [
                (name, before.get(Side(str(node.name), name), 0), after.get(Side(str(node.name), name), 0))
                for name in bodies(node)
            ]
            if any(was != now for _, was, now in pairs):
                found.append(Decision(line_of(places, node), _text(node, pairs)))
    return tuple(dict.fromkeys(found))


def _text(node: ir.Node, pairs: Sequence[tuple[str, int, int]]) -> str:
    if node.op_type != "If":
        return f"{pairs[0][2]} rounds instead of {pairs[0][1]}"
    was, now = ({name: count for name, *counts in pairs for count in [counts[k]]} for k in (0, 1))
    return (
        f"true {now.get('then_branch', 0)} times and false {now.get('else_branch', 0)} times, "
        f"instead of {was.get('then_branch', 0)} and {was.get('else_branch', 0)}"
    )


def line_of(places: Places, node: ir.Node) -> str:
    """The line that an operation comes from; where a file does not say it, the name of the operation."""
    return next(iter(places.lines(node)), str(node.name))


__all__ = ["changed", "decisions_of", "errors_of_lines", "line_of", "outputs_apart"]
