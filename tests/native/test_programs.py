"""Programs as C do what they do in Python; also where every read outside of memory is an error."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graph_program.backends.c import folder as folders
from graph_program.backends.c.compiler import STRICT
from tests.native import alias_programs, programs
from tests.native.compilers import SANITIZED, compiler_with, needs_compiler, sanitizer, watched
from tests.programs.plain import check

FOUND = [*alias_programs.cases.found, *programs.cases.found]


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """All programs run as C, compiled in little time and without any warning."""
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    with compiler_with(tmp_path, ("-O0", *STRICT)):
        yield


@needs_compiler
@pytest.mark.usefixtures("native")
@pytest.mark.parametrize(("function", "inputs"), FOUND, ids=[function.__name__ for function, _ in FOUND])
def test_like_python(function: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(function, *inputs)


@needs_compiler
def test_no_memory_is_read_or_written_that_is_not_there(tmp_path: Path) -> None:
    libraries = sanitizer()
    if libraries is None:
        pytest.skip("the compiler has no address sanitizer")
    with compiler_with(tmp_path, SANITIZED) as command:
        variables = {**watched(libraries), "CC": command, folders.VARIABLE: "", "GRAPH_PROGRAM_BACKEND": "native"}
        done = subprocess.run(
            [sys.executable, "-m", "tests.native.test_programs"], env=variables, capture_output=True, text=True
        )
    assert not done.returncode, done.stdout[-3000:] + done.stderr[-3000:]


if __name__ == "__main__":
    for each, arguments in FOUND:
        print(each.__name__, flush=True)
        check(each, *arguments)
