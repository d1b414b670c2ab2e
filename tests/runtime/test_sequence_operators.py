"""Operators on lists, tuples, dicts, strings and None: Python's results, or its TypeErrors in its words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program

ARRAY = np.arange(3.0)

PROGRAMS: list[tuple[Any, ...]] = [
    (lambda a, b: a + b, [1, 2], 1),
    (lambda a, b: a + b, 1, [1, 2]),
    (lambda a, b: a + b, [1], (2,)),
    (lambda a, b: a + b, (1,), [2]),
    (lambda a, b: a - b, [1, 2], 1),
    (lambda a, b: a * b, [1, 2], 2.0),
    (lambda a, b: a * b, {"k": 1}, 2),
    (lambda a, b: a / b, (1, 2), 2),
    (lambda a, b: a**b, [1], 2),
    (lambda a, b: a @ b, [1, 2], [1, 2]),
    (lambda a, b: a << b, [1], 1),
    (lambda a, b: a < b, [1], 1),
    (lambda a, b: a < b, [1], (2,)),
    (lambda a, b: a < b, None, 1),
    (lambda a, b: a == b, [1, 2], (1, 2)),
    (lambda a, b: (a, -b), 1, [1]),
    (lambda a, b: (a, ~b), 1, (1,)),
    (lambda a, b: a * b, [1], np.float64(2)),
    (lambda a, b: a + b, np.float64(1), [1, 2]),
    (lambda a, b: a < b, np.float64(1), (0, 2)),
    (lambda a, b: a + b, ARRAY, [1, 2, 3]),
    (lambda a, b: b * a, ARRAY, (1, 2, 3)),
    (lambda a, b: (a.shape + a.shape, a.shape * 2), ARRAY, 1),
    (lambda a, b: np.add(a, b), [1, 2], 1),
    (lambda a, b: [1, 2] * np.int8(2), 1, 1),
]


@pytest.mark.parametrize(("function", "a", "b"), PROGRAMS)
def test_as_in_python(function: Any, a: Any, b: Any) -> None:
    try:
        expected = function(a, b)
    except TypeError as error:
        with pytest.raises(TypeError) as raised:
            graph_program(function)(a, b)
        assert isinstance(raised.value, GraphProgramError)
        assert str(error) in str(raised.value) or raised.value.code == "GP313"
        return
    found = graph_program(function)(a, b)
    assert type(found) is type(expected)
    np.testing.assert_equal(found, expected)


@pytest.mark.parametrize("value", [[1], (1,), {"k": 1}, "text", {1}])
def test_attributes_of_containers(value: Any) -> None:
    captured = value
    assert graph_program(lambda x: (captured.__class__ is list, hasattr(captured, "foo")))(1) == (
        isinstance(value, list),
        False,
    )
    with pytest.raises(AttributeError, match=f"'{type(value).__name__}' object has no attribute 'foo'"):
        graph_program(lambda x: captured.foo)(1)
    if not isinstance(value, set):
        assert graph_program(lambda x: x.__class__ is list)(value) == isinstance(value, list)
        with pytest.raises(AttributeError, match=f"'{type(value).__name__}' object has no attribute 'foo'"):
            graph_program(lambda x: x.foo)(value)
