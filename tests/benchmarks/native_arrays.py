"""Array operations, an LSTM and the first call as machine code, beside NumPy, numba with parallel loops and jax.jit."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import graph_program
from tests.benchmarks import lstm
from tests.benchmarks.measure import MISSING, aligned, interleaved, three_digits
from tests.benchmarks.native_stencils import Stencil, cases

COLUMNS = ("NumPy", "onnxruntime", "native", "numba", "numba, parallel", "jax.jit")
TOLERANCE = 1e-8
FIRST = """import time, sys
import numpy as np
from graph_program import graph_program
sys.path.insert(0, {folder!r})
import program
begin = time.perf_counter()
graph_program(program.run, backend="native")(np.arange(8.0))
print(time.perf_counter() - begin)
"""


def tables(quick: bool) -> list[str]:
    """Stencils and a filter; the LSTM; the first call."""
    return [_stencils(quick), _lstm(quick), _first(quick)]


def _stencils(quick: bool) -> str:
    lines = [["program", *(f"{name}, us" for name in COLUMNS), "native/best other"]]
    for name, case in cases().items():
        work = _work(case)
        seconds = interleaved(work, 3 if quick else 9, pause=0.02)
        times = [three_digits(seconds[which] / case.steps * 1e6) if which in seconds else "-" for which in COLUMNS]
        best = min(seconds[which] for which in seconds if which not in ("native", "onnxruntime"))
        lines.append([name, *times, f"{seconds['native'] / best:.2f}"])
    return f"array operations, two threads for each\n{aligned(lines)}"


def _work(case: Stencil) -> dict[str, Callable[[], Any]]:
    """Calls of a program by each that is there and takes it, with equal results."""
    made: dict[str, Callable[[], Any]] = {
        "NumPy": case.run,
        "onnxruntime": graph_program(case.run, backend="onnxruntime"),
        "native": graph_program(case.run, backend="native"),
    }
    with contextlib.suppress(ModuleNotFoundError):
        import numba

        made |= {"numba": numba.njit(case.run), "numba, parallel": numba.njit(parallel=True)(case.run)}
    with contextlib.suppress(ModuleNotFoundError):
        import jax

        jax.config.update("jax_enable_x64", True)
        compiled = jax.jit(case.in_jax())
        made["jax.jit"] = lambda *arguments: jax.block_until_ready(compiled(*arguments))
    expected = case.run(*case.arguments)
    work = {}
    for which, run in made.items():
        try:
            found = run(*case.arguments)
        except Exception as error:  # of numba, which does not take each program
            if not which.startswith("numba"):
                raise
            print(f"{case.run.__name__}: {which}: {type(error).__name__}", file=sys.stderr)
            continue
        for a, b in zip(_parts(expected), _parts(found), strict=True):
            np.testing.assert_allclose(b, a, rtol=TOLERANCE, atol=TOLERANCE, err_msg=which)
        work[which] = partial(run, *case.arguments)
    return work


def _parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def _lstm(quick: bool) -> str:
    lines = [["by", "us a token", "to the best"]]
    found = lstm.per_token(quick)
    for name in lstm.SUBJECTS:
        seconds = found.get(name)
        times = [three_digits(seconds * 1e6), f"{seconds / min(found.values()):.2f}"] if seconds else [MISSING, ""]
        lines.append([name, *times])
    return f"LSTM {lstm.INPUTS}/{lstm.HIDDEN}, {lstm.THREADS} threads for each\n{aligned(lines)}"


def _first(quick: bool) -> str:
    """From decoration to the first result, each time in a process of its own, without and with the disk's cache."""
    lines = [["lines of the program", "first, s", "from the cache, s"]]
    for count in (20, 200):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "program.py").write_text(_program(count))
            rounds = 1 if quick else 3
            new = min(_seconds(folder, f"{folder}/{number}") for number in range(rounds))
            again = min(_seconds(folder, f"{folder}/0") for _ in range(rounds))
        lines.append([str(count), f"{new:.2f}", f"{again:.2f}"])
    return f"from decoration to the first native result, the best of each\n{aligned(lines)}"


def _program(count: int) -> str:
    """A program of so many lines, none of which another one has."""
    lines = ["import numpy as np", "", "def run(x):", "    y, total = np.zeros(len(x)), 0.0"]
    for k in range((count - 2) // 6):
        lines += [
            f"    for i in range({k % 3}, len(x)):",
            f"        if x[i] > {k}:",
            f"            total += x[i] * {k}.5",
        ]
        lines += ["        else:", f"            y[i] = total - {k}.25", f"    total = total * 0.{k % 9 + 1}"]
    return "\n".join([*lines, "    return y, total", ""])


def _seconds(folder: str, cache: str) -> float:
    environment = os.environ | {"GRAPH_PROGRAM_CACHE": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # packages that were installed have it
    command = [sys.executable, "-c", FIRST.format(folder=folder)]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
