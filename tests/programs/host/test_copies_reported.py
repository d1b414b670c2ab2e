"""How copies between graph and host are reported: `program.copies`, Python's warning filters, `copies="error"`."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jaxtyping import Float64

from graph_program import GraphProgramError, ImplicitCopyWarning, graph_program, host_function, to_device, to_host


@host_function
def show(*what: Any) -> None:
    pass


@host_function
def state(n: int) -> Float64[np.ndarray, "n"]:
    return np.zeros(n)


def one_send(x):
    y = x * 2
    show(y)
    return y + 1


def asked_for(x):
    y = x * 2
    show(to_host(y))
    z = to_device(state(3), Float64[np.ndarray, "n"])
    return y + z


def in_loops(x, n: int):
    for i in range(n):
        for v in x:
            y = v * i
            if y > 1:
                show(y, y)
    return x


LINE = one_send.__code__.co_firstlineno + 2

# ---------------------------------------------------------------- the table


def test_all_crossings_are_listed(host_way: str) -> None:
    program = graph_program(asked_for, copies="ignore")
    program(np.ones(3))
    first = asked_for.__code__.co_firstlineno
    found = [(c.to, c.type, c.bytes, c.depth, c.times, c.asked, c.made - first, c.text) for c in program.copies]
    assert found == [
        ("host", "float64 [x_0]", "8*x_0", 0, 1, True, 1, "to_host(...)"),
        ("graph", "float64 [d1]", "8*d1", 0, 1, True, 3, "state(...)"),
    ]
    assert [str(c).partition(": ")[2] for c in program.copies] == [
        "float64 [x_0] to the host (8*x_0 bytes, as written): to_host(...)",
        "float64 [d1] to the graph (8*d1 bytes, as written): state(...)",
    ]
    assert {c.file for c in program.copies} == {__file__}


def test_the_table_is_readable(host_way: str) -> None:
    program = graph_program(one_send, copies="ignore")
    program(np.ones(3))
    assert str(program.copies).splitlines() == [
        "place                       to    type           bytes  loops  times  asked  made     for",
        f"test_copies_reported.py:{LINE}  host  float64 [x_0]  8*x_0  0      1      no     line {LINE - 1}  show(...)",
    ]
    alone = graph_program(lambda x: x + 1)
    alone(np.ones(3))
    assert str(alone.copies) == "no copies"


def test_times_are_those_of_all_calls(host_way: str) -> None:
    program = graph_program(in_loops, copies="ignore")
    x = np.array([0.5, 1.0, 3.0])
    program(x, 4)
    assert [(c.depth, c.times) for c in program.copies] == [(2, 6)]
    program(x.astype(np.float32), 2)
    assert [(c.type, c.times) for c in program.copies] == [("np.float32", 7)]


def test_times_are_those_of_all_threads(host_way: str) -> None:
    program = graph_program(one_send, copies="ignore")

    def work() -> None:
        for _ in range(20):
            program(np.ones(3))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [c.times for c in program.copies] == [80]


def test_nothing_has_run_of_annotated_programs() -> None:
    def program(x: Float64[np.ndarray, "n 4"]) -> Any:
        y = x.T * 2
        show(y)
        return y + 1

    assert [(c.type, c.bytes, c.times) for c in graph_program(program, copies="ignore").copies] == [
        ("float64 [4, n]", "32*n", 0)
    ]


# ---------------------------------------------------------------- filters

TYPES = (np.ones(3), np.ones(3), np.ones(3, np.float32), np.ones((2, 2)))


def said(setting: Callable[[], None], runs: int = 1) -> tuple[int, int]:
    """How many warnings calls with three types of arguments give, and how many of four calls raise one."""
    raised = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        setting()
        for _ in range(runs):
            program = graph_program(one_send)
            for x in TYPES:
                try:
                    program(x)
                except ImplicitCopyWarning:
                    raised += 1
    assert all((w.filename, w.lineno) == (__file__, LINE) for w in caught)
    return len(caught), raised


SETTINGS: dict[str, tuple[Callable[[], None], tuple[int, int]]] = {
    "none": (lambda: None, (1, 0)),
    "default": (lambda: warnings.simplefilter("default"), (1, 0)),
    "module": (lambda: warnings.simplefilter("module"), (1, 0)),
    "once": (lambda: warnings.simplefilter("once"), (1, 0)),
    "always": (lambda: warnings.simplefilter("always"), (3, 0)),
    "ignore": (lambda: warnings.simplefilter("ignore"), (0, 0)),
    "error": (lambda: warnings.simplefilter("error"), (0, 4)),
    "by category": (lambda: warnings.filterwarnings("error", category=ImplicitCopyWarning), (0, 4)),
    "by module": (lambda: warnings.filterwarnings("error", module=__name__.replace(".", r"\.")), (0, 4)),
    "other module": (lambda: warnings.filterwarnings("error", module="elsewhere"), (1, 0)),
    "by line": (lambda: warnings.filterwarnings("ignore", lineno=LINE), (0, 0)),
    "other line": (lambda: warnings.filterwarnings("ignore", lineno=LINE + 1), (1, 0)),
    "by text": (lambda: warnings.filterwarnings("ignore", message=".* is copied to the host for show"), (0, 0)),
}


@pytest.mark.parametrize(("setting", "expected"), SETTINGS.values(), ids=SETTINGS)
def test_filters(setting: Callable[[], None], expected: tuple[int, int]) -> None:
    assert said(setting) == expected


def test_programs_that_share_a_place_say_it_once() -> None:
    assert said(lambda: None, runs=2) == (1, 0)


def test_copies_may_be_errors() -> None:
    program = graph_program(one_send, copies="error")
    with pytest.raises(GraphProgramError, match=r"GP523.*copied to the host for show"):
        program(np.ones(3))
    graph_program(asked_for, copies="error")(np.ones(3))
