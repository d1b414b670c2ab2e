"""Functions of all elements in the widest vectors: which elements they are for, and what they give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.backends.c import wide_functions
from graph_program.backends.c.wide_functions import parts
from tests.native.compilers import needs_compiler

EDGES = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1, -1, 1e-30, 1e30, 1e-45, 80, -80])


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wide_functions, "is_there", lambda: True)
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(
    ("element", "found"),
    [
        ("tanh(x[i] * 2.0)", ("tanh", "x[i] * 2.0", "")),
        ("exp((x[i] + y[i]) * (a - b))", ("exp", "(x[i] + y[i]) * (a - b)", "")),
        ("pow(fabs(x[i]), -1.5)", ("pow", "fabs(x[i])", ", -1.5")),
        ("pow(x[i], y[i])", None),
        ("exp(x[i]) + log(y[i])", None),
        ("exp(x[i]) * (1.0)", None),
        ("fabs(x[i])", None),
        ("tanhf(x[i])", None),
    ],
)
def test_elements(element: str, found: Any) -> None:
    assert parts(element, np.dtype(np.float64)) == found


def tanh(x: Any) -> Any:
    return np.tanh(x * 0.5)


def power(x: Any) -> Any:
    return np.abs(x) ** 1.5


def sums(x: Any) -> Any:
    """Both sides are functions, so that neither is the whole."""
    return np.sin(x) + np.cos(x)


def over_itself(x: Any) -> Any:
    y = x * 2
    y = np.exp(-np.abs(y))
    return y, y.sum()


@needs_compiler
@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("function", [tanh, power, sums, over_itself], ids=lambda f: f.__name__)
def test_values(function: Any, dtype: Any) -> None:
    random, program = np.random.default_rng(2), graph_program(function)
    tolerance = {np.float64: 2e-15, np.float32: 2e-6, np.float16: 2e-3}[dtype]
    with np.errstate(all="ignore"):
        for x in (EDGES, EDGES[:1], EDGES[:0], random.normal(size=1003) * 3):
            x = x.astype(dtype)
            for own, python in zip(
                *(r if isinstance(r, tuple) else (r,) for r in (program(x), function(x))), strict=True
            ):
                assert own.dtype == python.dtype
                np.testing.assert_allclose(
                    own, python, rtol=tolerance, atol=0 if function in (tanh, power) else tolerance
                )
                assert (np.signbit(own) == np.signbit(python))[~np.isnan(python)].all()
