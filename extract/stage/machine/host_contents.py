"""What is in the containers that a program makes on the host: the types of their elements, keys and values.

counts = {}                             counts: dict[int, int]
for v in x:
    counts[int(v)] = counts.get(int(v), 0) + 1

Nobody says so; it is found from what the program puts in.  A container is known by the places where it
may have been made, which its note carries.  An evaluation supposes types for what each place makes
(`typing.Never` for nothing at all) and collects what is put there.  Where that is more than was supposed,
the program is evaluated again with what was found, until it holds.  A second type, a host function that
might put something in, or the loss of where it was made leaves the type of a place open (`typing.Any`).
"""

from __future__ import annotations

import collections
import collections.abc
import functools
import operator
import types
import typing
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import PY_TYPES, Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.diagnostics import Loc

MAPPINGS = (dict, collections.defaultdict, collections.OrderedDict, collections.Counter)
CONTAINERS = (*MAPPINGS, list, set, frozenset, collections.deque)
PLAIN = (int, float, complex, bool, str, bytes, types.NoneType)
"""Classes whose objects never change."""
NOTHING: Any = typing.Never
"""The note of what no program ever has: an element of a container that is always empty."""
READER: Any = collections.abc.Callable
"""The note of a function of the program that changes nothing of what it reads."""
ROUNDS = 6
"""After so many evaluations, what is found only adds to what was supposed."""


class Place(NamedTuple):
    """Where containers of a class are made."""

    loc: Loc
    cls: type
    part: str = ""
    """What it is of several that are made there."""


class Made(types.GenericAlias):
    """The note of a container of the program's own: `dict[int, float]`, with the places that may have made it."""

    places: frozenset[Place]

    def __new__(cls, origin: Any, args: tuple[Any, ...], places: frozenset[Place]) -> Made:
        made = super().__new__(cls, origin, args)
        made.places = places
        return made

    def __getattribute__(self, name: str) -> Any:  # an alias has the attributes of what it stands for
        return object.__getattribute__(self, name) if name == "places" else super().__getattribute__(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Made) and (self.__origin__, self.places) == (other.__origin__, other.places)

    def __hash__(self) -> int:
        return hash(self.places)


@dataclass(frozen=True)
class OneNumber:
    """The note of a number that is one of several types: `sums.get(k, 0.0)` where the values are `np.float64`."""

    types: frozenset[TensorType]


# ---------------------------------------------------------------- notes


def stored(note: Any) -> Any:
    """A note of what a container keeps: of things that stay what they are, and of containers; Any for others."""
    if isinstance(note, TensorType):
        if note.kind is Kind.PYTHON:
            return next(cls for cls, type_ in PY_TYPES.items() if type_ == note)
        return note if note.kind is Kind.NUMPY else Any
    if isinstance(note, types.UnionType):
        return joined(*map(stored, note.__args__)) if len(note.__args__) == 2 else Any
    if note is NOTHING or note in PLAIN or isinstance(note, Made | OneNumber):
        return note
    if typing.get_origin(note) is tuple and Ellipsis not in typing.get_args(note):
        return tuple.__class_getitem__(tuple(map(stored, typing.get_args(note))))
    return Any


def joined(a: Any, b: Any) -> Any:
    """The note of one of two things; Any where they have no common one."""
    if a == b or b is NOTHING:
        return a
    if a is NOTHING:
        return b
    if isinstance(a, Made) and isinstance(b, Made) and a.__origin__ is b.__origin__:
        args = tuple(map(joined, a.__args__, b.__args__))
        return Made(a.__origin__, args, a.places | b.places)
    pair = (typing.get_args(a), typing.get_args(b))
    if typing.get_origin(a) is typing.get_origin(b) is tuple and len(pair[0]) == len(pair[1]):
        return tuple.__class_getitem__(tuple(map(joined, *pair)))
    return one_number(a, b) or _optional(a, b)


def one_number(a: Any, b: Any) -> OneNumber | None:
    """The note of one of two numbers of different types; None for what is no number."""
    found: set[TensorType] = set()
    for note in (a, b):
        types_: Any = note.types if isinstance(note, OneNumber) else {PY_TYPES.get(note, note)}
        if not all(isinstance(t, TensorType) and t.kind is not Kind.ARRAY for t in types_):
            return None
        found |= types_
    return OneNumber(frozenset(found))


def _optional(a: Any, b: Any) -> Any:
    """`int | None` for an int or None."""
    options = dict.fromkeys(o for note in (a, b) for o in _options(note))
    values = [o for o in options if o is not types.NoneType]
    storable = all(isinstance(o, type | types.GenericAlias) for o in values)
    if len(values) == len(options) or Any in options or not storable:
        return Any
    found = functools.reduce(joined, values)
    return Any if found is Any else found | None


def _options(note: Any) -> Sequence[Any]:
    return typing.get_args(note) if isinstance(note, types.UnionType) else (note,)


def places_in(note: Any) -> Iterator[Place]:
    """The places of the containers in what a note says."""
    if isinstance(note, Made):
        yield from note.places
    for part in typing.get_args(note):
        yield from places_in(part)


def inside(note: Any) -> Iterator[Place]:
    """The places of the containers in a container."""
    for part in typing.get_args(note):
        yield from places_in(part)


def is_full(note: Any) -> bool:
    """Whether a note says of everything in a value what it is."""
    if isinstance(note, TensorType | OneNumber) or note in (NOTHING, READER) or note in PLAIN:
        return True
    args = typing.get_args(note)
    return bool(args) and all(map(is_full, args))


def is_empty(note: Any) -> bool:
    """Whether a note is that of nothing, or of a container in which there never is anything."""
    return note is NOTHING or any(map(is_empty, typing.get_args(note)))


def is_nothing(note: Any) -> bool:
    """Whether there never is anything that a note could be of."""
    return note is NOTHING or (typing.get_origin(note) is tuple and any(map(is_nothing, typing.get_args(note))))


# ---------------------------------------------------------------- what is found


@dataclass
class Contents:
    """What is supposed of the containers of a program, and what an evaluation has found."""

    supposed: dict[Place, tuple[Any, ...]] = field(default_factory=dict)
    ended: bool = False
    """Whether a path has ended where it takes something from a container in which nothing was supposed to be."""
    final: bool = False
    """Whether nothing will be put into containers that seem to be always empty."""
    rounds: int = 0
    puts: list[Put] = field(default_factory=list)
    """What the evaluation that is going on has found."""

    news: bool | None = None
    """Whether that is other than what was supposed; None before it has been compared."""

    def begin(self) -> list[Put]:
        """Evaluate once more."""
        self.puts, self.ended, self.news = [], False, None
        return self.puts

    def of(self, place: Place, around: frozenset[Place] = frozenset()) -> tuple[Any, ...]:
        """The notes of what a container has in it: its elements, or its keys and values."""
        if place in around:
            return (Any,) * _count(place)
        found = self.supposed.get(place, (NOTHING,) * _count(place))
        return tuple(self._now(note, around | {place}) for note in found)

    def _now(self, note: Any, around: frozenset[Place]) -> Any:
        """A note with what is supposed now of the containers in it."""
        if isinstance(note, Made):
            return self.note(note.__origin__, note.places, around)
        if typing.get_origin(note) is tuple:
            return tuple.__class_getitem__(tuple(self._now(part, around) for part in typing.get_args(note)))
        if isinstance(note, types.UnionType):
            return functools.reduce(operator.or_, (self._now(part, around) for part in note.__args__))
        return Any if note is NOTHING and self.final else note

    def note(self, cls: Any, places: frozenset[Place], around: frozenset[Place] = frozenset()) -> Made:
        """The note of a container that one of some places has made."""
        each = (self.of(place, around) for place in places)
        return Made(cls, functools.reduce(lambda a, b: tuple(map(joined, a, b)), each), places)

    def is_news(self) -> bool:
        """Whether the program is to be evaluated again, as other things are in its containers than was supposed."""
        if self.news is None:
            self.news = self._widens()
        return self.news

    def _widens(self) -> bool:
        found = fold(self.puts)
        before = dict(self.supposed)
        for place, notes in found.items():
            known = self.supposed.get(place)
            merged = notes if known is None or self.rounds < ROUNDS else tuple(map(joined, known, notes))
            self.supposed[place] = merged
        self.rounds += 1
        if self.supposed != before:
            return True
        if self.ended and not self.final:
            self.final = True
            return True
        return False


class Put(NamedTuple):
    """That something is put into what a place makes; a slot of None: anything may be."""

    place: Place
    slot: int | None
    note: Any = Any


def _count(place: Place) -> int:
    return 2 if issubclass(place.cls, dict) else 1


def fold(puts: Iterable[Put]) -> dict[Place, tuple[Any, ...]]:
    """What is in the containers of each place; of containers in others whose type is open nothing is known."""
    found: dict[Place, list[Any]] = {}
    work = list(puts)[::-1]
    while work:
        place, slot, note = work.pop()
        slots = found.setdefault(place, [NOTHING] * _count(place))
        for i in range(len(slots)) if slot is None else (slot,):
            before, slots[i] = slots[i], joined(slots[i], note)
            kept = {*places_in(slots[i])}
            work += [Put(p, None) for p in {*places_in(before), *places_in(note)} - kept]
    return {place: tuple(slots) for place, slots in found.items()}


def common(notes: Sequence[Any]) -> Any:
    """The note that says of several things what they are: the same for all, or containers of one class."""
    first, *rest = notes
    for other in rest:
        both = isinstance(first, Made) and isinstance(other, Made)
        either = any(isinstance(n, types.UnionType) for n in (first, other)) and None not in (first, other)
        found = joined(first, other) if both or either else first if first == other else None
        first = None if found is Any else found
    return first
