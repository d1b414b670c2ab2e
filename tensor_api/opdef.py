"""`OpDef`: one tensor operation as one record.

The operations here are the *primitive* vocabulary of the graph.  Their operands already have the
right element types (the extractor inserts `cast` where NumPy promotes), so each record is small:
its name, its operands, its static attributes, its signature in the shape language, and what NumPy
computes for it.  Everything else that is known about an operation is a table keyed by its name: the
type rule (`extract/types/rules/type_rules`), the ONNX lowering (`backends/onnx/rules`).

Signatures are in the shape language (`extract/types/notation/shape_language`): `t`, `u` are element types, `[m, n]`
dims, `[*s]` any number of dims, `[]` none.  Of a variable that several operands share, a leading `*s` that
is all of unknown length in its operands broadcasts, other runs and dims are equal.  `*reduce(s, axes, keepdims)`
is computed from static attributes, `*sizes(dims)` from the values of operands; a dim that only the result
has is decided by the data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class OpDef:
    """A primitive tensor operation.

    Attributes
    ----------
    name : str
        The graph's name for it.
    operands : tuple of str
        Tensor operands in order; a last name that starts with `*` stands for any number.
    attrs : tuple of str
        Static attributes, all given by keyword.
    signature : str
        Types and shapes in the shape language.
    family : str
        Which type rule it follows (a key of the type-rule table); also groups the docs.
    reference : callable
        `reference(*arrays, **attrs) -> ndarray`: NumPy's own meaning, the oracle.
    doc : str
        One line.
    """

    name: str
    operands: tuple[str, ...]
    attrs: tuple[str, ...]
    signature: str
    family: str
    reference: Callable[..., Any]
    doc: str


OPS: dict[str, OpDef] = {}
"""All primitive operations by name; filled when `tensor_api.ops` is imported."""


def define(
    name: str,
    operands: str,
    signature: str,
    family: str,
    reference: Callable[..., Any],
    doc: str,
    attrs: str = "",
) -> OpDef:
    """Register an operation; operand and attribute names are separated by spaces."""
    if name in OPS:
        raise ValueError(f"operation {name} is defined twice")
    op = OpDef(name, tuple(operands.split()), tuple(attrs.split()), signature, family, reference, doc)
    OPS[name] = op
    return op
