"""Dicts, sets, deques and counters of the caller, or of a captured object, that programs look into and fill."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import Cases, check, differs
from tests.programs.stateful import check_calls

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
X = np.array([1.0, 2.0, 1.0, 3.0])
case = Cases()


class Books:
    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.counter: collections.Counter[int] = collections.Counter()
        self.sums: collections.defaultdict[int, float] = collections.defaultdict(float)
        self.window: collections.deque[float] = collections.deque([0.5], maxlen=3)
        self.seen: set[int] = set()
        self.ids: dict[int, int] = {}
        self.next_id = 0
        self.groups: dict[int, list[float]] = {}
        self.names = {0: "zero", 1: "one"}

    def count(self, x: Any) -> Any:
        for v in x:
            k = int(v)
            self.counts[k] = self.counts.get(k, 0) + 1
        return len(self.counts), max(self.counts.values())

    def commonest(self, x: Any) -> Any:
        for v in x:
            self.counter[int(v)] += 1
        return self.counter.most_common(1)[0][0]

    def add(self, x: Any) -> Any:
        for v in x:
            self.sums[int(v)] += float(v) / 2
        return self.sums[1]

    def slide(self, x: Any) -> Any:
        for v in x:
            self.window.append(float(v))
        return np.mean(self.window), sum(v * v for v in self.window), self.window[-1] - self.window[0]

    def meet(self, x: Any) -> Any:
        new = 0
        for v in x:
            if int(v) not in self.seen:
                self.seen.add(int(v))
                new += 1
        return new, sorted(self.seen)

    def number(self, x: Any) -> Any:
        found = []
        for v in x:
            k = int(v)
            if k not in self.ids:
                self.ids[k] = self.next_id
                self.next_id += 1
            found.append(self.ids[k])
        return np.array(found)

    def group(self, x: Any) -> Any:
        for v in x:
            self.groups.setdefault(int(v), []).append(float(v))
        return max(len(g) for g in self.groups.values())

    def forget(self, x: Any) -> Any:
        self.ids.pop(int(x[0]), None)
        self.ids[int(x[1])] = 5
        del self.ids[int(x[1])]
        return len(self.ids)

    def name(self, x: Any) -> Any:
        return [self.names.get(int(v), "?") for v in x]

    def keep(self, x: Any) -> Any:
        k = int(x[0])
        self.counts[k] = k
        if x[1] > 1:
            raise ValueError(f"bad {k} of {len(self.counts)}")
        return self.counts[k]


METHODS = ["count", "commonest", "add", "slide", "meet", "number", "group", "forget", "name", "keep"]


@pytest.mark.parametrize("name", METHODS)
def test_containers_of_a_captured_object(name: str) -> None:
    check_calls(Books, name, (X,), (X + 1,), (X,), (X[::-1] - 1,))


@case(({1: 2}, X), ({}, X), ({3: 1, 4: 5}, X))
def counted(d: dict[int, int], x: Any) -> Any:
    for v in x:
        d[int(v)] = d.get(int(v), 0) + 1
    return d[1]


@case(({1: 2.5}, 1), ({1: 2.5}, 2), ({2: "a"}, 2))
def looked_up(d: dict[int, Any], k: int) -> Any:
    return d.get(2 * k - k)


class Track:
    def __init__(self, v: float) -> None:
        self.x = np.array([v, 0.0])
        self.updates = 0

    def update(self, v: float) -> None:
        self.x[0] += v
        self.updates += 1


@case((X,), (X[:1],))
def objects_with_arrays_by_number(x: Any) -> Any:
    tracks: dict[int, Track] = {}
    for v in x:
        if int(v) in tracks:
            tracks[int(v)].update(v)
        else:
            tracks[int(v)] = Track(v)
    return sorted((k, t.updates, float(t.x[0])) for k, t in tracks.items())


@case.each()
def test_dicts_of_the_caller(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


class Register:
    def __init__(self) -> None:
        self.tracks: dict[int, Track] = {}
        self.words: collections.Counter[str] = collections.Counter()
        self.lists: collections.defaultdict[str, list[float]] = collections.defaultdict(list)

    def update(self, x: Any) -> Any:
        for v in x:
            if int(v) not in self.tracks:
                self.tracks[int(v)] = Track(v)
            else:
                self.tracks[int(v)].update(v)
        return sorted(self.tracks)

    def note(self, x: Any) -> Any:
        self.words["calls"] += 1
        self.lists["sums"].append(float(x.sum()))
        return self.words["calls"], len(self.lists["sums"])


@pytest.mark.parametrize("name", ["update", "note"])
def test_known_and_computed_keys_of_captured_containers(name: str) -> None:
    check_calls(Register, name, (X,), (X + 1,), (X,))


class Log:
    def __init__(self) -> None:
        self.window: Any = collections.deque(maxlen=3)
        self.known: Any = {}
        self.seen: Any = set()
        self.pair: Any = collections.namedtuple("Pair", "a b")([1.0], 2.0)

    def total(self, x: Any) -> Any:
        t = x[0]
        for v in self.window:
            t = t + v
        return t, sum(self.window)

    def last(self, x: Any) -> Any:
        return self.window[-1] * 2 + x[0]

    def get(self, x: Any) -> Any:
        return self.known.get(int(x[0]), 0.0) + 1

    def has(self, x: Any) -> Any:
        return int(x[0]) in self.seen, len(self.seen), sum(self.pair.a)


def changes(wrap: Callable[[Any], Any]) -> list[Any]:
    """What methods give while others change what they look at."""
    log, found = Log(), []
    total, last, get, has = (wrap(getattr(log, name)) for name in ("total", "last", "get", "has"))

    def note(*methods: Any) -> None:
        for method in methods:
            try:
                found.append(method(X))
            except IndexError as error:
                found.append(str(error))

    note(total, last, get, has)
    log.window.append(2.5)
    log.known[1] = 7
    log.seen.add(1)
    log.pair.a.append(3.0)
    note(total, last, get, has)
    log.window.append(7)
    log.known[1] = 0.5
    log.seen.add(True)
    note(total, last, get, has)
    log.window, log.known, log.seen = collections.deque([1, 2.0]), collections.Counter([1, 1]), {4}
    note(total, last, get, has)
    log.known[1] = 9
    note(get)
    return found


def test_what_others_change_between_calls_is_seen() -> None:
    assert not differs(changes(lambda method: method), changes(graph_program))
