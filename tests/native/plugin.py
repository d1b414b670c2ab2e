"""The pytest plugin: what `check` has compared in onnxruntime is compared once more as machine code."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.programs import plain

EVERY = 30
"""Of so many programs, one is tried in the sample."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--native",
        choices=("sample", "all", "none"),
        default="sample",
        help="which programs are tried as machine code, too",
    )
    parser.addoption("--native-report", help="a folder to note all differences in, instead of failing the tests")


@pytest.fixture(autouse=True)
def _native(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Try the programs of a test, or of the sample, as machine code."""
    which, folder = request.config.getoption("--native"), request.config.getoption("--native-report")
    if which == "none":
        yield
        return

    def observe(function: Callable[..., Any], program: Any, inputs: Any) -> None:
        name = f"{function.__module__}.{function.__qualname__}"
        if not inputs or (which == "sample" and zlib.crc32(name.encode()) % EVERY):
            return
        from graph_program.backends.c.compiler import compiler
        from tests.native.compilers import QUICK, compiler_with
        from tests.native.harness import tried

        if compiler() is None:
            return
        with compiler_with(tmp_path_factory.getbasetemp(), QUICK):
            report = tried(function, program, inputs, varied=which == "all")
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
