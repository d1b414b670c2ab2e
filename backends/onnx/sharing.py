"""Nodes that compute the same from the same, once where they are visible.

    a = Shape(x)   b = Shape(x)   c = Add(a, b)        ->        a = Shape(x)   c = Add(a, a)

Lowerings ask for sizes, flags and vectors of indices without knowing what others have asked for.  What an enclosing
graph has computed counts, what an inner one has computed does not.  Only what one call of a function has made is
shared, so that what several calls have made stays alike and can become a function of the model.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from graph_program.extract.diagnostics import Loc

NOT_SHARED = frozenset(["Constant", "Identity", "RandomNormalLike", "RandomUniformLike"])
"""Operators that give something else each time, or values of their own for the outputs of a graph."""


def same_work(
    operator: str, inputs: Sequence[ir.Value | None], attributes: Mapping[str, Any], types: Sequence[Any], loc: Loc
) -> Hashable | None:
    """What is equal for nodes that compute the same; None for one that is not to be shared."""
    if operator in NOT_SHARED or any(isinstance(value, (ir.Attr, ir.Graph)) for value in attributes.values()):
        return None
    described = tuple((name, _described(value)) for name, value in sorted(attributes.items()))
    calls = tuple(map(id, loc.chain[1:]))
    return operator, tuple(inputs), described, tuple(map(str, types)), calls


def _described(value: Any) -> Hashable:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return tuple(value) if isinstance(value, (list, tuple)) else value


__all__ = ["same_work"]
