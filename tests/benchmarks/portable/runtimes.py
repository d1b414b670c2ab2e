"""Runtimes besides onnxruntime: what loads a model and gives a function that runs it."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program.verification import runtimes as verification
from tests.exported.web import Exported, crossed, in_the_web, require_web

Feed = dict[str, np.ndarray]
Run = Callable[[Feed], list[Any]]
"""The outputs of a model in their order."""


def of_package(name: str) -> Callable[[bytes], Run]:
    """One of the runtimes that programs are verified in."""

    def loaded(content: bytes) -> Run:
        folder = tempfile.TemporaryDirectory()
        path = Path(folder.name) / "model.onnx"
        path.write_bytes(content)
        run = verification.RUNTIMES[name].load(path)

        def outputs(feed: Feed) -> list[Any]:
            assert folder.name  # the file is there as long as what reads it
            return list(run(feed).values())

        return outputs

    return loaded


def onnxslim(content: bytes) -> Run:
    """What onnxslim makes of the model, in onnxruntime."""
    import onnx
    import onnxslim as slim

    return onnxruntime(slim.slim(onnx.load_from_string(content)).SerializeToString())


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


onnxruntime = of_package("onnxruntime")
RUNTIMES: dict[str, Callable[[bytes], Run]] = {
    "openvino": of_package("openvino"),
    "onnxslim": onnxslim,
    "reference": of_package("reference"),
    "onnxruntime": onnxruntime,
    "tract": of_package("tract"),
    "web": web,
}


def is_there(runtime: str) -> bool:
    """Whether a runtime is installed."""
    if runtime == "web":
        try:
            require_web()
        except pytest.skip.Exception:
            return False
        return True
    known = verification.RUNTIMES.get(runtime)
    return not known.missing() if known is not None else importlib.util.find_spec(runtime) is not None
