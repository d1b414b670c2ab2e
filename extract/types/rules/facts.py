"""Facts about dims: what is known of sizes at one point of a program, beyond their names.

    q @ k.T          needs  b == e           from there on  e is b
    x + y            needs  n == m or n == 1 or m == 1
    if n > 1:        inside                  n - 2 >= 0

A `Condition` compares two dims, a `Clause` holds where one of its conditions does.  `Facts` are
immutable: learning gives new ones, so that every path of a program keeps its own.  A symbol stands for
one size throughout a run, so a fact once learnt stays true behind the place where it was learnt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property, lru_cache

from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import (
    Dim,
    Symbol,
    dim,
    provably_less_equal,
    put_in,
)
from graph_program.extract.types.tensors.rule_errors import Given
from graph_program.extract.types.tensors.shape_arithmetic import OPERATORS, dim_decide
from graph_program.extract.types.tensors.tensor_type import TensorType

ONE = dim(1)


@dataclass(frozen=True)
class Condition:
    """A comparison of two dims; `op` is `==`, `!=`, `<` or `<=`."""

    op: str
    left: Dim
    right: Dim

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"

    @property
    def symbols(self) -> frozenset[str]:
        """The names in it."""
        return self.left.symbols | self.right.symbols

    @property
    def denied(self) -> Condition:
        """The opposite."""
        match self.op:
            case "==" | "!=":
                return replace(self, op="!=" if self.op == "==" else "==")
            case "<":
                return Condition("<=", self.right, self.left)
        return Condition("<", self.right, self.left)

    def map(self, change: Callable[[Dim], Dim]) -> Condition:
        """The same comparison of changed dims."""
        return Condition(self.op, change(self.left), change(self.right))


Clause = tuple[Condition, ...]
"""Holds where one of its conditions does."""


def condition(op: str, a: Dim | int, b: Dim | int) -> Condition:
    """`a op b` for any of Python's six comparisons."""
    a, b = dim(a), dim(b)
    return Condition({">": "<", ">=": "<="}[op], b, a) if op in (">", ">=") else Condition(op, a, b)


def equal(a: Dim | int, b: Dim | int) -> Clause:
    """`a == b`."""
    return (condition("==", a, b),)


def broadcastable(a: Dim, b: Dim) -> Clause:
    """Two sizes that broadcast: equal, or one of them 1."""
    return (*equal(a, b), *equal(a, ONE), *equal(b, ONE))


def stretches(source: Dim, target: Dim) -> Clause:
    """A size that broadcasts to just the target: equal, or 1."""
    return (*equal(source, target), *equal(source, ONE))


@dataclass(frozen=True)
class Requirement:
    """What must hold of the sizes at one use of an operation, or it fails.

    Attributes
    ----------
    clauses : tuple of Clause
        All of them must hold.
    kind : str
        See `TypeRuleError`.
    message : tuple of str, Dim or Given
        NumPy's text; dims are shown as the numbers that they are at run time.
    """

    clauses: tuple[Clause, ...]
    kind: str
    message: tuple[str | Dim | Given, ...]

    @property
    def symbols(self) -> frozenset[str]:
        """The names that decide whether it holds."""
        return clause_symbols(self.clauses)


@dataclass(frozen=True)
class SizeTest:
    """What the sizes of arguments must be: where all of `when` are positive, every clause holds."""

    when: tuple[Dim, ...]
    clauses: tuple[Clause, ...]


def clause_symbols(clauses: Iterable[Clause]) -> frozenset[str]:
    """The names in some clauses."""
    return frozenset().union(*(c.symbols for clause in clauses for c in clause))


@dataclass(frozen=True)
class Facts:
    """What is known of sizes.

    Attributes
    ----------
    solved : mapping of str to Dim
        Symbols that are another dim; none of them occurs in these dims.
    positive : frozenset of Dim
        Dims that are at least 0 though their form does not say so.
    different : frozenset of Dim
        Dims that are not 0.
    clauses : frozenset of frozenset of Condition
        Clauses that hold.
    order : mapping of str to int
        Ranks the names that a reader knows: of two equal symbols, the first stands for both.
    """

    solved: Mapping[str, Dim] = field(default_factory=dict)
    positive: frozenset[Dim] = frozenset()
    different: frozenset[Dim] = frozenset()
    clauses: frozenset[frozenset[Condition]] = frozenset()
    order: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    # ------------------------------------------------------------ asking

    def resolve(self, d: Dim) -> Dim:
        """The dim in terms of the symbols that are not solved."""
        return put_in(d, self.solved) if self.solved and not d.symbols.isdisjoint(self.solved) else d

    def resolve_type(self, type_: TensorType) -> TensorType:
        """A type with its dims resolved."""
        if not self.solved or all(d.symbols.isdisjoint(self.solved) for d in type_.shape):
            return type_
        return TensorType(type_.dtype, tuple(map(self.resolve, type_.shape)), type_.kind)

    def decide(self, op: str, a: Dim | int, b: Dim | int) -> bool | None:
        """Whether a comparison holds always (True), never (False), or depends on sizes (None)."""
        a, b = self.resolve(dim(a)), self.resolve(dim(b))
        return _decide(op, a, b, a.assumed | b.assumed, self._bounds)

    def _nonnegative(self, d: Dim) -> bool:
        return self._bounds.hold(d)

    @cached_property
    def _bounds(self) -> _Bounds:
        return _Bounds(self.positive, self.different, frozenset().union(*(d.assumed for d in self.positive)))

    def open_part(self, clause: Clause) -> Clause | None:
        """The conditions of a clause that are not decided; None if it holds, () if it cannot."""
        left = []
        for c in clause:
            known = self.decide(c.op, c.left, c.right)
            if known:
                return None
            if known is None:
                left.append(c.map(self.resolve))
        unique = tuple(dict.fromkeys(left))
        wanted = frozenset(map(_canonical, unique))
        return None if wanted and any(known <= wanted for known in self.clauses) else unique

    # ------------------------------------------------------------ learning

    def learn(self, clause: Clause) -> Facts:
        """These facts and a clause that holds."""
        left = self.open_part(clause)
        if not left:
            return self
        if len(left) == 1:
            return self._condition(left[0])
        return self._remember(left)

    def _remember(self, clause: Clause) -> Facts:
        if len(self.clauses) >= MOST_CLAUSES:
            return self
        return replace(self, clauses=self.clauses | {frozenset(map(_canonical, clause))})

    def _condition(self, c: Condition) -> Facts:
        gap = c.right - c.left
        match c.op:
            case "<=" | "<":
                least = gap if c.op == "<=" else gap - 1
                if self._nonnegative(-least):
                    return self._condition(Condition("==", least, dim(0)))
                return replace(self, positive=self.positive | {least})._again(least.symbols)
            case "!=":
                return replace(self, different=self.different | {_unsigned(gap)})._again(gap.symbols)
        found = _solution(gap, self.order)
        return self._remember((c,)) if found is None else self._solve(*found)

    def _solve(self, name: str, value: Dim) -> Facts:
        one = {name: value}
        solved = {n: put_in(d, one) for n, d in self.solved.items()}
        solved[name] = value
        positive = {value, *(put_in(d, one) for d in self.positive)}
        return replace(
            self,
            solved=solved,
            positive=frozenset(d for d in positive if not provably_less_equal(0, d)),
            different=frozenset(_unsigned(put_in(d, one)) for d in self.different),
        )._again(value.symbols | {name})

    def _again(self, names: frozenset[str]) -> Facts:
        """Clauses about these names seen again, after something was learnt of them."""
        about = [clause for clause in self.clauses if any(not c.symbols.isdisjoint(names) for c in clause)]
        kept = replace(self, clauses=self.clauses.difference(about)) if about else self
        for clause in sorted(map(_ordered, about), key=lambda clause: [*map(_order, clause)]):
            kept = kept.learn(clause)
        return kept

    def meet(self, other: Facts) -> Facts:
        """What both sides know, where two paths join."""
        if self is other:
            return self
        both = Facts(
            {name: value for name, value in self.solved.items() if other.solved.get(name) == value},
            self.positive & other.positive,
            self.different & other.different,
            self.clauses & other.clauses,
            self.order,
        )
        for one, two in ((self, other), (other, self)):
            for clause in one._without(both).learnt():
                if two.open_part(clause) is None:
                    both = both.learn(clause)
        return both

    def _without(self, known: Facts) -> Facts:
        """What is not among some of these facts."""
        return Facts(
            {name: value for name, value in self.solved.items() if name not in known.solved},
            self.positive - known.positive,
            self.different - known.different,
            self.clauses - known.clauses,
        )

    def learnt(self) -> Iterator[Clause]:
        """All of it, as clauses."""
        for name, value in self.solved.items():
            yield equal(dim_of(name), value)
        for fact in self.positive:
            yield (condition("<=", 0, fact),)
        for fact in self.different:
            yield (condition("!=", fact, 0),)
        for clause in self.clauses:
            yield _ordered(clause)


@dataclass(frozen=True)
class _Bounds:
    """What decides comparisons of dims without solved symbols.

    `assumed` are the upper bounds of symbols, which take no part in the equality of dims.
    """

    positive: frozenset[Dim]
    different: frozenset[Dim]
    assumed: frozenset[tuple[str, Dim]]

    @cached_property
    def _hash(self) -> int:
        return hash((self.positive, self.different, self.assumed))

    def __hash__(self) -> int:
        return self._hash

    def hold(self, d: Dim) -> bool:
        """Whether a dim is at least 0."""
        return provably_less_equal(0, d) or any(provably_less_equal(f, d) for f in self.positive)

    def imply(self, c: Condition) -> bool:
        """Whether a condition holds."""
        gap = c.right - c.left
        match c.op:
            case "<=":
                return self.hold(gap)
            case "<":
                return self.hold(gap - 1) or (self.hold(gap) and _unsigned(gap) in self.different)
            case "!=":
                return _unsigned(gap) in self.different or self.hold(gap - 1) or self.hold(-gap - 1)
        return self.hold(gap) and self.hold(-gap)


@lru_cache(maxsize=16384)
def _decide(op: str, a: Dim, b: Dim, assumed: frozenset[tuple[str, Dim]], known: _Bounds) -> bool | None:
    """`Facts.decide`, of dims with these upper bounds; loops and calls ask the same again and again."""
    found = dim_decide(op, a, b)
    if found is not None or not (known.positive or known.different):
        return found
    c = condition(OPERATORS.get(op, op), a, b)
    if known.imply(c):
        return True
    return False if known.imply(c.denied) else None


MOST_CLAUSES = 64
"""Clauses of several conditions that are remembered at one place."""
NOTHING = Facts()
"""No facts."""


def dim_of(name: str) -> Dim:
    """The dim that is a name."""
    return Dim((((Symbol(name),), 1),))


def _unsigned(d: Dim) -> Dim:
    """d or -d, the same one for both."""
    return -d if d.terms and d.terms[0][1] < 0 else d


def _canonical(c: Condition) -> Condition:
    """The same for conditions that say the same."""
    gap = c.right - c.left
    return Condition(c.op, dim(0), _unsigned(gap) if c.op in ("==", "!=") else gap)


def _ordered(clause: Iterable[Condition]) -> Clause:
    """The conditions in an order that does not depend on hashing."""
    return tuple(sorted(clause, key=_order))


def _order(c: Condition) -> tuple[str, str, str]:
    return c.op, c.left.key, c.right.key


def _solution(gap: Dim, order: Mapping[str, int]) -> tuple[str, Dim] | None:
    """A symbol and the dim that it is, given that `gap` is 0; None where it is not linear in any."""
    found = []
    for monomial, coefficient in gap.terms:
        atom = monomial[0] if len(monomial) == 1 else None
        if not isinstance(atom, Symbol) or abs(coefficient) != 1:
            continue
        rest = gap - coefficient * dim_of(atom.name)
        value = -rest if coefficient == 1 else rest
        if atom.name not in value.symbols:
            rank = order.get(atom.name, len(order))
            negative = value.lower is None or value.lower < 0
            found.append((negative, -rank, _age(atom.name), atom.name, value))
    if not found:
        return None
    best = min(found, key=lambda f: f[:4])
    return best[3], best[4]


def _age(name: str) -> tuple[int, str]:
    """Of symbols that nobody has named, the longer and later ones go first."""
    return -len(name), "".join(chr(0x10FFFF - ord(c)) for c in name)


__all__ = [
    "NOTHING",
    "Clause",
    "Condition",
    "Facts",
    "Requirement",
    "SizeTest",
    "broadcastable",
    "clause_symbols",
    "condition",
    "equal",
    "stretches",
]
