"""Compiled programs on the disk, by what they were made of: the text, the flags and the compiler.

A library is written beside its place and renamed, so that processes which write at once do no harm.  Where the disk is
full or may not be written to, a library lives as long as the process.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shlex
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from graph_program.backends.c import conversions, libraries
from graph_program.backends.c.compiler import CompilerError, compiled, compiler, version, write
from graph_program.backends.c.emit import CSource
from graph_program.backends.c.folder import END, digest_of, only_ours, processor, shrink


def library(source: CSource, flags: Iterable[str]) -> Path:
    """The library of a program, made now or before.

    Raises
    ------
    CompilerError
    """
    flags = (*flags, *libraries.flags(source.text), *conversions.flags(source.text))
    parts = (source.stem, source.text, source.header, *(compiler() or ()), *flags, version(), processor())
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    folder = only_ours()
    if folder is None:
        return _made(source, flags)
    for path in folder.glob(f"{key}-*{END}"):
        if path.stem == f"{key}-{digest_of(path)}":
            with suppress(OSError):
                path.touch()
            return path
        with suppress(OSError):
            path.unlink()
    made = _made(source, flags)
    target = folder / f"{key}-{digest_of(made)}{END}"
    new = folder / f"{target.name}.{os.getpid()}.{threading.get_ident()}"
    try:
        shutil.copyfile(made, new)
        new.replace(target)
        shrink(folder)
    except OSError:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        return made
    _FOLDERS.discard(made.parent)
    shutil.rmtree(made.parent, ignore_errors=True)
    return target


@contextmanager
def opening(path: Path) -> Iterator[None]:
    """A library is loaded; one that does not load is not kept.

    Raises
    ------
    CompilerError
    """
    try:
        yield
    except OSError as error:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise CompilerError(f"{shlex.join(compiler() or ())} has made no library of this system: {error}") from None


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


__all__ = ["library", "opening"]
