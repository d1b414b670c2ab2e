"""How many models a runtime loads and gets right, and in which words it says why not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graph_program.targets.support import targets
from tests.benchmarks.graphs.corpus import FEW_TESTS, TESTS, observe
from tests.benchmarks.measure import aligned
from tests.benchmarks.portable import collected
from tests.benchmarks.portable.runtimes import RUNTIMES, is_there

EVERY = 10
"""Of so many tests, one is tried."""
SHOWN = 12
"""So many reasons are shown."""
LONGEST = 100
"""Characters of a reason."""
ROOT = Path(__file__).resolve().parents[3]
VERDICTS = ("right", "wrong, and named", "wrong", "does not run", "does not load", "ends the process", "refused")
"""What may come of a model; `named`: the summary says that a runtime with fewer bits may get it wrong."""


@dataclass(frozen=True)
class Judged:
    """What a runtime makes of a model."""

    name: str
    verdict: str
    why: str


def tables_of(quick: bool) -> list[str]:
    """A table for each runtime that is there, and a line for each that is not."""
    with tempfile.TemporaryDirectory() as folder:
        observe(collected.__name__, 1 if quick else EVERY, FEW_TESTS if quick else TESTS, Path(folder))
        there = [runtime for runtime in RUNTIMES if is_there(runtime)]
        missing = [f"{runtime}: not installed" for runtime in RUNTIMES if runtime not in there]
        return [_quiet(Path(folder)), *(_table(runtime, Path(folder)) for runtime in there), *missing]


LOAD = """
import sys, onnxruntime
for path in sys.stdin.read().splitlines():
    print(f"{BEGIN}{path}", file=sys.stderr, flush=True)
    onnxruntime.InferenceSession(path)
"""
BEGIN = "loading "


def _quiet(folder: Path) -> str:
    """How many files a session of onnxruntime with default options loads without a line of its log."""
    files = sorted(
        str(file) for form in collected.FORMS for file in folder.glob(f"*.{form}") if file.stat().st_size > 9
    )
    code = LOAD.replace("{BEGIN}", BEGIN)
    done = subprocess.run([sys.executable, "-c", code], input="\n".join(files), capture_output=True, text=True)
    told: dict[str, list[str]] = {}
    for line in done.stderr.splitlines():
        if line.startswith(BEGIN):
            told[line.removeprefix(BEGIN)] = lines = []
        elif line.strip():
            lines.append(line)
    quiet = sum(not lines for lines in told.values())
    reasons = Counter(_words(lines[0]) for lines in told.values() if lines)
    head = f"onnxruntime, default session: {quiet} of {len(files)} files are loaded without a line of its log"
    return "\n".join([head, *(f"{count:4}  {reason}" for reason, count in reasons.most_common(SHOWN))])


def _table(runtime: str, folder: Path) -> str:
    forms = [*collected.FORMS, *([runtime] if runtime in targets() else [])]
    found = {form: judged(runtime, folder, form) for form in forms}
    counts = {form: Counter(one.verdict for one in those) for form, those in found.items()}
    total = len(next(iter(found.values())))
    head = (f"{runtime}: {total} exported programs of the tests", *collected.FORMS, f"for {runtime}")[: 1 + len(forms)]
    lines = [(v, *(_share(counts[form][v], total) for form in found)) for v in VERDICTS]
    last = forms[-1]
    reasons = Counter(f"{one.verdict}: {_words(one.why)}" for one in found[last] if one.verdict != "right")
    told = [f"{count:4}  {reason}" for reason, count in reasons.most_common(SHOWN)]
    wrong = [f"wrong: {one.name}" for one in found[last] if one.verdict == "wrong"]
    return "\n".join([aligned([head, *lines]), *(["the last form, by message:"] if told else []), *told, *wrong])


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.0%})" if whole else "-"


def _words(reason: str) -> str:
    """A message without the numbers and names of one model."""
    reason = re.sub(r"'[^']*'|\"[^\"]*\"|<[^>]*>|\w*\d\w*|\w+\.(cpp|hpp|h)\b:?", "_", reason)
    return reason if len(reason) <= LONGEST else f"...{reason[-LONGEST:]}"


def judged(runtime: str, folder: Path, form: str) -> list[Judged]:
    """What a runtime makes of the models in a folder; one that ends its process is only that."""
    names = sorted(file.name.removesuffix(".feeds") for file in folder.glob("*.feeds"))
    found: dict[str, Judged] = {}
    while left := [name for name in names if name not in found]:
        found.update(_judged(runtime, folder, form, left))
    return [found[name] for name in names]


def _judged(runtime: str, folder: Path, form: str, names: Sequence[str]) -> dict[str, Judged]:
    """Those that one process has come to."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.benchmarks.portable.judged", runtime, str(folder), form]
    done = subprocess.run(command, cwd=ROOT, input="\n".join(names), capture_output=True, text=True)
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name"'))
    found = {line["name"]: Judged(**line) for line in lines}
    if not found:
        raise RuntimeError(f"no model was tried in {runtime}:\n{done.stderr[-2000:]}")
    return found
