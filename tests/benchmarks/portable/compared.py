"""The matrix of programs and runtimes: what comes of each form, and in which words a runtime says why not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph_program.targets.support import targets
from tests.benchmarks.graphs.corpus import FEW_TESTS, TESTS, observe
from tests.benchmarks.measure import aligned
from tests.benchmarks.portable import collected
from tests.benchmarks.portable.judged import REFUSED
from tests.benchmarks.portable.runtimes import RUNTIMES, is_there

EVERY_FORM = frozenset(["onnxruntime", "web"])
"""Runtimes that take what onnxruntime takes, in all versions."""
SAMPLES = " ".join(
    f"tests/test_samples.py::test_main_prints_a_result[{name}]"
    for name in ("coins", "detections", "kalman", "lstm", "particles", "reciter")
)
"""Those without networks, whose files are gone when a model is asked for, without host and without state."""
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


def tables_of(quick: bool, every: int, rows: bool) -> list[str]:
    """What all models make of themselves in each runtime that is there, and a line for each that is not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not quick:
            observe(collected.__name__, 1, SAMPLES, folder)
        observe(collected.__name__, 1 if quick else every, FEW_TESTS if quick else TESTS, folder)
        there = [runtime for runtime in RUNTIMES if is_there(runtime)]
        missing = [f"{runtime}: not installed" for runtime in RUNTIMES if runtime not in there]
        found = {runtime: {form: judged(runtime, folder, form) for form in _forms(runtime)} for runtime in there}
        tables = [_matrix(found), _quiet(folder), *(_reasons(runtime, found[runtime]) for runtime in there), *missing]
        return [*tables, _rows(found)] if rows else tables


def _forms(runtime: str) -> list[str]:
    """What a runtime is given: all that onnxruntime makes of its own operators, and what is made for it."""
    own = [runtime] if runtime in targets() else []
    return [*(collected.FORMS if runtime in EVERY_FORM else ("plain", "portable")), *own]


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
        str(file)
        for form in collected.FORMS
        for file in folder.glob(f"*.{form}")
        if not file.read_bytes().startswith(REFUSED)
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


Found = Mapping[str, Mapping[str, Sequence[Judged]]]
"""By runtime and form."""


def _matrix(found: Found) -> str:
    """How many programs come to what, by runtime and form."""
    total = max(len(judged) for forms in found.values() for judged in forms.values())
    head = (f"{total} exported programs of tests and samples", *VERDICTS, "right of those exported")
    lines = [head]
    for runtime, forms in found.items():
        for form, those in forms.items():
            counts = Counter(one.verdict for one in those)
            name = f"{runtime}, {f'for {form}' if form in targets() else form}"
            cells = [str(counts[verdict] or "") for verdict in VERDICTS]
            lines.append((name, *cells, _share(counts["right"], total - counts["refused"])))
    return aligned(lines)


def _reasons(runtime: str, forms: Mapping[str, Sequence[Judged]]) -> str:
    """In which words a runtime says why not, of what is made for it or for all, and which results are wrong."""
    last = [*forms][-1]
    reasons = Counter(f"{one.verdict}: {_words(one.why)}" for one in forms[last] if one.verdict != "right")
    told = [f"{count:4}  {reason}" for reason, count in reasons.most_common(SHOWN)]
    wrong = [f"wrong, {form}: {one.name}" for form, those in forms.items() for one in those if one.verdict == "wrong"]
    return "\n".join([f"{runtime}, {last}, by message:", *told, *wrong])


def _rows(found: Found) -> str:
    """Each program, and what it comes to in each runtime and form; only those where that is not right everywhere."""
    columns = {f"{runtime}, {form}": those for runtime, forms in found.items() for form, those in forms.items()}
    lines = []
    for row in zip(*columns.values(), strict=True):
        told = [f"{column}: {one.verdict}" for column, one in zip(columns, row, strict=True) if one.verdict != "right"]
        lines.append(f"{row[0].name}  {'; '.join(told) or 'right'}")
    return "\n".join(lines)


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
