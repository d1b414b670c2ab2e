"""Processor time of the way from a function to its model, for a sample of the programs of the tests.

The same command in another checkout says what a change costs: the sample is the same until tests are renamed.
"""

from __future__ import annotations

import copy
import json
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graph_program import GraphProgramError, graph_program
from tests.benchmarks.graphs import corpus
from tests.benchmarks.measure import aligned
from tests.programs import plain

SLOWEST = 5
"""So many programs are named."""


def table(quick: bool) -> str:
    """Seconds in all, the median, and the programs that take longest."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        every, path = (1, corpus.FEW_TESTS) if quick else (corpus.EVERY, corpus.TESTS)
        corpus.observe(__name__, every, path, report)
        lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    found: dict[str, float] = {}
    for place, seconds in map(json.loads, lines):
        found[place] = min(seconds, found.get(place, seconds))
    if not found:
        return "no program of the sample is exported"
    slowest = sorted(found, key=lambda place: -found[place])[:SLOWEST]
    figures = [
        (f"{len(found)} programs of the tests, each from source to model", "processor time"),
        ("in all", f"{sum(found.values()):.1f} s"),
        ("median", f"{statistics.median(found.values()) * 1000:.0f} ms"),
        ("longer than a second", f"{sum(seconds > 1 for seconds in found.values())}"),
        *((f"  {place}", f"{found[place]:.2f} s") for place in slowest),
    ]
    return aligned(figures)


pytest_collection_modifyitems = corpus.pytest_collection_modifyitems


def pytest_configure() -> None:
    """Note the time of each program that `check` has compared."""
    plain.OBSERVERS.append(_note)


def _note(function: Callable[..., Any], program: Any, inputs: Any) -> None:
    if not inputs:
        return
    args = copy.deepcopy(inputs[0])
    start = time.process_time()
    try:
        with warnings.catch_warnings(action="ignore"):
            graph_program(function).model(args)
    except GraphProgramError:
        return
    seconds = time.process_time() - start
    place = f"{Path(function.__code__.co_filename).name}:{function.__code__.co_firstlineno}"
    with Path(os.environ[corpus.REPORT]).open("a", encoding="utf-8") as file:
        file.write(json.dumps((place, seconds)) + "\n")
