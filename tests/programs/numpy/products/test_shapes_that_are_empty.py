"""Products of transposed stacks of matrices, some of them empty: fused by onnxruntime, and fatal there once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check


def scores(q: Any, k: Any) -> Any:
    return q @ np.transpose(k, (1, 2, 0))


def contracted(q: Any, k: Any) -> Any:
    return np.einsum("bij,kbj->bik", q, k)


@pytest.mark.parametrize("function", [scores, contracted])
@pytest.mark.parametrize("sizes", [(4, 3, 0, 2), (4, 0, 0, 2), (0, 3, 2, 2), (4, 3, 2, 0), (4, 3, 5, 2)])
def test_products_of_transposed_stacks(function: Any, sizes: tuple[int, int, int, int]) -> None:
    batch, rows, columns, inner = sizes
    q = np.arange(batch * rows * inner, dtype=np.float32).reshape(batch, rows, inner)
    k = np.arange(columns * batch * inner, dtype=np.float32).reshape(columns, batch, inner)
    check(function, (q, k))
