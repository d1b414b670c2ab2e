"""The constraint solver: broadcasting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.notation.terms import RankVar, shape_text
from graph_program.extract.types.solving.solver import ConstraintError, Solver
from tests.types.solving import at, broadcast, equal, found, shape


@given(st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=1, max_size=4))
def test_broadcast_of_known_shapes_is_numpys(shapes: list[list[int]]) -> None:
    solver = Solver()
    terms = [tuple(map(dim, s)) for s in shapes]
    try:
        expected = np.broadcast_shapes(*map(tuple, shapes))
    except ValueError:
        with pytest.raises(ConstraintError):
            solver.broadcast(terms, at())
    else:
        assert solver.resolve(solver.broadcast(terms, at())) == tuple(map(dim, expected))
        assert not list(solver.pending())


BROADCASTS = [
    (["[n]", "[n]"], [], "[n]"),
    (["[n]", "[1]"], [], "[n]"),
    (["[n]", "[]"], [], "[n]"),
    (["[n]", "[5]"], [], "[5]"),
    (["[n, 1]", "[m]"], [], "[n, m]"),
    (["s", "s"], [], "[*s]"),
    (["s", "[]"], [], "[*s]"),
    (["s @ [n]", "s @ [1]"], [], "[*s, n]"),
    (["s @ [n]", "[5]"], ["s = []"], "[5]"),
    (["s @ [5]", "r @ [n]"], ["s = []", "r = [2]"], "[2, 5]"),
    (["[n]", "[m]"], ["[n] = [1]"], "[m]"),
    (["[n]", "[m]"], ["[n] = [4]"], "[4]"),
    (["[n]", "[m]"], ["[n] = [m]", "[m] = [k]"], "[n]"),
    (["[n + 2]", "[m]"], [], "[n+2]"),
]


@pytest.mark.parametrize(("operands", "facts", "result"), BROADCASTS)
def test_broadcasts(operands: list[str], facts: list[str], result: str) -> None:
    solver = Solver()
    made = broadcast(solver, *operands)
    equal(solver, *facts)
    assert shape_text(solver.resolve(made)) == result


def test_one_against_n_is_decided_late() -> None:
    solver = Solver()
    made = broadcast(solver, "[n]", "[m]")
    assert solver.resolve(symbol("n")) == symbol("n")
    solver.equal_shapes(made, shape("[6]"), at())
    assert (solver.resolve(symbol("n")), solver.resolve(symbol("m"))) == (symbol("n"), symbol("m"))
    solver.equal_dims(symbol("n"), dim(1), at())
    assert solver.resolve(symbol("m")) == dim(6)


def test_a_result_of_one_has_operands_of_one() -> None:
    solver = Solver()
    made = broadcast(solver, "[n]", "[m]")
    solver.equal_shapes(made, shape("[1]"), at())
    assert found(solver, "[n, m]") == "[1, 1]"


def test_an_operand_longer_than_one_is_the_result() -> None:
    solver = Solver()
    made = broadcast(solver, "s", "[5]")
    result = solver.resolve(made)
    assert result[-1] == dim(5)
    solver.equal_shapes(shape("s"), shape("[2, n]"), at())
    assert shape_text(solver.resolve(made)) == "[2, 5]"
    assert solver.resolve(symbol("n")) == symbol("n")
    with pytest.raises(ConstraintError):
        solver.equal_dims(symbol("n"), dim(4), at())


def test_the_results_rank_bounds_its_operands() -> None:
    solver = Solver()
    made = broadcast(solver, "s @ [n]", "r @ [m]")
    solver.equal_shapes(made, shape("[7]"), at())
    assert (found(solver, "s"), found(solver, "r")) == ("[]", "[]")
    with pytest.raises(ConstraintError):
        equal(solver, "[k] @ r = [1]", "r @ r = [k, k]", "[m] @ r = [7, 7]")


def test_the_only_operand_of_open_rank_has_the_results() -> None:
    solver = Solver()
    made = broadcast(solver, "s", "[1]")
    solver.equal_shapes(made, shape("[2, 3]"), at())
    assert found(solver, "s") == "[2, 3]"


def test_a_known_result_refuses_longer_operands() -> None:
    solver = Solver()
    made = broadcast(solver, "s", "[n, m]")
    with pytest.raises(ConstraintError):
        solver.equal_shapes(made, shape("[3]"), at())


def test_a_result_whose_first_dims_are_known() -> None:
    solver = Solver()
    made = broadcast(solver, "s", "r")
    solver.equal_shapes(made, shape("[a] @ q"), at())
    equal(solver, "s = [2, 3]", "r = [n]")
    assert found(solver, "[a] @ q") == "[2, 3]"


def test_equal_operands_have_equal_results() -> None:
    solver = Solver()
    first, second = broadcast(solver, "[n]", "[m]"), broadcast(solver, "[k]", "[m]")
    assert solver.resolve(first) != solver.resolve(second)
    equal(solver, "[n] = [k]")
    assert solver.resolve(first) == solver.resolve(second)


def test_broadcasting_again_changes_nothing() -> None:
    solver = Solver()
    once = broadcast(solver, "s", "r")
    again = solver.broadcast([once, shape("r")], at())
    assert solver.resolve(again) == solver.resolve(once)
    dims = broadcast(solver, "[n]", "[m]")
    assert solver.resolve(solver.broadcast([dims, shape("[n]")], at())) == solver.resolve(dims)


def test_broadcasts_inside_dims() -> None:
    solver = Solver()
    n, m = symbol("n"), symbol("m")
    solver.equal_dims((n & m) + 1, dim(2), at())
    assert (solver.resolve(n), solver.resolve(m)) == (dim(1), dim(1))
    solver = Solver()
    solver.equal_shapes((n & m, RankVar("s")), shape("[7, 3]"), at())
    solver.equal_dims(n, dim(1), at())
    assert solver.resolve(m) == dim(7)


def test_a_broadcast_that_grows_is_refused() -> None:
    solver = Solver()
    with pytest.raises(ConstraintError, match="grows without bound"):
        solver.equal_shapes(broadcast(solver, "s @ [n]", "r"), shape("s"), at())
    solver = Solver()
    made = broadcast(solver, "s", "r")
    with pytest.raises(ConstraintError, match="grows without bound"):
        equal(solver, "q = p @ [1]")
        solver.equal_shapes(made, shape("p"), at())
        equal(solver, "s = q")
