"""Results of computed sizes are made in NumPy's memory; what is made for them beforehand need not be what is given."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, UInt8, graph_program, host_function
from graph_program.backends.c import direct
from graph_program.backends.c.entry import with_entry
from graph_program.backends.host.miss import MISS
from tests.native.compilers import compiler_with, needs_compiler
from tests.programs.plain import Cases, check

once = Cases()
"""Programs whose results are made where they are given, with arguments."""
copied = Cases()
"""Near misses: something else is given than what was made first."""
ROW = np.array([4.0, -1.0, 3.0, 0.5, -2.0])
ROWS = ((ROW, 2), (ROW, 0), (np.zeros(0), 3))


@once(*ROWS)
def table(x: Float64[Tensor, "n"], k: int) -> Any:
    y = np.zeros((len(x) + k, k))
    for i in range(k):
        y[i, i] = i + len(x)
    return y


@once(*ROWS)
def read_again(x: Float64[Tensor, "n"], k: int) -> Any:
    y = np.arange(k * 3) * 2.0
    return y, float((y * y[::-1]).sum() + y.sum())


@copied(*ROWS)
def exchanged(x: Float64[Tensor, "n"], k: int) -> Any:
    y, z = np.zeros(k + 2), np.ones(k + 2)
    for i in range(3):
        z[i % (k + 2)] += i
        y, z = z, y
    return y, z


@copied(*ROWS)
def one_array_twice(x: Float64[Tensor, "n"], k: int) -> Any:
    y = np.arange(k) + 0.5
    return y, y[::-1], y.reshape(-1, 1), y * 2


@copied(*ROWS)
def other_in_a_branch(x: Float64[Tensor, "n"], k: int) -> Any:
    y = np.zeros(k + 1)
    if len(x) and x[0] > 0:
        y = np.sort(np.ones(k + 1) * x[0] + y)
    return y


@copied(*ROWS)
def chosen(x: Float64[Tensor, "n"], k: int) -> Any:
    found = [v for v in x if v > 0]
    return np.array(found), x[x < 0] * k, np.concatenate((x, x))[k:]


@copied(*ROWS)
def made_in_rounds(x: Float64[Tensor, "n"], k: int) -> Any:
    y = np.zeros(k * 2)
    for i in range(k):
        y = np.roll(y, 1) + i
        y[0] = i
    return y


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    """The functions that are compiled."""
    found: list[str] = []

    def noted(program: Any, source: Any, *rest: Any) -> Any:
        found.append(source.text[source.text.index(f"int {source.name}(") :])
        return with_entry(program, source, *rest)

    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    monkeypatch.setattr(direct, "with_entry", noted)
    with compiler_with(tmp_path, ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")):
        yield found


@needs_compiler
@pytest.mark.parametrize(("function", "inputs"), once.found, ids=[f.__name__ for f, _ in once.found])
def test_results_are_made_once(function: Any, inputs: Any, texts: list[str]) -> None:
    check(function, *inputs)
    assert texts and not any("memcpy" in text for text in texts)
    assert any("[0] = " in text and "[1] = NULL;" in text for text in texts)


@needs_compiler
@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(("function", "inputs"), copied.found, ids=[f.__name__ for f, _ in copied.found])
def test_what_is_given_is_not_what_was_made_first(function: Any, inputs: Any) -> None:
    check(function, *inputs)


@needs_compiler
def test_later_calls_are_not_bound_anew() -> None:
    """The element type of a result may be another object than that of the arguments, which are tested by it."""

    def program(data: UInt8[Tensor, "n"], k: int) -> Any:
        found = np.zeros(k, np.uint8)
        for i in range(k):
            found[i] = data[i % len(data)]
        return found

    native = graph_program(program, backend="native")
    given = np.array([3, 1, 2], np.uint8), 5
    assert native(*given).tolist() == [3, 1, 2, 3, 1]
    assert all(shim(*given) is not MISS for shim in native._shims)


@needs_compiler
def test_results_own_their_memory() -> None:
    y = graph_program(table, backend="native")(ROW, 2)
    assert y.flags.owndata and y.flags.writeable and y.base is None


@needs_compiler
def test_what_was_made_before_an_error_is_freed() -> None:
    @graph_program(backend="native")
    def program(k: int, place: int) -> Any:
        y = np.zeros(k)
        for i in range(k):
            y[i] = i
        y[place] = 2.0
        return y

    tracemalloc.start()
    try:
        for _ in range(20):
            with pytest.raises(IndexError):
                program(10**5, 10**6)
            program(10**5, 3)
        assert tracemalloc.get_traced_memory()[0] < 3 * 10**6
    finally:
        tracemalloc.stop()


@needs_compiler
def test_a_size_that_no_memory_has() -> None:
    @graph_program(backend="native")
    def program(k: int) -> Any:
        y = np.zeros(k)
        y[0] = 1.0
        return y

    with pytest.raises(MemoryError):
        program(2**50)
    assert program(3).tolist() == [1.0, 0.0, 0.0]


@needs_compiler
def test_host_code_between() -> None:
    seen = []

    @host_function
    def note(value: float) -> None:
        seen.append(value)

    @graph_program(backend="native")
    def program(k: int) -> Any:
        y = np.zeros(k)
        for i in range(k):
            y[i] = i * 2
            note(float(y[i]))
        return y

    assert program(3).tolist() == [0.0, 2.0, 4.0]
    assert seen == [0.0, 2.0, 4.0]
