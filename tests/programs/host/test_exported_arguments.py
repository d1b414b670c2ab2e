"""Exported programs with host code refuse arguments that they were not exported for: a file has one signature."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import Float64, Static, Tensor, graph_program, host_function
from graph_program.backends.host import standalone
from graph_program.backends.host.exported_arguments import known_text
from tests.programs.host.test_host_export import FORMS, export, module_at
from tests.programs.plain import differs, outcome

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
X = np.arange(3.0)
M = np.arange(6.0).reshape(2, 3)
TOLD: list[int] = []


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


class Pair(NamedTuple):
    a: float
    b: float


def double(x):
    return x * 2


def negative(x):
    return -x


@host_function
def tell(n: int) -> None:
    TOLD.append(n)


def by_text(x, mode: str):
    tell(len(x))
    return x * 2 if mode == "double" else x + 1


def by_none(x, y=None):
    tell(len(x))
    return x if y is None else x + y


def by_member(x, mode):
    tell(len(x))
    return x * (2 if mode is Mode.FAST else 3)


def by_function(x, f):
    tell(len(x))
    return f(x)


def by_axis(x, axis: Static[int]):
    tell(axis)
    return x.sum(axis=axis)


def by_dtype(x, dtype):
    tell(len(x))
    return x.astype(dtype)


def of_list(values, k: int):
    tell(len(values))
    return sum(values) * k


def of_tuple(values, k: int):
    tell(k)
    total = 0.0
    for value in values:
        total += value
    return total * k


def of_dict(values, k: int):
    tell(k)
    return {name: value * k for name, value in values.items()}


def of_sizes(x: Float64[Tensor, "n"], y: Float64[Tensor, "n"]):
    tell(len(x))
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


def of_layout(x, k: int):
    flat = x.reshape(-1)
    tell(k)
    flat[k] = 7.0
    return x.sum()


CASES: list[tuple[Any, tuple[Any, ...], list[tuple[Any, ...]], list[tuple[Any, ...]], str]] = [
    (by_text, (X, "double"), [(X[:1].copy(), "double")], [(X, "single"), (X, None)], "for 'double'"),
    (by_none, (X,), [(X, None)], [(X, X)], "for None"),
    (by_member, (X, Mode.FAST), [(X, Mode.FAST)], [(X, Mode.SLOW), (X, 1)], "for Mode.FAST"),
    (by_function, (X, np.sin), [(X, np.sin)], [(X, np.cos)], "for sin"),
    (by_function, (X, double), [(X, double)], [(X, negative)], "for double"),
    (by_axis, (M, 0), [(M, 0)], [(M, 1), (M, False)], "for 0"),
    (by_dtype, (X, np.float32), [(X, np.float32)], [(X, np.int64)], "for float32"),
    (of_list, ([1.0, 2.0], 2), [([3.0, 4.0], 1)], [([1.0], 2), ([1.0, 2.0, 3.0], 2)], "for a list of 2 elements"),
    (of_list, ([], 2), [([], 1)], [([1.0], 2)], "for a list of 0 elements"),
    (of_tuple, ((1.0, 2.0), 2), [((3.0, 4.0), 1)], [((1.0,), 2), ((1.0, 2.0, 3.0), 2)], "for a tuple of 2 elements"),
    (of_tuple, (Pair(1.0, 2.0), 2), [(Pair(3.0, 4.0), 1)], [((1.0,), 2)], "for a tuple of 2 elements"),
    (
        of_dict,
        ({"a": 1.0}, 2),
        [({"a": 3.0}, 1)],
        [({"b": 1.0}, 2), ({"a": 1.0, "b": 2.0}, 2), ({}, 1)],
        "for a dict with the keys",
    ),
    (
        of_sizes,
        (X, X + 1),
        [(X[:2].copy(), X[:2].copy())],
        [(X, X[:1].copy()), (X[:1].copy(), X)],
        r"for float64 \[n\]",
    ),
    (of_layout, (M, 1), [(M[:, :2].copy(), 2)], [(np.asfortranarray(M), 1), ([1.0], 1)], "was exported for"),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("function", "args", "taken", "refused", "text"), CASES)
def test_one_signature(
    function: Any,
    args: tuple[Any, ...],
    taken: list[tuple[Any, ...]],
    refused: list[tuple[Any, ...]],
    text: str,
    form: str,
    tmp_path: Path,
) -> None:
    exported = module_at(export(graph_program(function), tmp_path, form, args)).load()
    for given in (args, *taken):
        assert not differs(outcome(function, given), outcome(exported, given))
    TOLD.clear()
    for given in refused:
        with pytest.raises(TypeError, match=text):
            exported(*given)
    assert TOLD == [], "nothing is done before"


@pytest.mark.parametrize(
    ("known", "others"),
    [
        (0.0, [-0.0, 0, False]),
        (float("nan"), [1.0, np.float64("nan")]),
        (1, [True, 1.0, np.int64(1)]),
        ((1, "a", None), [(1, "a"), [1, "a", None], (True, "a", None)]),
        (np.float32(2), [2.0, np.float64(2)]),
        ((double, Mode.SLOW), [(double, Mode.FAST), (negative, Mode.SLOW)]),
        ({"a": 1, "b": 2}, [{"b": 2, "a": 1}, {"a": 1}]),
        (np.dtype("f4"), [np.dtype("f8"), np.float32]),
        (range(3), [range(4), [0, 1, 2]]),
    ],
)
def test_known_values_are_written_so_that_others_are_told_from_them(known: Any, others: list[Any]) -> None:
    text = known_text(known)
    assert text is not None
    read = eval(text, {"runtime": standalone, "np": np})
    assert standalone.is_same(known, read)
    assert not any(standalone.is_same(other, read) for other in others)


def test_what_has_no_name_is_not_asked_for() -> None:
    assert known_text(object()) is None and known_text((1, object())) is None
