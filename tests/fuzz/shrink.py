"""Make a failing program small: leave out lines as long as it still fails in the same way."""

from __future__ import annotations

import dataclasses
import re
import time
from collections.abc import Callable

from tests.fuzz.shape_programs import ShapeProgram
from tests.fuzz.shape_texts import HEADER

FUEL = re.compile(r"\s*f\d+ \+= 1")
"""The lines that make `while` loops end."""
SECONDS = 10.0

Fails = Callable[[ShapeProgram], bool]


def shrink(program: ShapeProgram, fails: Fails) -> ShapeProgram:
    """The smallest program found, in `SECONDS`, for which `fails` holds, as it does for this one."""
    end = time.monotonic() + SECONDS
    for args in program.calls:
        alone = dataclasses.replace(program, calls=[args])
        if fails(alone):
            program = alone
            break
    progress = True
    while progress:
        progress = False
        for start in range(len(body(program)) - 1, -1, -1):
            if time.monotonic() > end:
                return program
            smaller = _without(program, start)
            if smaller is not None and fails(smaller):
                program, progress = smaller, True
    return program


def body(program: ShapeProgram) -> list[str]:
    """The lines of the function."""
    return program.source[len(HEADER) :].strip().split("\n")[1:]


def _without(program: ShapeProgram, start: int) -> ShapeProgram | None:
    """The program without one of its statements, or with the body of a block in its place."""
    lines = body(program)
    if start >= len(lines) - 1:
        return _with_less_to_give(program, lines)
    if FUEL.fullmatch(lines[start]):
        return None
    stop = start + 1
    while stop < len(lines) and _indent(lines[stop]) > _indent(lines[start]):
        stop += 1
    return _with_body(program, [*lines[:start], *lines[stop:]])


def _with_less_to_give(program: ShapeProgram, lines: list[str]) -> ShapeProgram | None:
    """The program without the last of its results."""
    names = lines[-1].removeprefix("    return ").split(", ")
    return _with_body(program, [*lines[:-1], f"    return {', '.join(names[1:])}"]) if len(names) > 1 else None


def _with_body(program: ShapeProgram, lines: list[str]) -> ShapeProgram | None:
    head = program.source[len(HEADER) :].strip().split("\n")[0]
    source = "\n".join([HEADER, "", head, *lines, ""])
    try:
        compile(source, "<smaller>", "exec")
    except SyntaxError:
        return None
    return dataclasses.replace(program, source=source)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
