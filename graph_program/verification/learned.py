"""Models of one operator each that learned models have, of which onnx has no cases, or too few.

Those of `ai.onnx.ml` are what classifiers and regressors export; recurrent layers read sequences of several lengths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from graph_program.backends.onnx.versions import OPSET

DOMAIN, VERSION = "ai.onnx.ml", 3
ROWS = np.array([[0.25, 4.0, -1.0], [1.0, -2.5, 0.5], [3.0, 0.0, 2.0]], np.float32)
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
TREES: dict[str, Any] = {
    "nodes_treeids": [0, 0, 0, 0, 0, 1, 1, 1],
    "nodes_nodeids": [0, 1, 2, 3, 4, 0, 1, 2],
    "nodes_featureids": [0, 0, 1, 0, 0, 2, 0, 0],
    "nodes_values": [0.5, 0.0, -1.0, 0.0, 0.0, 0.75, 0.0, 0.0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 3, 0, 0, 1, 0, 0],
    "nodes_falsenodeids": [2, 0, 4, 0, 0, 2, 0, 0],
}
"""Two trees, with the leaves 1, 3 and 4, and 1 and 2."""
LEAVES = {"treeids": [0, 0, 0, 1, 1], "nodeids": [1, 3, 4, 1, 2], "weights": [0.5, 0.25, 1.0, 0.5, 0.125]}
PLANES = {"coefficients": [1.0, 0.5, -1.0, -0.5, 2.0, 0.25, 0.0, -1.0, 1.5], "intercepts": [0.5, 0.0, -0.25]}
VECTORS: dict[str, Any] = {
    "kernel_type": "RBF",
    "kernel_params": [0.5, 0.0, 3.0],
    "support_vectors": [0.0, 1.0, -1.0, 1.0, -2.0, 0.5, 2.0, 0.0, 1.0],
}
CASES: dict[str, tuple[dict[str, Any], dict[str, tuple[int, int | None]]]] = {
    "TreeEnsembleClassifier": (
        TREES
        | {f"class_{name}": values for name, values in LEAVES.items()}
        | {"class_ids": [0, 1, 2, 1, 2], "classlabels_int64s": [0, 1, 2]},
        {"label": (INT64, None), "scores": (FLOAT, 3)},
    ),
    "TreeEnsembleRegressor": (
        TREES
        | {f"target_{name}": values for name, values in LEAVES.items()}
        | {"target_ids": [0, 0, 0, 0, 0], "n_targets": 1},
        {"y": (FLOAT, 1)},
    ),
    "LinearClassifier": (
        PLANES | {"classlabels_ints": [0, 1, 2], "post_transform": "SOFTMAX"},
        {"label": (INT64, None), "scores": (FLOAT, 3)},
    ),
    "LinearRegressor": (PLANES | {"targets": 3}, {"y": (FLOAT, 3)}),
    "SVMClassifier": (
        VECTORS
        | {"coefficients": [0.5, -0.5, 1.0, -1.0, 0.25, -0.25], "rho": [0.1, -0.2, 0.3]}
        | {"vectors_per_class": [1, 1, 1], "classlabels_ints": [0, 1, 2]},
        {"label": (INT64, None), "scores": (FLOAT, 3)},
    ),
    "SVMRegressor": (
        VECTORS | {"coefficients": [0.5, -0.5, 1.0], "rho": [0.1], "n_supports": 3},
        {"y": (FLOAT, 1)},
    ),
    "Binarizer": ({"threshold": 0.25}, {"y": (FLOAT, 3)}),
    "Imputer": ({"imputed_value_floats": [0.5], "replaced_value_float": 0.0}, {"y": (FLOAT, 3)}),
    "Normalizer": ({"norm": "L2"}, {"y": (FLOAT, 3)}),
    "Scaler": ({"offset": [1.0, 0.0, -1.0], "scale": [2.0, 0.5, 1.0]}, {"y": (FLOAT, 3)}),
}
"""By operator: its attributes, and its outputs, each with an element type and the number of columns."""
MORE: dict[str, Sequence[dict[str, Any]]] = {
    "TreeEnsembleClassifier": [
        {"base_values": [0.5], "class_ids": [0, 0, 0, 0, 0], "classlabels_int64s": [0, 1]},  # as XGBoost has it
        {"post_transform": "LOGISTIC"},
        {"post_transform": "SOFTMAX"},
    ],
    "TreeEnsembleRegressor": [{"base_values": [0.5]}],
}
"""Attributes that runtimes may not read, each with a value and others that go with it: probed under their own names."""


def learned_models() -> Iterator[tuple[str, onnx.ModelProto, dict[str, Any]]]:
    """Each operator by its name behind its domain, with inputs."""
    for operator, (attributes, outputs) in CASES.items():
        yield f"{DOMAIN}.{operator}", _model(operator, attributes, outputs), {"x": ROWS}
        for more in MORE.get(operator, ()):
            name, value = next(iter(more.items()))
            words = f"{name}={value}" if isinstance(value, str) else name
            labels = more.get("classlabels_int64s")
            made = outputs | ({"scores": (FLOAT, len(labels))} if labels else {})
            yield f"{DOMAIN}.{operator} with {words}", _model(operator, attributes | more, made), {"x": ROWS}
    columns = helper.make_tensor("columns", INT64, [2], [2, 0])
    model = _model("ArrayFeatureExtractor", {}, {"y": (FLOAT, 2)}, columns)
    yield f"{DOMAIN}.ArrayFeatureExtractor", model, {"x": ROWS}


GATES = {"GRU": 3, "LSTM": 4, "RNN": 1}
"""Recurrent layers, and how many matrices they have."""
LENGTHS = "sequence_lens"


def recurrent_models() -> Iterator[tuple[str, onnx.ModelProto, dict[str, Any]]]:
    """Recurrent layers of sequences of which one ends before the other, each by its name, with inputs."""
    x = np.sin(np.arange(24, dtype=np.float32)).reshape(4, 2, 3)
    for operator, gates in GATES.items():
        weights = {
            "w": np.cos(np.arange(gates * 6)).reshape(1, -1, 3),
            "r": np.sin(np.arange(gates * 4)).reshape(1, -1, 2),
        }
        node = helper.make_node(operator, ["x", "w", "r", "", LENGTHS], ["y", "last"], hidden_size=2)
        given = [
            helper.make_tensor_value_info("x", FLOAT, ["s", "b", 3]),
            helper.make_tensor_value_info(LENGTHS, TensorProto.INT32, ["b"]),
        ]
        made = [
            helper.make_tensor_value_info("y", FLOAT, ["s", 1, "b", 2]),
            helper.make_tensor_value_info("last", FLOAT, [1, "b", 2]),
        ]
        arrays = [onnx.numpy_helper.from_array(array.astype(np.float32), name) for name, array in weights.items()]
        graph = helper.make_graph([node], operator, given, made, arrays)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
        yield f"{operator} with {LENGTHS}", model, {"x": x, LENGTHS: np.array([4, 2], np.int32)}


def _model(
    operator: str,
    attributes: dict[str, Any],
    outputs: dict[str, tuple[int, int | None]],
    *constants: onnx.TensorProto,
) -> onnx.ModelProto:
    names = [array.name for array in constants]
    node = helper.make_node(operator, ["x", *names], [*outputs], domain=DOMAIN, **attributes)
    given = helper.make_tensor_value_info("x", FLOAT, ["n", ROWS.shape[1]])
    made = [
        helper.make_tensor_value_info(name, element, ["n"] if columns is None else ["n", columns])
        for name, (element, columns) in outputs.items()
    ]
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(DOMAIN, VERSION)]
    graph = helper.make_graph([node], operator, [given], made, constants)
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


__all__ = ["DOMAIN", "LENGTHS", "ROWS", "learned_models", "recurrent_models"]
