"""What a call costs beside a bare `session.run` of the same model, for four elements."""

from __future__ import annotations

import numpy as np

from graph_program import Float32, Tensor, graph_program
from tests.benchmarks.measure import Row, compared, interleaved


@graph_program(backend="onnxruntime")
def scaled(x: Float32[Tensor, "n"]) -> Float32[Tensor, "n"]:
    return x * 2 + 1


def rows(quick: bool) -> list[Row]:
    """Batches of calls, one of each kind in turn."""
    import onnxruntime

    x = np.arange(4, dtype=np.float32)
    scaled(x)
    session = onnxruntime.InferenceSession(scaled.model().SerializeToString())
    name = session.get_inputs()[0].name
    work = {
        "session.run": lambda: session.run(None, {name: x}),
        "graph_program": lambda: scaled(x),
        "NumPy": lambda: scaled.python(x),
    }
    seconds = interleaved(work, rounds=3 if quick else 25, repeat=1000)
    return compared("call, 4 elements", work, seconds, "us")
