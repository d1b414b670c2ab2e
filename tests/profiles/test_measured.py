"""Reading onnxruntime's events, and taking the profiler's own time out of them."""

from __future__ import annotations

from typing import Any

import pytest

from graph_program.profiles.measured import Measurement, Run, Times, _runs
from graph_program.profiles.overhead import corrected, outlying


def event(name: str, start: int, duration: int, operator: str = "") -> dict[str, Any]:
    return {
        "cat": "Node" if operator else "Session",
        "name": f"{name}_kernel_time" if operator else name,
        "ts": start,
        "dur": duration,
        "args": {"op_name": operator},
    }


def test_what_a_loop_does_itself_is_without_what_happens_in_it() -> None:
    events = [
        event("a", 10, 5, "Add"),
        *(event("b", 30, 10, "Mul"), event("c", 42, 8, "If"), event("SequentialExecutor::Execute", 29, 22)),
        *(event("b", 60, 10, "Mul"), event("d", 73, 2, "Not"), event("SequentialExecutor::Execute", 72, 4)),
        *(event("c", 71, 9, "If"), event("SequentialExecutor::Execute", 59, 22)),
        event("l", 20, 70, "Loop"),
        event("SequentialExecutor::Execute", 9, 90),
        event("model_run", 5, 100),
    ]
    (run,) = _runs(events)
    assert run.nodes["a"] == Times("Add", 1, 0, 0, 5)
    assert run.nodes["b"] == Times("Mul", 2, 0, 0, 20)
    assert run.nodes["c"] == Times("If", 2, 2, 1, 8 + 9 - 2)
    assert run.nodes["l"] == Times("Loop", 1, 6, 2, 70 - 10 - 8 - 10 - 9)
    assert run.between == Times("", 1, 3, 1, -75)


def made(total: float, **own: float) -> Run:
    nodes = {name: Times("Add", 10, 0, 0, time) for name, time in own.items()}
    between = Times("", 1, 10.0 * len(nodes), 1, total - sum(own.values()))
    return Run(nodes, between, 10 * len(nodes), [3, 3, 4], total)


def test_times_sum_up_to_those_without_the_profiler() -> None:
    found = corrected(Measurement((30.0, 31.0, 32.0), (made(200, a=62, b=45),) * 3))
    assert found.total == 31
    assert found.between + sum(times.own for times in found.nodes.values()) == pytest.approx(31)
    assert found.nodes["a"].own > found.nodes["b"].own


def test_slow_runs_are_left_out() -> None:
    assert outlying([10.0, 11.0, 10.5, 90.0, 10.2]) == (3,)
    assert outlying([10.0, 11.0, 12.0]) == ()
    found = corrected(Measurement((30.0, 31.0, 30.0, 400.0), (made(200, a=62, b=45),)))
    assert (found.total, found.outliers) == (30.0, (3,))
