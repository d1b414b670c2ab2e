"""Members of `class Level(str, Enum)` and `StrEnum`, and objects of other subclasses of str."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

UP, DOWN = np.array([1.0, -1.0]), np.array([-1.0])


class Level(str, enum.Enum):  # noqa: UP042  (StrEnum has another text)
    LOW = "low"
    HIGH = "h"

    def shout(self) -> str:
        return self.value.upper() + "!"

    @property
    def size(self) -> int:
        return len(self.value)


class Word(enum.StrEnum):
    YES = "y"
    NO = "no"


class Name(str):
    def shout(self) -> str:
        return self.upper() + "!"

    @property
    def size(self) -> int:
        return len(self)


NAME = Name("q")


@pytest.mark.parametrize("given", [Level.LOW, Level.HIGH, Word.NO])
def test_known_members(given: Any) -> None:
    def texts(c: Any) -> Any:
        return c.value, c.name, f"{c}", f"{c.value:>4}", str(c), repr(c), c.upper(), len(c), c + "x", "x" + c, c[0]

    def compared(c: Any) -> Any:
        return c == "low", c != "low", c in ("low", "no"), c is Level.LOW, isinstance(c, str), c < "k"

    def keys(c: Any) -> Any:
        return {c: 1}, {"low": 1, "h": 2, "no": 3}[c], {c: 1}[c.value], {"low": 1}.get(c), c.value in {"low": 1}

    for program in (texts, compared, keys):
        check(program, (given,))


def test_members_of_a_path() -> None:
    def program(x: Any) -> Any:
        c = Level.LOW if x[0] > 0 else Level.HIGH
        return c.value, c.name, c == "low", c is Level.LOW, {"low": 1, "h": 2}[c], f"{c}", c + "x", c.shout(), c.size

    def carried(x: Any) -> Any:
        c = Word.YES
        for _ in x:
            c = Word.NO if c == "y" else Word.YES
        return c, c.value, f"{c}"

    check(program, (UP,), (DOWN,))
    check(carried, (UP,), (DOWN,))


def test_the_class() -> None:
    def program() -> Any:
        return Level("low"), Level["HIGH"], Word("no").name, [c.value for c in Level], [c.shout() for c in Level]

    check(program, ())


def test_in_messages() -> None:
    def program(x: Any, c: Any) -> Any:
        if x[0] < 0:
            raise ValueError(f"bad {c.value} {c}", c)
        return x

    check(program, (UP, Level.LOW), (DOWN, Level.LOW))


def test_other_subclasses() -> None:
    def program(x: Any) -> Any:
        return NAME.shout(), NAME.size, NAME + "z", NAME == "q", x

    check(program, (UP,))
