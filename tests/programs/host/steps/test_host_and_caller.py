"""What host code and the caller see of a program's objects: ends of generators, keys of some paths, what is written."""

from __future__ import annotations

import json
import queue
import random
import threading
from collections import Counter, deque
from collections.abc import Iterator
from concurrent import futures
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program, host_function
from tests.programs.plain import differs, outcome

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]
LOG: list[Any] = []
REGISTRY: dict[str, Any] = {}


def steps(n: int, name: str) -> Iterator[float]:
    try:
        for i in range(n):
            yield 0.5 * i
    finally:
        LOG.append(name)


@host_function
def reading(k: int) -> float:
    return 0.5 * k - 1.0


@host_function
def show(value: Any) -> None:
    LOG.append(json.dumps(value if isinstance(value, dict) else vars(value), default=str))


class State:
    def __init__(self) -> None:
        self.values = np.array([1.0, -1.0, 3.0])
        self.header: dict[str, str] = {}


class Registered:
    def __init__(self, name: str) -> None:
        REGISTRY[name] = self
        self.name = name


class Plain:
    pass


STATE = State()


def left_by_an_error(x, k):
    for v in steps(3, "outer"):
        for w in steps(3, "inner"):
            if w > 0.2:
                break
        if v > 0.2:
            break
    return x[k]


def left_by_raise(x, k):
    for v in steps(3, "outer"):
        for w in steps(3, "inner"):
            if v + w > 0.2:
                raise KeyError("far")
    return x[0]


def left_by_return(x, k):
    for v in steps(3, "outer"):
        for w in steps(k + 1, "inner"):
            if v + w > 0.2:
                return x[0]
    return x[1]


def left_together(x, k):
    for v, w in zip(steps(k, "one"), steps(9, "other"), strict=False):
        if v + w > 1:
            break
    return x[0]


def keys_of_some_paths(x, k):
    d, p = {"n": 1}, Plain()
    p.name = "p"
    if k > 2:
        d["done"] = True
        p.extra = x
    show(d)
    show(p)
    return d, json.dumps(d)


def constants_for_the_caller(m, k):
    for v in range(k):
        if v > 2:
            m["hit"] = True
            break
        m["inner"].setdefault("seen", "x")
    else:
        m["none"] = None
    try:
        if k > 1:
            raise ValueError("no")
    except ValueError:
        m["inner"].update(error="bad")
    if k > 3:
        STATE.header["auth"] = "token"


def shifted(v, by):
    v += by


def written_by_another_name(k):
    shifted(STATE.values, reading(k))
    v = STATE.values
    v *= reading(k + 1)
    return v.sum()


def registered(x, k):
    r = Registered(f"r{k}")
    show(r)
    return r.name, x


def objects_of_the_host_in_lists(x, k):
    with futures.ThreadPoolExecutor(1) as pool:
        found = [pool.submit(pow, i, 2) for i in range(k)]
        done, _ = futures.wait(found)
        print(len(done))
    print(sorted({"lock": threading.Lock(), "x": k}))
    return x


CALLS = [(np.arange(2.0), k) for k in (0, 1, 5)]
PROGRAMS = [
    *((f, CALLS) for f in (left_by_an_error, left_by_raise, left_by_return, left_together, keys_of_some_paths)),
    (constants_for_the_caller, [({"inner": {}}, k) for k in (0, 1, 2, 6)]),
    (written_by_another_name, [(0,), (3,)]),
    (registered, CALLS[:1]),
    (objects_of_the_host_in_lists, CALLS),
]


def seen(function: Any, args: tuple[Any, ...]) -> Any:
    LOG.clear()
    STATE.__init__()  # type: ignore[misc]
    found = outcome(function, args)
    return found, list(LOG), vars(STATE)


@pytest.mark.parametrize(("function", "calls"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_as_python(function: Any, calls: Any, capsys: pytest.CaptureFixture[str]) -> None:
    program = graph_program(function)
    for args in calls:
        expected, shown = seen(function, args), capsys.readouterr()
        assert not differs(expected, seen(program, args))
        assert capsys.readouterr() == shown


def test_a_generator_ends_before_the_caller_handles_the_exception() -> None:
    program = graph_program(left_by_an_error)
    LOG.clear()
    try:
        program(np.arange(2.0), 5)
    except IndexError:
        LOG.append("handled")
    assert LOG == ["inner", "inner", "outer", "handled"]


@dataclass(slots=True)
class Slotted:
    a: int


@host_function
def spoil(made: Any) -> None:
    match made:
        case {"p": Plain() as p}:
            p.name = "other"
        case {"s": set() as tags}:
            tags.add(9)
        case Slotted():
            made.a = 7


def spoiled(x, k):
    p = Plain()
    p.name = "p"
    if k == 0:
        spoil({"p": p, "lock": threading.Lock()})
    if k == 1:
        spoil({"s": {1, 2}, "x": k})
    if k == 2:
        spoil(Slotted(k))
    return x


def test_what_the_program_has_made_is_compared_with_what_it_was() -> None:
    program = graph_program(spoiled)
    for k in range(3):
        with pytest.raises(RuntimeError, match=r"has changed a (dict|Slotted) that it was given"):
            program(np.ones(2), k)
    assert program(np.ones(2), 3).tolist() == [1.0, 1.0]


class Sink:
    def __init__(self) -> None:
        self.last: Any = None
        self.seen: list[Any] = []
        self.lock = threading.Lock()  # what no graph has: it stays on the host

    def put(self, v: Any) -> None:
        self.last = v
        self.seen.append(v)


def other_objects_change(x, out):
    done, names = threading.Event(), queue.Queue()
    counted = made()
    recent = deque(maxlen=2)
    for k in range(3):
        out.put(x)
        names.put(k)
        counted.update(["a", "b"])
        recent.append(str(names.get()))
        if x.max() > 2:
            done.set()
    return done.is_set(), counted.total(), list(recent), len(out.seen)


@host_function
def made() -> Any:
    return Counter()


def test_other_objects_of_the_host_change() -> None:
    program = graph_program(other_objects_change)
    for x in ([1.0, 5.0], [1.0]):
        assert program(np.array(x), Sink()) == other_objects_change(np.array(x), Sink())


def test_a_copy_that_the_host_has_is_not_written() -> None:
    @graph_program
    def program(x, out):
        d = {"n": 1}
        out.put(d)
        out.last.update(n=2)
        return x * d["n"]

    with pytest.raises(RuntimeError, match="has changed a dict that it was given"):
        program(np.ones(2), Sink())


TABLE = np.arange(12.0).reshape(3, 4)


class Learner:
    def __init__(self) -> None:
        self.q = np.zeros((2, 3))

    def step(self, chooser, s):
        a = chooser.randrange(3)
        self.q[s, a] += 1
        self.q[:, chooser.randrange(3)] *= 2
        return self.q[s, a], self.q[a - 2, 1:a], TABLE[chooser.randrange(3), chooser.randrange(4)]


def test_numbers_of_the_host_index_captured_arrays() -> None:
    one, other = Learner(), Learner()
    program = graph_program(one.step)
    first, second = random.Random(1), random.Random(1)
    for k in range(6):
        assert not differs(program(first, k % 2), other.step(second, k % 2))
        assert not differs(one.q, other.q)
