"""Models of float16: what goes in and comes out is rounded, whatever onnxruntime computes in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float16, Float32, Tensor
from tests.models.agreement import agree, loaded

HEAD = '<ir_version: 8, opset_import: ["" : 17]> net '
SUMS = "(float16[b, 2] x) => (float16[b, 1] y) { y = MatMul (x, w) }"
TOTAL = "(float16[n] x) => (float16 y) { y = ReduceSum <keepdims = 0> (x) }"
ROWS = [np.array(row, np.float16) for row in ([[60000, 60000]], [[2048, 1.5]], [[2049, 0.5], [-60000, -60000]])]


def net(folder: Path) -> Any:
    return loaded(folder, HEAD + SUMS, w=np.ones((2, 1), np.float16))


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_what_comes_out_is_rounded(tmp_path: Path) -> None:
    sums, total = net(tmp_path), loaded(tmp_path, HEAD + TOTAL, name="total")

    def program(x: Float16[Tensor, "n 2"]) -> Any:
        y = sums(x)
        kept = np.where(np.isinf(y), np.float16(0), y)
        return y.astype(np.float32), y - np.float16(2048), kept, int(kept[0, 0] > 2049), float(total(x[0]))

    agree(program, *((row,) for row in ROWS), folder=tmp_path)


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_what_goes_in_is_rounded(tmp_path: Path) -> None:
    sums = net(tmp_path)

    def program(x: Float32[Tensor, "n 2"]) -> Any:
        return sums(x.astype(np.float16)), sums((x * 0.5).astype(np.float16) - np.float16(1))[0]

    agree(program, *((x,) for x in (np.float32([[1e6, -1e6]]), np.float32([[2049.0, 4096.5]]))), folder=tmp_path)


def test_of_one_result_after_another(tmp_path: Path) -> None:
    sums = net(tmp_path)

    def program(x: Float16[Tensor, "n 2"]) -> Any:
        y = x
        for _ in range(2):
            z = sums(y)
            y = np.concatenate((z, y[:, :1]), axis=1)
        return y, z.sum(dtype=np.float32)

    agree(program, *((row,) for row in ROWS[1:2]), (np.float16([[1.5, 2048.0], [0.25, 1024.5]]),), folder=tmp_path)
