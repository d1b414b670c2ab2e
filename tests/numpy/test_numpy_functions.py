"""Each row of the tables as a program: NumPy's values, classes, element types and shapes.

A program is extracted at its first call and used again with arguments of other sizes.
"""

from __future__ import annotations

import ast
import warnings

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from graph_program.extract.stage.machine.registry import ATTRIBUTES, METHODS
from tests.fuzz import compare
from tests.numpy import tables
from tests.numpy.inputs import SIZES, arguments, program_of

EVERY_TYPE = ("?", "u1", "i2", "i4", "u8", "f4", "f8")
REAL_TYPES = ("i8", "f4", "f8")


def difference(row: str, dtype: str) -> str | None:
    """How a program differs from its function, for all sizes; None if it does not."""
    function, names = program_of(row)
    program = graph_program(function)
    for sizes in SIZES:
        given = arguments(dtype, sizes)
        args = tuple(given[name] for name in names)
        want, got = compare.call(function, args), compare.call(program, args)
        if refused_alike(want, got):
            return None
        found = compare.difference(want, got)
        if found is not None:
            return f"{row} of {dtype}, sizes {sizes}: {found}"
    return None


def refused_alike(want: compare.Outcome, got: compare.Outcome) -> bool:
    """Whether NumPy raises whatever the values, and the extraction says so as the same class."""
    if not isinstance(got.error, GraphProgramError) or want.error is None:
        return False
    return any(cls in type(got.error).__mro__ for cls in type(want.error).__mro__ if cls in (TypeError, ValueError))


def parts(row: str) -> list[str]:
    """The expressions of a row."""
    body = ast.parse(row, mode="eval").body
    return [ast.unparse(e) for e in body.elts] if isinstance(body, ast.Tuple) else [row]


def check(rows: list[str], dtype: str) -> None:
    """Try each row as one program; where it differs, name the expressions that do."""
    for row in rows:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if difference(row, dtype) is None:
                continue
            found = list(filter(None, (difference(part, dtype) for part in parts(row))))
        assert not found, "\n".join(found)


@pytest.mark.parametrize("dtype", EVERY_TYPE)
@pytest.mark.parametrize("name", tables.ANY)
def test_of_every_element_type(name: str, dtype: str) -> None:
    check(tables.ANY[name], dtype)


@pytest.mark.parametrize("dtype", REAL_TYPES)
@pytest.mark.parametrize("name", tables.REAL)
def test_of_numbers(name: str, dtype: str) -> None:
    check(tables.REAL[name], dtype)


@pytest.mark.parametrize("name", tables.PLAIN)
def test_of_float64(name: str) -> None:
    check(tables.PLAIN[name], "f8")


@pytest.mark.parametrize(("row", "code"), tables.REFUSED.items())
def test_refused(row: str, code: str) -> None:
    function, names = program_of(row)
    given = arguments("f8", SIZES[0])
    with pytest.raises(GraphProgramError) as caught:
        graph_program(function)(*(given[name] for name in names))
    assert caught.value.code == code


def test_known_methods_and_attributes_exist() -> None:
    for name in (*METHODS, *ATTRIBUTES):
        assert any(hasattr(cls, name) for cls in (np.ndarray, np.float64, int)), name
