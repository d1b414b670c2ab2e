"""Sizes that only a call knows: values, errors and their order, facts of tests, and what is reported."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import Float64, ShapeError, ShapeWarning, Tensor, graph_program
from graph_program.backends.onnxruntime import compiled
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def ones(*shape: int) -> Array:
    return np.ones(shape)


@pytest.fixture
def no_replays(monkeypatch: pytest.MonkeyPatch) -> list[Exception]:
    """The failures of onnxruntime itself that calls run into; there should be none."""
    seen: list[Exception] = []
    judge = compiled.Compiled.judge

    def watched(self: Any, error: Exception | None, *others: Any) -> Any:
        if error is not None:
            seen.append(error)
        return judge(self, error, *others)

    monkeypatch.setattr(compiled.Compiled, "judge", watched)
    return seen


# ---------------------------------------------------------------- requirements of operations


def added(x: Array, y: Array) -> Any:
    return x + y


def product(x: Array, y: Array) -> Any:
    return x @ y


def batches(x: Array, y: Array) -> Any:
    return np.matmul(x, y)


def joined(x: Array, y: Array) -> Any:
    return np.concatenate([x, y, x])


def stacked(x: Array, y: Array) -> Any:
    return np.stack([x, y])


def chosen(x: Array, y: Array) -> Any:
    return np.where(x > 0, y, 0.0)


def summed(x: Array, y: Array) -> Any:
    return np.einsum("ij,jk->ik", x, y)


def written(x: Array, y: Array) -> Any:
    z = x.copy()
    z[1:] = y
    return z


def put(x: Array, y: Array) -> Any:
    z = x.copy()
    z[np.array([0, 1])] = y
    return z


def reshaped(x: Array, y: Array) -> Any:
    return x.reshape(y.shape[0], 2), x.reshape(2, -1), x.reshape(-1, y.shape[0])


def squeezed(x: Array, y: Array) -> Any:
    return x.squeeze(0) + y.squeeze(axis=1)


def largest(x: Array, y: Array) -> Any:
    return x.max(axis=0), y.argmin(axis=1)


def stretched(x: Array, y: Array) -> Any:
    return np.broadcast_to(x, y.shape)


def sliced(x: Array, y: Array) -> Any:
    return x[::2] + y[1:], x[:-1] * y[1:]


V, M, T = (lambda n: (n,)), (lambda a, b: (a, b)), (lambda a, b, c: (a, b, c))
FAMILIES: list[tuple[Callable[..., Any], list[tuple[tuple[int, ...], tuple[int, ...]]]]] = [
    (added, [(V(3), V(3)), (V(3), V(1)), (V(1), V(4)), (V(3), V(4)), (V(0), V(1)), (V(0), V(2))]),
    (added, [(M(2, 3), V(3)), (M(2, 3), V(2)), (M(2, 1), V(5)), (M(0, 3), V(3))]),
    (product, [(M(2, 3), M(3, 4)), (M(2, 3), M(4, 3)), (M(2, 0), M(0, 3))]),
    (product, [(V(3), V(3)), (V(3), V(2))]),
    (product, [(M(2, 3), V(3)), (M(2, 3), V(2))]),
    (batches, [(T(5, 2, 3), T(5, 3, 2)), (T(1, 2, 3), T(4, 3, 2)), (T(5, 2, 3), T(4, 3, 2)), (T(5, 2, 3), T(5, 2, 3))]),
    (joined, [(M(2, 3), M(4, 3)), (M(2, 3), M(2, 4))]),
    (stacked, [(V(3), V(3)), (V(3), V(2))]),
    (chosen, [(V(3), V(3)), (V(3), V(1)), (V(3), V(2))]),
    (summed, [(M(2, 3), M(3, 4)), (M(2, 3), M(4, 3)), (M(2, 1), M(3, 4))]),
    (written, [(M(3, 2), M(2, 2)), (M(3, 2), M(1, 2)), (M(3, 2), M(3, 2)), (M(1, 2), M(0, 2))]),
    (put, [(M(3, 2), M(2, 2)), (M(3, 2), M(1, 2)), (M(3, 2), M(3, 2)), (M(3, 2), M(2, 3))]),
    (reshaped, [(V(6), V(3)), (V(6), V(4)), (V(4), V(2)), (V(0), V(0))]),
    (squeezed, [(M(1, 3), M(3, 1)), (M(2, 3), M(3, 1)), (M(1, 3), M(3, 2)), (M(1, 3), M(2, 1))]),
    (largest, [(M(2, 3), M(3, 1)), (M(0, 3), M(3, 1)), (M(2, 3), M(3, 0)), (M(0, 0), M(1, 1))]),
    (stretched, [(V(3), M(2, 3)), (V(1), M(2, 3)), (V(2), M(2, 3))]),
    (sliced, [(V(4), V(3)), (V(4), V(4)), (V(2), V(2)), (V(3), V(3))]),
]


@pytest.mark.parametrize(("function", "shapes"), FAMILIES, ids=lambda v: getattr(v, "__name__", ""))
def test_operations(function: Callable[..., Any], shapes: Any, no_replays: list[Exception]) -> None:
    check(function, *((np.arange(np.prod(a)).reshape(a) + 1.0, np.ones(b)) for a, b in shapes))
    assert not no_replays


# ---------------------------------------------------------------- order


def test_the_first_error_in_program_order(no_replays: list[Exception]) -> None:
    def both(x: Array, y: Array, i: int, k: int) -> Any:
        a = 7 // k
        if i > 3:
            raise KeyError(i)
        b = x @ y
        c = 8 % i
        return a + b + c

    sizes = [(ones(3), ones(3)), (ones(3), ones(4))]
    check(both, *((x, y, i, k) for x, y in sizes for i in (1, 0, 5) for k in (1, 0)))
    assert not no_replays


def test_prints_before_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    def told(x: Array, y: Array) -> Any:
        print("before", x.shape[0])
        z = x + y
        print("after", z.sum())
        return z

    program = graph_program(told)
    assert program(ones(2), ones(2)).tolist() == [2, 2]
    assert capsys.readouterr().out == "before 2\nafter 4.0\n"
    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(2,\) \(3,\)"):
        program(ones(2), ones(3))
    assert capsys.readouterr().out == "before 2\n"


def test_an_error_leaves_what_was_written_before() -> None:
    def update(x: Array, y: Array) -> Any:
        x[0] = 5
        x += y
        return x

    program = graph_program(update)
    x = ones(3)
    with pytest.raises(ValueError, match="broadcast"):
        program(x, ones(2))
    assert x.tolist() == [5, 1, 1]
    assert program(x, ones(3)).tolist() == [6, 2, 2]


def test_unused_results_are_checked() -> None:
    def unused(x: Array, y: Array) -> Any:
        x + y
        return x

    check(unused, (ones(3), ones(3)), (ones(3), ones(2)))


# ---------------------------------------------------------------- paths


def test_a_check_is_made_only_where_a_run_gets(no_replays: list[Exception]) -> None:
    def branches(x: Array, y: Array, flag: bool) -> Any:
        if flag:
            return x + y
        return x - 1

    def early(x: Array, y: Array, k: int) -> Any:
        if k > 2:
            return x
        return x @ y

    def loop(x: Array, w: Array) -> Any:
        total = np.zeros(w.shape[1])
        for row in x:
            total = total + row @ w
        return total

    def breaks(x: Array, y: Array, k: int) -> Any:
        while True:
            k += 1
            if k > 3:
                break
            x = x + y
        return x

    pairs = [(ones(3), ones(3)), (ones(3), ones(2))]
    check(branches, *((x, y, flag) for x, y in pairs for flag in (True, False)))
    check(early, *((x, y, k) for x, y in pairs for k in (1, 3)))
    check(loop, (ones(2, 3), ones(3, 4)), (ones(0, 3), ones(2, 4)), (ones(1, 3), ones(2, 4)))
    assert not no_replays
    check(breaks, *((x, y, k) for x, y in pairs for k in (1, 3)))  # in a loop, the operation fails by itself


def test_comparisons_are_facts(no_replays: list[Exception]) -> None:
    def guarded(x: Array, y: Array) -> Any:
        if x.shape == y.shape:
            return x + y
        if not (x.shape[0] <= 1 or y.shape[0] != 1):
            return x * y, x[1:] - x[:-1]
        return x.sum() - y

    def asserted(x: Array, y: Array) -> Any:
        if not (x.shape[0] == 3 and y.shape[0] == x.shape[0]):
            raise ValueError("three")
        return x + y, x.shape[0], np.zeros(x.shape[0])

    sizes = [(3, 3), (3, 1), (1, 3), (2, 3), (0, 0)]
    check(guarded, *((ones(n), ones(m)) for n, m in sizes))
    check(asserted, *((ones(n), ones(m)) for n, m in sizes))
    stage = graph_program(asserted).explain("stage", (ones(3), ones(3)))
    assert "require" not in stage and stage.count("raise") == 1
    assert not no_replays


def test_data_dependent_sizes(no_replays: list[Exception]) -> None:
    def masked(x: Array, y: Array) -> Any:
        a, b = x[x > 0], y[y > 0]
        c = a + b
        return c * a, (c - b).sum()

    check(masked, (ones(3), ones(3)), (ones(3), ones(2)), (ones(3), np.array([1.0, -1.0])), (-ones(2), ones(1)))
    assert not no_replays


def test_a_loop_carries_sizes_that_its_facts_make_equal() -> None:
    def power(w: Float64[Tensor, "n m"], x: Float64[Tensor, "n"], k: int) -> Any:
        for _ in range(k):
            x = w @ x
        return x

    assert graph_program(power).signature.endswith("-> float64 [n]")
    check(power, (ones(2, 2), ones(2), 3), (ones(2, 3), ones(2), 0), (ones(2, 3), ones(2), 1))


# ---------------------------------------------------------------- what always fails


def test_a_path_that_always_fails_is_a_warning() -> None:
    def branch(x: Float64[Tensor, "n"], w: Float64[Tensor, "n+1"], flag: bool) -> Any:
        if flag:
            return x @ w
        return x

    def zero_trips(x: Float64[Tensor, "t n"], w: Float64[Tensor, "n+1"]) -> Any:
        total = np.float64(0)
        for row in x:
            total = total + row @ w
        return total

    def after_return(x: Float64[Tensor, "n"], w: Float64[Tensor, "n+1"], k: int) -> Any:
        if k:
            return x
        return x + w[1:] + w[np.arange(3)] * np.ones(2)

    for function, calls in (
        (branch, [(ones(2), ones(3), False), (ones(2), ones(3), True)]),
        (zero_trips, [(ones(0, 2), ones(3)), (ones(2, 2), ones(3))]),
        (after_return, [(ones(2), ones(3), 1), (ones(2), ones(3), 0)]),
    ):
        with pytest.warns(ShapeWarning, match="GP301"):
            check(function, *calls)


def test_the_warning_is_at_the_line() -> None:
    def branch(x: Float64[Tensor, "n"], flag: bool) -> Any:
        if flag:
            return x @ np.ones(3) + x.reshape(2, 2, -1, -1)
        return x

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph_program(branch).model()
    (warning,) = caught
    assert warning.filename == __file__
    assert warning.lineno == branch.__code__.co_firstlineno + 2


def test_what_every_run_fails_with_is_refused() -> None:
    def straight(x: Float64[Tensor, "n"], w: Float64[Tensor, "n+1"]) -> Any:
        return x + 1 if x.sum() > 0 else x, x @ w

    def first_round(x: Float64[Tensor, "n"], w: Float64[Tensor, "n+1"], k: int) -> Any:
        while True:
            x = x @ w
            k += 1
            if k > 3:
                return x

    def nonempty(x: Float64[Tensor, "n"], w: Float64[Tensor, "n+2"]) -> Any:
        total = 0.0
        for _ in range(x.shape[0] + 1):
            total = total + x @ w
        return total

    for function in (straight, first_round, nonempty):
        with pytest.raises(ShapeError, match="matmul"):
            graph_program(function).model()


# ---------------------------------------------------------------- signatures and models


def attention(q: Float64[Tensor, "a b"], k: Float64[Tensor, "c e"], v: Float64[Tensor, "f d"]) -> Any:
    scores = q @ k.T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


def test_signatures_show_what_must_be_equal() -> None:
    expected = "attention: (float64 [a, b], float64 [c, b], float64 [c, d]) -> float64 [a, d]"
    assert graph_program(attention).signature == expected


def test_facts_of_a_branch_do_not_narrow_the_caller() -> None:
    def branch(x: Float64[Tensor, "n"], y: Float64[Tensor, "m"], flag: bool) -> Any:
        if flag:
            return (x + y).sum() + x @ y
        return x.sum()

    assert graph_program(branch).signature.startswith("branch: (float64 [n], float64 [m], ")


def test_a_model_reports_sizes_that_do_not_fit() -> None:
    model = graph_program(attention).model()
    session = onnxruntime.InferenceSession(model.SerializeToString())
    names = [i.name for i in session.get_inputs()]

    def error(*shapes: tuple[int, ...]) -> int:
        outputs = session.run(["error"], dict(zip(names, (np.ones(s) for s in shapes), strict=True)))
        return int(outputs[0])

    assert error((2, 3), (4, 3), (4, 5)) == 0
    assert [error((2, 3), (4, 2), (4, 5)), error((2, 3), (0, 3), (0, 5)), error((2, 3), (4, 3), (5, 5))] == [1, 2, 3]
    names_without = [o.name for o in graph_program(attention).model(include_errors=False).graph.output]
    assert "error" not in names_without


def test_a_call_has_no_checks_in_the_session() -> None:
    program = graph_program(attention)
    assert "require e == b" in program.explain("stage")
    assert "error" not in program.explain("optimized")
    with pytest.raises(ValueError, match=r"\(size 2 is different from 3\)") as caught:
        program(ones(2, 3), ones(4, 2), ones(4, 5))
    assert caught.traceback[-1].lineno + 1 == attention.__code__.co_firstlineno + 1


# ---------------------------------------------------------------- sizes that no argument has


def dot_unused(x: Array) -> Any:
    found = x[x > 0]
    twice = np.arange(found.shape[0] * 2)
    np.dot(twice[: found.shape[0]], np.ones(3))
    return twice[: found.shape[0]] + np.arange(3)


def stacked_then_added(x: Array) -> Any:
    low, high = x[x < 0], x[x > 0]
    np.stack([low, high])
    return low + high


def table(x: Array) -> Any:
    return x[x > 0][:, None] * np.concatenate([x[x < 0], x[x > 5]])


def reduced_unused(x: Array) -> Any:
    products = table(x)
    products.max()
    return products.sum()


def reshaped_unused(x: Array) -> Any:
    products = table(x)
    products.reshape(2, 1)
    return products.sum()


@pytest.mark.parametrize("function", [dot_unused, stacked_then_added, reduced_unused, reshaped_unused])
def test_what_is_known_has_been_checked(function: Callable[..., Any]) -> None:
    check(function, (np.array([1.0, 2, 3]),), (np.ones(5),), (np.array([1.0, -1]),), (np.array([1.0, -1, -2]),))


def divided(x: Float64[Tensor, "n"], y: Float64[Tensor, "m"]) -> Any:
    if y.shape[0] == 0:
        raise RuntimeError("nothing to divide by")
    rows = x.shape[0] // y.shape[0]
    return np.zeros(rows) + x, x.reshape(y.shape[0], rows)


def test_a_quotient_by_a_size_of_0_is_the_programs_own_matter() -> None:
    check(divided, (ones(4), ones(1)), (ones(4), ones(2)), (ones(4), ones(0)), (ones(0), ones(0)))
