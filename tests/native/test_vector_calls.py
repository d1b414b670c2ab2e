"""Functions that there are for vectors, on the sides of a choice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.backends.c import libraries
from tests.native.compilers import compiler_with, needs_compiler, noted_texts
from tests.programs.plain import check

X = np.array([0.0, -0.0, 0.5, -3.0, 700.0, 1e300, -1e300, np.inf, -np.inf, np.nan, 1.0, 2.0])


@pytest.fixture(params=[True, False], ids=["vectors", "numbers"])
def texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[list[str]]:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    found = noted_texts(monkeypatch)
    monkeypatch.setattr(libraries, "has_vector_functions", lambda: request.param)
    with compiler_with(tmp_path, ("-O1",)):
        yield found


def chosen(x: Any, y: Any) -> Any:
    return np.where(x > 0, np.log(x) * 2, np.where(y > 1, y, np.exp(-x) + y)), np.where(x > 0, x + 1, y)


def powers(z: Any) -> Any:
    return np.exp(1j * z) * 2


@needs_compiler
def test_like_numpy(texts: list[str]) -> None:
    x = np.tile(X, 4)
    with np.errstate(all="ignore"):
        check(chosen, (x, x[::-1]), (x[:1], x[:1]), (x[:0], x[:0]), (x.astype(np.float32), x.astype(np.float32)))
        check(powers, (X[:5],), (np.linspace(0, 9, 40),))


@needs_compiler
def test_a_choice_calls_nothing(texts: list[str]) -> None:
    graph_program(chosen)(X, X)
    choices = [line for line in texts[0].splitlines() if "?" in line and ("log(" in line or "exp(" in line)]
    assert bool(choices) != libraries.has_vector_functions()


def test_a_file_for_others_calls_where_it_is_asked_for() -> None:
    text = graph_program(chosen).c_source((X, X))
    assert any("?" in line and "log(" in line for line in text.splitlines())
