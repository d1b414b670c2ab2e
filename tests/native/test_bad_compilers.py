"""Compilers that do not work: what is said of them, by calls and by exports, and that automatic choices go on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_program import GraphProgramError, graph_program
from graph_program.backends.c import compiler as compilers
from graph_program.backends.c import folder as folders

MAKES = """#!/bin/sh
[ "$1" = --version ] && echo 1.0 && exit 0
while [ $# -gt 1 ]; do [ "$1" = -o ] && target="$2"; shift; done
"""
"""A compiler that knows where its library is wanted."""
JUNK = f'{MAKES}echo junk > "$target"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where libraries are kept; `$CC` is read anew."""
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o700)
    monkeypatch.delenv("GRAPH_PROGRAM_BACKEND", raising=False)
    monkeypatch.setenv(folders.VARIABLE, str(kept))
    _forget()
    yield kept
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    compilers.compiler.cache_clear()
    compilers.version.cache_clear()


def command(folder: Path, script: str) -> str:
    path = folder.parent / "compiler"
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def steps(n: int) -> int:
    found = 0
    while n > 1:
        n = n // 2
        found += 1
    return found


def refusal() -> str:
    with pytest.raises(GraphProgramError, match="GP603") as refused:
        graph_program(steps, backend="native")(9)
    return str(refused.value)


@pytest.mark.parametrize("given", ["gcc '", '"', "'no such compiler"])
def test_what_is_no_command(given: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", given)
    text = refusal()
    assert f"the C compiler {given} does not run" in text and "name another one in $CC" in text
    assert graph_program(steps, backend="auto")(9) == 3


def test_a_name_of_blanks_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    expected = compilers.compiler()
    _forget()
    monkeypatch.setenv("CC", "  ")
    assert compilers.compiler() == expected


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("#!/bin/sh\nexit 0\n", "has made no library, without a word"),
        ("#!/bin/sh\necho nothing done\n", "has made no library:\nnothing done"),
        (JUNK, "has made no library of this system: "),
        (f"{JUNK}echo junk was made\n", "junk was made"),
    ],
    ids=["nothing", "nothing, in words", "junk", "junk, in words"],
)
def test_what_is_no_library(script: str, said: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", command(folder, script))
    assert said in refusal() and said in refusal()
    assert not list(folder.glob(f"*{folders.END}"))


def test_an_automatic_choice_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", command(folder, JUNK))
    monkeypatch.setattr("graph_program.calls.back_end.SECONDS", 0.0)
    monkeypatch.setattr("graph_program.backends.c.cost.native_wins", lambda *given: True)
    program = graph_program(steps, backend="auto")
    until = time.monotonic() + 60
    while program(9) == 3 and program.extractions[0].backend == "auto" and time.monotonic() < until:
        time.sleep(0.01)
    assert program(9) == 3 and program.extractions[0].backend == "onnxruntime"
    assert "has made no library of this system" in program.extractions[0].why


@pytest.mark.parametrize(
    ("script", "is_ours"),
    [
        ("#!/bin/sh\nexit 1\n", False),
        ("#!/bin/sh\nexit 0\n", False),
        ("#!/bin/sh\necho No module named ziglang; exit 1\n", False),
        (JUNK, False),
        ("#!/bin/sh\necho 'steps.c:1:1: error: this is no C'; exit 1\n", True),
    ],
)
def test_an_export_says_whose_fault_it_is(
    script: str, is_ours: bool, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", command(folder, script))
    with pytest.raises(GraphProgramError, match="GP505") as refused:
        graph_program(steps).export(tmp_path / "steps.c", (9,))
    text = str(refused.value)
    assert ("please report it" in text) is is_ours and ("name another one in $CC" in text) is not is_ours
    assert "`verify=False` writes the file all the same" in text and not (tmp_path / "steps.c").exists()
