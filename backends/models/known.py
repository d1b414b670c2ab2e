"""What follows from what is known of a model's inputs where it is called: sizes, and the sides that branches take.

    y = net(x, 16000)        if rate == 16000: ... shape(x)[1] == 576 ...        ->        ...

Models ask for the sizes of their inputs again and again, and have branches for arrays that a program never gives them.
Nothing but integers and truth values is computed, which are the same wherever they are.  What a file says of the
sizes of its results may be wrong, so that it is not asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from graph_program.backends.models.walks import graphs_of
from graph_program.extract.ir.models import MOST, Known, Port

if TYPE_CHECKING:
    import onnx

    from graph_program.backends.models.loaded import OnnxModel

SIZES, QUOTIENTS = frozenset({"Shape", "Size"}), frozenset({"Div", "Mod"})
PLAIN = QUOTIENTS | {
    *("Abs", "Add", "And", "Cast", "Concat", "ConstantOfShape", "Equal", "Expand", "Flatten", "Gather", "GatherND"),
    *("Greater", "GreaterOrEqual", "Identity", "Less", "LessOrEqual", "Max", "Min", "Mul", "Neg", "NonZero", "Not"),
    *("Or", "Pad", "Range", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum", "Reshape", "Sign", "Slice"),
    *("Split", "Squeeze", "Sub", "Tile", "Transpose", "Unsqueeze", "Where", "Xor"),
}
"""Operators that give the same integers wherever they are; quotients do where nothing is below zero."""
EXACT = frozenset({ir.DataType.INT64, ir.DataType.INT32, ir.DataType.BOOL})
Array = np.ndarray[Any, Any]


@lru_cache(64)
def outputs_of(model: OnnxModel, known: tuple[Known, ...]) -> tuple[Port, ...]:
    """The outputs of a model where something is known of its inputs: with the sizes that follow."""
    made = specialised(model.message, model, known)
    if made is None:
        return model.outputs
    names = {size for port in model.inputs for size in port.dims if isinstance(size, str)}
    pairs = zip(model.outputs, made.graph.outputs, strict=True)
    return tuple(_with_sizes(port, value.shape, names) for port, value in pairs)


def _with_sizes(port: Port, shape: ir.Shape | None, names: set[str]) -> Port:
    """An output with the sizes that follow; what the model promises and does not follow is still checked."""
    if shape is None or len(shape) != len(port.dims):
        return port
    dims, sure = list(port.dims), list(port.sure)
    for axis, size in enumerate(shape):
        is_promised = not sure[axis] and (isinstance(dims[axis], int) or dims[axis] in names)
        if isinstance(size, int) and (not is_promised or dims[axis] == size):
            dims[axis], sure[axis] = size, True
    return replace(port, dims=tuple(dims), sure=tuple(sure), has_rank=True)


def specialised(message: onnx.ModelProto, model: OnnxModel, known: Sequence[Known]) -> ir.Model | None:
    """A model with what follows for its sizes and branches; None where a run can only fail, and runtimes may know that.

    Parameters
    ----------
    message : onnx.ModelProto
        The model, in any version of the operators.
    model : OnnxModel
    known : sequence of Known
        What is known of each input.
    """
    from onnx_ir.passes.common import RemoveUnusedNodesPass

    made = ir.from_proto(message)
    taken = {value.name: value for value in made.graph.inputs}
    _Specialising(made).run([(taken[port.name], of) for port, of in zip(model.inputs, known, strict=True)])
    RemoveUnusedNodesPass()(made)
    return made if _may_run(ir.to_proto(made)) or not _may_run(message) else None


def _may_run(message: onnx.ModelProto) -> bool:
    """Whether ONNX finds nothing wrong with the sizes of a model."""
    import onnx

    try:
        onnx.shape_inference.infer_shapes(message, strict_mode=True, data_prop=True)
    except (onnx.shape_inference.InferenceError, ValueError, RuntimeError):
        return False
    return True


class _Specialising:
    def __init__(self, model: ir.Model):
        self.model, self.main = model, model.graph
        self.changed = False
        self.names: set[str] = set()

    def run(self, inputs: Sequence[tuple[ir.Value, Known]]) -> None:
        self._name_apart()
        for value, known in inputs:
            if known.elements is not None and value.dtype is not None:
                array = np.frombuffer(known.elements, value.dtype.numpy()).reshape(known.sizes)  # type: ignore[arg-type]
                value.replace_all_uses_with(self._constant(self.main, None, array))
            else:
                value.shape = ir.Shape(known.sizes)
        self.changed = True
        while self.changed:  # a branch that is decided shows the sizes of what stands behind it
            self.changed = False
            self._infer()
            self._graph(self.main)

    def _name_apart(self) -> None:
        """Give all values names of their own, as sides of branches are to stand in one graph."""
        graphs = (self.main, *self.main.subgraphs())
        self.names.update(str(value.name) for value in self.main.inputs)
        self.names.update(name for graph in graphs for name in graph.initializers)
        for graph in graphs:
            inner = [] if graph is self.main else list(graph.inputs)
            for value in [*inner, *(value for node in graph for value in node.outputs)]:
                value.name = self._unique(value.name or "value")

    def _unique(self, name: str) -> str:
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name

    def _infer(self) -> None:
        """Say the types of all values, as they follow from those of the inputs."""
        import onnx

        made = [value for graph in (self.main, *self.main.subgraphs()) for node in graph for value in node.outputs]
        inner = {value: value.shape for graph in self.main.subgraphs() for value in graph.inputs}
        for value in [*made, *inner]:
            value.shape = None
        try:
            inferred = onnx.shape_inference.infer_shapes(ir.to_proto(self.model), data_prop=True)
        except (onnx.shape_inference.InferenceError, ValueError, RuntimeError):
            return  # onnxruntime says what is wrong with it
        finally:
            for value, shape in inner.items():
                value.shape = shape
        said = {value.name: value for graph in graphs_of(inferred) for value in (*graph.value_info, *graph.output)}
        for value in made:
            found = said.get(str(value.name))
            if found is not None and found.type.WhichOneof("value") == "tensor_type":
                value.type = ir.TensorType(ir.DataType(found.type.tensor_type.elem_type))
                value.shape = ir.serde.deserialize_type_proto_for_shape(found.type)

    def _graph(self, graph: ir.Graph) -> None:
        for node in list(graph):
            taken = self._taken(node)
            if taken is not None:
                self._put_in_place(graph, node, taken)
                continue
            for inner in _inner(node):
                self._graph(inner)
            found = self._found(node)
            if found is not None:
                for value, array in zip(node.outputs, found, strict=True):
                    self._replace(graph, value, self._constant(graph, node, array))
                graph.remove(node, safe=True)
                self.changed = True

    def _taken(self, node: ir.Node) -> ir.Graph | None:
        """The side that a branch takes, if that is known."""
        test = _array(node.inputs[0]) if node.op_type == "If" and not node.domain else None
        if test is None:
            return None
        return node.attributes["then_branch" if test.all() else "else_branch"].as_graph()

    def _put_in_place(self, graph: ir.Graph, node: ir.Node, side: ir.Graph) -> None:
        """What one side does, in place of a branch."""
        for value in list(side.initializers.values()):
            if value.const_value is not None:
                made = ir.Node("", "Constant", [], [ir.AttrTensor("value", value.const_value)], name=value.name)
                self._call_value(made.outputs[0], str(value.name))
                graph.insert_before(node, made)
                self._replace(side, value, made.outputs[0])
        outputs, nodes = list(side.outputs), list(side)
        side.outputs.clear()
        side.remove(nodes)
        graph.insert_before(node, nodes)
        for value, result in zip(node.outputs, outputs, strict=True):
            self._replace(graph, value, result)
        for left in _inner(node):
            _let_go(left)
        graph.remove(node, safe=True)
        self.changed = True

    def _replace(self, graph: ir.Graph, old: ir.Value, new: ir.Value) -> None:
        """Have another value read; what a graph gives, it makes itself, and once."""
        maker = new.producer()
        for place, output in enumerate(graph.outputs):
            if output is old and maker is not None and maker.graph is graph and not new.is_graph_output():
                graph.outputs[place] = new
            elif output is old:
                copy = ir.Node("", "Identity", [new], outputs=[ir.Value(type=old.type)], name=old.name)
                self._call_value(copy.outputs[0], str(old.name))
                graph.append(copy)
                graph.outputs[place] = copy.outputs[0]
        old.replace_all_uses_with(new)

    def _constant(self, graph: ir.Graph, node: ir.Node | None, array: Array) -> ir.Value:
        """A constant that stands where a node does, or first."""
        tensor = ir.tensor(array)
        made = ir.Node("", "Constant", [], [ir.AttrTensor("value", tensor)], name=node.name if node else None)
        self._call_value(made.outputs[0], "known")
        made.outputs[0].const_value = tensor
        made.outputs[0].type, made.outputs[0].shape = ir.TensorType(tensor.dtype), ir.Shape(array.shape)
        if node is not None:
            graph.insert_before(node, made)
        elif len(graph):
            graph.insert_before(graph[0], made)
        else:
            graph.append(made)
        return made.outputs[0]

    def _call_value(self, value: ir.Value, name: str) -> None:
        value.name = self._unique(name)

    def _found(self, node: ir.Node) -> list[Array] | None:
        """What a node gives, if that is known and consists of integers and truth values."""
        if node.domain or node.op_type == "Constant" or not node.inputs or _inner(node):
            return None
        if node.op_type == "Identity" and node.outputs[0].is_graph_output():
            return None  # it gives a constant already
        if node.op_type in SIZES:
            return _sizes(node)
        if node.op_type == "Gather" and _is_shape(node.inputs[0]):
            return _some_sizes(node)
        arrays = [None if value is None else _array(value) for value in node.inputs]
        if any(array is None and value is not None for array, value in zip(arrays, node.inputs, strict=True)):
            return None
        return self._computed(node, arrays)

    def _computed(self, node: ir.Node, arrays: Sequence[Array | None]) -> list[Array] | None:
        """What an operator gives for arrays, by ONNX's own implementation; None where it has none."""
        from onnx.reference import ReferenceEvaluator

        values = [value for value in (*node.inputs, *node.outputs) if value is not None]
        if node.op_type not in PLAIN or any(value.dtype not in EXACT for value in values):
            return None
        if node.op_type in QUOTIENTS and not (np.all(arrays[0] >= 0) and np.all(arrays[1] > 0)):  # type: ignore[operator]
            return None
        inputs = [ir.Value(name=f"in{i}" if array is not None else "") for i, array in enumerate(arrays)]
        outputs = [ir.Value(name=f"out{i}") for i in range(len(node.outputs))]
        alone = ir.Node("", node.op_type, inputs, list(node.attributes.values()), outputs=outputs)
        message = ir.serde.serialize_node(alone)
        versions = {"": self.model.graph.opset_imports.get("", 1)}
        feed = {f"in{i}": array for i, array in enumerate(arrays) if array is not None}
        try:
            with np.errstate(all="ignore"):
                found = ReferenceEvaluator(message, opsets=versions).run(None, feed)
        except Exception:  # of whatever kind: then the runtime computes it
            return None
        return [np.asarray(array) for array in found] if all(np.size(array) <= MOST for array in found) else None


def _inner(node: ir.Node) -> list[ir.Graph]:
    """The graphs that a node has."""
    return [a.as_graph() for a in node.attributes.values() if a.type == ir.AttributeType.GRAPH]


def _let_go(graph: ir.Graph) -> None:
    """Have what nobody runs read nothing any more."""
    graph.outputs.clear()
    for node in ir.traversal.RecursiveGraphIterator(graph):
        for place in range(len(node.inputs)):
            node.replace_input_with(place, None)


def _array(value: ir.Value | None) -> Array | None:
    """The elements of a small constant."""
    tensor = ir.convenience.get_const_tensor(value) if value is not None else None
    if tensor is None or tensor.dtype == ir.DataType.STRING or tensor.size > MOST:
        return None
    array: Array = tensor.numpy()
    return array


def _sizes(node: ir.Node) -> list[Array] | None:
    """What `Shape` or `Size` gives, where all that it asks for is known."""
    value = node.inputs[0]
    if value is None or value.shape is None:
        return None
    known = [size if isinstance(size, int) else None for size in value.shape]
    if node.op_type == "Size":
        return None if None in known else [np.array(np.prod(known, dtype=np.int64), np.int64)]  # type: ignore[arg-type]
    start = node.attributes["start"].as_int() if "start" in node.attributes else 0
    end = node.attributes["end"].as_int() if "end" in node.attributes else len(known)
    asked = known[start:end]
    return None if None in asked else [np.array(asked, np.int64)]


def _is_shape(value: ir.Value | None) -> bool:
    """Whether a value has all sizes of an array."""
    made = value.producer() if value is not None else None
    return made is not None and made.op_type == "Shape" and not made.domain and not made.attributes


def _some_sizes(node: ir.Node) -> list[Array] | None:
    """Those sizes of an array that are asked for, where others may not be known."""
    of, indices = node.inputs[0], _array(node.inputs[1])
    array = of.producer().inputs[0] if of is not None else None  # type: ignore[union-attr]
    if array is None or array.shape is None or indices is None:
        return None
    rank = len(array.shape)
    if not ((-rank <= indices) & (indices < rank)).all():
        return None
    asked = [array.shape[int(index)] for index in indices.flat]
    if not all(isinstance(size, int) for size in asked):
        return None
    return [np.array(asked, np.int64).reshape(indices.shape)]


__all__ = ["outputs_of", "specialised"]
