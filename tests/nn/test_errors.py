"""What functions of `nn` refuse: the same in plain Python and in programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float32, ShapeWarning, graph_program
from graph_program.tensor_api import nn
from tests.nn.test_functions import leaves
from tests.programs.plain import Cases, outcome

cases = Cases()
X = np.ones((2, 3, 6, 5), np.float32)
W = np.ones((4, 3, 3, 3), np.float32)


@cases((X, W), (X[:, :2], W), (X[:, :, :2], W), (X[0], W), (X[0, 0], W), (X, W[0]), (X, W[..., 0]), (X[:0], W))
def convolved(x: Any, w: Any) -> Any:
    return nn.conv2d(x, w)


@cases((X, W), (X.astype("f8"), W), (X.astype("i8"), W), (X, W.astype("f8")), (X.astype("f8"), W.astype("f8")))
def convolved_types(x: Any, w: Any) -> Any:
    return nn.conv2d(x, w, padding="same")


@cases((X, np.ones(4, "f4")), (X, np.ones(3, "f4")), (X, np.ones((4, 1), "f4")))
def with_bias(x: Any, b: Any) -> Any:
    return nn.conv2d(x, W, b, stride=2)


@cases((X,))
def same_with_stride(x: Any) -> Any:
    return nn.conv2d(x, W, stride=2, padding="same")


@cases((X,))
def odd_padding(x: Any) -> Any:
    return nn.conv2d(x, W, padding="full")


@cases((X,), (X[:, :, :1],), (X[:, :, :, :1],))
def pooled(x: Any) -> Any:
    return nn.max_pool2d(x, 2), nn.avg_pool2d(x, 2, padding=1)


@cases((X,))
def too_much_padding(x: Any) -> Any:
    return nn.max_pool2d(x, 2, padding=2)


@cases((X,), (X[:, :, :, :4],), (X[0, 0, 0],))
def normalised(x: Any) -> Any:
    return nn.layer_norm(x, (5,))


@cases((X, 3), (X[:, :2], 3))
def grouped(x: Any, n: int) -> Any:
    return nn.group_norm(x, 3)


@cases((np.array([0, 3]),), (np.array([0, 5]),), (np.array([-1]),), (np.array([0.5]),))
def hot(i: Any) -> Any:
    return nn.one_hot(i, 4)


@cases((np.array([1.0, 3.0, 2.0]),), (np.array([1.0]),))
def two_best(x: Any) -> Any:
    return nn.topk(x, 2)


@cases((np.array([[0, 2], [1, 1]]),), (np.array([4]),), (np.array([-3]),))
def looked_up(i: Any) -> Any:
    return nn.embedding(i, np.arange(9.0).reshape(3, 3))


@cases((X, np.ones((2, 2, 4), "f4")), (X, np.ones((1, 2, 4), "f4")))
def first_states(x: Any, h: Any) -> Any:
    return nn.GRU(5, 4, 2, seed=0)(x[:, 0], h)[0] if h.ndim == 4 else RECURRENT(x[:, 0], h)[0]


RECURRENT = nn.GRU(5, 4, 2, seed=0)


@cases.each
def test_programs_refuse_what_python_does(fn: Any, inputs: Any) -> None:
    for args in inputs:
        expected, found = outcome(fn, args), outcome(graph_program(fn), args)
        if isinstance(expected[0], type):
            assert isinstance(found[0], type) and issubclass(found[0], expected[0]), (expected, found)
            assert expected[1] in found[1]
        else:
            assert not isinstance(found[0], type), found
            for a, b in zip(leaves(expected[0]), leaves(found[0]), strict=True):
                np.testing.assert_allclose(a, b, 1e-5, 1e-6)


def test_training_is_refused() -> None:
    with pytest.raises(NotImplementedError):
        nn.dropout(X, training=True)
    with pytest.raises(NotImplementedError):
        nn.batch_norm(X, W[:3, 0, 0, 0], W[:3, 0, 0, 0], training=True)


def small(x: Float32[np.ndarray, "batch 3 height width"]) -> Any:
    return nn.max_pool2d(nn.relu(nn.conv2d(x, W)), 2)


def test_sizes_are_symbols_and_are_checked_before_the_run() -> None:
    program = graph_program(small)
    assert program.signature.endswith("-> float32 [batch, 4, max(0,height//2-1), max(0,width//2-1)]")
    assert program(X).shape == (2, 4, 2, 1)
    operators = [node.op_type for node in program.model().graph.node]
    assert "Conv" in operators or "If" in operators
    with pytest.raises(ValueError, match="longer than spatial axis 0"):
        program(X[:, :, :2])


def test_annotations_refuse_before_anything_runs() -> None:
    def wrong(x: Float32[np.ndarray, "batch 2 height width"]) -> Any:
        return nn.conv2d(x, W)

    with pytest.warns(ShapeWarning, match="expected 3 channels in 1 groups, got 2"):
        graph_program(wrong).signature  # noqa: B018


def three_pools(x: Any) -> Any:
    return nn.max_pool2d(x, 2, 1, 1), nn.max_pool2d(x, 3, 1), nn.max_pool2d(x, 2, dilation=2)


SPECIAL = [np.nan, np.inf, -np.inf]


@pytest.mark.parametrize("value", SPECIAL)
def test_pooling_of_what_is_not_finite(value: float) -> None:
    x = np.zeros((1, 2, 4, 5), np.float32)
    x[0, 0, 1, 1], x[0, 1, 2:, :2] = value, value
    program = graph_program(
        lambda x: (nn.max_pool2d(x, 2, 1, 1), nn.max_pool2d(x, 3, 1), nn.max_pool2d(x, 2, dilation=2))
    )
    expected = (nn.max_pool2d(x, 2, 1, 1), nn.max_pool2d(x, 3, 1), nn.max_pool2d(x, 2, dilation=2))
    for a, b in zip(program(x), expected, strict=True):
        np.testing.assert_array_equal(a, b)
