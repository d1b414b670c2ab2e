"""Floats that become integers and floats again: what is cut to 0 is 0.0, not -0.0."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.native.compilers import needs_compiler

pytestmark = needs_compiler

X = np.array([-0.3, -0.0, 0.3, -1.5, 7.9, -0.9, -0.5, -0.25, -0.125])


def angle(x: float) -> Any:
    return math.atan2(0.0, float(int(x))), math.ceil(x) * 1.0, math.trunc(x) * 1.0, round(x) * 1.0


def elements(x: Any) -> Any:
    return x.astype(np.int64) * 1.0, x.astype(np.int32) * 1.0, np.rint(x).astype(np.int32) * 0.5


def one_by_one(x: Any) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = math.atan2(0.0, float(int(x[i])))
    return y


@pytest.mark.parametrize(("function", "calls"), [(angle, X.tolist()), (elements, [X, X[:1]]), (one_by_one, [X])])
def test_zeros_have_no_sign(function: Callable[..., Any], calls: list[Any]) -> None:
    program = graph_program(function, backend="native")
    for x in calls:
        assert repr(program(x)) == repr(function(x))
