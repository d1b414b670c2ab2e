"""Principal types: what the solver leaves open is defaulted, and variables get readable names."""

from __future__ import annotations

import itertools
import string
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim, symbol
from graph_program.extract.types.dims.normal_forms import ONE
from graph_program.extract.types.notation.terms import (
    Broadcast,
    DTypeTerm,
    DTypeVar,
    Floating,
    Promoted,
    RankVar,
    Resolved,
    Segment,
    ShapeTerm,
    TypeTerm,
    Weak,
    as_written,
    dims_of,
    dtype_variables,
    rank_variables,
)
from graph_program.extract.types.solving.broadcast_relations import DimBroadcast, ShapeBroadcast
from graph_program.extract.types.solving.dtype_relations import DTypeRelation, domain_of, equal_dtypes
from graph_program.extract.types.solving.store import Relation, Store, is_fresh
from graph_program.extract.types.solving.unification import equal_dims, equal_shapes


@dataclass(frozen=True)
class Principal:
    """Types as they are shown to a person.

    Attributes
    ----------
    types : tuple of TypeTerm
        Defaulted and renamed, in the order they were given.
    defaulted : tuple of RankVar
        The solver's variables for shapes that are only related by broadcasting and were taken as equal.
    """

    types: tuple[TypeTerm, ...]
    defaulted: tuple[RankVar, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.types))


def principal_types(store: Store, types: Sequence[TypeTerm]) -> Principal:
    """The types with defaults and names; the store stays as it is."""
    with store.hypothetical():
        defaulted = _default(store)
        solved = [resolved_type(store, t) for t in types]
    return Principal(renamed(solved), defaulted)


def resolved_type(store: Store, t: TypeTerm) -> TypeTerm:
    """A type with present knowledge put in."""
    return TypeTerm(resolved_dtype(store, t.dtype), resolved_shape(store, t.shape))


def resolved_shape(store: Store, shape: ShapeTerm) -> ShapeTerm:
    """A shape with present knowledge put in."""
    expanded = store.expand(as_written(shape))
    return Resolved.of(store.shape(expanded), expanded)


def resolved_dtype(store: Store, t: DTypeTerm) -> DTypeTerm:
    """An element type with present knowledge put in; a variable says which kinds are left."""
    t = store.dtype(t)
    if not isinstance(t, DTypeVar) or t.name not in store.domains:
        return t
    return DTypeVar(t.name, frozenset(e.kind for e in domain_of(store, t) if isinstance(e, np.dtype)))


# ---------------------------------------------------------------- defaults


def _default(store: Store) -> tuple[RankVar, ...]:
    """Take what is only related by broadcasting or promotion as equal, where that contradicts nothing."""
    relations: list[Relation] = [r for r in store.pending() if isinstance(r, ShapeBroadcast)]
    open_: dict[RankVar, None] = {}
    for r in relations:
        assert isinstance(r, ShapeBroadcast)
        for shape in r.operands:
            open_.update(dict.fromkeys(rank_variables(store.expand(shape))))
    tried: set[Relation] = set()
    for kind in (ShapeBroadcast, DimBroadcast, DTypeRelation):
        while waiting := [r for r in store.pending() if isinstance(r, kind) and r not in tried]:
            tried.update(waiting)
            for r in waiting:
                if not store.finished[r]:
                    _default_one(store, r)
    return tuple(open_)


def _default_one(store: Store, relation: Relation) -> None:
    """Make a relation's operands equal to its result: all of them if possible, else each that can be."""
    steps = list(_equalities(store, relation))
    with store.attempt() as attempt:
        for step in steps:
            step()
    if not attempt:
        for step in steps:
            with store.attempt():
                step()


def _equalities(store: Store, relation: Relation) -> Iterator[Callable[[], None]]:
    origin = relation.origin
    match relation:
        case ShapeBroadcast():
            for shape in relation.operands:
                yield partial(equal_shapes, store, _stretched(store, shape), relation.result, origin)
        case DimBroadcast():
            for d in relation.operands:
                yield partial(equal_dims, store, d, relation.result, origin)
        case DTypeRelation():
            for t in relation.operands:
                if not isinstance(t, Weak):
                    yield partial(equal_dtypes, store, t, relation.result, origin)


def _stretched(store: Store, shape: ShapeTerm) -> ShapeTerm:
    """A shape with any size for dims of size 1, which are there to be stretched: `mask[..., None]`."""
    return tuple(store.fresh_dim() if isinstance(s, Dim) and store.dim(s) == ONE else s for s in store.expand(shape))


# ---------------------------------------------------------------- names


def renamed(types: Sequence[TypeTerm]) -> tuple[TypeTerm, ...]:
    """Types with readable names for the solver's variables, in order of first appearance.

    Dims become a, b, c, ...; element types t, u, v, ...; ranks *s, *r, *q, ....  Names that the user
    wrote stay and are not used twice.
    """
    return _Names(types).types


class _Names:
    def __init__(self, types: Sequence[TypeTerm]):
        dims = [name for t in types for d in dims_of(t.shape) for name in _in_order(d)]
        ranks = [v.name for t in types for v in rank_variables(t.shape)]
        dtypes = [v.name for t in types for v in dtype_variables(t.dtype)]
        used = {name for name in (*dims, *ranks, *dtypes) if not is_fresh(name)}
        self.ranks = _named(ranks, used, "srqpo" + string.ascii_lowercase)
        self.dtypes = _named(dtypes, used, "tuvwxyz" + string.ascii_lowercase)
        names = _named(dims, used | set(self.ranks.values()) | set(self.dtypes.values()), string.ascii_lowercase)
        self.dims = {old: symbol(new) for old, new in names.items() if old != new}
        self.types = tuple(TypeTerm(self.dtype(t.dtype), self.shape(t.shape)) for t in types)

    def shape(self, shape: ShapeTerm) -> ShapeTerm:
        return tuple(map(self.segment, shape))

    def segment(self, segment: Segment) -> Segment:
        match segment:
            case Dim():
                return segment.substitute(self.dims) if self.dims else segment
            case RankVar(name):
                return RankVar(self.ranks[name])
            case Broadcast(shapes):
                return Broadcast(tuple(map(self.shape, shapes)))
        return segment

    def dtype(self, t: DTypeTerm) -> DTypeTerm:
        match t:
            case DTypeVar(name, kinds):
                return DTypeVar(self.dtypes[name], kinds)
            case Promoted(of):
                return Promoted(tuple(map(self.dtype, of)))
            case Floating(of, wide):
                return Floating(self.dtype(of), wide)
        return t


def _in_order(d: Dim) -> list[str]:
    """The names of a dim, in an order that does not depend on hashing."""
    return sorted(d.symbols, key=lambda name: (len(name), name))


def _named(names: Sequence[str], used: set[str], letters: str) -> dict[str, str]:
    free = (f"{letter}{number or ''}" for number in itertools.count() for letter in dict.fromkeys(letters))
    return {
        name: name if not is_fresh(name) else next(n for n in free if n not in used) for name in dict.fromkeys(names)
    }
