"""Arrays that are made over an operand which nobody reads any more, and near misses, where memory is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.native.compilers import compiler_with, needs_compiler
from tests.programs.plain import Cases, check

over = Cases()
"""Programs without an array of their own in a round, with arguments."""
apart = Cases()
"""Near misses: what is read later, or elsewhere, is in memory of its own."""
ROWS = tuple((np.array(x), k) for x in ([4.0, 1.0, 3.0], [0.5], []) for k in (3, 1, 0))
SQUARES = tuple((np.arange(n * n, dtype=float).reshape(n, n), k) for n in (3, 1, 0) for k in (2, 0))


@over(*ROWS)
def added(x: Float64[Tensor, "n"], k: int) -> Any:
    y = np.zeros_like(x)
    for i in range(k):
        y = y + x * i
    return y


@over(*ROWS)
def moments(x: Float64[Tensor, "n"], k: int) -> Any:
    y, m, v = x.copy(), np.zeros_like(x), np.zeros_like(x)
    for _ in range(k):
        m = 0.9 * m + 0.1 * x
        v = 0.99 * v + 0.01 * x * x
        y = y - 0.01 * m / (np.sqrt(v) + 1e-8)
    return y, m


@over(*SQUARES)
def outer_products(x: Float64[Tensor, "n n"], k: int) -> Any:
    y = x * 2
    for i in range(k):
        y = y + np.outer(x[0], x[0]) if i % 2 == 0 else y * 0.5
    return y


@over(*ROWS)
def squares_of_a_difference(x: Float64[Tensor, "n"], k: int) -> Any:
    total = 0.0
    for i in range(k):
        total += float(np.sum(np.abs(x - i) ** 2))
    return total


@over(*ROWS)
def elements_of_another_at_its_places(x: Float64[Tensor, "n"], k: int) -> Any:
    places, table = np.arange(len(x)), np.arange(5) % 2
    for i in range(k):
        places = places + np.take(table, places, mode="clip") * i
    return places


@apart(*ROWS)
def elements_of_itself(x: Float64[Tensor, "n"], k: int) -> Any:
    places = np.arange(len(x))[::-1] * 1
    for i in range(k):
        places = places + (np.take(places, places - i, mode="clip") if len(x) else places)
    return places


@apart(*SQUARES)
def rows_of_another(x: Float64[Tensor, "n n"], k: int) -> Any:
    places = np.arange(len(x)) * 1
    total = x * 2
    for _ in range(k):
        total = total + (np.take(x, places, axis=0, mode="clip") if len(x) else x)
        places = places * 2 + (total.sum(axis=0) > places[::-1])
    return total, places


@apart(*ROWS)
def what_was_before(x: Float64[Tensor, "n"], k: int) -> Any:
    y = x.copy()
    before = y
    for i in range(k):
        before = y
        y = y * 2 + i
    return y, before


@apart(*ROWS)
def exchanged(x: Float64[Tensor, "n"], k: int) -> Any:
    a, b = x.copy(), x * 2
    for _ in range(k):
        a, b = b, a + 1
    return a, b


@apart(*SQUARES)
def its_transpose(x: Float64[Tensor, "n n"], k: int) -> Any:
    y = x * 2
    for _ in range(k):
        y = y + y.T * 0.5
    return y


@apart(*SQUARES)
def its_row(x: Float64[Tensor, "n n"], k: int) -> Any:
    y = x * 2
    for _ in range(k):
        y = y * 0.5 + y[0]
    return y


@apart(*ROWS)
def backwards(x: Float64[Tensor, "n"], k: int) -> Any:
    y = x.copy()
    for _ in range(k):
        y = y[::-1] + 1
    return y


@apart(*ROWS)
def a_view_of_it(x: Float64[Tensor, "n"], k: int) -> Any:
    y = x.copy()
    total = 0.0
    for i in range(k):
        late = y[::-1]
        y = y * 2 + i
        total = total + float(np.sum(late[:1]) + np.sum(y))
    return y, total


@apart(*ROWS)
def made_in_one_branch(x: Float64[Tensor, "n"], k: int) -> Any:
    """The memory of one side is not there behind the branch, whose result may be the other's."""
    y = np.cumsum(x) if k > 1 else x
    z = y + x
    total = z[::-1] * z
    for i in range(k):
        y = np.cumsum(total) if i % 2 else x
        z = y + x
        total = total + z[::-1] * z
    return total


@apart(*ROWS)
def whole_numbers(x: Float64[Tensor, "n"], k: int) -> Any:
    y = x.copy()
    total = 0
    for i in range(k):
        whole = (y + i).astype(np.int64)
        total = total + int(whole.sum()) * int(whole.max(initial=0))
    return y, total


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    with compiler_with(tmp_path, ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")):
        yield


def takes(function: Callable[..., Any], arguments: tuple[Any, ...]) -> int:
    """How often the rounds of the C of a function take memory or copy an array."""
    lines = graph_program(function).c_source(arguments).splitlines()
    begin = next(number for number, line in enumerate(lines) if " k" in line and line.lstrip().startswith("for ("))
    return sum("gp_take(&memory" in line or "memcpy" in line for line in lines[begin:])


@pytest.mark.parametrize(("function", "inputs"), over.found, ids=[f.__name__ for f, _ in over.found])
def test_rounds_take_no_memory(function: Any, inputs: Any) -> None:
    assert takes(function, inputs[0]) == 0


@pytest.mark.parametrize(("function", "inputs"), apart.found, ids=[f.__name__ for f, _ in apart.found])
def test_what_is_read_otherwise_is_apart(function: Any, inputs: Any) -> None:
    assert takes(function, inputs[0]) > 0


@needs_compiler
@pytest.mark.usefixtures("native")
@pytest.mark.parametrize(
    ("function", "inputs"), [*over.found, *apart.found], ids=[f.__name__ for f, _ in [*over.found, *apart.found]]
)
def test_like_python(function: Any, inputs: Any) -> None:
    check(function, *inputs)


def length_and_product(x: Float64[Tensor, "n"]) -> Any:
    found = np.sqrt(x[x > 0.5]) + 1
    return found.prod(), len(found)


@needs_compiler
@pytest.mark.usefixtures("native")
def test_what_is_asked_for_its_length_is_not_kept_for_that() -> None:
    source = graph_program(length_and_product).c_source((np.ones(3),))
    assert source.count("gp_take(&memory") == 1  # where the elements are
    check(length_and_product, *[(x,) for x, _ in ROWS])
