"""Runtimes besides onnxruntime: what loads a model and gives a function that runs it."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Iterable, Sequence
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


class Web:
    """onnxruntime-web, of WebAssembly under Node: a process, which takes a second to begin, is asked many models."""

    def __init__(self) -> None:
        self.answers: dict[bytes, list[list[dict[str, Any]]]] = {}
        """By model, each time that it was asked: what becomes of loading it, and of each of its inputs."""

    def ask(self, models: Iterable[tuple[bytes, Sequence[Feed]]]) -> None:
        """Ask at once what is asked of models and their inputs one by one, later."""
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for i, (content, feeds) in enumerate(models):
                path = Path(folder) / f"{i}.onnx"
                path.write_bytes(content)
                asked = [[], *([feed] for feed in feeds)]
                files.append((content, [Exported(path.name, path, calls, []) for calls in asked]))
            found = iter(in_the_web([file for _, asked in files for file in asked]))
            for content, asked in files:
                self.answers.setdefault(content, []).append([next(found) for _ in asked])

    def __call__(self, content: bytes) -> Run:
        """The model, of which was asked before, in the same order."""
        loaded, *runs = self.answers[content].pop(0)
        _require_answer(loaded)
        calls = iter(runs)

        def run(feed: Feed) -> list[Any]:
            answer = next(calls)
            _require_answer(answer)
            (outputs,) = answer["outputs"]
            return [crossed(tensor) for tensor in outputs.values()]

        return run


def _require_answer(answer: dict[str, Any]) -> None:
    if "error" in answer:
        raise RuntimeError(answer["error"])


onnxruntime = of_package("onnxruntime")
RUNTIMES: dict[str, Callable[[bytes], Run]] = {
    "openvino": of_package("openvino"),
    "onnxslim": onnxslim,
    "reference": of_package("reference"),
    "onnxruntime": onnxruntime,
    "tract": of_package("tract"),
    "web": Web(),
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
