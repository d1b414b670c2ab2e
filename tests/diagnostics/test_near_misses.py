"""Programs that look like they should be refused, and do exactly what Python does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graph_program
from tests.fuzz.compare import call, difference
from tests.goldens import load

ONES = np.ones(3)
PROGRAMS = {
    "array == None": ("def program(x): return x == None", ONES),
    "array != string": ("def program(x): return x != 'a'", ONES),
    "array == list": ("def program(x): return x == [1, 2, 1]", ONES),
    "array == tuple": ("def program(x): return (1.0, 2.0, 1.0) == x", ONES),
    "integers to a negative power": ("def program(x): return x ** -1", np.array([1, 2])),
    "no integers to a negative power": ("def program(x): return x ** -1", np.zeros(0, int)),
    "integers to computed powers": ("def program(x): return x ** x", np.array([1, -2])),
    "items changed while iterated": (
        "def program(x):\n    a = [x, x]\n    for v in a:\n        a[1] = v + 1\n    return a",
        ONES,
    ),
    "empty max": ("def program(x): return max([])", ONES),
    "range with step 0": ("def program(x):\n    for i in range(0, 3, 0):\n        x = x + i\n    return x", ONES),
    "missing key": ("def program(x): return {'a': x}['b']", ONES),
    "index out of range": ("def program(x): return x[5]", ONES),
    "name that is never set": ("def program(x):\n    if x.sum() > 5:\n        y = 1\n    return y", ONES),
    "integer too large for uint8": ("def program(x): return x + 300", np.ones(3, np.uint8)),
}


@pytest.mark.parametrize(("source", "argument"), PROGRAMS.values(), ids=PROGRAMS)
def test_like_python(source: str, argument: Any) -> None:
    program = load(source)["program"]
    got = call(graph_program.graph_program(program), (argument,))
    assert difference(call(program, (argument,)), got) is None
