"""What the exported programs of a sample of the tests consist of; the tests run in a process of their own.

A test is in the sample by its name, so the sample is the same until tests are added or renamed.
"""

from __future__ import annotations

import copy
import json
import os
import statistics
import subprocess
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from graph_program import GraphProgramError
from graph_program.backends.onnx.host import DOMAIN as HOST
from tests.benchmarks.graphs.counts import Counts, counted
from tests.benchmarks.measure import aligned
from tests.programs import plain

EVERY = 10
"""Of so many tests, one is run."""
EVERY_QUICKLY = 600
SAMPLE, REPORT = "GRAPHS_ONE_TEST_OF", "GRAPHS_REPORT"
"""Variables of the environment that tell the process of the tests how many tests to run and where to write."""
ROOT = Path(__file__).resolve().parents[3]
Pair = tuple[Counts, Counts]


def table(quick: bool) -> str:
    """Two columns: the models as they are exported, and without errors."""
    pairs = sampled(EVERY_QUICKLY if quick else EVERY)
    if not pairs:
        return "no program of the sample is exported"
    columns = [_figures(counts) for counts in zip(*pairs, strict=True)]
    lines = [(name, *(column[name] for column in columns)) for name in columns[0]]
    head = (f"{len(pairs)} exported programs of the tests", "as exported", "without errors")
    return aligned([head, *lines])


def sampled(every: int) -> list[Pair]:
    """The figures of each program that one test of so many exports."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        command = [sys.executable, "-m", "pytest", "-q", "--exported=none", "-p", __name__, "tests/programs"]
        environment = {**os.environ, SAMPLE: str(every), REPORT: str(report)}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        if done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise RuntimeError(f"tests of the sample fail:\n{done.stdout[-4000:]}{done.stderr[-2000:]}")
        lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    first, second = ([Counts(**json.loads(line)[k]) for line in lines] for k in range(2))
    return list(zip(first, second, strict=True))


def _figures(found: Iterable[Counts]) -> dict[str, str]:
    found = list(found)
    nodes, branches = sum(c.nodes for c in found), sum(c.branches for c in found)
    depths, sizes = [c.depth for c in found], [c.nodes for c in found]
    return {
        "nodes, median": f"{statistics.median(sizes):g}",
        "nodes, mean": f"{statistics.mean(sizes):.1f}",
        "nodes, greatest": f"{max(sizes)}",
        "Identity, share of nodes": _share(sum(c.identities for c in found), nodes),
        "depth, median": f"{statistics.median(depths):g}",
        "depth, greatest": f"{max(depths)}",
        "If, in all": f"{branches}",
        "  share with a branch that computes nothing": _share(sum(c.one_sided for c in found), branches),
        "  share with one that only sets the error": _share(sum(c.errors for c in found), branches),
    }


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the tests of the sample only."""
    every = int(os.environ[SAMPLE])
    chosen = [item for item in items if zlib.crc32(item.nodeid.encode()) % every == 0]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def pytest_configure() -> None:
    """Note the figures of each program that `check` has compared."""
    plain.OBSERVERS.append(_note)


def _note(function: Callable[..., Any], program: Any, inputs: Any) -> None:
    if not inputs:
        return
    try:
        with warnings.catch_warnings(action="ignore"):
            models = [program.model(copy.deepcopy(inputs[0]), include_errors=errors) for errors in (True, False)]
    except GraphProgramError:
        return  # not all programs can be exported
    if any(opset.domain == HOST for opset in models[0].opset_import):
        return  # nor are those with host code files of operators
    with Path(os.environ[REPORT]).open("a", encoding="utf-8") as file:
        file.write(json.dumps([asdict(counted(model)) for model in models]) + "\n")
