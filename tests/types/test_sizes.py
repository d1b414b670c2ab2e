"""One name, one size: solving, messages, and the compiled check giving the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program.extract.arguments.call_sizes import check_sizes, size_checker
from graph_program.extract.diagnostics import CallError
from graph_program.extract.types.dims.parsing import parse_dim
from graph_program.extract.types.notation.declared_dims import read_dims
from graph_program.extract.types.tensors.tensor_type import TensorType


def leaf(name: str, dims: str) -> tuple[str, TensorType]:
    return name, TensorType(np.dtype("f4"), tuple(map(parse_dim, dims.split())))


@pytest.mark.parametrize(
    ("dims", "shapes", "sizes"),
    [
        (["n", "n"], [(3,), (3,)], {"n": 3}),
        (["n+1", "n"], [(4,), (3,)], {"n": 3}),
        (["2*n+1"], [(7,)], {"n": 3}),
        (["n*m", "n"], [(6,), (2,)], {"n": 2, "m": 3}),
        (["n//2"], [(3,)], {}),
        (["n//2", "n"], [(3,), (7,)], {"n": 7}),
        (["4"], [(4,)], {}),
    ],
)
def test_sizes_are_solved(dims: list[str], shapes: list[Any], sizes: dict[str, int]) -> None:
    leaves = [leaf(f"p{i}", d) for i, d in enumerate(dims)]
    assert check_sizes([(*x, s) for x, s in zip(leaves, shapes, strict=True)]) == sizes
    check = size_checker(leaves)
    if check is not None:
        check(shapes)


@pytest.mark.parametrize(
    ("dims", "shapes", "bounds", "code", "message"),
    [
        (["n", "n 4"], [(3,), (4, 4)], {}, "GP403", "p1: expected float32 [n, 4] with n=3 (from p0), got (4, 4)"),
        (["3"], [(4,)], {}, "GP403", "p0: expected float32 [3], got (4,)"),
        (["n"], [(9,)], {"n": (1, 8)}, "GP403", "p0, axis 0: n is 9, dims allows 1 to 8"),
        (["m n"], [(2, 9)], {"n": 8}, "GP403", "p0, axis 1: n is 9, dims allows 8"),
        (["n+1"], [(1,)], {"n": (1, None)}, "GP403", "p0, axis 0: n is 0, dims allows at least 1"),
        (["n//2", "n"], [(3,), (5,)], {}, "GP403", "p0: expected float32 [n//2] with n=5 (from p1), got (3,)"),
        (["n+4"], [(3,)], {}, "GP403", "p0: expected float32 [n+4], got (3,): no size n gives n+4 = 3"),
    ],
)
def test_sizes_that_do_not_fit(
    dims: list[str], shapes: list[Any], bounds: dict[str, Any], code: str, message: str
) -> None:
    leaves = [leaf(f"p{i}", d) for i, d in enumerate(dims)]
    bounds = read_dims(bounds)
    check = size_checker(leaves, bounds)
    assert check is not None
    for attempt in (
        lambda: check_sizes([(*x, s) for x, s in zip(leaves, shapes, strict=True)], bounds),
        lambda: check(shapes),
    ):
        with pytest.raises(CallError) as caught:
            attempt()
        assert caught.value.code == code
        assert caught.value.diagnostic.message == f"parameter {message}"


def test_another_rank_is_refused() -> None:
    with pytest.raises(CallError, match=r"GP402.*expected float32 \[n\], got 2 dimensions: \(3, 4\)"):
        check_sizes([(*leaf("p", "n"), (3, 4))])


def test_nothing_to_check_costs_nothing() -> None:
    assert size_checker([leaf("a", "n m"), leaf("b", "k")]) is None
    assert size_checker([leaf("a", "n")], read_dims({"other": 3})) is None


def test_a_size_that_others_broadcast_to() -> None:
    dims = ["n", "m", "m&n"]
    leaves = [(f"p{i}", TensorType(np.dtype("f4"), (parse_dim(d),))) for i, d in enumerate(dims)]
    check = size_checker(leaves)
    assert check is not None
    check([(3,), (1,), (3,)])
    for shapes in ([(3,), (1,), (1,)], [(3,), (2,), (3,)]):
        with pytest.raises(CallError, match=r"p2: expected float32 \[m&n\] with m=\d \(from p1\), n=3 \(from p0\)"):
            check(shapes)
