"""`np.fft` in programs: any length, several axes, real and complex, frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from graph_program import Float64, Tensor, graph_program, load
from tests.programs.plain import check, check_or_refused
from tests.transform.test_vectorize import loops_in

RNG = np.random.default_rng(3)


def numbers(*shape: int) -> Any:
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


def test_any_length() -> None:
    program = graph_program(lambda x: np.fft.fft(x))
    for n in (1, 2, 3, 4, 5, 7, 8, 12, 31, 32, 100, 257, 1000):
        x = numbers(n)
        expected = np.fft.fft(x)
        assert abs(program(x) - expected).max() <= 1e-14 * abs(expected).max() * max(np.log2(n), 1)


def of_points(n: int) -> Any:
    def program(x: Any, z: Any) -> Any:
        return np.fft.rfft(x, n), np.fft.ifft(z, n), np.fft.irfft(z, n)

    return program


@pytest.mark.parametrize("n", [1, 2, 8, 32, 1024, 6])
def test_known_lengths(n: int) -> None:
    """Zeros of the imaginary part are zeros, so that angles are NumPy's."""
    program, x, z = of_points(n), RNG.normal(size=n), numbers(2, n)
    results = graph_program(program)(x, z)
    for found, expected in zip(results, program(x, z), strict=True):
        assert found.dtype == expected.dtype and found.shape == expected.shape
        assert abs(found - expected).max() <= 1e-14 * abs(expected).max() * max(np.log2(n), 1)
    assert results[0][0].imag == 0 and (n % 2 or results[0][n // 2].imag == 0)


def magnitudes(x: Float64[Tensor, "n"]) -> Any:
    return np.abs(np.fft.rfft(x))


def rows_of_512(x: Float64[Tensor, "m 512"]) -> Any:
    return np.fft.irfft(np.fft.rfft(x) * 2.0), np.fft.fft(x[0] + 1j * x[-1])


def operators(model: Any) -> list[str]:
    return [node.op_type for node in ir.traversal.RecursiveGraphIterator(ir.from_proto(model).graph)]


def test_a_transform_is_an_operator() -> None:
    made = operators(graph_program(rows_of_512).model())
    assert made.count("DFT") == 3 and "Loop" not in made and len(made) < 60
    assert operators(graph_program(magnitudes).model()).count("DFT") == 4  # of any length, by way of a power of two


@pytest.mark.parametrize("opset", [17, 20])
@pytest.mark.parametrize("portable", [False, True])
def test_the_operator_in_other_words(opset: int, portable: bool) -> None:
    """Files for runtimes without it have products of matrices; older versions take the axis otherwise."""
    for function, shapes in ((magnitudes, [(n,) for n in (1, 2, 3, 8, 64, 250, 4096)]), (rows_of_512, [(3, 512)])):
        arrays = [RNG.normal(size=shape) for shape in shapes]
        model = graph_program(function).model((arrays[0],), portable=portable, opset=opset)
        assert ("DFT" in operators(model)) is not portable
        program = load(model.SerializeToString())
        for x in arrays:
            for found, expected in zip(program(x), function(x), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-11)


def of_each_row(x: Float64[Tensor, "m 64"]) -> Any:
    out = np.zeros((len(x), 33))
    for i in range(len(x)):
        out[i] = np.abs(np.fft.rfft(x[i] * np.hanning(64)))
    return out


def test_frames_are_transformed_at_once() -> None:
    check(of_each_row, (RNG.normal(size=(5, 64)),), (np.zeros((0, 64)),), (np.full((1, 64), 1e300),))
    assert loops_in(graph_program(of_each_row).model()) == 0


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


def test_no_points_and_norms() -> None:
    """Too few points are told before a norm that divides by them, and a norm is rounded as its array is."""

    def program(x: Any, n: int, which: int) -> Any:
        if which == 0:
            return np.fft.fft(x, n, norm="forward")
        if which == 1:
            return np.fft.ifft(x, n)
        return np.fft.fft(x, n, norm="ortho")

    check(program, *((np.arange(5.0), n, which) for n in (0, -1, 3, 5) for which in range(3)))
    check(program, *((np.arange(5, dtype=np.float16), n, which) for n in (3, 7) for which in range(3)))


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
