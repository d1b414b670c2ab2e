"""A model as a function of the model that a program becomes; calls of it are nodes, until the end, when it is inlined.

    y = net(x)        ->        y = graph_program.models.net(x, net.weight, net.bias)

What writes and rewrites the program's own nodes sees one node of another domain, and leaves it alone.  Weights are
constants of the whole model, and so one for all calls, and none of a loop's body.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from graph_program.backends.models.empty_batches import may_be_empty, take_empty_batches
from graph_program.backends.models.known import outputs_of, specialised
from graph_program.backends.models.opsets import at_version
from graph_program.backends.models.weights import LARGE
from graph_program.extract.ir.models import Known, Port
from graph_program.extract.records import dataclass

if TYPE_CHECKING:
    from graph_program.backends.models.loaded import OnnxModel

DOMAIN = "graph_program.models"
PLAIN = "biuf"
KEPT = 4
"""Models whose functions are kept for the next program."""


@dataclass(frozen=True)
class ModelFunction:
    """
    Attributes
    ----------
    function : onnx_ir.Function
        It takes those of the model's inputs that the model reads, then its weights.
    reads : tuple of int
        The places of these inputs among the model's.
    weights : dict of str to ndarray
        By the names that they have in the model.
    """

    function: ir.Function
    reads: tuple[int, ...]
    weights: dict[str, np.ndarray[Any, Any]]


@lru_cache(KEPT)
def function_of(model: OnnxModel, opset: int, known: tuple[Known, ...], takes_empty: bool = True) -> ModelFunction:
    """A model as a function in a version of the standard operators (GP615 where it has no such form).

    Parameters
    ----------
    model : OnnxModel
    opset : int
    known : tuple of Known
        What is known of each input.
    takes_empty : bool
        Whether its recurrent layers take empty batches: what runs the file may not do so by itself.
    """
    from onnx_ir.passes.common import RemoveUnusedNodesPass

    message = at_version(model, opset)
    found = specialised(message, model, known)
    made = found or RemoveUnusedNodesPass()(ir.from_proto(message)).model
    making = _Making(model, made.graph, outputs_of(model, known))
    layers = may_be_empty(made.graph) if takes_empty else []
    making.apart(hides=found is None)
    take_empty_batches(layers)
    return making.result(f"{model.name}.{model.digest[:16]}.{hashlib.sha256(repr(known).encode()).hexdigest()[:8]}")


class _Making:
    def __init__(self, model: OnnxModel, graph: ir.Graph, outputs: Sequence[Port]):
        self.model, self.main, self.outputs = model, graph, outputs
        self.names: set[str] = set()
        self.reads: tuple[int, ...] = ()
        self.weights: dict[str, np.ndarray[Any, Any]] = {}
        self.inputs: list[ir.Value] = []
        self.constants: list[ir.Node] = []

    def apart(self, hides: bool) -> None:
        """Take constants out of the graph and its inner ones, and give all values names of their own.

        With `hides`, or branches, a runtime does not see what the model is called with before it runs.
        """
        ports = {port.name: place for place, port in enumerate(self.model.inputs)}
        for value in self.main.inputs:
            if value.name in self.model.weights:
                self._weight(value, self.model.weights[value.name])
        read = [value for value in self.main.inputs if value.uses() or value.is_graph_output()]
        taken = [value for value in read if value.name in ports]
        self.reads = tuple(ports[str(value.name)] for value in taken)
        for graph in _graphs(self.main):
            for name, value in list(graph.initializers.items()):
                del graph.initializers[name]
                self._constant(value)
            for node in list(graph):
                self._node(graph, node)
            for value in [] if graph is self.main else graph.inputs:
                self._named(value)
        for value in taken:
            self._named(value)
        hides = hides or any(node.op_type == "If" for graph in _graphs(self.main) for node in graph)
        self.inputs[:0] = self._unknown(taken) if taken and hides else taken

    def _node(self, graph: ir.Graph, node: ir.Node) -> None:
        """A large constant becomes a weight; of others nothing is kept but what they do."""
        node.metadata_props.clear()
        node.doc_string = None
        value = node.attributes.get("value") if node.op_type == "Constant" and not node.domain else None
        if value is not None and value.type == ir.AttributeType.TENSOR:
            tensor, (output,) = value.as_tensor(), node.outputs
            if tensor.nbytes >= LARGE and not output.is_graph_output() and _is_plain(tensor):
                made = ir.Value(name=output.name, type=output.type)
                for user, position in list(output.uses()):
                    user.replace_input_with(position, made)
                graph.remove(node, safe=True)
                self._weight(made, tensor.numpy())
                return
        node.name = self._unique(node.name or node.op_type)
        for output in node.outputs:
            self._named(output)

    def _constant(self, value: ir.Value) -> None:
        tensor = value.const_value
        assert tensor is not None
        if not value.uses() and not value.is_graph_output():
            return
        if _is_plain(tensor):
            array = tensor.numpy()
            value.const_value = None
            self._weight(value, array)
            return
        # Its bytes are not those of an array: it stays as the file has it.
        made = ir.Value(name=value.name, type=value.type)
        for user, position in list(value.uses()):
            user.replace_input_with(position, made)
        self._named(made)
        self.constants.append(ir.Node("", "Constant", [], [ir.AttrTensor("value", tensor)], outputs=[made]))

    def _weight(self, value: ir.Value, array: np.ndarray[Any, Any]) -> None:
        if not value.uses() and not value.is_graph_output():
            return
        name = str(value.name)
        while name in self.weights:
            name += "_"
        self.weights[name] = array
        self._named(value)
        self.inputs.append(value)

    def _named(self, value: ir.Value) -> None:
        is_border = value.is_graph_output() or value.producer() is None
        value.shape = _without_names(value.shape) if is_border and value not in self.main.outputs else None
        value.metadata_props.clear()
        value.doc_string = None
        if value.name:
            value.name = self._unique(value.name)

    def _unique(self, name: str) -> str:
        candidate = f"{self.model.name}/{name}"
        while candidate in self.names:
            candidate += "_"
        self.names.add(candidate)
        return candidate

    def _unknown(self, inputs: list[ir.Value]) -> list[ir.Value]:
        """Other inputs, which a loop of one round copies: no more is known of what it gives than the model says.

        A program calls a model with constants, and arrays of known sizes.  Then onnxruntime refuses what only sizes
        make wrong on a side that is not taken, and puts sides in place of branches that it can decide, where it may
        leave values that nothing makes (see `backends/onnx/fusions`).
        """
        prefix = self._unique("inputs")
        kinds = [ir.TensorType(ir.DataType.INT64), ir.TensorType(ir.DataType.BOOL), *(value.type for value in inputs)]
        parts = ["count", "again", *(str(value.name) for value in inputs)]
        scalars = [ir.Shape(()), ir.Shape(())] + [None] * len(inputs)
        carried = [
            ir.Value(name=f"{prefix}.{part}.in", type=kind, shape=shape)
            for part, kind, shape in zip(parts, kinds, scalars, strict=True)
        ]
        copies = [_node("Identity", [value], f"{prefix}.{i}.out", value.type) for i, value in enumerate(carried[1:])]
        body = ir.Graph(carried, [copy.outputs[0] for copy in copies], nodes=copies, name=f"{prefix}.body")
        given = [ir.Value(name=f"{value.name}.given", type=value.type) for value in inputs]
        one, yes = (
            _node("Constant", [], f"{prefix}.{name}", kind, ir.AttrTensor("value", ir.tensor(array)))
            for name, array, kind in (("one", np.array(1, np.int64), kinds[0]), ("yes", np.array(True), kinds[1]))
        )
        self.main.inputs.clear()
        begin = [one.outputs[0], yes.outputs[0], *given]
        loop = ir.Node("", "Loop", begin, [ir.AttrGraph("body", body)], outputs=inputs, name=f"{prefix}.Loop")
        self.constants += [one, yes, loop]
        return given

    def _of_rank(self, value: ir.Value, rank: int) -> list[ir.Node]:
        """Nodes that give an array, if it has as many dimensions as the model says, and fail otherwise."""
        name = f"{value.name}.of_rank"
        wanted = ir.AttrTensor("value", ir.tensor(np.array([rank], np.int64)))
        count = _node("Constant", [], f"{name}.rank", ir.TensorType(ir.DataType.INT64), wanted)
        sizes = _node("Shape", [value], f"{name}.shape", ir.TensorType(ir.DataType.INT64))
        zeros = ir.AttrInt64("allowzero", 1)
        checked = _node("Reshape", [sizes.outputs[0], count.outputs[0]], f"{name}.sizes", sizes.outputs[0].type, zeros)
        return [count, sizes, checked, _node("Reshape", [value, checked.outputs[0]], name, value.type, zeros)]

    def result(self, name: str) -> ModelFunction:
        nodes, outputs = list(self.main), list(self.main.outputs)
        self.main.inputs.clear()
        self.main.outputs.clear()
        self.main.remove(nodes)
        nodes[:0] = self.constants
        for place, (port, value) in enumerate(zip(self.outputs, outputs, strict=True)):
            if not port.has_rank:
                made = self._of_rank(value, len(port.dims))
                nodes += made
                outputs[place] = made[-1].outputs[0]
            elif value.producer() is None or value in outputs[:place]:
                own = ir.Value(name=f"{value.name}.output.{place}", type=value.type)
                nodes.append(ir.Node("", "Identity", [value], outputs=[own], name=own.name))
                outputs[place] = own
        graph = ir.Graph(self.inputs, outputs, nodes=nodes, opset_imports=dict(self.main.opset_imports), name=name)
        return ModelFunction(ir.Function(DOMAIN, name, graph=graph, attributes=[]), self.reads, self.weights)


def _node(op: str, inputs: list[ir.Value], name: str, kind: ir.TypeProtocol | None, *attributes: ir.Attr) -> ir.Node:
    """A node of one output."""
    return ir.Node("", op, inputs, attributes, outputs=[ir.Value(name=name, type=kind)], name=name)


def _without_names(shape: ir.Shape | None) -> ir.Shape | None:
    """A shape without the names of its sizes, which would be the program's.

    What a loop without rounds collects has the sizes that its body says.
    """
    return None if shape is None else ir.Shape([size if isinstance(size, int) else None for size in shape])


def _is_plain(tensor: ir.TensorProtocol) -> bool:
    """Whether an array has the bytes that NumPy has for it."""
    if tensor.dtype in (ir.DataType.STRING, ir.DataType.UNDEFINED) or tensor.dtype.bitwidth < 8:
        return False
    dtype = tensor.dtype.numpy()
    return dtype.kind in PLAIN and dtype.isbuiltin == 1


def _graphs(graph: ir.Graph) -> list[ir.Graph]:
    """A graph, and all those inside it."""
    return [graph, *graph.subgraphs()]


__all__ = ["DOMAIN", "ModelFunction", "function_of"]
