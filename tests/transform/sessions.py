"""Running models in onnxruntime, with arguments by position."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime


def run(model: onnx.ModelProto, args: tuple[Any, ...]) -> list[np.ndarray]:
    """The outputs of a model."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [given.name for given in session.get_inputs()]
    feeds = {name: np.array(value) for name, value in zip(names, args, strict=True)}
    found: list[np.ndarray] = session.run(None, feeds)
    return found
