"""Sums of what a mask selects take no memory; what is selected for something else is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.native.compilers import compiler_with, needs_compiler
from tests.programs.plain import Cases, check

summed = Cases()
selected = Cases()
"""Near misses."""
NAN = np.array([np.nan, 1.0, -2.0, np.inf, 0.5])
PAIRS = tuple((x, k) for x in (NAN, NAN[1:3], NAN[4:], NAN[:0]) for k in (0.0, 5.0))


@summed(*PAIRS)
def sum_and_count(x: Float64[Tensor, "n"], k: float) -> Any:
    part = x[x < k]
    return part.sum(), len(part)


@summed(*PAIRS)
def mean_in_rounds(x: Float64[Tensor, "n"], k: float) -> Any:
    found = np.zeros(3)
    for i in range(3):
        part = (x * i)[np.logical_and(x > -i, x < k)]
        found[i] = part.sum() / max(len(part), 1)
    return found


@summed(
    (np.array([2**62, 2**62, 3]), np.array([True, True, False])),
    (np.arange(3), np.array([True])),
    (np.arange(1), np.ones(3, bool)),
    (np.arange(3), np.zeros(0, bool)),
    (np.arange(0), np.zeros(0, bool)),
)
def of_whole_numbers(x: Any, mask: Any) -> Any:
    return x[mask].sum()


@summed((np.array([1.5, 1e8, 2.0], np.float32), 10.0), (np.zeros(0, np.float32), 1.0))
def in_single_precision(x: Any, k: float) -> Any:
    return x[x < k].sum(), len(x[x < k])


@selected(*PAIRS)
def the_elements_too(x: Float64[Tensor, "n"], k: float) -> Any:
    part = x[x < k]
    return part.sum(), part


@selected(*PAIRS)
def the_places_too(x: Float64[Tensor, "n"], k: float) -> Any:
    places = np.nonzero(x < k)[0]
    return x[places].sum(), places


@selected(*PAIRS)
def its_product(x: Float64[Tensor, "n"], k: float) -> Any:
    return x[x < k].prod()


@selected((np.arange(6.0).reshape(2, 3), 3.0), (np.zeros((0, 3)), 1.0))
def of_a_matrix(x: Float64[Tensor, "n m"], k: float) -> Any:
    return x[x < k].sum()


def selects(function: Any, arguments: tuple[Any, ...]) -> bool:
    """Whether the C of a function writes down what is selected."""
    return "at++" in (text := graph_program(function).c_source(arguments)) or "at += " in text


@pytest.mark.parametrize(("function", "inputs"), summed.found, ids=[f.__name__ for f, _ in summed.found])
def test_sums_select_nothing(function: Any, inputs: Any) -> None:
    assert not selects(function, inputs[0])


@pytest.mark.parametrize(("function", "inputs"), selected.found, ids=[f.__name__ for f, _ in selected.found])
def test_the_rest_is_selected(function: Any, inputs: Any) -> None:
    assert selects(function, inputs[0])


@needs_compiler
@pytest.mark.parametrize(
    ("function", "inputs"),
    [*summed.found, *selected.found],
    ids=[f.__name__ for f, _ in [*summed.found, *selected.found]],
)
@pytest.mark.parametrize("flags", [("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"), ()], ids=["", "fast"])
def test_like_python(function: Any, inputs: Any, flags: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    with compiler_with(tmp_path, flags):
        check(function, *inputs)
