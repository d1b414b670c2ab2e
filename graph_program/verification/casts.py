"""Models of casts between element types, each with what NumPy makes of it; runtimes have some of them only."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import onnx
from onnx import helper

from graph_program.backends.onnx.versions import OPSET

TYPES = (
    *("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"),
    *("float16", "float32", "float64"),
)
NUMBERS = np.array([0, 1, 5, 120])
"""Numbers that all types hold but bool."""


def cast_models() -> Iterator[tuple[str, str, onnx.ModelProto, dict[str, Any], dict[str, Any]]]:
    """Each cast by the name `Cast to int16`, with the type that it is of, inputs and outputs."""
    for of, to in permutations(TYPES, 2):
        x = NUMBERS.astype(of)
        before, behind = (helper.np_dtype_to_tensor_dtype(np.dtype(dtype)) for dtype in (of, to))
        node = helper.make_node("Cast", ["x"], ["y"], to=behind)
        ports = helper.make_tensor_value_info("x", before, ["n"]), helper.make_tensor_value_info("y", behind, ["n"])
        graph = helper.make_graph([node], "cast", [ports[0]], [ports[1]])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
        yield f"Cast to {to}", of, model, {"x": x}, {"y": x.astype(to)}


__all__ = ["cast_models"]
