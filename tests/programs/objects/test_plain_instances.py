"""Instances of ordinary classes as arguments: taken apart as data classes are, and written back."""

from __future__ import annotations

import copy
import threading
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.model_alone import Alone
from tests.programs.plain import check, differs

X = np.array([1.0, 2.0, 3.0])


class Comparable:
    """Equal where all attributes are."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and not differs(vars(self), vars(other))

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({vars(self)})"


class Pid(Comparable):
    def __init__(self, kp: float, ki: float = 0.5, *, limit: Any = None):
        if ki < 0:
            raise ValueError("ki must not be negative")
        self.kp, self.ki = kp, ki
        self.limit = limit
        self.total = np.float64(0.0)
        self.name = "pid"

    @property
    def gain(self) -> Any:
        return self.kp + self.ki

    def update(self, e: Any) -> Any:
        self.total += e
        u = self.kp * e + self.ki * self.total
        if self.limit is not None and u > self.limit:
            self.total -= e
            return self.limit
        return u


def each_error(e: Any, pid: Any) -> Any:
    out = np.zeros(len(e))
    for k in range(len(e)):
        out[k] = pid.update(e[k])
    return out


def by_property(e: Any, pid: Any) -> Any:
    return e * pid.gain


def changed_on_one_path(e: Any, pid: Any) -> Any:
    if e > 0:
        pid.total = np.float64(7.0)
        pid.last = e
    return pid.total


def returned(e: Any, pid: Any) -> Any:
    pid.total = pid.total + e
    return pid


def test_a_controller() -> None:
    for pid in (Pid(1.0), Pid(3.0, 2.0), Pid(1.0, 1.0, limit=2.0)):
        check(each_error, (X, pid), (X[:0], pid), (-X, pid), (X[:1], pid))
    check(by_property, (X, Pid(1.0)), (X, Pid(2.0)))
    check(returned, (1.5, Pid(1.0)), (2.5, Pid(2.0)))
    check(changed_on_one_path, (1.5, Pid(1.0)), (-2.5, Pid(2.0)))


class Window(Comparable):
    """State that is an array, a list, and another instance."""

    def __init__(self, n: int):
        self.w = np.zeros(n)
        self.bounds = [0.0, 1.0]
        self.pid = Pid(1.0)
        self.first = None

    def push(self, x: Any) -> Any:
        self.w[1:] = self.w[:-1].copy()
        self.w[0] = x
        if self.first is None:
            self.first = x
        self.bounds[1] = max(self.bounds[1], x)
        return self.w.sum() + self.pid.update(x)


def pushed(x: Any, window: Any) -> Any:
    return window.push(x), window.bounds[1] - window.first


def test_attributes_of_any_kind() -> None:
    window = Window(3)
    check(pushed, (2.5, window), (0.5, window), (1.0, Window(5)))
    program = graph_program(pushed)
    other = copy.deepcopy(window)
    for x in (1.0, 3.0, -2.0):
        assert program(x, window) == pushed(x, other)
        assert window == other


def test_objects_of_a_class_share_an_extraction() -> None:
    program = graph_program(each_error)
    for pid in (Pid(1.0), Pid(2.0), Pid(3.0, 0.25)):
        program(X, pid)
    assert len(next(iter(program._calls.caches.values()))._types) == 1  # type: ignore[union-attr]


class Calls(Comparable):
    def __init__(self, scale: float):
        self.seen = 0
        self.scale = scale

    def __call__(self, x: Any) -> Any:
        self.seen += 1
        return x * self.scale


def called_twice(x: Any, f: Any) -> Any:
    return f(x) + f(x + 1)


def called_in_a_loop(x: Any, f: Any, n: Any) -> Any:
    s = np.zeros_like(x)
    for _ in range(n):
        s = s + f(x)
    return s, f.seen


def test_a_callable_that_counts_its_calls() -> None:
    check(called_twice, (X, Calls(2.0)), (X, Calls(3.0)))
    check(called_in_a_loop, (X, Calls(2.0), 0), (X, Calls(3.0), 1), (X, Calls(3.0), 4))
    program, f = graph_program(called_twice), Calls(2.0)
    for k in range(1, 4):
        program(X, f)
        assert f.seen == 2 * k


def test_one_that_is_in_a_tuple_or_a_list() -> None:
    def program(x: Any, layers: Any) -> Any:
        for f in layers:
            x = f(x)
        return x

    check(program, (X, [Calls(2.0), Calls(0.5)]), (X, (Calls(2.0), Calls(0.5), Calls(0.5))))


def test_a_callable_that_changes_nothing_is_known() -> None:
    class Power:
        def __init__(self, n: int):
            self.n = n

        def __call__(self, x: Any) -> Any:
            for _ in range(self.n):
                x = x * x
            return x

    program = graph_program(lambda x, f: f(x))
    for n in (0, 1, 3):
        assert program(X, Power(n)).tolist() == Power(n)(X).tolist()


@pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
class TestOnTheHost:
    """What stays there: what has something that no graph has, does more than assign, or has no graph form."""

    def test_one_with_an_attribute_of_the_hosts(self) -> None:
        class Locked(Pid):
            def __init__(self) -> None:
                super().__init__(1.0)
                self.lock = threading.Lock()

            def quick(self, e: float) -> float:
                with self.lock:
                    return float(self.update(e))

        program = graph_program(lambda e, pid: e * pid.quick(2.0))
        assert program(X, Locked()).tolist() == (X * Locked().quick(2.0)).tolist()

    def test_one_that_is_registered_when_it_is_made(self) -> None:
        made = []

        class Listed:
            def __init__(self) -> None:
                made.append(self)
                self.n = 1

        def program(x: Any, o: Any) -> Any:
            o.n = 2
            return x, o

        listed = Listed()
        assert graph_program(program)(X, listed)[1] is listed
        assert listed.n == 2

    def test_one_whose_methods_have_no_graph_form(self) -> None:
        class Parsed:
            def __init__(self, text: str):
                self.text = text
                self.n = 0

            def value(self) -> float:
                self.n += 1
                return float(eval(self.text))

        program, parsed = graph_program(lambda x, p: x * p.value()), Parsed("1 + 1")
        for k in range(1, 3):
            assert program(X, parsed).tolist() == (2 * X).tolist()
            assert parsed.n == k

    def test_those_that_share_an_array(self) -> None:
        class Holder:
            def __init__(self, w: Any):
                self.w = w

        def program(a: Any, b: Any) -> Any:
            a.w[0] = 7.0
            return b

        a = Holder(np.zeros(2))
        b = Holder(a.w)
        assert graph_program(program)(a, b) is b
        assert a.w.tolist() == b.w.tolist() == [7.0, 0.0]

    def test_one_that_holds_itself(self) -> None:
        class Node:
            def __init__(self) -> None:
                self.next = self
                self.n = 1

        def program(x: Any, node: Any) -> Any:
            node.next.n = 5
            return x

        node = Node()
        graph_program(program)(X, node)
        assert node.n == 5

    def test_a_refusal_is_about_the_method(self) -> None:
        class Wrong:
            def __init__(self) -> None:
                self.w = np.ones(2)

            def apply(self, x: Any) -> Any:
                return x + eval("1")

        with pytest.raises(GraphProgramError, match="eval"):
            graph_program(lambda x, o: np.sum(x @ o.apply(x)))(np.ones(2), Wrong())


@pytest.mark.parametrize("limit", [None, 2.0])
def test_in_a_model_made_with_another_object(limit: Any) -> None:
    alone = Alone(each_error, (X, Pid(1.0, limit=limit)))
    pid, total = Pid(2.0, 0.25, limit=limit), 0.0
    for e in (X, -X, X[:0], np.array([5.0])):
        feeds = {"e": e, "pid.kp": 2.0, "pid.ki": 0.25, "pid.total": total}
        found = alone(feeds | ({} if limit is None else {"pid.limit": limit}))
        assert found["out"].tolist() == each_error(e, pid).tolist()
        total = float(found["pid.total_out"])
        assert total == pid.total


def test_in_a_model_that_counts_calls() -> None:
    alone = Alone(called_twice, (X, Calls(2.0)))
    found = alone({"x": X + 1, "f.seen": 5, "f.scale": 3.0})
    assert found["result"].tolist() == called_twice(X + 1, Calls(3.0)).tolist()
    assert int(found["f.seen_out"]) == 7
