"""Exported files in onnxruntime-web (WebAssembly, under Node), against onnxruntime in Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graph_program.verification.web import answers_of, crossed
from tests.loading.node import require_web

Arrays = dict[str, Any]


class Exported(NamedTuple):
    """A file, what is fed to it in each call, and what onnxruntime gives in Python."""

    name: str
    model: Path
    feeds: list[Arrays]
    outputs: list[Arrays]


def in_the_web(files: list[Exported]) -> list[dict[str, Any]]:
    """What onnxruntime-web makes of the files, all in one process."""
    _, environment = require_web()
    return answers_of([(file.model, file.feeds) for file in files], environment)


def differences(file: Exported, answer: dict[str, Any]) -> Iterator[str]:
    """Where the outputs of all calls are not those of onnxruntime in Python."""
    if "error" in answer:
        yield f"{file.name}: {answer['error']}"
        return
    for k, (outputs, tensors) in enumerate(zip(file.outputs, answer["outputs"], strict=True)):
        assert tensors.keys() == outputs.keys()
        for name, expected in outputs.items():
            try:
                same(crossed(tensors[name]), np.asarray(expected))
            except AssertionError as error:
                yield f"{file.name}, call {k}, {name}: {error}"


def same(found: Any, expected: Any) -> None:
    """Equal in element type, shape and value; functions such as `exp` are others, so floats are nearly equal."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    near = {"float32": 1e-5, "float64": 1e-9}.get(found.dtype.name, 0)
    if near:
        np.testing.assert_allclose(found, expected, rtol=near, atol=near)
    else:
        np.testing.assert_array_equal(found, expected)


__all__ = ["Exported", "differences", "in_the_web", "require_web"]
