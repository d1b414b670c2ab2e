"""The C compiler of this machine: which one there is, and libraries that it makes."""

from __future__ import annotations

import atexit
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from graph_program.backends.c.beside import is_beside, waiting
from graph_program.backends.c.c_source import CSource
from graph_program.backends.c.command_lines import asks_version, command_line

NAMES = ("cc", "gcc", "clang", *(("cl",) if os.name == "nt" else ()))
STANDARD = ("-std=c99", "-ffp-contract=off")
"""C99, and no product with a sum is rounded only once: Python rounds both."""
FAST: tuple[str, ...] = ("-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math")
if platform.machine().lower() in ("x86_64", "amd64"):
    FAST += ("-mno-avx512f",)  # with it GCC 12 makes 4.0 eight times of the constants 4.0, 4.0, 4.0, 0.0, 0.0, ...
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
SECONDS = 60.0
"""A compiler that works beside calls is ended after this time: they go on without it."""


class CompilerError(RuntimeError):
    """A compiler that did not take a file; the message has what it said."""


@cache
def compiler() -> tuple[str, ...] | None:
    """The command of the compiler: `$CC`, or the first of `cc`, `gcc`, `clang` and, on Windows, `cl`, or Zig's.

    None where there is no compiler.
    """
    given = os.environ.get("CC")
    if given:
        return tuple(shlex.split(given))
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found:
        return (found,)
    try:
        import ziglang  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: F401
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
    whole = command_line(command, path, target, (*STANDARD, *flags))
    try:
        status, said = _run(whole, SECONDS if is_beside() else None)
    except OSError as error:
        raise CompilerError(f"the C compiler {command[0]} does not run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise CompilerError(f"the C compiler {command[0]} was ended after {SECONDS:g} s") from None
    if status:
        told = f"{shlex.join(command)} does not take {path}, which is kept, and ends with the status {status}"
        raise CompilerError(f"{told}:\n{said.strip()}" if said.strip() else f"{told}, without a word")
    return target


def _run(command: list[str], seconds: float | None) -> tuple[int, str]:
    """The exit status of a process, and what it wrote; it does not outlive this one."""
    # `cl` says to its output what is wrong
    both: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with waiting(), subprocess.Popen(command, text=True, errors="replace", **both, **OWN) as process:
        _RUNNING.add(process)
        try:
            said, _ = process.communicate(timeout=seconds)
        except BaseException:
            _kill(process)
            raise
        finally:
            _RUNNING.discard(process)
    return process.returncode, said


OWN: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {}
"""A compiler is a process that starts others, which are ended with it."""
_RUNNING: set[subprocess.Popen[str]] = set()


def _kill(process: subprocess.Popen[str]) -> None:
    """End a compiler, and what it has started."""
    with suppress(ProcessLookupError):
        if OWN:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


@atexit.register
def _end() -> None:
    for process in list(_RUNNING):
        _kill(process)


@cache
def version() -> str:
    """What the compiler says it is; libraries of another one are made anew."""
    try:
        done = subprocess.run(asks_version(compiler() or ("cc",)), capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout or done.stderr


__all__ = ["FAST", "STRICT", "CompilerError", "compiled", "compiler", "version", "write"]
