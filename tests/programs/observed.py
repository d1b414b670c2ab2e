"""What `check` has compared is compared once more in another execution: options of pytest, the sample, and reports."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.programs import plain

Try = Callable[[Callable[..., Any], Any, Any, bool], Any]
"""Tries a function, its program and its inputs, all of them or as one of the sample; gives a report, or None."""


def add_options(parser: pytest.Parser, option: str, form: str) -> None:
    """Options that say which programs are tried in another form."""
    parser.addoption(
        f"--{option}",
        choices=("sample", "all", "none"),
        default="sample",
        help=f"which programs are tried as {form}, too",
    )
    parser.addoption(f"--{option}-report", help="a folder to note all differences in, instead of failing the tests")


@contextmanager
def observed(request: pytest.FixtureRequest, option: str, every: int, tried: Try) -> Iterator[None]:
    """Try the programs of a test; of the sample, that is one of so many."""
    which, folder = (request.config.getoption(f"--{option}{end}") for end in ("", "-report"))
    if which == "none":
        yield
        return

    def observe(function: Callable[..., Any], program: Any, inputs: Any) -> None:
        name = f"{function.__module__}.{function.__qualname__}"
        if not inputs or (which == "sample" and zlib.crc32(_wherever(name).encode()) % every):
            return
        report = tried(function, program, inputs, which == "all")
        if report is None:
            return
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            worker = getattr(request.config, "workerinput", {}).get("workerid", "main")
            with (Path(folder) / f"{worker}.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps({"program": name, "test": request.node.nodeid, **asdict(report)}) + "\n")
        else:
            assert not report.differences, "\n".join(report.differences)

    plain.OBSERVERS.append(observe)
    try:
        yield
    finally:
        plain.OBSERVERS.remove(observe)


def _wherever(name: str) -> str:
    """The name without the room that the test's file stands in: the sample is the same in whichever."""
    return re.sub(r"^(tests\.programs)\..*(\.test_\w+)", r"\1\2", name)


def reports(folder: str, kind: Callable[..., Any], shows_deviations: bool) -> Iterable[Any]:
    """The reports of a run, whose differences are printed."""
    for path in sorted(Path(folder).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            found = json.loads(line)
            name, test = found.pop("program"), found.pop("test")
            report = kind(**found)
            for difference in (*report.differences, *(report.deviations if shows_deviations else ())):
                print(f"\n{name} ({test})\n    {difference}")
            yield report
