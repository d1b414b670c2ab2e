"""Programs as machine code: beside plain Python, the graph in onnxruntime, and numba on the same source.

python -m tests.benchmarks native
"""

from __future__ import annotations

import importlib.util
import math
from functools import partial
from typing import Any

from graph_program import graph_program
from tests.benchmarks import native_arrays
from tests.benchmarks.measure import aligned, interleaved, own_time, three_digits
from tests.benchmarks.native_programs import all_cases
from tests.programs.plain import differs

HEAD = ["program", "Python, us", "onnxruntime, us", "native, us", "numba, us", "Python/native", "native/numba"]
RUNTIMES = ("Python", "onnxruntime", "native", "numba")
MACHINE_CODE = ("native", "numba")
SEEDS = range(48)
"""Calls with other arguments: given the same ones again, a processor knows thousands of branches by heart."""


def tables(quick: bool, corpus: bool) -> list[str]:
    """A line for each program, and the geometric means; array operations, the LSTM, the first call."""
    lines, against_python, against_numba = [], [], []
    drawn = [all_cases(seed) for seed in SEEDS]
    for name, (function, _) in drawn[0].items():
        seconds = _measured(function, [cases[name][1] for cases in drawn], quick)
        against_python.append(seconds["Python"] / seconds["native"])
        if "numba" in seconds:
            against_numba.append(seconds["native"] / seconds["numba"])
        times = [three_digits(seconds[which] * 1e6) if which in seconds else "-" for which in RUNTIMES]
        last = f"{against_numba[-1]:.2f}" if "numba" in seconds else "-"
        lines.append([name, *times, f"{against_python[-1]:.1f}", last])
    lines.append(["geometric mean", "", "", "", "", _mean(against_python), _mean(against_numba)])
    loops = f"loops over numbers, a call from Python, one thread\n{aligned([HEAD, *lines])}"
    return [loops, *native_arrays.tables(quick)]


def _measured(function: Any, calls: list[tuple[Any, ...]], quick: bool) -> dict[str, float]:
    """Seconds of a call by each: of machine code in the mean of all arguments, of the slow ones with the first."""
    made: dict[str, Any] = {
        "Python": function,
        "onnxruntime": graph_program(function, backend="onnxruntime"),
        "native": graph_program(function, backend="native"),
    }
    expected = function(*calls[0])
    for which in ("onnxruntime", "native"):
        assert not differs(expected, found := made[which](*calls[0])), (function.__name__, which, expected, found)
    compiled = _numba(function, calls[0])
    if compiled is not None:
        made["numba"] = compiled
    given = {which: calls if which in MACHINE_CODE else calls[:1] for which in made}
    work = {which: partial(_in_turn, one, given[which]) for which, one in made.items()}
    seconds = interleaved(work, 3 if quick else 7, clock=own_time(), least=1e-3)
    return {which: total / len(given[which]) for which, total in seconds.items()}


def _in_turn(function: Any, calls: list[tuple[Any, ...]]) -> None:
    for arguments in calls:
        function(*arguments)


def _numba(function: Any, arguments: tuple[Any, ...]) -> Any:
    """The function compiled by numba, if it is there and takes it."""
    if importlib.util.find_spec("numba") is None:
        return None
    import numba

    compiled = numba.njit(function)
    try:
        compiled(*arguments)
    except numba.core.errors.NumbaError:
        return None
    return compiled


def _mean(ratios: list[float]) -> str:
    return f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}" if ratios else "-"
