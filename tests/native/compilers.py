"""Which tests need a C compiler, and how it is given other flags."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from graph_program.backends.c import compiler as compilers

QUICK = ("-O0", *compilers.STRICT)
"""Compiled in little time, and without any warning."""

needs_compiler = pytest.mark.skipif(
    compilers.compiler() is None, reason="there is no C compiler: $CC, cc, gcc, clang or ziglang"
)


@contextmanager
def compiler_with(folder: Path, flags: Iterable[str]) -> Iterator[str]:
    """The command of a compiler that takes flags behind all others; `$CC` inside."""
    before = compilers.compiler()
    assert before is not None
    script = folder / "compiler"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(before)} "$@" {shlex.join(flags)}\n', encoding="utf-8")
    script.chmod(0o755)
    old = os.environ.get("CC")
    os.environ["CC"] = str(script)
    _forget()
    yield str(script)
    if old is None:
        del os.environ["CC"]
    else:
        os.environ["CC"] = old
    _forget()


def _forget() -> None:
    compilers.compiler.cache_clear()
    compilers.version.cache_clear()


def sanitizer() -> str | None:
    """The library to load before all others where memory is watched, if there is one."""
    command = compilers.compiler()
    assert command is not None
    done = subprocess.run([*command, "-print-file-name=libasan.so"], capture_output=True, text=True, check=False)
    path = Path(done.stdout.strip())
    return str(path) if path.is_absolute() and path.exists() else None
