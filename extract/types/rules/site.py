"""`Site`: what the type rule of an operation looks at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.rules.facts import Clause, Requirement
from graph_program.extract.types.tensors.rule_errors import Given, TypeRuleError
from graph_program.extract.types.tensors.shape_arithmetic import Fresh
from graph_program.extract.types.tensors.tensor_type import TensorType


@dataclass(frozen=True)
class Site:
    """What a rule looks at: one use of an operation."""

    op: str
    operands: Sequence[TensorType]
    attrs: Mapping[str, Any]
    sizes: Sequence[Dim | None]
    fresh: Fresh
    requirements: list[Requirement] = field(default_factory=list)
    """What the rule could not decide; see `require`."""

    @property
    def x(self) -> TensorType:
        return self.operands[0]

    def size(self, i: int) -> Dim | None:
        """The symbolic value of operand `i`, if it is known."""
        return self.sizes[i] if i < len(self.sizes) else None

    def sizes_from(self, i: int) -> list[Dim | None]:
        """The symbolic values of operand `i` and all after it."""
        return [self.size(j) for j in range(i, len(self.operands))]

    def require(self, clauses: Sequence[Clause], kind: str, *message: str | Dim | Given) -> None:
        """Something that must hold of the sizes, or the operation fails with NumPy's `message`."""
        if clauses:
            self.requirements.append(Requirement(tuple(clauses), kind, message))


Rule = Callable[[Site], TensorType]


def same_dtypes(site: Site, operands: Sequence[TensorType]) -> np.dtype[Any]:
    """The element type that operands share."""
    for t in operands[1:]:
        if t.dtype != operands[0].dtype:
            names = " and ".join(o.dtype.name for o in operands)
            raise TypeRuleError("dtype", f"{site.op}: operands of different element types {names}")
    return operands[0].dtype
