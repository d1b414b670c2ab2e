"""What ONNX's version converter gets wrong without a word, corrected or refused.

    Upsample-9(x, scales)        ->      Resize(x, , scales), coordinates asymmetric, nearest is the one before
    a, b = Split-13(x)           ->      a, b = Split(x, [n / 2, n / 2])

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
UNEVEN = 18
"""The version from which on the last part of a `Split` into a number of parts may be smaller; before, it failed."""


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

    if old < UNEVEN <= new:
        for graph in graphs_of(message):
            _split_evenly(graph)
    if not old < RESIZE <= new:
        return
    for node in nodes_of(message):
        if node.op_type == "Resize" and not standard(node.domain):
            said = {attribute.name for attribute in node.attribute}
            for name, value in (("coordinate_transformation_mode", "asymmetric"), ("nearest_mode", "floor")):
                if name not in said:
                    node.attribute.append(onnx.helper.make_attribute(name, value))


def _split_evenly(graph: onnx.GraphProto) -> None:
    """Say how large the parts of arrays are that are to be equal, in place: with other sizes no part is left over."""
    from onnx.helper import get_node_attr_value, make_attribute, make_node

    nodes = []
    for node in graph.node:
        if node.op_type == "Split" and not standard(node.domain) and not any(node.input[1:]):
            said = {attribute.name for attribute in node.attribute}
            axis = get_node_attr_value(node, "axis") if "axis" in said else 0
            shape = make_node("Shape", node.input[:1], [f"{node.output[0]}.size"], start=axis)
            shape.attribute.extend([make_attribute("end", axis + 1)] if axis != -1 else [])
            size, count, part, sizes = (f"{node.output[0]}.{word}" for word in ("size", "count", "part", "sizes"))
            nodes += [
                shape,
                make_node("Constant", [], [count], value_ints=[len(node.output)]),
                make_node("Div", [size, count], [part]),
                make_node("Expand", [part, count], [sizes]),
            ]
            node.input[1:] = [sizes]
            for attribute in [a for a in node.attribute if a.name == "num_outputs"]:
                node.attribute.remove(attribute)
        nodes.append(node)
    if len(nodes) > len(graph.node):
        made = [type(node).FromString(node.SerializeToString()) for node in nodes]
        del graph.node[:]
        graph.node.extend(made)


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
