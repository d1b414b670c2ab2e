"""Symbolic dimensions in a normal form.

A `Dim` is a polynomial with integer coefficients over atoms: symbols (`n`), floor divisions
(`n//2`), and maxima and minima (`max(0,n-2)`, the length of `x[1:-1]`).  Equal polynomials are equal
objects, so `2*n + 2 == 2*(n + 1)`.  Every symbol stands for an integer >= 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache


@dataclass(frozen=True)
class Symbol:
    """A dimension that is a name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Application:
    """`//`, `max` or `min` of two dims, where it does not simplify."""

    op: str
    left: Dim
    right: Dim

    def __str__(self) -> str:
        if self.op == "//":
            return f"{_parenthesised(self.left)}//{_parenthesised(self.right)}"
        return f"{self.op}({self.left},{self.right})"


Atom = Symbol | Application
Monomial = tuple[Atom, ...]


@dataclass(frozen=True)
class Dim:
    """An integer polynomial; build with `dim()`, `symbol()` and the operators."""

    terms: tuple[tuple[Monomial, int], ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.terms)

    @cached_property
    def weight(self) -> int:
        """How many atoms it is written with, those inside others included."""
        sides = [a for m, _ in self.terms for a in m if isinstance(a, Application)]
        return sum(len(m) for m, _ in self.terms) + sum(a.left.weight + a.right.weight for a in sides)

    @cached_property
    def constant(self) -> int | None:
        """The value, if this dim is a known integer."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and self.terms[0][0] == ():
            return self.terms[0][1]
        return None

    @cached_property
    def symbols(self) -> frozenset[str]:
        """Names that occur anywhere in it."""
        found: set[str] = set()
        for monomial, _ in self.terms:
            for atom in monomial:
                if isinstance(atom, Symbol):
                    found.add(atom.name)
                else:
                    found |= atom.left.symbols | atom.right.symbols
        return frozenset(found)

    @cached_property
    def lower(self) -> int | None:
        """A proven lower bound, given that every symbol is >= 0; None if there is none."""
        total = 0
        for monomial, coefficient in self.terms:
            if monomial == ():
                total += coefficient
            elif coefficient < 0:
                return None
            elif len(monomial) == 1:
                bound = _atom_lower(monomial[0])
                if bound is None:
                    return None
                total += coefficient * bound
            elif any((_atom_lower(a) or 0) < 0 or _atom_lower(a) is None for a in monomial):
                return None
        return total

    def __add__(self, other: Dim | int) -> Dim:
        return _collect([*self.terms, *dim(other).terms])

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return Dim(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: Dim | int) -> Dim:
        return self + -dim(other)

    def __rsub__(self, other: int) -> Dim:
        return dim(other) - self

    def __mul__(self, other: Dim | int) -> Dim:
        products = [
            (tuple(sorted((*m1, *m2), key=str)), c1 * c2) for m1, c1 in self.terms for m2, c2 in dim(other).terms
        ]
        return _collect(products)

    __rmul__ = __mul__

    def __floordiv__(self, other: Dim | int) -> Dim:
        divisor = dim(other)
        d = divisor.constant
        if d == 0:
            raise ZeroDivisionError("dimension divided by zero")
        if d is not None:
            if self.constant is not None:
                return dim(self.constant // d)
            exact = [(m, c // d) for m, c in self.terms if c % d == 0]
            rest = [(m, c) for m, c in self.terms if c % d]
            if not rest:
                return Dim(tuple(exact))
            if exact and d > 0:
                return _collect(exact) + _collect(rest) // d
        elif self == divisor and (divisor.lower or 0) > 0:
            return dim(1)
        return _atom(Application("//", self, divisor))

    def __mod__(self, other: Dim | int) -> Dim:
        return self - self // other * other

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        """The value where every symbol has the given size; KeyError for a missing one."""
        total = 0
        for monomial, coefficient in self.terms:
            for atom in monomial:
                coefficient *= _evaluate_atom(atom, sizes)
            total += coefficient
        return total

    def substitute(self, sizes: Mapping[str, Dim]) -> Dim:
        """This dim with symbols replaced."""
        total = dim(0)
        for monomial, coefficient in self.terms:
            product = dim(coefficient)
            for atom in monomial:
                product = product * _substitute_atom(atom, sizes)
            total = total + product
        return total

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        if not self.terms:
            return "0"
        text = ""
        for monomial, coefficient in sorted(self.terms, key=lambda t: (t[0] == (), str(t[0]))):
            sign = "-" if coefficient < 0 else "+" if text else ""
            factors = [_factor(a) for a in monomial]
            if abs(coefficient) != 1 or not factors:
                factors.insert(0, str(abs(coefficient)))
            text += sign + "*".join(factors)
        return text

    def __repr__(self) -> str:
        return f"Dim({self})"


@lru_cache(maxsize=4096)
def _constant(value: int) -> Dim:
    return Dim(((((), value)),) if value else ())


def dim(value: Dim | int) -> Dim:
    """A dim from an integer (or a dim, unchanged)."""
    return value if isinstance(value, Dim) else _constant(int(value))


def symbol(name: str) -> Dim:
    """The dim that is just a name."""
    return _atom(Symbol(name))


def maximum(a: Dim | int, b: Dim | int) -> Dim:
    """The larger of two dims; `max(0,max(0,n-2)-1)` is `max(0,n-3)`."""
    return _extreme("max", [*_alternatives("max", dim(a)), *_alternatives("max", dim(b))])


def minimum(a: Dim | int, b: Dim | int) -> Dim:
    """The smaller of two dims; nested minima are merged."""
    return _extreme("min", [*_alternatives("min", dim(a)), *_alternatives("min", dim(b))])


MAX_WEIGHT = 12
"""Dims heavier than this are not simplified further; who makes dims may give up on them."""


def _alternatives(op: str, d: Dim) -> list[Dim]:
    """The dims that `d` is the `op` of: `max(x,y)+r` is the larger of `x+r` and `y+r`."""
    for monomial, coefficient in d.terms if d.weight <= MAX_WEIGHT else ():
        if coefficient == 1 and len(monomial) == 1:
            (atom,) = monomial
            if isinstance(atom, Application) and atom.op == op:
                rest = d - _atom(atom)
                return [x for side in (atom.left, atom.right) for x in _alternatives(op, side + rest)]
    return [d]


def _extreme(op: str, dims: list[Dim]) -> Dim:
    """The `op` of dims, without those that another one makes superfluous."""
    kept: list[Dim] = []
    for d in dims:
        if not any(_beats(op, k, d) for k in kept):
            kept = [k for k in kept if not _beats(op, d, k)] + [d]
    kept.sort(key=lambda d: (d.constant is None, str(d)))
    result = kept.pop()
    while kept:
        result = _atom(Application(op, kept.pop(), result))
    return result


def _beats(op: str, a: Dim, b: Dim) -> bool:
    return provably_less_equal(b, a) if op == "max" else provably_less_equal(a, b)


def product(dims: Iterable[Dim]) -> Dim:
    """The product of dims; 1 for none."""
    result = dim(1)
    for d in dims:
        result = result * d
    return result


def provably_less_equal(a: Dim | int, b: Dim | int) -> bool:
    """Whether a <= b for all sizes."""
    return _is_nonnegative(dim(b) - dim(a))


@lru_cache(maxsize=8192)
def _is_nonnegative(d: Dim) -> bool:
    return _nonnegative(d, 6 if d.weight <= 4 * MAX_WEIGHT else 0)


def provably_different(a: Dim, b: Dim) -> bool:
    """Whether a and b differ for all sizes."""
    return provably_less_equal(a + 1, b) or provably_less_equal(b + 1, a)


def _nonnegative(d: Dim, depth: int) -> bool:
    """Whether d >= 0 for all sizes, as far as `depth` replacements of atoms by bounds show it.

    A maximum that is added is at least each of its sides, one that is subtracted is one of them; a
    minimum is the reverse; and `q*(x//q)` lies between `x-q+1` and `x`.
    """
    if d.lower is not None and d.lower >= 0:
        return True
    for monomial, c in d.terms if depth else ():
        atom = monomial[0] if len(monomial) == 1 else None
        if not isinstance(atom, Application):
            continue
        rest = d - c * _atom(atom)
        if atom.op == "//":
            q = atom.right.constant
            if q is not None and q > 0:
                return _nonnegative(rest * q + (atom.left - (q - 1 if c > 0 else 0)) * c, depth - 1)
            continue
        sides = (_nonnegative(rest + c * side, depth - 1) for side in (atom.left, atom.right))
        return any(sides) if (c > 0) == (atom.op == "max") else all(sides)
    return False


def exact_quotient(a: Dim, b: Dim) -> Dim | None:
    """The polynomial q with q * b == a, or None if there is none with integer coefficients.

    Multivariate division by one divisor, in graded lexicographic order of the monomials: it leaves no
    remainder exactly if b divides a (Cox, Little and O'Shea, Ideals, Varieties, and Algorithms, 2.3).
    """
    if not b.terms:
        return None
    atoms = sorted({atom for m, _ in (*a.terms, *b.terms) for atom in m}, key=str)
    quotient = dim(0)
    lead, lead_coefficient = _leading_term(b, atoms)
    while a.terms:
        monomial, coefficient = _leading_term(a, atoms)
        left = list(monomial)
        for atom in lead:
            if atom not in left:
                return None
            left.remove(atom)
        if coefficient % lead_coefficient:
            return None
        term = Dim(((tuple(left), coefficient // lead_coefficient),))
        quotient, a = quotient + term, a - term * b
    return quotient


def _leading_term(d: Dim, atoms: list[Atom]) -> tuple[Monomial, int]:
    return max(d.terms, key=lambda t: (len(t[0]), [t[0].count(atom) for atom in atoms]))


def _collect(terms: Iterable[tuple[Monomial, int]]) -> Dim:
    sums: dict[Monomial, int] = {}
    for monomial, coefficient in terms:
        sums[monomial] = sums.get(monomial, 0) + coefficient
    kept = [(m, c) for m, c in sums.items() if c]
    return Dim(tuple(sorted(kept, key=lambda t: str(t[0]))))


def _atom(atom: Atom) -> Dim:
    return Dim((((atom,), 1),))


def _factor(atom: Atom) -> str:
    text = str(atom)
    return f"({text})" if isinstance(atom, Application) and atom.op == "//" else text


def _parenthesised(d: Dim) -> str:
    text = str(d)
    simple = len(d.terms) <= 1 and "*" not in text and "//" not in text and "-" not in text
    return text if simple else f"({text})"


def _atom_lower(atom: Atom) -> int | None:
    if isinstance(atom, Symbol):
        return 0
    left, right = atom.left.lower, atom.right.lower
    if atom.op == "max":
        known = [b for b in (left, right) if b is not None]
        return max(known) if known else None
    if atom.op == "min":
        return None if left is None or right is None else min(left, right)
    d = atom.right.constant
    return None if left is None or d is None or d <= 0 else left // d


def _evaluate_atom(atom: Atom, sizes: Mapping[str, int]) -> int:
    if isinstance(atom, Symbol):
        return sizes[atom.name]
    left, right = atom.left.evaluate(sizes), atom.right.evaluate(sizes)
    return {"//": lambda: left // right, "max": lambda: max(left, right), "min": lambda: min(left, right)}[atom.op]()


def _substitute_atom(atom: Atom, sizes: Mapping[str, Dim]) -> Dim:
    if isinstance(atom, Symbol):
        return sizes.get(atom.name) or _atom(atom)
    left, right = atom.left.substitute(sizes), atom.right.substitute(sizes)
    if atom.op == "//":
        return left // right
    return maximum(left, right) if atom.op == "max" else minimum(left, right)
