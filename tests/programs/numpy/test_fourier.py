"""`np.fft` in programs: any length, several axes, real and complex, frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check, check_or_refused

RNG = np.random.default_rng(3)


def numbers(*shape: int) -> Any:
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


def test_any_length() -> None:
    program = graph_program(lambda x: np.fft.fft(x))
    for n in (1, 2, 3, 4, 5, 7, 8, 12, 31, 32, 100, 257, 1000):
        x = numbers(n)
        expected = np.fft.fft(x)
        assert abs(program(x) - expected).max() <= 1e-14 * abs(expected).max() * max(np.log2(n), 1)


def test_there_and_back() -> None:
    def program(x: Any, n: int) -> Any:
        return np.fft.ifft(np.fft.fft(x, n), norm="forward"), np.fft.irfft(np.fft.rfft(x), len(x))

    check(program, (np.arange(5.0), 7), (np.arange(6.0), 4))


def test_axes_and_norms() -> None:
    def program(z: Any) -> Any:
        return np.fft.fft(z, axis=0, norm="ortho"), np.fft.ifft2(z), np.fft.irfft(z, 5)

    check(program, (numbers(3, 4),), (numbers(3, 4).astype(np.complex64),))


def test_several_axes() -> None:
    def program(x: Any) -> Any:
        return np.fft.fftn(x, (4, 2), (0, 1)), np.fft.rfft2(x), np.fft.irfftn(np.fft.rfftn(x), x.shape, (0, 1))

    check(program, (RNG.normal(size=(3, 4)),))


def test_axes_that_are_not_there() -> None:
    def program(x: Any) -> Any:
        return np.fft.fft2(x)

    check(program, (np.arange(4.0),), (np.arange(4.0).reshape(2, 2),))


def test_a_convolution() -> None:
    def program(x: Any, y: Any) -> Any:
        n = len(x) + len(y) - 1
        return np.fft.irfft(np.fft.rfft(x, n) * np.fft.rfft(y, n), n)

    check(program, (np.arange(4.0), np.arange(3.0)), (np.ones(2, np.float32), np.ones(5, np.float32)))


def test_frequencies() -> None:
    def program(x: Any, d: float) -> Any:
        return np.fft.fftfreq(len(x), d), np.fft.rfftfreq(len(x), d), np.fft.fftshift(x), np.fft.ifftshift(x)

    check(program, (np.arange(5.0), 0.1), (np.arange(6.0), 2.0))


@pytest.mark.parametrize(
    "program",
    [
        lambda z: np.fft.fft(z[:0]),
        lambda z: np.fft.fft(z, 0),
        lambda z: np.fft.rfft(z),
        lambda z: np.fft.fft(z, norm="unknown"),
        lambda z: np.fft.fft(z, axis=3),
    ],
)
def test_errors(program: Any) -> None:
    check_or_refused(program, (numbers(4),))
