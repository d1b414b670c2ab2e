"""The first extreme of what is longer than a block, in process: NaN in any block, equal elements, all types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.backends.c.rules.reduction import BLOCK
from tests.native.compilers import needs_compiler
from tests.programs.plain import check

pytestmark = [needs_compiler, pytest.mark.usefixtures("native")]
PLACES = (0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 7)
LENGTHS = (1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5)


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")


def places(x: Any) -> Any:
    return np.argmax(x), np.argmin(x)


def truths(x: Any) -> Any:
    return (x > 1).any(), (x > 1).all(), x.any(), x.all()


def of_rows(x: Any) -> Any:
    return np.argmax(x, axis=1), np.argmin(x, axis=0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8, np.uint8, np.uint64, np.float16])
def test_places_and_truths(dtype: Any) -> None:
    random = np.random.default_rng(3)
    for function in (places, truths):
        inputs = [(random.normal(size=n) * 40).astype(dtype) for n in LENGTHS]
        inputs += [np.zeros(n, dtype) for n in LENGTHS]
        inputs += [np.arange(3 * BLOCK)[::step].astype(dtype) for step in (1, -1)]
        check(function, *((x,) for x in inputs))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nan_and_infinities(dtype: Any) -> None:
    program = graph_program(places)
    for place in PLACES:
        for value in (np.nan, np.inf, -np.inf):
            for rest in (0.0, -np.inf, np.inf):
                x = np.full(3 * BLOCK, rest, dtype)
                x[place] = value
                assert program(x) == places(x), (place, value, rest)
                x[-1] = np.nan
                assert program(x) == places(x), (place, value, rest, "NaN at the end")


def test_rows_that_are_longer_than_a_block() -> None:
    random = np.random.default_rng(5)
    x = random.integers(0, 50, (3, 2 * BLOCK + 3))
    check(of_rows, (x,), (x.astype(float),), (x.T.copy(),))
