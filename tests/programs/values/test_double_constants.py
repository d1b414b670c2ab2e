"""float64 constants that are 0 or 1 in float32: onnxruntime's optimizer must not take them for these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import graph_program

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3))


def guarded_logarithm(x: Any, y: Any) -> Any:
    return np.log(np.where(y < 9, np.abs(x * 0) + 1e-300, y))


def tiny_difference(x: Any, y: Any) -> Any:
    return np.where(y < 9, np.abs(x * 0) - 1e-50, y)


def nearly_one(x: Any, y: Any) -> Any:
    return np.abs(x) * 1.000000001 + y, np.abs(x) / 1.000000001 + y


def scaled_products(x: Any, y: Any) -> Any:
    return (x * 0.1) @ y, (x @ y) * 0.1, (x @ y) / 3.1, (x[0] @ y) * 0.1, (x[0] * 0.1) @ y, (x[0] @ y[0]) * 0.3


@pytest.mark.parametrize("function", [guarded_logarithm, tiny_difference, nearly_one, scaled_products])
def test_exactly_as_numpy(function: Callable[..., Any]) -> None:
    program, expected = graph_program(function), function(X, Y)
    session = onnxruntime.InferenceSession(program.model((X, Y)).SerializeToString())
    exported = session.run(None, dict(zip((i.name for i in session.get_inputs()), (X, Y), strict=True)))
    wanted = expected if isinstance(expected, tuple) else (expected,)
    found = program(X, Y) if isinstance(expected, tuple) else (program(X, Y),)
    for want, got, model in zip(wanted, found, exported, strict=False):
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=0)
        np.testing.assert_allclose(model, want, rtol=1e-14, atol=0)
