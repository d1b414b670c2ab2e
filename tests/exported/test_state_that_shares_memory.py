"""State that is a view of other state: a file would have both as arrays of their own, so it is refused at export."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.loading.agreement import agree
from tests.loading.device import Device

TABLE = np.arange(4.0)


class Buffers:
    def __init__(self) -> None:
        self.all = np.arange(3.0)
        self.first, self.same = self.all[:1], self.all
        self.parts = [self.all[:1].copy(), self.all[1:]]
        self.table = TABLE[:2]

    def both_written(self, x: float) -> Any:
        self.all += x
        self.first[0] = 7
        return self.all, self.first

    def view_read(self, x: float) -> Any:
        self.all += x
        return self.first * 2

    def base_read(self, x: float) -> Any:
        self.first += x
        return self.all * 2

    def in_a_list(self, x: float) -> Any:
        self.parts[1] += x
        return self.all * 2

    def of_a_global(self, x: float) -> Any:
        self.table += x
        return TABLE * 2

    def set_anew(self, x: float) -> Any:
        self.all = self.all + x
        self.first = self.first * x
        return self.all, self.first

    def alone(self, x: float) -> Any:
        self.all += x
        return self.all * 2

    def one_array(self, x: float) -> Any:
        self.all += x
        self.same *= 2
        return self.all


@pytest.mark.parametrize(
    "name, written, other",
    [
        ("both_written", "self.all", "self.first"),
        ("view_read", "self.all", "self.first"),
        ("base_read", "self.first", "self.all"),
        ("in_a_list", "self.parts[1]", "self.all"),
        ("of_a_global", "self.table", "TABLE"),
    ],
)
def test_refused_as_a_call_is(name: str, written: str, other: str, tmp_path: Path) -> None:
    program = graph_program(getattr(Buffers(), name))
    with pytest.raises(GraphProgramError, match="GP405") as wanted:
        program(1.0)
    with pytest.raises(GraphProgramError, match="GP405") as found:
        program.export(tmp_path / "model.onnx", (1.0,))
    assert f"'{written}' and '{other}' share memory" in str(found.value)
    assert str(found.value) == str(wanted.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["set_anew", "alone", "one_array"])
def test_not_where_no_write_is_shared(name: str, device: Device) -> None:
    agree(device, graph_program(getattr(Buffers(), name)), [(1.0,), (2.0,), (-3.0,)])


@dataclass
class Channel:
    samples: Any


def test_views_in_a_list_of_any_length() -> None:
    class Mixer:
        def __init__(self, block: Any) -> None:
            self.channels = [Channel(block[i : i + 2]) for i in range(3)]

        def step(self, x: Any) -> Any:
            for channel in self.channels:
                channel.samples += x
            self.channels = [c for c in self.channels if c.samples.sum() < 100]

    program = graph_program(Mixer(np.zeros(4)).step)
    with pytest.raises(GraphProgramError, match=r"GP405.*'self\.channels\[\.\.\.\]\.samples' share memory"):
        program.model((np.ones(2),))
