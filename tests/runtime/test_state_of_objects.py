"""State of captured objects: who sees it, when programs are extracted again, models, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import CallError, GraphProgramError, graph_program
from graph_program.extract import pipeline


class Filter:
    """A first-order filter."""

    def __init__(self, gain: float = 0.5):
        self.gain, self.x, self.count = gain, np.zeros(2), 0

    @graph_program
    def step(self, z: Any) -> Any:
        self.x = self.x + self.gain * (z - self.x)
        self.count += 1
        return self.x

    @graph_program
    def add_in_place(self, z: Any) -> None:
        self.x += z

    @graph_program
    def fail(self, i: Any) -> None:
        self.count += 1
        self.x[i] = 1.0


class Inherited(Filter):
    @graph_program
    def step(self, z: Any) -> Any:
        self.extra = super().step(z) * 2
        return self.extra


@pytest.fixture
def extractions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions extracted from here on."""
    found: list[str] = []
    extract = pipeline.extract

    def noted(fn: Any, *args: Any, **kwargs: Any) -> Any:
        found.append(fn.__name__)
        return extract(fn, *args, **kwargs)

    monkeypatch.setattr("graph_program.calls.calls.extract", noted)
    Filter.__dict__["step"]._bound.clear()  # what was extracted for other objects
    return found


def test_instances_have_their_own_state() -> None:
    a, b = Filter(), Filter(0.25)
    for i in range(3):
        assert a.step(np.ones(2)) is a.x
        assert a.count == i + 1 and b.count == 0
    b.step(np.ones(2))
    assert (a.count, b.count) == (3, 1)
    assert b.x.tolist() == [0.25, 0.25]


def test_a_steady_state_is_extracted_once(extractions: list[str]) -> None:
    f = Filter()
    for size in (2, 2, 2):
        f.step(np.ones(size))
    assert extractions == ["step"]
    f.x = np.zeros(5)  # another size is no other kind
    f.step(np.ones(5))
    assert extractions == ["step"]
    f.x = np.zeros((1, 5))
    f.step(np.ones(5))
    assert extractions == ["step", "step"]


def test_changes_from_outside_are_seen() -> None:
    f = Filter()
    f.step(np.ones(2))
    f.x[0] = 10.0
    f.gain = 0.0
    assert f.step(np.ones(2)).tolist() == [10.0, 0.5]
    f.x = np.array([1.0, 2.0])
    assert f.step(np.ones(2)).tolist() == [1.0, 2.0]


def test_other_names_of_an_array() -> None:
    f = Filter()
    alias = f.x
    f.add_in_place(np.ones(2))
    assert alias is f.x and alias.tolist() == [1, 1]
    f.step(np.ones(2))
    assert alias is not f.x and alias.tolist() == [1, 1]


def test_a_call_that_raises_has_counted() -> None:
    f = Filter()
    f.fail(1)
    for count in (2, 3):
        with pytest.raises(IndexError):
            f.fail(7)
        assert f.count == count and f.x.tolist() == [0, 1]


def test_an_argument_that_is_state_and_written() -> None:
    f = Filter()
    f.add_in_place(np.ones(2))
    with pytest.raises(CallError) as caught:
        f.add_in_place(f.x)
    assert caught.value.code == "GP405"
    assert "'self.x'" in str(caught.value) and "'z'" in str(caught.value)
    f.step(f.x)


def test_inherited_methods() -> None:
    f = Inherited()
    for _ in range(3):
        f.step(np.ones(2))
    assert f.count == 3 and f.extra.tolist() == (f.x * 2).tolist()


def test_bound_methods_kept_elsewhere() -> None:
    f = Filter()
    table = {"step": f.step, "plain": graph_program(f.step.python)}

    @graph_program
    def twice(z: Any) -> Any:
        return table["step"](z) + f.step(z)

    twice(np.ones(2))
    table["plain"](np.ones(2))
    assert f.count == 3


def test_a_model_carries_its_state() -> None:
    model = Filter().step.model((np.ones(2),))
    assert [i.name for i in model.graph.input] == ["z", "self.x", "self.count"]
    names = [o.name for o in model.graph.output]
    assert names[:3] == ["result", "self.x_out", "self.count_out"]
    session = onnxruntime.InferenceSession(model.SerializeToString())
    state = {"self.x": np.zeros(2), "self.count": np.array(0)}
    f = Filter()
    for i in range(4):
        z = np.array([i, 1.0])
        results = dict(zip(names, session.run(None, {"z": z, **state}), strict=True))
        state = {name: results[f"{name}_out"] for name in state}
        np.testing.assert_allclose(results["result"], f.step.python(z))
        np.testing.assert_allclose(state["self.x"], f.x)
        assert state["self.count"] == f.count


def test_one_array_in_two_places_is_one_input() -> None:
    class Two:
        def __init__(self) -> None:
            self.a = self.b = np.zeros(2)

        @graph_program
        def step(self, z: Any) -> Any:
            self.a += z
            return self.b.sum()

    two = Two()
    assert [i.name for i in two.step.model((np.ones(2),)).graph.input] == ["z", "self.a"]
    assert [two.step(np.ones(2)) for _ in range(2)] == [2, 4]
    two.b = np.zeros(2)
    assert two.step(np.ones(2)) == 0
    two.b = two.a
    assert two.step(np.ones(2)) == 8
    two.b = two.a[:1]
    with pytest.raises(CallError):
        two.step(np.ones(2))


ITEMS = [1.0]


def test_captured_lists_are_not_state() -> None:
    @graph_program
    def add(z: Any) -> Any:
        items = ITEMS
        items += [z]
        return len(items)

    with pytest.raises(GraphProgramError) as caught:
        add(1.0)
    assert caught.value.code == "GP333"
    assert ITEMS == [1.0]


def test_the_signature_of_a_method_with_state() -> None:
    assert Filter().step.signature.startswith("step: ")


def test_a_bound_program_knows_its_object() -> None:
    class Counter:
        @graph_program
        def step(self, x: Any) -> Any:
            return x + 1

    counter = Counter()
    assert counter.step.__self__ is counter
    assert counter.step.__func__ is Counter.step.python
    assert not hasattr(Counter.step, "__self__")
