"""The fused operators of neural networks: each is one ONNX operator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnx.builder import BOOL, FLOAT32, INT64, Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering, is_positive
from graph_program.backends.onnx.rules.movement import unsqueezed
from graph_program.extract.ir.graph import Node

GELU = 20


def _conv(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
    a = node.attrs
    return builder.op(
        "Conv", *operands, strides=a["strides"], pads=a["pads"], dilations=a["dilations"], group=a["groups"]
    )


def _conv_transpose(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
    a = node.attrs
    return builder.op(
        "ConvTranspose",
        *operands,
        strides=a["strides"],
        pads=a["pads"],
        output_padding=a["output_padding"],
        dilations=a["dilations"],
        group=a["groups"],
    )


def _max_pool(builder: Builder, node: Node, x: Tensor) -> Tensor:
    a = node.attrs
    return x.op("MaxPool", kernel_shape=a["taps"], strides=a["strides"], pads=a["pads"], dilations=a["dilations"])


def _average_pool(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """onnxruntime is slower where padded zeros count, even if there are none."""
    a = node.attrs
    padded = {"pads": a["pads"], "count_include_pad": 1} if any(a["pads"]) else {}
    return x.op("AveragePool", kernel_shape=a["taps"], strides=a["strides"], **padded)


def _softmax(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return x.op("Softmax", axis=node.attrs["axis"])


def _log_softmax(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return x.op("LogSoftmax", axis=node.attrs["axis"])


def _layer_norm(builder: Builder, node: Node, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return x.op("LayerNormalization", weight, bias, axis=node.attrs["axis"], epsilon=_epsilon(node))


def _gelu(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """The operator came with version 20; where it is not, or not everywhere, the formula."""
    is_tanh = node.attrs["approximate"] == "tanh"
    if builder.opset >= GELU and not builder.is_portable:
        return x.op("Gelu", approximate="tanh") if is_tanh else x.op("Gelu")
    inside = (x + x * x * x * 0.044715) * math.sqrt(2 / math.pi) if is_tanh else x * math.sqrt(0.5)
    return x * (inside.op("Tanh" if is_tanh else "Erf") + 1) * 0.5


def _lstm(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
    return _along(builder, "LSTM", node, operands)[0].op("Squeeze", builder.ints(1))


def _lstm_memory(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
    return _along(builder, "LSTM", node, operands)[2].op("Squeeze", builder.ints(0))


def _gru(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
    behind = int(node.attrs["behind"])
    return _along(builder, "GRU", node, operands, linear_before_reset=behind)[0].op("Squeeze", builder.ints(1))


def _along(builder: Builder, operator: str, node: Node, operands: Sequence[Tensor], **attrs: Any) -> list[Tensor]:
    """The operator's results; it has an axis for directions, the first one but of what it gives for all elements."""
    x, w, r, b, *states = operands
    w, r, b, *states = (unsqueezed(y, 0) for y in (w, r, b, *states))
    dtypes = [FLOAT32] * (len(states) + 1)
    return builder.ops(operator, x, w, r, b, None, *states, dtypes=dtypes, hidden_size=node.attrs["units"], **attrs)


def _instance_norm(builder: Builder, node: Node, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return x.op("InstanceNormalization", weight, bias, epsilon=_epsilon(node))


def _top_k(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """Without rows nothing is asked for, as where arrays are sorted."""
    count = builder.ints(node.attrs["k"])
    if all(is_positive(size) for size in node.inputs[0].type.shape[:-1]):
        return _largest(x, count)
    some = x.op("Size").cast(BOOL).cast(INT64)
    target = builder.op("Concat", x.shape(0, node.inputs[0].type.rank - 1), count, axis=0)
    return _largest(x, count * some).op("Reshape", target, allowzero=1)


def _largest(x: Tensor, count: Tensor) -> Tensor:
    return x.builder.ops("TopK", x, count, dtypes=(x.dtype, INT64), axis=-1, largest=1, sorted=1)[1]


def _resize(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """Sizes are the last input, behind a region of interest and scales that are empty."""
    mode = "align_corners" if node.attrs["align_corners"] else "half_pixel"
    sizes = builder.op("Concat", x.shape(0, 2), builder.ints(*node.attrs["sizes"]), axis=0)
    none = builder.constant(np.zeros(0, np.float32))
    return builder.op("Resize", x, none, none, sizes, mode="linear", coordinate_transformation_mode=mode)


def _epsilon(node: Node) -> ir.Attr:
    return ir.AttrFloat32("epsilon", node.attrs["epsilon"])


RULES: dict[str, Lowering] = {
    "conv": Lowering("f", _conv),
    "conv_transpose": Lowering("f", _conv_transpose),
    "max_pool": Lowering("f", _max_pool),
    "average_pool": Lowering("f", _average_pool),
    "softmax": Lowering("f", _softmax),
    "log_softmax": Lowering("f", _log_softmax),
    "layer_norm": Lowering("f", _layer_norm),
    "gelu": Lowering("f", _gelu),
    "lstm": Lowering("f", _lstm),
    "lstm_memory": Lowering("f", _lstm_memory),
    "gru": Lowering("f", _gru),
    "instance_norm": Lowering("f", _instance_norm),
    "top_k": Lowering("f", _top_k),
    "resize": Lowering("f", _resize),
    "erf": Lowering("f", lambda builder, node, x: x.op("Erf")),
}
