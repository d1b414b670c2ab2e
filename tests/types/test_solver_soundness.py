"""The constraint solver: no solution is lost, and it ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_program.extract.types.dims import Dim, dim, maximum, minimum, symbol
from graph_program.extract.types.notation.terms import RankVar, ShapeTerm, TypeTerm
from graph_program.extract.types.solving.solver import Solver
from tests.types.solving import BOOL, at

NAMES = ["a", "b", "c"]
RUNS = ["s", "r"]


@st.composite
def worlds(draw: st.DrawFn) -> tuple[dict[str, int], dict[str, list[int]]]:
    """A value for every name and every run of dims."""
    sizes = {name: draw(st.integers(0, 4)) for name in NAMES}
    runs = {name: draw(st.lists(st.integers(0, 4), max_size=2)) for name in RUNS}
    return sizes, runs


def dims() -> st.SearchStrategy[Dim]:
    leaves = st.one_of(st.sampled_from(NAMES).map(symbol), st.integers(0, 4).map(dim))

    def larger(inner: st.SearchStrategy[Dim]) -> st.SearchStrategy[Dim]:
        pairs = st.tuples(inner, inner)
        return st.one_of(
            pairs.map(lambda p: p[0] + p[1]),
            pairs.map(lambda p: p[0] - p[1]),
            pairs.map(lambda p: p[0] * p[1]),
            pairs.map(lambda p: maximum(*p)),
            pairs.map(lambda p: minimum(*p)),
            st.tuples(inner, st.integers(1, 3)).map(lambda p: p[0] // p[1]),
        )

    return st.recursive(leaves, larger, max_leaves=4)


def shapes(of: st.SearchStrategy[Dim]) -> st.SearchStrategy[ShapeTerm]:
    segments = st.one_of(of, st.sampled_from(RUNS).map(RankVar))
    return st.lists(segments, max_size=3).map(tuple)


def instance(shape: ShapeTerm, sizes: dict[str, int], runs: dict[str, list[int]]) -> tuple[int, ...]:
    found: list[int] = []
    for segment in shape:
        if isinstance(segment, RankVar):
            found += runs[segment.name]
        else:
            assert isinstance(segment, Dim)
            found.append(segment.evaluate(sizes))
    return tuple(found)


@settings(max_examples=300)
@given(worlds(), st.lists(shapes(dims()), min_size=2, max_size=6))
def test_no_solution_is_lost(world: tuple[dict[str, int], dict[str, list[int]]], terms: list[ShapeTerm]) -> None:
    """Equations that hold in a world are accepted, and what is found from them holds in it."""
    sizes, runs = world
    solver = Solver()
    for term in terms:
        value = instance(term, sizes, runs)
        if all(size >= 0 for size in value):
            solver.equal_shapes(term, tuple(map(dim, value)), at())
    check(solver, sizes, runs)


def check(solver: Solver, sizes: dict[str, int], runs: dict[str, list[int]]) -> None:
    """What is known of names and runs agrees with their values."""
    for name in NAMES:
        assert solver.resolve(symbol(name)).evaluate(sizes) == sizes[name]
    for name in RUNS:
        term = solver.resolve((RankVar(name),))
        values = tuple(map(dim, runs[name]))
        with solver.trial() as trial:
            solver.equal_shapes(term, values, at())
        assert trial


@settings(max_examples=300)
@given(worlds(), st.lists(st.lists(shapes(st.sampled_from(NAMES).map(symbol)), min_size=2, max_size=3), max_size=4))
def test_no_broadcast_is_lost(
    world: tuple[dict[str, int], dict[str, list[int]]], groups: list[Sequence[ShapeTerm]]
) -> None:
    """Broadcasts that work in a world are accepted, before and after its sizes are known."""
    sizes, runs = world
    solver = Solver()
    results = []
    for group in groups:
        values = [instance(term, sizes, runs) for term in group]
        try:
            expected = np.broadcast_shapes(*values)
        except ValueError:
            continue
        results.append((solver.broadcast(list(group), at()), expected))
    check(solver, sizes, runs)
    for name in RUNS:
        solver.equal_shapes((RankVar(name),), tuple(map(dim, runs[name])), at())
    for name in NAMES:
        solver.equal_dims(symbol(name), dim(sizes[name]), at())
    for made, expected in results:
        assert solver.resolve(made) == tuple(map(dim, expected))


@settings(max_examples=300)
@given(st.lists(st.tuples(shapes(dims()), shapes(dims()), st.booleans()), max_size=8))
def test_any_constraints_terminate(constraints: list[tuple[ShapeTerm, ShapeTerm, bool]]) -> None:
    solver = Solver()
    for a, b, broadcasts in constraints:
        with solver.trial():
            if broadcasts:
                solver.equal_shapes(solver.broadcast([a, b], at()), a, at())
            else:
                solver.equal_shapes(a, b, at())
    solver.solve()
    solver.principal([TypeTerm(BOOL, s) for pair in constraints for s in pair[:2]])
