"""The newest versions that the installed onnx and onnxruntime share, and what an export takes of them."""

from __future__ import annotations

from functools import cache

import onnx
import onnxruntime
from onnx import defs, helper

from graph_program.backends.onnx.versions import IR_VERSION, OLDEST_IR_VERSION, OLDEST_OPSET, OPSET
from graph_program.backends.onnxruntime.session import CREATION_ERRORS, FATAL


def chosen_versions(opset: int | None, ir_version: int | None) -> tuple[int, int]:
    """The versions to write, where the ones asked for can be written.

    Parameters
    ----------
    opset : int, optional
        Version of the standard operators; 20 by default.
    ir_version : int, optional
        Version of the file format; by default 10, or what came with a newer or older `opset`.

    Raises
    ------
    TypeError, ValueError
        For what is no version, or none that onnx and onnxruntime share.
    """
    if opset is None:
        opset = OPSET
    elif not _is_known("opset", opset, OLDEST_OPSET, OPSET):
        _check("opset", opset, OLDEST_OPSET, newest_opset())
    if ir_version is None:
        came_with = _ir_version_of(opset)
        return opset, came_with if opset < OPSET else max(came_with, IR_VERSION)
    if not _is_known("ir_version", ir_version, OLDEST_IR_VERSION, IR_VERSION):
        _check("ir_version", ir_version, OLDEST_IR_VERSION, newest_ir_version())
    return opset, ir_version


def _is_known(name: str, version: int, oldest: int, newest: int) -> bool:
    """Whether every version of onnxruntime has it; others are asked for."""
    if not isinstance(version, int) or isinstance(version, bool):
        raise TypeError(f"{name} must be an int, not {version!r}")
    return oldest <= version <= newest


def _check(name: str, version: int, oldest: int, newest: int) -> None:
    if not oldest <= version <= newest:
        raise ValueError(
            f"{name} must be between {oldest} and {newest}, the newest that onnx {onnx.__version__} "
            f"and onnxruntime {onnxruntime.__version__} share, not {version}"
        )


@cache
def newest_opset() -> int:
    """The newest version of the standard operators that both have."""
    return next(v for v in range(defs.onnx_opset_version(), OPSET - 1, -1) if _loads(v, IR_VERSION))


@cache
def newest_ir_version() -> int:
    """The newest version of the file format that both read."""
    return next(v for v in range(onnx.IR_VERSION, IR_VERSION - 1, -1) if _loads(OPSET, v))


def _ir_version_of(opset: int) -> int:
    version: int = helper.find_min_ir_version_for([helper.make_opsetid("", opset)])
    return max(version, OLDEST_IR_VERSION)


def _loads(opset: int, ir_version: int) -> bool:
    """Whether onnxruntime takes a model of these versions."""
    x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "versions", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = FATAL
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except CREATION_ERRORS:
        return False
    return True


__all__ = ["chosen_versions", "newest_ir_version", "newest_opset"]
