"""Floats of 16 bits in the place of float32, with islands that stay float32.

s = Add(x, w)                  s = Add(Cast16(x), w16)
y = Softmax(s)      ->         y = Softmax(Cast32(s))         where the line of Softmax is an island
t = Exp(y)                     t = Exp(y)                     and that of Exp, too: nothing is cast between them
z = Mul(t, t)                  z = Mul(Cast16(t), Cast16(t))

What loops carry and branches give has 16 bits.  Where an operator has no form in 16 bits by ONNX's own schema, its
inputs and outputs of that type are as those of an island; so are those of kernels that onnxruntime gets wrong.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import onnx_ir as ir
from onnxruntime.transformers.float16 import convert_np_to_float16

from graph_program.backends.onnx.kernels import FAULTY
from graph_program.quantized.collected import bodies, graphs_of

WIDE, NARROW = ir.DataType.FLOAT, ir.DataType.FLOAT16
TYPED = ("to", "dtype")
"""Attributes that say what an operation gives."""
Keep = Callable[[ir.Node], bool]


def in_float16(model: ir.Model, keep: Keep, keep_types: bool = True) -> None:
    """Change a model.

    Parameters
    ----------
    model : onnx_ir.Model
        Without local functions; all values have their types.
    keep : callable
        Whether an operation is part of an island.
    keep_types : bool
        Whether inputs and outputs stay float32.
    """
    _Narrowing(model, keep, keep_types).run()


class _Narrowing:
    def __init__(self, model: ir.Model, keep: Keep, keep_types: bool):
        self.model, self.keep, self.keep_types = model, keep, keep_types
        self.graphs = graphs_of(model.graph)
        self.narrow: dict[ir.Value, ir.Value] = {}
        """What has 16 bits, for each value that had 32; itself where it is made so."""
        self.wide: dict[ir.Value, ir.Value] = {}
        self.nodes = {graph: list(graph) for graph in self.graphs}
        """What was there before casts came."""

    def run(self) -> None:
        for graph in self.graphs:
            self._inputs(graph)
            for node in self.nodes[graph]:
                self._outputs(node)
        for graph in self.graphs:
            for node in self.nodes[graph]:
                self._read(node)
            self._given(graph)

    def _inputs(self, graph: ir.Graph) -> None:
        for value in graph.inputs:
            if (graph is not self.model.graph or not self.keep_types) and _is_wide(value):
                self._make_narrow(value)

    def _outputs(self, node: ir.Node) -> None:
        """Decide of what a node gives; what is not said to be narrow is wide."""
        if (
            node.op_type == "Constant"
            or self._is_island(node)
            or (node.op_type == "Cast" and node.attributes["to"].as_int() != int(WIDE))
        ):
            return
        allowed = _allowed(node)
        narrow = [value for place, value in enumerate(node.outputs) if allowed(False, place) and _is_wide(value)]
        for value in narrow:
            self._make_narrow(value)
        if narrow:
            _say_narrow(node)

    def _is_island(self, node: ir.Node) -> bool:
        """Whether a node stays as it is; nothing is cast in a sequence."""
        values = (*node.inputs, *node.outputs)
        plain = not any(value is not None and isinstance(value.type, ir.SequenceType) for value in values)
        return plain and not bodies(node) and self.keep(node)

    def _make_narrow(self, value: ir.Value) -> None:
        self.narrow[value] = value
        narrow = ir.TensorType(NARROW)  # a new one: values may share theirs
        value.type = ir.SequenceType(narrow) if isinstance(value.type, ir.SequenceType) else narrow

    def _read(self, node: ir.Node) -> None:
        """Give a node its inputs in the precision that it reads them in."""
        island = self._is_island(node)
        allowed = _allowed(node)
        for place, value in enumerate(node.inputs):
            if value is not None:
                wanted = self._wide(value) if island or not allowed(True, place) else self._narrow(value)
                node.replace_input_with(place, wanted)

    def _given(self, graph: ir.Graph) -> None:
        """Outputs of bodies have 16 bits, those of the model the type that they had."""
        whole = graph is self.model.graph
        for place, value in enumerate(graph.outputs):
            if whole and self.keep_types and value in self.narrow and value.producer() is not None:
                name = value.name
                cast = self._wide(value)
                value.name, cast.name = f"{name}.float16", name
                graph.outputs[place] = cast
            elif not whole or not self.keep_types:
                new = self._narrow(value)
                if whole and new is not value:
                    value.name, new.name = f"{value.name}.float32", value.name
                graph.outputs[place] = new

    def _narrow(self, value: ir.Value) -> ir.Value:
        """A value in 16 bits, if it has 32."""
        if value in self.narrow:
            return self.narrow[value]
        if not _is_wide(value):
            return value
        node = value.producer()
        if value.is_initializer() and value.const_value is not None and not value.is_graph_input():
            new = ir.val(f"{value.name}.float16", NARROW, value.shape)
            new.const_value = ir.tensor(_array16(value.const_value.numpy()), name=new.name)
            assert value.graph is not None
            value.graph.initializers.add(new)
        elif node is not None and node.op_type == "Constant" and "value" in node.attributes:
            new = self._beside(value, ir.node("Constant", [], {"value": _tensor16(node)}), NARROW)
        else:
            new = self._beside(value, ir.node("Cast", [value], {"to": int(NARROW)}), NARROW)
        self.narrow[value] = new
        self.narrow.setdefault(new, new)
        return new

    def _wide(self, value: ir.Value) -> ir.Value:
        """A value in 32 bits, if it has 16."""
        if self.narrow.get(value) is not value or value.type is None or value.type.dtype != NARROW:
            return value
        if value not in self.wide:
            self.wide[value] = self._beside(value, ir.node("Cast", [value], {"to": int(WIDE)}), WIDE)
        return self.wide[value]

    def _beside(self, value: ir.Value, made: ir.Node, dtype: ir.DataType) -> ir.Value:
        """The output of a new node behind the one that makes a value, or at the beginning of its graph."""
        new = made.outputs[0]
        new.name = f"{value.name}.{'float16' if dtype == NARROW else 'float32'}"
        new.type, new.shape = ir.TensorType(dtype), value.shape
        node, graph = value.producer(), value.graph
        assert isinstance(graph, ir.Graph)
        if node is not None:
            made.metadata_props.update(node.metadata_props)
            graph.insert_after(node, made)
        elif len(graph):
            graph.insert_before(graph[0], made)
        else:
            graph.append(made)
        return new


def _is_wide(value: ir.Value) -> bool:
    return value.type is not None and value.type.dtype == WIDE


def twin_in_float16(node: ir.Node) -> list[ir.Value]:
    """What an operation gives in 16 bits, as float32 again: nodes behind it, on what it reads.

    An `Identity` keeps onnxruntime, which computes much in 32 bits on a CPU, from leaving out the rounding.
    """
    allowed, graph = _allowed(node), node.graph
    assert isinstance(graph, ir.Graph)
    new: list[ir.Node] = []

    def then(op: str, value: ir.Value, attributes: dict[str, int]) -> ir.Value:
        new.append(ir.node(op, [value], attributes))
        new[-1].outputs[0].name = f"{value.name}.{op.lower()}"
        return new[-1].outputs[0]

    def rounded(value: ir.Value, ends: ir.DataType) -> ir.Value:
        return then("Cast", then("Identity", then("Cast", value, {"to": int(NARROW)}), {}), {"to": int(ends)})

    inputs = [
        rounded(value, NARROW) if value is not None and value.dtype == WIDE and allowed(True, place) else value
        for place, value in enumerate(node.inputs)
    ]
    made = ir.Node(node.domain, node.op_type, inputs, list(node.attributes.values()), num_outputs=len(node.outputs))
    new.append(made)
    outputs = []
    for place, (value, own) in enumerate(zip(made.outputs, node.outputs, strict=True)):
        value.name = f"{own.name}.twin" if own.name else ""
        outputs.append(rounded(value, WIDE) if own.dtype == WIDE and allowed(False, place) else value)
    _say_narrow(made)
    graph.insert_after(node, new)
    return outputs


def _say_narrow(node: ir.Node) -> None:
    """Change the attributes by which a node says that it gives float32."""
    for name in TYPED:
        if name in node.attributes and node.attributes[name].value == int(WIDE):
            node.attributes[name] = ir.AttrInt64(name, int(NARROW))
    if node.op_type == "ConstantOfShape":
        node.attributes["value"] = ir.AttrTensor("value", _tensor16(node))


def _tensor16(node: ir.Node) -> ir.TensorProtocol:
    found = node.attributes.get("value")
    return ir.tensor(_array16(np.zeros(1, np.float32) if found is None else found.as_tensor().numpy()))


def _array16(array: np.ndarray) -> np.ndarray:
    """Numbers that 16 bits do not have are the largest or smallest ones there."""
    return np.asarray(convert_np_to_float16(array.astype(np.float32).reshape(-1))).reshape(array.shape)


def _fails(node: ir.Node) -> bool:
    """Whether onnxruntime has a kernel of 16 bits that is wrong, or that fails when it is run."""
    scatters = node.op_type in ("ScatterND", "ScatterElements")
    adds = scatters and node.attributes.get_string("reduction", "none") != "none"
    return adds or NARROW.numpy().name in FAULTY.get(node.op_type, ())


def _allowed(node: ir.Node) -> Callable[[bool, int], bool]:
    """Whether an input (True) or output (False) may have 16 bits, by ONNX's schema of the operator."""
    if not onnx.defs.has(node.op_type, node.domain) or _fails(node):
        return lambda is_input, place: False
    version = node.version or node.graph.opset_imports.get(node.domain) if node.graph else None
    schema = onnx.defs.get_schema(node.op_type, version or 20, node.domain)
    types = {t.type_param_str: t.allowed_type_strs for t in schema.type_constraints}

    def allowed(is_input: bool, place: int) -> bool:
        formal = schema.inputs if is_input else schema.outputs
        text = formal[min(place, len(formal) - 1)].type_str
        return any("float16" in one and "bfloat16" not in one for one in types.get(text, (text,)))

    return allowed


__all__ = ["in_float16", "twin_in_float16"]
