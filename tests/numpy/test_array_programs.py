"""NumPy's functions that are programs over arrays, as rows: each expression in several element types and sizes."""

from __future__ import annotations

import pytest

from tests.numpy import program_tables as tables
from tests.numpy.test_numpy_functions import check


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f4", "f8"])
@pytest.mark.parametrize("name", tables.ANY)
def test_of_every_element_type(name: str, dtype: str) -> None:
    check(tables.ANY[name], dtype)


@pytest.mark.parametrize("dtype", ["i8", "f4", "f8"])
@pytest.mark.parametrize("name", tables.NUMBERS)
def test_of_numbers(name: str, dtype: str) -> None:
    check(tables.NUMBERS[name], dtype)


@pytest.mark.parametrize("dtype", ["i1", "u8", "i8"])
@pytest.mark.parametrize("name", tables.INTEGERS)
def test_of_integers(name: str, dtype: str) -> None:
    check(tables.INTEGERS[name], dtype)


@pytest.mark.parametrize("name", tables.PLAIN)
def test_of_float64(name: str) -> None:
    check(tables.PLAIN[name], "f8")
