"""What ONNX's version converter gets wrong without a word, corrected or refused.

    Upsample-9(x, scales)        ->      Resize(x, , scales), coordinates asymmetric, nearest is the one before

`tests/models/test_conversions` compares each operator of an old opset with itself, converted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from graph_program.backends.models.walks import graphs_of, nodes_of, standard

if TYPE_CHECKING:
    import onnx

LEFT_ALONE = {"Hardmax": 13, "Scan": 9}
"""Operators that are others from a version on, and that the converter leaves as they are."""
RESIZE = 11
"""The version in which `Resize` was told which coordinates it means."""
SAMPLING = ("Resize", "Upsample")


def wrongly_converted(message: onnx.ModelProto, old: int, new: int) -> str | None:
    """An operator of a model that would mean something else; None where there is none."""
    for node in nodes_of(message):
        if standard(node.domain):
            continue
        since = LEFT_ALONE.get(node.op_type)
        if since is not None and (old < since) != (new < since):
            return node.op_type
        if node.op_type in SAMPLING and old < RESIZE <= new and not _is_plain_sampling(message, node):
            return node.op_type
    return None


def correct(message: onnx.ModelProto, old: int, new: int) -> None:
    """Say of converted operators what their old versions meant, in place."""
    import onnx

    if not old < RESIZE <= new:
        return
    for node in nodes_of(message):
        if node.op_type == "Resize" and not standard(node.domain):
            said = {attribute.name for attribute in node.attribute}
            for name, value in (("coordinate_transformation_mode", "asymmetric"), ("nearest_mode", "floor")):
                if name not in said:
                    node.attribute.append(onnx.helper.make_attribute(name, value))


def _is_plain_sampling(message: onnx.ModelProto, node: onnx.NodeProto) -> bool:
    """Whether a sampling takes the nearest element before a place, or what is between two.

    Of fewer elements than there were, old versions took the nearest one behind it.
    """
    given = {attribute.name: attribute for attribute in node.attribute}
    if "mode" in given and given["mode"].s != b"nearest":
        return True
    scales = list(given["scales"].floats) if "scales" in given else _constant(message, node.input[-1])
    return scales is not None and all(scale >= 1 for scale in scales)


def _constant(message: onnx.ModelProto, name: str) -> list[float] | None:
    import onnx

    for key, tensor in _constants(message):
        if key == name:
            return [float(x) for x in np.ravel(onnx.numpy_helper.to_array(tensor))]
    return None


def _constants(message: onnx.ModelProto) -> Iterator[tuple[str, onnx.TensorProto]]:
    for graph in graphs_of(message):
        for tensor in graph.initializer:
            yield tensor.name, tensor
    for node in nodes_of(message):
        if node.op_type == "Constant" and node.attribute and node.attribute[0].HasField("t"):
            yield node.output[0], node.attribute[0].t


__all__ = ["correct", "wrongly_converted"]
