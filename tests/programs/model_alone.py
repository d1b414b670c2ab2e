"""Running a program's model with plain onnxruntime, on other arguments than it was made with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnxruntime as ort

from graph_program import graph_program


class Alone:
    """The model of a function, made with some arguments, in a session with default options."""

    def __init__(self, function: Callable[..., Any], example: tuple[Any, ...]):
        model = graph_program(function).model(example)
        self.session = ort.InferenceSession(model.SerializeToString())

    def __call__(self, feeds: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs for some inputs, by name."""
        names = [o.name for o in self.session.get_outputs()]
        given = {name: np.asarray(value) for name, value in feeds.items()}
        return dict(zip(names, self.session.run(None, given), strict=True))


def held(outputs: Mapping[str, Any], name: str = "result") -> Any:
    """The output that holds, of those of a result that is one of several."""
    if f"{name}.case" not in outputs:
        return outputs[name]
    number = int(outputs[f"{name}.case"])
    return outputs[name if number == 0 else f"{name}.{number}"]
