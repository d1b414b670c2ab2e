"""Types of values where control joins.

A size that is another one on each path has a symbol of its own, which stands for the size that the variable has where
its paths have all met, or at the beginning of a round.  On the way there a value has a size, but not that one:

    out: [d1] = x                          d1: the size at the beginning of a round
    loop:
        if c:   give out      [d1]
        else:   give t        [d1+1]
        -> [d2]                            not yet d1, which it is in the next round

So what a branch or a loop gives is of its variable's type until the variable is joined again; then it was on the way,
and its sizes are those that both sides have, or new symbols.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import count

from graph_program.extract.ir.graph import Value
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim, symbol
from graph_program.extract.types.tensors.tensor_type import TensorType


@dataclass
class _Join:
    """What a variable is behind a join, and the type that these values have on the way to another join."""

    variable: str
    on_the_way: TensorType
    values: list[Value] = field(default_factory=list)


class JoinedTypes:
    """The types of what branches and loops give.

    Parameters
    ----------
    types : mapping
        The type of each variable.
    inputs : sequence of str
        The variables whose sizes are given, and so mean the same everywhere.
    """

    def __init__(self, types: Mapping[str, TensorType], inputs: Sequence[str]):
        self.types = types
        self.given = frozenset[str]().union(*(size.symbols for name in inputs for size in types[name].shape))
        taken = {name for type_ in types.values() for size in type_.shape for name in size.symbols}
        self.names = (name for name in map("d{}".format, count(1)) if name not in taken)
        self.joins: dict[Value, _Join] = {}

    def behind(self, variable: str, sides: Sequence[Value]) -> tuple[TensorType, TensorType]:
        """The type of a variable behind a branch, and the one that it has there if it is joined again.

        Where only one side says what the variable is, nobody reads it on the path through the other one.
        """
        declared = self.types[variable]
        if len(set(sides)) == 1:
            only = replace(declared, shape=sides[0].type.shape)
            return only, only
        for side in sides:
            self.joins_again(side, variable)
        shape = []
        for axis, size in enumerate(declared.shape):
            given = {side.type.shape[axis] for side in sides}
            shape.append(size if self._is_given(size) else given.pop() if len(given) == 1 else self._fresh())
        return declared, replace(declared, shape=tuple(shape))

    def of_any_round(self, declared: TensorType) -> TensorType:
        """The type of a variable that a loop carries for what is behind it."""
        return replace(declared, shape=tuple(s if self._is_given(s) else self._fresh() for s in declared.shape))

    def joined(self, value: Value, variable: str, on_the_way: TensorType, sides: Sequence[Value | None] = ()) -> None:
        """Note what a variable is behind a join; where only one side has it, it is the same as there."""
        known = {side for side in sides if side is not None}
        join = self.joins.get(known.pop()) if len(known) == 1 else None
        if join is None or join.variable != variable:
            join = _Join(variable, on_the_way)
        join.values.append(value)
        self.joins[value] = join

    def joins_again(self, value: Value | None, variable: str) -> None:
        """Note that what a variable was behind a join was not yet what it is where it is read."""
        join = self.joins.get(value) if value is not None else None
        if join is not None and join.variable == variable:
            for one in join.values:
                one.type = join.on_the_way

    def _is_given(self, size: Dim) -> bool:
        return size.symbols <= self.given

    def _fresh(self) -> Dim:
        return symbol(next(self.names))
