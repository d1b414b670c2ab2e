"""What the staging makes of every program that the tests evaluate, as a table of hashes: a net under changes of form.

    python -m tests.fingerprint record before.json [what to give to pytest ...]
    python -m tests.fingerprint compare before.json after.json

A change that moves or renames leaves the table as it is.  Where an entry differs, its text is written by

    python -m tests.fingerprint record after.json --text after.txt tests/programs/test_lists.py::test_sort

An entry is the residual program, its interface, notes and findings, or the diagnostic that refuses it.  Addresses and
names of temporary folders are left out, and strings hash as in any other process (`PYTHONHASHSEED`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER, TEXT = "GRAPH_PROGRAM_FINGERPRINTS", "GRAPH_PROGRAM_FINGERPRINT_TEXT"
ROOT = Path(__file__).resolve().parents[1]
PASSING = re.compile(
    rf"(?<=')[^']*site-packages|{re.escape(str(ROOT))}|"
    r"'version': \d+|0x[0-9a-fA-F]{6,}|@\d{8,}|pytest-of-[^/\\]+[/\\]pytest-\d+|popen-gw\d+|<ipython-input-[^>]+>"
)
"""What differs from one process, or one checkout, to the next."""


@pytest.fixture(autouse=True)
def _fingerprinted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Note what each evaluation of a test gives."""
    from graph_program.extract import steps

    evaluate = steps.evaluate_program
    noted: list[tuple[str, str]] = []

    def noting(fn: Any, *args: Any, **others: Any) -> Any:
        try:
            staged = evaluate(fn, *args, **others)
        except Exception as error:
            noted.append((fn.__qualname__, f"{type(error).__name__}: {error}"))
            raise
        noted.append((fn.__qualname__, _text(staged)))
        return staged

    monkeypatch.setattr(steps, "evaluate_program", noting)
    yield
    if noted:
        _write(request, [(name, PASSING.sub("", text)) for name, text in noted])


def _text(staged: Any) -> str:
    from graph_program.extract.ir import printer

    parts = (staged.interface, staged.notes, staged.findings, staged.unsaid, staged.fixed, staged.keeps_identities)
    return "\n".join([printer.print_residual(staged.program), *map(repr, parts)])


def _write(request: pytest.FixtureRequest, noted: list[tuple[str, str]]) -> None:
    worker = getattr(request.config, "workerinput", {}).get("workerid", "main")
    hashes = [[name, hashlib.sha256(text.encode()).hexdigest()[:16]] for name, text in noted]
    with (Path(os.environ[FOLDER]) / f"{worker}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps([request.node.nodeid, hashes]) + "\n")
    if os.environ.get(TEXT):
        with open(os.environ[TEXT], "a", encoding="utf-8") as file:
            file.writelines(f"==== {request.node.nodeid} {name}\n{text}\n" for name, text in noted)


def record(file: Path, text: str, pytest_options: list[str]) -> int:
    """Run tests, and write what their programs become."""
    if text:
        Path(text).unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, FOLDER: folder, TEXT: text, "PYTHONHASHSEED": "0"}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.fingerprint", *pytest_options]
        status = subprocess.run(command, env=environment).returncode
        lines = [line for path in Path(folder).glob("*.jsonl") for line in path.read_text("utf-8").splitlines()]
    table = dict(sorted(json.loads(line) for line in lines))
    file.write_text(json.dumps(table, indent=0), encoding="utf-8")
    print(f"{sum(map(len, table.values()))} evaluations of {len(table)} tests")
    return status


def compare(before: Path, after: Path) -> int:
    """Print the tests whose programs have become others."""
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (before, after))
    changed = sorted(test for test in old.keys() & new.keys() if old[test] != new[test])
    for test in changed:
        names = sorted({a[0] for a, b in zip(old[test], new[test], strict=False) if a != b})
        print(f"{test}: {', '.join(names) or f'{len(old[test])} evaluations, now {len(new[test])}'}")
    alone = f"{len(old.keys() - new.keys())} tests only before, {len(new.keys() - old.keys())} only after"
    print(f"{len(changed)} of {len(old.keys() & new.keys())} tests differ; {alone}")
    return 1 if changed else 0


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.fingerprint", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run tests, and write the table")
    recording.add_argument("file", type=Path)
    recording.add_argument("--text", default="", help="a file for the texts, too")
    comparing = commands.add_parser("compare", help="print what differs")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given, others = parser.parse_known_args()
    if given.command == "compare":
        return compare(given.before, given.after)
    return record(given.file, given.text, others)


if __name__ == "__main__":
    sys.exit(main())
