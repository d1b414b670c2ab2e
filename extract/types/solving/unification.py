"""Equality of dims and of shapes: unification with occurs check, and arithmetic on dims.

The rules are those of Axon (Collins and Grover, "Axon: A Language for Dynamic Shapes in Deep Learning
Graphs", arXiv:2210.02374): shapes are stripped of what they have in common at both ends (unpacking, append
unpacking), a single variable part takes what is opposite to it (basic, append dimensionality), nothing is
opposite to nothing (empty shapes), and dims are solved as polynomials in normal form (arithmetic,
simplification).  What several variable parts leave open waits until their lengths are known.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from graph_program.extract.types.dims import (
    Application,
    Dim,
    Symbol,
    exact_quotient,
    provably_different,
    provably_less_equal,
    symbol,
)
from graph_program.extract.types.notation.terms import RankVar, Segment, ShapeTerm, fixed_rank, shape_text
from graph_program.extract.types.solving.store import (
    MAX_RANK,
    ConstraintError,
    Origin,
    Store,
    age,
    is_fresh,
    name_of,
    rank_key,
)
from graph_program.extract.types.tensors.shape_arithmetic import ZERO

# ---------------------------------------------------------------- dims


def equal_dims(store: Store, a: Dim, b: Dim, origin: Origin) -> None:
    """Make two dims equal, now or as soon as enough is known."""
    if a is b or a == b:
        return
    left, right = store.dim(a), store.dim(b)
    if left == right:
        return
    simple = _bound_name(left, right)
    if simple is not None:
        store.bind_dim(*simple, origin)
    else:
        store.decide(DimEquation(a, b, origin))


def _bound_name(a: Dim, b: Dim) -> tuple[str, Dim] | None:
    """The solution where a name is equal to a name or a number, which most equations are."""
    first, second = name_of(a), name_of(b)
    if first is not None and second is not None:
        return (first, b) if (is_fresh(first), age(first)) > (is_fresh(second), age(second)) else (second, a)
    for name, value in ((first, b), (second, a)):
        if name is not None and value.constant is not None and value.constant >= 0:
            return name, value
    return None


def dims_differ(store: Store, a: Dim, b: Dim, origin: Origin) -> ConstraintError:
    """The error for two dims that cannot be equal."""
    second = store.blame(a, origin) or store.blame(b, origin)
    return ConstraintError(f"{store.dim(a)} is not {store.dim(b)}", origin, second)


def _impossible(a: Dim, b: Dim) -> bool:
    if a.constant is not None and b.constant is not None:
        return a.constant != b.constant
    if provably_different(a, b):
        return True
    difference = a - b
    divisor = math.gcd(*(c for m, c in difference.terms if m))
    constant = next((c for m, c in difference.terms if not m), 0)
    return divisor > 1 and constant % divisor != 0


def solve_dims(a: Dim, b: Dim) -> tuple[str, Dim] | None:
    """A symbol and the value that makes two dims equal; None if none can be told.

    Names that the solver made are solved for first, the newest among them, so that names the user wrote
    remain; then what is certainly a size.
    """
    difference = _simplified(a, b)
    candidates = []
    for name in _solvable(difference):
        factor, rest = _split_off(difference, name)
        if provably_less_equal(1, factor) or provably_less_equal(factor + 1, 0):
            value = exact_quotient(-rest, factor) if rest.terms else ZERO
            if value is not None:
                candidates.append((_preference(name, value), name, value))
    if not candidates:
        return None
    _, name, value = max(candidates, key=lambda c: c[0])
    return name, value


def _solvable(d: Dim) -> list[str]:
    """The symbols that occur at most once in each product, and in no division, maximum or minimum."""
    powers = Counter(name for m, _ in d.terms for name in {a.name for a in m if isinstance(a, Symbol)})
    uses = Counter(name for m, _ in d.terms for atom in m for name in _symbols(atom))
    return [name for name in powers if uses[name] == powers[name]]


def _split_off(d: Dim, name: str) -> tuple[Dim, Dim]:
    """`factor` and `rest` such that d is `factor * name + rest`."""
    atom = Symbol(name)
    rest = Dim(tuple((m, c) for m, c in d.terms if atom not in m))
    factor = exact_quotient(d - rest, symbol(name))
    assert factor is not None
    return factor, rest


def _preference(name: str, value: Dim) -> tuple[bool, bool, int, str]:
    return is_fresh(name), provably_less_equal(0, value), age(name), name


def _symbols(atom: Symbol | Application) -> Iterator[str]:
    if isinstance(atom, Symbol):
        yield atom.name
    else:
        yield from frozenset[str]().union(*(arg.symbols for arg in atom.args))


def _simplified(a: Dim, b: Dim) -> Dim:
    """`a - b`, with maxima replaced by the one operand that they can be: `max(0, n-2) = 5` says n-2 = 5."""
    difference = a - b
    for monomial, coefficient in difference.terms:
        atom = monomial[0] if len(monomial) == 1 else None
        if isinstance(atom, Application) and atom.op == "max":
            rest = difference - Dim(((monomial, coefficient),))
            possible = [d for arg in atom.args if not provably_different(d := rest + coefficient * arg, ZERO)]
            if len(possible) == 1:
                return possible[0]
    return difference


class DimEquation:
    """Two dims that are equal in a way that cannot be solved for one symbol yet: `m*n = 6`, `n//2 = 4`."""

    def __init__(self, a: Dim, b: Dim, origin: Origin):
        self.a, self.b, self.origin = a, b, origin

    def step(self, store: Store) -> bool:
        left, right = store.dim(self.a), store.dim(self.b)
        if left == right:
            return True
        if store.has_no_value(self.a) or store.has_no_value(self.b):
            second = store.blame(self.a, self.origin) or store.blame(self.b, self.origin)
            raise ConstraintError(f"{self.a} = {self.b} has no value", self.origin, second)
        if _impossible(left, right):
            raise dims_differ(store, self.a, self.b, self.origin)
        solution = solve_dims(left, right)
        if solution is None:
            return False
        name, value = solution
        store.bind_dim(name, value, self.origin)
        if not provably_less_equal(0, value):
            store.decide(NotNegative(value, self.origin))
        # What followed from an equation with maxima may not be all that it says.
        return store.dim(self.a) == store.dim(self.b)

    def waits_for(self, store: Store) -> Iterator[str]:
        yield from (store.dim(self.a) - store.dim(self.b)).symbols

    def text(self, store: Store) -> str:
        return f"{store.dim(self.a)} = {store.dim(self.b)}"


class NotNegative:
    """A dim found by subtraction is a size."""

    def __init__(self, d: Dim, origin: Origin):
        self.d, self.origin = d, origin

    def step(self, store: Store) -> bool:
        d = store.dim(self.d)
        if provably_less_equal(d + 1, 0):
            raise ConstraintError(f"a size would be negative: {d}", self.origin, store.blame(self.d, self.origin))
        return provably_less_equal(0, d)

    def waits_for(self, store: Store) -> Iterator[str]:
        yield from store.dim(self.d).symbols

    def text(self, store: Store) -> str:
        return f"{store.dim(self.d)} >= 0"


# ---------------------------------------------------------------- shapes


def equal_shapes(store: Store, a: ShapeTerm, b: ShapeTerm, origin: Origin) -> None:
    """Make two shapes equal, now or as soon as lengths are known."""
    if a == b:
        return
    store.decide(ShapeEquation(a, b, origin))


Pair = tuple[ShapeTerm, ShapeTerm]


@contextmanager
def blaming(store: Store, shapes: Iterable[ShapeTerm], origin: Origin) -> Iterator[None]:
    """Errors that name one place only also name the one that gave one of these shapes its dims."""
    try:
        yield
    except ConstraintError as error:
        if error.second is None:
            error.second = next((o for s in shapes if (o := store.blame(s, error.first)) is not None), None)
            if error.second is None and error.first != origin:
                error.second = origin
        raise


def _strip_common(store: Store, whole: Pair, origin: Origin) -> Pair:
    """Both shapes without the ends that they share; dims that stand opposite each other are made equal.

    Where one ends first, what the other has more is left.
    """
    a, b = whole
    while a and b and _paired(store, a[0], b[0], origin, whole):
        a, b = a[1:], b[1:]
    while a and b and _paired(store, a[-1], b[-1], origin, whole):
        a, b = a[:-1], b[:-1]
    return a, b


def _paired(store: Store, x: Segment, y: Segment, origin: Origin, whole: Pair) -> bool:
    if x == y:
        return True
    if isinstance(x, RankVar) or isinstance(y, RankVar):
        return False
    if isinstance(x, Dim) and isinstance(y, Dim):
        if fixed_rank(whole[0]) is not None and fixed_rank(whole[1]) is not None and len(whole[0]) != len(whole[1]):
            raise _shapes_differ(store, *whole, origin)
        equal_dims(store, x, y, origin)
        return True
    raise ConstraintError(f"{x} is not {y}", origin)


def _settle_shapes(store: Store, a: ShapeTerm, b: ShapeTerm, origin: Origin, whole: Pair) -> bool:
    """Decide the equality of stripped shapes if it can be; False if it has to wait."""
    for one, another in ((a, b), (b, a)):
        if not one:
            _all_empty(store, another, origin, whole)
            return True
    sides = [(a, b), (b, a)] if _binds_first(a, b) else [(b, a), (a, b)]
    for one, another in sides:
        if len(one) == 1 and isinstance(one[0], RankVar):
            _bind_rank(store, one[0], another, origin)
            return True
    for one, another in ((a, b), (b, a)):
        if fixed_rank(another) is not None:
            return _fit_length(store, one, another, origin, whole)
    return False


def _binds_first(a: ShapeTerm, b: ShapeTerm) -> bool:
    """Of two single variables the one bound is the solver's own, and of those the newer."""
    if not (len(a) == len(b) == 1 and isinstance(a[0], RankVar) and isinstance(b[0], RankVar)):
        return True
    return age(a[0].name) >= age(b[0].name)


def _all_empty(store: Store, shape: ShapeTerm, origin: Origin, whole: Pair) -> None:
    for segment in shape:
        if not isinstance(segment, RankVar):
            raise _shapes_differ(store, *whole, origin)
        bind_shape(store, segment, (), origin)


def _bind_rank(store: Store, variable: RankVar, shape: ShapeTerm, origin: Origin) -> None:
    """Bind, with occurs check: `s = s @ r` says r is empty, `s = s @ [n]` has no solution."""
    if variable in shape:
        rest = list(shape)
        rest.remove(variable)
        if any(not isinstance(s, RankVar) for s in rest):
            raise ConstraintError(
                f"the rank grows without bound: {variable} would be {shape_text(shape)}",
                origin,
                store.blame((variable,), origin),
            )
        for other in rest:
            assert isinstance(other, RankVar)
            bind_shape(store, other, (), origin)
        return
    bind_shape(store, variable, tuple([_with_place(store, s, origin) for s in shape]), origin)


def _with_place(store: Store, segment: Segment, origin: Origin) -> Segment:
    """A number as a variable bound to it, which remembers where it comes from."""
    if not isinstance(segment, Dim) or segment.constant is None:
        return segment
    if segment.constant < 0:
        raise ConstraintError(f"a size would be negative: {segment}", origin)
    made = store.fresh_name("d")
    store.bind_dim(made, segment, origin)
    return symbol(made)


def bind_shape(store: Store, variable: RankVar, shape: ShapeTerm, origin: Origin) -> None:
    """Give a rank variable its dims, unless it has them by now."""
    if variable.name in store.ranks:
        equal_shapes(store, (variable,), shape, origin)
        return
    if sum(not isinstance(s, RankVar) for s in shape) > MAX_RANK:
        raise ConstraintError(f"the rank grows without bound: more than {MAX_RANK} dims", origin)
    store.bind_rank(variable.name, shape, origin)


def _fit_length(store: Store, pattern: ShapeTerm, known: ShapeTerm, origin: Origin, whole: Pair) -> bool:
    """A shape with several variable parts, against one of known rank."""
    names = Counter(s.name for s in pattern if isinstance(s, RankVar))
    spare = len(known) - (len(pattern) - names.total())
    if spare < 0 or (len(names) == 1 and spare % names.total()):
        raise _shapes_differ(store, *whole, origin)
    if spare and len(names) > 1:
        return False
    for name in names:
        parts = tuple(store.fresh_dim() for _ in range(spare // names.total()))
        bind_shape(store, RankVar(name), parts, origin)
    equal_shapes(store, pattern, known, origin)
    return True


def _shapes_differ(store: Store, a: ShapeTerm, b: ShapeTerm, origin: Origin) -> ConstraintError:
    second = store.blame(a, origin) or store.blame(b, origin)
    text = f"{shape_text(store.shape(a))} and {shape_text(store.shape(b))} have different ranks"
    return ConstraintError(text, origin, second)


class ShapeEquation:
    """Two shapes that are equal, with several variable parts whose lengths are not known yet."""

    def __init__(self, a: ShapeTerm, b: ShapeTerm, origin: Origin):
        self.a, self.b, self.origin = a, b, origin

    def step(self, store: Store) -> bool:
        with blaming(store, (self.a, self.b), self.origin):
            whole = store.expand(self.a), store.expand(self.b)
            left, right = _strip_common(store, whole, self.origin)
            return _settle_shapes(store, left, right, self.origin, (self.a, self.b))

    def waits_for(self, store: Store) -> Iterator[str]:
        for shape in (self.a, self.b):
            yield from (rank_key(s.name) for s in store.expand(shape) if isinstance(s, RankVar))

    def text(self, store: Store) -> str:
        return f"{shape_text(store.shape(self.a))} = {shape_text(store.shape(self.b))}"
