"""What an evaluation changes outside the state, to be taken back before it is done again."""

from __future__ import annotations

from graph_program.extract.stage.machine.machine import Machine


class Checkpoint:
    """What an evaluation adds outside the state, to take back before evaluating again."""

    def __init__(self, m: Machine):
        self.m = m
        self.state = m.live.copy()
        self.out = len(m.out)
        self.errors = len(m.errors)
        self.notes = len(m.notes)
        self.findings = len(m.findings)
        self.unsaid = len(m.unsaid)
        self.effects = len(m.effects)
        self.host_steps = len(m.host_steps)
        self.host_puts = len(m.host_puts)
        self.generators = len(m.generators)
        self.pending = {label: len(exits) for label, exits in m.pending.items()}
        self.node_loc, self.frame, self.target = m.node_loc, m.frame, m.out

    def has_no_way_out(self) -> bool:
        """Whether nothing since can leave the construct: no jump to a block around it, no error, no host step."""
        jumps = any(len(exits) > self.pending.get(label, 0) for label, exits in self.m.pending.items())
        return not jumps and len(self.m.errors) == self.errors and len(self.m.host_steps) == self.host_steps

    def restore(self) -> None:
        """Forget everything since."""
        m = self.m
        m.state = self.state.copy()
        m.out = self.target
        del m.out[self.out :]
        del m.errors[self.errors :]
        del m.notes[self.notes :]
        del m.findings[self.findings :]
        del m.unsaid[self.unsaid :]
        del m.effects[self.effects :]
        del m.host_steps[self.host_steps :]
        del m.host_puts[self.host_puts :]
        del m.generators[self.generators :]
        for label in [name for name in m.pending if name not in self.pending]:
            del m.pending[label]
        for label, count in self.pending.items():
            del m.pending[label][count:]
        m.operation_checks = []
        m.node_loc, m.frame = self.node_loc, self.frame
