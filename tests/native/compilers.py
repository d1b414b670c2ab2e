"""Which tests need a C compiler, and how it is given other flags."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from graph_program.backends.c import cache
from graph_program.backends.c import compiler as compilers
from graph_program.backends.c import folder as folders
from graph_program.backends.c.emit import CSource

QUICK = ("-O0", *compilers.STRICT)
"""Compiled in little time, and without any warning."""

SANITIZED = ("-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
"""Every read or write outside of memory, and all that C leaves undefined, ends the process."""

MEBIBYTES = 1024
"""Larger pieces of memory are not there where memory is watched, so that a program that grows without end has one."""

NO_ROOM = "WARNING: AddressSanitizer failed to allocate"
"""What is said where a program asks whether there is memory, which is no fault."""

needs_compiler = pytest.mark.skipif(
    compilers.compiler() is None, reason="there is no C compiler: $CC, cc, gcc, clang or ziglang"
)


@contextmanager
def compiler_with(folder: Path, flags: Iterable[str]) -> Iterator[str]:
    """The command of a compiler that takes flags behind all others; `$CC` inside, where nothing is kept on the disk."""
    before = compilers.compiler()
    assert before is not None
    script = folder / "compiler"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(before)} "$@" {shlex.join(flags)}\n', encoding="utf-8")
    script.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", str(script))
        patch.setenv(folders.VARIABLE, "")
        _forget()
        yield str(script)
    _forget()


def noted_texts(patch: pytest.MonkeyPatch) -> list[str]:
    """The texts of C that are compiled from now on, as they come."""
    found: list[str] = []
    made = cache._made

    def noted(source: CSource, flags: tuple[str, ...]) -> Path:
        found.append(source.text)
        return made(source, flags)

    patch.setattr(cache, "_made", noted)
    return found


def _forget() -> None:
    compilers.compiler.cache_clear()
    compilers.version.cache_clear()


def sanitizer() -> str | None:
    """The libraries to load before all others where memory is watched, if there are any.

    Exceptions of C++, as onnxruntime has them, need that language's before it is watched how they are thrown.
    """
    paths = [_library(name) for name in ("libasan.so", "libstdc++.so")]
    return None if paths[0] is None else " ".join(str(path) for path in paths if path is not None)


def _library(name: str) -> Path | None:
    """A library of the compiler's."""
    command = compilers.compiler()
    assert command is not None
    done = subprocess.run([*command, f"-print-file-name={name}"], capture_output=True, text=True, check=False)
    path = Path(done.stdout.strip())
    return path if path.is_absolute() and path.exists() else None


def watched(libraries: str, log: Path | None = None) -> dict[str, str]:
    """The environment of a process in which memory is watched, with where to write what is found."""
    options = f"detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb={MEBIBYTES}"
    options += f":log_path={log}" if log else ""
    return {**os.environ, "LD_PRELOAD": libraries, "ASAN_OPTIONS": options, "UBSAN_OPTIONS": "print_stacktrace=1"}


def sanitized(options: str) -> dict[Path, str]:
    """What was found in the processes of such an environment, by the file that it is written to."""
    files = sorted(Path(options.partition("log_path=")[2]).parent.iterdir())
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in files}
    left = {path: [line for line in text.splitlines() if NO_ROOM not in line] for path, text in texts.items()}
    return {path: "\n".join(lines) for path, lines in left.items() if lines}
