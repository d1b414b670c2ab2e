"""What turning regions into a graph is made of: scopes of variables, values, constants, selectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.extract.control.cfg import Undefined
from graph_program.extract.control.cfg import Value as Operand
from graph_program.extract.control.names import Names
from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.ir.residual import Const
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, TensorType


class Scope:
    """The variables of one graph while it is built: those assigned here hide those outside.

    A variable that is mapped to None, or not at all, has no value here.
    """

    def __init__(self, parent: Scope | None = None):
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent else 0
        self.values: dict[str, Value | None] = {}
        self.nodes: list[Node] = []

    def lookup(self, name: str) -> Value | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        return None


@dataclass(frozen=True)
class Selector:
    """Which of several targets control goes to.

    With one target there is nothing to know and no value.  With two, the value is true for the
    first; with more, and where `wide` says so, it is the number of the block.
    """

    targets: tuple[int, ...]
    value: Value | None = None
    wide: bool = False

    def without(self, target: int) -> Selector:
        """This selector where it is known not to say `target`."""
        left = tuple(t for t in self.targets if t != target)
        return Selector(left) if len(left) < 2 else Selector(left, self.value, True)


class Emitter:
    """Makes nodes and values with unique names."""

    def __init__(self, names: Names):
        self.names = names
        self.constants: dict[Const, Value] = {}
        self.constant_nodes: list[Node] = []
        self.home: dict[Value, int] = {}
        """The depth of the scope that defines each value; constants are at depth 0."""

    def value(self, base: str, type: TensorType, scope: Scope) -> Value:
        value = Value(self.names.fresh(base), type)
        self.home[value] = scope.depth
        return value

    def constant(self, const: Const) -> Value:
        """The value of a constant; equal ones are one node, at the top of the program."""
        if const not in self.constants:
            array = const.value
            type = TensorType(array.dtype, tuple(map(dim, array.shape)))
            value = Value(self.names.fresh(_constant_name(array)), type)
            self.constants[const] = value
            self.home[value] = 0
            self.constant_nodes.append(Node("constant", [], [value], {"value": array}))
        return self.constants[const]

    def boolean(self, value: bool) -> Value:
        return self.constant(Const(np.array(value)))

    def integer(self, value: int) -> Value:
        return self.constant(Const(np.array(value, np.int64)))

    def op(
        self,
        scope: Scope,
        base: str,
        type: TensorType,
        op: str,
        inputs: Sequence[Value],
        attrs: Mapping[str, Any] | None = None,
        loc: Loc = UNKNOWN,
    ) -> Value:
        output = self.value(base, type, scope)
        scope.nodes.append(Node(op, list(inputs), [output], attrs or {}, loc=loc))
        return output

    def placeholder(self, scope: Scope, base: str, type: TensorType) -> Value:
        return self.op(scope, base, type, "placeholder", [])

    def operand(self, operand: Operand, scope: Scope, type: TensorType | None = None) -> Value:
        """The value of an operand; a placeholder where it has none."""
        if isinstance(operand, Const):
            return self.constant(operand)
        if isinstance(operand, Undefined):
            return self.placeholder(scope, "unset", operand.type)
        value = scope.lookup(operand)
        if value is None:
            assert type is not None
            return self.placeholder(scope, operand, type)
        return value

    def invert(self, value: Value, scope: Scope) -> Value:
        if value in (self.boolean(True), self.boolean(False)):
            return self.boolean(value is self.boolean(False))
        return self.op(scope, "otherwise", PY_BOOL, "invert", [value])

    # ------------------------------------------------------------ selectors

    def test(self, selector: Selector, target: int, scope: Scope) -> Value:
        """Whether control goes to `target`."""
        if selector.value is None or target not in selector.targets:
            return self.boolean(target in selector.targets)
        if selector.wide:
            return self.op(scope, "here", PY_BOOL, "equal", [selector.value, self.integer(target)])
        first = selector.targets[0] == target
        return selector.value if first else self.invert(selector.value, scope)

    def convert(
        self, selector: Selector, targets: tuple[int, ...], scope: Scope, alias: Mapping[int, int] | None = None
    ) -> Selector:
        """The selector among more `targets`, where some may have got another name."""
        names = alias or {}
        if len(targets) < 2:
            return Selector(targets)
        if len(targets) > 2:
            return Selector(targets, self._number(selector, names, scope), True)
        chosen = [t for t in selector.targets if names.get(t, t) == targets[0]]
        if len(chosen) == len(selector.targets):
            return Selector(targets, self.boolean(True))
        value = self.boolean(False)
        for i, target in enumerate(chosen):
            test = self.test(selector, target, scope)
            value = self.op(scope, "here", PY_BOOL, "bitwise_or", [value, test]) if i else test
        return Selector(targets, value)

    def _number(self, selector: Selector, alias: Mapping[int, int], scope: Scope) -> Value:
        if selector.value is None:
            return self.integer(alias.get(selector.targets[0], selector.targets[0]))
        if not selector.wide:
            pair = [self.integer(alias.get(target, target)) for target in selector.targets]
            return self.op(scope, "target", PY_INT, "where", [selector.value, *pair])
        value = selector.value
        for old, new in alias.items():
            if old in selector.targets:
                here = self.test(selector, old, scope)
                value = self.op(scope, "target", PY_INT, "where", [here, self.integer(new), value])
        return value


def _constant_name(array: np.ndarray) -> str:
    if array.ndim == 0 and array.dtype.kind == "b":
        return "true" if array else "false"
    if array.ndim == 0 and array.dtype.kind in "iu":
        return f"int_{array}".replace("-", "minus_")
    return "constant"
