"""What programs with host code have written before an error of their own, in both ways in which they run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program, host_function, to_device
from graph_program.extract.slice.segments import Cut, Segments
from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.tensors.tensor_type import FLOAT64, TensorType
from tests.programs.plain import Cases, check

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]
X = np.array([1.0, 2.0, 3.0])
cases = Cases()


@dataclass
class Pair:
    u: float
    v: int


@host_function
def flaky(n: int) -> float:
    if n > 2:
        raise OSError("no")
    return 1.0


@host_function
def seen(*what: Any) -> None:
    pass


@host_function
def length(n: int) -> Any:
    return n


@cases((X, 0), (X, 1))
def unset_in_finally(x, n):
    """A name that is unset for certain ends the program where nothing is written."""
    try:
        f = flaky(n)
    except LookupError:
        g = 2.0
    finally:
        seen(round(g))
    x[0] = f
    seen(x[0])
    return x[n]


@cases((X, 3), (X, 0), (X, 2))
def unset_behind_writes(x, n):
    x[0] = 7
    try:
        f = flaky(n)
    except OSError:
        seen("no")
    x[1] = f
    seen(x[n - 3])
    return x


@cases((X, 9, 0), (X, 1, 0), (X, 2, 3), (X, 1, 3))
def a_name_of_the_host(x, n, k):
    """A name that is on the host on one way out, and a number on another: nobody reads it at the end."""
    seen(x[n])
    x[0] = 10
    if n > 1:
        n = length(n)
    seen(n)
    return x[k]


@cases((X, Pair(1.0, 3), 9), (X, Pair(1.0, 3), 1), (X, Pair(1.0, 3), 2))
def an_attribute_of_the_host(x, p, n):
    """An attribute that is on the host at one end, and a number where the error is: the host is given it before."""
    p.v = p.v + 1
    seen(x[n])
    p.v = length(n)
    x[0] = 2
    seen(x[0])
    return x[n + 1]


@cases((X, [Pair(-2.0, 1), Pair(10.0, -1)], 1), (X, [Pair(-2.0, 1)], 9), (X, [], 0))
def a_list_called_l(x, l, n):  # noqa: E741
    """Its length is called `l_0`, as sizes of what segments are given once were."""
    l[-1].v += to_device(length(n), int)
    x[::-1] = l[-1].u
    seen(x)
    l[0] = l[0]
    return x[n]


def cube(a, n):
    try:
        k = n * n * n
    finally:
        seen(sum([a for _ in range(2)]))
    return k


@cases((X, 1), (X, 3))
def a_limit_of_ours_in_a_try(x, n):
    """Where an int would not fit into 64 bits the program ends at once: there is no way through `finally` for that."""
    x[0] = 3.0
    seen(1)
    r = cube(x[0], n)
    x[1] = 2
    return r + x[n % 5]


@cases((X, 1), (X, 0))
def it_never_ends_well(x, n):
    """No way through the program ends without an exception."""
    seen(1)
    x[0] = 2
    if n > 0:
        raise ValueError(f"{x[0]}")
    seen(x)
    x[1] = 3
    raise KeyError(n)


@cases.each
def test_what_was_written_stays(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def test_sizes_of_what_a_segment_takes_are_its_own() -> None:
    """A list `l` has the size `l_0`; a variable `l` that a segment takes at another time may have another."""
    calls = graph_program(a_list_called_l)._ready()
    found = calls.found_for_call(calls.bind(X.copy(), [Pair(-2.0, 1), Pair(10.0, -1)], 1))
    segments = Segments(found.extraction.residual)
    cut = Cut(segments._cfg, segments.points, segments._needed, segments._loops, segments.points[0].after)
    cut.run()
    taken = cut._loose(TensorType(FLOAT64, (symbol("l_0"), dim(3))), "l")
    assert taken.shape[0] != symbol("l_0") and taken.shape[1] == dim(3)
    assert cut._loose(TensorType(FLOAT64, (symbol("l_0"),)), "l").shape != taken.shape[:1]
