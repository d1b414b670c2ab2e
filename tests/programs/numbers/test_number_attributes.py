"""Attributes and methods of Python's numbers and of NumPy's scalars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check


def of_ints(x: Any, n: int) -> Any:
    k = int(x[0])
    return (
        k.real,
        k.imag,
        k.numerator,
        k.denominator,
        k.bit_length(),
        k.bit_count(),
        n.conjugate(),
        k.as_integer_ratio(),
    )


def of_floats(x: Any, t: float) -> Any:
    v = float(x[0])
    return v.real, v.imag, t.imag, t.is_integer(), v.conjugate()


def of_bools(x: Any, flag: bool) -> Any:
    b = bool(x[0] > 1)
    return b.real, b.imag, b.numerator, flag.denominator, flag.conjugate(), b.bit_length()


def handled(x: Any) -> Any:
    k = int(x[0])
    v = float(x[0])
    found = []
    try:
        found.append(k.bit_count())
    except AttributeError:
        found.append(-1)
    try:
        found.append(v.numerator)
    except AttributeError:
        found.append(-2)
    return found, hasattr(k, "bit_count"), hasattr(v, "hex"), hasattr(k, "shape")


def test_as_python() -> None:
    numbers = [0, 1, -1, 7, 255, 256, -(2**40), 2**62, -(2**63) + 1]
    check(of_ints, *((np.array([n]), n) for n in numbers))
    check(of_floats, (np.array([1.5]), 2.0), (np.array([-0.0]), 0.5))
    check(of_bools, (np.array([1.5]), True), (np.array([0.5]), False))
    check(handled, (np.array([7]),))


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda x: x[0].nothing, "'numpy.float64' object has no attribute 'nothing'"),
        (lambda x: x.bit_length(), "'numpy.ndarray' object has no attribute 'bit_length'"),
        (lambda x: float(x[0]).bit_length(), "'float' object has no attribute 'bit_length'"),
    ],
)
def test_missing(program: Any, text: str) -> None:
    x = np.array([7.5])
    with pytest.raises(AttributeError, match=f"^{text}$"):
        program(x)
    with pytest.raises(AttributeError, match=text):
        graph_program(program)(x)


def test_methods_without_a_graph_form() -> None:
    with pytest.raises(GraphProgramError, match=r"GP323.*int\.__add__"):
        graph_program(lambda x: int(x[0]).__add__(1))(np.array([1]))
