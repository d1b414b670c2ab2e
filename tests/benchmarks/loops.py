"""Loops over numbers: plain Python, the exported file with loops as loops and as array operations, and NumPy.

Files run in onnxruntime, whatever runs programs on this machine.

python -m tests.benchmarks loops
"""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest import mock

import numpy as np

from graph_program.extract import transform
from tests.benchmarks.graphs.compared import fed, session
from tests.benchmarks.loop_programs import Case, cases
from tests.benchmarks.measure import aligned, interleaved, own_time, three_digits

HEAD = ["program", "Python, us", "loops, us", "ours, us", "NumPy, us", "Python/ours", "results"]
PASS = "vectorize"
SLOW = ("Mandelbrot", "NMS", "Collatz")


def tables(quick: bool, corpus: bool) -> list[str]:
    """A line for each program."""
    found = [_line(name, case, quick) for name, case in cases().items()]
    return [f"loops over numbers, exported, one thread\n{aligned([HEAD, *found])}"]


def _line(name: str, case: Case, quick: bool) -> list[str]:
    python, arguments = case.program.python, case.arguments
    running = {"ours": session(case.program.model()), "loops": session(_with_loops(python))}
    expected = python(**arguments)
    expected = expected if isinstance(expected, tuple) else (expected,)
    feeds = fed(arguments)
    for one in running.values():
        for a, b in zip(map(np.asarray, expected), one.run(None, feeds), strict=False):
            assert a.dtype == b.dtype and a.shape == b.shape, name
            np.testing.assert_allclose(a, b, rtol=1e-12)
    work: dict[str, Any] = {"Python": partial(python, **arguments)}
    work |= {which: partial(one.run, None, feeds) for which, one in running.items()}
    if case.arrays is not None:
        work["NumPy"] = partial(case.arrays, **arguments)
    slow = quick or name in SLOW
    seconds = interleaved(work, 3 if slow else 9, repeat=1 if slow else 10, clock=own_time())
    times = [
        three_digits(seconds[which] * 1e6) if which in seconds else "" for which in ("Python", "loops", "ours", "NumPy")
    ]
    return [name, *times, three_digits(seconds["Python"] / seconds["ours"]), "equal"]


def _with_loops(python: Any) -> Any:
    """The model with the pass switched off."""
    from graph_program import graph_program

    with mock.patch.object(transform, "PASSES", tuple(p for p in transform.PASSES if p.name != PASS)):
        return graph_program(python).model()
