"""The normal forms of what is not a polynomial: floor divisions, maxima and broadcasts of dims.

floor division    (n+4)//2 = n//2+2      (2*n+1)//4 = n//2      (n//2)//3 = n//6      n-n//2 = (n+1)//2
maximum           max(n,m) = n + max(0,m-n)     max(0,2-n) = 2-n + max(0,n-2)     max(0,2*n-4) = 2*max(0,n-2)
broadcast         n&m = m&n     n&n = n     n&1 = n     n&3 = 3

The normal form of a maximum takes the operand that is least in the order of leading coefficients out
of it; what is left is 0 and dims with positive leading coefficients.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from graph_program.extract.types.dims.polynomials import (
    COMPLETION,
    MAX_WEIGHT,
    Application,
    Dim,
    Monomial,
    atom_dim,
    collect,
    content,
    dim,
    divided,
    exact_quotient,
    is_nonnegative,
    joined,
    polynomial,
    remembered,
    term,
    without,
)
from graph_program.extract.types.dims.provers import never_one, provably_different, provably_less_equal

ONE = dim(1)
ZERO = dim(0)

# ---------------------------------------------------------------- maxima and minima

MAX_OPERANDS = 4
"""Maxima of maxima are merged up to this many operands."""
NESTING = 3
"""How often a maximum is looked at again when its operands have been moved to 0."""


def maximum(*dims: Dim | int) -> Dim:
    """The largest of dims; `max(0,max(0,n-2)-1)` is `max(0,n-3)`."""
    return _largest(tuple(map(dim, dims)))


@remembered
def _largest(dims: Sequence[Dim]) -> Dim:
    kept = _merged(_undominated(dims))
    return kept[0] if len(kept) == 1 else _maximum(kept, NESTING)


def minimum(*dims: Dim | int) -> Dim:
    """The smallest of dims."""
    return -maximum(*(-dim(d) for d in dims))


def _merged(dims: list[Dim]) -> list[Dim]:
    """Dims with those that are maxima replaced by what they are maxima of, unless these are many."""
    flat = _undominated(x for d in dims for x in _operands(d))
    return flat if len(flat) <= max(MAX_OPERANDS, len(dims)) else dims


def _undominated(dims: Iterable[Dim]) -> list[Dim]:
    """Dims without those that are provably at most another."""
    kept: list[Dim] = []
    for d in dims:
        if not any(provably_less_equal(d, k) for k in kept):
            kept = [k for k in kept if not provably_less_equal(k, d)] + [d]
    return kept


def _operands(d: Dim) -> list[Dim]:
    """The dims that d is the largest of: `max(x,y)+r` is the larger of `x+r` and `y+r`."""
    found = [
        (m, c, a)
        for m, c in d.terms
        for a in m
        if c > 0 and isinstance(a, Application) and a.op == "max" and is_nonnegative(m)
    ]
    if len(found) != 1 or d.weight > MAX_WEIGHT:
        return [d]
    ((monomial, c, atom),) = found
    factor = term(without(monomial, (atom,)) or (), c)
    rest = d - term(monomial, c)
    return [rest + factor * arg for arg in atom.args]


def _maximum(dims: Sequence[Dim], nesting: int) -> Dim:
    """The maximum of at least two dims, as an atom."""
    least = functools.reduce(lambda a, b: a if _is_leading(b - a) else b, dims)
    gaps = [d - least for d in dims if d != least]
    merged = _merged([ZERO, *gaps])
    if nesting and merged != [ZERO, *gaps]:
        return least + (merged[0] if len(merged) == 1 else _maximum(merged, nesting - 1))
    monomial, number = content(gaps)
    if not is_nonnegative(monomial):
        monomial = tuple(a for a in monomial if is_nonnegative((a,)))
    operands = sorted((divided(g, monomial, number) for g in gaps), key=lambda g: g.key)
    return least + term(monomial, number) * atom_dim(Application("max", (ZERO, *operands)))


def _is_leading(d: Dim) -> bool:
    """Which of d and -d is the positive one: by the leading coefficient, if that tells them apart."""
    positive, opposite = d.terms[0][1] > 0, -d
    return positive if positive != (opposite.terms[0][1] > 0) else d.key < opposite.key


# ---------------------------------------------------------------- floor division


def floor_divide(a: Dim, b: Dim) -> Dim:
    """`a // b`, rounded down as in Python.

    Raises
    ------
    ZeroDivisionError
        Where b is 0 for all sizes.
    """
    if b.constant == 0:
        raise ZeroDivisionError("dimension divided by zero")
    return _divided_down((a, b))


@remembered
def _divided_down(dims: Sequence[Dim]) -> Dim:
    a, b = dims
    divisor = b.constant
    if divisor is None:
        return _quotient(a, b)
    return _constant_quotient(a, divisor) if divisor > 0 else _constant_quotient(-a, -divisor)


def _constant_quotient(a: Dim, k: int) -> Dim:
    exact = collect((m, c // k) for m, c in a.terms if c % k == 0)
    rest = collect((m, c) for m, c in a.terms if c % k)
    if rest.constant is not None:
        return exact + rest.constant // k
    if rest.applications() and provably_less_equal(0, rest) and provably_less_equal(rest, k - 1):
        return exact
    _, common = content([rest - rest.offset, dim(k)])
    if common > 1:
        smaller = divided(rest - rest.offset, (), common) + rest.offset // common
        return exact + _constant_quotient(smaller, k // common)
    special = [(m, c) for m, c in rest.terms if any(isinstance(a, Application) for a in m)]
    merged = _quotient_with_maximum(rest, *special[0], k) if len(special) == 1 else None
    if merged is not None:
        return exact + merged
    whole, rest = _whole_and_rest(rest, k)
    if not _is_within(rest, k):
        return exact + whole + atom_dim(Application("//", (rest, dim(k))))
    if whole.terms:
        return exact + whole + _constant_quotient(rest, k)
    if _is_opposite(rest, k):
        # x//k is -((k-1-x)//k): of the two, the one with the smaller coefficients.
        every = collect((m, 1) for m, _ in rest.terms if m)
        opposite = every * k - rest + (k - 1)
        if _is_within(opposite, k) and not _is_opposite(opposite, k):
            return exact + every - _constant_quotient(opposite, k)
    merged = _quotient_with_quotient(rest, *special[0], k) if len(special) == 1 else None
    return exact + (atom_dim(Application("//", (rest, dim(k)))) if merged is None else merged)


def _whole_and_rest(d: Dim, k: int) -> tuple[Dim, Dim]:
    """`whole` and `rest` of `d == whole*k + rest` with all coefficients of `rest` in [0, k).

    Hermite's identity may write such a sum with others again (see `reduced`): then these are brought back in
    turn until one is there for the second time, and the least that was met on the way round is the rest.
    """
    whole, rest, met = ZERO, d, list[tuple[Dim, Dim, Dim]]()
    while True:
        whole += collect((m, c // k) for m, c in rest.terms)
        within = polynomial((m, c % k) for m, c in rest.terms)
        rest = collect(within.terms)
        again = [i for i, (other, _, _) in enumerate(met) if other == within]
        if rest == within or again:
            break
        met.append((within, whole, rest))
    if again:
        _, whole, rest = min(met[again[0] :], key=lambda found: found[0].key)
    return whole, rest


def _is_within(d: Dim, k: int) -> bool:
    return all(0 <= c < k for _, c in d.terms)


def _is_opposite(a: Dim, k: int) -> bool:
    """Whether the first coefficient that is not half of k is more than that."""
    decisive = (2 * c > k for m, c in a.terms if m and 2 * c != k)
    return next(decisive, False)


def _quotient_with_maximum(a: Dim, monomial: Monomial, c: int, k: int) -> Dim | None:
    """`a // k` where `c*max(...)` is a term: the division goes inside."""
    atom = monomial[0]
    if len(monomial) > 1 or not isinstance(atom, Application) or atom.op != "max" or a.weight > MAX_WEIGHT:
        return None
    rest = a - term(monomial, c)
    sides = [_constant_quotient(rest + arg * c, k) for arg in atom.args]
    return maximum(*sides) if c > 0 else minimum(*sides)


def _quotient_with_quotient(a: Dim, monomial: Monomial, c: int, k: int) -> Dim | None:
    """`a // k` where `x//q` is a term: divisions of divisions are one."""
    atom = monomial[0]
    if len(monomial) > 1 or not isinstance(atom, Application) or atom.op != "//" or c != 1:
        return None
    x, q = atom.args
    if q.lower is None or q.lower < 0:
        return None
    return floor_divide((a - term(monomial, c)) * q + x, q * k)


def _quotient(a: Dim, b: Dim) -> Dim:
    """`a // b` for a b that is not a constant."""
    if not a.terms:
        return ZERO
    if not _is_leading(b):
        a, b = -a, -b
    monomial, number = content([a, b])
    if monomial or number > 1:
        return floor_divide(divided(a, monomial, number), divided(b, monomial, number))
    if a.weight > MAX_WEIGHT or b.weight > MAX_WEIGHT:
        return atom_dim(Application("//", (a, b)))
    exact = exact_quotient(a, b)
    if exact is not None:
        return exact
    if len(b.terms) == 1:
        whole = _whole_part(a, *b.terms[0])
        if whole.terms:
            return whole + floor_divide(a - whole * b, b)
    if provably_less_equal(0, a) and provably_less_equal(a + 1, b):
        return ZERO
    atom = a.atom
    if isinstance(atom, Application) and atom.op == "//" and b.lower is not None and b.lower >= 0:
        x, q = atom.args
        if q.lower is not None and q.lower >= 0:
            return floor_divide(x, q * b)
    return atom_dim(Application("//", (a, b)))


def _whole_part(a: Dim, monomial: Monomial, number: int) -> Dim:
    """The terms of a that are multiples of a monomial, divided by it."""
    parts = [(without(m, monomial), c // number) for m, c in a.terms]
    return collect((m, c) for m, c in parts if m is not None and c)


# ---------------------------------------------------------------- broadcasts


def broadcast(*dims: Dim) -> Dim:
    """The dim that dims broadcast to.

    Raises
    ------
    ValueError
        Where they never do, as 3 and 4.
    """
    parts = list(dict.fromkeys(p for d in dims for p in _parts(d) if p != ONE))
    fixed = [p for p in parts if never_one(p)]
    if fixed:
        best = min(fixed, key=lambda p: (p.constant is None, p.weight, p.key))
        if any(provably_different(p, best) for p in fixed):
            raise ValueError(f"sizes {' and '.join(map(str, fixed))} do not broadcast")
        return best
    if len(parts) < 2:
        return parts[0] if parts else ONE
    return atom_dim(Application("&", tuple(sorted(parts, key=lambda p: p.key))))


def _parts(d: Dim) -> Sequence[Dim]:
    atom = d.atom
    return atom.args if isinstance(atom, Application) and atom.op == "&" else (d,)


COMPLETION.apply |= {
    "//": lambda args: floor_divide(*args),
    "max": lambda args: maximum(*args),
    "&": lambda args: broadcast(*args),
}

# ---------------------------------------------------------------- relations in sums


def reduced(d: Dim) -> Dim:
    """A polynomial with the relations between its atoms applied.

    `p//k + (p+1)//k + ... + (p+k-1)//k` is `p` (Hermite), so that any multiple of their difference may be
    added: the sum that is shortest to write is taken.
    """
    return _shortest((d,))


@remembered
def _shortest(dims: Sequence[Dim]) -> Dim:
    (d,) = dims
    for (others, p, k), residues in residue_classes(d).items():
        if 2 * len(residues) >= k:
            better = _shifted(d, others, p, k, residues)
            if better is not None:
                return reduced(better)
    return d


COMPLETION.reduced = reduced

_Classes = dict[tuple[Monomial, Dim, int], dict[int, int]]


def residue_classes(d: Dim) -> _Classes:
    """For each `others * ((p+c)//k)` in a sum: the coefficients by c."""
    found: _Classes = {}
    for monomial, coefficient in d.terms:
        for i, atom in enumerate(monomial):
            if isinstance(atom, Application) and atom.op == "//" and atom.args[1].constant is not None:
                p, k = atom.args[0], atom.args[1].constant
                key = (monomial[:i] + monomial[i + 1 :], p - p.offset, k)
                found.setdefault(key, {})[p.offset] = coefficient
    return found


def _shifted(d: Dim, others: Monomial, p: Dim, k: int, residues: dict[int, int]) -> Dim | None:
    """The best of the sums that equal d by Hermite's identity for `p` and `k`; None if that is d."""
    lead, number = p.terms[0]
    present = dict(d.terms).get(joined(lead, others), 0)
    shifts = {*residues.values(), -present // number, -(present // number)} - {0}
    best, best_cost, found = d, _cost(d, residues, k, 0), False
    floors = [joined(others, (Application("//", (p + c, dim(k))),)) for c in range(k)]
    for shift in sorted(shifts):
        moved = polynomial([*d.terms, *((m, -shift) for m in floors), *(term(others, shift) * p).terms])
        cost = _cost(moved, residues, k, shift)
        if cost < best_cost:
            best, best_cost, found = moved, cost, True
    return best if found else None


def _cost(d: Dim, residues: dict[int, int], k: int, shift: int) -> tuple[int, int, list[int]]:
    size = sum(abs(c) * sum(1 + sum(x.weight for x in getattr(a, "args", ())) for a in m) for m, c in d.terms)
    return size, len(d.terms), [shift - residues.get(c, 0) for c in range(k)]
