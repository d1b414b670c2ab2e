"""Exported files in onnxruntime-web (WebAssembly, under Node), against onnxruntime in Python."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.loading.node import require_web, run_node

SCRIPT = Path(__file__).with_name("web.js")
Arrays = dict[str, Any]


class Exported(NamedTuple):
    """A file, what is fed to it in each call, and what onnxruntime gives in Python."""

    name: str
    model: Path
    feeds: list[Arrays]
    outputs: list[Arrays]


def crossing(array: Any) -> dict[str, Any]:
    """An array as the script reads it."""
    array = np.asarray(array)
    if array.dtype.kind in "OU":
        return {"type": "string", "dims": array.shape, "data": array.ravel().tolist()}
    data = base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode()
    return {"type": array.dtype.name, "dims": array.shape, "data": data}


def crossed(tensor: dict[str, Any]) -> Any:
    """An array as the script writes it."""
    if tensor["type"] == "string":
        return np.array(tensor["data"], object).reshape(tensor["dims"])
    dtype = np.dtype(tensor["type"]).newbyteorder("<")
    return np.frombuffer(base64.b64decode(tensor["data"]), dtype).reshape(tensor["dims"])


def in_the_web(files: list[Exported], folder: Path) -> list[dict[str, Any]]:
    """What onnxruntime-web makes of the files, all in one process."""
    questions, answers = folder / "questions.json", folder / "answers.json"
    asked = [
        {"model": str(f.model), "feeds": [{k: crossing(v) for k, v in feed.items()} for feed in f.feeds]} for f in files
    ]
    questions.write_text(json.dumps(asked), encoding="utf-8")
    run_node(SCRIPT, questions, answers)
    found: list[dict[str, Any]] = json.loads(answers.read_text(encoding="utf-8"))
    return found


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
