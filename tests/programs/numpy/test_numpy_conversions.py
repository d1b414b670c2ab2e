"""NumPy's scalar classes called on numbers of all kinds, the namespace of an array, and elements of empty axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check, check_or_refused

CLASSES = [np.complex128, np.complex64, np.float32, np.float64, np.float16, np.int8, np.uint8, np.int64, np.bool_]
NUMBERS = [3, 2.75, True, 300, -1, float("nan"), np.float32(1.5), np.int64(300), np.bool_(True), np.array(2.5)]
OTHERS = [np.array(300), np.array([1.5, -2.0]), np.array([[1, 300]]), [1, 2.5], (1, 2)]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_of_numbers(cls: Any) -> None:
    def program(x: Any) -> Any:
        return cls(x)

    for x in (*NUMBERS, *OTHERS):
        check(program, (x,))


def test_complex_numbers() -> None:
    def converted(x: Any) -> Any:
        return np.complex128(x), np.complex64(x), np.complex128(1), np.complex64("1+2j"), np.complex128()

    def of_two(a: Any, b: Any) -> Any:
        return np.complex128(a, b), np.complex64(a, 2), np.complex64(1, 2) * a

    for x in (1 + 2j, np.complex64(1 - 1j), np.array([1j, 2]), np.array(3j), 2, np.array([1, 2], np.int32)):
        check(converted, (x,))
    check(of_two, (1.5, 2), (1, -0.5), (np.float32(0.5), 3))


def test_a_search_with_complex_numbers() -> None:
    def newton(n: int) -> Any:
        z = np.complex128(1)
        for _ in range(n):
            z = z - (z**2 + 1j) / (2 * z)
        return z, np.float64(abs(z))

    check(newton, (0,), (9,))


def test_namespaces() -> None:
    def program(x: Any) -> Any:
        xp = x.__array_namespace__()
        return xp.sum(xp.exp(x) - x), xp.asarray([1, 2]), x[0].__array_namespace__(api_version="2023.12").sqrt(x)

    check(program, (np.arange(3.0),))
    check_or_refused(lambda x: x.__array_namespace__(api_version="1").sum(x), (np.arange(3.0),))


def test_elements_of_empty_axes() -> None:
    def numbered(x: Any, i: int) -> Any:
        return np.take(x, i)

    def several(x: Any, places: Any) -> Any:
        return np.take(x, places), x.take(places, axis=0), np.take(x, places, axis=-1, mode="clip")

    def wrapped(x: Any, places: Any) -> Any:
        try:
            return np.take(x, places, mode="wrap")
        except IndexError as error:
            return str(error)

    check(numbered, (np.zeros(0), 0), (np.arange(3), 2), (np.arange(3), 3), (np.zeros((0, 2)), 1))
    some, none = np.array([0, 1]), np.zeros(0, np.int64)
    check(several, (np.arange(3), some), (np.zeros(0), none), (np.zeros(0), some), (np.arange(3), none))
    check(several, (np.zeros((0, 3)), some), (np.zeros((0, 3)), none), (np.zeros((3, 0)), some))
    check(wrapped, (np.zeros(0), some), (np.zeros(0), none), (np.arange(3), some + 5))
