"""Try all programs of the tests as machine code, and print what was found: `python -m tests.native [paths]`."""

from __future__ import annotations

import argparse
import sys
import tempfile

import pytest

from tests.native.harness import COMPILER, NO_FORM, Report, Tally
from tests.programs.observed import reports

parser = argparse.ArgumentParser(prog="python -m tests.native", description=__doc__)
parser.add_argument("paths", nargs="*", default=["tests/programs"], help="tests whose programs are tried")
parser.add_argument("-n", default="2", help="how many processes; a program that crashes ends one")
parser.add_argument("-k", default="", help="only tests with such names")
parser.add_argument("--deviations", action="store_true", help="show what is not as in Python in onnxruntime, too")
given = parser.parse_args()

with tempfile.TemporaryDirectory() as folder:
    options = ["-q", "-n", given.n, "-k", given.k, "--native=all", f"--native-report={folder}", "--no-header"]
    status = pytest.main([*options, "--exported=none", "--tb=line", "-p", "no:warnings", *given.paths])
    tally = Tally()
    for report in reports(folder, Report, given.deviations):
        tally.add(report)
print(f"\n{tally}")
sys.exit(bool(status or tally.verdicts["different"] or tally.verdicts[NO_FORM] or tally.verdicts[COMPILER]))
