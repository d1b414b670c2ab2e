"""Small programs that random ones were made of when they differed from plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check


def a_view_of_a_shape_that_the_array_never_has(x: Any, n: int, s: float) -> Any:
    if s:
        pairs = x.reshape(n, 2)
        x[[True, True, False]] -= s
        pairs += 1
    return s


def test_a_path_that_no_run_ends_is_not_the_end_of_the_others() -> None:
    inputs = [(np.arange(3.0), 3, 0.0), (np.arange(3.0), 3, 1.0), (np.arange(4.0), 2, 1.0)]
    check(a_view_of_a_shape_that_the_array_never_has, *inputs)


def a_view_is_read_again_at_the_end_of_a_round(x: Any, n: int, s: float) -> Any:
    total = 0.0
    for k in range(n):
        if k > s:
            pairs = x.reshape(n, 2)
            x[[True, True, False]] -= s
            total += pairs[0, 0] if s > 1 else 0.0
        total += k
    return total


def test_a_round_that_no_run_ends() -> None:
    check(a_view_is_read_again_at_the_end_of_a_round, (np.arange(3.0), 3, 5.0), (np.arange(3.0), 3, 1.0))


def a_result_written_by_finally(n: int, d: dict[str, Any]) -> Any:
    view = d["b"].reshape(3)
    try:
        return view if n else d
    finally:
        d["b"][1] = 1


def test_what_is_returned_on_one_path_sees_later_writes() -> None:
    check(a_result_written_by_finally, (1, {"b": np.zeros(3)}), (0, {"b": np.zeros(3)}), (9, {"b": np.zeros(3)}))


def add_in_place(x: Any, by: Any, caught: bool) -> Any:
    if caught:
        try:
            x += by
        except TypeError as error:
            return str(error), len(error.args)
    elif by[0] > 0:
        np.add(x, by, out=x)
    return x


def test_numpys_class_for_results_that_cannot_be_cast() -> None:
    ints = np.zeros(2, np.int64)
    check(add_in_place, (ints, np.ones(2), True), (ints, np.ones(2), False), (ints, np.zeros(2), False))


def unset_in_a_comprehension(n: int) -> Any:
    if n > 3:
        last = n
    if n == 2:
        return [k + 1 for k in range(last)]
    if n == 1:
        return sum(last for k in range(n))
    if n == 0:
        return any(j == last for k in range(2) for j in range(3))
    if n == -1:
        return any(j for k in range(2) for j in range(last))
    if n == -2:
        return sum(last for k in range(3) if [last for _ in range(2)])
    if n == -3:
        return [k for k in range(2) if sum(j for j in range(last))]
    return [last for k in range(n - 4)]


def test_the_class_of_an_unset_name_in_a_comprehension() -> None:
    check(unset_in_a_comprehension, *((n,) for n in range(-4, 6)))


def in_a_tuple(x: Any, n: int, p: Any) -> Any:
    if n < 0:
        return x
    pairs = p.reshape(3 * n, 2)
    p[-1] += 1
    return n, pairs


def in_a_list(x: Any, n: int, p: Any) -> Any:
    if n < 0:
        return x
    pairs = p.reshape(3 * n, 2)
    p[-1] += 1
    return [n, (pairs, {"again": pairs})]


def in_a_list_or_none(x: Any, n: int, p: Any) -> Any:
    found = None
    if n >= 0:
        pairs = p.reshape(3 * n, 2)
        p[-1] += 1
        found = [pairs]
    return found


@pytest.mark.parametrize("function", [in_a_tuple, in_a_list, in_a_list_or_none])
def test_views_in_what_one_path_gives_are_read_on_that_path(function: Any) -> None:
    check(function, (np.ones(3), -1, np.arange(3.0)), (np.ones(3), 1, np.arange(6.0)))


def chosen(n: int, x: float, y: float) -> Any:
    quotient = x if n > 0 else y
    return f"{quotient}", np.where(n > 0, quotient, 1.0), np.where(n > 0, 0.0, quotient)


@pytest.mark.parametrize("n", [0, 1])
def test_a_negative_zero_that_is_chosen_keeps_its_sign(n: int) -> None:
    for x, y in ((-0.0, 0.0), (0.0, -0.0), (-0.0, np.nan), (np.inf, -0.0)):
        want, found = chosen(n, x, y), graph_program(chosen)(n, x, y)
        assert list(map(repr, want)) == list(map(repr, found))


def largest_sums(n: int, t: float) -> Any:
    one = abs(max(sum(t for _ in range(k)) for k in range(4) if np.array(True)))
    other = abs(max(sum(0.5 + n for _ in range(k)) for k in range(4) if np.array(True)))
    return one, other


def test_a_branch_that_onnxruntime_could_decide_does_not_end_the_process() -> None:
    check(largest_sums, (7, 2.0), (0, -1.0))


def unset_on_one_way_through_finally(x: Any, n: int) -> Any:
    try:
        if x[n] > 5:
            raise ValueError("large")
    except IndexError:
        found = x[:2]
    finally:
        x += found[0]
    return x


def test_what_only_a_handler_sets_is_unset_when_finally_runs_without_it() -> None:
    check(unset_on_one_way_through_finally, (np.arange(3.0), 1), (np.full(3, 6.0), 1), (np.ones(3), 5))


def never_set(x: Any, n: int) -> Any:
    if np.array(True):
        pass
    else:
        y = x[0:3:2]
    y[[2, 0]] = y
    return n


def test_what_reads_a_name_that_is_never_set_fits_in_a_model() -> None:
    check(never_set, (np.zeros(3), 1))


def filled(x: Any, n: int, s: float) -> Any:
    x.fill(s if n else 3)
    return x


def test_an_array_is_filled_with_a_number_of_several_classes() -> None:
    for x in (np.zeros(3), np.zeros(2, np.int64), np.zeros((2, 0))):
        check(filled, (x, 0, 0.5), (x, 1, 2.5))


def two_rows_of_a_sum(x: Any) -> Any:
    v = x
    v *= x[-3:]
    return v.reshape(2, 2)


def test_sizes_that_contradict_each_other_leave_the_error_to_the_run() -> None:
    check(two_rows_of_a_sum, (np.ones(3),), (np.ones(1),), (np.ones(2),))


def views_that_a_handler_may_have(x: Any, q: Any, n: int) -> Any:
    try:
        if x[2] > 1:
            for each in (x, q):
                each.sort()
        seen = q.reshape(3)  # noqa: F841
        part = 2 / n  # noqa: F841
        raise ArithmeticError("plain")
    except Exception:
        pass
    for k in range(len(x)):
        x[k] = x[-k] + 3.25
    return x


def test_a_view_is_not_read_again_where_no_path_has_made_it() -> None:
    x, q = np.array([5.0, 1.0, 2.0]), np.array([3.0, 2.0, 1.0])
    program = views_that_a_handler_may_have
    check(program, (x, q, 1), (x, q, 0), (x[:2], q, 1), (x[:2], q[:2], 1))


def numbers_of_two_kinds_or_none(n: int, s: float) -> Any:
    either = s if n > 2 else 0
    grown = []
    for k in range(3):
        grown.append(None if k != 2 else either)
    a, b = (None if n > 3 else either), (None if n > 4 else either)
    return grown.count(grown[0]), a == b, a in [b], [a, 1].count(b), [a] == [b], [a, b].index(a)


def test_none_equals_none_in_lists_of_numbers_of_two_kinds() -> None:
    check(numbers_of_two_kinds_or_none, *[(n, 10.0) for n in (1, 3, 4, 5)])


def position_of_a_number_or_none(n: int, s: float) -> Any:
    wanted = None if n > 2 else s
    grown = [1.0, 2.0]
    for k in range(n):
        grown.append(s + k)
    return grown.index(wanted), [1, 10.0].index(wanted)


def test_what_is_not_in_a_list_may_be_none() -> None:
    check(position_of_a_number_or_none, (1, 10.0), (1, 3.0), (3, 10.0))
