"""Slices that are all of an array, or nothing of it, and such as go to its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

from graph_program import Float64, Int64, Tensor
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Fixed, Matrix = Float64[Tensor, "4 5"], Float64[Tensor, "n m"]
FIXED = ((np.arange(20.0).reshape(4, 5),),)
MATRICES = tuple((np.arange(float(n * m)).reshape(n, m),) for n, m in ((4, 5), (1, 1), (0, 2), (2, 0)))

whole = Cases()
"""Programs without a slice, with arguments."""
parts = Cases()
"""Near misses."""


@whole(*FIXED)
def all_rows_and_columns(x: Fixed) -> Any:
    return x[0:4, 0:7] + 1


@whole(*MATRICES)
def up_to_its_size(x: Matrix) -> Any:
    return x[: x.shape[0]] + 1


@whole(*MATRICES)
def beyond_its_size(x: Matrix) -> Any:
    return x[: x.shape[0] + 2, : x.shape[1]] + 1


@whole(*FIXED)
def nothing_of_the_first_axis(x: Fixed) -> Any:
    return x[0:0, 4:9]


@whole(*FIXED)
def product_of_nothing(x: Fixed) -> Any:
    return x[:, 3:3] @ x[2:2] + 1, x[1:1].sum(), x[4:].size


@parts(*MATRICES)
def nothing_of_unknown_size(x: Matrix) -> Any:
    return x[2:2]


@parts(*FIXED)
def one_axis_is_whole(x: Fixed) -> Any:
    return x[0:2, 0:5]


@parts(*MATRICES)
def perhaps_not_to_the_end(x: Matrix) -> Any:
    return x[: x.shape[1]] + 1


@parts(*MATRICES)
def backwards(x: Matrix) -> Any:
    return x[::-1, : x.shape[1]] + 1


@parts(*(((np.arange(n)),) for n in (4, 1, 0)))
def to_the_end(x: Int64[Tensor, "n"]) -> Any:
    return x[1 : len(x) + 1]


def slices(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    return [node for node in model.graph.node if node.op_type == "Slice"]


@whole.each
def test_a_whole_array_and_nothing_of_it_are_no_slices(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]
) -> None:
    assert not slices(compared(fn, inputs))


@parts.each
def test_other_slices_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert slices(compared(fn, inputs))


def test_where_a_slice_ends_is_not_computed() -> None:
    model = compared(to_the_end, (((np.arange(3)),),))
    assert [node.op_type for node in model.graph.node] == ["Slice"]
