"""What is kept of machine code for other processes: its library, and a record of how it is called.

Nothing is kept of programs with host code, with state or bound to an object, nor of one whose extraction has read what
`reached` does not know.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graph_program.backends.c.entry import BIND, ENTRY
from graph_program.backends.c.folder import RECORD, only_ours, shrink
from graph_program.backends.host.codegen import Scope, parameter_list
from graph_program.backends.host.miss import MISS
from graph_program.backends.host.shim import Body, guard_tests
from graph_program.calls.kept_programs.keeping import key_of
from graph_program.calls.kept_programs.reached import NotKept, Reached
from graph_program.calls.kept_programs.records import written

if TYPE_CHECKING:
    from graph_program.backends.c.compiled import NativeCompiled
    from graph_program.calls.subject import Subject
    from graph_program.extract.extraction import Extraction
    from graph_program.extract.ir.interface import Guard

VARIANTS = 16
"""So many records are kept of one state of a program; the oldest go."""
UNCHANGED = "_unchanged"


def keep(subject: Subject, extraction: Extraction, compiled: NativeCompiled) -> None:
    """Write a record of machine code, if it may be kept."""
    with suppress(NotKept, OSError, RecursionError):
        _write(subject, extraction, compiled)


def _write(subject: Subject, extraction: Extraction, compiled: NativeCompiled) -> None:
    session, interface, folder = compiled.direct_session, extraction.interface, only_ours()
    told = (
        *extraction.findings,
        *extraction.crossings,
        *extraction.moved,
        *interface.effects,
        *interface.state.objects,
    )
    if session is None or subject.instance is not None or interface.keeps_writes or told or extraction.host:
        raise NotKept
    library = session.library
    if folder is None or library.path.parent != folder or not all(d.isbuiltin == 1 for d in library.dtypes):
        raise NotKept
    reached = Reached(subject.fn)
    if not all(test() for test in guard_tests(interface)) or not all(_is_covered(g, reached) for g in interface.guards):
        raise NotKept
    record = _record(subject, extraction, compiled, reached)
    record |= {"library": library.path.name, "dtypes": [dtype.str for dtype in library.dtypes]}
    text = json.dumps(record).encode()
    key = key_of(reached, subject.options)
    target = folder / f"{key}-{hashlib.sha256(text).hexdigest()[:32]}{RECORD}"
    new = folder / f"{target.name}.{os.getpid()}"
    new.write_bytes(text)
    new.replace(target)
    for old in sorted(folder.glob(f"{key}-*{RECORD}"), key=lambda path: path.stat().st_mtime)[:-VARIANTS]:
        old.unlink(missing_ok=True)
    shrink(folder)


def _record(subject: Subject, extraction: Extraction, compiled: NativeCompiled, reached: Reached) -> dict[str, Any]:
    callee = subject.callee
    scope = Scope([*callee.signature.parameters, UNCHANGED])
    parameters = parameter_list(callee.signature, scope)
    miss = scope.constant(MISS, "miss")
    body = Body(replace(extraction.interface, guards=()), compiled, scope, None, True).write()
    constants: dict[str, Any] = {}
    if reached.unchanged() is not None:
        body.insert(0, f"if not {UNCHANGED}(): return {miss}")
        constants[UNCHANGED] = ["unchanged"]
    text = "\n".join([parameters, *body])
    used = {name: value for name, value in scope.constants.items() if name in text}
    constants |= {name: written(value, compiled, reached) for name, value in used.items()}
    names = [callee.name, callee.qualname]
    return {"parameters": parameters, "body": body, "constants": constants, "names": names, "entry": [BIND, ENTRY]}


def _is_covered(guard: Guard, reached: Reached) -> bool:
    """Whether what an extraction has read is in the digest; a number or a text may be anywhere in it."""
    return isinstance(guard.value, bool | int | float | str | None) or reached.has_met(guard.value)


__all__ = ["keep"]
