"""What of a model is quantized: what is named, without what is excluded; the refusal where that is nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import onnx_ir as ir

from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.quantized.candidates import Candidate, candidates, wide_products
from graph_program.quantized.collected import bodies, graphs_of
from graph_program.quantized.constants import Constants
from graph_program.quantized.options import Quantization
from graph_program.quantized.places import Places

MOVED = frozenset([
    "Cast", "Concat", "Constant", "ConstantOfShape", "Expand", "Flatten", "Gather", "Identity", "Reshape",
    "ScatterND", "Shape", "Size", "Slice", "Split", "Squeeze", "Transpose", "Unsqueeze", "Where",
])  # fmt: skip
"""Operators that only move numbers, whose errors are those of what they move."""
MANY = 6
"""Lines that a message names at most."""


class Choice:
    """The operations of one model that are quantized."""

    def __init__(self, asked: Quantization, places: Places, loc: Loc):
        self.asked, self.places, self.loc = asked, places, loc

    def wanted(self, node: ir.Node) -> bool:
        """Whether an operation is named, or nothing is, and it is not excluded."""
        named = not self.asked.only or self.places.any_of(node, self.asked.only)
        return named and not self.places.any_of(node, self.asked.exclude)

    def for_int8(self, model: ir.Model, constants: Constants) -> list[Candidate]:
        """What is quantized with integers."""
        return [one for one in candidates(model, constants) if self._is_worth(one) and self.wanted(one.node)]

    def _is_worth(self, one: Candidate) -> bool:
        """Whether an operation gets better by it; what is named is what somebody has tried."""
        if self.asked.only:
            return True
        slow = one.node.op_type == "Conv" and self.asked.calibration is None  # several times slower in onnxruntime
        return one.size >= self.asked.smallest and not slow

    def for_float16(self, model: ir.Model) -> list[ir.Node]:
        """What computes in 16 bits, without what only moves numbers."""
        return [node for node in _computing(model) if self.wanted(node)]

    # ------------------------------------------------------------ refusals

    def require_names(self, model: ir.Model) -> None:
        """Refuse lines and functions that nothing in a model comes from (GP548)."""
        nodes = [node for graph in graphs_of(model.graph) for node in graph]
        for name, near in self.places.unknown((*self.asked.only, *self.asked.exclude), nodes):
            text = f"nothing in the model comes from {name!r}"
            hint = f"perhaps {' or '.join(map(repr, near))} is meant" if near else self._lines_of(model)
            raise self.refused(text, hint)

    def require_some(self, model: ir.Model, chosen: Sequence[object]) -> None:
        """Refuse a model of which nothing is quantized (GP548)."""
        if chosen:
            return
        raise self._nothing_for_int8(model) if self.asked.kind == "int8" else self._nothing_for_float16(model)

    def _nothing_for_int8(self, model: ir.Model) -> ExportError:
        found = list(candidates(model, Constants()))
        if found:
            largest = max(one.size for one in found)
            if self.asked.only or self.asked.exclude:
                return self.refused("nothing that int8 quantizes is named", self._lines_of(model))
            if largest >= self.asked.smallest:
                text = "there is nothing to quantize but convolutions, which are slower with the ranges of each run"
                return self.refused(text, "give a calibration set, or name their lines in `only`", found[0].node)
            text = f"the largest matrix has {largest} numbers, and smaller ones than {self.asked.smallest} stay float32"
            return self.refused(text, f"name its line in `only`, or give `smallest={largest}`")
        wide = next(wide_products(model), None)
        if wide is not None:
            return self._in_float64(wide)
        text = "there is nothing to quantize: no product of float32 numbers with a matrix that is known at export"
        return self.refused(text, "captured arrays are known, and parameters that are named in `static`")

    def _nothing_for_float16(self, model: ir.Model) -> ExportError:
        if self.asked.only or self.asked.exclude:
            return self.refused("nothing of float32 is named", "name other lines or functions")
        nodes = (node for graph in graphs_of(model.graph) for node in graph)
        wide = next((n for n in nodes if any(value.dtype == ir.DataType.DOUBLE for value in n.outputs)), None)
        if wide is not None:
            return self._in_float64(wide)
        return self.refused("there is nothing to quantize: nothing is computed in float32", "export it as it is")

    def _in_float64(self, node: ir.Node) -> ExportError:
        text = "this computes in float64, of which nothing is quantized"
        return self.refused(text, "export it with `float='float32'` besides, or write it with float32 arrays", node)

    def _lines_of(self, model: ir.Model) -> str:
        if self.asked.kind == "int8":
            nodes = [one.node for one in candidates(model, Constants())]
        else:
            nodes = list(_computing(model))
        lines = list(dict.fromkeys(line for node in nodes for line in self.places.lines(node)[:1]))
        more = ", ..." if len(lines) > MANY else ""
        return f"lines with something to quantize are {', '.join(lines[:MANY])}{more}" if lines else ""

    def refused(self, text: str, hint: str = "", node: ir.Node | None = None) -> ExportError:
        """The refusal, at an operation's line."""
        loc = None if node is None else self.places.loc(node)
        return ExportError(Diagnostic("GP548", text, loc or self.loc, hint=hint))


def _computing(model: ir.Model) -> Iterator[ir.Node]:
    """What computes in float32."""
    for graph in graphs_of(model.graph):
        for node in graph:
            values = [value for value in (*node.inputs, *node.outputs) if value is not None]
            takes = any(value.dtype == ir.DataType.FLOAT for value in values)
            moves = any(isinstance(value.type, ir.SequenceType) for value in values)
            if takes and not moves and node.op_type not in MOVED and not bodies(node):
                yield node


__all__ = ["Choice"]
