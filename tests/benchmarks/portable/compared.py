"""The matrix of programs and runtimes: what comes of each form, and in which words a runtime says why not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from graph_program.backends.onnx.versions import OLDEST_OPSET
from graph_program.targets.support import targets
from graph_program.verification import runtimes as verification
from graph_program.verification.web import WEB
from tests.benchmarks.measure import aligned
from tests.benchmarks.portable import collected
from tests.benchmarks.portable.collected import CALLS
from tests.benchmarks.portable.judged import REFUSED
from tests.benchmarks.portable.runtimes import is_there

GIVEN: dict[str, Sequence[str]] = {
    "onnxruntime": [*collected.FORMS],
    WEB: ["plain", "portable", f"opset {OLDEST_OPSET}"],
    "onnxslim": ["plain", "portable"],
    "openvino": [form for form, options in collected.FORMS.items() if options.get("portable")],
}
"""Forms by runtime, but for what is made for it; the portable one where nothing is said."""
OURS = frozenset(["onnxruntime", WEB])
"""Runtimes that load and run all that is exported."""
ASKED = ("onnxruntime", WEB, "openvino", "tract")
"""Runtimes that are asked where nobody says which."""
SHOWN = 12
"""So many reasons are shown."""
LONGEST = 100
"""Characters of a reason."""
ROOT = Path(__file__).resolve().parents[3]
COMMAND = [sys.executable, "-W", "ignore", "-m", "tests.benchmarks.portable.judged"]
WATCHED = "Timeout ("
"""How the message of a process begins that has ended itself as a model took too long."""
ENDS, LATE = "ends the process", "takes too long"
VERDICTS = (
    "right",
    "raises",
    "wrong, and named",
    "wrong",
    "does not run",
    "does not load",
    ENDS,
    LATE,
    "not compared",
    "refused",
)
"""What may come of a model; `named`: the summary says that a runtime with fewer bits may get it wrong."""
FINE = frozenset(["right", "raises", "wrong, and named", "not compared", "refused"])


@dataclass(frozen=True)
class Judged:
    """What a runtime makes of a model."""

    name: str
    form: str
    verdict: str
    why: str


def tables_of(folders: Sequence[Path], runtimes: Sequence[str], rows: bool) -> list[str]:
    """What the models in some folders make of themselves in each runtime that is there, and a line for each."""
    asked = runtimes or ASKED
    there = [runtime for runtime in asked if is_there(runtime)]
    missing = [f"{runtime}: not installed" for runtime in asked if runtime not in there]
    found = {runtime: judged_in(runtime, folders) for runtime in there}
    quiet = [_quiet(folders)] if "onnxruntime" in there else []
    tables = [_matrix(found), *quiet, *(_reasons(runtime, found[runtime]) for runtime in there), *missing]
    return [*tables, _rows(found)] if rows else tables


def _forms(runtime: str) -> list[str]:
    """What a runtime is given: all that onnxruntime makes of its own operators, and what is made for it."""
    own = [runtime] if runtime in targets() else []
    return [*GIVEN.get(runtime, ("portable",)), *own]


LOAD = """
import sys, onnxruntime
for path in sys.stdin.read().splitlines():
    print(f"{BEGIN}{path}", file=sys.stderr, flush=True)
    onnxruntime.InferenceSession(path)
"""
BEGIN = "loading "


def _quiet(folders: Sequence[Path]) -> str:
    """How many files a session of onnxruntime with default options loads without a line of its log."""
    files = sorted(
        str(file)
        for folder in folders
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
            lines.append((name, *cells, _share(counts["right"], len(those) - counts["refused"])))
    return aligned(lines)


def _reasons(runtime: str, forms: Mapping[str, Sequence[Judged]]) -> str:
    """In which words a runtime says why not, of what is made for it or for all, and which results are wrong."""
    last = [*forms][-1]
    reasons = Counter(f"{one.verdict}: {_words(one.why)}" for one in forms[last] if one.verdict != "right")
    told = [f"{count:4}  {reason}" for reason, count in reasons.most_common(SHOWN)]
    bad = {"wrong"} if runtime not in OURS else {*VERDICTS} - FINE
    each = [
        f"{one.verdict}, {form}: {one.name}" for form, those in forms.items() for one in those if one.verdict in bad
    ]
    return "\n".join([f"{runtime}, {last}, by message:", *told, *each])


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


def judged_in(runtime: str, folders: Sequence[Path]) -> dict[str, list[Judged]]:
    """What a runtime makes of the models in some folders, by form; names are behind those of their folders."""
    found: dict[str, list[Judged]] = {form: [] for form in _forms(runtime)}
    for folder in folders:
        for one in judged(runtime, folder):
            found[one.form].append(replace(one, name=f"{folder.name}/{one.name}"))
    return {form: those for form, those in found.items() if those}


def judged(runtime: str, folder: Path) -> list[Judged]:
    """What a runtime makes of the models in a folder; one that ends its process is only that.

    It is written there, and read the next time.
    """
    names = sorted(file.name.removesuffix(CALLS) for file in folder.glob(f"*{CALLS}"))
    asked = [(name, form) for name in names for form in _forms(runtime)]
    version = verification.RUNTIMES[runtime].version if runtime in verification.RUNTIMES else ""
    kept = folder / f"{runtime} {version}.verdicts"
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.is_file() else []
    found = {(one.name, one.form): one for one in (Judged(**json.loads(line)) for line in lines)}
    models = [(name, form) for name, form in asked if (name, form) in found or (folder / f"{name}.{form}").is_file()]
    while left := [model for model in models if model not in found]:
        judged_now = _judged(runtime, folder, left)
        with kept.open("a", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(asdict(one))}\n" for one in judged_now.values())
        found.update(judged_now)
    return [found[model] for model in models]


def _judged(runtime: str, folder: Path, models: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Judged]:
    """Those that one process has come to, by name and form."""
    command = [*COMMAND, runtime, str(folder)]
    asked = "\n".join(map(json.dumps, models))
    done = subprocess.run(command, cwd=ROOT, input=asked, capture_output=True, text=True)
    lines = (Judged(**json.loads(line)) for line in done.stdout.splitlines() if line.startswith('{"name"'))
    found = {(one.name, one.form): one for one in lines}
    if not found:
        raise RuntimeError(f"no model was tried in {runtime}:\n{done.stderr[-2000:]}")
    model, last = [*found.items()][-1]
    if last.verdict == ENDS and WATCHED in done.stderr:
        found[model] = replace(last, verdict=LATE)
    return found
