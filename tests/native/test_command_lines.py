"""What compilers are called with, and what is said of one that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_program import GraphProgramError, graph_program
from graph_program.backends.c import command_lines
from graph_program.backends.c import compiler as compilers
from graph_program.backends.c.command_lines import asks_version, command_line, is_microsoft

SOURCE, TARGET = Path("made/program.c"), Path("made/program.dll")
OPTIONS = ("-std=c99", "-ffp-contract=off", "-O3", "-march=native", "-fno-math-errno", "-DGP_VECTORS", "-fopenmp-simd")


def test_gcc_takes_options_as_they_are() -> None:
    assert command_line(("cc", "-m32"), SOURCE, TARGET, OPTIONS) == [
        *("cc", "-m32", *OPTIONS, "-shared", "-fPIC", str(SOURCE), "-o", str(TARGET), "-lm")
    ]


def test_options_in_the_words_of_cl() -> None:
    options = (*OPTIONS, "-fvisibility=hidden", "-DGP_USE_CBLAS", "-Imade/include", "-Wl,--no-as-needed", "-lmvec")
    found = command_line(("cl",), SOURCE, TARGET, options)
    assert found[:4] == ["cl", "/nologo", "/LD", "/utf-8"]
    assert found[4:9] == ["/std:c11", "/fp:precise", "/O2", "/DGP_USE_CBLAS", "/Imade/include"]
    assert found[9:] == [str(SOURCE), f"/Fo:{SOURCE.with_suffix('.obj')}", f"/Fe:{TARGET}"]


def test_warnings_of_exports_in_the_words_of_cl() -> None:
    found = command_line(("cl",), SOURCE, TARGET, ("-O1", *compilers.STRICT))
    assert found[4:-3] == ["/O1", "/W3", "/WX"]


def test_every_option_of_ours_has_a_word_or_none() -> None:
    """What `cl` would take for something else never reaches it."""
    options = (*compilers.STANDARD, *compilers.FAST, *compilers.STRICT)
    assert all(said[0] == "/" for said in map(command_lines._said, options) if said)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("cl",), True),
        ((r"C:\VC\bin\CL.EXE",), True),
        (("ccache", "clang-cl"), True),
        (("clang",), False),
        (("/opt/cl/bin/gcc",), False),
        (("/usr/bin/cc", "-DCL"), False),
    ],
)
def test_which_compilers_are_microsofts(command: tuple[str, ...], expected: bool) -> None:
    assert is_microsoft(command) is expected
    assert asks_version(command) == [*command, *([] if expected else ["--version"])]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "with the status 3, without a word"),
        ("echo wrong >&2; exit 1", "with the status 1:\nwrong"),
        ("echo program.c: wrong; exit 2", "with the status 2:\nprogram.c: wrong"),
    ],
)
def test_a_compiler_that_fails(script: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has written is told, wherever to, and the file that it was given is kept."""
    path = tmp_path / "failing"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(compilers, "compiler", lambda: (str(path),))
    with pytest.raises(GraphProgramError, match="GP603") as refused:
        graph_program(lambda x: x * 3.25, backend="native")(1.0)
    message = refused.value.diagnostic.message
    assert said in message
    kept = Path(message.partition(" does not take ")[2].partition(", which is kept")[0])
    assert "3.25" in kept.read_text(encoding="utf-8")
