"""Broadcasting as a relation: what is known of the result bounds the operands, and the reverse.

Whether a dim is 1 or n is decided as late as possible.  Facts go both ways: a result that is 1 has
operands that are 1, an operand that cannot be 1 is the result, a result of known rank bounds its
operands' ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from graph_program.extract.types.dims import Application, Dim, Symbol, never_one, provably_different
from graph_program.extract.types.notation.terms import (
    Broadcast,
    Ragged,
    RankVar,
    Segment,
    ShapeTerm,
    as_written,
    fixed_rank,
    shape_text,
)
from graph_program.extract.types.solving.store import (
    MAX_RANK,
    ConstraintError,
    Origin,
    Store,
    is_fresh,
    name_of,
    rank_key,
)
from graph_program.extract.types.solving.unification import bind_shape, blaming, equal_dims, equal_shapes
from graph_program.extract.types.tensors.shape_arithmetic import ONE

# ---------------------------------------------------------------- dims


def broadcast_dims(store: Store, dims: Sequence[Dim], origin: Origin) -> Dim:
    """The dim that dims broadcast to: one of them, or a new one with a pending relation."""
    operands = _distinct(store, dims)
    if len(operands) <= 1:
        return operands[0] if operands else ONE
    key = _flat(store, "dims", map(store.dim, operands))
    if key not in store.known:
        result = store.fresh_dim()
        store.put(store.known, key, result)
        store.decide(DimBroadcast(result, tuple(operands), origin))
    found: Dim = store.known[key]
    return found


def _distinct(store: Store, dims: Sequence[Dim]) -> list[Dim]:
    """Dims as they were written, without those that are 1 and those that are known to equal another."""
    found: dict[Dim, Dim] = {}
    for d in dims:
        found.setdefault(store.dim(d), d)
    return [d for value, d in found.items() if value != ONE]


def _never_one(d: Dim) -> bool:
    """Whether broadcasting cannot stretch a dim; nothing is known of the solver's own symbols."""
    name = name_of(d)
    return not (name is not None and is_fresh(name)) and never_one(d)


MAX_FLAT = 8
"""Broadcasts of more than these are not compared."""
Key = tuple[str, frozenset[Dim | ShapeTerm]]


def _flat(store: Store, kind: str, operands: Iterable[Dim | ShapeTerm]) -> Key:
    """The key of a broadcast: its operands, with what they are broadcasts of (n & (n & m) is n & m)."""
    present = frozenset(operands)
    flat: set[Dim | ShapeTerm] = set()
    for operand in present:
        flat |= store.known.get(("made", operand), {operand})
    return kind, frozenset(flat) if len(flat) <= MAX_FLAT else present


def _remember(store: Store, key: Key, written: Dim | ShapeTerm, present: Dim | ShapeTerm) -> None:
    store.put(store.known, key, written)
    store.put(store.known, ("made", present), key[1])


class DimBroadcast:
    """`d = n & m`."""

    def __init__(self, result: Dim, operands: tuple[Dim, ...], origin: Origin):
        self.result, self.operands, self.origin = result, operands, origin

    def step(self, store: Store) -> bool:
        operands = _distinct(store, self.operands)
        fixed = [d for d in operands if _never_one(store.dim(d))]
        if not operands:
            equal_dims(store, self.result, ONE, self.origin)
        elif fixed:
            return self._with_fixed(store, operands, fixed)
        elif len(operands) == 1:
            equal_dims(store, self.result, operands[0], self.origin)
        elif store.dim(self.result) == ONE:
            for d in operands:
                equal_dims(store, d, ONE, self.origin)
        else:
            return self._open(store, operands)
        return True

    def _with_fixed(self, store: Store, operands: list[Dim], fixed: list[Dim]) -> bool:
        """An operand that cannot be stretched is the result; the others are 1 or the same."""
        main = next((d for d in fixed if store.dim(d).constant is not None), fixed[0])
        for d in fixed:
            self._equal(store, main, d)
        self._equal(store, self.result, main)
        value = store.dim(main)
        waiting = False
        for d in operands:
            if d not in fixed:
                present = store.dim(d)
                if name_of(present) is None and provably_different(present, value):
                    equal_dims(store, d, ONE, self.origin)
                elif present != value:
                    waiting = True
        return not waiting

    def _equal(self, store: Store, a: Dim, b: Dim) -> None:
        try:
            equal_dims(store, a, b, self.origin)
        except ConstraintError as error:
            text = f"{store.dim(a)} and {store.dim(b)} do not broadcast together"
            raise ConstraintError(text, error.first, error.second) from None

    def _open(self, store: Store, operands: list[Dim]) -> bool:
        """Nothing is known to be longer than 1; equal relations still have equal results."""
        key = _flat(store, "dims", map(store.dim, operands))
        other = store.known.get(key)
        if other is not None and store.dim(other) != store.dim(self.result):
            equal_dims(store, self.result, other, self.origin)
            return True
        _remember(store, key, self.result, store.dim(self.result))
        return False

    def waits_for(self, store: Store) -> Iterator[str]:
        for d in (self.result, *self.operands):
            yield from store.dim(d).symbols

    def text(self, store: Store) -> str:
        return f"{store.dim(self.result)} = {' & '.join(str(store.dim(d)) for d in self.operands)}"


# ---------------------------------------------------------------- shapes


def broadcast_shapes(store: Store, shapes: Sequence[ShapeTerm], origin: Origin) -> ShapeTerm:
    """The shape that shapes broadcast to, with a pending relation for what is open."""
    shapes = [internal(store, s, origin) for s in shapes]
    operands = _distinct_shapes(store, shapes)
    if len(operands) <= 1:
        return operands[0] if operands else ()
    if all(fixed_rank(s) is not None for s in operands):
        return _broadcast_known(store, operands, origin)
    key = _flat(store, "shapes", map(store.shape, operands))
    if key not in store.known:
        made: ShapeTerm = (RankVar(store.fresh_name("s")),)
        store.put(store.known, key, made)
        store.decide(ShapeBroadcast(made, tuple(operands), origin))
    result: ShapeTerm = store.known[key]
    return result


def _misfit(store: Store, operands: list[ShapeTerm], result: ShapeTerm) -> str:
    shapes = " and ".join(shape_text(store.shape(s)) for s in operands)
    return f"{shapes} do not broadcast to {shape_text(store.shape(result))}"


def _broadcast_known(store: Store, operands: list[ShapeTerm], origin: Origin) -> ShapeTerm:
    rank = max(map(len, operands))
    result: list[Segment] = []
    for axis in range(-rank, 0):
        column = [s[axis] for s in operands if len(s) >= -axis]
        result.append(_broadcast_column(store, column, origin, operands))
    return tuple(result)


def _broadcast_column(store: Store, column: list[Segment], origin: Origin, operands: Sequence[ShapeTerm]) -> Segment:
    dims = [d for d in column if isinstance(d, Dim)]
    if len(dims) < len(column):
        return Ragged()
    try:
        return broadcast_dims(store, dims, origin)
    except ConstraintError as error:
        shapes = " and ".join(shape_text(store.shape(s)) for s in operands)
        raise ConstraintError(f"{shapes}: {error.message}", error.first, error.second) from None


def internal(store: Store, shape: ShapeTerm, origin: Origin) -> ShapeTerm:
    """A shape whose broadcasts, of shapes and of dims (`n & m`), are variables with a relation."""
    shape = as_written(shape)
    if not any(isinstance(s, Broadcast) or (isinstance(s, Dim) and s.applications()) for s in shape):
        return shape
    parts: list[Segment] = []
    for segment in shape:
        if isinstance(segment, Broadcast):
            parts += broadcast_shapes(store, segment.shapes, origin)
        elif isinstance(segment, Dim):
            parts.append(internal_dim(store, segment, origin))
        else:
            parts.append(segment)
    return tuple(parts)


def internal_dim(store: Store, d: Dim, origin: Origin) -> Dim:
    """A dim whose broadcasts `n & m` are symbols with a relation."""
    applications = d.applications()
    if not applications:
        return d
    total = d
    for atom in applications:
        if atom.op == "&":
            made = broadcast_dims(store, [internal_dim(store, a, origin) for a in atom.args], origin)
            total = _with_atom(total, atom, made)
    return total


def _with_atom(d: Dim, atom: Application, by: Dim) -> Dim:
    """A dim with an atom replaced by a dim."""
    name = "?&"
    marked = Dim(tuple((tuple(Symbol(name) if a == atom else a for a in m), c) for m, c in d.terms))
    return marked.substitute({name: by})


def _distinct_shapes(store: Store, shapes: Sequence[ShapeTerm]) -> list[ShapeTerm]:
    found: dict[ShapeTerm, ShapeTerm] = {}
    for shape in shapes:
        expanded = store.expand(shape)
        if expanded:
            found.setdefault(store.shape(expanded), expanded)
    return list(found.values())


def least_rank(shape: ShapeTerm) -> int:
    """How many dims a shape has at least."""
    return sum(not isinstance(s, RankVar) for s in shape)


def tail_length(shape: ShapeTerm) -> int:
    """How many dims stand after the last part of unknown length."""
    return next((i for i, s in enumerate(reversed(shape)) if isinstance(s, RankVar)), len(shape))


class ShapeBroadcast:
    """`*b = *s & *r`, aligned at the right."""

    def __init__(
        self,
        result: ShapeTerm,
        operands: tuple[ShapeTerm, ...],
        origin: Origin,
        whole: ShapeBroadcast | None = None,
        split_off: int = 0,
    ):
        self.result, self.operands, self.origin = result, operands, origin
        self.whole = whole or self
        """The broadcast that this is the rest of, once `split_off` columns are gone."""
        self.split_off = split_off

    def step(self, store: Store) -> bool:
        with blaming(store, (self.whole.result, *self.whole.operands), self.origin):
            return self._step(store)

    def _step(self, store: Store) -> bool:
        operands = _distinct_shapes(store, self.operands)
        result = store.expand(self.result)
        self._check_growth(store, result, operands)
        if not operands or len(operands) == 1:
            equal_shapes(store, result, operands[0] if operands else (), self.origin)
            return True
        if not result:
            for shape in operands:
                equal_shapes(store, shape, (), self.origin)
            return True
        if all(fixed_rank(s) is not None for s in operands):
            self._known(store, result, operands)
            return True
        if not self._lengthen(store, operands):
            return False
        return self._columns(store, operands)

    def _known(self, store: Store, result: ShapeTerm, operands: list[ShapeTerm]) -> None:
        """Operands of known rank decide the result's, whatever that looks like."""
        made = _broadcast_known(store, operands, self.origin)
        try:
            equal_shapes(store, result, made, self.origin)
        except ConstraintError as error:
            text = f"{_misfit(store, operands, result)}: {error.message}"
            raise ConstraintError(text, error.first, error.second) from None

    def _check_growth(self, store: Store, result: ShapeTerm, operands: list[ShapeTerm]) -> None:
        for shape in operands:
            for variable in (s for s in result if isinstance(s, RankVar)):
                if len(result) == 1 and variable in shape and least_rank(shape):
                    text = (
                        f"the rank grows without bound: {variable} would be {shape_text(store.shape(shape))} or longer"
                    )
                    raise ConstraintError(text, self.origin, store.blame(shape, self.origin))

    def _lengthen(self, store: Store, operands: list[ShapeTerm]) -> bool:
        """Give the result as many dims as its operands have at least; False if it is not clear where."""
        result = store.expand(self.result)
        need = max(map(least_rank, operands))
        missing = need - tail_length(result)
        if missing <= 0:
            return True
        if fixed_rank(result) is not None:
            text = _misfit(store, operands, result)
            raise ConstraintError(text, self.origin, store.blame(self.result, self.origin))
        variable = result[0]
        if not isinstance(variable, RankVar) or tail_length(result) != len(result) - 1:
            return False
        if need + self.split_off > MAX_RANK:
            raise ConstraintError(f"the rank grows without bound: more than {MAX_RANK} dims", self.origin)
        lead = RankVar(store.fresh_name("s"))
        dims = tuple(store.fresh_dim() for _ in range(missing))
        bind_shape(store, variable, (lead, *dims), self.origin)
        return True

    def _columns(self, store: Store, operands: list[ShapeTerm]) -> bool:
        """Split off the columns to which every operand's contribution is known, and look at the rest."""
        result = store.expand(self.result)
        open_tails = [tail_length(s) for s in operands if fixed_rank(s) is None]
        complete = min([tail_length(result), *open_tails])
        for axis in range(-complete, 0):
            self._column(store, result[axis], [s[axis] for s in operands if len(s) >= -axis], operands)
        rest = tuple(s[: max(0, len(s) - complete)] for s in operands)
        rest_result = result[: len(result) - complete]
        if complete:
            store.post(ShapeBroadcast(rest_result, rest, self.origin, self.whole, self.split_off + complete))
            return True
        return self._ranks(store, result, operands)

    def _column(self, store: Store, target: Segment, column: list[Segment], operands: list[ShapeTerm]) -> None:
        found = _broadcast_column(store, column, self.origin, operands)
        if isinstance(target, Dim) and isinstance(found, Dim):
            try:
                equal_dims(store, target, found, self.origin)
            except ConstraintError as error:
                text = f"{_misfit(store, operands, self.result)}: {error.message}"
                raise ConstraintError(text, error.first, error.second) from None

    def _ranks(self, store: Store, result: ShapeTerm, operands: list[ShapeTerm]) -> bool:
        """What the result's rank, and dims that cannot be stretched, say about open operands."""
        self._partial_columns(store, result, operands)
        rank = fixed_rank(result)
        if rank is None:
            return self._same_as_another(store, result, operands)
        changed = False
        longest = max((len(s) for s in operands if fixed_rank(s) is not None), default=0)
        open_operands = [s for s in operands if fixed_rank(s) is None]
        for shape in open_operands:
            variables = [s for s in shape if isinstance(s, RankVar)]
            if least_rank(shape) == rank:
                for variable in variables:
                    bind_shape(store, variable, (), self.origin)
                changed = True
            elif len(variables) == 1 and len(open_operands) == 1 and longest < rank:
                dims = tuple(store.fresh_dim() for _ in range(rank - least_rank(shape)))
                bind_shape(store, variables[0], dims, self.origin)
                changed = True
        return self._step(store) if changed else False

    def _same_as_another(self, store: Store, result: ShapeTerm, operands: list[ShapeTerm]) -> bool:
        """Equal relations have equal results."""
        key = _flat(store, "shapes", map(store.shape, operands))
        other = store.known.get(key)
        if other is not None and store.shape(other) != store.shape(result):
            equal_shapes(store, result, other, self.origin)
            return True
        _remember(store, key, result, store.shape(result))
        return False

    def _partial_columns(self, store: Store, result: ShapeTerm, operands: list[ShapeTerm]) -> None:
        for axis in range(-tail_length(result), 0):
            target = result[axis]
            column = [s[axis] for s in operands if tail_length(s) >= -axis]
            dims = [d for d in column if isinstance(d, Dim)]
            if not isinstance(target, Dim):
                continue
            for d in dims:
                if _never_one(store.dim(d)):
                    equal_dims(store, target, d, self.origin)
                elif store.dim(target) == ONE:
                    equal_dims(store, d, ONE, self.origin)

    def waits_for(self, store: Store) -> Iterator[str]:
        for shape in (self.result, *self.operands):
            for segment in store.expand(shape):
                if isinstance(segment, RankVar):
                    yield rank_key(segment.name)
                elif isinstance(segment, Dim):
                    yield from store.dim(segment).symbols

    def text(self, store: Store) -> str:
        parts = " & ".join(shape_text(store.shape(s)) for s in self.operands)
        return f"{shape_text(store.shape(self.result))} = {parts}"
