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

import onnx
import pytest

from graph_program import GraphProgramError
from graph_program.backends.onnx.host import DOMAIN as HOST
from tests.benchmarks.graphs.counts import Counts, counted
from tests.benchmarks.measure import aligned
from tests.programs import plain

EVERY = 10
"""Of so many tests, one is run."""
TESTS, FEW_TESTS = "tests/programs", "tests/programs/values/test_known_things_in_loops.py"
SAMPLE, START, REPORT = "GRAPHS_ONE_TEST_OF", "GRAPHS_FROM", "GRAPHS_REPORT"
"""Variables of the environment that tell the process of the tests which tests to run and where to write."""
ONCE = ("--exported=none", "--native=none", "--sessions=none")
"""Options of the tests that try no program a second time in another way."""
ROOT = Path(__file__).resolve().parents[3]
Pair = tuple[Counts, Counts]


def table(quick: bool) -> str:
    """Two columns: the models as they are exported, and without errors."""
    sample = sampled(1, FEW_TESTS) if quick else sampled(EVERY, TESTS)
    pairs = [pair for pair in sample if pair]
    if not pairs:
        return "no program of the sample is exported"
    columns = [_figures(counts) for counts in zip(*pairs, strict=True)]
    lines = [(name, *(column[name] for column in columns)) for name in columns[0]]
    head = (f"{len(pairs)} exported programs of the tests*", "as exported", "without errors")
    return f"{aligned([head, *lines])}\n* {len(sample) - len(pairs)} more are refused or have host code"


def sampled(every: int, path: str) -> list[Pair | None]:
    """The figures of each program of one test of so many; None for those that are not exported."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        observe(__name__, every, path, report)
        lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    found = [[Counts(**figures) for figures in json.loads(line)] for line in lines]
    return [(pair[0], pair[1]) if pair else None for pair in found]


def observe(plugin: str, every: int, path: str, report: Path, start: int = 0) -> None:
    """Run one test of so many of some files, with a module that notes in `report` what it is told of their programs.

    There are as many such samples as `every` says: `start`, which is less, tells which of them it is.
    """
    command = [sys.executable, "-m", "pytest", "-q", *ONCE, "-p", plugin, *path.split()]
    environment = {**os.environ, SAMPLE: str(every), START: str(start), REPORT: str(report)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise RuntimeError(f"tests of the sample fail:\n{done.stdout[-4000:]}{done.stderr[-2000:]}")


def _figures(found: Iterable[Counts]) -> dict[str, str]:
    found = list(found)
    nodes, branches = sum(c.nodes for c in found), sum(c.branches for c in found)
    depths, sizes = [c.depth for c in found], [c.nodes for c in found]
    return {
        "nodes, median": f"{statistics.median(sizes):g}",
        "nodes, mean": f"{statistics.mean(sizes):.1f}",
        "nodes, greatest": f"{max(sizes)}",
        "Identity, share of nodes": _share(sum(c.identities for c in found), nodes),
        "  but for those that ONNX demands": _share(sum(c.identities - c.demanded for c in found), nodes),
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
    every, start = int(os.environ[SAMPLE]), int(os.environ[START])
    chosen = [item for item in items if zlib.crc32(item.nodeid.encode()) % every == start]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def pytest_configure() -> None:
    """Note the figures of each program that `check` has compared."""
    plain.OBSERVERS.append(_note)


def _note(function: Callable[..., Any], program: Any, inputs: Any) -> None:
    if inputs:
        found = [asdict(counted(model)) for model in _models(program, inputs[0])]
        with Path(os.environ[REPORT]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")


def _models(program: Any, args: tuple[Any, ...]) -> list[onnx.ModelProto]:
    """The model as it is exported, and without errors; none where the program is refused or has host code."""
    try:
        with warnings.catch_warnings(action="ignore"):
            plain = {"include_errors": False, "checks": "none"}
            models = [program.model(copy.deepcopy(args), **options) for options in ({}, plain)]
    except GraphProgramError:
        return []
    return [] if any(opset.domain == HOST for opset in models[0].opset_import) else models
