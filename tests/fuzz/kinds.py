"""What a variable of a random program holds: numbers, arrays of known shape, records, tuples, lists, dicts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """A Python number, or a NumPy scalar (`float64`, `int64`)."""

    cls: str


@dataclass(frozen=True)
class Array:
    """An array; a size of None depends on the run."""

    dtype: str
    shape: tuple[int | None, ...]

    @property
    def known(self) -> bool:
        return None not in self.shape


@dataclass(frozen=True)
class Record:
    """A dataclass instance or named tuple; `RECORDS` has the fields."""

    cls: str


@dataclass(frozen=True)
class Tup:
    elts: tuple[Kind, ...]


@dataclass(frozen=True)
class Lst:
    """A list; a length of None depends on the run."""

    element: Kind
    length: int | None


@dataclass(frozen=True)
class Dct:
    items: tuple[tuple[str, Kind], ...]


@dataclass(frozen=True)
class Maybe:
    """None, or a value."""

    kind: Kind


@dataclass(frozen=True)
class Choice:
    """One of some strings or enum members, as source text."""

    options: tuple[str, ...]


@dataclass(frozen=True)
class Function:
    """A function of the program, with the kinds of its parameters and of its result (None: it returns None)."""

    parameters: tuple[Kind, ...]
    result: Kind | None


@dataclass(frozen=True)
class Hosted:
    """An object on the host, by its class: the graph has a number for it."""

    cls: str


Kind = Number | Array | Record | Tup | Lst | Dct | Maybe | Choice | Function | Hosted

INT, FLOAT, BOOL, F64, I64 = Number("int"), Number("float"), Number("bool"), Number("float64"), Number("int64")

DEVICE, GAUGE, TEXT, WORDS, TABLE = Hosted("Device"), Hosted("Gauge"), Hosted("str"), Hosted("list"), Hosted("dict")
ON_HOST = (DEVICE, GAUGE, TEXT, WORDS, TABLE)

VECTOR = Array("float64", (3,))

RECORDS: dict[str, tuple[tuple[str, Kind], ...]] = {
    "Pair": (("u", FLOAT), ("v", INT)),
    "Fixed": (("a", FLOAT), ("b", INT)),
    "Point": (("x", FLOAT), ("y", FLOAT)),
    "Body": (("position", VECTOR), ("mass", FLOAT)),
    "Track": (("body", Record("Body")), ("steps", INT)),
    "Monitor": (("total", FLOAT), ("count", INT)),
    "Tracker": (("count", INT), ("total", FLOAT), ("values", VECTOR), ("items", Lst(FLOAT, 2))),
}
IMMUTABLE = frozenset({"Fixed", "Point"})


def parts(text: str, kind: Kind) -> list[tuple[str, Kind, bool]]:
    """The parts of a value: expression, kind, and whether it can be assigned to."""
    match kind:
        case Record(cls):
            return [(f"{text}.{name}", part, cls not in IMMUTABLE) for name, part in RECORDS[cls]]
        case Tup(elts):
            return [(f"{text}[{i}]", part, False) for i, part in enumerate(elts)]
        case Lst(element, length) if length:
            return [(f"{text}[{i}]", element, True) for i in (*range(length), -1)]
        case Dct(items):
            return [(f"{text}[{key!r}]", part, True) for key, part in items]
    return []
