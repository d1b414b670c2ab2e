"""Each program's exported file beside the model written by hand: what they consist of, and the time of a call."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import onnx
import onnxruntime

from tests.benchmarks.graphs.cases import CASES, Case
from tests.benchmarks.graphs.counts import Counts, counted
from tests.benchmarks.measure import aligned, interleaved, own_time, three_digits

COLUMNS = {
    "program": [""],
    "nodes": ["ours", "no errors", "by hand", "ratio"],
    "depth": ["ours", "by hand"],
    "If": ["ours"],
    "Identity": ["ours"],
    "us a call": ["ours", "no errors", "by hand", "ratio", "of no errors", "NumPy"],
    "results": [""],
}
"""Models by hand have neither `If` nor `Identity`."""
Arrays = dict[str, Any]


@dataclass(frozen=True)
class Measured:
    """What was found of one case; `seconds` are those of a call of "ours", "no errors", "by hand" and "NumPy"."""

    name: str
    of_operator: bool
    ours: Counts
    without_errors: Counts
    by_hand: Counts
    seconds: dict[str, float]

    @property
    def nodes_ratio(self) -> float:
        """How many times the nodes ours has."""
        return self.ours.nodes / self.by_hand.nodes

    def time_ratio(self, name: str = "ours") -> float:
        """How many times the time of the model by hand one takes."""
        return self.seconds[name] / self.seconds["by hand"]


def table(quick: bool) -> str:
    """A line for each case, and the geometric means over those without an operator of their own."""
    found = [measured(case, quick) for case in CASES if not quick or case.name == "ctc"]
    plain = [case for case in found if not case.of_operator]
    means = [f"{statistics.geometric_mean(ratios):.2f}" for ratios in zip(*map(_ratios, plain), strict=True)]
    mean = ["geometric mean*", *[""] * 3, means[0], *[""] * 7, *means[1:], "", ""]
    above = [name for group, names in COLUMNS.items() for name in (group, *[""] * (len(names) - 1))]
    head = [above, [name for names in COLUMNS.values() for name in names]]
    note = "* without the models of which one operator does the whole program"
    rendered = aligned([*head, *map(_line, found), mean], heads=2)
    return f"exported graphs beside graphs written by hand\n{rendered}\n{note}"


def _ratios(case: Measured) -> tuple[float, float, float]:
    return case.nodes_ratio, case.time_ratio(), case.time_ratio("no errors")


def _line(case: Measured) -> Sequence[str]:
    ours, hand, seconds = case.ours, case.by_hand, case.seconds
    times = [three_digits(seconds[name] * 1e6) for name in ("ours", "no errors", "by hand", "NumPy")]
    ratios = [f"{case.time_ratio(name):.2f}" for name in ("ours", "no errors")]
    counts = (ours.nodes, case.without_errors.nodes, hand.nodes, f"{case.nodes_ratio:.2f}", ours.depth, hand.depth)
    others = (ours.branches, ours.identities, *times[:3], *ratios, times[3])
    return (case.name, *map(str, counts), *map(str, others), "equal")


def measured(case: Case, quick: bool) -> Measured:
    """Compare the results of a case, and measure it."""
    program, first = case.program, case.arguments(case.sizes[0])
    unchecked = program.model(include_errors=False, checks="none")
    models = {"ours": program.model(), "no errors": unchecked, "by hand": case.by_hand()}
    sessions = {name: session(model) for name, model in models.items()}
    for size in case.sizes:
        arguments = case.arguments(size)
        for name, running in sessions.items():
            check(f"{case.name} {name}, size {size}", running, program.python, arguments)
    feeds = fed(first)
    work = {name: partial(running.run, None, feeds) for name, running in sessions.items()}
    seconds = interleaved(
        {**work, "NumPy": partial(program.python, **first)}, 3 if quick else 15, repeat=10, clock=own_time()
    )
    return Measured(case.name, case.of_operator, *map(counted, models.values()), seconds)


def session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """A session with default options, but one thread; what it warns of is not shown."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def fed(arguments: Arrays) -> Arrays:
    """Arguments as inputs of a model."""
    return {name: np.asarray(value) for name, value in arguments.items()}


def check(name: str, running: onnxruntime.InferenceSession, python: Any, arguments: Arrays) -> None:
    """Assert that a model gives what Python gives, in element type, shape and value.

    Raises
    ------
    AssertionError
        With `name` where they differ, or where the model reports an error.
    """
    result = python(**arguments)
    expected = [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]
    outputs = dict(zip((o.name for o in running.get_outputs()), running.run(None, fed(arguments)), strict=True))
    assert not outputs.get("error", 0), f"{name}: error {outputs['error']}"
    found = [value for output, value in outputs.items() if not output.startswith("error")]
    assert len(found) == len(expected), f"{name}: {len(found)} results of {len(expected)}"
    for value, wanted in zip(found, expected, strict=True):
        assert (value.dtype, value.shape) == (wanted.dtype, wanted.shape), f"{name}: {value!r} instead of {wanted!r}"
        near = {"float32": 1e-4, "float64": 1e-9}.get(wanted.dtype.name, 0)
        assert np.allclose(value, wanted, near, near), f"{name}: {value!r} instead of {wanted!r}"
