"""Golden files: small programs, each with the text that it must lead to.

A file holds cases of this form; `pytest --update-golden` rewrites what stands below the call::

    ==== name of the case
    def program(x):
        return x + y
    ---- program(np.ones(3))
    the expected text
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import linecache
import math
import random
import sys
import time
import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import graph_program

CASE, CALL = "==== ", "---- "
NAMES = {
    "np": np,
    "math": math,
    "time": time,
    "random": random,
    "functools": functools,
    "dataclass": dataclasses.dataclass,
    "field": dataclasses.field,
    **{name: getattr(graph_program, name) for name in graph_program.__all__},
}
"""What a program may name without an import."""

_numbers = itertools.count()


@dataclass(frozen=True)
class Case:
    """One program of a golden file, the call that is tried, and the expected text."""

    path: Path
    name: str
    source: str
    call: str
    expected: str

    def __str__(self) -> str:
        return f"{self.path.stem}: {self.name}"

    def update(self, text: str) -> None:
        """Put another expected text into the file."""
        if text != self.expected:
            cases = [replace(c, expected=text) if c.name == self.name else c for c in read(self.path)]
            self.path.write_text("\n".join(map(_text, cases)), encoding="utf-8", newline="\n")


def read(path: Path) -> Iterator[Case]:
    """The cases of a file."""
    for part in ("\n" + path.read_text(encoding="utf-8")).split("\n" + CASE)[1:]:
        name, _, rest = part.partition("\n")
        source, _, rest = ("\n" + rest).partition("\n" + CALL)
        call, _, expected = rest.partition("\n")
        yield Case(path, name, source.strip("\n") + "\n", call, expected.rstrip("\n"))


def _text(case: Case) -> str:
    return f"{CASE}{case.name}\n{case.source}{CALL}{case.call}\n{case.expected}\n"


def load(source: str, file: str = "program.py") -> dict[str, Any]:
    """The names that a source text defines when it is run as a module of its own."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = types.ModuleType(f"golden_{next(_numbers)}")
    module.__dict__.update(NAMES, __file__=file, load=load)
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        exec(compile(source, file, "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    return module.__dict__
