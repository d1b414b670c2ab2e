"""Loops as users write them first: plain Python, the program in process, and its file.

Arrays have no annotations, so that a file asks all that may fail.  All run in onnxruntime, whatever runs programs on
this machine.

python -m tests.benchmarks everyday
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from graph_program import graph_program
from tests.benchmarks import everyday_events, everyday_pictures, everyday_signals, everyday_windows
from tests.benchmarks.graphs.compared import session
from tests.benchmarks.measure import aligned, interleaved, own_time, three_digits

HEAD = ["program", "Python, us", "in process, us", "file, us", "Python/in process", "Python/file"]


def tables(quick: bool, corpus: bool) -> list[str]:
    """A line for each program, and geometric means."""
    kinds = everyday_pictures, everyday_signals, everyday_windows, everyday_events
    found = [_line(name, *case, quick) for kind in kinds for name, case in kind.cases().items()]
    means = [math.exp(sum(math.log(float(line[i])) for line in found) / len(found)) for i in (4, 5)]
    last = ["geometric mean", "", "", "", *map(three_digits, means)]
    return [f"everyday loops, one thread\n{aligned([HEAD, *found, last])}"]


def _line(name: str, python: Callable[..., Any], arguments: tuple[Any, ...], quick: bool) -> list[str]:
    program = graph_program(python, backend="onnxruntime", threads=1)
    file = session(program.model(copy.deepcopy(arguments), include_errors=True))
    feeds = {given.name: np.asarray(value) for given, value in zip(file.get_inputs(), arguments, strict=True)}
    expected = _flat(python(*copy.deepcopy(arguments)))
    for found in (_flat(program(*copy.deepcopy(arguments))), file.run(None, feeds)):
        for a, b in zip(expected, found, strict=False):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12, err_msg=name)
    work: dict[str, Callable[[], Any]] = {
        "Python": partial(python, *arguments),
        "in process": partial(program, *arguments),
        "file": partial(file.run, None, feeds),
    }
    seconds = interleaved(work, 3 if quick else 7, repeat=1 if quick else 3, clock=own_time())
    times = [three_digits(seconds[which] * 1e6) for which in work]
    return [name, *times, *(f"{seconds['Python'] / seconds[which]:.3g}" for which in ("in process", "file"))]


def _flat(result: Any) -> list[Any]:
    results = result if isinstance(result, tuple) else (result,)
    return [np.asarray(one) for one in results]
