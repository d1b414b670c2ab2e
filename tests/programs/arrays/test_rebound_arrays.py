"""Writes to a name that may be one of several arrays: each keeps what Python gives it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check


def field(n: int = 5) -> np.ndarray:
    return np.random.default_rng(n).random((n, n))


def test_two_buffers_change_places() -> None:
    def program(a: Any, n: int) -> Any:
        b = np.zeros_like(a)
        for _ in range(n):
            b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
            a, b = b, a
        return a

    check(program, *((field(), n) for n in range(4)))


def test_both_buffers_are_parameters() -> None:
    def program(a: Any, b: Any, tolerance: float) -> Any:
        rounds = 0
        while True:
            b[1:-1] = (a[:-2] + a[2:]) / 2
            change = np.abs(b - a).max()
            a, b = b, a
            rounds += 1
            if change < tolerance or rounds > 6:
                return rounds, b.sum()

    check(program, (field(), field(), 0.9), (field(), field(), 0.2), (field(), np.zeros((5, 5)), 0.0))


def test_three_buffers_in_turn() -> None:
    def program(a: Any, b: Any, n: int) -> Any:
        c = a + b
        for k in range(n):
            a[k % 3] += k
            c[:2] *= 2
            a, b, c = b, c, a
        a[0] = -1
        return b, c

    check(program, *((np.arange(3.0), np.ones(3), n) for n in range(5)))


def test_one_of_two_parameters() -> None:
    def program(a: Any, b: Any, first: bool) -> Any:
        target = a if first else b
        target[0] = 7
        target += 1
        return a.sum(), b.sum(), target

    check(program, (np.arange(3.0), np.ones(3), True), (np.arange(3.0), np.ones(3), False))


def test_written_by_both_names() -> None:
    def program(a: Any, b: Any, first: bool) -> Any:
        target = a if first else b
        target[0] = 7
        a[1] = 8
        row = a[1:]
        target[2] = 9
        return target * 1, row.sum()

    check(program, (np.arange(3.0), np.ones(3), True), (np.arange(3.0), np.ones(3), False))


def test_read_through_views_made_before() -> None:
    def program(a: Any, b: Any, first: bool) -> Any:
        head, tail = a[:2], b[1:]
        target = b
        if first:
            target = a
        target[1] = 5
        tail[0] += 1
        return head.sum(), tail.sum(), target.sum()

    check(program, (np.arange(3.0), np.ones(3), True), (np.arange(3.0), np.ones(3), False))


def test_the_best_so_far() -> None:
    def program(a: Any, b: Any, n: int) -> Any:
        best = a
        for i in range(n):
            candidate = b * i
            if candidate.sum() > best.sum():
                best = candidate
            best[0] += 1
        return best

    check(program, *((np.arange(3.0), np.ones(3), n) for n in range(5)))


def test_maybe_none_before() -> None:
    def program(x: Any, limit: float) -> Any:
        best = None
        if x.sum() > limit:
            best = x
        if best is not None:
            best[0] = -1
        return x.sum()

    check(program, (np.arange(3.0), 1.0), (np.arange(3.0), 9.0))


def test_conditional_changes_in_nested_loops() -> None:
    def program(a: Any, b: Any, n: int) -> Any:
        for i in range(n):
            for j in range(i):
                if (i + j) % 2:
                    a, b = b, a
                a[j % 3] += i
            if b[0] > 3:
                break
            b -= 0.5
        return a - b

    check(program, *((np.arange(3.0), np.ones(3), n) for n in range(6)))


def test_in_a_helper() -> None:
    def relax(source: Any, target: Any) -> tuple[Any, Any]:
        target[1:] = source[:-1] + 1
        return target, source

    def program(x: Any, n: int) -> Any:
        y = x.copy()
        for _ in range(n):
            x, y = relax(x, y)
        return x

    check(program, *((np.arange(4.0), n) for n in range(4)))


def test_a_call_that_raises_has_written_both() -> None:
    @graph_program
    def program(a: Any, b: Any, n: int) -> Any:
        for k in range(n):
            b[0] = k
            a, b = b, a
            if k == 2:
                raise ValueError("stop")
        return a

    a, b = np.arange(3.0), np.ones(3)
    with pytest.raises(ValueError, match="stop"):
        program(a, b, 5)
    assert a[0] == 1 and b[0] == 2


def test_arrays_of_other_sizes() -> None:
    def program(a: Any, b: Any, first: bool) -> Any:
        target = a if first else b
        target[:] = target[::-1] * 2
        return a.sum() - b.sum()

    check(program, (np.arange(3.0), np.ones(5), True), (np.arange(3.0), np.ones(5), False))


def test_a_view_that_is_written_on_one_path_and_then_behind_it() -> None:
    def program(x: Any, some: int) -> Any:
        x = x.reshape(3)
        if some:
            x[1] = 1
        x[::2] = np.zeros(2)

    check(program, (np.array([4.0, 3.0, -2.5]), 1), (np.array([4.0, 3.0, -2.5]), 0))


def test_a_view_that_only_one_path_can_make() -> None:
    def program(x: Any, n: int, m: Any) -> Any:
        total = 0
        try:
            total = 1 // (n % 2)
            pairs = x.reshape(n % n, 2)
            total += len(pairs)
        except ZeroDivisionError:
            total = 2
        x[[False, True, False]] -= 1
        for _ in range(n):
            total += 1
        m -= 3
        return total

    check(program, (np.arange(3.0), 2, np.arange(3)), (np.arange(3.0), 4, np.arange(3)))


def test_checks_behind_a_return_in_front_of_a_try() -> None:
    def program(x: Any, n: int, m: Any) -> Any:
        if n:
            return m.sum()
        try:
            x[2] *= 0.5
        finally:
            chosen = np.where([False, False, True], m, m)
        return chosen

    check(program, (np.arange(3.0), 1, np.ones((5, 5))), (np.arange(3.0), 0, np.ones((3, 3))))


def test_a_view_that_is_a_result_of_one_path() -> None:
    def program(x: Any, s: float) -> Any:
        try:
            x += x[1]
        finally:
            if s:
                return s  # noqa: B012
        return x.reshape(2, 2)

    check(program, (np.arange(3.0), 0.25), (np.arange(4.0), 0.0), (np.arange(4.0), 1.0))


def replaced_behind_another_name(x, b, n):
    for k in range(3):
        last = b
        if n > k:
            b = x * 2
        last += 1
    return x


def replaced_in_a_dict(x, d, n):
    for k in range(3):
        last = d["b"]
        last *= 2
        if n > k:
            d["b"] = x * 3
        last[...] = x + k
    return x


def replaced_among_others(x, d, n):
    for _ in range(n):
        both = [x, d["b"][::-1]]
        both[0], both[1] = both[1], both[0]
        for row in both:
            row *= 2
        if n > 0:
            d["b"] = x[[-1, 0, 0]]
        both[0][...] = x + 1
    return x


@pytest.mark.parametrize("function", [replaced_in_a_dict, replaced_among_others])
def test_an_array_that_a_round_replaces_and_then_writes(function: Any) -> None:
    program = graph_program(function)
    for n in range(4):
        arrays = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)
        found = [f(np.ones(3), {"b": base[1]}, n) for f, base in zip((function, program), arrays, strict=True)]
        assert np.array_equal(*found)
        assert np.array_equal(*arrays)


def test_a_parameter_that_a_round_replaces_and_then_writes() -> None:
    check(replaced_behind_another_name, *((np.ones(3), np.arange(3.0), n) for n in range(4)))
