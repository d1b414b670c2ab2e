"""Runtimes besides onnxruntime: what loads a model and gives a function that runs it."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.exported.web import Exported, crossed, in_the_web, require_web

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


def tract(content: bytes) -> Run:
    """Tract, which is told the sizes of the arrays of each run."""
    import onnx
    import tract as library

    names = [value.name for value in onnx.load_from_string(content).graph.input]
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "model.onnx"
    path.write_bytes(content)
    library.onnx().load(path)

    def run(feed: Feed) -> list[Any]:
        assert folder.name  # the file is there as long as what reads it
        model = library.onnx().load(path)
        for number, name in enumerate(names):
            sizes = "".join(f"{size}," for size in feed[name].shape)
            model.set_input_fact(number, f"{sizes}{TRACT_TYPES.get(feed[name].dtype.name, feed[name].dtype.name)}")
        outputs = model.into_model().into_runnable().run([feed[name] for name in names])
        return [output.to_numpy() for output in outputs]

    return run


TRACT_TYPES = {f"{kind}{bits}": f"{kind[0]}{bits}" for kind in ("float", "int", "uint") for bits in (8, 16, 32, 64)}
"""Element types in the words of tract, but for `bool`."""


def web(content: bytes) -> Run:
    """onnxruntime-web, of WebAssembly under Node."""
    with tempfile.TemporaryDirectory() as folder:
        _asked(content, [], Path(folder))

    def run(feed: Feed) -> list[Any]:
        with tempfile.TemporaryDirectory() as folder:
            (outputs,) = _asked(content, [feed], Path(folder))
        return [crossed(tensor) for tensor in outputs.values()]

    return run


def _asked(content: bytes, feeds: list[Feed], folder: Path) -> list[dict[str, Any]]:
    """The outputs of a model in onnxruntime-web."""
    path = folder / "model.onnx"
    path.write_bytes(content)
    (answer,) = in_the_web([Exported("model", path, feeds, [])])
    if "error" in answer:
        raise RuntimeError(answer["error"])
    found: list[dict[str, Any]] = answer["outputs"]
    return found


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
    "tract": tract,
    "web": web,
}
NEEDED = {"reference": "onnx"}
"""The packages that they are in, if they are called otherwise."""


def is_there(runtime: str) -> bool:
    """Whether a runtime is installed."""
    if runtime == "web":
        try:
            require_web()
        except pytest.skip.Exception:
            return False
        return True
    return importlib.util.find_spec(NEEDED.get(runtime, runtime)) is not None
