"""The C compiler of this machine: which one there is, and libraries that it makes."""

from __future__ import annotations

import atexit
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from graph_program.backends.c.beside import waiting
from graph_program.backends.c.emit import CSource

NAMES = ("cc", "gcc", "clang")
STANDARD = ("-std=c99", "-ffp-contract=off")
"""C99, and no product with a sum is rounded only once: Python rounds both."""
FAST: tuple[str, ...] = ("-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math")
if platform.machine().lower() in ("x86_64", "amd64"):
    FAST += ("-mno-avx512f",)  # with it GCC 12 makes 4.0 eight times of the constants 4.0, 4.0, 4.0, 0.0, 0.0, ...
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
SHARED = ("-shared", "-fPIC")


class CompilerError(RuntimeError):
    """A compiler that did not take a file; the message has what it said."""


@cache
def compiler() -> tuple[str, ...] | None:
    """The command of the compiler: `$CC`, or the first of `cc`, `gcc` and `clang`, or Zig's; None without one."""
    given = os.environ.get("CC")
    if given:
        return tuple(shlex.split(given))
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found:
        return (found,)
    try:
        import ziglang  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        return None
    return (sys.executable, "-m", "ziglang", "cc")


def write(source: CSource, folder: Path) -> Path:
    """Write the two files of a program; the path of the `.c` file."""
    (folder / f"{source.stem}.h").write_text(source.header, encoding="utf-8")
    path = folder / f"{source.stem}.c"
    path.write_text(source.text, encoding="utf-8")
    return path


def compiled(path: Path, flags: Iterable[str] = FAST) -> Path:
    """A shared library of a file, beside it.

    Raises
    ------
    CompilerError
    """
    command = compiler()
    if command is None:
        raise CompilerError("there is no C compiler")
    target = path.with_suffix(".dll" if os.name == "nt" else ".so")
    whole = [*command, *STANDARD, *flags, *SHARED, str(path), "-o", str(target), "-lm"]
    try:
        status, said = _run(whole)
    except OSError as error:
        raise CompilerError(f"the C compiler {command[0]} does not run: {error.strerror}") from None
    if status:
        raise CompilerError(f"{shlex.join(command)} does not take {path}:\n{said.strip()}")
    return target


def _run(command: list[str]) -> tuple[int, str]:
    """The exit status of a process, and what it wrote to its error output; it does not outlive this one."""
    with waiting(), subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        _RUNNING.add(process)
        try:
            _, said = process.communicate()
        finally:
            _RUNNING.discard(process)
    return process.returncode, said


_RUNNING: set[subprocess.Popen[str]] = set()


@atexit.register
def _end() -> None:
    for process in list(_RUNNING):
        process.kill()


@cache
def version() -> str:
    """What the compiler says it is; libraries of another one are made anew."""
    try:
        done = subprocess.run([*(compiler() or ("cc",)), "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout


__all__ = ["FAST", "STRICT", "CompilerError", "compiled", "compiler", "version", "write"]
