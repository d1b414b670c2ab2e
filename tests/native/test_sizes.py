"""Sizes at the edges of memory and of 64 bits: an answer at once, and an error where Python raises one.

With every wrong access to memory found: `python -m tests.native --sanitize tests/native/test_sizes.py`.
"""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, GraphProgramError, Tensor, graph_program
from tests.native.compilers import QUICK, SANITIZED, compiler_with, needs_compiler
from tests.programs.plain import check, differs, outcome

SMALL = (0, 1, 2, 3, -1)
EDGES = tuple(edge + near for edge in (2**31, 2**32, 2**60, 2**61, 2**62) for near in (-1, 0, 1))
SIZES = (*SMALL, *EDGES, 2**48, 2**59, -(2**31))
LAST = (2**63 - 2, 2**63 - 1, -(2**63))
"""NumPy computes the sizes of `arange` as float64, which has no such numbers."""
ROOM = 2**28
"""So much memory is given to a call, so that sizes which fit into this machine's memory do not take it."""

shapes: list[Callable[..., Any]] = []
"""Programs whose numbers are sizes of arrays."""
counts: list[Callable[..., Any]] = []
"""The same, where NumPy counts as float64, or where arrays begin at sizes that are counted."""


@shapes.append
def two_axes(a: int, b: int) -> Any:
    return np.zeros((a, b))


@shapes.append
def an_element(a: int, b: int) -> float:
    x = np.zeros((a, b)) + 1.0
    return float(x[0, 0])


@shapes.append
def a_sum(n: int) -> Any:
    x = np.ones(n) * 2
    return x.sum()


@shapes.append
def small_elements(a: int, b: int) -> Any:
    return np.ones((a, b), bool).sum(), np.full((a, b), 3, np.int8).sum(), np.zeros((a, b), np.float16).sum()


@shapes.append
def three_axes(a: int, b: int) -> Any:
    return (np.ones((a, b, a)) + 1).sum()


@shapes.append
def joined(a: int, b: int) -> Any:
    return np.concatenate([np.zeros(a), np.zeros(b)]).sum(), np.stack([np.ones(a), np.zeros(a)]).sum()


@shapes.append
def of_one_number(a: int, b: int) -> Any:
    return np.broadcast_to(np.float64(1.0), (a, b))[0, 0]


@shapes.append
def a_product(a: int, b: int) -> Any:
    return (np.ones((a, b)) @ np.ones(b)).sum()


@shapes.append
def in_a_branch(a: int, b: int) -> Any:
    x = np.zeros(a) if a > b else np.ones(b)
    return x.sum()


@shapes.append
def in_a_loop(n: int) -> Any:
    total = 0.0
    for k in range(3):
        total += np.full(n, 1.0 * k).sum()
    return total


@shapes.append
def written(n: int) -> Any:
    x = np.zeros(n)
    x[2] = 1
    return np.cumsum(x)


@shapes.append
def a_list(n: int) -> Any:
    return np.array([0.5] * n).sum()


@counts.append
def counted(n: int) -> Any:
    return np.arange(n).sum(), np.where(np.arange(n) > 3)[0], np.sort(np.arange(n))


@counts.append
def between(n: int) -> Any:
    return np.linspace(0.0, 1.0, n).sum(), np.pad(np.ones(3), n).sum()


@counts.append
def outer(a: int, b: int) -> Any:
    x, y = np.meshgrid(np.arange(a), np.arange(b))
    return np.outer(np.ones(a), np.ones(b)).sum() + (x + y).sum()


@counts.append
def triangle(a: int, b: int) -> Any:
    return np.tri(a, b).sum() if a > 0 and b > 0 else a


@counts.append
def repeated(n: int) -> Any:
    return np.tile(np.ones(3), n).sum(), np.eye(n).sum(), np.take(np.ones(3), np.zeros(n, int)).sum()


@counts.append
def bins(n: int) -> Any:
    x = np.array([1, 2])
    x[0] = n
    return np.bincount(np.array([1, 2]), minlength=n).sum(), np.bincount(x).sum()


@pytest.fixture
def is_limited(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[bool]:
    """A compiler of machine code, and whether memory ends soon: not where it is watched, nor on other systems."""
    watched = request.config.getoption("--native-sanitized")
    with compiler_with(tmp_path, SANITIZED if watched else QUICK):
        if watched or sys.platform != "linux":
            yield False
            return
        import resource

        before = resource.getrlimit(resource.RLIMIT_AS)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, before[1]))
        yield True
        resource.setrlimit(resource.RLIMIT_AS, before)


def same(expected: tuple[Any, ...], found: tuple[Any, ...]) -> bool:
    """Whether two outcomes are the same; that an array is too large is a ValueError or a MemoryError, by how large."""
    errors = [isinstance(one[0], type) and issubclass(one[0], MemoryError | ValueError) for one in (expected, found)]
    return all(errors) or not differs(expected, found)


@needs_compiler
@pytest.mark.parametrize("function", [*shapes, *counts], ids=lambda function: function.__name__)
def test_as_python(function: Any, is_limited: bool) -> None:
    sizes = SIZES + (LAST if function in shapes else ())
    program = graph_program(function, backend="native")
    for args in itertools.product(sizes, repeat=len(inspect.signature(function).parameters)):
        if not is_limited and any(2**20 < size < 2**48 for size in args):  # which this machine may have
            continue
        expected, found = outcome(function, args), outcome(program, args)
        assert same(expected, found), f"{args}: {expected} in Python, {found} as machine code"


@needs_compiler
def test_what_numpy_has_no_array_for_needs_no_memory(is_limited: bool) -> None:
    """The graph of `isin` compares all with all, which takes more than there is; machine code counts as it goes."""
    x = np.arange(int((2 * ROOM) ** 0.5) if is_limited else 10)
    found = graph_program(lambda x: np.isin(x, x[:-1]), backend="native")(x)
    assert found[:-1].all() and not found[-1]


Matrix = Float64[Tensor, "n m"]


@graph_program
def summed(x: Matrix) -> float:
    y = (x @ x.T) * 2.0
    return float(np.sort(y)[0, 0] + y[0, 0])


@pytest.mark.parametrize("m", [1, 2**31, 2**32, 2**61 - 1, 2**61, 2**63 - 1])
@pytest.mark.parametrize("n", [2**30, 2**31, 2**32 + 1, 2**62])
def test_an_arena_that_no_pointer_reaches_is_refused(n: int, m: int, tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match=r"GP519.*needs [\d,]+ bytes for these sizes"):
        summed.export(tmp_path / "summed.c", dims={"n": n, "m": m}, verify=False)
    assert not list(tmp_path.iterdir())


def test_positions_in_a_file_can_be_counted(tmp_path: Path) -> None:
    """What needs no memory in C is computed for any size that 64 bits count."""

    @graph_program
    def total(a: int, b: int) -> float:
        return float(np.full((a, b), 0.5).sum())

    total.export(tmp_path / "total.c", verify=False)
    text = (tmp_path / "total.c").read_text()
    assert "if (!gp_countable(sizeof(double), 2, (int64_t[]){a, b})) goto no_memory;" in text
    assert "malloc" not in text
    assert 'case -1: return "there is no memory";' in text


@needs_compiler
@pytest.mark.parametrize("step", [-(2**63), -(2**63) + 1, -(2**62) - 1, 2**62 + 1, 2**63 - 1])
def test_steps_of_slices(step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step is negated, which C leaves undefined for the least number."""
    x = np.arange(7.0)

    def parts(start: int, stop: int) -> Any:
        y = x.copy()
        y[stop::step] = 9.0
        return x[start:stop:step], x[start::step], y[1:][::step], x.reshape(7, 1)[:stop:step, ::step]

    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    with compiler_with(tmp_path, ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")):
        check(parts, *itertools.product((-(2**63), -3, 0, 2, 6, 7, 2**63 - 1), repeat=2))
