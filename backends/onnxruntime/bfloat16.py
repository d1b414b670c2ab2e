"""bfloat16 arrays to and from onnxruntime, whose Python interface takes no NumPy array of them.

They are fed as values of onnxruntime's own over the same memory.  The models that are run here give float32, as
what is fetched is a NumPy array; its numbers are bfloat16 ones, so that the upper half of each is all there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime

from graph_program.backends.host.results import narrowed
from graph_program.backends.onnxruntime.session import Session
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.types.tensors.bfloat16 import bfloat16

Run = Callable[..., list[Any]]
ELEMENT = int(onnx.TensorProto.BFLOAT16)


def converting(run: Run, session: Session, program: GraphProgram) -> Run:
    """The run of a session with bfloat16 arrays for its bfloat16 inputs and outputs."""
    inputs = frozenset(v.name for v in program.graph.inputs if v.type.is_bfloat16) & set(session.inputs)
    results = zip(session.outputs, program.graph.outputs, strict=False)
    outputs = frozenset(name for name, value in results if value.type.is_bfloat16)
    if not inputs and not outputs:
        return run

    def converted(names: Sequence[str], feed: dict[str, Any], options: Any) -> list[Any]:
        given = {name: np.ascontiguousarray(feed[name]).reshape(np.shape(feed[name])) for name in inputs}
        values = {name: fed(array) for name, array in given.items()}
        found = run(names, {**feed, **values}, options)
        return [
            narrowed(array, bfloat16()) if name in outputs else array for name, array in zip(names, found, strict=True)
        ]

    return converted


def fed(array: np.ndarray[Any, Any]) -> Any:
    """An array in C order as a value of onnxruntime, which must not outlive it."""
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(np.uint16), ELEMENT)


__all__ = ["converting"]
