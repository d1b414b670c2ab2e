"""What is said of loops that stay loops: the statement, the reason and what to write instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from graph_program.extract.transform.vectorize import reasons
from graph_program.extract.transform.vectorize.reasons import HINTS, hint_for

Vector = Float64[Tensor, "n"]
WITHOUT_A_HINT = {"it gives nothing", "all its rounds at once would take much more memory than its arrays do"}
"""Reasons that nobody can do something about."""


def raised() -> dict[str, str]:
    """The reasons that the vectoriser gives, as patterns, and where."""
    found = {}
    for path in sorted(Path(reasons.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "StaysLoop":
                text = _example(node.args[1])
                if text is not None:
                    found[text] = f"{path.name}:{node.lineno}"
    return found


def _example(text: ast.expr) -> str | None:
    """A reason with something in the place of what it is about; None for one that is given on."""
    if isinstance(text, ast.Constant):
        return str(text.value)
    if isinstance(text, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "something" for part in text.values)
    return None


def test_each_reason_says_what_to_write_instead() -> None:
    found = raised()
    assert len(found) > 15
    missing = [f"{place}: {text}" for text, place in found.items() if not hint_for(text)]
    assert {line.partition(": ")[2] for line in missing} == WITHOUT_A_HINT


def test_each_hint_has_a_reason() -> None:
    texts = list(raised())
    assert [pattern for pattern, _ in HINTS if not any(re.fullmatch(pattern, text) for text in texts)] == []


def recurrence(x: Vector) -> Any:
    state = np.float64(0)
    for v in x:
        state = state * 0.5 + v
    return state


def of_what_was_written(x: Vector) -> Any:
    row = np.zeros(len(x))
    for j in range(1, len(x)):
        row[j] = row[j - 1] * 0.5 + x[j]
    return row


def until_it_is_small(x: Vector) -> Any:
    y, v = x, np.float64(1)
    while v > 0.1:
        y = y * 0.5
        v = y.max()
    return y


TOLD = {
    recurrence: (
        "line {3}, `state * 0.5`: it reads `state` that the round before has made; "
        "hint: put what does not read it into a loop of its own before this one"
    ),
    of_what_was_written: (
        "line {3}, `row[j - 1] * 0.5`: it reads `row` that the round before has made; "
        "hint: put what does not read it into a loop of its own before this one"
    ),
    until_it_is_small: (
        "how many rounds it has is not known when it begins; "
        "hint: count with `for ... in range(...)` and leave it with `break`, or change what it compares by a constant "
        "at the end of every round"
    ),
}


@pytest.mark.parametrize("fn", TOLD, ids=lambda fn: fn.__name__)
def test_what_is_told(fn: Callable[..., Any], tmp_path: Path) -> None:
    first = fn.__code__.co_firstlineno
    text = re.sub(r"\{(\d)\}", lambda found: str(first + int(found[1])), TOLD[fn])
    program = graph_program(fn)
    told = [line for line in program.explain("optimized").splitlines() if line.startswith("# test_reasons.py:")]
    (said,) = (line.partition(" is ")[2] for line in told)
    assert re.fullmatch(r"a loop(, with \d+ operations? for all rounds before it)?: " + re.escape(text), said)
    summary = program.export(tmp_path / "m.onnx")
    assert [loop.text for loop in summary.loops] == [said]
    assert said in " ".join(str(summary).split())
