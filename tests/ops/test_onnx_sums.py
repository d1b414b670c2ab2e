"""Sums of integers are exact in onnxruntime, which makes them in float64 by itself."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from graph_program import Int64, Tensor, graph_program
from tests.programs.plain import check

LARGE = [2.0**60, 1, 1, -3]


def whole(x: Any) -> Any:
    return x.astype(np.int64).sum(), x.sum(dtype=np.int64)


def along_axes(x: Any) -> Any:
    rows = x.reshape(2, -1).astype(np.int64)
    return rows.sum(axis=0), rows.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("program", [whole, along_axes])
def test_floats_of_few_bits_may_be_large(program: Any) -> None:
    """What was just cast from 32 bits stays small only if these are integers."""
    given = [np.array(LARGE, np.float32), np.array([65504, 1, np.nan, 2], np.float16), np.array([2**32 - 1] * 4, "u4")]
    check(program, *((x,) for x in given), (np.array([np.nan, 1.5, 3, np.inf], np.float32),), (np.ones(4, np.bool_),))


@pytest.mark.parametrize("size", [0, 1, 2, 4, 5, 7, 64, 65])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_products_of_known_sizes(size: int, dtype: Any) -> None:
    def products(x: Any) -> Any:
        return np.prod(x, axis=1), np.prod(x), np.prod(x, axis=0), np.prod(x[:, :, np.newaxis], axis=1, keepdims=True)

    check(products, *((np.random.default_rng(n).integers(1, 9, (n, size)).astype(dtype),) for n in (3, 1, 0)))


def test_products_of_few_are_written_out() -> None:
    def volume(sizes: Int64[Tensor, "n 3"], many: Int64[Tensor, "n 7"]) -> Any:
        return np.prod(sizes, axis=1), np.prod(many, axis=1)

    model = graph_program(volume).model()
    operators = [node.op_type for node in model.graph.node]
    assert "Loop" not in operators and len(operators) <= 20, operators


def products_of_vectors(x: Any, y: Any) -> Any:
    return x @ y, np.dot(y, x), np.einsum("i,i->", x, x)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.uint8])
def test_products_of_vectors_of_any_size(dtype: Any) -> None:
    rng = np.random.default_rng(3)
    pairs = [tuple(rng.integers(0, 9, n).astype(dtype) for _ in range(2)) for n in (0, 1, 2, 7, 129, 1000)]
    check(products_of_vectors, *pairs)


def test_products_of_vectors_are_sums_of_products() -> None:
    program = graph_program(products_of_vectors, backend="onnxruntime")
    special = np.array([np.inf, np.nan, -0.0, 1e308, 5e-324])
    with np.errstate(all="ignore"):
        for x, y in itertools.product([special[k:j] for k in range(5) for j in range(k + 1, 6)], [1.0, -1e3, 0.0]):
            for a, b in zip(program(x, np.full(len(x), y)), products_of_vectors(x, np.full(len(x), y)), strict=True):
                np.testing.assert_array_equal(a, b)
    for n in (2, 3, 200):
        found = program(np.full(n, -0.0), np.ones(n))
        assert not any(map(np.signbit, found[:2])), n
    model = program.model((np.ones(3), np.ones(3)))
    assert str(model).count('op_type: "ReduceSum"') == 3 and 'op_type: "MatMul"' not in str(model)
    known = graph_program(products_of_vectors, dims={"x_0": 8, "y_0": 8}).model((np.ones(8), np.ones(8)))
    assert 'op_type: "MatMul"' in str(known) and 'op_type: "ReduceSum"' not in str(known)
