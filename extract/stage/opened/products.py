"""Products of open values: matmul, einsum, linear algebra."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.opened import operators
from graph_program.extract.stage.opened.operators import floating, given
from graph_program.extract.stage.opened.schemes import flat, scheme, term_of
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import known_value
from graph_program.extract.stage.values.values import Value
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.notation.terms import ShapeTerm, TypeTerm

if TYPE_CHECKING:
    from graph_program.extract.types.solving.solver import Origin


scheme("matmul", "dot")(lambda m, a, b, *args, **keywords: operators.matmul(m, term_of(m, a), term_of(m, b)))


@scheme("outer")
def outer(m: Machine, a: Value, b: Value, *args: Value) -> Value:
    x, y = term_of(m, a), term_of(m, b)

    def relate(origin: Origin) -> TypeTerm:
        dtype = m.inferring.solver.promote([x.dtype, y.dtype], origin)
        return TypeTerm(dtype, (*flat(m, x.shape), *flat(m, y.shape)))

    return given(m, m.inferring.constrain(m, "np.outer", relate))


@scheme("einsum")
def einsum(m: Machine, subscripts: Value, *operands: Value, **keywords: Value) -> Value:
    """`np.einsum("ij,jk->ik", a, b)`: a letter is one size."""
    text = known_value(subscripts)
    if not isinstance(text, str) or not re.fullmatch(r"[a-zA-Z, ]*(->[a-zA-Z ]*)?", text):
        return m.inferring.lost(m)
    left, arrow, right = text.replace(" ", "").partition("->")
    letters: dict[str, Dim] = {}
    solver = m.inferring.solver

    def relate(origin: Origin) -> TypeTerm:
        terms = [term_of(m, v) for v in operands]
        for part, term in zip(left.split(","), terms, strict=True):
            dims = tuple(letters.setdefault(c, solver.fresh_dim(c)) for c in part)
            solver.equal_shapes(term.shape, dims, origin)
        once = "".join(sorted(c for c in letters if left.count(c) == 1))
        shape = tuple(letters[c] for c in (right if arrow else once))
        return TypeTerm(solver.promote([t.dtype for t in terms], origin), shape)

    return given(m, m.inferring.constrain(m, f"np.einsum({text!r})", relate))


def _square(m: Machine, a: Value, result: Callable[[ShapeTerm, Dim], ShapeTerm]) -> Value:
    """A function of square matrices, or of stacks of them."""
    term = term_of(m, a)

    def relate(origin: Origin) -> TypeTerm:
        lead, (rows, columns) = m.inferring.back(term.shape, 2, origin)
        m.inferring.solver.equal_dims(rows, columns, origin)
        return TypeTerm(floating(m, term.dtype), result(lead, rows))

    return given(m, m.inferring.constrain(m, "a square matrix", relate))


scheme("inv")(lambda m, a: _square(m, a, lambda lead, n: (*lead, n, n)))
scheme("det")(lambda m, a: _square(m, a, lambda lead, n: lead))


@scheme("solve")
def solve(m: Machine, a: Value, b: Value) -> Value:
    x = _square(m, a, lambda lead, n: (*lead, n, n))
    right = term_of(m, b)
    if isinstance(x, Open) and len(right.shape) == 1 and isinstance(right.shape[0], Dim):
        return operators.matmul(m, x.term, right, "np.linalg.solve")
    return given(m, TypeTerm(floating(m, right.dtype), right.shape))
