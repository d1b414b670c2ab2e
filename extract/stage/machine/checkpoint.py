"""What an evaluation changes outside the state, to be taken back before it is done again."""

from __future__ import annotations

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.room_states import Kept


class Checkpoint:
    """What an evaluation adds outside the state, to take back before evaluating again."""

    def __init__(self, m: Machine):
        self.m = m
        self.state = m.live.copy()
        self.out = len(m.out)
        self.marks = [part.mark() for part in self._parts()]
        self.errors, self.effects, self.host_steps = len(m.report.errors), len(m.host.effects), len(m.host.steps)
        self.pending = {label: len(exits) for label, exits in m.pending.items()}
        self.node_loc, self.frame, self.target = m.node_loc, m.frame, m.out

    def _parts(self) -> tuple[Kept, ...]:
        return self.m.host, self.m.report, self.m.iterators

    def has_no_way_out(self) -> bool:
        """Whether nothing since can leave the construct: no jump to a block around it, no error, no host step."""
        jumps = any(len(exits) > self.pending.get(label, 0) for label, exits in self.m.pending.items())
        return not jumps and len(self.m.report.errors) == self.errors and len(self.m.host.steps) == self.host_steps

    def restore(self) -> None:
        """Forget everything since."""
        m = self.m
        m.state = self.state.copy()
        m.out = self.target
        del m.out[self.out :]
        for part, mark in zip(self._parts(), self.marks, strict=True):
            part.take_back(mark)
        for label in [name for name in m.pending if name not in self.pending]:
            del m.pending[label]
        for label, count in self.pending.items():
            del m.pending[label][count:]
        m.operation_checks = []
        m.node_loc, m.frame = self.node_loc, self.frame
