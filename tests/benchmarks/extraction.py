"""Time to the first result, and size of the model, for programs of growing length."""

from __future__ import annotations

import importlib.util
import itertools
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks import extraction_corpus, long_extractions
from tests.benchmarks.measure import Row, render

LINES = [100, 500, 1000, 5000]
HEAD = '''"""A generated program."""
import numpy as np
from graph_program import Float32, Tensor, graph_program


def block(x, y):
    a = x + y
    b = a * 0.5
    c = np.tanh(b)
    d = c - x
    e = np.where(d > 0, d, b)
    if np.sum(e) > 0:
        e = e * 0.9
    else:
        e = e + 0.1
    return e


@graph_program
def program(x: Float32[Tensor, "n"], y: Float32[Tensor, "n"]) -> Float32[Tensor, "n"]:
'''
LINES_OF_BLOCK = 10
NUMBER = itertools.count()


def generated(folder: Path, lines: int) -> Any:
    """A new program that has this many lines once its calls are inlined."""
    name = f"generated_{next(NUMBER)}"
    path = folder / f"{name}.py"
    body = "    x = block(x, y)\n" * (lines // LINES_OF_BLOCK)
    path.write_text(f"{HEAD}{body}    return x\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def seconds_to_first_result(folder: Path, lines: int) -> float:
    """Seconds from the decorated function to its first result."""
    program = generated(folder, lines)
    x = np.ones(8, np.float32)
    start = time.perf_counter()
    program(x, x)
    return time.perf_counter() - start


def tables(quick: bool, corpus: bool) -> list[str]:
    """Generated programs of growing length, and those that take long; with `corpus`, a sample of the tests, too."""
    return [
        render([*rows(quick), *long_extractions.rows(quick)]),
        *([extraction_corpus.table(quick)] if corpus else []),
    ]


def rows(quick: bool) -> list[Row]:
    """The ratio is the growth of time over the growth of length, seen from the shortest: 1 is linear."""
    sizes = LINES[:2] if quick else LINES
    seconds: dict[int, list[float]] = {lines: [] for lines in sizes}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seconds_to_first_result(folder, LINES_OF_BLOCK)
        for _ in range(1 if quick else 3):
            for lines in sizes:
                seconds[lines].append(seconds_to_first_result(folder, lines))
        sizes_of_models = [row for lines in sizes for row in model_rows(generated(folder, lines), lines)]
    medians = {lines: statistics.median(values) for lines, values in seconds.items()}
    first = sizes[0]
    return [
        Row(
            "extraction to first result",
            f"{lines} lines inlined",
            f"{medians[lines] * 1000:.0f} ms",
            f"{medians[lines] / medians[first] / (lines / first):.2f} of linear",
        )
        for lines in sizes
    ] + sizes_of_models


def model_rows(program: Any, lines: int) -> list[Row]:
    """Bytes of the exported model for a line of the program, with its repeated calls as functions and without."""
    found = []
    for functions, called in ((True, "calls as local functions"), (False, "calls inlined")):
        size = program.model(local_functions=functions).ByteSize()
        found.append(
            Row("model size", f"{lines} lines, {called}", f"{size / 1000:.0f} kB", f"{size / lines:.0f} B a line")
        )
    return found
