"""Dataclasses whose methods are written when they are called do what those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re
from dataclasses import field
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from graph_program.extract import records
from tests.arrows import ROOT

T = TypeVar("T")


def classes(dataclass: Any) -> dict[str, Any]:
    """Classes of each kind, made by a decorator."""

    @dataclass
    class Plain:
        a: int
        b: str = "b"
        c: list[int] = field(default_factory=list)

    @dataclass(frozen=True)
    class Frozen:
        a: int
        hidden: Any = field(default=None, compare=False, repr=False)
        known: ClassVar[int] = 3

    @dataclass(frozen=True)
    class Derived(Frozen):
        named: int = field(kw_only=True, default=4)
        made: dict[str, int] = field(default_factory=dict, init=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "hidden", self.a + 1)

    @dataclass(frozen=True, eq=False)
    class Itself:
        a: int

    @dataclass(frozen=True)
    class OwnEquality:
        a: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, OwnEquality) and self.a % 2 == other.a % 2

    @dataclass
    class OwnInit:
        a: int
        later: int = field(init=False)

        def __init__(self) -> None:
            self.a = 5

    @dataclass(frozen=True)
    class Box(Generic[T]):
        """A documented one."""

        content: T

    @dataclass(frozen=True)
    class Method:
        self: Any
        name: str

    class Open(Frozen):
        """No dataclass itself."""

    found = [Plain, Frozen, Derived, Itself, OwnEquality, OwnInit, Box, Method, Open]
    return {cls.__name__: cls for cls in found}


LATE, EARLY = classes(records.dataclass), classes(dataclasses.dataclass)
TRIED = {
    "all": lambda c: c["Plain"](1, "x", [2]),
    "defaults": lambda c: c["Plain"](1),
    "apart": lambda c: c["Plain"](1).c is c["Plain"](1).c,
    "too few": lambda c: c["Plain"](),
    "too many": lambda c: c["Plain"](1, 2, 3, 4),
    "unknown": lambda c: c["Plain"](1, d=2),
    "changed": lambda c: setattr(c["Plain"](1), "a", 2),
    "no hash": lambda c: hash(c["Plain"](1)),
    "equal": lambda c: (c["Plain"](1) == c["Plain"](1), c["Plain"](1) == c["Plain"](2), c["Plain"](1) == 1),
    "frozen": lambda c: setattr(c["Frozen"](1), "a", 2),
    "frozen, unknown": lambda c: setattr(c["Frozen"](1), "z", 2),
    "frozen, deleted": lambda c: delattr(c["Frozen"](1), "a"),
    "below a frozen one": lambda c: setattr(c["Open"](1), "a", 2),
    "below a frozen one, unknown": lambda c: setattr(c["Open"](1), "z", 2),
    "compared": lambda c: (c["Frozen"](1, 2) == c["Frozen"](1, 3), hash(c["Frozen"](1, 2)) == hash(c["Frozen"](1, 3))),
    "another class": lambda c: c["Frozen"](1) == c["Open"](1),
    "not to be set": lambda c: c["Derived"](1, 2, 3),
    "derived": lambda c: (d := c["Derived"](1, named=6), d.hidden, d.made, hash(d) == hash(c["Derived"](1, named=6))),
    "replaced": lambda c: dataclasses.replace(c["Derived"](1), a=7),
    "fields": lambda c: [(f.name, f.init, f.kw_only) for f in dataclasses.fields(c["Derived"])],
    "as tuple": lambda c: dataclasses.astuple(c["Plain"](1)),
    "itself": lambda c: (c["Itself"](1) == c["Itself"](1), hash(c["Itself"](1)) is None),
    "own equality": lambda c: (c["OwnEquality"](1) == c["OwnEquality"](3), hash(c["OwnEquality"](1))),
    "own init": lambda c: c["OwnInit"]().a,
    "not there": lambda c: repr(c["OwnInit"]()),
    "generic": lambda c: (c["Box"](1), c["Box"][int]("x"), c["Box"].__doc__),
    "of a self": lambda c: (c["Method"](1, "f"), c["Method"](name="f", self=2).self),
    "matched": lambda c: [cls.__match_args__ for cls in c.values()],
    "copied": lambda c: copy.deepcopy(c["Derived"](1, [2])),
    "within itself": lambda c: (p := c["Plain"](1), p.c.append(p), p)[-1],
}


@pytest.mark.parametrize("tried", TRIED.values(), ids=TRIED)
def test_as_in_the_standard_library(tried: Any) -> None:
    found = []
    for given in (LATE, EARLY):
        try:
            found.append(repr(tried(given)))
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")
    assert found[0] == found[1]


@records.dataclass(frozen=True)
class Kept:
    a: int


def test_pickled() -> None:
    assert pickle.loads(pickle.dumps(Kept(3))) == Kept(3)


def test_written_once_it_is_called() -> None:
    made = records.dataclass(frozen=True)(type("Made", (), {"__annotations__": {"a": "int"}, "__module__": __name__}))
    first = {name: vars(made)[name] for name in ("__init__", "__eq__", "__hash__", "__repr__")}
    one = made(1)
    written = {name for name, method in first.items() if vars(made)[name] is not method}
    assert (written, one) == ({"__init__"}, made(1))
    assert vars(made)["__eq__"] is not first["__eq__"]
    assert vars(made)["__init__"].__qualname__ == "Made.__init__"


def test_classes_of_an_extraction_have_them() -> None:
    """Else each would be written where it stands, when the first call imports it."""
    files = [path for folder in ("extract", "backends") for path in (ROOT / folder).rglob("*.py")]
    early = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}
    alone = {"backends/host/standalone.py"}  # the text of a file that runs without the package
    assert {name for name, text in texts.items() if early.search(text) and "slots=True" not in text} == alone
