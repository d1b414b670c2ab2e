"""Try all programs of the tests as machine code, and print what was found: `python -m tests.native [paths]`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import pytest

from graph_program.backends.c import folder as cache
from graph_program.calls import back_end
from graph_program.calls.program_options import NATIVE
from tests.native.compilers import QUICK, SANITIZED, compiler_with, sanitized, sanitizer, watched
from tests.native.harness import COMPILER, NO_FORM, Report, Tally
from tests.programs.observed import reports

parser = argparse.ArgumentParser(prog="python -m tests.native", description=__doc__)
parser.add_argument("paths", nargs="*", default=["tests/programs"], help="tests whose programs are tried")
parser.add_argument("-n", default="2", help="how many processes; a program that crashes ends one")
parser.add_argument("-k", default="", help="only tests with such names")
parser.add_argument("--deviations", action="store_true", help="show what is not as in Python in onnxruntime, too")
parser.add_argument("--sanitize", action="store_true", help="end a process at a wrong access to memory; show where")
parser.add_argument(
    "--instead", action="store_true", help="run what the tests call as machine code, methods and host code, too"
)
given = parser.parse_args()

if given.sanitize and "LD_PRELOAD" not in os.environ:  # which a process reads when it begins
    libraries = sanitizer()
    if libraries is None:
        sys.exit("the compiler has no address sanitizer")
    log = Path(tempfile.mkdtemp(prefix="sanitized_")) / "found"
    os.execve(sys.executable, [sys.executable, "-m", "tests.native", *sys.argv[1:]], watched(libraries, log))


def tried(folder: Path) -> tuple[int, Tally]:
    """The status of a run in which the plugin compiles what `check` compares, and what it has found."""
    options = ["--native=all", f"--native-report={folder}", *(["--native-sanitized"] if given.sanitize else [])]
    status, tally = run(options), Tally()
    for report in reports(str(folder), Report, given.deviations):
        tally.add(report)
    return status, tally


def instead(folder: Path) -> tuple[int, str]:
    """The status of a run of the tests themselves as machine code, and how many libraries it has made."""
    libraries = folder / "libraries"
    libraries.mkdir(mode=0o700)
    with compiler_with(folder, SANITIZED if given.sanitize else QUICK), pytest.MonkeyPatch.context() as patch:
        patch.setenv(back_end.VARIABLE, NATIVE)
        patch.setenv(cache.VARIABLE, str(libraries))
        status = run(["--native=none"])
    return status, f"{len(list(libraries.glob('*' + cache.END)))} libraries"


def run(options: list[str]) -> int:
    options += ["-q", "-n", given.n, "-k", given.k, "--no-header", "--exported=none", "--sessions=none", "--tb=line"]
    options += (
        ["--capture=sys"] if given.sanitize else []
    )  # what is undefined in C is told by file descriptor, at the end
    return int(pytest.main([*options, "--disable-warnings", *given.paths]))


with tempfile.TemporaryDirectory() as name:
    status, told = (instead if given.instead else tried)(Path(name))
print(f"\n{told}")
found = sanitized(os.environ["ASAN_OPTIONS"]) if given.sanitize else {}
for path, text in found.items():
    print(f"\n{path}\n{text}")
bad = isinstance(told, Tally) and any(told.verdicts[verdict] for verdict in ("different", NO_FORM, COMPILER))
sys.exit(bool(status or found or bad))
