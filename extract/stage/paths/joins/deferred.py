"""Numbers and arrays that a path gives to a merge variable, computed only at the path's end."""

from __future__ import annotations

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.values import Tensor, Value


class Deferred(Value):
    """A number or array that a path gives to a merge variable, computed only at the path's end."""

    def tensor(self, m: Machine) -> Tensor:
        """Emit what computes it."""
        raise NotImplementedError

    def arrays(self) -> tuple[Tensor, ...]:
        """The arrays that it may be."""
        return ()
