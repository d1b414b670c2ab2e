"""Texts with computed values in them: `%`, `str.format` and f-strings give the same."""

# ruff: noqa: UP030, UP031, UP032

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def test_percent() -> None:
    def report(x: Array, n: int, r: float) -> Any:
        return (
            "%d of %s" % (n, "y"),
            "%5d|%-5d|%05d|%+d|%x" % (n, n, n, n, n),
            "%.2f %8.3f %-8.1f| %e %g" % (r, r, r, r, n),
            "%s and %r, 100%%" % (x[0], n),
            "%6s|%-6s|" % (n, n),
            "n=%d" % n,
            "%d" % len(x),
        )

    check(
        report, (np.array([1.5]), 3, 2.25), (np.array([2, 3], np.int32), -42, -0.001), (np.ones(2, np.float32), 0, 1e9)
    )


def test_positions_out_of_range() -> None:
    def letter(n: int) -> Any:
        return "abc"[n], "abc"[n - 4]

    check(letter, (2,), (3,), (0,), (-4,))

    def letter_of_nothing(n: int) -> Any:
        return ""[n]

    check(letter_of_nothing, (0,))


def test_format() -> None:
    def report(x: Array, n: int) -> Any:
        return "{} {:.2f}".format(n, x[0]), "{1} {0}".format(n, "b"), "{n:>4}|{{}}".format(n=n), "{!r}".format(x.sum())

    check(report, (np.array([1.5, 2]), 7), (np.array([1.5], np.float32), -1))


def test_messages_of_exceptions() -> None:
    def limited(x: Array, limit: int) -> Any:
        total = 0.0
        for i, v in enumerate(x):
            total += float(v)
            if total > limit:
                raise OverflowError("limit of %d exceeded at %d by %.1f" % (limit, i, total - limit))
        return total

    check(limited, (np.array([1.0, 2]), 10), (np.array([6.0, 6]), 10), (np.array([3, 9], np.int32), 1))


def test_mistakes() -> None:
    def few(n: int) -> Any:
        return "%d %d" % n

    def many(n: int) -> Any:
        return "%d" % (n, n)  # noqa: F507

    for program in (few, many):
        with pytest.raises(TypeError):
            program(1)
        with pytest.raises(GraphProgramError) as found:
            graph_program(program)(1)
        assert isinstance(found.value, TypeError)


def test_characters() -> None:
    def bad_letter(q: Array) -> Any:
        for i, v in enumerate(q):
            if v > 20:
                raise ValueError(f"bad letter {chr(97 + v)} at {i}")
        return "".join(chr(97 + v) for v in q), chr(65 + q[0]).lower() * 2

    def character(n: int) -> Any:
        return f"<{chr(n)}>"

    def codes(q: Array) -> Any:
        word = "hello"
        return ord(word[q[0] % 5]), chr(ord("a") + q[0]) == "b"

    check(bad_letter, (np.array([1, 3]),), (np.array([0, 25]),))
    check(character, (97,), (-1,), (0x10FFFF,), (0x110000,), (2**31,), (-(2**31) - 1,))
    check(codes, (np.array([1]),), (np.array([4]),))
