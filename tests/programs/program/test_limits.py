"""What Python can do and a program cannot ends the call, and no handler of the program sees it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import IntegerLimitError, LimitError, graph_program
from tests.programs.plain import Cases, check

swallowing = Cases()


@swallowing((2**40,))
def product(n):
    try:
        return n * n
    except Exception:
        return -1


@swallowing((-2.0, 0.5))
def power(x, y):
    try:
        return x**y
    except (ValueError, ArithmeticError):
        return 0.0


@swallowing((-2.0,))
def root(x):
    with contextlib.suppress(Exception):
        return x**0.5
    return 0.0


@swallowing((2, -1))
def reciprocal(n, k):
    try:
        y = n**k
    except:  # noqa: E722
        y = 1
    finally:
        n += 1
    return y, n


@swallowing((1e30,))
def converted(x):
    try:
        return int(x)
    except OverflowError:
        return 0


@swallowing((np.array([1.0, 2.0, -1.0]), np.array([3.0, 4.0])))
def planar(x, y):
    try:
        return np.cross(x[x > 0], y)
    except ValueError:
        return np.zeros(3)


@swallowing((np.array([[1.0, 2.0]]),))
def variance(x):
    try:
        return np.cov(x)
    except ValueError:
        return np.zeros((1, 1))


@swallowing((5, 2**62))
def in_a_handler(n, k):
    try:
        return 1 // (n - 5)
    except ZeroDivisionError:
        try:
            return k * 4
        except Exception:
            return -1


@swallowing.each
def test_no_handler_sees_it(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    for args in inputs:
        with pytest.raises(LimitError):
            graph_program(fn)(*args)


def test_what_stays_inside_is_computed() -> None:
    check(product, (3,), (-7,))
    check(power, (2.0, 0.5), (-2.0, 3.0), (0.0, -1.0), (1e300, 2.0))
    check(reciprocal, (2, 3))
    check(converted, (2.5,), (np.inf,))
    check(planar, (np.array([1.0, 2.0, 5.0]), np.array([3.0, 4.0, 5.0])))
    check(in_a_handler, (7, 1), (5, 3))


def test_ints_have_an_overflow_error_of_their_own() -> None:
    with pytest.raises(IntegerLimitError, match=r"test_limits\.py:\d+:\d+: error\[GP591\]") as caught:
        graph_program(product)(2**40)
    assert isinstance(caught.value, OverflowError)
    assert caught.value.__traceback__ is not None


def test_a_power_that_is_complex_is_no_value_error() -> None:
    with pytest.raises(LimitError, match="GP586") as caught:
        graph_program(root)(-2.0)
    assert not isinstance(caught.value, ValueError)


def test_numpys_own_overflow_is_caught() -> None:
    def stored(x, v):
        try:
            x[0] = v
        except OverflowError as error:
            return x, str(error)
        return x, ""

    check(stored, *((np.zeros(2, dtype), v) for dtype in (np.int64, np.uint64, np.uint8) for v in (1e300, 7.0)))


def test_an_error_output_names_it() -> None:
    program = graph_program(product)
    text = str(program.model((3,)).metadata_props)
    assert "IntegerLimitError" in text and "Python int too large for int64" in text


@pytest.mark.filterwarnings("ignore:Arrays of 2-dim")
def test_vectors_with_two_components() -> None:
    def crossed(x, y):
        return np.cross(x, y)

    two, three = np.arange(6.0).reshape(3, 2), np.arange(9).reshape(3, 3)
    inputs = [(a, b) for a in (two, three) for b in (two * 2, three + 1, two[0], three[0])]
    check(crossed, *inputs, (two[0], two[1]), (np.zeros((0, 2)), two[:0]), (np.zeros(4), np.zeros(3)))
    check(lambda x, y: np.cross(x, y, axisa=0, axisc=0), (two.T, three), (two.T, two))


def test_bits_and_ratios_of_numpy_numbers() -> None:
    def bits(x):
        return x[0].bit_count(), x[1].bit_count()

    kinds = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
    check(bits, *((np.array([np.iinfo(d).min, np.iinfo(d).max - 1], d),) for d in kinds))

    def ratio(x):
        return x[0].as_integer_ratio()

    with pytest.raises(NotImplementedError, match=r"float64\.as_integer_ratio of a computed number"):
        graph_program(ratio)(np.array([0.5]))


@pytest.mark.parametrize("order", [1, -1, 2, 3, np.inf, -np.inf])
def test_norms_of_empty_arrays(order: float) -> None:
    empty = [np.zeros(shape) for shape in ((0,), (0, 3), (3, 0))]
    check(lambda x: np.linalg.vector_norm(x, ord=order), *((x,) for x in empty))
    check(lambda x: np.linalg.vector_norm(x, ord=order, axis=-1), *((x,) for x in empty))
    if order != 3:
        check(lambda x: np.linalg.matrix_norm(x, ord=order), *((x,) for x in empty[1:]), (np.array([[np.nan, 1.0]]),))


def test_what_nests_count_needs_no_check() -> None:
    """In any time there is: each of the rounds of all loops adds a small number."""

    def counted(x: np.ndarray, most: int):
        count, places = 0, -1
        for i in range(len(x)):
            for j in range(i):
                if x[j] > x[i]:
                    count += 1
                    places -= 3
                while count > most:
                    count -= 2
        return count, places

    def doubled(x: np.ndarray, most: int):
        count = 0
        for _ in range(most):
            for _ in range(len(x)):
                count += 1
            count *= 2
        return count

    for function, is_checked in ((counted, False), (doubled, True)):
        program = check(function, (np.array([3.0, 1.0, 2.0]), 2), (np.zeros(0), 1))
        assert ("failed" in program.explain("optimized")) == is_checked
    with pytest.raises(IntegerLimitError):
        graph_program(doubled)(np.zeros(3), 70)
