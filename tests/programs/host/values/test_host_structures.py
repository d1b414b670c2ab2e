"""Structures that only the host can have: dicts with its keys, joined and repeated strings, typed iterables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from jaxtyping import Float64

from graph_program import GraphProgramError, graph_program, host_function
from tests.programs.plain import check, differs, outcome

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]
LOG: list[Any] = []
RATES = {"a": 0.5, "b": 2.0}


@host_function
def note(*what: Any) -> None:
    LOG.append(what)


@host_function
def names() -> Any:
    return ["a", "b", "c"]


@host_function
def label(k: int) -> Any:
    return "ab"[k % 2]


@host_function
def settings() -> Any:
    return {"rate": 0.5, "steps": 3}


@host_function
def frames(n: int) -> Iterator[Float64[np.ndarray, "3"]]:
    for i in range(n):
        yield np.full(3, i - 0.5)


class Loader:
    def __init__(self) -> None:
        self.rounds = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loader) and self.rounds == other.rounds

    def __iter__(self) -> Iterator[tuple[Float64[np.ndarray, "3"], float]]:
        for i in range(3):
            self.rounds += 1
            yield np.full(3, i - 0.5), i * 2.0


def keys_of_the_host(x, loader):
    losses = {}
    for k, name in enumerate(names()):
        losses[name] = float(x.sum()) + k
    note(losses, len(losses), "a" in losses)
    for name in losses:
        note(name, losses[name])
    return losses


def counted_keys(x, loader):
    found = dict(total=0)  # noqa: C408
    for k in range(len(x)):
        found[label(k)] = found.get(label(k), 0) + 1
        found["total"] += 1
    del found[label(1)]
    return found, RATES[label(1)], x


def displays(x, loader):
    table = {name: len(name) + k for k in range(2) for name in names() if name != "b"}
    return {**settings(), "x": x[0]}, dict(settings(), y=1), table, {label(k): k for k in range(3)}


def strings(x, loader):
    done = int(x.sum())
    print("[" + "#" * done + "." * (5 - done) + "]", ", ".join(names()), "-".join([label(1), "q"]))
    return "{}:{}".format(label(1), done), "abc".startswith(label(0)), x  # noqa: UP032


def typed_iterables(x, loader):
    total = x
    for data, value in loader:
        total = total + data * value
    for k, (data, value) in enumerate(loader):
        total = total + data * value * k
    for one, other, element in zip(frames(2), frames(3), x, strict=False):
        np.add(one, other, out=other)
        total = total - other * element
    return total


def numpy_of_the_host(x, loader):
    data = settings()
    rows = np.array(list(data.values()))
    note(rows.tolist(), np.sum(rows), np.add(rows, 1).tolist())
    values: Float64[np.ndarray, "n"] = rows
    return x * values[0]


PROGRAMS = [keys_of_the_host, counted_keys, displays, strings, typed_iterables, numpy_of_the_host]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any, capsys: pytest.CaptureFixture[str]) -> None:
    program = graph_program(function)
    for x in (np.ones(3), np.arange(3.0)):
        LOG.clear()
        expected, log, shown = outcome(function, (x, Loader())), list(LOG), capsys.readouterr()
        LOG.clear()
        assert not differs(expected, outcome(program, (x, Loader())))
        assert not differs(log, LOG)
        assert capsys.readouterr() == shown


def test_an_output_of_unknown_type() -> None:
    @graph_program
    def program(x):
        np.add(x, x, out=settings())
        return x

    with pytest.raises(GraphProgramError, match="GP520"):
        program(np.ones(3))


def test_a_tuple_with_a_list_is_one_of_several_with_what_the_host_gives() -> None:
    """What is in the list is asked of the path that has it."""

    def given_back(x, n):
        if n > 0:
            return ([x.sum(), 1.0], n)
        return unknown(n)

    def carried(x, n):
        r = unknown(n)
        for k in range(n):
            r = ([k], x[0])
        return r

    for function in (given_back, carried):
        check(function, (np.ones(2), 0), (np.ones(2), 1), (np.ones(2), 3))


@host_function
def unknown(n: int) -> Any:
    return [n, n + 1]
