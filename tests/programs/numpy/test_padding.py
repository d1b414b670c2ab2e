"""`np.pad` in all modes, with all their options and all forms of widths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import Cases, check, check_or_refused

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(3)
V = RANDOM.normal(size=5)
M = RANDOM.normal(size=(3, 4)) * 7
INTS = RANDOM.integers(-9, 99, (2, 3))
BYTES = RANDOM.integers(0, 255, (4, 3)).astype(np.uint8)
ONE = np.array([[2.5]])
ARRAYS = [V, M.astype(np.float32), INTS, BYTES, ONE, V > 0]
cases = Cases()


def exact(function: Any, *inputs: tuple[Any, ...]) -> None:
    """As `check`, and every bit equal."""
    program = check(function, *inputs)
    for args in inputs:
        for ours, numpys in zip(program(*args), function(*args), strict=True):
            assert ours.tobytes() == numpys.tobytes(), (args, ours, numpys)


def test_ramps() -> None:
    def program(x: Array) -> Any:
        return (
            np.pad(x, 2, "linear_ramp"),
            np.pad(x, (3, 0), mode="linear_ramp", end_values=(5, -4)),
            np.pad(x, 7, mode="linear_ramp", end_values=2.7),
            np.pad(x, 0, mode="linear_ramp"),
        )

    def per_axis(x: Array) -> Any:
        ends = ((1, 2), (3, 50))
        return np.pad(x, ((1, 2), (5, 0)), "linear_ramp", end_values=ends), np.pad(x, 3, "linear_ramp", end_values=ends)

    exact(program, *((x,) for x in ARRAYS))
    exact(per_axis, *((x,) for x in ARRAYS if x.ndim == 2))
    level = np.array([[0, 7, 3], [1, 7, 2]])
    exact(per_axis, (level,), (np.float32(level) / 3,))


def test_ramps_of_computed_widths_and_ends() -> None:
    def program(x: Array, n: int, v: float) -> Any:
        return np.pad(x, n, "linear_ramp", end_values=v), np.pad(x, (n, 1), "linear_ramp", end_values=(v, x.sum()))

    for x in (V, INTS, BYTES):
        exact(program, (x, 3, 1.5), (x, 0, 4.0))


@pytest.mark.parametrize("mode", ["maximum", "minimum", "mean", "median"])
def test_statistics(mode: str) -> None:
    def program(x: Array) -> Any:
        return (
            np.pad(x, 1, mode),
            np.pad(x, (2, 3), mode, stat_length=2),
            np.pad(x, (2, 3), mode, stat_length=(1, 3)),
            np.pad(x, (0, 1), mode, stat_length=99),
        )

    def per_axis(x: Array) -> Any:
        return (np.pad(x, ((0, 2), (1, 1)), mode, stat_length=((1, 2), (2, 1))),)

    check(program, *((x,) for x in ARRAYS))
    check(per_axis, *((x,) for x in ARRAYS if x.ndim == 2))


def test_computed_lengths() -> None:
    def program(x: Array, n: int, k: int) -> Any:
        return np.pad(x, n, "mean", stat_length=k), np.pad(x, (n, 0), "minimum", stat_length=(k, 1))

    check(program, (V, 2, 2), (V, 1, 9), (V, 0, 1), (V, 1, 0), (V, 1, -1), (V, -1, 1))
    check(program, (INTS, 2, 1))
    check(lambda x: np.pad(x, 1, "mean", stat_length=2.5), (V,), (INTS,))


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
def test_odd_reflections(mode: str) -> None:
    def program(x: Array) -> Any:
        return (
            np.pad(x, 1, mode, reflect_type="odd"),
            np.pad(x, (0, 3), mode, reflect_type="odd"),
            np.pad(x, (11, 4), mode, reflect_type="odd"),
            np.pad(x, ((0, 0),) * x.ndim, mode, reflect_type="odd"),
        )

    def computed(x: Array, n: int) -> Any:
        return (np.pad(x, (n, 2), mode, reflect_type="odd"), np.pad(x, n, mode, reflect_type="even"))

    exact(program, *((x,) for x in ARRAYS))
    exact(computed, (V, 0), (V, 2), (V, 9))


@pytest.mark.parametrize("mode", ["reflect", "symmetric", "wrap", "edge"])
def test_wider_than_the_array(mode: str) -> None:
    def program(x: Array) -> Any:
        return np.pad(x, (9, 14), mode), np.pad(x, 1, mode), np.pad(x, (0, 6), mode)

    exact(program, *((x,) for x in ARRAYS))


def test_constants() -> None:
    def program(x: Array) -> Any:
        return (
            np.pad(x, ((1, 0), (0, 2)), constant_values=((1, 2), (3, 4))),
            np.pad(x, 1, constant_values=((5, 6),)),
            np.pad(x, 1, constant_values=[[1], [2]]),
            np.pad(x, 1, constant_values=(2.7, 1)),
            np.pad(x[None], 1, constant_values=300) if x.dtype == np.uint8 else np.pad(x, 1, constant_values=(30,)),
        )

    exact(program, *((x,) for x in ARRAYS if x.ndim == 2))
    check(lambda x, v: np.pad(x, 1, constant_values=((v, 1), (2, 3))), (BYTES, 300), (BYTES, 3), (INTS, 2.5))
    check(lambda x, v: np.pad(x, 1, constant_values=v), (INTS, np.nan), (INTS, 2.5), (M, np.inf), (BYTES, 300))


@cases((V,), (INTS,))
def short_widths(x: Array) -> Any:
    return np.pad(x, (2,)), np.pad(x, [1, 2]), np.pad(x, [[1, 2]], "edge"), np.pad(x, ((3,),)), np.pad(x, np.array(2))


@cases((M,), (INTS,))
def widths_of_axes(x: Array) -> Any:
    return (
        np.pad(x, ((1,), (2,))),
        np.pad(x, np.array([[1, 0], [2, 3]]), "wrap"),
    )


@cases((M, 2), (INTS, 0), (INTS, -1))
def computed_widths(x: Array, n: int) -> Any:
    return np.pad(x, ((n, 1), (0, n)), "median"), np.pad(x, np.array([n, n + 1]))


@cases((np.array(3.0),), (np.array(7),))
def of_no_axes(x: Array) -> Any:
    return np.pad(x, 2), np.pad(x, 1, "mean"), np.pad(x, (1, 2), "linear_ramp"), np.pad(x, 1, "reflect")


@cases((np.zeros((0, 3)), 0), (np.zeros((0, 3)), 1), (np.zeros((2, 3)), 1), (np.zeros((3, 0)), 2), (np.ones((0, 0)), 0))
def of_none(x: Array, n: int) -> Any:
    found = []
    for mode in ("mean", "linear_ramp", "maximum", "edge", "wrap", "symmetric"):
        try:
            found.append(np.pad(x, ((n, n), (0, 0)), mode).shape)
        except ValueError as error:
            found.append(str(error))
    try:
        found.append(np.pad(x, ((n, n), (0, 0)), "reflect", reflect_type="odd").shape)
    except ValueError as error:
        found.append(str(error))
    return found, np.pad(x, ((n, n), (0, 0)))


@cases((M + 1j * M,), ((M - 2j * M).astype(np.complex64),))
def of_complex_numbers(z: Array) -> Any:
    return np.pad(z, 2, "linear_ramp"), np.pad(z, 1, "mean"), np.pad(z, (1, 5), "symmetric", reflect_type="odd")


@cases((M,), (INTS,))
def by_a_function(x: Array) -> Any:
    def border(vector: Array, width: Any, axis: int, options: Any) -> None:
        vector[: width[0]] = options.get("padder", 10) + axis
        if width[1] != 0:
            vector[-width[1] :] = vector[: -width[1]].sum()

    return np.pad(x, 2, border), np.pad(x, ((0, 1), (2, 0)), border, padder=100)


@cases((V, 3))
def moving_means(x: Array, k: int) -> Any:
    wide = np.pad(x, (k // 2, k - 1 - k // 2), mode="mean", stat_length=k)
    means = []
    for i in range(len(x)):
        means.append(wide[i : i + k].mean())
    return np.array(means)


@cases.each
def test_padding(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="np.pad takes no dicts")
def test_widths_by_axis() -> None:
    def program(x: Array) -> Any:
        return np.pad(x, {1: (1, 2)}), np.pad(x, {-1: 2, 0: (0, 1)}, "symmetric"), np.pad(x, {}, "mean")

    def computed(x: Array, n: int) -> Any:
        return np.pad(x, {0: n, 1: (1, n)})

    check(program, (M,), (INTS,))
    check(computed, (M, 2), (INTS, 0), (INTS, -1))
    check_or_refused(lambda x: np.pad(x, {5: 1}), (M,))


WRONG = {
    "mode": lambda x: np.pad(x, 1, "mirror"),
    "no mode": lambda x: np.pad(x, 1, None),
    "option": lambda x: np.pad(x, 1, "edge", constant_values=1),
    "unknown option": lambda x: np.pad(x, 1, value=1),
    "float": lambda x: np.pad(x, 1.0),
    "truth": lambda x: np.pad(x, True),
    "unsigned": lambda x: np.pad(x, np.uint8(1)),
    "nothing": lambda x: np.pad(x, []),
    "negative": lambda x: np.pad(x, -1),
    "negative side": lambda x: np.pad(x, ((1, -1), (0, 0))),
    "three": lambda x: np.pad(x, (1, 2, 3)),
    "three in one": lambda x: np.pad(x, [[1, 2, 3]]),
    "other axes": lambda x: np.pad(x, ((1, 2), (3, 4), (5, 6))),
    "mixed": lambda x: np.pad(x, [1, (2, 3)]),
    "stat_length": lambda x: np.pad(x, 1, "mean", stat_length=(1, 2, 3)),
    "no elements": lambda x: np.pad(x, 0, "maximum", stat_length=0),
    "no values": lambda x: np.pad(x, 1, constant_values=[]),
}


@pytest.mark.parametrize("program", WRONG.values(), ids=list(WRONG))
def test_wrong_arguments(program: Any) -> None:
    check_or_refused(program, (M,))
