"""Sums along what lies far apart in memory go through it in its order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.native.compilers import compiler_with, needs_compiler
from tests.programs.plain import check

SHAPES = ((3, 4), (1, 4), (3, 1), (0, 4), (3, 0))
DEEP = ((3, 4, 5), (1, 4, 5), (3, 1, 5), (3, 4, 1), (0, 4, 5), (3, 0, 5), (3, 4, 0))


def of_a_transpose(x: Any) -> Any:
    return (
        x.T.sum(axis=1),
        x.T.sum(axis=1, keepdims=True),
        (x * 2).T.sum(axis=-1),
        x.T[::-1].sum(axis=1),
        x.sum(axis=()),
    )


def of_other_orders(x: Any) -> Any:
    return (
        x.transpose(1, 0, 2).sum(axis=1),
        x.transpose(2, 0, 1).sum(axis=(1, 2)),
        x.transpose(2, 0, 1).sum(axis=2, keepdims=True),
        x.transpose(0, 2, 1).sum(axis=2),
        x.transpose(2, 1, 0).sum(axis=0),
    )


def rows_of_a_transpose(x: Float64[Tensor, "n m"]) -> Any:
    return x.T.sum(axis=1)


@needs_compiler
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.float32, bool])
@pytest.mark.parametrize(("function", "shapes"), [(of_a_transpose, SHAPES), (of_other_orders, DEEP)])
def test_like_numpy(function: Any, shapes: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    random = np.random.default_rng(0)
    with compiler_with(tmp_path, ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")):
        check(function, *(((random.normal(size=shape) * 9).astype(dtype),) for shape in shapes))


def test_the_inner_loop_is_along_memory() -> None:
    text = graph_program(rows_of_a_transpose).c_source((np.ones((3, 4)),))
    assert "x[i * m + j]" in text
