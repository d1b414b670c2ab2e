"""Arguments that machine code looks at itself: what does not fit goes another way, and gives what Python gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from graph_program.backends.c import folder as folders
from tests.native.compilers import needs_compiler
from tests.programs.plain import differs, outcome

pytestmark = needs_compiler


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    monkeypatch.setenv(folders.VARIABLE, "")


def scaled(x, k):
    return x * k


def first_of_the_larger(x, y):
    return x[0] if len(x) > len(y) else y[0]


def halves(x: Float64[Tensor, "2*n"], y: Float64[Tensor, "n"]):
    return x[: len(y)] + x[len(y) :] + y


def along(m: Float64[Tensor, "n 3"], y: Float64[Tensor, "n"], w: Float64[Tensor, "n"]):
    return [float(m[i].sum() * y[i] + w[i]) for i in range(len(y))]


def counted(x, n: int, really: bool):
    return np.bincount(x, minlength=n) if really else x


def both(function: Any) -> tuple[Any, Any]:
    """The program in onnxruntime, where Python looks at arguments, and as machine code."""
    return graph_program(function, backend="onnxruntime"), graph_program(function)


def is_tested_in_python(program: Any) -> bool:
    """Whether the generated function that is tried first tests the types of its arguments."""
    return "type" in program._shims[0].__code__.co_names


ROW = np.array([1.0, 2.0, 3.0])
TABLE = np.arange(9.0).reshape(3, 3)


class Own(np.ndarray):
    """A class of arrays."""


@pytest.mark.parametrize(
    "given",
    [
        (ROW, 2.0),
        (ROW[::2], 2.0),
        (ROW[:0], 2.0),
        (TABLE, 2.0),
        (ROW.astype(np.float32), 2.0),
        (ROW.astype(">f8"), 2.0),
        (ROW.astype(np.longlong), 2.0),
        (ROW.view(Own), 2.0),
        (np.array(1.0), 2.0),
        (1.5, 2.0),
        (ROW, 2),
        (ROW, True),
        (ROW, np.float64(2.0)),
        (ROW, ROW),
        (ROW, None),
    ],
    ids=repr,
)
def test_of_another_type(given: tuple[Any, ...]) -> None:
    usual, program = both(scaled)
    for args in ((ROW, 2.0), given, (ROW, 2.0)):
        expected, found = outcome(usual, args), outcome(program, args)
        assert not differs(expected, found), (expected, found)


@pytest.mark.parametrize("function", [first_of_the_larger, along, halves])
def test_of_other_sizes(function: Any) -> None:
    fitting = {first_of_the_larger: (ROW, ROW[:2]), along: (TABLE, ROW, ROW), halves: (np.arange(6.0), ROW)}[function]
    usual, program = both(function)
    for places in ((), (0,), (1,), tuple(range(len(fitting))), ()):
        args = tuple(x[:0] if place in places else x for place, x in enumerate(fitting))
        expected, found = outcome(usual, args), outcome(program, args)
        assert not differs(expected, found), (args, expected, found)


@pytest.mark.parametrize("given", [(2**63, True), (-1, True), (3, 1), (np.int64(3), True), (3.0, True), (3, False)])
def test_numbers_of_other_classes(given: tuple[Any, ...]) -> None:
    (usual, program), x = both(counted), np.array([1, 2, 1])
    for args in ((x, 4, True), (x, *given), (x, 4, True)):
        expected, found = outcome(usual, args), outcome(program, args)
        assert not differs(expected, found), (expected, found)


@pytest.mark.parametrize(
    "function, args, is_left_to_c",
    [
        (scaled, (ROW, 2.0), True),
        (along, (TABLE, ROW, ROW), True),
        (first_of_the_larger, (ROW, ROW[:2]), True),
        (halves, (np.arange(6.0), ROW), False),
        (scaled, (ROW, np.float64(2.0)), False),
    ],
)
def test_which_calls_test_their_arguments(function: Any, args: tuple[Any, ...], is_left_to_c: bool) -> None:
    program = graph_program(function)
    program(*args)
    assert is_tested_in_python(program) is not is_left_to_c


@pytest.mark.parametrize("dtype", [np.int64, np.longlong, np.uint64, np.ulonglong, np.int32])
def test_whole_numbers_keep_their_class(dtype: Any) -> None:
    x = np.array([1, 2, 1], dtype)
    assert graph_program(scaled)(x, 2).dtype.char == scaled(x, 2).dtype.char
