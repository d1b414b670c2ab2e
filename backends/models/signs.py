"""Quantized networks whose bytes have no signs: what was around 0 is around 128, and means the same.

    q = QuantizeLinear(x, s, int8 0)             q = QuantizeLinear(x, s, uint8 128)
    y = MatMul(DequantizeLinear(q, s, 0),   to   y = MatMul(DequantizeLinear(q, s, 128),
               DequantizeLinear(w, t, 0))                   DequantizeLinear(w + 128, t, 128))

onnxruntime's sums of products with signed bytes saturate at 16 bits on x86 processors without VNNI.  Its option for
exact ones (`session.x64quantprecision`) knows constants of the main graph only, and whoever runs a file would have to
know of it.  Sums of bytes without signs are exact on all processors.

Bytes that go through the same operations change together: all of them, where each is quantized, dequantized,
multiplied or moved in the model; none, where one of them is an input or an output, or goes through anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from graph_program.backends.models.walks import nodes_of, standard
from graph_program.extract.records import dataclass

if TYPE_CHECKING:
    import onnx

    Array = np.ndarray[Any, Any]

SIGNED, UNSIGNED = ir.DataType.INT8, ir.DataType.UINT8


@dataclass(frozen=True)
class Role:
    """A quantized value of an operator: its place, and those of its scale and of its zero point among the inputs."""

    value: int
    scale: int | None
    """None for integers that the operator does not scale: their zero point is a number."""
    zero: int


@dataclass(frozen=True)
class Roles:
    """The quantized inputs of an operator, and its quantized output, if it has one."""

    inputs: tuple[Role, ...]
    output: Role | None = None


def _roles(*inputs: tuple[int, int | None, int], output: tuple[int, int | None, int] | None = None) -> Roles:
    return Roles(tuple(Role(*one) for one in inputs), Role(*output) if output else None)


TWO, ONE = _roles((0, 1, 2), (3, 4, 5), output=(0, 6, 7)), _roles((0, 1, 2), output=(0, 3, 4))
QUANTIZED = {
    "QuantizeLinear": _roles(output=(0, 1, 2)),
    "DequantizeLinear": _roles((0, 1, 2)),
    **dict.fromkeys(("MatMulInteger", "ConvInteger"), _roles((0, None, 2), (1, None, 3))),
    **dict.fromkeys(("QLinearMatMul", "QLinearConv", "QLinearAdd", "QLinearMul"), TWO),
    **dict.fromkeys(("QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax"), ONE),
    **dict.fromkeys(("QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearReduceMean"), ONE),
    "QLinearWhere": _roles((1, 2, 3), (4, 5, 6), output=(0, 7, 8)),
    "QGemm": _roles((0, 1, 2), (3, 4, 5), output=(0, 7, 8)),
    "MatMulIntegerToFloat": _roles((0, 2, 4), (1, 3, 5)),
    "DynamicQuantizeMatMul": _roles((1, 2, 3)),
    "DynamicQuantizeLSTM": _roles((1, 8, 9), (2, 10, 11)),
    "QAttention": _roles((0, 3, 6), (1, 4, 7)),
}
"""Operators of ONNX and of onnxruntime, by name."""
MOVES = {
    **dict.fromkeys(("Concat",), slice(None)),
    "Where": slice(1, 3),
    **dict.fromkeys(
        (
            *("DepthToSpace", "Expand", "Flatten", "Gather", "GatherElements", "GatherND", "Identity", "MaxPool"),
            *("Reshape", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze"),
        ),
        slice(0, 1),
    ),
}
"""Operators that give elements of some of their inputs, and know of them at most which one is greater."""
ASKS = frozenset({"Shape", "Size"})


def without_signs(
    message: onnx.ModelProto, weights: dict[str, Array]
) -> tuple[onnx.ModelProto, dict[str, Array]] | None:
    """A model without functions whose bytes have no signs, and its weights; None where it has none that can change.

    Parameters
    ----------
    message : onnx.ModelProto
    weights : dict of str to ndarray
        What is known of some of its inputs.
    """
    if not any(node.op_type in QUANTIZED for node in nodes_of(message)):
        return None
    model = ir.from_proto(message)
    signs = _Signs(model.graph, weights)
    for graph in (model.graph, *model.graph.subgraphs()):
        signs.look(graph)
    if not signs.change():
        return None
    return ir.to_proto(model), signs.weights


class _Signs:
    def __init__(self, graph: ir.Graph, weights: dict[str, Array]):
        self.main = graph
        self.weights = dict(weights)
        self.joined: dict[ir.Value, ir.Value] = {}
        """Signed bytes, and others that change with them; one of them all is its own."""
        self.stays: set[ir.Value] = set()
        """Those that cannot change, as another graph or an operator that is not known has them."""
        self.read: list[tuple[ir.Node, Role, ir.Value]] = []
        """Where the zero points of these stand."""
        self.zeros: dict[Any, ir.Value] = {}
        """The zero points that were made, by what they are made of."""

    # ------------------------------------------------------------ which are signed

    def look(self, graph: ir.Graph) -> None:
        """Note what a graph has of signed bytes; those around it have been looked at."""
        for node in graph:
            roles = self._of(node)
            moved = MOVES.get(node.op_type) if not standard(node.domain) else None
            if roles is not None:
                self._quantized(node, roles)
            elif moved is not None:
                self._moved(node, moved)
            elif node.op_type not in ASKS:
                self._keep(node.inputs)
        self._keep(graph.outputs)

    def _of(self, node: ir.Node) -> Roles | None:
        if node.op_type == "QLinearConcat":  # the output's scale and zero point, then three of each input
            places = range(2, len(node.inputs), 3)
            return _roles(*((place, place + 1, place + 2) for place in places), output=(0, 0, 1))
        return QUANTIZED.get(node.op_type)

    def _quantized(self, node: ir.Node, roles: Roles) -> None:
        found = [(role, value) for role in roles.inputs if (value := self._signed(node, role)) is not None]
        if roles.output is not None and self._gives_signed(node, roles.output, bool(found)):
            found.append((roles.output, node.outputs[0]))
        for role, value in found:
            self._join(value, found[0][1])
            self.read.append((node, role, value))
            if not self._has_zero(node, role):
                self.stays.add(value)
        places = {place for role in roles.inputs for place in (role.value, role.zero)}
        places |= {roles.output.zero} if roles.output is not None else set()
        self._keep([value for place, value in enumerate(node.inputs) if place not in places])

    def _signed(self, node: ir.Node, role: Role) -> ir.Value | None:
        """A quantized input, if its elements are signed bytes."""
        value = _input(node, role.value)
        if value is None or self._is_signed(value):
            return value
        zero = _input(node, role.zero)
        if zero is None or self._dtype(zero) != SIGNED:
            return None
        self._join(value, value)
        self.stays.add(value)  # nothing is known of where it comes from
        return value

    def _gives_signed(self, node: ir.Node, role: Role, takes: bool) -> bool:
        zero, said = _input(node, role.zero), node.attributes.get("output_dtype")
        if zero is not None:
            return self._dtype(zero) == SIGNED
        return takes if said is None else said.as_int() == SIGNED

    def _has_zero(self, node: ir.Node, role: Role) -> bool:
        """Whether its zero point is known, or can be made."""
        zero = _input(node, role.zero)
        if zero is not None:
            return self._array(zero) is not None
        scale = None if role.scale is None else _input(node, role.scale)
        return role.scale is None or (scale is not None and self._array(scale) is not None)

    def _moved(self, node: ir.Node, moved: slice) -> None:
        taken = node.inputs[moved]
        signed = [value for value in taken if value is not None and self._is_signed(value)]
        self._keep([value for value in node.inputs if value not in taken])
        if signed:
            given = node.outputs if node.op_type == "Split" else node.outputs[:1]
            for value in (*signed, *given):
                self._join(value, signed[0])
            if len(signed) < len(taken):
                self.stays.add(signed[0])

    def _is_signed(self, value: ir.Value) -> bool:
        if value not in self.joined and self._dtype(value) == SIGNED:
            self._join(value, value)
            if self._array(value) is None:
                self.stays.add(value)
        return value in self.joined

    def _dtype(self, value: ir.Value) -> ir.DataType | None:
        array = self._array(value)
        return value.dtype if array is None else ir.DataType.from_numpy(array.dtype)

    def _array(self, value: ir.Value) -> Array | None:
        """What is known of a value: it is one of the weights, an initializer, or a constant."""
        if value.producer() is None and value.name in self.weights and value.graph is self.main:
            return self.weights[str(value.name)]
        tensor = _constant(value)
        return None if tensor is None or tensor.dtype.bitwidth < 8 else tensor.numpy()

    def _keep(self, values: Sequence[ir.Value | None]) -> None:
        for value in values:
            if value is not None and self._is_signed(value):
                self.stays.add(value)

    def _join(self, value: ir.Value, other: ir.Value) -> None:
        self.joined.setdefault(other, other)
        self.joined.setdefault(value, value)
        self.joined[self._first(value)] = self._first(other)

    def _first(self, value: ir.Value) -> ir.Value:
        while self.joined[value] is not value:
            self.joined[value] = value = self.joined[self.joined[value]]
        return value

    # ------------------------------------------------------------ what changes

    def change(self) -> bool:
        """Move what can be moved by 128, in place; whether there was anything."""
        stays = {self._first(value) for value in self.stays}
        changed = [value for value in self.joined if self._first(value) not in stays]
        moving, replaced = set(changed), set[ir.Value]()
        for node, role, value in self.read:
            if value in moving:
                replaced |= self._set_zero(node, role)
        for value in changed:
            self._change(value)
        for value in replaced:
            self._drop(value)
        return bool(changed)

    def _set_zero(self, node: ir.Node, role: Role) -> set[ir.Value]:
        """Have an operator read the zero point of bytes without signs; what it read before."""
        if role.zero >= len(node.inputs):
            node.resize_inputs(role.zero + 1)
        before = node.inputs[role.zero]
        node.replace_input_with(role.zero, self._zero(node, role))
        if node.op_type == "QuantizeLinear" and "output_dtype" in node.attributes:
            node.attributes["output_dtype"] = ir.AttrInt64("output_dtype", int(UNSIGNED))
        return set() if before is None or before in self.zeros.values() else {before}

    def _zero(self, node: ir.Node, role: Role) -> ir.Value:
        zero = _input(node, role.zero)
        if zero is None:
            scale = None if role.scale is None else node.inputs[role.scale]
            known = None if scale is None else self._array(scale)
            array = np.zeros(() if known is None else known.shape, np.int8)
        else:
            found = self._array(zero)
            assert found is not None
            array = found
        key = array.shape if zero is None else zero
        if key not in self.zeros:
            name = next(name for k in count(len(self.zeros)) if (name := f"zero.{k}") not in self.names)
            self.names.add(name)
            made = ir.tensor(_moved(array), name=name)
            self.zeros[key] = ir.Value(
                name=name, type=ir.TensorType(UNSIGNED), shape=ir.Shape(array.shape), const_value=made
            )
            self.main.register_initializer(self.zeros[key])
        return self.zeros[key]

    @cached_property
    def names(self) -> set[str | None]:
        """Of all values."""
        return {value.name for graph in (self.main, *self.main.subgraphs()) for value in _values(graph)}

    def _change(self, value: ir.Value) -> None:
        array = self._array(value)
        if value.type is not None:
            value.type = ir.TensorType(UNSIGNED)
        if array is None:
            return
        if value.producer() is None and value.name in self.weights:
            self.weights[str(value.name)] = _moved(array)
        elif (node := value.producer()) is not None:
            node.attributes["value"] = ir.AttrTensor("value", ir.tensor(_moved(array)))
        else:
            value.const_value = ir.tensor(_moved(array), name=value.name)

    def _drop(self, value: ir.Value) -> None:
        """Leave out a zero point that nobody reads any more."""
        graph, node = value.graph, value.producer()
        if value.uses() or value.is_graph_output() or not isinstance(graph, ir.Graph):
            return
        if node is not None:
            graph.remove(node, safe=True)
        elif value.name in self.weights:
            graph.inputs.remove(value)
            del self.weights[str(value.name)]
        else:
            del graph.initializers[str(value.name)]


def _moved(array: Array) -> Array:
    """Bytes with signs as bytes around 128."""
    found = np.asarray(np.ascontiguousarray(array).view(np.uint8).reshape(array.shape) ^ np.uint8(128))
    found.flags.writeable = False
    return found


def _input(node: ir.Node, place: int) -> ir.Value | None:
    return node.inputs[place] if place < len(node.inputs) else None


def _constant(value: ir.Value) -> ir.TensorProtocol | None:
    node = value.producer()
    if node is None:
        return value.const_value if value.is_initializer() else None
    said = node.attributes.get("value") if node.op_type == "Constant" and not node.domain else None
    return None if said is None or said.type != ir.AttributeType.TENSOR else said.as_tensor()


def _values(graph: ir.Graph) -> Iterator[ir.Value]:
    yield from graph.inputs
    yield from graph.initializers.values()
    for node in graph:
        yield from node.outputs


__all__ = ["without_signs"]
