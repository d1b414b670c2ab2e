"""Quantized networks with signed bytes: exact on every processor, wherever programs call them.

onnxruntime's sums of products with signed bytes saturate on x86 without VNNI; the arrays here are such that they would.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

from graph_program import graph_program, load_onnx
from graph_program.backends.models.loaded import OnnxModel
from tests.models.agreement import loaded, saved

ROWS = np.full((3, 64), 6.0, np.float32)
"""Elements as large as any that the networks were quantized with."""
RANDOM = np.random.default_rng(7)
WEIGHT = np.abs(RANDOM.normal(size=(64, 64))).astype(np.float32) + 1
WEIGHT[::2] = WEIGHT.max()

HEAD = '<ir_version: 8, opset_import: ["" : 17]>'
NETWORKS = {
    "products": HEAD + """net (float[n, 64] x) => (float[n, 64] y) {
        a = MatMul (x, w)  b = Relu (a)  y = MatMul (b, w)
    }""",
    "layers": HEAD + """net (float[n, 64] x) => (float[n, 64] y) {
        a = Gemm (x, w)  b = Sigmoid (a)  y = Gemm (b, w)
    }""",
    "products of what is computed": HEAD + """net (float[n, 64] x) => (float[n, 64] y) {
        a = MatMul (x, w)  b = Transpose <perm = [1, 0]> (a)  c = MatMul (a, b)  s = Softmax (c)
        d = MatMul (s, a)  y = Add (d, x)
    }""",
    "convolutions": HEAD + """net (float[n, 64] x) => (float[n, 64] y)
        <int64[4] image = {-1, 64, 1, 1}, int64[4] kernel = {64, 64, 1, 1}, int64[2] rows = {-1, 64}> {
        f = Reshape (w, kernel)  a = Reshape (x, image)  b = Conv (a, f)  c = MaxPool <kernel_shape = [1, 1]> (b)
        d = Concat <axis = 0> (c, c)  e, g = Split <axis = 0> (d)  h = Conv (e, f)  y = Reshape (h, rows)
    }""",
}  # fmt: skip
STATIC = {
    f"{activations.name}, {format.name}{', by channel' if per_channel else ''}": {
        "activation_type": activations,
        "weight_type": QuantType.QInt8,
        "quant_format": format,
        "per_channel": per_channel,
    }
    for activations in (QuantType.QInt8, QuantType.QUInt8)
    for format in QuantFormat
    for per_channel in (False, True)
}


class Rows(CalibrationDataReader):  # type: ignore[misc]
    def __init__(self) -> None:
        self.left: Iterator[dict[str, Any]] = iter([{"x": ROWS}, {"x": -ROWS}])

    def get_next(self) -> Any:
        return next(self.left, None)


def plainly(path: Path) -> Any:
    """A network as its operators say, one after the other."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options).run(None, {"x": ROWS})[0]


def everywhere(net: OnnxModel, folder: Path) -> dict[str, Any]:
    """What a network gives in Python, in a program's graph, in a loop, and in a file with a loop."""

    def once(x: Any) -> Any:
        return net(x)

    def last(x: Any, count: int) -> Any:
        found = net(x)
        for _ in range(count):
            found = found * 0 + net(x)
        return found

    program = graph_program(last)
    file = folder / "program.onnx"
    program.export(file, (ROWS, 2))
    return {
        "in Python": net(ROWS),
        "in a graph": graph_program(once)(ROWS),
        "in a loop": program(ROWS, 2),
        "in a file": onnxruntime.InferenceSession(file).run(None, {"x": ROWS, "count": np.array(2)})[0],
    }


def signed(net: OnnxModel) -> list[str]:
    """The signed bytes that are left in a network."""
    arrays = [*net.weights.items(), *((i.name, onnx.numpy_helper.to_array(i)) for i in net.message.graph.initializer)]
    return [name for name, array in arrays if array.dtype == np.int8]


@pytest.mark.parametrize("how", STATIC)
@pytest.mark.parametrize("network", NETWORKS)
def test_static(network: str, how: str, tmp_path: Path) -> None:
    path = tmp_path / "quantized.onnx"
    extra = {"extra_options": {"ActivationSymmetric": "QInt8," in how}}
    quantize_static(saved(tmp_path, NETWORKS[network], w=WEIGHT), path, Rows(), **STATIC[how], **extra)
    net = load_onnx(path)
    assert not signed(net)
    in_floats = STATIC[how]["quant_format"] is QuantFormat.QDQ  # the others are products of bytes, which saturate
    expected = plainly(path if in_floats else tmp_path / "net.onnx")
    step = np.abs(expected).max() / (100 if in_floats else 20)
    for where, found in everywhere(net, tmp_path).items():
        np.testing.assert_allclose(found, expected, rtol=0, atol=step, err_msg=where)


@pytest.mark.parametrize("activations", [QuantType.QInt16, QuantType.QUInt16], ids=str)
def test_with_numbers_of_16_bits(activations: QuantType, tmp_path: Path) -> None:
    """Of which onnxruntime makes products that inner graphs cannot have."""
    path = tmp_path / "quantized.onnx"
    options = {"activation_type": activations, "weight_type": QuantType.QInt8, "quant_format": QuantFormat.QDQ}
    quantize_static(saved(tmp_path, NETWORKS["products"], w=WEIGHT), path, Rows(), **options)
    expected = plainly(path)
    for where, found in everywhere(load_onnx(path), tmp_path).items():
        np.testing.assert_allclose(found, expected, rtol=0, atol=np.abs(expected).max() / 100, err_msg=where)


@pytest.mark.parametrize("network", NETWORKS)
def test_dynamic(network: str, tmp_path: Path) -> None:
    path = tmp_path / "quantized.onnx"
    quantize_dynamic(saved(tmp_path, NETWORKS[network], w=WEIGHT), path, weight_type=QuantType.QInt8)
    net = load_onnx(path)
    assert not signed(net)
    expected = plainly(tmp_path / "net.onnx")
    for where, found in everywhere(net, tmp_path).items():
        np.testing.assert_allclose(found, expected, rtol=0, atol=np.abs(expected).max() / 20, err_msg=where)


def test_as_its_operators_say(tmp_path: Path) -> None:
    """Integers, to the last one; zero points that are not said, and one for each column."""
    text = (
        HEAD
        + """net (uint8[n, 64] a, float[n, 64] x) => (int32[n, 32] p, int32[n, 32] q, float[n, 32] y)
        <float[1] scale = {0.5}, uint8 z = {3}> {
        p = MatMulInteger (a, w)  q = MatMulInteger (a, w, z, zeros)  d = DequantizeLinear (w, scales)
        c = DequantizeLinear <axis = 1> (w, scales, zeros)  e = Add (c, d)  y = MatMul (x, e)
    }"""
    )
    w, zeros = np.full((64, 32), 127, np.int8), np.arange(-16, 16, dtype=np.int8)
    scales = np.linspace(1, 2, 32, dtype=np.float32)
    net = loaded(tmp_path, text, w=w, zeros=zeros, scales=scales)
    a, x = np.full((3, 64), 255, np.uint8), np.ones((3, 64), np.float32)
    wide = w.astype(np.int32)
    expected = (
        a.astype(np.int32) @ wide,
        (a.astype(np.int32) - 3) @ (wide - zeros),
        x @ ((wide - zeros) * scales + wide * scales),
    )
    assert not signed(net)

    @graph_program
    def program(a: Any, x: Any, count: int) -> Any:
        found = net(a, x)
        for _ in range(count):
            found = net(a, x)
        return found

    for found in (net(a, x), program(a, x, 2)):
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


STAYS = {
    "an input": """net (int8[n, 4] a) => (float[n, 4] y) <float s = {0.5}, int8 z = {1}> {
        y = DequantizeLinear (a, s, z)
    }""",
    "an output": """net (float[n, 4] x) => (int8[n, 4] y) <float s = {0.5}, int8 z = {1}> {
        y = QuantizeLinear (x, s, z)
    }""",
    "what another operator reads": """net (float[n, 4] x) => (float[n, 4] y) <float s = {0.5}, int8 z = {1}> {
        q = QuantizeLinear (x, s, z)  c = Cast <to = 1> (q)  d = DequantizeLinear (q, s, z)  y = Add (c, d)
    }""",
    "what a branch gives": """net (float[n, 4] x) => (float[n, 4] y) <float s = {0.5}, int8 z = {1}> {
        q = QuantizeLinear (x, s, z)  m = ReduceMax <keepdims = 0> (x)  t = Greater (m, s)
        b = If (t) <then_branch = one () => (int8[n, 4] r) { r = Identity (q) },
                    else_branch = two () => (int8[n, 4] u) { u = Concat <axis = 0> (q) }>
        y = DequantizeLinear (b, s, z)
    }""",
    "a zero point that is computed": """net (float[n, 4] x) => (float[n, 4] y) <float s = {0.5}, int8 z = {1}> {
        m = ReduceMax <keepdims = 0> (x)  c = Cast <to = 3> (m)  q = QuantizeLinear (x, s, c)
        y = DequantizeLinear (q, s, c)
    }""",
}  # fmt: skip


@pytest.mark.parametrize("what", STAYS)
def test_what_others_see_stays(what: str, tmp_path: Path) -> None:
    net = loaded(tmp_path, HEAD + STAYS[what])
    x = np.array([[1.0, -2.0, 0.5, 40.0]], np.float32)
    arg = x.astype(np.int8) if what == "an input" else x
    name = net.inputs[0].name
    expected = onnxruntime.InferenceSession(tmp_path / "net.onnx").run(None, {name: arg})[0]

    @graph_program
    def program(x: Any) -> Any:
        return net(x)

    for found in (net(arg), program(arg)):
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


def test_inside_of_branches(tmp_path: Path) -> None:
    text = (
        HEAD
        + """net (float[n, 64] x) => (float[n, 32] y) <float s = {1.0}, int8 z = {-128}, int8 zero = {0}> {
        m = ReduceMax <keepdims = 0> (x)  t = Greater (m, s)  q = QuantizeLinear (x, s, z)
        y = If (t) <then_branch = one () => (float[n, 32] p) {
            d = DequantizeLinear (q, s, z)  v = DequantizeLinear (w, s, zero)  p = MatMul (d, v)
        }, else_branch = two () => (float[n, 32] r) {
            k = Constant <value = int8 {5}> ()  e = DequantizeLinear (k, s)  f = DequantizeLinear (w, s, k)
            g = MatMul (x, f)  r = Add (g, e)
        }>
    }"""
    )
    net = loaded(tmp_path, text, w=np.full((64, 32), 127, np.int8))
    assert not signed(net)
    program = graph_program(lambda x: net(x))
    for size, expected in ((255, 255 * 127 * 64), (0.5, 0.5 * 122 * 64 + 5)):
        x = np.full((3, 64), size, np.float32)
        for found in (net(x), program(x)):
            np.testing.assert_allclose(found, np.full((3, 32), expected), rtol=1e-6)
