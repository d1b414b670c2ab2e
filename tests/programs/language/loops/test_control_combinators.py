"""`graph_program.tensor_api.control`: loops and branches as functions, in plain Python and as programs."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import onnxruntime
import pytest

import graph_program.tensor_api as xp
from graph_program import Float64, GraphProgramError, Tensor, graph_program
from graph_program.tensor_api import control
from tests.programs.plain import check, check_or_refused, outcome

Array = np.ndarray[Any, Any]
X = np.arange(12.0).reshape(4, 3)
EMPTY = np.zeros((0, 3))


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclass
class State:
    x: Array
    n: int = 0


def test_scan() -> None:
    def plain(x: Array) -> Any:
        return control.scan(lambda carry, row: (carry + row, carry.sum()), np.zeros(3), x)

    def backwards(x: Array) -> Any:
        return control.scan(lambda c, row: (c + row, (c * 2, row.sum())), np.zeros(3), x, reverse=True)

    def halved(x: Array, n: int) -> Any:
        return control.scan(lambda c, _: (c * 0.5, None), x, None, n)

    def with_length(x: Array, n: int) -> Any:
        return control.scan(lambda c, row: (c + row, row[0]), np.zeros(3), x, n)

    check(plain, (X,), (EMPTY,))
    check(backwards, (X,))
    check(halved, (X, 3), (X, 0))
    check(with_length, (X, 4), (X, 3))


def test_scan_of_structures() -> None:
    def states(x: Array) -> Any:
        def step(state: State, row: Array) -> Any:
            return State(state.x + row, state.n + 1), {"x": state.x, "n": state.n}

        return control.scan(step, State(np.zeros(3)), x)

    def dicts(x: Array) -> Any:
        def step(carry: Any, row: Any) -> Any:
            return carry + row["a"].sum() * row["b"].a[0], State(row["b"].b, 1)

        return control.scan(step, np.float64(0), {"a": x, "b": Pair(x, x[:, 0])})

    def vectors(x: Array) -> Any:
        return control.scan(lambda c, v: (np.maximum(c, v), c > v), x[0], x)

    check(states, (X,))
    check(dicts, (X,))
    check(vectors, (X[:, 0],), (X[::-1, 1].astype(np.float32),), (np.array([3, 1, 4]),))


def test_scan_without_rows() -> None:
    def known(x: Array) -> Any:
        return control.scan(lambda c, row: (c + row, (c, row[0])), np.zeros(3), x, like=(np.zeros(3), 0.0))

    def nothing(x: Array, n: int) -> Any:
        return control.scan(lambda c, _: (c * 0.5, None), x, None, n, like=None)

    check(known, (X,), (EMPTY,))
    check(nothing, (X, 2), (X, 0))


def test_the_carry_may_change_its_type_in_the_first_round() -> None:
    def total(x: Array) -> Any:
        return control.reduce(lambda c, row: c + row, x, 0)

    check(total, (X,), (X.astype(np.float32),))


def test_rows_are_views() -> None:
    def doubled(x: Array) -> Any:
        def step(carry: Any, row: Array) -> Any:
            row *= 2
            return carry + row, row.sum()

        return control.scan(step, np.zeros(3), x)

    check(doubled, (X,))


def test_map() -> None:
    def columns(x: Array) -> Any:
        return control.map(lambda column: column / column.sum(), x, 1)

    def last(x: Array) -> Any:
        return control.map(lambda v: v.max(), x, axis=-1)

    def pairs(x: Array) -> Any:
        return control.map(lambda ab: (ab[0] @ ab[1], ab[0] - ab[1]), (x, 2 * x))

    def named(x: Array) -> Any:
        return control.map(lambda p: Pair(p.a.sum(), {"b": p.b}), Pair(x, x[:, 0]))

    def nested(x: Array) -> Any:
        return control.map(lambda row: control.map(lambda v: v * v + row.sum(), row), x)

    def sums(x: Array) -> Any:
        return control.map(lambda row: row.sum(), x, like=0.0)

    def weighted(x: Array, w: Array) -> Any:
        return control.map(lambda row: np.tanh(row @ w), x)

    check(columns, (X,))
    check(last, (X,))
    check(pairs, (X,), (EMPTY,))
    check(named, (X,))
    check(nested, (X,))
    check(sums, (X,), (EMPTY,))
    check(weighted, (X, X.T.copy()))


def test_reduce() -> None:
    def largest(x: Array) -> Any:
        return control.reduce(lambda c, column: np.maximum(c, column), x, np.full(4, -np.inf), axis=1)

    def counted(x: Array) -> Any:
        return control.reduce(lambda c, row: (c[0] + 1, c[1] + row.sum()), x, (0, np.float64(0)))

    check(largest, (X,))
    check(counted, (X,), (EMPTY,))


def test_fori_loop() -> None:
    def fibonacci(n: int) -> Any:
        return control.fori_loop(0, n, lambda i, v: (v[1], v[0] + v[1]), (0, 1))

    def products(x: Array, low: int, high: int) -> Any:
        return control.fori_loop(low, high, lambda i, d: {"x": d["x"] * i, "n": d["n"] + i}, {"x": x, "n": 0})

    check(fibonacci, (10,), (1,), (0,), (-3,), (80,))
    check(products, (X, 1, 4), (X, 4, 1), (X, -2, 0))


def test_while_loop() -> None:
    def collatz(n: int) -> Any:
        return control.while_loop(
            lambda c: c[0] != 1, lambda c: (c[0] // 2 if c[0] % 2 == 0 else 3 * c[0] + 1, c[1] + 1), (n, 0)
        )

    def newton(a: Array) -> Any:
        return control.while_loop(lambda x: np.max(np.abs(x * x - a)) > 1e-9, lambda x: 0.5 * (x + a / x), a)

    check(collatz, (27,), (1,))
    check(newton, (np.array([2.0, 9.0]),), (np.ones(2),))


def test_cond() -> None:
    def sided(p: int, x: Array) -> Any:
        return control.cond(p > 0, lambda a: a * 2, lambda a: a - 1, x)

    def numbered(p: bool, x: Array) -> Any:
        return control.cond(p, lambda a, b: (a.sum(), b), lambda a, b: (a.max(), -b), x, 1)

    def of_array(x: Array) -> Any:
        return control.cond(x > 0, lambda: 1, lambda: 2)

    check(sided, (1, X), (-1, X))
    check(numbered, (True, X), (False, X))
    check(of_array, (np.array([1.0]),), (np.array(-1.0),))
    assert isinstance(outcome(of_array, (X,))[0], type)


def test_switch() -> None:
    def chosen(i: Any, x: Array) -> Any:
        return control.switch(i, [np.sin, np.cos, lambda v: v * 10], x)

    def none(x: Array) -> Any:
        return control.switch(0, [], x)

    check(chosen, (0, X), (1, X), (7, X), (-2, X), (np.int32(2), X))
    check_or_refused(chosen, (1.5, X))
    check(none, (X,))


def test_what_does_not_fit() -> None:
    def different(x: Array) -> Any:
        return control.scan(lambda c, row: (c, row), 0, (x, x[1:]))

    def listed(x: Array) -> Any:
        return control.map(lambda row: row, [x, x])

    def scalar(x: Array) -> Any:
        return control.map(lambda row: row, x.sum())

    def nothing(x: Array) -> Any:
        return control.scan(lambda c, row: (c, c), x, None)

    def negative(x: Array, n: int) -> Any:
        return control.scan(lambda c, _: (c, c), x, None, n)

    def shapes(x: Array) -> Any:
        return control.map(lambda row: row @ np.ones(7), x)

    for function in (different, listed, scalar, nothing, shapes):
        check(function, (X,))
    check(negative, (X, 2), (X, -1))


def _lines(error: BaseException) -> list[str]:
    """The source line of each frame of a traceback in this file."""
    found, frame = [], error.__traceback__
    while frame is not None:
        code = frame.tb_frame.f_code
        if code.co_filename == __file__:
            found.append(linecache.getline(__file__, frame.tb_lineno).strip())
        frame = frame.tb_next
    return found


def test_errors_are_at_the_line_of_the_user() -> None:
    def rows(x: Array, n: int) -> Any:
        return control.scan(lambda c, row: (c, row), 0, x, n)

    def failing(x: Array) -> Any:
        return control.map(lambda row: row.undefined, x)

    with pytest.raises(ValueError, match="4 rows") as raised:
        graph_program(rows)(X[:3], 4)
    assert _lines(raised.value)[-1] == "return control.scan(lambda c, row: (c, row), 0, x, n)"
    with pytest.raises(GraphProgramError) as refused:
        graph_program(failing)(X)
    diagnostic = refused.value.diagnostic
    assert diagnostic.loc.file == __file__
    assert "row.undefined" in linecache.getline(__file__, diagnostic.loc.line)


def test_an_exported_model() -> None:
    @graph_program
    def smoothed(x: Float64[Tensor, "n d"], rate: float) -> Any:
        def step(state: Any, row: Any) -> Any:
            state = state + rate * (row - state)
            return state, {"state": state, "error": np.abs(row - state).max()}

        return control.scan(step, np.zeros(x.shape[1]), x)

    session = onnxruntime.InferenceSession(smoothed.model().SerializeToString())
    found = session.run(None, {"x": X, "rate": np.array(0.25)})
    carry, ys = smoothed.python(X, 0.25)
    for value, wanted in zip(found, (carry, ys["state"], ys["error"]), strict=False):
        np.testing.assert_allclose(value, wanted)


def test_the_loops_that_they_stand_for() -> None:
    carry, kept = np.zeros(3), []
    for row in X:
        carry = 0.5 * carry + row
        kept.append(carry * row)
    found, ys = control.scan(lambda c, row: (0.5 * c + row, (0.5 * c + row) * row), np.zeros(3), X)
    np.testing.assert_array_equal(found, carry)
    np.testing.assert_array_equal(ys, np.stack(kept))
    found, ys = control.scan(lambda c, row: (c + row, c), np.zeros(3), X, reverse=True)
    np.testing.assert_array_equal(found, X.sum(axis=0))
    np.testing.assert_array_equal(ys, np.cumsum(X[::-1], axis=0)[::-1] - X)
    np.testing.assert_array_equal(control.map(np.sum, X, axis=1), X.sum(axis=0))
    np.testing.assert_array_equal(control.reduce(np.maximum, X, X[0]), X.max(axis=0))
    assert control.fori_loop(2, 5, lambda i, v: v * i, 1) == 24
    assert control.while_loop(lambda v: v < 100, lambda v: v * 3, 1) == 243
    assert [control.cond(p, lambda a: a + 1, lambda a: a - 1, 5) for p in (True, False)] == [6, 4]
    assert [control.switch(i, [lambda: "a", lambda: "b", lambda: "c"]) for i in (-1, 0, 1, 2, 9)] == list("aabcc")


def test_the_order_of_arguments_is_that_of_jax() -> None:
    lax = pytest.importorskip("jax.lax")
    x = X.astype(np.float32)
    for loops in (control, lax):
        carry, ys = loops.scan(lambda c, row: (c + row, {"c": c * 2, "r": row.sum()}), x[0], x, reverse=True)
        np.testing.assert_allclose(carry, x[0] + x.sum(axis=0))
        np.testing.assert_allclose(ys["r"], x.sum(axis=1))
        np.testing.assert_allclose(ys["c"][-1], x[0] * 2)
        np.testing.assert_allclose(loops.scan(lambda c, _: (c * 2, c), np.float32(1), None, 4)[1], [1, 2, 4, 8])
        np.testing.assert_allclose(loops.map(lambda ab: ab[0] @ ab[1], (x, x)), (x * x).sum(axis=1))
        assert loops.fori_loop(2, 5, lambda i, v: v * i, 1) == 24
        assert loops.while_loop(lambda v: v < 100, lambda v: v * 3, 1) == 243
        assert loops.cond(x[0, 1] > 2, lambda a: a + 1, lambda a: a - 1, 5) == 4
        assert [int(loops.switch(i, [lambda v: v, lambda v: v + 1], 3)) for i in (-1, 1, 7)] == [3, 4, 4]


ADVERSE: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


def adverse(*args: Any) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        ADVERSE.append((function, args))
        return function

    return register


@adverse(X)
def running_best(x: Array) -> Any:
    def step(best: Any, row: Array) -> Any:
        best = row.copy() if best is None or row.sum() > best.sum() else best
        return best, best.sum()

    return control.scan(step, None, x)


@adverse(X, 5)
def power_iteration(x: Array, rounds: int) -> Any:
    a = x.T @ x

    def step(_: int, v: Array) -> Array:
        w = a @ v
        return w / np.sqrt(w @ w)

    return control.fori_loop(0, rounds, step, np.ones(3))


@adverse(X)
def early_error(x: Array) -> Any:
    def step(carry: int, row: Array) -> Any:
        if row[0] > 5:
            raise ValueError(f"row {carry} is too large")
        return carry + 1, row[0]

    try:
        return control.scan(step, 0, x)
    except ValueError as error:
        return str(error)


@adverse(X)
def lists_of_results(x: Array) -> Any:
    seen = []

    def look(row: Array) -> Any:
        seen.append(row.sum())
        return row[1]

    return control.map(look, x), np.array(seen)


@adverse(X > 5)
def truths(x: Array) -> Any:
    return control.map(lambda row: row.any(), x), control.reduce(lambda c, v: c | v.all(), x, np.bool_(False))


@adverse(X + 1j)
def complex_rows(z: Array) -> Any:
    return control.scan(lambda c, row: (c * row[0], c), 1 + 0j, z)


@adverse(X)
def loops_in_loops(x: Array) -> Any:
    def inner(row: Array) -> Any:
        return control.while_loop(lambda v: v.sum() > 3, lambda v: v / 2, row)

    return control.map(lambda row: control.cond(row[0] > 2, inner, lambda r: r, row), x)


@adverse(X)
def a_function_that_is_given(x: Array) -> Any:
    apply = {"scan": control.scan, "reduce": control.reduce}
    return apply["reduce"](np.add, x, np.zeros(3)), apply["scan"](lambda c, r: (c + 1, c), 0, x)


@adverse(X)
def inside_a_loop(x: Array) -> Any:
    total = np.zeros(3)
    for k in range(3):
        total = total + control.reduce(lambda c, row, k=k: c + row * k, x, np.zeros(3))
    return total


@adverse(X)
def arrays_of_the_standard(x: Array) -> Any:
    def step(carry: Any, row: Any) -> Any:
        return carry + xp.sum(row), (row * 2, carry)

    total, (rows, sums) = control.scan(step, xp.asarray(0.0), xp.asarray(x))
    halves = control.map(lambda v: v / 2, xp.asarray(x[0]))
    return float(total), rows._array, sums._array, halves._array


@pytest.mark.parametrize(("function", "args"), ADVERSE, ids=[f.__name__ for f, _ in ADVERSE])
def test_programs(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(function, args)
