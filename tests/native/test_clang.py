"""Exported files are without warnings for clang, too, which asks for more than GCC: for parentheses, and for `&&`."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.backends.c.compiler import STANDARD, STRICT
from graph_program.backends.c.expression import BIT_OR, OR, Expr, choice
from tests.native import programs

X = np.arange(1.0, 6.0)
SQUARE = np.eye(3) * 2 + 0.5


def above(x: Any) -> Any:
    return x[x > 0]


def in_order(x: Any) -> Any:
    return np.sort(x), np.argsort(x)


def between(x: Any) -> Any:
    return np.interp(x, x, x * 2), np.percentile(x, 30), np.median(x)


def decomposed(x: Any) -> Any:
    return np.linalg.inv(x), np.linalg.det(x), np.linalg.eigh(x)


def of_truths(x: Any) -> Any:
    return (np.floor(x) > 1) | np.isnan(np.ceil(x)) | (np.ceil(x) < 3) & ~(x < 1), np.where((x > 1) & (x < 3), x, -x)


def of_halves(x: Any) -> Any:
    half = x.astype(np.float16)
    return (half > 1) | (half != half)


def grown(x: Any, n: int) -> Any:
    y = x
    for i in range(n):
        y = np.concatenate((y[i:], y))
    return y


SPREAD: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *((function, (X,)) for function in (above, in_order, between, of_truths, of_halves)),
    (decomposed, (SQUARE,)),
    (grown, (X, 3)),
    *((function, inputs[0]) for function, inputs in programs.cases.found[::10]),
]


def clang() -> list[str]:
    """The command of clang, or of Zig's, which is one."""
    if shutil.which("clang"):
        return ["clang"]
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("there is no clang (and no `pip install ziglang`)")
    return [sys.executable, "-m", "ziglang", "cc"]


@pytest.mark.parametrize(("function", "args"), SPREAD, ids=[function.__name__ for function, _ in SPREAD])
def test_clang_warns_of_nothing(function: Any, args: tuple[Any, ...], tmp_path: Path) -> None:
    command = [*clang(), *STANDARD, *STRICT, "-c", "made.c", "-o", "made.o"]
    graph_program(function).export(tmp_path / "made.c", args, verify=False)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr[-3000:]


def test_bits_in_front_of_a_choice_are_in_parentheses() -> None:
    assert choice(Expr("a | b", BIT_OR), Expr("x"), Expr("y")).text == "(a | b) ? x : y"
    assert choice(Expr("a || b", OR), Expr("x"), Expr("y")).text == "a || b ? x : y"
