"""Operations with integers of 8 bits, each made by onnxruntime's tool in a model of its own and put where it belongs.

y = MatMul(x, w)   ->   q, s, z = DynamicQuantizeLinear(x)     y = Mul(Cast(MatMulInteger(q, w', z)), Mul(s, s'))

Matrices are bytes without a sign, around 128: x86 processors without VNNI add pairs of products of a byte with a signed
one in 16 bits, which saturate.

The tool knows arrays and nodes of one graph.  In a model of one operation the matrices stand beside it, whether they
were captured by the body of a loop or are its own, and all other inputs are inputs.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
from onnx import helper, numpy_helper
from onnxruntime.quantization import CalibrationMethod, QDQQuantizer, QuantType, TensorsData, quantize_dynamic
from onnxruntime.quantization.quant_utils import compute_scale_zp

from graph_program.backends.onnxruntime.session import Session
from graph_program.extract.diagnostics import GraphProgramError
from graph_program.quantized.candidates import Candidate
from graph_program.quantized.constants import Constants
from graph_program.quantized.ranges import Range, Ranges

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own operators."""
OPERATORS = {"Gemm": ("Gemm", "MatMul")}
"""What is quantized of an operation: of one kind the tool makes another first."""
BORDERS = ("QuantizeLinear", "DequantizeLinear")
SYMMETRIC = {"WeightSymmetric": True}
SHARED = frozenset(["DynamicQuantizeLinear", *BORDERS])
"""What is made once where several operations read the same value."""


@dataclass
class Tool:
    """onnxruntime's tool with its options.

    Attributes
    ----------
    per_channel : bool
    ranges : mapping of (str, str) to (float, float), optional
        Of values, where these are fixed; without them each run finds them ("dynamic").
    constants : Constants
    graph : onnx_ir.Graph
        Of the model, where all arrays stand.
    made : dict of str to onnx.ModelProto
        What the tool has made before, by the names of operations.
    """

    per_channel: bool
    ranges: Ranges | None
    constants: Constants
    graph: ir.Graph
    made: dict[str, onnx.ModelProto]
    arrays: dict[bytes, ir.Value] = field(default_factory=dict)
    """The initializers that were made, by their contents."""

    def beside(self, candidate: Candidate) -> list[ir.Value] | None:
        """The outputs of an operation, made by integers in nodes behind it; None where the tool leaves it as it is."""
        node = candidate.node
        if str(node.name) not in self.made:
            with _quiet():
                self.made[str(node.name)] = self._quantized(self._alone(candidate), candidate)
        proto = self.made[str(node.name)]
        if not _has_kernel(self.graph.opset_imports[""]):
            for made in proto.graph.node:
                made.domain = MICROSOFT if made.op_type in BORDERS else made.domain
        if not any(made.op_type in SHARED or "Integer" in made.op_type or made.domain for made in proto.graph.node):
            return None
        return self._put(ir.from_proto(proto).graph, node)

    def _quantized(self, model: onnx.ModelProto, candidate: Candidate) -> onnx.ModelProto:
        op, name = candidate.node.op_type, str(candidate.node.name)
        if self.ranges is not None and op == "Conv":
            values = (*model.graph.input, *model.graph.output)
            return self._with_ranges(model, {value.name: self.ranges[name, value.name] for value in values})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "one.onnx"
            quantize_dynamic(
                model, path, op_types_to_quantize=[*OPERATORS.get(op, (op,))], per_channel=self.per_channel,
                weight_type=QuantType.QUInt8, extra_options=SYMMETRIC,
            )  # fmt: skip
            made = onnx.load(path)
        if op == "LSTM":
            _without_signs(made.graph)
        if self.ranges is not None and op not in ("Gather", "LSTM"):
            _fix(made.graph, self.ranges[name, str(candidate.activations[0].name)])
        return made

    def _with_ranges(self, model: onnx.ModelProto, ranges: Mapping[str, Range]) -> onnx.ModelProto:
        """With nodes around, which onnxruntime takes together when it loads the model."""
        numbers = {name: tuple(np.float32(number) for number in known) for name, known in ranges.items()}
        quantizer = QDQQuantizer(
            model, self.per_channel, False, QuantType.QUInt8, QuantType.QUInt8,
            TensorsData(CalibrationMethod.MinMax, numbers), [], [], ["Conv"], SYMMETRIC,
        )  # fmt: skip
        quantizer.quantize_model()
        made: onnx.ModelProto = quantizer.model.model
        return made

    def _alone(self, candidate: Candidate) -> onnx.ModelProto:
        """The model of one operation."""
        node = candidate.node
        proto = ir.serde.serialize_node(node)
        del proto.metadata_props[:]
        arrays, inputs = {}, {}
        for value in filter(None, node.inputs):
            array = self.constants.of(value)
            if array is None:
                inputs[value.name] = _info(value)
            else:
                arrays[value.name] = array
        nodes = [proto]
        if node.op_type in ("MatMul", "Gemm") and candidate.weights == (0,):
            known = arrays[proto.input[0]]
            nodes = _turned(proto)
            arrays[proto.input[0]] = known if _is_set(proto, "transA") else known.T
        graph = helper.make_graph(
            nodes, "one", list(inputs.values()), [_info(value) for value in node.outputs if value.name],
            [numpy_helper.from_array(np.asarray(array, order="C"), str(name)) for name, array in arrays.items()],
        )  # fmt: skip
        version = self.graph.opset_imports[""]
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10)

    def _put(self, made: ir.Graph, node: ir.Node) -> list[ir.Value]:
        """Move the nodes of a small model behind the node that they are for."""
        around = {value.name: value for value in node.inputs if value is not None}
        made.sort()  # which the tool leaves to its callers
        outputs = list(made.outputs)
        for value in list(made.inputs):
            value.replace_all_uses_with(around[value.name])
        for value in list(made.initializers.values()):
            assert value.const_value is not None
            ir.convenience.replace_all_uses_with(value, self._shared_array(value), replace_graph_outputs=True)
        for value in outputs:
            value.name = f"{value.name}.int8"
        made.outputs.clear()
        place, home = node, node.graph
        assert isinstance(home, ir.Graph)
        for new in list(made):
            made.remove(new)
            new.metadata_props.update(node.metadata_props)
            for value in new.outputs:
                value.shape = None  # the names of sizes in a small model mean nothing in another
            home.insert_after(place, new)
            place = new
        return outputs

    def _shared_array(self, value: ir.Value) -> ir.Value:
        """An initializer of the model with the contents of one of a small model."""
        assert value.const_value is not None
        array = value.const_value.numpy()
        key = b"|".join([str(array.dtype).encode(), str(array.shape).encode(), array.tobytes()])
        if key not in self.arrays:
            name = f"{value.name}.{len(self.arrays)}"
            new = ir.val(name, value.const_value.dtype, array.shape)
            new.const_value = ir.tensor(array, name=name)
            self.graph.initializers.add(new)
            self.arrays[key] = new
        return self.arrays[key]


@cache
def _has_kernel(opset: int) -> bool:
    """Whether the installed onnxruntime quantizes by the operators of an opset; of the newest, it may be behind."""
    names = {"x": onnx.TensorProto.FLOAT, "scale": onnx.TensorProto.FLOAT, "zero": onnx.TensorProto.UINT8}
    inputs = [helper.make_tensor_value_info(name, type_, []) for name, type_ in names.items()]
    nodes = [helper.make_node(op, [x, "scale", "zero"], [y]) for op, x, y in zip(BORDERS, "xy", "yz", strict=True)]
    graph = helper.make_graph(
        nodes, "borders", inputs, [helper.make_tensor_value_info("z", onnx.TensorProto.FLOAT, [])]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    try:
        Session(model.SerializeToString())
    except GraphProgramError:
        return False
    return True


def _info(value: ir.Value) -> onnx.ValueInfoProto:
    """The type of an input or output of a small model; what nothing is known of is float32, as the matrix is."""
    dtype = onnx.TensorProto.FLOAT if value.dtype is None else int(value.dtype)
    shape = None if value.shape is None else [size if isinstance(size, int) else None for size in value.shape]
    return helper.make_tensor_value_info(str(value.name), dtype, shape)


def _turned(product: onnx.NodeProto) -> list[onnx.NodeProto]:
    """`w @ x` as the transposed `x.T @ w.T`: what is known is to stand behind."""
    (w, x), (y,) = product.input, product.output
    turned = x if _is_set(product, "transB") else f"{x}.turned"
    nodes = [
        helper.make_node("Transpose", [x], [f"{x}.turned"], perm=[1, 0]),
        helper.make_node("MatMul", [turned, w], [f"{y}.turned"], product.name),
        helper.make_node("Transpose", [f"{y}.turned"], [y], perm=[1, 0]),
    ]
    return nodes[turned == x :]


def _is_set(node: onnx.NodeProto, name: str) -> bool:
    return any(attribute.name == name and attribute.i for attribute in node.attribute)


def _fix(graph: onnx.GraphProto, known: Range) -> None:
    """Quantize with a known range what is quantized with that of each run.

    The nodes around a product that the tool writes for known ranges are only taken together for matrices, not for the
    vectors that programs multiply.
    """
    for node in graph.node:
        if node.op_type == "DynamicQuantizeLinear":
            low, high = (np.array(number, np.float32) for number in known)
            zero, scale = compute_scale_zp(low, high, np.array(0, np.uint8), np.array(255, np.uint8))
            quantized, scale_name, zero_name = node.output
            graph.initializer.append(numpy_helper.from_array(np.asarray(scale, np.float32), scale_name))
            graph.initializer.append(numpy_helper.from_array(np.asarray(zero, np.uint8), zero_name))
            node.CopyFrom(
                helper.make_node("QuantizeLinear", [node.input[0], scale_name, zero_name], [quantized], node.name)
            )


def _without_signs(graph: onnx.GraphProto) -> None:
    """The matrices of a layer, which the tool always writes as signed bytes, as bytes around 128."""
    for array in graph.initializer:
        if array.data_type == onnx.TensorProto.INT8:
            moved = (numpy_helper.to_array(array).astype(np.int16) + 128).astype(np.uint8)
            array.CopyFrom(numpy_helper.from_array(moved, array.name))


def share(graphs: Iterable[ir.Graph]) -> None:
    """Quantize a value once in each graph, for all that reads it there."""
    for graph in graphs:
        seen: dict[tuple[Any, ...], ir.Node] = {}
        for node in list(graph):
            if node.op_type not in SHARED:
                continue
            attributes = tuple(sorted((name, str(value.value)) for name, value in node.attributes.items()))
            first = seen.setdefault((node.op_type, *node.inputs, attributes), node)
            if first is not node:
                ir.convenience.replace_all_uses_with(node.outputs, first.outputs)
                graph.remove(node, safe=True)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the tool's advice, which is about whole models."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


__all__ = ["MICROSOFT", "Tool", "share"]
