"""Context managers of the user's that write to what they are given: the write reaches it, or is refused."""

# ruff: noqa: RET504 (a result under `with` is another program than one behind it)

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.model_alone import Alone
from tests.programs.plain import Cases, check

cases = Cases()
X = np.array([1.0, 2.0, 3.0])


@contextmanager
def scaled(x: Any, k: Any = 2.0) -> Iterator[Any]:
    x *= k
    yield x
    x /= k


@contextmanager
def saved(x: Any) -> Iterator[None]:
    old = x.copy()
    try:
        yield
    finally:
        x[:] = old


@contextmanager
def clipped(x: Any, top: Any) -> Iterator[Any]:
    view = x[1:]
    np.minimum(view, top, out=view)
    try:
        yield view
    except ValueError:
        x[0] = -1.0
    else:
        x[0] = 1.0


class Zeroed:
    def __init__(self, x: Any):
        self.x = x

    def __enter__(self) -> Any:
        self.x[0] = 0
        return self.x

    def __exit__(self, *_: object) -> None:
        self.x[1] = 0


@dataclass
class Model:
    w: Any
    training: bool = True

    @contextmanager
    def averaged(self, k: Any) -> Iterator[Any]:
        self.w += k
        yield self
        self.w -= k


@contextmanager
def evaluated(model: Any) -> Iterator[None]:
    was = model.training
    model.training = False
    try:
        yield
    finally:
        model.training = was


@cases((X,), (-X,), (X[:0],))
def of_an_argument(x: Any) -> Any:
    with scaled(x) as y:
        s = y.sum()
    return s, y


@cases((X,), (-X,))
def by_keyword(x: Any) -> Any:
    with scaled(k=3.0, x=x):
        s = x.sum()
    return s


@cases((X,))
def of_an_array_of_its_own(x: Any) -> Any:
    y = x * 2
    with scaled(y, 3.0):
        y[0] = 7.0
    return y


@cases((X,), (-X,))
def put_back(x: Any) -> Any:
    with saved(x):
        x[0] = 9.0
        s = x.sum()
    return s


@cases((X,), (-X,))
def two_at_once(x: Any) -> Any:
    with saved(x), scaled(x, 4.0) as y:
        s = y.sum()
    return s


@cases((X, 1), (X, 0), (X, -1))
def on_one_path(x: Any, c: Any) -> Any:
    s = np.float64(0)
    if c > 0:
        with scaled(x):
            s = x.sum()
    elif c < 0:
        with Zeroed(x):
            s = x.sum()
    return s


@cases((X, 0), (X, 1), (X, 3))
def in_a_loop(x: Any, n: Any) -> Any:
    s = np.zeros(3)
    for k in range(n):
        with scaled(x, k + 1.0):
            s = s + x
    return s


@cases((X, 2.5), (X, 0.5), (-X, 0.5))
def with_an_exception_that_is_caught_there(x: Any, top: Any) -> Any:
    s = np.float64(0)
    with clipped(x, top) as v:
        s = v.sum()
        if s > 1.5:
            raise ValueError("large")
        s = -s
    return s


@cases((X, 1), (X, 0))
def with_an_exception_that_leaves(x: Any, c: Any) -> Any:
    with saved(x):
        x[1] = 5.0
        if c > 0:
            raise KeyError(c)
    return x.sum()


@cases((X, 1), (X, 0))
def with_a_return_inside(x: Any, c: Any) -> Any:
    with saved(x):
        x[1] = 5.0
        if c > 0:
            return x.sum()
        x[2] = 6.0
    return x.sum() + 100


@cases((X, 0), (X, 2), (X, 5))
def with_a_break_inside(x: Any, n: Any) -> Any:
    s = np.float64(0)
    for k in range(n):
        with saved(x):
            x += k
            s = s + x.sum()
            if s > 10:
                break
    return s


@cases((Model(X),), (Model(-X),))
def of_an_object(model: Any) -> Any:
    with evaluated(model):
        a = model.training
    with model.averaged(0.5) as same:
        s = same.w.sum()
    return a, s


@cases.each
def test_the_write_reaches(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def test_what_cannot_be_inlined_is_refused() -> None:
    @graph_program
    def program(x: Any, c: Any) -> Any:
        with scaled(x) as y:
            if c > 0:
                return y.sum()
        return x.sum()

    with pytest.raises(GraphProgramError, match=r"GP541.*writes to an array of the program's"):
        program(X.copy(), 1)


@pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
def test_one_that_only_reads_stays_on_the_host() -> None:
    seen = []

    @contextmanager
    def shown(x: Any) -> Iterator[None]:
        seen.append(x.tolist())
        yield
        seen.append("end")

    def program(x: Any) -> Any:
        with shown(x):
            y = x * 2
        return y

    assert graph_program(program)(X).tolist() == (X * 2).tolist()
    assert seen == [X.tolist(), "end"]


def test_in_a_model() -> None:
    alone = Alone(in_a_loop, (X, 1))
    for n in (0, 1, 3):
        x = X + n
        found = alone({"x": x, "n": n})
        assert found["s"].tolist() == in_a_loop(x, n).tolist()
        assert found["x_out"].tolist() == x.tolist()
