"""Arrays of the state that change places (double buffers), written before or after that.

A file is stepped twice: by `load`, and by the names of its inputs and outputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import graph_program
from tests.loading.agreement import same
from tests.loading.device import Device


class Buffers:
    def __init__(self) -> None:
        self.front, self.back = np.arange(3.0), np.ones(3)

    def swapped(self, x: Any) -> Any:
        self.front, self.back = self.back, self.front
        self.front += x
        return self.front - self.back

    def swapped_and_given(self, x: Any) -> Any:
        self.front, self.back = self.back, self.front
        return self.front

    def written_before_and_after(self, x: Any) -> Any:
        self.front[0] = 5
        self.front, self.back = self.back, self.front
        self.front *= x
        self.back += 1
        return x[:1]

    def written_and_replaced(self, x: Any) -> Any:
        self.front += x
        old = self.front
        self.front = self.front * 2
        return old

    def written_and_lost(self, x: Any) -> Any:
        self.front += x
        self.front = self.front * self.back

    def handed_on(self, x: Any) -> Any:
        self.back += x
        self.front = self.back
        self.back = x * 2
        return self.front


STEPS = [np.array([1.0, 2.0, 3.0]), np.zeros(3), np.array([-1.0, np.nan, 2.0]), np.ones(3)]


@pytest.mark.parametrize("name", [name for name in vars(Buffers) if not name.startswith("_")])
def test_stepped(name: str, device: Device) -> None:
    plain, fed = Buffers(), vars(Buffers())
    model = graph_program(getattr(Buffers(), name)).model((STEPS[0],)).SerializeToString()
    session = onnxruntime.InferenceSession(model)
    outputs = [output.name.removesuffix("_out") for output in session.get_outputs()]
    for x, outcome in zip(STEPS, device.run(model, [(x,) for x in STEPS]), strict=True):
        wanted = getattr(plain, name)(x)
        feeds = {f"self.{attribute}": array for attribute, array in fed.items()} | {"x": x}
        found = dict(
            zip(outputs, session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()}), strict=True)
        )
        fed = {attribute: found.get(f"self.{attribute}", array) for attribute, array in fed.items()}
        assert outcome.error is None
        same(outcome.result, wanted)
        same(fed, vars(plain))
        state = outcome.state["self"][2]
        same(state, {attribute: vars(plain)[attribute] for attribute in state})
        if wanted is not None:
            same(found["result"], wanted)
