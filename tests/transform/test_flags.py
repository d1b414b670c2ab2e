"""The pass that asks for all rounds at once whether something fails: before and after, programs and near misses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor, graph_program, static_range
from graph_program.extract.diagnostics import UNKNOWN
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.printer import print_graph
from graph_program.extract.ir.verifier import verify_graph
from graph_program.extract.transform.dce import dce
from graph_program.extract.transform.flags import flags
from graph_program.extract.transform.fold import fold
from graph_program.extract.transform.loop_values import loop_values
from graph_program.extract.transform.simplify import simplify
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT
from tests.passes import without
from tests.programs.plain import Cases, check

Vector, Other, Matrix = Float64[Tensor, "n"], Float64[Tensor, "m"], Float64[Tensor, "n m"]
SIZES = [(np.arange(1.0, n + 1), k) for n in (3, 2, 0) for k in (0, 1, 2, 3, 4, -1)]
FAR = [(np.arange(3.0), k) for k in (0, 2, 3, 2**62, 2**63 - 1, 5 - 2**63)]
SQUARES = [(np.arange(1.0, n * m + 1).reshape(n, m) + 9 * np.eye(n, m),) for n, m in ((3, 3), (4, 2), (2, 4), (1, 1))]

before = Cases()
"""Programs of which no round says that it has failed, with arguments."""
within = Cases()
"""Near misses: some round has to say it."""


def read_past(x: Vector, k: int) -> Any:
    y = np.zeros(3)
    for i in range(k):
        y[0] = x[i]
        y[0] = 1.0
    return y


@before(*SQUARES)
def nested(a: Matrix) -> Any:
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] = np.sqrt(np.abs(a[i, i] - np.dot(a[i, :i], a[i, :i])))
    return a


@before(*SIZES)
def backwards(x: Vector, k: int) -> Any:
    y = np.zeros(3)
    for i in range(k, -1, -1):
        y[1] = x[i]
        y[1] = np.sin(y[2])
        y[2] = y[1] + i
    return y


@before(*SIZES)
def behind_a_test(x: Vector, k: int) -> Any:
    y = np.zeros(3)
    for i in range(3):
        if k > 1:
            y[1] = x[i]
            y[1] = np.sin(y[2])
        y[2] = y[1] + i
    return y


@before(*FAR)
def far_from_zero(x: Vector, k: int) -> Any:
    y = np.zeros(3)
    for i in range(4):
        if x[k - 3 + i] > 1:
            y[1] = 2.0
        y[1] = np.sin(y[2])
        y[2] = y[1] + i
    return y


@within(*[(np.arange(3.0), np.array(i, np.int64)) for i in ([0, 2], [1, 3], [3, 0], [-3, 2], [-4, 0], [])])
def by_an_array(x: Vector, index: Int64[Tensor, "k"]) -> Any:
    y = np.zeros(2)
    for i in index:
        y[0] = x[i]
        y[0] = np.sin(y[1])
        y[1] += y[0] + 1
    return y


@within(*SIZES)
def left_before(x: Vector, k: int) -> Any:
    y = np.zeros(3)
    for i in range(k):
        if x.sum() < i * i:
            break
        y[0] = x[i]
        y[0] = np.sin(y[1])
        y[1] += y[0] + 1
    return y


@within(*[(np.arange(float(n)), k) for n in (4, 2, 0) for k in (0, 1, 2, 3)])
def unset_at_first(x: Vector, k: int) -> Any:
    y = np.zeros(1)
    while k > 0:
        k -= 1
        if k == 1:
            y[0] = last
        last = x[k]  # noqa: F841
        y[0] = np.sin(y[0])
    return y


@within(*SIZES)
def counted_by_itself(x: Vector, k: int) -> Any:
    y = np.zeros(2)
    i = k
    while y[1] < 3:
        y[0] = x[i]
        y[0] = np.sin(y[1])
        y[1] += y[0] + 1
        i = i * 2
    return y


@within(*SIZES)
def by_what_cancels(x: Vector, k: int) -> Any:
    y = np.zeros(2)
    n = k
    for i in range(3):
        y[0] = x[n - n]
        y[0] = np.sin(y[1])
        y[1] += y[0] + i
        n = n * 2
    return y


def says_so(fn: Callable[..., Any]) -> bool:
    """Whether a round of a loop tells another one that something has failed."""
    text = graph_program(fn).explain("optimized")
    return any("failed" in line.split(" with ")[1] for line in text.splitlines() if "= loop(" in line)


@before.each
def test_asked_before(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    assert not says_so(fn)
    without(monkeypatch, "flags")
    check(fn, *inputs)
    assert says_so(fn)


@within.each
def test_asked_within(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    assert says_so(fn)
    without(monkeypatch, "flags")
    check(fn, *inputs)


def negative(x: Vector, k: int) -> Any:
    y = np.zeros(3)
    for i in range(5):
        y[0] = x[i * k]
        y[0] = 1.0
        if i + k > 5:
            raise ValueError(f"round {i}")
    return y


def too_many(x: Vector, k: int) -> Any:
    y = np.zeros(1)
    for i in range(k * k):
        y[0] = x[i]
        y[0] = 1.0
    return y


def written_before(x: Vector, k: int) -> Any:
    for i in range(k):
        x[0] = x[i] + 1
        x[0] = np.float64(i)
    return x


def without_an_end(x: Vector, i: int) -> Any:
    y = np.zeros(1)
    while True:
        y[0] = x[i]
        y[0] = 1.0
        i += 1


def unrolled(bits: Float64[Tensor, "26"], unit: int) -> Any:
    out, run, last = 0, 0, 0
    for k in static_range(26):
        bit = int(bits[k])
        if bit == last:
            run += 1
            continue
        if last == 1:
            out += run * unit
        run, last = 1, bit
    return out


def test_flags_of_unrolled_rounds_are_followed_once() -> None:
    check(unrolled, (np.arange(26.0) % 3 // 2, 3), (np.zeros(26), 2), (np.arange(26.0) % 2, 2))


def test_a_counter_is_asked_before_without_flags(monkeypatch: Any) -> None:
    without(monkeypatch, "flags")
    check(read_past, *SIZES)
    assert not says_so(read_past)


def test_the_first_error_is_told_with_what_it_says() -> None:
    numbers = np.arange(12.0)
    check(negative, *[(numbers[:n], k) for n in (12, 9, 4, 3, 2, 0) for k in (0, 1, 2, 3, 4, 5, 6, -1)])
    check(too_many, *[(np.arange(3.0), k) for k in (0, 1, 2, 2**31)])
    check(without_an_end, *[(np.arange(3.0), i) for i in (0, 2, -3, 3, -4)])
    check(written_before, *[(numbers[:n].copy(), k) for n in (3, 1, 0) for k in (0, 1, 2, 4)])


def put_in_by_turns(x: Vector, k: int) -> Any:
    kept: dict[str, Any] = {}
    for v in x:
        if kept.get("m") is None:
            kept["m"] = v * 2
        elif v > kept["m"] - k:
            kept["m"] = None
    return kept


def read_if_there(x: Vector, k: int) -> Any:
    before, rises = None, np.float64(0)
    for v in x:
        if before is not None:
            rises += v - before
        before = v if v > k else None
        for _ in range(k - 2):
            rises += before  # type: ignore[operator]
    return before, rises


def test_what_one_side_fails_by_is_true_where_the_other_one_is_taken() -> None:
    check(put_in_by_turns, *SIZES)
    check(read_if_there, *SIZES)


BEFORE = """\
    failed, count = loop(k < trips, while true) with e = false, x = start:
        bad = greater_equal(k, limit)
        f = bitwise_or(e, bad)
        y = add(x, k)
        good = invert(f)
        give good, f, y
"""
AFTER = """\
    last = subtract(trips, int_1)
    bad_1 = greater_equal(last, limit)
    failed_1 = greater(trips, int_0)
    failed_2 = bitwise_and(failed_1, bad_1)
    no_error = invert(failed_2)
    count = loop(k < trips, while no_error) with x = start:
        y = add(x, k)
        give good_1, y
"""


def behind_a_failed_search(n: int, p: int, v: Float64[Tensor, "3"]) -> Any:
    for k in range(3):
        v[k] = k % n
    count = 0
    while count < 4 and np.any(v == v):
        count += 1
    total = p
    for k in range(3):
        total = total + k
        if total:
            break
    return count, total


def behind_a_division(n: int, p: int, v: Vector) -> Any:
    rest = 5 % n
    for k in range(len(v)):
        rest = k % p
        if v[k] > 3:
            break
    return rest


@pytest.mark.parametrize("fn", [behind_a_failed_search, behind_a_division])
@pytest.mark.parametrize(("n", "p"), [(0, 3), (2, 3), (2, 0), (0, 0), (3, -2)])
def test_a_loop_that_is_done_in_vain_keeps_what_has_failed_before(fn: Callable[..., Any], n: int, p: int) -> None:
    for numbers in ([4.0, 1.0, 1.0], [0.0, 9.0, 4.0]):
        program = check(fn, (n, p, np.array(numbers)))
        assert "is a loop" not in program.explain("optimized")


def counting() -> GraphProgram:
    """A loop that says in which round its counter comes to a limit."""
    trips, limit, start = (Value(name, PY_INT) for name in ("trips", "limit", "start"))
    constants = {"true": np.array(True), "false": np.array(False), "zero": np.array(0), "number": np.array(1)}
    types = {"true": PY_BOOL, "false": PY_BOOL, "zero": PY_INT, "number": PY_INT}
    values = {name: Value(name, types[name]) for name in constants}
    nodes = [Node("constant", [], [values[name]], {"value": array}) for name, array in constants.items()]
    k, e, x = Value("k", PY_INT), Value("e", PY_BOOL), Value("x", PY_INT)
    bad, f, good, y = Value("bad", PY_BOOL), Value("f", PY_BOOL), Value("good", PY_BOOL), Value("y", PY_INT)
    body = [
        Node("greater_equal", [k, limit], [bad]),
        Node("bitwise_or", [e, bad], [f]),
        Node("add", [x, k], [y]),
        Node("invert", [f], [good]),
    ]
    failed, count, error = Value("failed", PY_BOOL), Value("count", PY_INT), Value("error", PY_INT)
    given = [trips, values["true"], values["false"], start]
    nodes += [
        Node("loop", given, [failed, count], {}, [Graph([k, e, x], body, [good, f, y])]),
        Node("where", [failed, values["number"], values["zero"]], [error]),
    ]
    graph = Graph([trips, limit, start], nodes, [count, error])
    return GraphProgram("counting", graph, ["count"], [ErrorInfo(Exception, (), UNKNOWN, replayed=True)], [()])


def written(program: GraphProgram) -> str:
    """A program without types."""
    text = print_graph(program)
    for type_ in (": bool []", ": int64 []", ": int", ": bool"):
        text = text.replace(type_, "")
    return text


def test_before_and_after() -> None:
    program = counting()
    verify_graph(program)
    assert BEFORE in written(program)
    flags(program)
    for tidy in (fold, simplify, loop_values, dce):
        tidy(program)
    verify_graph(program)
    assert AFTER in written(program)


@pytest.mark.parametrize("k", [2**62, 2**63 - 1])
def test_rounds_that_are_too_many_to_be_done_are_not_begun(k: int) -> None:
    def huge(x: Vector, k: int) -> Any:
        y = np.zeros(1)
        for i in range(k):
            y[0] = x[i]
            y[0] = 1.0
        return y

    check(huge, (np.arange(3.0), k))
