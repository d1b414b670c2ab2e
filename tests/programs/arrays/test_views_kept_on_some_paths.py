"""State that becomes a view on some paths would be a copy after the call: refused, as it is on all paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.stateful import check_calls


class Buffers:
    def __init__(self) -> None:
        self.all, self.part, self.calls = np.arange(3.0), np.zeros(1), 0

    def first_call(self, x: Any) -> None:
        if self.calls == 0:
            self.part = self.all[:1]
        self.calls += 1
        self.all += x

    def chosen(self, x: Any) -> None:
        self.part = self.all[:1] if x[0] > 0 else self.part

    def either_way(self, x: Any) -> None:
        self.part = self.all[:1] if x[0] > 0 else self.all[1:2]

    def in_a_loop(self, x: Any) -> None:
        for v in x:
            if v > 0:
                self.part = self.all[:1]

    def of_an_argument(self, x: Any) -> None:
        if x[0] > 0:
            self.part = x[:1]

    def whole_and_part(self, x: Any) -> None:
        self.all = x * 2
        self.part = self.all[:1]

    def part_and_whole(self, x: Any) -> None:
        new = x * 2
        self.part = new[:1] if x[0] > 0 else self.part
        self.all = new


class Fine:
    def __init__(self) -> None:
        self.all, self.part = np.arange(3.0), np.zeros(1)

    def of_what_nobody_has(self, x: Any) -> None:
        new = x * 2
        self.part = new[:1] if x[0] > 0 else new[1:2]
        self.part += 1

    def copied(self, x: Any) -> None:
        if x[0] > 0:
            self.part = self.all[:1].copy()
        self.all += x

    def none_or_part(self, x: Any) -> None:
        self.part = (x * 2)[:1] if x[0] > 0 else None

    def row_of_a_stack(self, x: Any) -> None:
        rows = np.stack([x, x * 2, x - 1])
        for row in rows:
            if row[0] > self.all[0]:
                self.all = row


@pytest.mark.parametrize("name", [name for name in vars(Buffers) if not name.startswith("_")])
def test_refused(name: str) -> None:
    buffers = Buffers()
    with pytest.raises(GraphProgramError, match=r"GP452.*would share its memory with .* after the call"):
        graph_program(getattr(buffers, name))(np.ones(3))
    assert buffers.calls == 0


@pytest.mark.parametrize("name", [name for name in vars(Fine) if not name.startswith("_")])
def test_taken(name: str) -> None:
    check_calls(Fine, name, (np.ones(3),), (-np.ones(3),), (np.arange(3.0) * 4,))
