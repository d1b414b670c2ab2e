"""The steps of a quantized export: a model of floats goes in, a smaller one and its report come out."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import onnx
import onnx_ir as ir
from onnx_ir.passes.common import InlinePass, NameFixPass, RemoveUnusedNodesPass

from graph_program.backends.models.moved_batches import keep_apart, moved_batches
from graph_program.backends.onnx import implicit_inputs
from graph_program.backends.onnxruntime.session import RUN_ERRORS, reason
from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.quantized.candidates import Candidate
from graph_program.quantized.choice import Choice
from graph_program.quantized.collected import bodies, graphs_of
from graph_program.quantized.constants import Constants
from graph_program.quantized.float16 import in_float16, twin_in_float16
from graph_program.quantized.int8 import MICROSOFT, Tool, share
from graph_program.quantized.measured import (
    Twins,
    changed,
    decisions_of,
    errors_of_lines,
    line_of,
    outputs_apart,
)
from graph_program.quantized.options import Quantization
from graph_program.quantized.places import Places
from graph_program.quantized.ranges import Raised, Ranges, ranges_of
from graph_program.quantized.report import LineError, QuantizationReport
from graph_program.quantized.running import Feed, seconds_side_by_side, session_of

PATIENCE = 10.0
"""Seconds that a run of a quantized model has at least."""
LARGEST = 2**31 - 1
"""Bytes of a message of protobuf, which onnxruntime's tools take."""


@dataclass(frozen=True)
class Quantized:
    """A quantized model.

    Attributes
    ----------
    model : onnx_ir.Model
    report : QuantizationReport
        Without what has to be run.
    """

    model: ir.Model
    report: QuantizationReport


class Quantizing:
    """One model on its way.

    Parameters
    ----------
    model : onnx_ir.Model
        It is not changed.
    asked : Quantization
    places : Places
    loc : Loc
        Of the program.
    """

    def __init__(self, model: ir.Model, asked: Quantization, places: Places, loc: Loc):
        self.asked, self.places, self.loc = asked, places, loc
        self.float_model = _prepared(model, loc)
        self.choice = Choice(asked, places, loc)
        self.ranges: Ranges | None = None
        self.made: dict[str, onnx.ModelProto] = {}
        self.examples = 0
        self.error_output = self.float_model.metadata_props.get("error_output", "")

    def quantized(self, calibration: Iterable[Feed] | None = None) -> Quantized:
        """The model with what was chosen in fewer bits.

        Parameters
        ----------
        calibration : iterable of feeds, optional
            For int8 with fixed ranges.

        Raises
        ------
        ExportError
            GP548 where there is nothing to quantize, GP549 without examples.
        """
        model = self.float_model.clone()
        self.choice.require_names(model)
        kept: tuple[str, ...] = ()
        if self.asked.kind == "int8":
            if calibration is not None:
                self._calibrate(calibration)
            twins, kept = self._int8_twins(model)
            for node, outputs in twins:
                _take(node, outputs)
            share(graphs_of(model.graph))
            implicit_inputs.keep_apart(model, str, {})  # names are made unique at the end
            Constants().fold_sums(model)
        else:
            self.choice.require_some(model, self.choice.for_float16(model))
            in_float16(model, lambda node: not self.choice.wanted(node), self.asked.keep_types)
            keep_apart(moved_batches(model.graph))
        _finish(model)
        size, float_size = (ir.to_proto(one).ByteSize() for one in (model, self.float_model))
        asked = self.asked if self.examples else replace(self.asked, calibration=None)
        return Quantized(model, QuantizationReport(asked.text, size, float_size, examples=self.examples, kept=kept))

    def measured(self, made: Quantized, feed: Feed | None) -> QuantizationReport:
        """The report with what a run on an example shows; without one, with the lines."""
        if feed is None or not _can_be_fed(self.float_model):
            return replace(made.report, lines=self._lines(None))
        sessions = session_of(self.float_model), session_of(made.model)
        start = time.perf_counter()
        try:
            slow_outputs = sessions[0].all_of(feed)
        except RUN_ERRORS as error:
            text = f"the float model fails in onnxruntime: {reason(error)}"
            return replace(made.report, lines=self._lines(None), failed=text)
        try:
            lines = self._lines(feed)
        except RUN_ERRORS as error:
            text = f"an operation in fewer bits fails in onnxruntime: {reason(error)}"
            return replace(made.report, lines=self._lines(None), failed=text)
        report = replace(made.report, lines=lines)
        failed = sessions[1].failure(feed, max(PATIENCE, 100 * (time.perf_counter() - start)))
        if failed:
            return replace(report, failed=failed)
        slow, fast = seconds_side_by_side(sessions, feed)
        apart = outputs_apart(self._shown(slow_outputs), sessions[1].all_of(feed))
        before, after = (decisions_of(one.clone(), feed) for one in (self.float_model, made.model))
        return replace(
            report, seconds=fast, float_seconds=slow, outputs=apart, number=_deciding(self.float_model),
            decisions=changed(self.float_model, self.places, before, after),
        )  # fmt: skip

    def _lines(self, feed: Feed | None) -> tuple[LineError, ...]:
        model = self.float_model.clone()
        twins = self._int8_twins(model)[0] if self.asked.kind == "int8" else self._float16_twins(model)
        return errors_of_lines(model, twins, feed, lambda node: line_of(self.places, node))

    def _shown(self, outputs: dict[str, Any]) -> dict[str, Any]:
        """The outputs that are results; the error where there is one, without the arguments of its message."""
        names = list(outputs)
        if self.error_output not in names:
            return outputs
        place = names.index(self.error_output)
        return {name: outputs[name] for name in names[: place + bool(outputs[self.error_output])]}

    def _calibrate(self, feeds: Iterable[Feed]) -> None:
        if not _can_be_fed(self.float_model):
            text = "programs with arguments or results of bfloat16 cannot be calibrated"
            hint = "leave the calibration out: then each run finds its ranges"
            raise ExportError(Diagnostic("GP549", text, self.loc, hint=hint))
        model = self.float_model.clone()
        chosen = self.choice.for_int8(model, Constants())
        self.choice.require_some(model, chosen)
        users = [(one.node, _ranged(one)) for one in chosen]
        try:
            self.ranges, self.examples = ranges_of(model, users, feeds, self.error_output)
        except Raised as raised:
            raise self._raises(raised) from None
        if not self.examples:
            text = "the calibration set is empty"
            hint = "give some arguments, as `calibration=[(x,), (y,)]`, or leave it out: then each run finds its ranges"
            raise ExportError(Diagnostic("GP549", text, self.loc, hint=hint))
        if not any(values for _, values in users):  # layers and tables of which each run finds the ranges
            self.examples = 0

    def _raises(self, raised: Raised) -> ExportError:
        example = f"example {raised.number} of the calibration set"
        if raised.said:
            text, hint = f"onnxruntime fails with {example}: {raised.said}", "leave that example out"
        else:
            info = json.loads(self.float_model.metadata_props["errors"])[raised.error - 1]
            text = f"the program raises {info['exception']} with {example}"
            hint = f"leave that example out; it is raised at {info['source']}"
        return ExportError(Diagnostic("GP549", text, self.loc, hint=hint))

    def _int8_twins(self, model: ir.Model) -> tuple[Twins, tuple[str, ...]]:
        """The operations that are quantized, with what stands for them, and the lines of those that stay float32."""
        constants = Constants()
        asked = self.asked
        tool = Tool(asked.per_channel, self.ranges, constants, model.graph, self.made)
        chosen = self.choice.for_int8(model, constants)
        self.choice.require_some(model, chosen)
        twins, kept = [], []
        for one in chosen:
            keys = [(str(one.node.name), str(value.name)) for value in _ranged(one)]
            unseen = self.ranges is not None and any(key not in self.ranges for key in keys)
            outputs = None if unseen else tool.beside(one)
            if outputs is not None:
                twins.append((one.node, outputs))
            elif unseen:
                kept.append(line_of(self.places, one.node))
        if not twins:
            raise self._none_is_quantized(chosen[0].node, bool(kept))
        return twins, tuple(dict.fromkeys(kept))

    def _none_is_quantized(self, node: ir.Node, unseen: bool) -> ExportError:
        if unseen:
            text = "no example of the calibration set reaches what would be quantized, with finite numbers other than 0"
            return self.choice.refused(text, "add examples that do, or leave the calibration out", node)
        text = f"onnxruntime's tool leaves this {node.op_type} as it is"
        return self.choice.refused(text, "try it with a calibration set, or `quantize='float16'`", node)

    def _float16_twins(self, model: ir.Model) -> Twins:
        return [(node, twin_in_float16(node)) for node in self.choice.for_float16(model)]


def _ranged(candidate: Candidate) -> Sequence[ir.Value]:
    """The values whose ranges have to be known: what comes in, and of a convolution what comes out."""
    node = candidate.node
    if node.op_type in ("LSTM", "Gather"):
        return ()
    return [*candidate.activations, *(node.outputs if node.op_type == "Conv" else ())]


def _prepared(model: ir.Model, loc: Loc) -> ir.Model:
    """A copy without functions, of which all values have their types."""
    arrays = (value.const_value for value in model.graph.initializers.values())
    if sum(array.nbytes for array in arrays if array is not None) > LARGEST:
        text = "a model of 2 GiB or more cannot be quantized"
        raise ExportError(Diagnostic("GP548", text, loc, hint="quantize its parts as programs of their own"))
    made = model.clone()
    InlinePass()(made)
    _add_types(made)
    RemoveUnusedNodesPass()(made)
    NameFixPass()(made)
    return made


def _can_be_fed(model: ir.Model) -> bool:
    """Whether NumPy has the types of inputs and outputs."""
    return ir.DataType.BFLOAT16 not in {value.dtype for value in (*model.graph.inputs, *model.graph.outputs)}


def _add_types(model: ir.Model) -> None:
    """Say of all values what their types are, and how many axes they have.

    Networks that are called may not say it.  The sizes that ONNX finds are left out: it names them anew in each graph.
    """
    values = _values(model)
    if all(value.dtype is not None for value in values):
        return
    inferred = ir.from_proto(onnx.shape_inference.infer_shapes(ir.to_proto(model)))
    for value, known in zip(values, _values(inferred), strict=True):
        value.type = value.type or known.type
        if value.shape is None and known.shape is not None:
            value.shape = ir.Shape([None] * known.shape.rank())


def _values(model: ir.Model) -> list[ir.Value]:
    return [value for graph in graphs_of(model.graph) for node in graph for value in node.outputs]


def _take(node: ir.Node, outputs: Sequence[ir.Value]) -> None:
    """Put what stands for an operation in its place."""
    graph = node.graph
    assert isinstance(graph, ir.Graph)
    for old, new in zip(node.outputs, outputs, strict=True):
        name, old.name = old.name, f"{old.name}.float32"
        new.name, new.type, new.shape = name, old.type, old.shape
    ir.convenience.replace_all_uses_with(node.outputs, list(outputs), replace_graph_outputs=True)
    graph.remove(node, safe=True)


def _finish(model: ir.Model) -> None:
    RemoveUnusedNodesPass()(model)
    NameFixPass()(model)
    if any(node.domain == MICROSOFT for graph in graphs_of(model.graph) for node in graph):
        model.opset_imports[MICROSOFT] = 1


def _deciding(model: ir.Model) -> int:
    return sum(bool(bodies(node)) for graph in graphs_of(model.graph) for node in graph)


__all__ = ["Quantized", "Quantizing"]
