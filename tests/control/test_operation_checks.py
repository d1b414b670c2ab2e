"""Checks of what an operation would fail with, made branches or left out."""

from __future__ import annotations

import numpy as np

from graph_program import static_range
from graph_program.extract.control.operation_checks import with_operation_checks, without_operation_checks
from graph_program.extract.control.replayed_checks import told_by_replay
from graph_program.extract.diagnostics import UNKNOWN
from graph_program.extract.ir.residual import If, Op, OperationCheck, Program, Raise
from graph_program.extract.types.tensors.tensor_type import PY_BOOL
from tests.programs.plain import check


def nested(used: bool) -> Program:
    """A check whose body has a check of its own; `used` is whether anything needs the operations."""
    inner = OperationCheck([], "bad", [], 1, (), "t", loc=UNKNOWN)
    body = [
        Op("bad", "isnan", ("x",), {}, loc=UNKNOWN),
        OperationCheck([inner, Op("t", "reshape", ("x",), {}, loc=UNKNOWN)], "bad", [inner], 0, (), "y", loc=UNKNOWN),
        Op("y", "reshape", ("t",), {}, loc=UNKNOWN),
    ]
    return Program("p", ["x"], body, ["y"] if used else [], ["y"] if used else [], {"bad": PY_BOOL}, [], UNKNOWN)


def kinds(body) -> list[str]:
    found = []
    for stmt in body:
        found.append(f"raise {stmt.error}" if isinstance(stmt, Raise) else type(stmt).__name__)
        if isinstance(stmt, If):
            found += kinds(stmt.body)
    return found


def test_checks_in_a_check_are_made_branches_as_well():
    assert "OperationCheck" not in kinds(with_operation_checks(nested(True)).body)
    assert kinds(with_operation_checks(nested(True)).body).count("raise 1") == 2
    assert "OperationCheck" not in kinds(without_operation_checks(nested(True)).body)
    assert kinds(without_operation_checks(nested(False)).body).count("OperationCheck") == 1
    assert kinds(told_by_replay(without_operation_checks(nested(False))).body).count("Check") == 2


def test_what_only_decides_about_a_known_test_is_checked():
    def known_elements(x, n: int, k: int):
        return any(bool(np.all(np.array([False, False]))) for _ in range(k) if x[n] > 0)

    def known_branch(x, n: int, k: int):
        found = 0
        for _ in range(k):
            if x[n] > 0 and bool(np.any(np.array([False]))):
                found = 1
        return found

    x = np.array([1.0, 2.0, 3.0])
    for function in (known_elements, known_branch):
        check(function, (x, 3, 3), (x, 1, 2), (x, 7, 0))


def test_what_decides_between_values_that_are_one_is_checked():
    def loop_of_no_rounds(x, n: int):
        s = np.float64(0.0)
        if x[n] < 0.0:
            for k in range(0):
                s += x[k]
        return s

    def in_a_loop(x, n: int):
        s = np.float64(1.0)
        while n > 0:
            if x[n] < 0.0:
                for k in range(0):
                    s += x[k]
            n -= 1
        return s

    def same_choice(x, n: int):
        return np.where(x[n] > 0, n, n)

    def other_choice(x, n: int):
        s = np.float64(0.0)
        if x[n] > 2.0:
            for k in range(2):
                s += x[k]
        return s

    x = np.array([1.0, -2.0, 3.0])
    for function in (loop_of_no_rounds, in_a_loop, same_choice, other_choice):
        check(function, (x, 3), (x, 1), (x, 2), (x, 7), (x, 0))


def test_what_only_decides_between_values_that_come_to_the_same_is_checked():
    def same_sum(x, k: int, u: float):
        return u + 1.0 if x[k] > 0 else 1.0 + u

    def same_sum_in_rounds(x, k: int, u: float):
        y = u
        for i in range(2):
            y = y + 1.0 if x[k + i] > 0 else 1.0 + y
        return y

    def nothing_changes(x, k: int, u: float):
        y = u
        for i in range(2):
            if x[k - i] > 0:
                y *= 1.0
        return y

    def loops_of_no_rounds(x, k: int, u: float):
        y = u
        while k > 0:
            if x[k] > 0:
                for _ in range(int(u)):
                    for _ in range(0):
                        y = 1.0
            k -= 2
        return y

    x = np.array([1.0, -2.0, 3.0])
    for function in (same_sum, same_sum_in_rounds, nothing_changes, loops_of_no_rounds):
        check(function, (x, 2, 1.0), (x, 1, 0.0), (x, 5, 2.0), (x, -1, 1.0))


def test_what_is_known_without_an_operand_is_checked():
    def never(x, k: int, q: int):
        return (x[k] > 0) & (q > 3) & (q < 3)

    def of_ranges(x, k: int, q: int):
        return int(x[k] > 0) // 2 + max(min(int(x[k] > 1), 5), 5)

    def remainder(x, k: int, q: int):
        return int(x[k]) % 4 < 8

    def cancelled(x, k: int, q: int):
        a = int(x[k])
        return (a + 1) - a + 0 * int(x[k]), int(x[k]) - int(x[k])

    def read_past(x, k: int, q: int):
        return np.array([x[k], 1.0])[1] + np.stack([x[k], x[0]])[-1]

    def chosen(x, k: int, q: int):
        a = x[k]
        return np.float64(0.0) if q % 4 < 8 else a

    x = np.array([1.0, -2.0, 3.0])
    for function in (never, of_ranges, remainder, cancelled, read_past, chosen):
        check(function, (x, 2, 1), (x, 1, 0), (x, 5, 2), (x, -4, 5))


def test_what_is_read_right_where_it_was_written_is_left_to_the_operation():
    """The errors are Python's with and without a check; where nothing can do without the operation there is none."""

    def smoothed(y, n: int):
        for i in range(1, n):
            y[i] += y[i - 1]
            y[i] /= 2.0
        return y

    def elsewhere(y, n: int):
        for i in range(1, n):
            y[i] += y[i - 1]
            y[i - 1] /= 2.0
        return y

    y = np.array([1.0, -2.0, 3.0])
    for function in (smoothed, elsewhere):
        program = check(function, (y, 3), (y, 0), (y, 1), (y, 5), (y[:0], 1), (y[:0], 2))
        checks = [line for line in program.explain("optimized").splitlines() if "greater_equal" in line]
        assert bool(checks) is (function is elsewhere)


def test_what_is_read_of_one_number_is_checked():
    """All elements are the same, so a read is known without the array."""

    def filled(x, k: int, q: int):
        return np.zeros(len(x), np.int64)[k], np.full((len(x), 2), q)[k, 1]

    def listed(x, k: int, q: int):
        found = []
        for _ in range(k):
            found.append(2)
        return found[q]

    def of_a_known_number(x, k: int, q: int):
        return int(np.full(3, q)[k]) if q == 2 else q

    def written(x, k: int, q: int):
        y = np.zeros(len(x), np.int64)
        for i in range(q):
            y[i] = 0
        return y[k]

    def comes_to_one(x, k: int, q: int):
        y = x.astype(np.int64)
        return int((y * 0)[k]) + int((y - y)[k]) + int((np.argsort(x) & 0)[k])

    def of_no_size(x, k: int, q: int):
        return np.full(k, 2)[0], np.zeros(q, np.int64).sum()

    x = np.array([1.0, -2.0, 3.0])
    inputs = [(a, k, q) for a in (x, x[:0]) for k in (2, 0, 5, -1, -4) for q in (2, 1, -1)]
    for function in (filled, listed, of_a_known_number, written, comes_to_one, of_no_size):
        check(function, *inputs)


def test_what_is_read_of_data_is_left_to_the_operation():
    def of_integers(x, k: int, q: int):
        return (x.astype(np.int64) * 3 - 1)[k] + q

    def beside_numbers(x, k: int, q: int):
        y = np.zeros(len(x), np.int64)
        y[1:] = x[1:].astype(np.int64)
        return y[k]

    x = np.array([1.0, -2.0, 3.0])
    for function in (of_integers, beside_numbers):
        program = check(function, *((x, k, 1) for k in (2, -3, 3, -4)))
        assert "greater_equal" not in program.explain("optimized")


def test_sums_of_sums_are_looked_at_once():
    def doubled(x, k: int, q: int):
        y = x[k]
        for _ in static_range(40):
            q = q + q - 1
            x = x + x - 1
        return x, y, q

    check(doubled, (np.array([1, 2]), 1, 1), (np.array([1, 2]), 2, 1))


def test_what_is_read_before_an_error_that_always_comes_is_checked():
    def in_a_loop(x, n: int, m: int):
        s = np.float64(0.0)
        for _ in range(n - 1):
            for k in range(1, m):
                s += x[k + 1]
                if k + 1 >= -2:
                    raise KeyError(k)
                s += 1.0
        return s

    def behind_a_loop(x, n: int, m: int):
        s = np.float64(0.0)
        for k in range(1, m):
            s += x[k]
            if max(k, 2) > 1:
                raise KeyError(k)
        for _ in range(n):
            s += 1.0
        return s

    for function in (in_a_loop, behind_a_loop):
        check(function, *((np.ones(size), n, m) for size in (1, 9) for n in (0, 1, 4) for m in (0, 2, 4)))


def test_sizes_that_fit_keep_no_checks_of_reads_before_them():
    def products(a, b):
        for i in range(b.shape[0]):
            for j in range(b.shape[1]):
                b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
        return b

    program = check(products, (np.arange(9.0).reshape(3, 3), np.ones((3, 2))))
    assert "greater_equal" not in program.explain("optimized")
