"""Calls: results are Python's in value, class, structure and aliasing; signatures are told apart."""

from __future__ import annotations

import dataclasses
import pickle
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import CallError, Float32, Static, Tensor, graph_program

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def same(a: Any, b: Any) -> bool:
    """Equal in class, dtype, shape and value, through structures."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, equal_nan=True)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if dataclasses.is_dataclass(a):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    return bool(a == b)


class Pair(NamedTuple):
    low: Any
    high: Any


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: Any
    label: str


@dataclasses.dataclass
class State:
    position: Any
    steps: int = 0


def double(x):
    return x * 2


def structures(x):
    return Pair(x.min(), x.max()), [x + 1, 3], {"a": x.sum(), 2: (x,)}, Frozen(x - 1, "label")


def number(n, k=2):
    return n * k + 1


def keyword_only(x, /, y=1.0, *more, scale, **named):
    return x * y + len(more) + scale + len(named)


@pytest.mark.parametrize(
    "value",
    [3, 2.5, True, np.float32(1.5), np.int8(3), X, X.astype(np.int64), np.array(2.0), X[:, :0]],
    ids=lambda v: f"{type(v).__name__}-{getattr(v, 'dtype', '')}-{getattr(v, 'ndim', '')}",
)
def test_classes(value: Any) -> None:
    program = graph_program(double)
    for _ in range(3):
        assert same(program(value), double(value))


def test_structures() -> None:
    program = graph_program(structures)
    for _ in range(2):
        result = program(X)
        assert same(result, structures(X))
        assert result[2][2][0] is X


@pytest.mark.parametrize(
    "array",
    [X.T, X[::-1, ::2], np.asfortranarray(X), np.broadcast_to(X[:1], (4, 3)), X.astype(np.float64)[:, 1:]],
    ids=["transposed", "strided", "fortran", "broadcast", "offset"],
)
def test_layouts(array: np.ndarray) -> None:
    program = graph_program(double)
    for _ in range(2):
        assert same(program(array), double(array))


def test_read_only_input() -> None:
    array = X.copy()
    array.flags.writeable = False
    program = graph_program(double)
    for _ in range(2):
        result = program(array)
        assert result.flags.writeable
        assert same(result, double(array))


def test_results_are_fresh() -> None:
    program = graph_program(lambda x: (x + 0, x.copy()))
    first, second = program(X), program(X)
    arrays = [X, *first, *second]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])
    first[0][:] = 9
    assert same(program(X)[0], X + 0)


def test_signatures_are_told_apart() -> None:
    program = graph_program(double)
    for value in [1, 1.0, True, np.float32(1), X, X[0], X.astype(float), 1, X] * 2:
        assert same(program(value), double(value))


def test_defaults_and_kinds_of_parameters() -> None:
    program = graph_program(keyword_only)
    for _ in range(2):
        assert same(program(X, scale=2), keyword_only(X, scale=2))
        assert same(program(X, 2.0, 1, 2, scale=1, a=1), keyword_only(X, 2.0, 1, 2, scale=1, a=1))
    assert graph_program(number)(3) == 7
    assert graph_program(number)(3, k=5) == 16


@pytest.mark.parametrize("args, kwargs", [((), {}), ((1, 2, 3), {}), ((1,), {"z": 1}), ((1, 2), {"k": 2})])
def test_wrong_arguments_get_pythons_message(args: Any, kwargs: Any) -> None:
    program = graph_program(number)
    for _ in range(2):  # before and after a first signature is known
        with pytest.raises(TypeError) as expected:
            number(*args, **kwargs)
        with pytest.raises(TypeError) as found:
            program(*args, **kwargs)
        assert str(found.value) == str(expected.value)
        program(1)


def test_static_numbers_are_part_of_the_signature() -> None:
    @graph_program
    def along(x, axis):
        return x.sum(axis=axis)

    for axis in (0, 1, -1, 0, 1):
        assert same(along(X, axis), along.python(X, axis))


def test_static_annotation() -> None:
    @graph_program
    def power(x, n: Static[int]):
        return x**n

    for n in (2, 3, 2):
        assert same(power(X, n), X**n)


def test_sizes_with_one_name_must_agree() -> None:
    @graph_program
    def add(x: Float32[Tensor, "n"], y: Float32[Tensor, "n"]):
        return x + y

    for _ in range(2):
        assert same(add(X[0], X[1]), X[0] + X[1])
        with pytest.raises(CallError) as error:
            add(X[0], X[1, :2])
        assert error.value.code == "GP403"
    with pytest.raises(CallError):
        add(X[0].astype(float), X[1])


def test_strings_and_none_select_code() -> None:
    @graph_program
    def norm(x, kind="l1", shift=None):
        if shift is not None:
            x = x + shift
        return abs(x).sum() if kind == "l1" else (x * x).sum()

    for args in [("l1",), ("l2",), ("l1", 1.0), (), ("l2", None)] * 2:
        assert same(norm(X, *args), norm.python(X, *args))


def test_threads() -> None:
    program = graph_program(double)
    failures: list[Any] = []

    def work(k: int) -> None:
        for i in range(50):
            x = np.full(k + 1, i, np.float32 if k % 2 else np.float64)
            if not same(program(x), x * 2):
                failures.append((k, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    @graph_program
    def refused(x):
        return eval("x + 1")

    monkeypatch.setenv("GRAPH_PROGRAM_DISABLE", "1")
    assert refused(2) == 3


def test_errors_survive_pickling() -> None:
    @graph_program
    def typed(x: Float32[Tensor, "n"]):
        return x

    with pytest.raises(CallError) as error:
        typed(X)
    again = pickle.loads(pickle.dumps(error.value))
    assert type(again) is type(error.value)
    assert str(again) == str(error.value)
    assert type(again).__module__ == "graph_program"


def test_programs_can_be_pickled() -> None:
    again = pickle.loads(pickle.dumps(increment))
    assert again is increment


@graph_program
def increment(x):
    return x + 1


@pytest.mark.parametrize("value", [(1.0, 2.0), {"a": 1.0}, [1.0], "text", None, 1.0, range(2), (1).__add__])
def test_what_is_no_array_is_refused_where_one_is_annotated(value: Any) -> None:
    @graph_program
    def program(x: Float32[Tensor, "n"]) -> Any:
        return x

    with pytest.raises(CallError, match=r"parameter x: expected float32 \[n\], got ") as error:
        program(value)
    assert error.value.code == "GP401"


def test_other_byte_orders_are_refused_with_advice() -> None:
    with pytest.raises(NotImplementedError, match=r"convert it with astype\('float32'\)"):
        graph_program(lambda x: x)(np.ones(2, np.dtype(np.float32).newbyteorder()))


def test_read_only_arrays_that_are_not_reached() -> None:
    @graph_program
    def program(x: Any, n: int) -> Any:
        if n > 3:
            x[0] = 5.0
        return n

    x = np.ones(3)
    x.flags.writeable = False
    assert program(x, 1) == 1
    with pytest.raises(ValueError, match="read-only"):
        program(x, 5)
