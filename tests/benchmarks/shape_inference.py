"""Dims that are known of a model's tensors, and the time to find them, beside onnx and onnxruntime.

The tensors are those that stand for a value of the program's graph, in the bodies of `If` and `Loop`
too; a dim is known if it is a number, or an expression of the names of the inputs' dims (a name that
an inference makes up says nothing).  The peers get the model that a call runs, without its shapes, and are
timed on that model in memory.  Ours is timed twice: the type rules alone (every operation's, with loops' and
branches' merges gone through as often as they need it), and the whole stage that they are part of, which
reads the function's source, inlines its calls and evaluates its loops.
"""

from __future__ import annotations

import functools
import logging
import re
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import onnx

from graph_program.backends.onnx.emit import emit, to_proto
from graph_program.extract.ir.graph import Graph
from graph_program.extract.stage.machine import machine
from graph_program.extract.types.tensors.tensor_type import TensorType
from graph_program.samples import coins, kalman, lstm
from tests.benchmarks import models
from tests.benchmarks.measure import MISSING, Row, interleaved, three_digits

Names = frozenset[str]
Dims = dict[str, list[str]]
"""The dims of each tensor by its name, as text; "" for one that is not known."""


@dataclass
class Subject:
    """A program with its model, without shapes.

    Attributes
    ----------
    known : dict
        Our dims.
    stage : callable
        Finds our types once more.
    """

    title: str
    model: onnx.ModelProto
    given: Names
    known: Dims
    stage: Callable[[], object]


def programs() -> dict[str, Any]:
    """The programs, by title."""
    return {
        "LSTM": lstm.lstm,
        "Kalman smoother": kalman.smooth_track,
        "coins": coins.count_coins,
        "transformer encoder": models.encoder,
        "convolutions": models.network,
        "operations": models.operations,
    }


def subject(title: str, program: Any) -> Subject:
    """A program extracted for its annotations, and exported."""
    calls = program._ready()
    specs, values = calls.types(None)
    extraction = calls.find(specs, values, calls.options.dims).extraction
    graph = extraction.session.graph
    given = frozenset(name for value in graph.inputs for d in value.type.shape for name in d.symbols)
    model = to_proto(emit(extraction.session, include_errors=False))
    tensors = {name for graph_proto in _graphs(model.graph) for node in graph_proto.node for name in node.output}
    known = {name: dims for name, dims in _ours(graph, given).items() if name in tensors}
    _strip(model)
    return Subject(title, model, given, known, lambda: _types(calls, specs, values))


def _types(calls: Any, specs: Any, values: Any) -> object:
    from graph_program.extract.stage.machine.options import Options
    from graph_program.extract.stage.program.evaluate import evaluate_program

    home = (calls.fn.__module__ or "").partition(".")[0]
    return evaluate_program(calls.fn, dict(specs), values=values, options=Options(home=home))


def _ours(graph: Graph, given: Names) -> Dims:
    found: Dims = {}
    for node in graph.nodes:
        for value in node.outputs:
            found[value.name] = [str(d) if d.symbols <= given else "" for d in value.type.shape]
        for region in node.regions:
            found.update(_ours(region, given))
    return found


def _graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """A graph and those inside it."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _graphs(attribute.g)


def _strip(model: onnx.ModelProto) -> None:
    """Take away every shape except those of the model's inputs."""
    for graph in _graphs(model.graph):
        del graph.value_info[:]
        for value in graph.output:
            value.type.tensor_type.ClearField("shape")
        if graph is not model.graph:
            for value in graph.input:
                value.type.tensor_type.ClearField("shape")


# ---------------------------------------------------------------- peers


def _known(model: onnx.ModelProto, given: Names) -> Dims:
    found: Dims = {}
    for graph in _graphs(model.graph):
        for value in [*graph.value_info, *graph.output, *graph.input]:
            shape = value.type.tensor_type.shape
            found[value.name] = [_text(d, given) for d in shape.dim]
    return found


def _text(d: onnx.TensorShapeProto.Dimension, given: Names) -> str:
    if d.HasField("dim_value"):
        return str(d.dim_value)
    names = set(re.findall(r"[A-Za-z_]\w*", d.dim_param)) - FUNCTIONS
    return d.dim_param if d.dim_param and names <= given else ""


FUNCTIONS = {"floor", "Max", "Min", "max", "min", "ceiling"}


def with_onnx(model: onnx.ModelProto) -> onnx.ModelProto:
    """onnx's own inference, with the values of shapes propagated."""
    return onnx.shape_inference.infer_shapes(model, data_prop=True)


def with_onnxruntime(model: onnx.ModelProto) -> onnx.ModelProto:
    """onnxruntime's symbolic inference, which is written in Python and needs sympy."""
    from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference

    inferred: onnx.ModelProto = SymbolicShapeInference.infer_shapes(model, auto_merge=True)
    return inferred


PEERS: dict[str, Callable[[onnx.ModelProto], onnx.ModelProto]] = {
    "onnx": with_onnx,
    "onnxruntime": with_onnxruntime,
}


def counted(known: Dims, wanted: Dims) -> tuple[int, int]:
    """How many of the dims of the wanted tensors are known, and how many there are."""
    total = sum(len(dims) for dims in wanted.values())
    found = 0
    for name, dims in wanted.items():
        theirs = known.get(name, [])
        found += sum(map(bool, theirs)) if len(theirs) == len(dims) else 0
    return found, total


def rows(quick: bool) -> list[Row]:
    """For each program: known dims and milliseconds of each; the ratio is that of the times."""
    logging.getLogger("onnxruntime.tools.symbolic_shape_infer").setLevel(logging.CRITICAL)
    return [row for title, program in programs().items() for row in _rows(subject(title, program), 1 if quick else 5)]


def _rows(subject: Subject, rounds: int) -> list[Row]:
    known, work, failed = _results(subject)
    alone: list[float] = []
    seconds = interleaved({"stage": lambda: alone.append(_seconds_in_rules(subject.stage)), **work}, rounds)
    times = {"graph_program, type rules": statistics.median(alone), **seconds}
    times = {"graph_program, stage" if name == "stage" else name: value for name, value in times.items()}
    made = []
    for name, taken in times.items():
        count, total = counted(known.get(name, subject.known), subject.known)
        median = f"{count} of {total} dims, {three_digits(taken * 1000)} ms"
        made.append(Row(subject.title, name, median, three_digits(taken / times["graph_program, type rules"])))
    return made + failed


def _results(subject: Subject) -> tuple[dict[str, Dims], dict[str, Callable[[], object]], list[Row]]:
    """What each peer knows, its work for the clock, and a row for each one that fails."""
    known: dict[str, Dims] = {}
    work: dict[str, Callable[[], object]] = {}
    failed = []
    for name, infer in PEERS.items():
        try:
            known[name] = _known(infer(_copied(subject.model)), subject.given)
        except ModuleNotFoundError:
            failed.append(Row(subject.title, name, MISSING))
        except Exception as error:  # a peer may fail in any way
            failed.append(Row(subject.title, name, f"fails: {type(error).__name__}"))
        else:
            work[name] = functools.partial(infer, subject.model)
    return known, work, failed


def _seconds_in_rules(stage: Callable[[], object]) -> float:
    """Seconds that a stage spends in the type rules of operations."""
    original, seconds = machine.infer, 0.0

    def timed(*args: Any, **kwargs: Any) -> TensorType:
        nonlocal seconds
        start = time.perf_counter()
        try:
            return original(*args, **kwargs)
        finally:
            seconds += time.perf_counter() - start

    machine.infer = timed  # type: ignore[assignment]
    try:
        stage()
    finally:
        machine.infer = original
    return seconds


def _copied(model: onnx.ModelProto) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy
