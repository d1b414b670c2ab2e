"""Merging objects on the host: the merge variable is their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph_program.extract.stage import host_code
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.values import Deferred, Host, Tensor, Value


@dataclass(frozen=True, eq=False)
class Kept(Deferred):
    """The number of an object that the host is given at the end of the path."""

    value: Value

    def tensor(self, m: Machine) -> Tensor:
        """The number itself."""
        number = host_code.keep(m, self.value).number
        assert isinstance(number, Tensor)
        return number


def number_of(value: Value) -> Value:
    """The number that a path has for an object on the host."""
    return value.number if isinstance(value, Host) else Kept(value)


def text(values: Sequence[Value]) -> str:
    """What the merged object is the result of, where it is the same everywhere."""
    texts = {v.text for v in values if isinstance(v, Host)}
    return texts.pop() if len(texts) == 1 else "one of several host values"
