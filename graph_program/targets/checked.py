"""The refusal of what a target was probed not to take, or to get wrong, at the line that needs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx
from onnx import helper, shape_inference

from graph_program.backends.onnx.messages import source_of
from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.extract.ir.graph import Node as GraphNode
from graph_program.targets.support import REFUSED, WRONG, Support

SAID = {REFUSED: "does not take", WRONG: "gets wrong"}


def require_taken(model: onnx.ModelProto, support: Support, nodes: Iterator[GraphNode], loc: Loc) -> None:
    """Refuse a model with operators that a target does not run, or runs wrongly.

    Parameters
    ----------
    model : onnx.ModelProto
    support : Support
        Of the target.
    nodes : iterator of Node
        The program's, for the places in the source.
    loc : Loc
        The program's own place.

    Raises
    ------
    ExportError
        GP547, at the first line that needs such an operator.
    """
    places = {node.loc.where: node.loc for node in nodes}
    for node, dtype in typed_nodes(model):
        verdict = support.verdict(node.op_type, dtype) if not node.domain else None
        if verdict not in SAID:
            continue
        of = f" of {dtype}" if dtype and support.overall(node.op_type) != verdict else ""
        text = f"{support.runtime} {SAID[verdict]} ONNX's {node.op_type}{of}"
        raise ExportError(
            Diagnostic(
                "GP547",
                f"{text}, as version {support.version} was probed",
                places.get(source_of(node), loc),
                hint="write this line with other operations, or export it for another target",
            )
        )


def typed_nodes(model: onnx.ModelProto) -> Iterator[tuple[onnx.NodeProto, str | None]]:
    """The nodes of a model and of its inner graphs, with the element types of their first inputs."""
    yield from _typed(shape_inference.infer_shapes(model).graph, {})


def _typed(graph: onnx.GraphProto, around: Mapping[str, str]) -> Iterator[tuple[onnx.NodeProto, str | None]]:
    types = dict(around)
    for value in (*graph.input, *graph.value_info, *graph.output):
        if value.type.tensor_type.elem_type:
            types[value.name] = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type).name
    for array in graph.initializer:
        types[array.name] = helper.tensor_dtype_to_np_dtype(array.data_type).name
    for node in graph.node:
        yield node, types.get(node.input[0]) if node.input else ""
        for attribute in node.attribute:
            if attribute.type == attribute.GRAPH:
                yield from _typed(attribute.g, types)


__all__ = ["require_taken", "typed_nodes"]
