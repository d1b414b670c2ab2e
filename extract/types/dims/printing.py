"""Dims as text that is short to read and that `parsing.parse_dim` reads back.

What the normal form spells out is printed as it would be written: `n-max(0,n-1)` as `min(1,n)`,
`(n+1)//2-1` as `(n-1)//2`, `n-3*(n//3)` as `n%3`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from graph_program.extract.records import dataclass
from graph_program.extract.types.dims.normal_forms import residue_classes
from graph_program.extract.types.dims.polynomials import (
    COMPLETION,
    Application,
    Atom,
    Dim,
    Monomial,
    atom_dim,
    dim,
    polynomial,
    term,
    without,
)

MAX_SEARCHED = 3
"""Dims with more maxima than this are printed as they are stored."""


@dataclass(frozen=True)
class _Piece:
    """One summand: a coefficient and its factors; `loose` are those that need parentheses in a product."""

    coefficient: int
    factors: tuple[str, ...]
    loose: bool = False

    @property
    def rank(self) -> tuple[bool, bool]:
        """What is added comes before what is subtracted, the constant last."""
        return (not self.factors and self.coefficient < 0, self.coefficient < 0)

    def text(self, leads: bool) -> str:
        """With its sign; `leads` if nothing stands before it."""
        number = abs(self.coefficient)
        sign = "-" if self.coefficient < 0 else "" if leads else "+"
        if not self.factors:
            return f"{sign}{number}"
        alone = number == 1 and len(self.factors) == 1 and not (leads and sign)
        last = f"({self.factors[-1]})" if self.loose and not alone else self.factors[-1]
        return sign + "*".join([*([str(number)] if number > 1 else []), *self.factors[:-1], last])


@lru_cache(maxsize=8192)
def dim_text(d: Dim) -> str:
    """The text of a dim."""
    atom = d.atom
    if isinstance(atom, Application) and atom.op == "&":
        return "&".join(f"({t})" if set(_outside(t)) & set("+-&") else t for t in map(dim_text, atom.args))
    pieces = list(_pieces(d)) or [_Piece(0, ())]
    pieces.sort(key=lambda p: (p.rank, not p.factors))
    text = ""
    for piece in pieces:
        text += piece.text(not text)
    return text


COMPLETION.text = dim_text


def _outside(text: str) -> str:
    """What stands outside parentheses."""
    depth, found = 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        found += c if depth == 0 else ""
    return found


def _pieces(d: Dim) -> Iterator[_Piece]:
    maxima = [(m, c) for m, c in d.terms if sum(isinstance(a, Application) and a.op == "max" for a in m) == 1]
    if maxima and len(maxima) <= MAX_SEARCHED:
        # The outermost first: others may be a part of it.
        piece, rest = _shortest(d, *max(maxima, key=lambda t: sum(atom_dim(a).weight for a in t[0])))
        yield piece
        yield from _pieces(rest)
        return
    for shorten in (_modulo, _folded):
        found = shorten(d)
        if found is not None:
            piece, rest = found
            yield piece
            yield from _pieces(rest)
            return
    for monomial, c in d.terms:
        yield _plain(monomial, c)


def _plain(monomial: Monomial, coefficient: int) -> _Piece:
    if len(monomial) == 1:
        text, loose = _atom_text(monomial[0])
        return _Piece(coefficient, (text,), loose)
    factors = [f"({text})" if loose else text for text, loose in map(_atom_text, monomial)]
    return _Piece(coefficient, tuple(factors))


def _atom_text(atom: Atom) -> tuple[str, bool]:
    """The text of an atom, and whether it needs parentheses in a product or behind a minus."""
    if not isinstance(atom, Application):
        return atom.name, False
    if atom.op == "//":
        return f"{_operand(atom.args[0])}//{_operand(atom.args[1])}", True
    if atom.op == "max":
        return _call("max", list(atom.args)), False
    # Binds weaker than a sum.
    return f"({dim_text(atom_dim(atom))})", False


def _operand(d: Dim) -> str:
    text = dim_text(d)
    return text if (d.constant is not None and d.constant >= 0) or _is_simple(text) else f"({text})"


def _is_simple(text: str) -> bool:
    """A name, or a call of max or min."""
    return not set(_outside(text)) & set("+-*/%&")


def _call(op: str, args: list[Dim]) -> str:
    ordered = sorted(args, key=lambda a: (a.constant is None, dim_text(a)))
    return f"{op}({','.join(map(dim_text, ordered))})"


# ---------------------------------------------------------------- maxima and minima


def _shortest(d: Dim, monomial: Monomial, c: int) -> tuple[_Piece, Dim]:
    """A maximum in a sum in the way that makes the whole shortest, and the rest of the sum."""
    options = [(_Piece(k, (*_others(others), text)), rest) for k, others, text, rest in _presentations(d, monomial, c)]
    return min(options, key=lambda o: _length(*o))


def _length(piece: _Piece, rest: Dim) -> int:
    text = piece.text(True)
    # A maximum with 0 is what readers know as a length.
    familiar = not text.startswith("max") or text.startswith("max(0,")
    return len(text) + (0 if familiar else 2) + (len(dim_text(rest)) + 1 if rest.terms else 0)


def _others(monomial: Monomial) -> list[str]:
    return [f"({text})" if loose else text for text, loose in map(_atom_text, monomial)]


def _presentations(d: Dim, monomial: Monomial, c: int) -> Iterator[tuple[int, Monomial, str, Dim]]:
    """Ways to write `c*others*max(0,...)` with a part of the sum drawn in: coefficient, others, text, rest."""
    atom = next(a for a in monomial if isinstance(a, Application) and a.op == "max")
    others = without(monomial, (atom,)) or ()
    rest = d - term(monomial, c)
    yield c, others, _call("max", list(atom.args)), rest
    sides = [(abs(c), atom.args, rest)]
    if len(atom.args) == 2 and not _has_maximum(atom.args[1]):
        e = atom.args[1]
        sides.append((abs(c), (dim(0), -e), rest + term(others, c) * e))
    if abs(c) > 1:
        sides.append((1, tuple(a * abs(c) for a in atom.args), rest))
    for number, args, left in sides:
        for shift in _shifts(left, others, number, args):
            text = _call("max", [a + shift for a in args]) if c > 0 else _call("min", [shift - a for a in args])
            yield number, others, text, left - term(others, number) * shift


def _has_maximum(d: Dim) -> bool:
    return any(a.op == "max" for a in d.applications())


def _shifts(rest: Dim, others: Monomial, number: int, args: Sequence[Dim]) -> Iterator[Dim]:
    """Dims that may be drawn into a maximum: nothing, what is divisible and like it, that without the constant."""
    parts = [(without(m, others), c // number) for m, c in rest.terms if c % number == 0]
    names = frozenset[str]().union(*(e.symbols for e in args))
    same = polynomial((m, c) for m, c in parts if m is not None and (not m or term(m, 1).symbols & names))
    own = [e - e.offset for e in args if e.terms]
    yield from dict.fromkeys((dim(0), same, same - same.offset, *own))


# ---------------------------------------------------------------- floor divisions


def _modulo(d: Dim) -> tuple[_Piece, Dim] | None:
    """`n-3*(n//3)` as `n%3`."""
    for (others, p, k), found in residue_classes(d).items():
        values = {found.get(c, 0) for c in range(1, k)} if k <= 2 * len(found) + 1 else {0, *found.values()}
        if k > 2 * len(found) + 1:
            values = {c for r, c in found.items() if r} | {0}
        if others or len(values) != 1:
            continue
        (common,) = values
        times, left = divmod(common - found.get(0, 0), k)
        if left or not times:
            continue
        floors = sum((c * atom_dim(Application("//", (p + r, dim(k)))) for r, c in found.items()), dim(0))
        rest = d - floors + (common - times) * p
        if len(rest.terms) < len(d.terms):
            return _Piece(times, (f"{_operand(p)}%{k}",), True), rest
    return None


def _folded(d: Dim) -> tuple[_Piece, Dim] | None:
    """`(n+k)//2-k` as `(n-k)//2`: a floor division that a part of the sum makes shorter."""
    for monomial, c in d.terms:
        atom = monomial[0] if len(monomial) == 1 else None
        if not isinstance(atom, Application) or atom.op != "//" or atom.args[1].constant is None:
            continue
        x, k = atom.args[0], atom.args[1].constant
        rest = d - term(monomial, c)
        # x//k is -((k-1-x)//k), too.
        options = [_drawn_in(sign * c, inside, k, rest) for sign, inside in ((1, x), (-1, k - 1 - x))]
        found = [o for o in options if o is not None]
        if found:
            return min(found, key=lambda o: len(o[0].text(True)) + len(dim_text(o[1])))
    return None


def _drawn_in(c: int, x: Dim, k: int, rest: Dim) -> tuple[_Piece, Dim] | None:
    """`c*(x//k) + rest` with those terms of the rest moved inside that make the terms inside smaller."""
    present = dict(rest.terms)
    moved = dim(0)
    for m, a in x.terms:
        for sign in (1, -1):
            if present.get(m) == sign * c and abs(a + sign * k) <= abs(a):
                moved = moved + term(m, sign)
    inside = x + moved * k
    if not moved.terms or not any(m and a > 0 for m, a in inside.terms):
        return None
    return _Piece(c, (f"{_operand(inside)}//{k}",), True), rest - moved * c
