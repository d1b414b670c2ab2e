"""`graph-program check`: what it finds, how it goes on, and what it writes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graph_program.cli import main
from graph_program.reports import catalogue

HEAD = """
import numpy as np
from dataclasses import dataclass
from graph_program import Float32, Int64, Tensor, graph_program, reveal

@dataclass
class Pair:
    a: np.ndarray
    b: np.ndarray

"""
START = HEAD.count("\n") + 2
"""The line before a body's first."""


def program(body: str) -> str:
    """A program of two arrays of shapes [3, 4] and [3, 5], and a number."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return f'@graph_program\ndef p(x: Float32[Tensor, "3 4"], y: Float32[Tensor, "3 5"], n: int):\n{lines}'


def written(folder: Path, text: str, name: str = "programs.py") -> str:
    """A file with the usual imports and this text."""
    path = folder / name
    path.write_text(HEAD + text)
    return str(path)


def findings(folder: Path, capsys: pytest.CaptureFixture[str], text: str, *options: str) -> list[dict[str, Any]]:
    """What a check says about a file with this text."""
    main(["check", "--format", "json", written(folder, text), *options])
    result: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return result


RECOVERED: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "a chain of uses is reported once": (
        """
a = x @ y
b = a + 1
c = np.concatenate([b, x])
return (c, b[0], a.T, -a)
""",
        [(1, "GP301")],
    ),
    "independent statements": (
        """
a = x @ y
b = x + y
c = nope
return x.nope
""",
        [(1, "GP301"), (2, "GP301"), (3, "GP305"), (4, "GP307")],
    ),
    "both operands of one expression": ("return (x @ y) + (y @ x)", [(1, "GP301"), (1, "GP301")]),
    "arguments of one call": ("return np.concatenate([x @ y, nope, x])", [(1, "GP301"), (1, "GP305")]),
    "both sides of a branch": (
        """
if n > 0:
    a = x @ y
else:
    a = x + y
return a @ x
""",
        [(2, "GP301"), (4, "GP301")],
    ),
    "both sides of a test that is refused": (
        """
if nope:
    a = x @ y
else:
    a = x + y
return a
""",
        [(1, "GP305"), (2, "GP301"), (4, "GP301")],
    ),
    "a name that one branch leaves unknown": (
        """
a = x
if n > 0:
    a = x @ y
return a @ a
""",
        [(3, "GP301")],
    ),
    "a loop, and what follows it": (
        """
for i in range(n):
    x = x + 1
    a = x @ y
    y = y * 2
b = x @ y
return y @ y
""",
        [(3, "GP301"), (5, "GP301"), (6, "GP301")],
    ),
    "a loop over something unknown": (
        """
for row in x @ y:
    a = row + 1
    b = x @ x
return x + y
""",
        [(1, "GP301"), (3, "GP301"), (4, "GP301")],
    ),
    "a loop whose test is refused": (
        """
while nope > 3:
    a = x @ y
return x
""",
        [(1, "GP305"), (2, "GP301")],
    ),
    "an unrolled loop says it once": (
        """
for k in (1, 2, 3):
    a = (x * k) @ y
return x
""",
        [(2, "GP301")],
    ),
    "what a loop cannot avert by unrolling": (
        """
for i in range(n):
    a = np.zeros((2,) * i)
    b = x @ y
return a
""",
        [(2, "GP309"), (3, "GP301")],
    ),
    "what a loop cannot avert by peeling": (
        """
total = 0
for i in range(n):
    total = (total, 1)
    a = total + 1
    b = x @ y
return x + y
""",
        [(4, "GP302"), (5, "GP301"), (6, "GP301")],
    ),
    "unpacking leaves its names unknown": (
        """
a, b = (x, y, n)
c = a @ b
return x @ y
""",
        [(1, "GP304"), (3, "GP301")],
    ),
    "an array that is written stays what it is": (
        """
a = x * 1
a[0] = nope
a[1] += x @ y
a += nope
return a @ x
""",
        [(2, "GP305"), (3, "GP301"), (4, "GP305"), (5, "GP301")],
    ),
    "a list with an unknown item is unknown": (
        """
rows = []
rows.append(x @ y)
a = rows[1]
b = np.stack(rows)
return x @ x
""",
        [(2, "GP301"), (5, "GP301")],
    ),
    "a dict with an unknown item": (
        """
d = {"a": x @ y, "b": x}
a = d["c"]
return x @ x
""",
        [(1, "GP301"), (3, "GP301")],
    ),
    "return from the middle": (
        """
if n > 0:
    return x @ y
return x @ x
""",
        [(2, "GP301"), (3, "GP301")],
    ),
    "a construct without a meaning": (
        """
@np.vectorize
def f(): pass
with open("f") as file:
    a = x @ y
    b = file
return b + f + nope
""",
        [(2, "GP347"), (3, "GP334"), (4, "GP301"), (6, "GP305")],
    ),
    "a class inside": (
        """
class A: pass
a = A()
return x @ x
""",
        [(1, "GP208"), (3, "GP301")],
    ),
    "messages of exceptions": (
        """
if n > 3:
    raise ValueError(f"{x @ y}")
return x + y
""",
        [(2, "GP301"), (3, "GP301")],
    ),
    "a conditional expression": ("return (x @ y if n > 0 else x + y)", [(1, "GP301"), (1, "GP301")]),
    "and, or": ("return (nope or x.sum()) and (x @ y)", [(1, "GP305")]),
    "a comprehension": ("return [(x * k) @ y for k in (1, 2)] + [nope]", [(1, "GP301"), (1, "GP305")]),
    "calls with wrong arguments": (
        """
f = lambda a: a @ y
b = f(x, x)
c = f(x)
return np.sum(x, axis=7)
""",
        [(1, "GP301"), (2, "GP320"), (4, "GP303")],
    ),
    "unknown arguments are looked past": (
        """
def f(a, b):
    c = a + 1
    return b @ y
return f(nope, x)
""",
        [(3, "GP301"), (4, "GP305")],
    ),
    "fields of an object": (
        """
class_ = Pair(x, x @ y)
a = class_.b + 1
return class_.a @ x
""",
        [(1, "GP301")],
    ),
}


@pytest.mark.parametrize("body, expected", RECOVERED.values(), ids=RECOVERED.keys())
def test_every_independent_error(
    body: str, expected: list[tuple[int, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = findings(tmp_path, capsys, program(body))
    places = [(f["line"] - START, f["code"]) for f in found if f["severity"] == "error"]
    assert places == expected, [(f["line"] - START, f["code"], f["message"]) for f in found]
