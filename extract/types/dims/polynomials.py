"""Integer polynomials over atoms, which is what symbolic dims are.

An atom is a symbol (`n`) or an operation that is not a polynomial and did not simplify: a floor division (`n//2`), a
maximum (`max(0,n-2)`, the length of `x[1:-1]`), a broadcast (`m&n`, the size that two sizes broadcast to).
`normal_forms` makes such atoms, each in one form only; minima are maxima: `min(a,b) = a - max(0,a-b)`.

Two dims that are the same polynomial are equal objects.  What divides by zero or broadcasts sizes that do not fit has
no value: a program that gets there has failed already, so `(m*n)//m` is `n`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache

from graph_program.extract.records import dataclass

MAX_WEIGHT = 64
"""Dims heavier than this are not simplified further; who makes dims may give up on them."""


@dataclass(frozen=True)
class Symbol:
    """An integer >= 0 that has a name; at most `upper`, where that is known."""

    name: str
    upper: Dim | None = field(default=None, compare=False)

    @property
    def key(self) -> str:
        """What atoms are ordered by: symbols come first."""
        return self.name

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Application:
    """`//` of two dims, `max` of 0 and dims with positive leading coefficients, or `&`; as `normal_forms` has them."""

    op: str
    args: tuple[Dim, ...]

    @property
    def left(self) -> Dim:
        """The first operand."""
        return self.args[0]

    @property
    def right(self) -> Dim:
        """The second operand."""
        return self.args[1]

    @cached_property
    def key(self) -> str:
        """What atoms are ordered by."""
        return f"~{self.op}({','.join(a.key for a in self.args)})"

    @cached_property
    def _hash(self) -> int:
        return hash((self.op, self.args))

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return str(atom_dim(self))


Atom = Symbol | Application
Monomial = tuple[Atom, ...]
Terms = Iterable[tuple[Monomial, int]]
Bounds = tuple[int | None, int | None]
"""The least and the greatest value, as far as they are known numbers."""


@dataclass(frozen=True)
class Dim:
    """An integer polynomial; build with `dim()`, `symbol()` and the operators `+ - * // % &`."""

    terms: tuple[tuple[Monomial, int], ...]
    """Monomials with their coefficients, none 0: higher degrees first, the constant last."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.terms)

    @cached_property
    def key(self) -> str:
        """What dims are ordered by; equal dims have equal keys."""
        return "+".join("*".join([str(c), *(a.key for a in m)]) for m, c in self.terms) or "0"

    @cached_property
    def weight(self) -> int:
        """How many atoms it is written with, those inside others included."""
        inner = (arg.weight for a in self.applications() for arg in a.args)
        return sum(len(m) for m, _ in self.terms) + sum(inner)

    def applications(self) -> list[Application]:
        """The atoms that are not symbols, as often as they occur."""
        return [a for m, _ in self.terms for a in m if isinstance(a, Application)]

    @cached_property
    def constant(self) -> int | None:
        """The value, if this dim is a known integer."""
        if not self.terms:
            return 0
        return self.terms[0][1] if self.terms[0][0] == () else None

    @cached_property
    def offset(self) -> int:
        """The constant term."""
        return self.terms[-1][1] if self.terms and self.terms[-1][0] == () else 0

    @cached_property
    def atom(self) -> Atom | None:
        """The atom, of a dim that is just one."""
        if len(self.terms) == 1 and self.terms[0][1] == 1 and len(self.terms[0][0]) == 1:
            return self.terms[0][0][0]
        return None

    @cached_property
    def symbols(self) -> frozenset[str]:
        """Names that occur anywhere in it."""
        names = {a.name for m, _ in self.terms for a in m if isinstance(a, Symbol)}
        return frozenset(names.union(*(arg.symbols for a in self.applications() for arg in a.args)))

    @cached_property
    def assumed(self) -> frozenset[tuple[str, Dim]]:
        """The upper bounds of its symbols: names with what they are at most."""
        direct = {(a.name, a.upper) for m, _ in self.terms for a in m if isinstance(a, Symbol) and a.upper}
        inner = (arg.assumed for a in self.applications() for arg in a.args)
        return frozenset(direct).union(*inner, *(upper.assumed for _, upper in direct))

    @cached_property
    def _bounds(self) -> Bounds:
        low: int | None = 0
        high: int | None = 0
        for monomial, coefficient in self.terms:
            least, most = _product_bounds(monomial)
            if coefficient < 0:
                least, most = most, least
            low = None if low is None or least is None else low + coefficient * least
            high = None if high is None or most is None else high + coefficient * most
        return low, high

    @property
    def lower(self) -> int | None:
        """A proven lower bound, given that every symbol is >= 0; None if there is none."""
        return self._bounds[0]

    @property
    def upper(self) -> int | None:
        """A proven upper bound; None if there is none."""
        return self._bounds[1]

    def __add__(self, other: Dim | int) -> Dim:
        other = dim(other)
        if self.constant is not None and other.constant is not None:
            return _constant(self.constant + other.constant)
        return collect([*self.terms, *other.terms])

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return collect([(m, -c) for m, c in self.terms])

    def __sub__(self, other: Dim | int) -> Dim:
        return collect([*self.terms, *((m, -c) for m, c in dim(other).terms)])

    def __rsub__(self, other: int) -> Dim:
        return dim(other) - self

    def __mul__(self, other: Dim | int) -> Dim:
        return collect([(joined(m1, m2), c1 * c2) for m1, c1 in self.terms for m2, c2 in dim(other).terms])

    __rmul__ = __mul__

    def __floordiv__(self, other: Dim | int) -> Dim:
        return COMPLETION.apply["//"]((self, dim(other)))

    def __rfloordiv__(self, other: int) -> Dim:
        return dim(other) // self

    def __mod__(self, other: Dim | int) -> Dim:
        return self - self // other * other

    def __rmod__(self, other: int) -> Dim:
        return dim(other) % self

    def __and__(self, other: Dim | int) -> Dim:
        return COMPLETION.apply["&"]((self, dim(other)))

    __rand__ = __and__

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        """The value where every symbol has the given size.

        Raises
        ------
        KeyError, ZeroDivisionError, ValueError
            For a missing size, a divisor of 0, and sizes that do not broadcast.
        """
        total = 0
        for monomial, coefficient in self.terms:
            for atom in monomial:
                coefficient *= _evaluate_atom(atom, sizes)
            total += coefficient
        return total

    @cached_property
    def reach(self) -> frozenset[str]:
        """Names that occur in it, and in what bounds them."""
        return self.symbols.union(*(upper.symbols for _, upper in self.assumed))

    def substitute(self, sizes: Mapping[str, Dim]) -> Dim:
        """This dim with symbols replaced (also in what bounds others), in normal form again."""
        return _Substitution(sizes).dim(self)

    def __str__(self) -> str:
        return COMPLETION.text(self)

    def __repr__(self) -> str:
        return f"Dim({self})"


# ---------------------------------------------------------------- making dims


def remembered(make: Callable[[Sequence[Dim]], Dim]) -> Callable[[Sequence[Dim]], Dim]:
    """What makes a dim of dims, asked once for the same ones: with the same bounds, which equality leaves out."""

    @lru_cache(maxsize=16384)
    def made(dims: Sequence[Dim], assumed: Sequence[frozenset[tuple[str, Dim]]]) -> Dim:
        return make(dims)

    return lambda dims: made(dims, tuple(d.assumed for d in dims))


@lru_cache(maxsize=4096)
def _constant(value: int) -> Dim:
    return Dim(((((), value)),) if value else ())


def dim(value: Dim | int) -> Dim:
    """A dim from an integer (or a dim, unchanged)."""
    return value if isinstance(value, Dim) else _constant(int(value))


def symbol(name: str, upper: Dim | None = None) -> Dim:
    """The dim that is just a name; `upper` is a dim that it never exceeds."""
    return atom_dim(Symbol(name, upper))


def put_in(d: Dim, sizes: Mapping[str, Dim]) -> Dim:
    """The dim with symbols replaced; itself where it then has no value, as what does not broadcast or divides by 0.

    Nothing gets to code where that is known: what it says of sizes contradicts itself.
    """
    if d.constant is not None:
        return d
    try:
        return d.substitute(sizes)
    except (ZeroDivisionError, ValueError):
        return d


def bounded(fresh: Dim, upper: Dim) -> Dim:
    """A new symbol with what is known about it: it is at most `upper`."""
    return symbol(fresh.atom.name, upper) if isinstance(fresh.atom, Symbol) else fresh


def atom_dim(atom: Atom) -> Dim:
    """The dim that is one atom."""
    return Dim((((atom,), 1),))


def term(monomial: Monomial, coefficient: int) -> Dim:
    """The dim that is one monomial."""
    return Dim(((monomial, coefficient),)) if coefficient else dim(0)


def joined(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    return tuple(sorted((*a, *b), key=lambda atom: atom.key)) if a and b else a or b


def without(monomial: Monomial, part: Monomial) -> Monomial | None:
    """The quotient of two monomials, None if there is none."""
    left = list(monomial)
    for atom in part:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


@dataclass
class Completion:
    """What arithmetic on dims takes from the files above this one, which fill it in when the room is loaded.

    Attributes
    ----------
    apply : dict
        By operation, what makes its normal form of its operands.
    reduced : callable
        A polynomial with the relations between its atoms applied.
    text : callable
        How a dim is written.
    """

    apply: dict[str, Callable[[Sequence[Dim]], Dim]] = field(default_factory=dict)
    reduced: Callable[[Dim], Dim] = lambda d: d
    text: Callable[[Dim], str] = lambda d: repr(d.terms)


COMPLETION = Completion()


def polynomial(terms: Terms) -> Dim:
    """The sum of terms as it stands: the relations between atoms are not applied."""
    sums: dict[Monomial, int] = {}
    for monomial, coefficient in terms:
        sums[monomial] = sums.get(monomial, 0) + coefficient
    kept = [(m, c) for m, c in sums.items() if c]
    if len(kept) > 1:
        kept.sort(key=lambda t: (-len(t[0]), *(a.key for a in t[0])))
    return Dim(tuple(kept))


def collect(terms: Terms) -> Dim:
    """The sum of terms, in normal form."""
    result = polynomial(terms)
    if any(isinstance(a, Application) for m, _ in result.terms for a in m):
        return COMPLETION.reduced(result)
    return result


def content(dims: Iterable[Dim]) -> tuple[Monomial, int]:
    """The greatest monomial and the greatest integer that divide every term of dims."""
    terms = [t for d in dims for t in d.terms]
    common = list(terms[0][0]) if terms else []
    for monomial, _ in terms:
        kept, left = [], list(monomial)
        for atom in common:
            if atom in left:
                left.remove(atom)
                kept.append(atom)
        common = kept
    return tuple(common), math.gcd(*(c for _, c in terms))


def divided(d: Dim, monomial: Monomial, number: int) -> Dim:
    """A dim without a factor that divides every term of it."""
    return collect((without(m, monomial) or (), c // number) for m, c in d.terms)


def product(dims: Iterable[Dim]) -> Dim:
    """The product of dims; 1 for none."""
    result = dim(1)
    for d in dims:
        result = result * d
    return result


def exact_quotient(a: Dim, b: Dim) -> Dim | None:
    """The polynomial q with q * b == a, or None if there is none with integer coefficients.

    Multivariate division by one divisor, in graded lexicographic order of the monomials: it leaves no
    remainder exactly if b divides a (Cox, Little and O'Shea, Ideals, Varieties, and Algorithms, 2.3).
    """
    if not b.terms:
        return None
    atoms = sorted({atom for m, _ in (*a.terms, *b.terms) for atom in m}, key=lambda atom: atom.key)
    rest, quotient = dict(a.terms), []
    lead, lead_coefficient = _leading_term(dict(b.terms), atoms)
    while rest:
        monomial, coefficient = _leading_term(rest, atoms)
        left = without(monomial, lead)
        if left is None or coefficient % lead_coefficient:
            return None
        factor = coefficient // lead_coefficient
        quotient.append((left, factor))
        for m, c in b.terms:
            m = joined(m, left)
            rest[m] = rest.get(m, 0) - c * factor
        rest = {m: c for m, c in rest.items() if c}
    result = collect(quotient)
    return result if result * b == a else None


def _leading_term(terms: Mapping[Monomial, int], atoms: list[Atom]) -> tuple[Monomial, int]:
    return max(terms.items(), key=lambda t: (len(t[0]), [t[0].count(atom) for atom in atoms]))


# ---------------------------------------------------------------- atoms


def is_nonnegative(monomial: Monomial) -> bool:
    """Whether every factor is >= 0 by its bounds."""
    return all((low := _atom_bounds(a)[0]) is not None and low >= 0 for a in monomial)


def _product_bounds(monomial: Monomial) -> Bounds:
    if len(monomial) == 1:
        return _atom_bounds(monomial[0])
    low, high = 1, 1  # type: tuple[int, int | None]
    for atom in monomial:
        least, most = _atom_bounds(atom)
        if least is None or least < 0:
            return None, None
        low *= least
        high = None if high is None or most is None else high * most
    return low, high


def _atom_bounds(atom: Atom) -> Bounds:
    if isinstance(atom, Symbol):
        return 0, None if atom.upper is None else atom.upper.upper
    lows, highs = [a.lower for a in atom.args], [a.upper for a in atom.args]
    if atom.op == "//":
        return _quotient_bounds(atom.args[0], atom.args[1])
    known = [b for b in lows if b is not None]
    if atom.op == "&" and len(known) < len(lows):
        known = []
    high = None if None in highs else max(b for b in highs if b is not None)
    # A maximum is every operand at least; a broadcast is one of them.
    low = None if not known else max(known) if atom.op == "max" else min(known)
    return low, high


def _quotient_bounds(left: Dim, right: Dim) -> Bounds:
    divisor = right.constant
    if divisor is not None and divisor > 0:
        low, high = left.lower, left.upper
        return None if low is None else low // divisor, None if high is None else high // divisor
    signs_known = left.lower is not None and left.lower >= 0 and right.lower is not None and right.lower >= 0
    return (0, left.upper) if signs_known else (None, None)


def broadcast_sizes(sizes: Iterable[int]) -> int:
    """The size that sizes broadcast to.

    Raises
    ------
    ValueError
        Where there is none.
    """
    found = {s for s in sizes if s != 1} or {1}
    if len(found) > 1:
        raise ValueError(f"sizes {' and '.join(map(str, sorted(found)))} do not broadcast")
    return found.pop()


def _evaluate_atom(atom: Atom, sizes: Mapping[str, int]) -> int:
    if isinstance(atom, Symbol):
        return sizes[atom.name]
    values = [a.evaluate(sizes) for a in atom.args]
    if atom.op == "//":
        return values[0] // values[1]
    return max(values) if atom.op == "max" else broadcast_sizes(values)


@dataclass
class _Substitution:
    """Puts sizes in; of what bounds the symbols of a dim, each is a dim that others are bounded by, too."""

    sizes: Mapping[str, Dim]
    found: dict[str, Dim] = field(default_factory=dict)

    def dim(self, d: Dim) -> Dim:
        if d.reach.isdisjoint(self.sizes):
            return d
        total = dim(0)
        for monomial, coefficient in d.terms:
            product = dim(coefficient)
            for atom in monomial:
                product = product * self._atom(atom)
            total = total + product
        return total

    def _atom(self, atom: Atom) -> Dim:
        if not isinstance(atom, Symbol):
            return COMPLETION.apply[atom.op]([self.dim(arg) for arg in atom.args])
        if atom.name in self.sizes:
            return self.sizes[atom.name]
        if atom.upper is None:
            return atom_dim(atom)
        if atom.name not in self.found:
            self.found[atom.name] = atom_dim(Symbol(atom.name, self.dim(atom.upper)))
        return self.found[atom.name]
