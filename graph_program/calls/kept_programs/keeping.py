"""Where records of libraries are, and the functions that are made of them.

A record is for one state of a program: all that it may read (`reached`), its options, this package, Python, NumPy and
the machine.  Which arguments it takes the generated function in it says itself, as in the process that wrote it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.c.folder import RECORD, digest_of, only_ours, processor
from graph_program.calls.back_end import wanted
from graph_program.calls.kept_programs.reached import NotKept, Reached

if TYPE_CHECKING:
    from graph_program.calls.program_options import ProgramOptions

FORM = "1"
"""Of records; a new one for each change of what is in them."""
PACKAGES = ("graph_program", "graph_program.tensor_api", "graph_program.extract", "graph_program.backends")
COMPILERS = ("cc", "gcc", "clang")


def records_of(function: FunctionType, options: ProgramOptions) -> tuple[Reached, list[Path]]:
    """What a function may read now, and the records for that, the newest first.

    Raises
    ------
    NotKept
    """
    folder = only_ours(is_made=False)
    if folder is None:
        raise NotKept
    reached = Reached(function)
    found = list(folder.glob(f"{key_of(reached, options)}-*{RECORD}"))
    return reached, sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def loaded(path: Path, reached: Reached, again: Callable[..., Any]) -> Callable[..., Any] | None:
    """The function of a record, if its library is there too; else the record goes."""
    from graph_program.backends.c.python_api import builtin, is_usable
    from graph_program.calls.kept_programs.records import Meant, function_of

    record = json.loads(_content(path) or "null")
    library = path.parent / record["library"] if record is not None else path
    if record is None or not is_usable() or not library.stem.endswith(f"-{digest_of(library)}"):
        with suppress(OSError):
            path.unlink()
        return None
    import ctypes

    try:
        code = ctypes.PyDLL(str(library))
    except OSError:  # a BLAS that it calls is no longer there
        return None
    for used in (path, library):
        with suppress(OSError):
            used.touch()
    bind, entry = record["entry"]
    call = builtin(code, bind, entry, [np.dtype(text) for text in record["dtypes"]])
    return function_of(record, Meant(call, again, reached))


def _content(path: Path) -> bytes:
    """What was written to a file; nothing where it holds anything else by now."""
    try:
        content = path.read_bytes()
    except OSError:
        return b""
    return content if path.stem.endswith(f"-{hashlib.sha256(content).hexdigest()[:32]}") else b""


def key_of(reached: Reached, options: ProgramOptions) -> str:
    """What a record is for."""
    said = repr((replace(options, without=frozenset()), sorted(options.without), wanted(options)))
    return hashlib.sha256("\0".join([reached.digest, said, *_surroundings()]).encode()).hexdigest()


@cache
def _surroundings() -> tuple[str, ...]:
    """This package, Python, NumPy, the machine and its compiler."""
    own = hashlib.sha256("\n".join(sorted(_own_files())).encode()).hexdigest()
    return FORM, own, sys.version, str(sys.flags.optimize), np.__version__, *_compiler(), processor()


def _own_files() -> Iterator[str]:
    """Each file of this package, as a text that is another one when it is changed."""
    waiting = [folder for name in PACKAGES for folder in import_module(name).__path__]
    while waiting:
        for entry in os.scandir(waiting.pop()):
            if entry.is_dir():
                waiting.append(entry.path)
            elif entry.name.endswith(".py"):
                state = entry.stat()
                yield f"{entry.path} {state.st_size} {state.st_mtime_ns}"


def _compiler() -> tuple[str, ...]:
    """What makes libraries: its command and its file, and the BLAS that they may call."""
    given = os.environ.get("CC", "")
    path = given or next(filter(None, map(shutil.which, COMPILERS)), "")
    found = find_spec("scipy_openblas32")
    blas = "" if found is None else str(found.origin)
    with suppress(OSError):
        state = os.stat(path)
        return path, str(state.st_size), str(state.st_mtime_ns), blas
    return path, blas


__all__ = ["key_of", "loaded", "records_of"]
