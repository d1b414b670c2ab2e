"""Comparisons that the element types decide: as in Python, and without a warning of the compiler."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program.backends.c.expression import Expr
from graph_program.backends.c.rules.comparisons import ordered
from tests.native.compilers import QUICK, compiler_with, needs_compiler
from tests.programs.plain import check

INT64 = np.dtype(np.int64)


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    with compiler_with(tmp_path, QUICK):
        yield


def masked(x):
    wide = x.astype(np.int64)
    return x > 1, x >= 0, wide > 1, wide == 2, wide != 300, wide < 0, wide <= 255, wide + 1 > 255, np.argwhere(x > 1)


def compared_with_others(x, y):
    return x < y, x == y, x.astype(np.int64) >= y, (x > y) == 2, (x > y) >= False, (x > y).astype(np.int32) < 5


def number(x, n):
    return int(x[0]) > 300, int(x[0]) < -1, bool(x[1]) + n > 1, (n > 0) < 2


@needs_compiler
@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.uint32, np.int32, np.uint64])
@pytest.mark.parametrize("size", [0, 2, 7])
def test_of_small_types(dtype: Any, size: int) -> None:
    x = np.arange(size).astype(dtype)
    check(masked, (x,))
    check(compared_with_others, (x, x[::-1].copy()), (x, x[::-1].astype(np.uint8)))
    if size:
        check(number, (x, 3), (x, -3))


def test_only_what_the_types_decide_is_known() -> None:
    narrow = Expr("(int64_t)x[i]", 1, limits=(0, 255))
    assert [ordered(op, INT64, narrow, Expr("256")).text for op in ("less", "equal", "greater")] == [
        "true",
        "false",
        "false",
    ]
    assert ordered("less", INT64, narrow, Expr("255")).text == "(int64_t)x[i] < 255"
    assert ordered("greater", INT64, Expr("-1", 1), narrow).text == "false"
    assert ordered("less_equal", INT64, narrow, Expr("INT64_C(5000000000)")).text == "true"
    assert ordered("less", INT64, Expr("n"), Expr("INT64_MAX")).text == "n < INT64_MAX"
    assert ordered("less_equal", INT64, Expr("n"), Expr("INT64_MAX")).text == "true"
