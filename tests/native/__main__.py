"""Try all programs of the tests as machine code, and print what was found: `python -m tests.native [paths]`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import pytest

from tests.native.compilers import sanitized, sanitizer, watched
from tests.native.harness import COMPILER, NO_FORM, Report, Tally
from tests.programs.observed import reports

parser = argparse.ArgumentParser(prog="python -m tests.native", description=__doc__)
parser.add_argument("paths", nargs="*", default=["tests/programs"], help="tests whose programs are tried")
parser.add_argument("-n", default="2", help="how many processes; a program that crashes ends one")
parser.add_argument("-k", default="", help="only tests with such names")
parser.add_argument("--deviations", action="store_true", help="show what is not as in Python in onnxruntime, too")
parser.add_argument("--sanitize", action="store_true", help="end a process at a wrong access to memory; show where")
given = parser.parse_args()

if given.sanitize and "LD_PRELOAD" not in os.environ:  # which a process reads when it begins
    libraries = sanitizer()
    if libraries is None:
        sys.exit("the compiler has no address sanitizer")
    log = Path(tempfile.mkdtemp(prefix="sanitized_")) / "found"
    os.execve(sys.executable, [sys.executable, "-m", "tests.native", *sys.argv[1:]], watched(libraries, log))

with tempfile.TemporaryDirectory() as folder:
    options = ["-q", "-n", given.n, "-k", given.k, "--native=all", f"--native-report={folder}", "--no-header"]
    options += ["--native-sanitized"] if given.sanitize else []
    status = pytest.main([*options, "--exported=none", "--tb=line", "--disable-warnings", *given.paths])
    tally = Tally()
    for report in reports(folder, Report, given.deviations):
        tally.add(report)
print(f"\n{tally}")
found = sanitized(os.environ["ASAN_OPTIONS"]) if given.sanitize else {}
for path, text in found.items():
    print(f"\n{path}\n{text}")
sys.exit(bool(status or found or tally.verdicts["different"] or tally.verdicts[NO_FORM] or tally.verdicts[COMPILER]))
