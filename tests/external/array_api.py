"""The array-api-tests of the data-apis project: how many pass, eagerly and with each tested call as a program.

The suite is read from a checkout of the user's, with its submodule:

    git clone --recurse-submodules --branch 2026.02.26 https://github.com/data-apis/array-api-tests
    pip install -e ".[external]"
    python -m tests.external.array_api --path array-api-tests [--examples 20] [--modes eager graph] [--peers NAME ...]

Every test runs, without a list of tests to skip.  A row for each of our modes and each peer that is installed; then the
tests of ours that fail.  It exits with 1 if any of ours fails, or none runs.  `GRAPH_PROGRAM_BACKEND=native` has the
calls in graphs run as machine code.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = "2025.12"
MODES = {"eager": "graph_program.tensor_api", "graph": "tests.external.array_api_graph"}
PEERS = ("array_api_strict", "ndonnx")


@dataclass(frozen=True)
class Row:
    """What became of the tests of one namespace; `failures` by name."""

    name: str
    passed: int
    skipped: int
    failures: tuple[str, ...]
    seconds: float

    def text(self) -> str:
        """A line of the table."""
        return f"{self.name:<24}{self.passed:>8}{len(self.failures):>8}{self.skipped:>9}{self.seconds:>8.0f}"


def left_out(module: str) -> str:
    """The element types that a namespace has no arrays of, for which the suite does not start."""
    try:
        importlib.import_module(module).asarray(0j)
    except (TypeError, ValueError):
        return "complex64,complex128"
    return ""


def row(name: str, module: str, suite: Path, examples: int, only: Sequence[str] = ()) -> Row:
    """Run the suite for one namespace."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
        variables = {"ARRAY_API_TESTS_MODULE": module, "ARRAY_API_TESTS_VERSION": VERSION, "PYTHONPATH": paths}
        if missing := left_out(module):
            variables["ARRAY_API_TESTS_SKIP_DTYPES"] = missing
        options = ["-q", "-p", "no:cacheprovider", "--disable-deadline", f"--max-examples={examples}"]
        options += [f"--junitxml={report}", *(["-k", " or ".join(only)] if only else [])]
        command = [sys.executable, "-m", "pytest", "array_api_tests", *options]
        subprocess.run(command, cwd=suite, env={**os.environ, **variables}, stdout=subprocess.DEVNULL, check=False)
        return parsed(name, report) if report.exists() else Row(f"{name}: not run", 0, 0, (), 0.0)


def parsed(name: str, report: Path) -> Row:
    """The counts of a report in JUnit's format."""
    passed = skipped = 0
    failures = []
    suite = next(ET.parse(report).getroot().iter("testsuite"))
    for case in suite.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failures.append(f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}")
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return Row(name, passed, skipped, tuple(failures), float(suite.get("time", 0)))


def main() -> int:
    """Print the table, then our failures."""
    parser = argparse.ArgumentParser(prog="python -m tests.external.array_api", description=__doc__)
    parser.add_argument("--path", type=Path, required=True, help="the checkout of array-api-tests")
    parser.add_argument("--examples", type=int, default=20, help="for each test")
    parser.add_argument("--modes", nargs="*", default=list(MODES), choices=list(MODES))
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    parser.add_argument("--only", nargs="*", default=[], help="tests with one of these texts in their names")
    options = parser.parse_args()
    print(f"array-api-tests, version {VERSION}, {options.examples} examples")
    print(f"{'':<24}{'passed':>8}{'failed':>8}{'skipped':>9}{'s':>8}")
    ours = []
    for mode in options.modes:
        found = row(f"graph_program, {mode}", MODES[mode], options.path, options.examples, options.only)
        print(found.text(), flush=True)
        ours.append(found)
    for peer in options.peers:
        if importlib.util.find_spec(peer) is not None:
            print(row(peer, peer, options.path, options.examples, options.only).text(), flush=True)
    for found in ours:
        for failure in found.failures:
            print(f"{found.name}: {failure}")
    return int(any(found.failures or not found.passed for found in ours))


if __name__ == "__main__":
    sys.exit(main())
