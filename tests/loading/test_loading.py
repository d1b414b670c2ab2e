"""Exported models called like the functions they were made of, where graph_program cannot be imported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.loading.device import Device, plain


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device() as found:
        yield found


@dataclass
class Box:
    x: np.ndarray[Any, Any]
    label: str
    n: int = 0


class Tracker:
    def __init__(self, gain: float):
        self.gain, self.pos, self.n = gain, np.zeros(3), 0
        self.box = Box(np.ones(2), "seen", 1)

    @graph_program
    def step(self, x: Any, k: float = 2.0, *, mode: str = "add") -> Any:
        if k < 0:
            raise ValueError(f"gain {k} at step {self.n}")
        self.pos = self.pos * self.gain + x * k
        self.n += 1
        self.box.x[0] += self.n
        return {"position": self.pos, "step": (self.n, mode, self.box)}


def test_state_goes_from_call_to_call(device: Device, tmp_path: Path) -> None:
    tracker = Tracker(0.5)
    tracker.step.export(tmp_path / "step.onnx", (np.ones(3),))
    xs = [np.arange(3.0) + i for i in range(4)]
    outcomes = device.run(tmp_path / "step.onnx", [(xs[0],), (xs[1], -1.0), (xs[2], 3.0), (xs[3],)])
    assert outcomes[1].error is not None and outcomes[1].error.text == "gain -1.0 at step 1"
    for outcome, args in ((outcomes[0], (xs[0],)), (outcomes[2], (xs[2], 3.0)), (outcomes[3], (xs[3],))):
        np.testing.assert_equal(outcome.result, plain(tracker.step.python(*args)))
        assert outcome.state["self"][2]["n"] == tracker.n
