"""Annotations of results and variables: promises that are kept, broken at run time, and that name sizes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
import pytest

from graph_program import Float, Float32, Float64, GraphProgramError, Int64, Shaped, Tensor, graph_program
from tests.programs.plain import check

Vector = Float32[Tensor, "n"]
ROW = np.array([3, -1, 2], "f4")


@dataclass
class Split:
    low: Float32[Tensor, "k"]
    high: Float32[Tensor, "m"]


def kept(x: Vector) -> Vector:
    return x * 2


def filtered(x: Vector) -> Float32[Tensor, "k"]:
    return x[x > 0]


def promised(x: Vector) -> Vector:
    return x[x > 0]


def twice(x: Vector) -> tuple[Float32[Tensor, "k"], Float32[Tensor, "k"]]:
    return x[x > 0], x[x > 2]


def optional(x: Vector) -> Optional[Float32[Tensor, "k"]]:  # noqa: UP045
    if x.sum() < 0:
        return None
    return x[x > 0]


def alternative(x: Vector) -> Float32[Tensor, "k"] | None:
    return x[x > 0]


def record(x: Vector) -> Split:
    return Split(x[x < 0], x[x >= 0])


def several(x: Vector) -> Float32[Tensor, "k"]:
    if x.sum() > 3:
        return x[x > 0]
    return x[x > 2]


def partly(x: Float32[Tensor, "*batch n"]) -> Float32[Tensor, "*batch"]:
    return x.sum(axis=-1)


def halved(x: Vector) -> Float32[Tensor, "n//2"]:
    return x[: x.shape[0] // 2]


def shorter(x: Vector) -> Float32[Tensor, "k-1"]:
    return x[x > 0]


def swapped(x: Shaped["t [*a, n, m]"]) -> Shaped["t [*a, m, n]"]:
    return x.swapaxes(-1, -2)


def number(x: Vector) -> float:
    return x


def anything(x: Vector) -> Any:
    return x[x > 0]


def plain(x: Vector) -> np.ndarray:
    return x[x > 0]


def scalar(x: Vector) -> Float32[Tensor, ""]:
    return x.sum()


def listed(x: Vector) -> list[Float32[Tensor, "k"]]:
    return [x[x > 0], x[x > 0] + 1]


def named(x: Vector):
    y: Float32[Tensor, "k"] = x[x > 0]
    z: Float32[Tensor, "k"] = x[x > 0] * 2
    return y + z


def hinted(x: Vector):
    k: float = 2
    y: np.ndarray = x * k
    z: Unheard[y] = y  # type: ignore[name-defined]
    return z


def looped(x: Vector, n: int):
    total = x * 0
    for i in range(n):
        part: Float32[Tensor, "k"] = x[x > i]
        total += part.sum()
    return total


SIGNATURES = [
    (kept, "kept: float32 [n] -> float32 [n]"),
    (filtered, "filtered: float32 [n] -> float32 [k]"),
    (promised, "promised: float32 [n] -> float32 [n]"),
    (twice, "twice: float32 [n] -> (float32 [k], float32 [k])"),
    (optional, "optional: float32 [n] -> float32 [k] | None"),
    (alternative, "alternative: float32 [n] -> float32 [k]"),
    (record, "record: float32 [n] -> Split(low: float32 [k], high: float32 [m])"),
    (several, "several: float32 [n] -> float32 [k]"),
    (halved, "halved: float32 [n] -> float32 [n//2]"),
    (number, "number: float32 [n] -> float32 [n]"),
    (scalar, "scalar: float32 [n] -> np.float32"),
    (listed, "listed: float32 [n] -> [float32 [k], float32 [k]]"),
    (named, "named: float32 [n] -> float32 [k]"),
]


@pytest.mark.parametrize(("function", "signature"), SIGNATURES, ids=lambda v: getattr(v, "__name__", ""))
def test_names_of_results(function: Callable[..., Any], signature: str) -> None:
    assert graph_program(function).signature == signature


def leaves(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in leaves(part)]
    return leaves(list(vars(value).values())) if isinstance(value, Split) else [value]


KEPT = [
    (kept, ROW),
    (filtered, ROW),
    (promised, np.abs(ROW)),
    (twice, ROW * 3),
    (optional, ROW),
    (optional, -ROW),
    (alternative, ROW),
    (record, ROW),
    (several, ROW),
    (several, ROW * 2),
    (partly, np.ones((2, 3, 4), "f4")),
    (halved, ROW),
    (shorter, ROW),
    (swapped, np.ones((2, 3, 4))),
    (number, ROW),
    (anything, ROW),
    (plain, ROW),
    (scalar, ROW),
    (listed, ROW),
    (named, ROW),
    (hinted, ROW),
]


@pytest.mark.parametrize(("function", "x"), KEPT, ids=lambda v: getattr(v, "__name__", ""))
def test_kept_promises_change_nothing(function: Callable[..., Any], x: np.ndarray) -> None:
    found, expected = leaves(graph_program(function)(x)), leaves(function(x))
    assert [type(a) for a in found] == [type(b) for b in expected]
    for a, b in zip(found, expected, strict=True):
        if b is not None:
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


def test_a_name_may_differ_from_round_to_round() -> None:
    np.testing.assert_array_equal(graph_program(looped)(ROW, 4), looped(ROW, 4))


def mismatch(x: Vector, y: Float32[Tensor, "m"]) -> Vector:
    return y


def assigned(x: Vector):
    y: Vector = x[x > 0]
    return y + x


def wrong_part(x: Float32[Tensor, "*batch n"]) -> Float32[Tensor, "*batch"]:
    return x.sum(axis=0)


BROKEN = [
    (promised, (ROW,), r"^the result is annotated float32 \[n\] with n=3, but has shape \(2,\)$"),
    (twice, (ROW,), r"^part \[1\] of the result is annotated float32 \[k\] with k=2, but has shape \(1,\)$"),
    (mismatch, (ROW, ROW[:2]), r"^the result is annotated float32 \[n\] with n=3, but has shape \(2,\)$"),
    (assigned, (ROW,), r"^'y' is annotated float32 \[n\] with n=3, but has shape \(2,\)$"),
    (
        wrong_part,
        (np.ones((2, 3, 4), "f4"),),
        r"^the result is annotated float32 \[\*batch\] with batch_0=2, batch_1=3, but has shape \(3, 4\)$",
    ),
]


@pytest.mark.parametrize(("function", "args", "message"), BROKEN, ids=lambda v: getattr(v, "__name__", ""))
def test_promises_broken_at_run_time(function: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        graph_program(function)(*args)
    assert not isinstance(caught.value, GraphProgramError)
    assert caught.traceback[-1].name == function.__name__


def other_type(x: Vector) -> Float64[Tensor, "n"]:
    return x


def other_kind(x: Vector) -> Int64[Tensor, "n"]:
    return x * 2


def other_rank(x: Vector) -> Vector:
    return x[None]


def other_size(x: Vector) -> Vector:
    return np.concatenate([x, np.ones(1, "f4")])


def other_class(x: Vector) -> Vector:
    return 1.5


def other_part(x: Vector) -> tuple[Vector, Vector]:
    return x, x * np.float64(2)


def not_this_alternative(x: Vector) -> Float64[Tensor, "n"] | None:
    return x


def other_float(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    return x > 0


@pytest.mark.parametrize(
    "function",
    [other_type, other_kind, other_rank, other_size, other_class, other_part, not_this_alternative, other_float],
)
def test_certain_contradictions_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(GraphProgramError, match="GP412"):
        graph_program(function)(ROW)


def on_a_path(x: Vector) -> Vector:
    if x.sum() > 100:
        return x[None]
    return x


def test_a_contradiction_on_a_path_is_raised_there() -> None:
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        program = graph_program(on_a_path)
        np.testing.assert_array_equal(program(ROW), ROW)
        with pytest.raises(ValueError, match=r"the result is annotated float32 \[n\], but is float32 \[1, n\]"):
            program(ROW * 100)


def with_loose_helper(x: Vector) -> Vector:
    return loose(x[None])[0]


def loose(x: Vector) -> Vector:
    y: Float64[Tensor, "9"] = x
    return y


def test_annotations_of_helpers_are_comments() -> None:
    np.testing.assert_array_equal(graph_program(with_loose_helper)(ROW), ROW)


def like_a_fresh_dim(x: Float32[Tensor, "d1"]):
    return x[x > 0] + x


def test_names_like_those_of_unknown_sizes() -> None:
    program = graph_program(like_a_fresh_dim)
    np.testing.assert_array_equal(program(np.abs(ROW)), 2 * np.abs(ROW))
    with pytest.raises(ValueError, match="could not be broadcast"):
        program(ROW)


def test_results_are_named_in_the_model() -> None:
    model = graph_program(filtered).model()
    assert model.graph.output[0].type.tensor_type.shape.dim[0].dim_param == "k"


@pytest.mark.parametrize("dims", [{"n": 3}, {"n": (1, 8)}])
def test_declared_sizes(dims: dict[str, Any]) -> None:
    program = graph_program(promised, dims=dims)
    np.testing.assert_array_equal(program(np.abs(ROW)), np.abs(ROW))
    with pytest.raises(ValueError, match=r"with n=3, but has shape \(2,\)"):
        program(ROW)


# ---------------------------------------------------------------- names on paths and in rounds


def named_on_a_path(x: Float32[Tensor, "n"], flag: int) -> Any:
    found = x[x > 0]
    if flag > 0:
        a: Float32[Tensor, "k"] = found + 1
        return a
    b: Float32[Tensor, "k"] = found * 2
    c: Float32[Tensor, "k"] = x[x < 0]
    return b + c


def named_on_all_paths(x: Float32[Tensor, "n"], flag: int) -> Any:
    found = x[x > 0]
    if flag > 0:
        a: Float32[Tensor, "k"] = found + 1
    else:
        a = found
        b: Float32[Tensor, "k"] = found * 2
        a = a + b
    c: Float32[Tensor, "k"] = x[x < 0]
    return a, c


def named_in_rounds(x: Float32[Tensor, "n"], flag: int) -> Any:
    found = x[x > 0]
    total = np.float32(0)
    for i in range(flag):
        a: Float32[Tensor, "k"] = found + np.float32(i)
        b: Float32[Tensor, "k"] = x[x < 0]
        total = total + a.sum() * b.sum()
    return total


def typed_on_a_path(x: Float32[Tensor, "n"], flag: int) -> Shaped[Tensor, "t [n]"]:
    if flag > 0:
        return x
    return x.astype(np.float64)


@pytest.mark.parametrize("function", [named_on_a_path, named_on_all_paths, named_in_rounds, typed_on_a_path])
@pytest.mark.parametrize("flag", [0, 1, 2])
def test_what_a_name_stands_for_on_one_path_is_no_promise_on_another(function: Callable[..., Any], flag: int) -> None:
    with warnings.catch_warnings(action="error"):
        check(function, (np.array([1, -2, 3, -4], "f4"), flag))


@pytest.mark.parametrize("function", [named_on_all_paths, named_in_rounds])
def test_names_are_known_behind_paths_and_in_rounds(function: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match=r"is annotated float32 \[k\] with k=2, but has shape \(1,\)"):
        graph_program(function)(np.array([1, 2, -3], "f4"), 1)
