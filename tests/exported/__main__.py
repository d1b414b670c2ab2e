"""Try all programs of the tests as exported files, and print what was found: `python -m tests.exported [paths]`."""

from __future__ import annotations

import argparse
import sys
import tempfile

import pytest

from tests.exported.harness import Report, Tally
from tests.programs.observed import reports

parser = argparse.ArgumentParser(prog="python -m tests.exported", description=__doc__)
parser.add_argument("paths", nargs="*", default=["tests/programs"], help="tests whose programs are tried")
parser.add_argument("-n", default="2", help="how many processes")
parser.add_argument("-k", default="", help="only tests with such names")
parser.add_argument("--deviations", action="store_true", help="show what is not as in Python in process, too")
given = parser.parse_args()

with tempfile.TemporaryDirectory() as folder:
    options = ["-q", "-n", given.n, "-k", given.k, "--exported=all", f"--exported-report={folder}", "--no-header"]
    pytest.main([*options, "--tb=no", "-p", "no:warnings", *given.paths])
    tally = Tally()
    for report in reports(folder, Report, given.deviations):
        tally.add(report)
print(f"\n{tally}")
sys.exit(bool(tally.verdicts["different"] or tally.verdicts["does not load"]))
