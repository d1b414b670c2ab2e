"""Host work beside graph work: what is begun early and waited for late has the same effects, in the same order."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, graph_program, host_function
from graph_program.extract.arguments.argument_specs import spec_from_value
from graph_program.extract.ir.host import EXCHANGE, START, WAIT
from graph_program.extract.ir.verifier import verify_graph
from graph_program.extract.pipeline import extract
from tests.programs.host.test_host_export import export, module_at

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
LOG: list[Any] = []
N = 64


@host_function
def note(*values: Any) -> None:
    LOG.append((threading.current_thread() is threading.main_thread(), *values))


@host_function
def read(k: int) -> float:
    note("read", k)
    return k * 0.5


@host_function
def row(k: int) -> Float64[np.ndarray, "n"]:
    note("row", k)
    return np.full(100, float(k))


@host_function
def fail_at(k: int, last: int) -> None:
    note("fail_at", k)
    if k == last:
        raise OSError(k)


def tell_only(x, n):
    for k in range(n):
        x = x @ x
        note(k, x.shape)
    return x


def read_first(x, n):
    s = 0.0
    for k in range(n):
        v = read(k)
        x = x @ x
        s += v * x[0, 0]
    return x, s


def read_last(x, n):
    s = 0.0
    for k in range(n):
        x = x @ x
        s += read(k) * x[0, 0]
    return x, s


def large_values(x, n):
    for k in range(n):
        a = row(k)
        b = row(k + 10)
        y = x @ x
        note("large", a, k)
        x = y + a[0] - b[0]
    return x


def in_branches(x, n):
    for k in range(n):
        y = x @ x
        if k % 2:
            note("odd", k)
        else:
            x = x + read(k)
        x = x + y
    return x


def objects(x, n):
    lines: Any = open_list()
    for k in range(n):
        x = x @ x
        lines.append(k)
    note("lines", lines)
    return x, len(lines)


@host_function
def open_list() -> list[Any]:
    return []


def host_fails(x, n):
    for k in range(n):
        x = x @ x
        fail_at(k, 2)
    return x


def graph_fails(x, n):
    for k in range(n):
        x = x @ x
        note("round", k)
        if k == 2:
            raise ValueError("the graph ends it")
    return x


def both_fail(x, n):
    """The host's exception comes first, although the graph may come to its own before."""
    for k in range(n):
        fail_at(k, 1)
        x = x @ x
        if k == 1:
            raise ValueError(k)
    return x


def caught(x, n):
    failures = 0
    for k in range(n):
        try:
            fail_at(k, 1)
        except OSError:
            failures += 1
        x = x @ x
    return x, failures


def in_place(x, n):
    for k in range(n):
        y = x @ x
        x[k] = y[k]
        note("row", x[k, 0])


class Camera:
    """Gives frames until there are no more."""

    def __init__(self, last: int):
        self.last = last
        self.at = 0

    def read(self, gain: float) -> tuple[bool, Float64[np.ndarray, "64 64"]]:
        note("camera", self.at, gain)
        self.at += 1
        if self.at == 5:
            raise OSError("no light")
        return self.at <= self.last, np.full((N, N), self.at * gain)

    def number(self) -> int:
        note("number", self.at)
        self.at += 1
        return self.at


@host_function
def camera(last: int) -> Camera:
    return Camera(last)


def next_value(x, n):
    for k in range(n):
        v = read(k)
        x = x @ (x * v)
    return x


def next_frame(x, n):
    cam = camera(n)
    gain, frames = 1.0, 0
    while True:
        more, frame = cam.read(gain)
        if not more:
            break
        gain = gain * 0.5
        frames += 1
        x = x @ frame + x
    return x, gain, frames


def until_a_number(x, n):
    cam = camera(n)
    total = 0
    for _ in range(10):
        found = cam.number()
        total += found
        x = x @ x * found
        if found >= n:
            break
    else:
        total = -1
    return x, total


def stops_by_what_it_computes(x, n):
    """Nothing may be read that plain Python would not read."""
    for k in range(10):
        v = read(k)
        x = x @ x + v
        if x[0, 0] > n:
            break
    return x


def typed(function: Any) -> Any:
    function.__annotations__["x"] = Float64[np.ndarray, "64 64"]
    return graph_program(function)


def outcome(function: Any, n: int) -> tuple[str, str, str]:
    LOG.clear()
    x = np.eye(N) * 0.5 + 0.001
    try:
        result = repr([np.round(np.asarray(r, np.float64), 9).tolist() for r in _flat(function(x, n))])
    except (OSError, ValueError) as error:
        result = repr(error)
    return result, repr(x.round(9).tolist()), repr(LOG)


def _flat(value: Any) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, tuple) else [value]


PROGRAMS = [
    tell_only,
    read_first,
    read_last,
    large_values,
    in_branches,
    objects,
    host_fails,
    graph_fails,
    both_fail,
    caught,
    in_place,
    next_value,
    next_frame,
    until_a_number,
    stops_by_what_it_computes,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_as_python(function: Any, n: int) -> None:
    program = typed(function)
    expected = outcome(function, n)
    assert outcome(program, n) == expected
    assert outcome(program, n) == expected
    assert [t.name for t in threading.enumerate() if t.name == "graph_program"] == []


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_exported(function: Any, tmp_path: Path) -> None:
    path = export(typed(function), tmp_path, "operators", (np.ones((N, N)), 3))
    assert outcome(module_at(path).load(), 5) == outcome(function, 5)


def operations(function: Any) -> list[str]:
    """What the graph does on the host, in its order."""
    specs = {"x": spec_from_value(np.eye(N), Float64[np.ndarray, "64 64"], "x"), "n": spec_from_value(3, None, "n")}
    session = extract(function, specs).session
    verify_graph(session, unread=False)
    return [n.op for n in session.graph.walk() if n.op.startswith("host_")]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tell_only, [START]),
        (read_first, [START, WAIT]),
        (read_last, [START, WAIT]),
        (caught, [START, WAIT]),
        (next_value, [START, WAIT, START]),
        (next_frame, [START, EXCHANGE, START, WAIT]),
        (stops_by_what_it_computes, [START, WAIT]),
    ],
)
def test_what_is_begun_early(function: Any, expected: list[str]) -> None:
    assert operations(function) == expected


def test_little_work_is_not_handed_over() -> None:
    @graph_program
    def small(x: Float64[np.ndarray, "3"], n: int) -> Any:
        for k in range(n):
            x = x + read(k)
            note("x", k)
        return x

    LOG.clear()
    expected, seen = small.python(np.ones(3), 4), list(LOG)
    LOG.clear()
    assert small(np.ones(3), 4).tolist() == expected.tolist()
    assert seen == LOG


def test_both_work_at_once() -> None:
    """The host sleeps until the graph has come to the end of its work: it would never wake up if that waited."""
    reached = threading.Event()

    @host_function
    def wait_for_the_end(k: int) -> float:
        return 1.0 if reached.wait(200) else 0.0

    @graph_program(backend="onnxruntime")  # machine code takes turns with the host
    def program(x: Float64[np.ndarray, "n n"]) -> Any:
        seen = wait_for_the_end(0)
        y = x @ x
        return y * seen

    class Watch(threading.Thread):
        """Sees the session's thread wait."""

        def run(self) -> None:
            deadline = time.monotonic() + 100
            while time.monotonic() < deadline:
                frames = sys._current_frames()
                for thread in threading.enumerate():
                    frame = frames.get(thread.ident or 0) if thread.name == "graph_program" else None
                    if frame is not None and frame.f_code.co_name == "wait":
                        reached.set()
                        return
                time.sleep(0.01)

    watch = Watch()
    watch.start()
    seen = program(np.eye(N))[0, 0]
    watch.join()
    assert seen == 1.0
