"""Signatures in use: instantiated with fresh variables and equated with operands.

A variable that several operands share means what NumPy does with it: a leading `*s` that is the only part
of unknown length of its operands broadcasts, an element type `t` promotes, a dim is equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.notation.terms import (
    REPEATED,
    Broadcast,
    Computed,
    DTypeTerm,
    DTypeVar,
    Floating,
    Promoted,
    RankVar,
    Segment,
    ShapeTerm,
    Signature,
    TypeTerm,
    dims_of,
    rank_variables,
)
from graph_program.extract.types.solving.broadcast_relations import broadcast_shapes, internal
from graph_program.extract.types.solving.computed_shapes import computed_shape, post_condition, shape_function
from graph_program.extract.types.solving.dtype_relations import EVERY, equal_dtypes, floating, narrow, of_kinds, promote
from graph_program.extract.types.solving.store import ConstraintError, Origin, Store
from graph_program.extract.types.solving.unification import equal_shapes

ANONYMOUS = "_"


def apply_signature(
    store: Store, signature: Signature, operands: Sequence[TypeTerm], origin: Origin, attrs: Mapping[str, Any]
) -> tuple[TypeTerm, ...]:
    """The results' types of a signature for these operands; see `Solver.apply`."""
    instance = _Instance(store, signature, operands, origin, attrs)
    try:
        return instance.results()
    except ConstraintError as error:
        given = ", ".join(str(TypeTerm(store.dtype(t.dtype), store.shape(t.shape))) for t in operands)
        text = f"{given} does not fit {signature}: {error.message}"
        raise ConstraintError(text, error.first, error.second) from None


class _Instance:
    """One use of a signature."""

    def __init__(
        self,
        store: Store,
        signature: Signature,
        operands: Sequence[TypeTerm],
        origin: Origin,
        attrs: Mapping[str, Any],
    ):
        self.store, self.signature, self.operands = store, signature, operands
        self.origin, self.attrs = origin, attrs
        self.patterns = _patterns(signature, len(operands), origin)
        self.repeats = len(operands) - (len(signature.operands) - 1) if signature.variadic else 0
        self.dims: dict[str, Dim] = {}
        self.repeated: dict[str, list[Dim]] = {}
        """By dim variable that only the repeated operand has: its value in each of them."""
        self.runs: dict[str, list[RankVar]] = {}
        """By rank variable: what stands for it in each operand."""
        self.ranks: dict[str, ShapeTerm] = {}
        self.dtypes: dict[str, list[DTypeTerm]] = {}
        self.broadcasting = _broadcasting(signature)
        self.own = _own_dims(signature)

    def results(self) -> tuple[TypeTerm, ...]:
        for i, (pattern, operand) in enumerate(zip(self.patterns, self.operands, strict=True)):
            self._operand(pattern, operand, i >= len(self.signature.operands) - 1 and self.signature.variadic)
        for name, runs in self.runs.items():
            if name in self.broadcasting:
                self.ranks[name] = broadcast_shapes(self.store, [(v,) for v in runs], self.origin)
        for condition in self.signature.conditions:
            post_condition(self.store, condition, self)
        found = []
        for t in self.signature.results:
            shape = internal(self.store, self._shape(t.shape), self.origin)
            found.append(TypeTerm(self._result_dtype(t.dtype), shape))
        return tuple(found)

    # ------------------------------------------------------------ operands

    def _operand(self, pattern: TypeTerm, operand: TypeTerm, repeated: bool) -> None:
        own = {name: self.store.fresh_dim(name) for name in self.own} if repeated else {}
        for name, d in own.items():
            self.repeated.setdefault(name, []).append(d)
        shape = self._shape(pattern.shape, own, operand=True)
        given = internal(self.store, operand.shape, self.origin)
        equal_shapes(self.store, given, shape, self.origin)
        self._operand_dtype(pattern.dtype, operand.dtype)

    def _operand_dtype(self, pattern: DTypeTerm, given: DTypeTerm) -> None:
        if isinstance(pattern, DTypeVar):
            domain = of_kinds(pattern.kinds)
            if domain != EVERY:
                narrow(self.store, given, domain, self.origin)
            self.dtypes.setdefault(pattern.name, []).append(given)
        else:
            equal_dtypes(self.store, self._result_dtype(pattern), given, self.origin)

    # ------------------------------------------------------------ terms

    def _shape(self, shape: ShapeTerm, own: Mapping[str, Dim] | None = None, operand: bool = False) -> ShapeTerm:
        parts: list[Segment] = []
        for segment in shape:
            match segment:
                case RankVar(name) if operand:
                    parts += self._operand_run(name)
                case RankVar(name):
                    parts += self._run(name)
                case Broadcast(shapes):
                    parts.append(Broadcast(tuple(self._shape(s, own, operand) for s in shapes)))
                case Dim():
                    parts.append(self.dim(segment, own))
                case Computed():
                    parts += computed_shape(self.store, segment, self)
                case _:
                    parts.append(segment)
        return tuple(parts)

    def _operand_run(self, name: str) -> ShapeTerm:
        """What stands for a rank variable in one operand."""
        if name in self.ranks and name not in self.broadcasting:
            return self.ranks[name]
        made = RankVar(self.store.fresh_name("s"))
        if name != ANONYMOUS:
            self.runs.setdefault(name, []).append(made)
            self.ranks[name] = (made,)
        return (made,)

    def _run(self, name: str) -> ShapeTerm:
        """What stands for a rank variable in a result or a condition."""
        if name not in self.ranks:
            self.ranks[name] = (RankVar(self.store.fresh_name("s")),)
        return self.ranks[name]

    def shape_of(self, name: str) -> ShapeTerm:
        """The dims that a rank variable stands for."""
        return self.store.shape(self._run(name))

    def dim(self, d: Dim, own: Mapping[str, Dim] | None = None) -> Dim:
        """A dim of the signature with its variables instantiated."""
        return d.substitute({name: self._symbol(name, own or {}) for name in d.symbols})

    def _symbol(self, name: str, own: Mapping[str, Dim]) -> Dim:
        if name in own:
            return own[name]
        if name == ANONYMOUS:
            return self.store.fresh_dim()
        if name == REPEATED:
            return sum((d for ds in self.repeated.values() for d in ds[1:]), dim(0))
        if name in self.own and not own:
            values = self.repeated.get(name, [])
            return values[0] if values else dim(0)
        if name not in self.dims:
            function = shape_function(self.store, name, self)
            if function is not None:
                return function
            self.dims[name] = self.store.fresh_dim(name if name.isidentifier() else "d")
        return self.dims[name]

    def _result_dtype(self, t: DTypeTerm) -> DTypeTerm:
        if isinstance(t, Promoted):
            return promote(self.store, [self._result_dtype(p) for p in t.of], self.origin)
        if isinstance(t, Floating):
            return floating(self.store, self._result_dtype(t.of), t.wide, self.origin)
        if not isinstance(t, DTypeVar):
            return t
        if t.name not in self.dtypes:
            given = self.attrs.get(t.name)
            self.dtypes[t.name] = [DTypeVar(self.store.fresh_name("t"), t.kinds) if given is None else np.dtype(given)]
        return promote(self.store, self.dtypes[t.name], self.origin)


def _patterns(signature: Signature, count: int, origin: Origin) -> Sequence[TypeTerm]:
    """One pattern per operand."""
    wanted = len(signature.operands)
    if signature.variadic and count >= wanted - 1:
        return (*signature.operands[:-1], *[signature.operands[-1]] * (count - wanted + 1))
    if count != wanted:
        raise ConstraintError(f"{signature.name} takes {wanted} operands, {count} are given", origin)
    return signature.operands


def _broadcasting(signature: Signature) -> frozenset[str]:
    """The rank variables that broadcast: shared, leading, and alone in every operand they stand in."""
    uses: Counter[str] = Counter()
    strict: set[str] = set()
    for i, t in enumerate(signature.operands):
        names = [v.name for v in rank_variables(t.shape)]
        uses.update(names * (2 if signature.variadic and i == len(signature.operands) - 1 else 1))
        alone = len(names) == 1 and t.shape[0] == RankVar(names[0])
        if not alone:
            strict.update(names)
    return frozenset(name for name, n in uses.items() if n > 1 and name not in strict)


def _own_dims(signature: Signature) -> frozenset[str]:
    """The dims that each repeated operand has for itself: those that no other operand names."""
    if not signature.variadic:
        return frozenset()
    *others, last = signature.operands
    elsewhere = {name for t in others for d in dims_of(t.shape) for name in d.symbols}
    results = {name for t in signature.results for d in dims_of(t.shape) for name in d.symbols}
    here = {name for d in dims_of(last.shape) for name in d.symbols}
    return frozenset(here - elsewhere) if REPEATED in results else frozenset()
