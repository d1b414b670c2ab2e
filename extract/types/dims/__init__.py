"""Symbolic dimensions: integer expressions in a normal form, and what is provable of them.

    dim(3)   symbol("n")   n + 1   2*n - m   n*m   (n+1)//2   n % 3   n & m   maximum(0, n-2)   minimum(n, m)

Equal expressions are equal objects: `2*n + 2 == 2*(n + 1)`, `max(0,n-1) + min(1,n) == n`.  Every symbol
stands for an integer >= 0.  `n & m` is the size that two sizes broadcast to.

What others need of dims is imported from here; the room imports nothing of ours.  Start with `polynomials`,
which says what a dim is; `normal_forms` has what is no polynomial, `provers` what holds for all sizes, `printing` and
`parsing` the text.  `integers` and `windows` are arithmetic of programs on sizes.
"""

from __future__ import annotations

from graph_program.extract.types.dims import printing  # noqa: F401  (completes dims)
from graph_program.extract.types.dims.normal_forms import broadcast, maximum, minimum
from graph_program.extract.types.dims.polynomials import (
    MAX_WEIGHT,
    Application,
    Atom,
    Dim,
    Symbol,
    bounded,
    broadcast_sizes,
    dim,
    exact_quotient,
    product,
    put_in,
    symbol,
)
from graph_program.extract.types.dims.provers import never_one, provably_different, provably_equal, provably_less_equal

__all__ = [
    "MAX_WEIGHT",
    "Application",
    "Atom",
    "Dim",
    "Symbol",
    "bounded",
    "broadcast",
    "broadcast_sizes",
    "dim",
    "exact_quotient",
    "maximum",
    "minimum",
    "never_one",
    "product",
    "provably_different",
    "provably_equal",
    "provably_less_equal",
    "put_in",
    "symbol",
]
