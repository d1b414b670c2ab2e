"""Results of every structure, arguments that are written, and exceptions, through `load` on a device."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, IntFlag
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import graph_program, load
from tests.loading.agreement import agree
from tests.loading.device import Device


class Color(Enum):
    RED = "r"
    BLUE = "b"


class Access(IntFlag):
    READ = 1
    WRITE = 2
    RUN = 4


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Pair(NamedTuple):
    low: Any
    high: Any


@dataclass
class Track:
    x: Any
    hits: int = 0


@graph_program
def nothing(x: Any) -> Any:
    x[0] = 1


@graph_program
def classes_of_numbers(x: Any, n: int) -> Any:
    return n + 1, n / 2, n > 2, x.sum(), x.sum() > 1, np.float32(n), float(x[0]), int(x[0]), bool(x[0]), np.asarray(n)


@graph_program
def structures(x: Any) -> Any:
    return [{"a": (x, x + 1), 2: Pair(x.min(), x.max())}, Track(x * 2, 3), "text", None, Color.BLUE, 1.5]


@graph_program
def texts(x: Any, n: int) -> Any:
    return f"{n:04d} of {x.sum():.3f}", f"{n!r:>5}"


@graph_program
def lists(x: Any, n: int) -> Any:
    numbers, rows, pairs, ragged = [], [], [], []
    for i in range(n):
        numbers.append(i * i)
        rows.append(x * i)
        pairs.append((i, {"x": x[i % 2]}, Track(x + i, i)))
        ragged.append(x[:i])
    return numbers, rows, pairs, ragged, tuple(numbers)


@graph_program
def lists_of_lists(x: Any, n: int) -> Any:
    found = []
    for i in range(n):
        inner = []
        for j in range(i):
            inner.append((j, x[j % 2]))
        found.append(inner)
    return found


@graph_program
def optional(x: Any, n: int) -> Any:
    best = None
    for i in range(n):
        if x[i] > 0:
            best = Track(x[i], i)
    return best, {"found": best is not None}


@graph_program
def left_out(x: Any, n: int) -> Any:
    d = {"x": x}
    if n > 1:
        d["n"] = n
    return d


@graph_program
def choices(x: Any, n: int) -> Any:
    if n > 1:
        return x
    if n > 0:
        return "one", n
    return None


@graph_program
def shared(x: Any, n: int) -> Any:
    a = Track(x, n)
    best = a
    others = [a, a]
    return a, best, others


@graph_program
def picked(x: Any, n: int) -> Any:
    tracks = []
    for i in range(n):
        tracks.append(Track(x * i, i % 3))
    best = tracks[0]
    for t in tracks:
        if t.hits > best.hits:
            best = t
    best.hits += 10
    return tracks, best


@graph_program
def writes(x: Any, z: Any, t: Track, d: Any, xs: Any) -> Any:
    x[1:] += 1
    z *= 1j
    t.x = t.x + 1
    t.hits += 1
    d["n"] = d["n"] * 2
    xs[0] = 5
    return t, x


@graph_program
def refills(xs: Any, d: Any, n: int) -> Any:
    for i in range(n):
        xs.append(i)
    d["new"] = n
    return len(xs)


A = np.arange(1.0, 4.0)
CASES: dict[str, tuple[Any, list[Any]]] = {
    "nothing": (nothing, [(A,), (A * 2,)]),
    "classes of numbers": (classes_of_numbers, [(A, 3), (-A, 0)]),
    "structures": (structures, [(A,), (A[:1],)]),
    "texts": (texts, [(A, 3), (-A, 12345)]),
    "lists": (lists, [(A, 3), (A, 0), (A, 1), (-A, 5)]),
    "lists of lists": (lists_of_lists, [(A, 3), (A, 0), (A, 1), (A, 4)]),
    "optional": (optional, [(A, 2), (-A, 2), (A, 0)]),
    "left out": (left_out, [(A, 2), (A, 1)]),
    "choices": (choices, [(A, 2), (A, 1), (A, 0)]),
    "shared": (shared, [(A, 1), (-A, 2)]),
    "picked": (picked, [(A, 4), (A, 1), (A, 7), (A, 0)]),
    "writes": (
        writes,
        [
            (A, A + 1j, Track(A + 0, 1), {"n": 3}, [1, 2]),
            (np.ones((6, 2))[:, 0], np.zeros((0,), complex), Track(A[:1], 0), {"n": -3}, [7, 7]),
        ],
    ),
    "refills": (refills, [([1], {"a": 1}, 2), ([7], {"a": 2}, 0)]),
}


@pytest.mark.parametrize("name", CASES)
def test_results(name: str, device: Device) -> None:
    program, calls = CASES[name]
    agree(device, program, calls)


def test_one_object_in_two_places_is_one_object(device: Device) -> None:
    for program in (shared, picked):
        (outcome,) = agree(device, program, [(A, 3)])
        if program is shared:
            a, best, others = outcome.result
            assert a is best and others[0] is a and others[1] is a
        else:
            tracks, best = outcome.result
            assert any(t is best for t in tracks)
    (outcome,) = agree(device, writes, [(A, A + 1j, Track(A + 0, 1), {"n": 3}, [1, 2])])
    assert outcome.result[0] is outcome.args[2] and outcome.result[1] is outcome.args[0]


class Lost(ValueError):
    """An exception of the user's."""


class Stale(Lost, KeyError):
    pass


@graph_program
def fails(x: Any, n: int) -> Any:
    x[0] = 7
    if n == 1:
        raise Lost(f"track {n} of {x.sum():.2f}", n)
    if n == 2:
        raise Stale("gone")
    if n == 3:
        try:
            x[9] = 1
        except IndexError as error:
            raise Lost("no such place") from error
    if n == 4:
        raise StopIteration
    if n == 5:
        raise AssertionError(n, "too many")
    if n == 6:
        return 1 // (n - 6)
    if n == 7:
        return np.linalg.inv(x[:, None] * x)
    if n == 8:
        return x.reshape(2, -1)
    if n == 9:
        return {1: x}[2]
    return x[n]


def test_exceptions(device: Device) -> None:
    outcomes = agree(device, fails, [(A, n) for n in range(12)])
    lost = outcomes[1].error
    assert (
        lost is not None and lost.classes[:2] == ("Lost", "ValueError") and lost.notes[0].startswith("raised at test_")
    )
    assert outcomes[2].error is not None and "KeyError" in outcomes[2].error.classes
    for outcome in outcomes[1:10]:
        np.testing.assert_array_equal(outcome.args[0], A)  # in a file nothing is written where `error` is set


class Bad(ValueError):
    def __init__(self, code: int, of: int = 10) -> None:
        self.share = code / of
        super().__init__(f"code {code}, {self.share:.1%} of {of}")


class Worse(Bad):
    def __init__(self, code: int) -> None:
        super().__init__(2 * code, of=code)
        self.worse = True

    def __str__(self) -> str:
        return f"{super().__str__()}: {self.share}"


class NoKey(KeyError):
    def __init__(self, *, code: int) -> None:
        super().__init__(f"no {code}", code)


@dataclass
class Row(Exception):
    place: int
    x: Any

    def __str__(self) -> str:
        return f"row {self.place} of {len(self.x)}"


@graph_program
def fails_by_class(x: Any, n: int) -> Any:
    if n == 1:
        raise Bad(n)
    if n == 2:
        raise Worse(n)
    if n == 3:
        raise NoKey(code=n)
    if n == 4:
        raise Row(n, x)
    if n == 5:
        try:
            raise Bad(n, of=3)
        except Bad as error:
            raise Worse(n) from error
    for k in range(n):
        if x[k] > 2:
            raise Bad(k, of=n)
    return x


def test_exceptions_of_classes_with_code_of_their_own(device: Device) -> None:
    """Their text, which the class's `__init__` or `__str__` makes, is in the file."""
    x = np.arange(8.0)
    agree(device, fails_by_class, [(x, n) for n in range(8)])


def test_fields_and_arguments_of_exceptions() -> None:
    x = np.arange(8.0)
    program = load(fails_by_class.model((x, 1)).SerializeToString())
    for n in range(1, 8):
        found, expected = (pytest.raises(Exception) for _ in range(2))
        with found as one:
            program(x, n)
        with expected as other:
            fails_by_class.python(x, n)
        assert str(one.value.args) == str(other.value.args)
        fields = {name: value for name, value in vars(one.value).items() if name not in ("_text", "__notes__")}
        assert str(fields) == str(vars(other.value))


def test_flags_and_enums_of_ints(device: Device) -> None:
    @graph_program
    def allowed(n: int, mode: Access) -> Any:
        needed = Access.READ | Access.RUN
        level = Level.HIGH if n & needed == needed else Level.LOW
        return n & mode, n & needed, level, level > 1, Access.WRITE | Access.RUN

    mode = Access.WRITE
    agree(device, allowed, [(n, mode) for n in (0, 1, 5, 7, -1)])
