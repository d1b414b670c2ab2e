"""Symbolic dimensions: integer expressions in a normal form, and what is provable of them.

    dim(3)   symbol("n")   n + 1   2*n - m   n*m   (n+1)//2   n % 3   n & m   maximum(0, n-2)   minimum(n, m)

Equal expressions are equal objects: `2*n + 2 == 2*(n + 1)`, `max(0,n-1) + min(1,n) == n`.  Every symbol
stands for an integer >= 0.  `n & m` is the size that two sizes broadcast to.
"""

from __future__ import annotations

from graph_program.extract.types.dim_forms import broadcast, maximum, minimum
from graph_program.extract.types.dim_provers import (
    never_one,
    provably_different,
    provably_equal,
    provably_less_equal,
)
from graph_program.extract.types.dim_terms import (
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
