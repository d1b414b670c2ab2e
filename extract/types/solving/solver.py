"""The constraint solver of shapes and element types.

    solver = Solver()
    x, w = solver.fresh_type("x"), TypeTerm(FLOAT32, (dim(784), dim(10)))
    (y,) = solver.apply(parse_signature("matmul: (t [*s, m, k], t [*s, k, n]) -> t [*s, m, n]"), [x, w], origin)
    solver.principal([x, y])                        t [*s, a, 784], t [*s, a, 10]

Axon's rules (Collins and Grover, arXiv:2210.02374) over unification, with NumPy's promotion of element
types and its broadcasting of shapes as relations.  A constraint is taken up at once, with all that
follows from it; what cannot be decided waits for the variables it depends on.  A constraint that
contradicts the others raises `ConstraintError` and leaves the solver as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, overload

import numpy as np

from graph_program.extract.types.dims import Dim
from graph_program.extract.types.notation.terms import (
    DTypeTerm,
    DTypeVar,
    Floating,
    Promoted,
    RankVar,
    ShapeTerm,
    Signature,
    TypeTerm,
    Weak,
)
from graph_program.extract.types.solving.broadcast_relations import broadcast_shapes, internal, internal_dim
from graph_program.extract.types.solving.dtype_relations import equal_dtypes, floating, promote
from graph_program.extract.types.solving.principal_types import (
    Principal,
    principal_types,
    resolved_dtype,
    resolved_shape,
    resolved_type,
)
from graph_program.extract.types.solving.signature_instances import apply_signature
from graph_program.extract.types.solving.store import Attempt, ConstraintError, Origin, Store, readable
from graph_program.extract.types.solving.unification import equal_dims, equal_shapes

__all__ = ["Attempt", "ConstraintError", "Origin", "Principal", "Solver"]


class Solver:
    """Constraints between types, and what is known from them."""

    def __init__(self) -> None:
        self._store = Store()

    # ---------------------------------------------------------------- variables

    def fresh_dim(self, hint: str = "d") -> Dim:
        """A new unknown dim."""
        return self._store.fresh_dim(hint)

    def fresh_rank(self, hint: str = "s") -> RankVar:
        """A new unknown run of dims."""
        return RankVar(self._store.fresh_name(hint))

    def fresh_dtype(self, hint: str = "t", kinds: frozenset[str] | None = None) -> DTypeVar:
        """A new unknown element type, of one of these kinds (NumPy's letters: b, i, u, f)."""
        return DTypeVar(self._store.fresh_name(hint), kinds)

    def fresh_type(self, hint: str = "x") -> TypeTerm:
        """A type of which nothing is known."""
        return TypeTerm(self.fresh_dtype(hint), (self.fresh_rank(hint),))

    # ---------------------------------------------------------------- constraints

    def equal_dims(self, a: Dim, b: Dim, origin: Origin) -> None:
        """Require two dims to be equal."""
        with self._store.atomic():
            left, right = internal_dim(self._store, a, origin), internal_dim(self._store, b, origin)
            equal_dims(self._store, left, right, origin)

    def equal_shapes(self, a: ShapeTerm, b: ShapeTerm, origin: Origin) -> None:
        """Require two shapes to be equal."""
        with self._store.atomic():
            left, right = internal(self._store, a, origin), internal(self._store, b, origin)
            equal_shapes(self._store, left, right, origin)

    def equal_dtypes(self, a: DTypeTerm, b: DTypeTerm, origin: Origin) -> None:
        """Require two element types to be equal; a Python number takes the type of what it meets."""
        with self._store.atomic():
            equal_dtypes(self._store, a, b, origin)

    def equal_types(self, a: TypeTerm, b: TypeTerm, origin: Origin) -> None:
        """Require two types to be equal."""
        with self._store.atomic():
            equal_dtypes(self._store, a.dtype, b.dtype, origin)
            self.equal_shapes(a.shape, b.shape, origin)

    def broadcast(self, shapes: Sequence[ShapeTerm], origin: Origin) -> ShapeTerm:
        """The shape that shapes broadcast to; `resolve` says what is known of it."""
        with self._store.atomic():
            return broadcast_shapes(self._store, shapes, origin)

    def promote(self, dtypes: Sequence[DTypeTerm], origin: Origin) -> DTypeTerm:
        """The element type that NumPy promotes these to; `resolve` says what is known of it."""
        with self._store.atomic():
            return promote(self._store, dtypes, origin)

    def floating(self, dtype: DTypeTerm, origin: Origin, wide: bool = False) -> DTypeTerm:
        """The element type that `np.exp` computes in; with `wide`, the one of `/` and `np.mean`."""
        with self._store.atomic():
            result = floating(self._store, dtype, wide, origin)
        return self._store.dtype(result)

    def apply(
        self,
        signature: Signature,
        operands: Sequence[TypeTerm],
        origin: Origin,
        attrs: Mapping[str, Any] | None = None,
    ) -> tuple[TypeTerm, ...]:
        """The results' types of an operation.

        Parameters
        ----------
        signature : Signature
            Its variables are instantiated with fresh ones.  Of a variable that several operands share, a
            leading `*s` broadcasts (unless an operand has another part of unknown length), an element
            type `t` promotes, and dims are equal.
        operands : sequence of TypeTerm
        origin : Origin
        attrs : mapping, optional
            The operation's static attributes, and under the names of size operands their values
            (sequences of Dim or None), which computed parts such as `*reduce(s, axes, keepdims)` need.

        Returns
        -------
        tuple of TypeTerm
            One for each result.  They are best kept as they are, since their variables remember where
            they got their values; `resolve` says what is known of them.

        Raises
        ------
        ConstraintError
            Where the operands do not fit the signature, or each other.
        """
        with self._store.atomic():
            return apply_signature(self._store, signature, operands, origin, attrs or {})

    # ---------------------------------------------------------------- knowledge

    def solve(self) -> None:
        """Bring pending relations to a fixed point.  Constraints do so themselves; this is for certainty."""
        with self._store.atomic():
            pass

    @overload
    def resolve(self, term: TypeTerm) -> TypeTerm: ...
    @overload
    def resolve(self, term: Dim) -> Dim: ...
    @overload
    def resolve(self, term: ShapeTerm) -> ShapeTerm: ...
    @overload
    def resolve(self, term: DTypeTerm) -> DTypeTerm: ...
    def resolve(self, term: Any) -> Any:
        """A type, dim, shape or element type with present knowledge put in, in normal form."""
        if isinstance(term, TypeTerm):
            return resolved_type(self._store, term)
        if isinstance(term, Dim):
            return self._store.dim(term)
        if isinstance(term, np.dtype | DTypeVar | Promoted | Floating | Weak):
            return resolved_dtype(self._store, term)
        return resolved_shape(self._store, term)

    def pending(self) -> Iterator[tuple[str, Origin]]:
        """What is not decided, each with where it comes from."""
        return ((readable(r.text(self._store)), r.origin) for r in list(self._store.pending()))

    def trial(self) -> AbstractContextManager[Attempt]:
        """Constraints that are undone if a ConstraintError leaves the block, which is swallowed.

        The attempt that `with` gives says afterwards whether it `succeeded`.
        """
        return self._store.attempt()

    def principal(self, types: Sequence[TypeTerm]) -> Principal:
        """Types as a person reads them.

        What is only related by broadcasting or promotion is taken as equal, so that matmul and + read
        as `(t [*s], t [*s]) -> t [*s]`; remaining variables are named in order of first appearance.
        """
        return principal_types(self._store, types)
