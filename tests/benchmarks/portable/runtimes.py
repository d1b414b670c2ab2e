"""Runtimes besides onnxruntime: what loads a model and gives a function that runs it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

Feed = dict[str, np.ndarray]
Run = Callable[[Feed], list[Any]]
"""The outputs of a model in their order."""


def openvino(content: bytes) -> Run:
    """OpenVINO on the CPU, in float32."""
    import openvino as ov

    core = ov.Core()
    core.set_property("CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
    compiled = core.compile_model(core.read_model(content), "CPU")

    taken = {name for value in compiled.inputs for name in value.names}  # what nothing reads is not among them

    def run(feed: Feed) -> list[Any]:
        results = compiled({name: array for name, array in feed.items() if name in taken})
        return [results[output] for output in compiled.outputs]

    return run


def onnxslim(content: bytes) -> Run:
    """What onnxslim makes of the model, in onnxruntime."""
    import onnx
    import onnxslim as slim

    return _onnxruntime(slim.slim(onnx.load_from_string(content)).SerializeToString())


def reference(content: bytes) -> Run:
    """The reference evaluator of onnx."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(onnx.load_from_string(content))
    return lambda feed: evaluator.run(None, feed)


def _onnxruntime(content: bytes) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    taken = {value.name for value in session.get_inputs()}
    return lambda feed: session.run(None, {name: array for name, array in feed.items() if name in taken})


RUNTIMES: dict[str, Callable[[bytes], Run]] = {
    "openvino": openvino,
    "onnxslim": onnxslim,
    "reference": reference,
    "onnxruntime": _onnxruntime,
}
NEEDED = {"openvino": "openvino", "onnxslim": "onnxslim", "reference": "onnx", "onnxruntime": "onnxruntime"}
"""The packages that they are in."""


def is_there(runtime: str) -> bool:
    """Whether a runtime is installed."""
    return importlib.util.find_spec(NEEDED[runtime]) is not None
