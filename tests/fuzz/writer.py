"""Writes random programs: names and their kinds, indentation, the choice among the rules of all families."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from tests.fuzz.kinds import (
    BOOL,
    F64,
    FLOAT,
    INT,
    ON_HOST,
    Array,
    Choice,
    Dct,
    Function,
    Hosted,
    Kind,
    Lst,
    Maybe,
    Number,
    Record,
    Tup,
    parts,
)
from tests.fuzz.weights import WEIGHTS

T = TypeVar("T")

DEEPEST_EXPRESSION = 2
DEEPEST_BLOCK = 3


@dataclass(frozen=True)
class Variable:
    kind: Kind
    fixed: bool = False
    """It counts rounds, or belongs to a function around this one, and is not assigned to."""
    captured: bool = False
    """An object of the module: its parts are written, the name is not."""
    given: bool = False
    """A parameter: rarely assigned to in a branch, as later writes might reach the caller's object or not."""


@dataclass(frozen=True)
class Rule:
    """A way to write an expression or a statement; what it gives is falsy where it does not apply."""

    write: Callable[..., Any]
    weight: float
    host: bool = False
    """Whether only programs with host code have it."""


EXPRESSIONS: dict[type, list[Rule]] = {}
LITERALS: dict[type, Callable[[Writer, Any], str]] = {}
STATEMENTS: list[Rule] = []
BLOCKS: list[Rule] = []

Write = TypeVar("Write", bound=Callable[..., Any])


def _rule(write: Callable[..., Any]) -> Rule:
    family = write.__module__.rpartition(".")[2]
    return Rule(write, WEIGHTS[family][write.__name__], family.startswith("host"))


def expression(*kinds: type) -> Callable[[Write], Write]:
    """Registers `write(writer, kind, e) -> text or None`, where `e(kind)` writes an operand."""

    def register(write: Write) -> Write:
        for kind in kinds:
            EXPRESSIONS.setdefault(kind, []).append(_rule(write))
        return write

    return register


def statement(write: Write) -> Write:
    """Registers `write(writer) -> bool` of a statement on one line (or a few)."""
    STATEMENTS.append(_rule(write))
    return write


def compound(write: Write) -> Write:
    """Registers `write(writer) -> bool` of a statement with blocks."""
    BLOCKS.append(_rule(write))
    return write


def literal(kind: type) -> Callable[[Write], Write]:
    """Registers `write(writer, kind) -> text` of a value that needs no variable."""

    def register(write: Write) -> Write:
        LITERALS[kind] = write
        return write

    return register


class Writer:
    """One function of a program while it is written.

    Attributes
    ----------
    scope : dict of str to Variable
        What may be read here.
    loops : int
        How many loops of this function are around.
    result : callable
        Writes what this function returns.
    host : bool
        Whether the program calls host code.
    helpers : list of str
        The texts of functions written before this one.
    """

    def __init__(self, random: Random, budget: int, outer: Writer | None = None):
        self.random = random
        self.budget = budget
        self.lines: list[str] = []
        self.indent = 1
        self.scope: dict[str, Variable] = {}
        self.loops = 0
        self.result: Callable[[Writer], str] = lambda w: "None"
        self.host = outer is not None and outer.host
        self.helpers: list[str] = outer.helpers if outer else []
        self._numbers: list[int] = outer._numbers if outer else [0]

    # ------------------------------------------------------------ choices

    def pick(self, options: Sequence[T]) -> T:
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def weighted(self, rules: Sequence[Rule]) -> Rule:
        rules = [r for r in rules if self.host or not r.host]
        return self.random.choices(rules, [r.weight for r in rules])[0]

    # ------------------------------------------------------------ text

    def emit(self, text: str) -> bool:
        self.lines.append("    " * self.indent + text)
        return True

    def fresh(self, prefix: str) -> str:
        self._numbers[0] += 1
        return f"{prefix}{self._numbers[0]}"

    # ------------------------------------------------------------ names

    def names(self, wanted: Callable[[Kind], bool], assignable: bool = False) -> list[str]:
        """Variables of certain kinds."""
        return [n for n, v in self.scope.items() if wanted(v.kind) and not (assignable and self._kept(v))]

    def _kept(self, variable: Variable) -> bool:
        shared = variable.given and isinstance(variable.kind, Array | Record | Lst | Dct)
        return variable.fixed or variable.captured or (shared and not self.chance(0.02 if self.indent > 1 else 0.3))

    def places(self, wanted: Callable[[Kind], bool], assignable: bool = False) -> list[tuple[str, Kind]]:
        """Variables and parts of them, with their kinds; with `assignable`, those that can be written to."""
        found = []
        stack = [(name, v.kind, not v.fixed) for name, v in self.scope.items()]
        while stack:
            text, kind, writable = stack.pop()
            if wanted(kind) and (writable or not assignable):
                found.append((text, kind))
            stack += parts(text, kind)
        return found

    def arrays(self, wanted: Callable[[Array], bool] = lambda k: True) -> list[tuple[str, Array]]:
        """Arrays of known shape, which may be parts of something."""
        found = self.places(lambda k: isinstance(k, Array) and k.known and wanted(k))
        return [(text, kind) for text, kind in found if isinstance(kind, Array)]

    def target(self, kind: Kind) -> str:
        """A variable to assign a value of a kind to; known from here on."""
        known = self.names(lambda k: k == kind, assignable=True)
        name = self.pick(known) if known and self.chance(0.7) else self.fresh(prefix(kind))
        self.scope[name] = Variable(kind, given=name in self.scope and self.scope[name].given)
        return name

    # ------------------------------------------------------------ expressions

    def expr(self, kind: Kind, depth: int = 0) -> str:
        """An expression of a kind."""
        if depth > DEEPEST_EXPRESSION or self.chance(0.4):
            return self.leaf(kind)
        rules = EXPRESSIONS.get(type(kind), [])
        for _ in range(4):
            text = self.weighted(rules).write(self, kind, lambda k: self.expr(k, depth + 1)) if rules else None
            if text:
                return str(text)
        return self.leaf(kind)

    def leaf(self, kind: Kind) -> str:
        known = [text for text, _ in self.places(lambda k: k == kind)]
        return self.pick(known) if known and self.chance(0.8) else LITERALS[type(kind)](self, kind)

    # ------------------------------------------------------------ statements

    def statement(self) -> None:
        """Write one statement, with all that is in it."""
        self.budget -= 1
        nested = self.budget > 0 and self.indent <= DEEPEST_BLOCK and self.chance(0.35)
        for _ in range(6):
            if self.weighted(BLOCKS if nested else STATEMENTS).write(self):
                return
        text = self.expr(INT)
        self.emit(f"{self.target(INT)} = {text}")

    def statements(self, options: Sequence[int]) -> None:
        count = len(self.lines)
        for _ in range(self.pick(options)):
            self.statement()
        if len(self.lines) == count:
            self.emit("pass")

    @contextmanager
    def nested(self, loop: bool = False, **new: Variable) -> Iterator[None]:
        """A block; afterwards `scope` is what may be read behind it, whether it ran or not."""
        before = dict(self.scope)
        self.scope |= new
        self.indent += 1
        self.loops += loop
        yield
        self.indent -= 1
        self.loops -= loop
        self.scope = self.merged(before, self.scope)

    def block(self, loop: bool = False, **new: Variable) -> None:
        with self.nested(loop, **new):
            self.statements((1, 1, 2, 2, 3))

    def merged(self, one: dict[str, Variable], other: dict[str, Variable]) -> dict[str, Variable]:
        """What may be read where two paths meet: what both have, and sometimes what one has."""
        found = {}
        for name, variable in {**other, **one}.items():
            a, b = one.get(name), other.get(name)
            if a == b:
                found[name] = variable
            elif a is None or b is None:
                if self.chance(0.04) and not variable.fixed:
                    found[name] = variable
            elif isinstance(a.kind, Lst) and isinstance(b.kind, Lst) and a.kind.element == b.kind.element:
                found[name] = Variable(Lst(a.kind.element, None))
            elif self.chance(0.05):
                found[name] = variable
        return found


def prefix(kind: Kind) -> str:
    """The first letter of names of a kind."""
    match kind:
        case Number(cls):
            return {"float64": "e", "int64": "j"}.get(cls, cls[0])
        case Array(_, shape):
            return "v" if len(shape) == 1 else "m"
        case Record(cls):
            return cls[0].lower()
        case Tup():
            return "t"
        case Lst():
            return "l"
        case Dct():
            return "d"
        case Maybe():
            return "o"
        case Choice():
            return "mode"
        case Function():
            return "inner"
        case Hosted(cls):
            return f"h{cls[0].lower()}"


def some_kind(w: Writer) -> Kind:
    """A kind that a variable may get: often one that the program has already."""
    known = [v.kind for v in w.scope.values() if not (v.fixed or v.captured or isinstance(v.kind, Function))]
    if known and w.chance(0.6):
        return w.pick(known)
    simple: list[Kind] = [INT, FLOAT, BOOL, F64, VECTOR_KIND(w)]
    if w.host and w.chance(0.3):
        simple.append(w.pick(ON_HOST))
    if w.host and w.chance(0.05):
        return Record("Monitor")
    if w.chance(0.7):
        return w.pick(simple)
    structured: list[Kind] = [
        *(Record(cls) for cls in ("Pair", "Fixed", "Point", "Body", "Track")),
        Tup((w.pick(simple), w.pick(simple))),
        Lst(w.pick(simple), w.pick((1, 2, 3))),
        Dct((("a", w.pick(simple)), ("b", w.pick(simple)))),
        Maybe(w.pick([INT, FLOAT, VECTOR_KIND(w)])),
    ]
    return w.pick(structured)


def VECTOR_KIND(w: Writer) -> Array:
    """An array kind, mostly like one that the program has already."""
    known = [kind for _, kind in w.arrays()]
    if known and w.chance(0.7):
        return w.pick(known)
    shape = w.pick([(3,), (3,), (4,), (2, 3), (3, 3), (3, 2)])
    return Array(w.pick(["float64", "float64", "float64", "int64", "bool"]), shape)
