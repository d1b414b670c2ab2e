"""Arrays share memory where they are never alive at the same time, and only there."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_program import Float64, GraphProgramError, Tensor, graph_program
from graph_program.backends.c.arena import Buffer, in_workspace, merged, offsets
from graph_program.backends.c.lifetimes import Lifetime, lifetimes
from tests.native.compilers import needs_compiler

BUFFERS = st.lists(st.tuples(st.integers(1, 50), st.integers(0, 30), st.integers(0, 10)), max_size=30).map(
    lambda found: [Buffer(f"b{n}", size, Lifetime(a, a + more, 99)) for n, (size, a, more) in enumerate(found)]
)


@given(BUFFERS)
def test_no_two_arrays_that_are_alive_overlap(buffers: list[Buffer]) -> None:
    placed = offsets(buffers)
    for number, one in enumerate(buffers):
        for other in buffers[:number]:
            a, b = placed[one.name], placed[other.name]
            apart = a + one.size <= b or b + other.size <= a
            assert apart or not one.lifetime.overlaps(other.lifetime)
    most = max(
        (sum(b.size for b in buffers if b.lifetime.first <= at <= b.lifetime.last) for at in range(41)), default=0
    )
    assert most <= max((placed[b.name] + b.size for b in buffers), default=0) <= sum(b.size for b in buffers)


def alive(text: str, *arrays: str) -> dict[str, tuple[int, int]]:
    return {name: (one.first, one.last) for name, one in lifetimes(text.strip().split("\n"), arrays).items()}


def test_what_a_loop_reads_is_alive_in_all_of_its_rounds() -> None:
    text = """
double *a = workspace->a;
for (int64_t k = 0; k < 3; k++) {
    double *b = workspace->b;
    b[0] = a[0];
    double *c = workspace->c;
    c[0] = b[0];
    *x += c[0];
}"""
    assert alive(text, "a", "b", "c") == {"a": (0, 7), "b": (2, 5), "c": (4, 6)}


def test_a_pointer_keeps_what_it_points_to() -> None:
    text = """
double *p;
if (test) {
    double *a = workspace->a;
    p = a;
} else {
    double *b = workspace->b;
    p = b;
}
double *c = workspace->c;
c[0] = p[0];"""
    assert alive(text, "a", "b", "c") == {"a": (0, 9), "b": (0, 9), "c": (8, 9)}


def test_a_pointer_of_the_round_before_keeps_what_it_points_to() -> None:
    text = """
const double *p = x;
for (;;) {
    double *a = workspace->a;
    a[0] = p[0];
    p = a;
    double *b = workspace->b;
    b[0] = 1;
}"""
    assert alive(text, "a", "b") == {"a": (0, 7), "b": (5, 6)}


def test_places_in_the_workspace() -> None:
    text = """
double *a = workspace->a;
a[0] = 1;
double *b = workspace->b;
b[0] = a[0];
double *c = workspace->c;
c[0] = b[0];
int64_t *d = workspace->d;"""
    arrays = {"a": ("double", 8), "b": ("double", 4), "c": ("double", 6), "d": ("int64_t", 3)}
    lines, fields = in_workspace(text.strip().split("\n"), arrays)
    assert lines[0::2] == [
        "double *a = workspace->doubles;",
        "double *b = workspace->doubles + 8;",
        "double *c = workspace->doubles;",
        "int64_t *d = workspace->int64s;",
    ]
    assert fields == {"doubles": ("double", 12), "int64s": ("int64_t", 3)}


TEST = "if (!{}) goto no_memory;"


def test_an_array_takes_the_memory_of_one_of_its_size() -> None:
    def take(name: str, size: str, c_type: str = "double") -> list[str]:
        return [f"{c_type} *{name} = gp_take(&memory, sizeof({c_type}), {size});", TEST.format(name)]

    lines = [*take("a", "n"), "a[0] = 1;", *take("b", "n"), "b[0] = a[0];", *take("c", "n"), "c[0] = b[0];"]
    assert merged(lines, ["n"]) == [*lines[:6], "double *c = a;", "c[0] = b[0];"]
    assert merged(lines, []) == lines  # n may have changed
    other = [*take("a", "n"), "a[0] = 1;", *take("b", "m"), *take("c", "n", "int64_t")]
    assert merged(other, ["n", "m"]) == other
    inner = ["if (test) {", *take("a", "n"), "a[0] = 1;", "}", *take("b", "n")]
    assert merged(inner, ["n"]) == inner  # a is not there


@graph_program
def chain(x: Float64[Tensor, "n n"]) -> Float64[Tensor, "n n"]:
    for _ in range(3):
        a = x @ x
        b = a @ x
        c = b @ a
        x = c / 2
    return x


def test_a_chain_of_products_takes_less_than_each_has(tmp_path: Path) -> None:
    summary = chain.export(tmp_path / "chain.c", dims={"n": 20}, verify=False)
    assert "doubles[1200]" in (tmp_path / "chain.h").read_text()
    assert "9.6 kB" in summary.memory


@needs_compiler
@pytest.mark.parametrize("n", [1, 3, 40])
def test_values_with_shared_memory(n: int) -> None:
    x = np.random.default_rng(n).standard_normal((n, n)) / n
    assert np.allclose(graph_program(chain.python, backend="native")(x), chain.python(x))


def test_sizes_that_no_arena_has_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match="GP519"):
        chain.export(tmp_path / "chain.c", dims={"n": 2**31}, verify=False)


@needs_compiler
@pytest.mark.skipif(sys.platform != "linux" or not platform.libc_ver()[0], reason="pages are counted as of glibc")
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="where memory is watched, it is given by the sanitizer")
def test_a_call_has_the_pages_of_the_call_before() -> None:
    """What many pieces of memory have been is given back to the system at the end of each call."""
    import resource

    @graph_program(backend="native")
    def program(x: Float64[Tensor, "n"]) -> float:
        total = 0.0
        a, b, c, d, e = x * 2, x * 3, x * 5, x * 7, x * 11
        for k in range(3):
            total += a[k] * b[-k] + c[k] * d[-k] + e[k]
        return total + float(np.sort(a)[0] + np.sort(b)[0] + np.sort(c)[0] + np.sort(d)[0] + np.sort(e)[0])

    def pages() -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        program(x)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    x = np.arange(1e5)
    program(x)
    assert min(pages() for _ in range(10)) < 100
