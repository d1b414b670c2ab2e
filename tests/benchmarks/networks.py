"""Functions of `nn` as models against models of the same computation built by hand, in onnxruntime with one thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from graph_program import Float32, graph_program
from graph_program.tensor_api import nn
from tests.benchmarks.measure import Row, interleaved, three_digits

RNG = np.random.default_rng(0)


def array(*shape: int) -> Any:
    """Random float32."""
    return RNG.standard_normal(shape).astype(np.float32)


IMAGE, TOKENS, HEADS = array(1, 16, 64, 64), array(1, 64, 256), array(1, 4, 64, 64)
KERNEL, BIAS, WEIGHT, ROWS = array(16, 16, 3, 3), array(16), array(256), array(256, 256)
NET = nn.Sequential(
    nn.Conv2d(16, 32, 3, padding=1, seed=0), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(32, 32, 3, seed=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10, seed=2),
)  # fmt: skip


def conv2d(x: Any) -> Any:
    return nn.conv2d(x, KERNEL, BIAS, padding=1)


def conv_relu(x: Any) -> Any:
    return nn.relu(nn.conv2d(x, KERNEL, BIAS, padding=1))


def max_pool2d(x: Any) -> Any:
    return nn.max_pool2d(x, 2)


def avg_pool2d(x: Any) -> Any:
    return nn.avg_pool2d(x, 2)


def bilinear(x: Any) -> Any:
    return nn.interpolate(x, (96, 96), mode="bilinear")


def group_norm(x: Any) -> Any:
    return nn.instance_norm(x, weight=BIAS, bias=BIAS)


def layer_norm(x: Any) -> Any:
    return nn.layer_norm(x, (256,), WEIGHT, WEIGHT)


def softmax(x: Any) -> Any:
    return nn.softmax(x, -1)


def gelu(x: Any) -> Any:
    return nn.gelu(x)


def linear(x: Any) -> Any:
    return nn.linear(x, ROWS, WEIGHT)


def attention(x: Any) -> Any:
    return nn.scaled_dot_product_attention(x, x, x)


def network(x: Any) -> Any:
    return NET(x)


def node(operator: str, *inputs: str, **attributes: Any) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """An operator whose output is called by its place; `_` is what the one before gives, `x` the argument."""
    return operator, inputs, attributes


@dataclass(frozen=True)
class Case:
    """A function, its argument, and the same by hand."""

    function: Callable[[Any], Any]
    x: Any
    nodes: list[tuple[str, tuple[str, ...], dict[str, Any]]]
    constants: dict[str, Any]


CONV = {"k": KERNEL, "b": BIAS}
PADDED = {"pads": [1, 1, 1, 1]}
STATE = nn.state_dict(NET)
CASES = [
    Case(conv2d, IMAGE, [node("Conv", "x", "k", "b", **PADDED)], CONV),
    Case(conv_relu, IMAGE, [node("Conv", "x", "k", "b", **PADDED), node("Relu", "_")], CONV),
    Case(max_pool2d, IMAGE, [node("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2])], {}),
    Case(avg_pool2d, IMAGE, [node("AveragePool", "x", kernel_shape=[2, 2], strides=[2, 2])], {}),
    Case(bilinear, IMAGE, [node("Resize", "x", "", "", "n", mode="linear")], {"n": np.array([1, 16, 96, 96])}),
    Case(group_norm, IMAGE, [node("InstanceNormalization", "x", "b", "b")], {"b": BIAS}),
    Case(layer_norm, TOKENS, [node("LayerNormalization", "x", "w", "w")], {"w": WEIGHT}),
    Case(softmax, TOKENS, [node("Softmax", "x")], {}),
    Case(gelu, TOKENS, [node("Gelu", "x")], {}),
    Case(linear, TOKENS, [node("MatMul", "x", "m"), node("Add", "_", "b")], {"m": ROWS.T, "b": WEIGHT}),
    Case(
        attention,
        HEADS,
        [
            node("Mul", "x", "s"),
            node("Transpose", "x", perm=[0, 1, 3, 2]),
            node("MatMul", "y0", "y1"),
            node("Softmax", "_"),
            node("MatMul", "_", "x"),
        ],
        {"s": np.float32(0.125)},
    ),
    Case(
        network,
        IMAGE,
        [
            node("Conv", "x", "0.weight", "0.bias", **PADDED),
            node("BatchNormalization", "_", "1.weight", "1.bias", "1.running_mean", "1.running_var"),
            node("Relu", "_"),
            node("MaxPool", "_", kernel_shape=[2, 2], strides=[2, 2]),
            node("Conv", "_", "4.weight", "4.bias"),
            node("Relu", "_"),
            node("GlobalAveragePool", "_"),
            node("Flatten", "_"),
            node("Gemm", "_", "8.weight", "8.bias", transB=1),
        ],
        STATE,
    ),
]


def by_hand(case: Case) -> onnx.ModelProto:
    """The model of a case's nodes."""
    nodes = [
        helper.make_node(operator, [f"y{i - 1}" if name == "_" else name for name in inputs], [f"y{i}"], **attributes)
        for i, (operator, inputs, attributes) in enumerate(case.nodes)
    ]
    constants = [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in case.constants.items()]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, case.x.shape)
    y = helper.make_empty_tensor_value_info(f"y{len(nodes) - 1}")
    graph = helper.make_graph(nodes, "by_hand", [x], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """A session with one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def rows(quick: bool) -> list[Row]:
    """One row for each function: the time of our model and of the other, and their ratio."""
    found = []
    for case in CASES[:2] if quick else CASES:
        case.function.__annotations__["x"] = Float32[np.ndarray, " ".join(map(str, case.x.shape))]
        program = graph_program(case.function, freeze=True)
        program(case.x)
        ours, other = session(program.model(include_errors=False)), session(by_hand(case))
        result, expected = (s.run(None, {"x": case.x})[0] for s in (ours, other))
        assert np.allclose(result, expected, 1e-4, 1e-4), case.function.__name__
        work = {"ours": partial(ours.run, None, {"x": case.x}), "by hand": partial(other.run, None, {"x": case.x})}
        seconds = interleaved(work, 3 if quick else 41, 5)
        times = [three_digits(seconds[name] * 1e6) for name in work]
        ratio = three_digits(seconds["ours"] / seconds["by hand"])
        found.append(Row("networks", case.function.__name__, f"{times[0]} us, by hand {times[1]} us", ratio))
    return found
