"""What `graph-program check` says of a file with mistakes, for the page about it."""

from __future__ import annotations

import contextlib
import io
import linecache
import sys
import tempfile
from pathlib import Path

CHECKED = """from dataclasses import dataclass
import numpy as np
from graph_program import Float32, Tensor, graph_program, reveal

@dataclass
class Layer:
    w: Float32[Tensor, "4 3"]
    b: Float32[Tensor, "4"]

def dense(layer, x):
    return np.tanh(x @ layer.w + layer.b)

@graph_program
def predict(layer: Layer, x: Float32[Tensor, "n 4"]):
    steps = np.diff(x, axis=0)
    reveal(steps)
    h = dense(layer, steps)
    return h / h.sum(axis=1, keepdims=True), summ(x)
"""


def checking() -> str:
    """What a check says about a file with mistakes, and after they are corrected."""
    corrected = CHECKED.replace('"4"]', '"3"]').replace("summ(x)", "np.sum(x)")
    parts = [f"`dense.py`:\n\n```py\n{CHECKED}```\n\n", transcript(CHECKED, ["dense.py"])]
    parts += ["\nWith the mistakes corrected:\n\n", transcript(corrected, ["dense.py", "--show", "--reveal", "17"])]
    return "".join(parts)


def transcript(source: str, arguments: list[str]) -> str:
    """What `graph-program check` prints for a file."""
    from graph_program.cli import main as command

    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        path = Path(arguments[0]).resolve()
        path.write_text(source, encoding="utf-8")
        linecache.checkcache()
        command(["check", *arguments])
        sys.path.remove(str(path.parent))
        linecache.cache.pop(str(path), None)
    return f"```console\n$ graph-program check {' '.join(arguments)}\n{printed.getvalue()}```\n"


__all__ = ["checking"]
