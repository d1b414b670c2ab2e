"""The C compiler of this machine: which one there is, and libraries that it makes."""

from __future__ import annotations

import atexit
import ctypes
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


INSTALL = "install gcc or clang (or `pip install ziglang`), name another one in $CC"


class CompilerError(RuntimeError):
    """A compiler that did not take a file; the message has what it said.

    Attributes
    ----------
    is_about_text : bool
        Whether it was the file that it did not like; else there is something wrong with the compiler.
    """

    def __init__(self, message: str, is_about_text: bool = False):
        super().__init__(message)
        self.is_about_text = is_about_text


@cache
def compiler() -> tuple[str, ...] | None:
    """The command of the compiler: `$CC`, or the first of `cc`, `gcc`, `clang` and, on Windows, `cl`, or Zig's.

    None where there is no compiler.
    """
    given = os.environ.get("CC", "").strip()
    if given:
        try:
            return tuple(shlex.split(given))
        except ValueError:  # no command, which is told where it does not run
            return (given,)
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
        is_about_text = any(name in said for name in (path.name, f"{path.stem}.h"))
        raise CompilerError(f"{told}:\n{said.strip()}" if said.strip() else f"{told}, without a word", is_about_text)
    _require_library(target, shlex.join(command), said.strip())
    return target


def _require_library(path: Path, command: str, said: str) -> None:
    """Refuse what a compiler has made that does not complain; one that has done it says nothing, and is believed."""
    text = f"{command} ends without an error, and has made no library"
    if not path.exists():
        raise CompilerError(f"{text}:\n{said}" if said else f"{text}, without a word")
    if said:
        try:
            ctypes.CDLL(str(path))
        except OSError as error:
            raise CompilerError(f"{text} ({error}):\n{said}") from None


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


__all__ = ["FAST", "INSTALL", "STRICT", "CompilerError", "compiled", "compiler", "version", "write"]
