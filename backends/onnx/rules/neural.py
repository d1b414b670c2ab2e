"""The fused operators of neural networks: each is one ONNX operator."""

from __future__ import annotations

import onnx_ir as ir

from graph_program.backends.onnx.builder import Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering
from graph_program.extract.ir.graph import Node


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
    a = node.attrs
    return x.op("AveragePool", kernel_shape=a["taps"], strides=a["strides"], pads=a["pads"], count_include_pad=1)


def _softmax(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return x.op("Softmax", axis=node.attrs["axis"])


def _log_softmax(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return x.op("LogSoftmax", axis=node.attrs["axis"])


def _layer_norm(builder: Builder, node: Node, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return x.op("LayerNormalization", weight, bias, axis=node.attrs["axis"], epsilon=_epsilon(node))


def _instance_norm(builder: Builder, node: Node, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return x.op("InstanceNormalization", weight, bias, epsilon=_epsilon(node))


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
    "instance_norm": Lowering("f", _instance_norm),
    "erf": Lowering("f", lambda builder, node, x: x.op("Erf")),
}
