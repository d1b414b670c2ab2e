"""Complex numbers in a residual program: the operations that take them apart and put them together.

The stage writes every function of complex numbers in terms of their parts.  What is left of complex type are
the three operations below, those that do the same to both parts, and copies; `slice/complex_parts` then makes
two real variables of each complex one, so that nothing behind it knows of complex numbers.
"""

from __future__ import annotations

REAL, IMAG, COMPLEX = "real", "imag", "complex"
"""`real(z)`, `imag(z)`, and `complex(re, im)` of two arrays of one shape."""

PARTWISE = frozenset(
    [
        "add",
        "subtract",
        "negative",
        "sum",
        "cumsum",
        "where",
        "full",
        "reshape",
        "transpose",
        "expand_dims",
        "squeeze",
        "broadcast_to",
        "concatenate",
        "slice",
        "take",
        "gather_nd",
        "set_slice",
        "set_index",
        "scatter_nd",
    ]
)
"""Operations of `OPS` that do to a complex array what they do to its parts."""
