"""Runtimes besides onnxruntime: what loads a model and gives a function that runs it."""

from __future__ import annotations

import importlib.util
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program.verification import runtimes as verification
from graph_program.verification.web import WEB, answers_of, crossed
from tests.loading.node import require_web

Feed = dict[str, np.ndarray]
Outputs = dict[str, Any]
Run = Callable[[Feed], Outputs]
"""The outputs of a model by name."""
PATIENCE = 30.0
"""Seconds for a model."""
TOGETHER, PATIENCE_TOGETHER = 120, 600.0
"""So many models are asked of a runtime at once whose process takes long to begin, and seconds for them."""


def of_package(name: str) -> Callable[[bytes], Run]:
    """One of the runtimes that programs are verified in."""

    def loaded(content: bytes) -> Run:
        folder = tempfile.TemporaryDirectory()
        path = Path(folder.name) / "model.onnx"
        path.write_bytes(content)
        run = verification.RUNTIMES[name].load(path)

        def outputs(feed: Feed) -> Outputs:
            assert folder.name  # the file is there as long as what reads it
            return run(feed)

        return outputs

    return loaded


def onnxslim(content: bytes) -> Run:
    """What onnxslim makes of the model, in onnxruntime."""
    import onnx
    import onnxslim as slim

    return onnxruntime(slim.slim(onnx.load_from_string(content)).SerializeToString())


Answer = dict[str, Any] | Exception


class Web:
    """onnxruntime-web, of WebAssembly under Node: a process, which takes a second to begin, is asked many models."""

    def __init__(self) -> None:
        self.answers: dict[bytes, list[Answer]] = {}
        """By model, each time that it was asked."""

    def ask(self, models: Iterable[tuple[bytes, Sequence[Feed]]]) -> None:
        """Ask at once what is asked of models and their inputs one by one, later."""
        asked = list(models)
        for (content, _), answer in zip(asked, _answers(asked), strict=True):
            self.answers.setdefault(content, []).append(answer)

    def __call__(self, content: bytes) -> Run:
        """The model, of which was asked before, in the same order."""
        answer = self.answers[content].pop(0)
        if isinstance(answer, Exception):
            raise answer
        if "outputs" not in answer:
            raise RuntimeError(answer["error"])
        runs = iter(answer["outputs"])

        def run(feed: Feed) -> Outputs:
            outputs = next(runs, None)
            if outputs is None:
                raise RuntimeError(answer["error"])
            return {name: crossed(tensor) for name, tensor in outputs.items()}

        return run


def _answers(asked: Sequence[tuple[bytes, Sequence[Feed]]]) -> list[Answer]:
    """What becomes of models; each is asked alone where one of them ends the process, or takes too long."""
    _, environment = require_web()
    with tempfile.TemporaryDirectory() as folder:
        questions = []
        for i, (content, feeds) in enumerate(asked):
            path = Path(folder) / f"{i}.onnx"
            path.write_bytes(content)
            questions.append((path, feeds))
        try:
            return [*answers_of(questions, environment, PATIENCE if len(asked) == 1 else PATIENCE_TOGETHER)]
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return [error] if len(asked) == 1 else [answer for one in asked for answer in _answers([one])]


onnxruntime = of_package("onnxruntime")
RUNTIMES: dict[str, Callable[[bytes], Run]] = {
    "openvino": of_package("openvino"),
    "onnxslim": onnxslim,
    "reference": of_package("reference"),
    "onnxruntime": onnxruntime,
    "tract": of_package("tract"),
    verification.CUDA: of_package(verification.CUDA),
    WEB: Web(),
}


def is_there(runtime: str) -> bool:
    """Whether a runtime is installed."""
    if runtime == WEB:
        try:
            require_web()
        except pytest.skip.Exception:
            return False
        return True
    known = verification.RUNTIMES.get(runtime)
    return not known.missing() if known is not None else importlib.util.find_spec(runtime) is not None
