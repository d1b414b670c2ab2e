"""Compiled programs on the disk, by what they were made of: the text, the flags and the compiler.

A library is only loaded from a folder that nobody else can write to, and only with the bytes that were written.  It is
written beside its place and renamed, so that processes which write at once do no harm.  Where the disk is full or may
not be written to, a library lives as long as the process.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from graph_program.backends.c import libraries
from graph_program.backends.c.compiler import CompilerError, compiled, compiler, version, write
from graph_program.backends.c.emit import CSource

VARIABLE = "GRAPH_PROGRAM_CACHE"
"""The environment variable with the folder; empty for none."""
LARGEST = 256 * 2**20
"""Bytes of the folder from which on the libraries that were not used for longest go."""
END = ".dll" if os.name == "nt" else ".so"


def library(source: CSource, flags: Iterable[str]) -> Path:
    """The library of a program, made now or before.

    Raises
    ------
    CompilerError
    """
    flags = (*flags, *libraries.flags(source.text))
    parts = (source.stem, source.text, source.header, *(compiler() or ()), *flags, version(), _processor())
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    folder = _folder()
    if folder is None:
        return _made(source, flags)
    for path in folder.glob(f"{key}-*{END}"):
        if path.stem == f"{key}-{_digest(path)}":
            with suppress(OSError):
                path.touch()
            return path
        with suppress(OSError):
            path.unlink()
    made = _made(source, flags)
    target = folder / f"{key}-{_digest(made)}{END}"
    new = folder / f"{target.name}.{os.getpid()}.{threading.get_ident()}"
    try:
        shutil.copyfile(made, new)
        new.replace(target)
        _shrink(folder)
    except OSError:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        return made
    _FOLDERS.discard(made.parent)
    shutil.rmtree(made.parent, ignore_errors=True)
    return target


def _made(source: CSource, flags: tuple[str, ...]) -> Path:
    """A new library, in a folder that is there as long as this process; of what the compiler refuses, it stays."""
    folder = Path(tempfile.mkdtemp(prefix="graph_program_"))
    _FOLDERS.add(folder)
    try:
        return compiled(write(source, folder), flags)
    except CompilerError:
        _FOLDERS.discard(folder)
        raise


_FOLDERS: set[Path] = set()


@atexit.register
def _clean() -> None:
    for folder in _FOLDERS:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _processor() -> str:
    """What the processor can do: a folder may be that of several machines."""
    with suppress(OSError):
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").partition("\n\n")[0].splitlines()
        return "\n".join(line for line in told if line.startswith(("flags", "Features", "model name", "CPU part")))
    return f"{platform.machine()} {platform.processor()}"


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:32]
    except OSError:
        return ""


def _folder() -> Path | None:
    """The folder of libraries, if there is one that only we can write to."""
    given = os.environ.get(VARIABLE)
    if given == "":
        return None
    home = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(given) if given else Path(home) / "graph_program" / "native"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        state = folder.stat()
    except (OSError, RuntimeError):
        return None
    if hasattr(os, "getuid"):
        shared = stat.S_IMODE(state.st_mode) & (stat.S_IWGRP | stat.S_IWOTH)
        if state.st_uid != os.getuid() or shared:
            return None
    return folder if os.access(folder, os.W_OK) else None


def _shrink(folder: Path) -> None:
    """Remove what was not used for longest where there is too much."""
    found = sorted(((p.stat().st_mtime, p.stat().st_size, p) for p in folder.glob(f"*{END}")), reverse=True)
    total = 0
    for place, (_, size, path) in enumerate(found):
        total += size
        if place and total > LARGEST:
            path.unlink(missing_ok=True)


__all__ = ["library"]
