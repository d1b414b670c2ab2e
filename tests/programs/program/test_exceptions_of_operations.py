"""What a call raises is in the `error` output of the exported model, can be caught, and does not need a reader."""

from __future__ import annotations

import inspect
import json
import math
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import graph_program
from tests.programs.plain import check, outcome

F = np.arange(6.0).reshape(2, 3)
E = np.zeros(0)
Z = np.zeros((2, 2))
OUTSIDE = np.array([0, 9])


def unpacked(x, n):
    a, b, c = x
    return a + b * c + n


def row_by_row(x, n):
    total = 0.0
    for a, b in x:
        total += a * b
    return total + n


def list_unpacked(x, n):
    kept = [v for v in x if v > n]
    a, b = kept
    return a - b


FAILURES: dict[str, tuple[Any, tuple[Any, Any]]] = {
    "zeros": (lambda x, n: np.zeros(n) + x.sum(), (F, -1)),
    "ones": (lambda x, n: np.ones((2, n)).sum() + x.sum(), (F, -1)),
    "full": (lambda x, n: np.full(n, 3.0), (F, -1)),
    "eye": (lambda x, n: np.eye(n), (F, -1)),
    "reshape": (lambda x, n: x.reshape(n, 2), (F, 4)),
    "reshape to a negative size": (lambda x, n: x.reshape(n, 4), (F, -2)),
    "reshape to what is left over": (lambda x, n: x.reshape(n, -1), (F, 4)),
    "reshape to two unknown sizes": (lambda x, n: x.reshape(n, -1), (F, -1)),
    "an index": (lambda x, i: x[0, i], (F, 7)),
    "a negative index": (lambda x, i: x[i, 0], (F, -3)),
    "an index array": (lambda x, i: x[i], (F, OUTSIDE)),
    "index arrays": (lambda x, i: x[i, i], (F, np.array([0, 1, 2]))),
    "np.take": (lambda x, i: np.take(x, i, axis=1), (F, OUTSIDE)),
    "item": (lambda x, i: x.item(i), (F, 9)),
    "item of two indices": (lambda x, i: x.item(1, i), (F, 9)),
    "take_along_axis": (lambda x, i: np.take_along_axis(x, i.reshape(1, 2), axis=1), (F, OUTSIDE)),
    "max of nothing": (lambda x, i: x.max(), (E, 9)),
    "argmin of nothing": (lambda x, i: x.argmin(), (E, 9)),
    "a singular matrix": (lambda x, i: np.linalg.inv(x), (Z, 9)),
    "solve": (lambda x, i: np.linalg.solve(x, np.ones(2)), (Z, 9)),
    "linspace": (lambda x, n: np.linspace(0, 1, n), (F, -2)),
    "repeat": (lambda x, n: np.repeat(x, n), (F, -2)),
    "tile": (lambda x, n: np.tile(x, n), (F, -1)),
    "pad": (lambda x, n: np.pad(x, n), (F, -1)),
    "arange": (lambda x, n: np.arange(0, 5, n), (F, 0)),
    "range": (lambda x, n: len(range(0, 5, n)), (F, 0)),
    "%": (lambda x, n: x % n, (3, 0)),
    "/": (lambda x, n: x / n, (3.0, 0.0)),
    "<<": (lambda x, n: x << n, (3, -1)),
    "0 ** -1": (lambda x, n: x**n, (0, -1)),
    "a power of ints": (lambda x, n: x**n, (np.array([2, 3]), -1)),
    "math.sqrt": (lambda x, n: math.sqrt(x) + n, (-1.0, 2)),
    "math.exp": (lambda x, n: math.exp(x) + n, (1e308, 2)),
    "int of nan": (lambda x, n: int(x) + n, (math.nan, 2)),
    "@": (lambda x, n: x @ x, (F, 5)),
    "+": (lambda x, y: x + y, (F, np.ones(4))),
    "concatenate": (lambda x, y: np.concatenate([x, y.reshape(1, 4)]), (F, np.ones(4))),
    "stack": (lambda x, y: np.stack([x[0], y]), (F, np.ones(4))),
    "split": (lambda x, n: np.split(x, 4), (F, 4)),
    "squeeze": (lambda x, n: np.squeeze(x, axis=0), (F, 4)),
    "a mask": (lambda x, b: x[b], (F, np.array([True, False, True]))),
    "np.where": (lambda x, y: np.where(x > 0, x, y), (F, np.ones(4))),
    "broadcast_to": (lambda x, n: np.broadcast_to(x, (n, 3)), (F, 4)),
    "bincount": (lambda x, n: np.bincount(x), (np.array([1, -2]), 5)),
    "out of bounds for a dtype": (lambda x, n: x.astype(np.uint8) + n, (np.array([1, 2]), 300)),
    "too few to unpack": (unpacked, (F[:, 0], 1)),
    "rows that are too short": (row_by_row, (F[:, :1], 1)),
    "rows that are too long": (row_by_row, (F, 1)),
    "a list of too few": (list_unpacked, (F[0], 1)),
    "average": (lambda x, i: np.average(x, weights=x), (E, 9)),
}


def error_of_model(program: Any, args: tuple[Any, ...]) -> tuple[str, str] | None:
    """What the exported model says that it raised."""
    model = program.model(args)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    given = dict(zip(inspect.signature(program.python).parameters, args, strict=True))
    names = [output.name for output in session.get_outputs()]
    outputs = session.run(None, {i.name: np.asarray(given[i.name]) for i in session.get_inputs()})
    number = int(outputs[names.index("error")])
    if not number:
        return None
    table = json.loads(session.get_modelmeta().custom_metadata_map["errors"])
    error = table[number - 1]
    values = [outputs[i] for i in error["arguments"]]
    return error["exception"], "".join(p if isinstance(p, str) else str(values[p]) for p in error["message"] or [])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FAILURES)
def test_a_call_and_its_model(name: str) -> None:
    function, args = FAILURES[name]
    check(function, args)
    cls, text, _ = outcome(function, args)
    assert error_of_model(graph_program(function), args) == (cls.__name__, text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FAILURES)
def test_caught_and_unused(name: str) -> None:
    function, args = FAILURES[name]

    def caught(a: Any, b: Any) -> Any:
        try:
            function(a, b)
        except Exception as e:
            return str(e), type(e).__name__
        return "none", ""

    def unused(a: Any, b: Any) -> Any:
        function(a, b)
        return 1

    check(caught, args)
    check(unused, args)
