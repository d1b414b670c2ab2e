"""The state of a program, on a device: kept from call to call, left as it was by an exception, shared and reset."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program, load
from tests.loading.agreement import agree, same
from tests.loading.device import Device, plain


@dataclass
class Filter:
    mean: Any
    gain: float
    name: str = "kalman"


class Tracker:
    """What its methods write is state; `gain` is fixed in the files."""

    def __init__(self, gain: float):
        self.gain = gain
        self.position, self.frames, self.lost = np.zeros(2), 0, False
        self.filter = Filter(np.zeros(2), 0.5)
        self.pair = [1.0, 2.0]

    @graph_program
    def step(self, measured: Any, weight: float = 1.0) -> Any:
        self.frames += 1
        self.filter.mean[:] += measured * weight
        self.filter.gain = self.filter.gain * 0.5
        self.position = self.position * self.gain + measured
        self.pair[0] = self.pair[0] + 1
        if weight < 0:
            raise ValueError(f"weight {weight} in frame {self.frames}")
        self.lost = self.position[0] > 3
        return self.position, self.frames, self.filter, self.lost, self.pair

    @graph_program
    def where(self) -> Any:
        self.frames += 1
        self.position *= 1.0
        return self.position * 1.0, self.frames

    @graph_program
    def move(self, by: Any) -> Any:
        self.position += by


def test_it_is_kept_from_call_to_call(device: Device) -> None:
    tracker, calls = Tracker(0.5), [(np.array([1.0, -1.0]), float(i)) for i in range(5)]
    model = tracker.step.model(calls[0]).SerializeToString()
    for outcome, args in zip(device.run(model, calls), calls, strict=True):
        same(outcome.result, plain(tracker.step.python(*args)))
        state = outcome.state["self"][2]
        for name in ("position", "frames", "lost"):
            same(state[name], getattr(tracker, name))
        same(state["filter"], plain(tracker.filter))


def test_an_exception_leaves_it_as_it_was(device: Device) -> None:
    tracker, x = Tracker(0.5), np.ones(2)
    model = tracker.step.model((x, 1.0)).SerializeToString()
    first, failed, second = device.run(model, [(x, 1.0), (x, -1.0), (x, 2.0)])
    assert failed.error is not None and failed.error.text == "weight -1.0 in frame 2"
    same(failed.state, first.state)
    same(failed.args, (x, -1.0))
    tracker.step.python(x, 1.0)
    same(second.result, plain(tracker.step.python(x, 2.0)))


def test_a_captured_object_is_state(device: Device) -> None:
    counter = Filter(np.zeros(1), 0.0)

    @graph_program
    def count(x: Any) -> Any:
        counter.gain = counter.gain + x.sum()
        counter.mean = x
        return counter.gain

    agree(device, count, [(np.ones(1),), (np.full(1, 2.0),)])


def test_two_programs_share_one_state() -> None:
    tracker = Tracker(0.5)
    step = load(tracker.step.model((np.ones(2),)).SerializeToString(), classes=[Tracker, Filter])
    move = load(tracker.move.model((np.ones(2),)).SerializeToString(), state=step.state)
    where = load(tracker.where.model(()).SerializeToString(), state=step.state)
    assert step(np.ones(2))[1] == 1
    move(np.array([2.0, 3.0]))
    tracker.step.python(np.ones(2))
    tracker.move.python(np.array([2.0, 3.0]))
    same(plain(where()), plain(tracker.where.python()))
    assert step.state["self"].frames == 2 and isinstance(step.state["self"], Tracker)
    same(plain(step(np.ones(2))), plain(tracker.step.python(np.ones(2))))


def test_the_state_of_an_object_of_the_caller() -> None:
    tracker, other = Tracker(0.5), Tracker(0.5)
    step = load(tracker.step.model((np.ones(2),)).SerializeToString(), state={"self": tracker})
    for _ in range(3):
        same(plain(step(np.ones(2))), plain(other.step.python(np.ones(2))))
    assert tracker.frames == 3 and step.state["self"] is tracker


def test_reset() -> None:
    step = load(Tracker(0.5).step.model((np.ones(2),)).SerializeToString())
    first = copy.deepcopy(plain(step(np.ones(2))))
    step(np.ones(2))
    step.reset()
    same(plain(step(np.ones(2))), first)


def test_two_attributes_that_are_one_array() -> None:
    class Two:
        def __init__(self) -> None:
            self.a = np.zeros(3)
            self.b = self.a

        @graph_program
        def step(self, x: Any) -> Any:
            self.a[0] += x
            return self.b.sum()

    two = Two()
    step = load(two.step.model((1.0,)).SerializeToString())
    assert [step(1.0), step(2.0)] == [two.step.python(1.0), two.step.python(2.0)]


class Level:
    """Its numbers are Python's first, and NumPy's after a call."""

    def __init__(self) -> None:
        self.level, self.high = 0.0, False

    @graph_program
    def follow(self, x: Any) -> Any:
        self.level = 0.5 * self.level + 0.5 * x.mean()
        self.high = x.max() > 3
        return self.level, self.high

    @graph_program
    def ratio(self, x: Any) -> Any:
        before, self.level = self.level, x.mean()
        return 1.0 / before


def test_numbers_of_the_state_may_become_numpys(device: Device) -> None:
    agree(device, Level().follow, [(np.ones(3),), (np.full(2, 9.0),), (np.zeros(1),)])


def test_unless_that_makes_a_difference() -> None:
    """Python's zero cannot be a divisor, NumPy's can."""
    level = Level()
    with pytest.warns(
        UserWarning, match=r"state 'self.level' is of class np.float64 after this call.*call the program"
    ):
        ratio = load(level.ratio.model((np.ones(3),)).SerializeToString())
    assert not isinstance(level.level, np.generic)  # the export has left it as it was
    with pytest.raises(ZeroDivisionError):
        ratio(np.ones(3))
    level.level = 1.0
    with pytest.warns(UserWarning, match="call the program"):
        ratio = load(level.ratio.model((np.ones(3),)).SerializeToString())
    assert ratio(np.ones(3)) == 1.0
    with pytest.raises(TypeError, match="expected float, got a float64"):
        ratio(np.ones(3))
    level.ratio(np.ones(3))
    ratio = load(level.ratio.model((np.ones(3),)).SerializeToString())
    assert [ratio(np.ones(3)), ratio(np.zeros(3))] == [1.0, 1.0]


def test_what_the_state_has_become_may_not_fit_the_file() -> None:
    class Log:
        def __init__(self) -> None:
            self.last: Any = None

        @graph_program
        def step(self, x: Any) -> Any:
            before, self.last = self.last, x
            return before is None

    log = Log()
    with pytest.warns(UserWarning, match="another structure"):
        step = load(log.step.model((1.0,)).SerializeToString())
    assert step(1.0) is True
    with pytest.raises(TypeError, match=r"GP401.*self\.last: the model was exported for None, got 1\.0"):
        step(2.0)


class Estimator:
    """What `predict` reads is assigned by `update`, and not by itself."""

    def __init__(self, gain: float = 1.0):
        self.weights, self.bias, self.gain, self.name = np.zeros(2), np.ones(2), gain, "estimator"
        self.filter = Filter(np.zeros(2), 2.0)

    @graph_program
    def update(self, x: Any) -> Any:
        self.weights = self.weights + x
        self.gain += 1.0

    @graph_program
    def predict(self, x: Any) -> Any:
        return (self.weights @ x) * self.gain * self.filter.gain

    @graph_program
    def assigned(self, x: Any) -> Any:
        self.weights, self.gain = self.weights, self.gain
        return (self.weights @ x) * self.gain * self.filter.gain

    @graph_program
    def weighted(self, x: Any) -> Any:
        return self.weights @ x

    @graph_program
    def sized(self, x: Any) -> Any:
        return x * len(self.bias)

    @graph_program
    def add(self, x: Any) -> Any:
        self.weights += x
        self.bias = self.bias + 1

    @graph_program
    def replace(self) -> Any:
        self.filter = Filter(np.ones(2), 3.0)


X = np.array([1.0, 2.0])


def loaded(program: Any, args: Any, state: Any = None, **options: Any) -> Any:
    return load(program.model(args, **options).SerializeToString(), state=state)


def refusal(call: Any, *args: Any, **keywords: Any) -> str:
    with pytest.raises(TypeError) as error:
        call(*args, **keywords)
    assert "GP401" in str(error.value)
    return str(error.value)


def test_a_state_that_another_program_changes_is_no_constant() -> None:
    estimator = Estimator()
    update = loaded(estimator.update, (X,))
    said = refusal(loaded, estimator.predict, (X,), update.state)
    assert "self.weights and self.gain, which Estimator.update writes, are constants of the model of" in said
    assert "`self.weights = self.weights`" in said and "freeze=False" in said
    alone = loaded(estimator.predict, (X,))
    assert "which Estimator.update writes" in refusal(loaded, estimator.update, (X,), alone.state)
    replace = loaded(estimator.replace, ())
    assert "self.filter and self.filter.gain, which" in refusal(loaded, estimator.predict, (X,), replace.state)


@pytest.mark.filterwarnings("ignore:.*gives back the state")
def test_what_is_assigned_is_shared() -> None:
    estimator = Estimator()
    update = loaded(estimator.update, (X,))
    assigned = loaded(estimator.assigned, (X,), update.state)
    for _ in range(3):
        estimator.update.python(X)
        update(X)
        assert assigned(X) == estimator.predict.python(X)


def test_captured_arrays_that_are_inputs_come_from_the_state() -> None:
    estimator = Estimator()
    update = loaded(estimator.update, (X,))
    weighted = loaded(estimator.weighted, (X,), update.state, freeze=False)
    for _ in range(3):
        estimator.update.python(X)
        update(X)
        assert weighted(X) == estimator.weighted.python(X)
    assert "self.gain, which Estimator.update writes, is a constant" in refusal(
        loaded, estimator.predict, (X,), update.state, freeze=False
    )


def test_what_only_sizes_are_read_of_may_be_written() -> None:
    estimator = Estimator()
    add = loaded(estimator.add, (X,))
    sized = loaded(estimator.sized, (X,), add.state)
    add(X)
    assert sized(X).tolist() == [2.0, 4.0]


def test_an_object_of_the_caller_has_the_constants_of_the_model() -> None:
    predict = loaded(Estimator().predict, (X,), {"self": Estimator()})
    assert predict(X) == 0.0
    assert "with another self.gain" in refusal(loaded, Estimator().predict, (X,), {"self": Estimator(3.0)})


@pytest.mark.parametrize("name", ["weights", "gain"])
def test_a_constant_that_is_changed_later(name: str) -> None:
    own = Estimator()
    predict = loaded(Estimator().predict, (X,), {"self": own})
    predict(X)
    setattr(own, name, getattr(own, name) + 1)
    assert f"with another self.{name}, which is a constant of it" in refusal(predict, X)


def test_a_constant_that_another_program_changes_in_place() -> None:
    own = Estimator()
    predict, add = loaded(Estimator().predict, (X,), {"self": own}), loaded(Estimator().add, (X,), {"self": own})
    assert predict(X) == 0.0
    add(X)
    assert "with another self.weights" in refusal(predict, X)


def test_a_constant_of_an_object_inside() -> None:
    own = Estimator()
    own.filter.gain = 4.0
    assert "with another self.filter.gain" in refusal(loaded, Estimator().predict, (X,), {"self": own})


class Layer:
    def __init__(self, gain: float):
        self.gain = gain


class Layers:
    def __init__(self, gain: float = 2.0):
        self.layers = [Layer(1.0), Layer(gain)]
        self.gains = [1.0, gain]
        self.by_name = {"a": Layer(gain)}
        self.table = {"b": gain}
        self.pair = (1.0, np.full(2, gain))

    @graph_program
    def layered(self, x: Any) -> Any:
        for layer in self.layers:
            x = x * layer.gain
        return x

    @graph_program
    def gained(self, x: Any) -> Any:
        return x * self.gains[1]

    @graph_program
    def keyed(self, x: Any) -> Any:
        return x * self.by_name["a"].gain

    @graph_program
    def looked_up(self, x: Any) -> Any:
        return x * self.table["b"]

    @graph_program
    def paired(self, x: Any) -> Any:
        return x * self.pair[1]

    @graph_program
    def again(self, x: Any) -> Any:
        self.gains = self.gains
        return x * self.gains[1]

    @graph_program
    def longer(self) -> Any:
        self.gains = [1.0, 2.0, 3.0]


PARTS = {
    "layered": "layers[1].gain",
    "gained": "gains[1]",
    "keyed": "by_name['a'].gain",
    "looked_up": "table['b']",
    "paired": "pair[1]",
}


@pytest.mark.parametrize("name", PARTS)
def test_constants_in_lists_tuples_and_dicts(name: str) -> None:
    program = getattr(Layers(), name)
    same(loaded(program, (X,), {"self": Layers()})(X), program.python(X))
    assert f"with another self.{PARTS[name]}, which" in refusal(loaded, program, (X,), {"self": Layers(3.0)})


def test_a_constant_list_that_is_shorter_now() -> None:
    own = Layers()
    gained = loaded(Layers().gained, (X,), {"self": own})
    own.gains.append(1.0)
    assert "with another self.gains, which is a constant of it" in refusal(gained, X)


def test_what_is_said_of_a_constant_in_a_list_works() -> None:
    assert "`self.gains = self.gains`" in refusal(loaded, Layers().gained, (X,), {"self": Layers(3.0)})
    same(loaded(Layers().again, (X,), {"self": Layers(3.0)})(X), X * 3.0)


def test_a_list_of_constants_that_another_program_replaces() -> None:
    longer = loaded(Layers().longer, ())
    assert "self.gains and self.gains[0]" in refusal(loaded, Layers().gained, (X,), longer.state)


class Stage:
    def __init__(self, gain: float):
        self.gain, self.level = gain, 0.0

    def run(self, x: float) -> float:
        self.level = 0.5 * self.level + self.gain * x
        return self.level


class Chain:
    """Objects that are in a list or dict, by which some are read, and in a dict by which one is written."""

    def __init__(self) -> None:
        first, second = Stage(1.0), Stage(2.0)
        self.stages = [first, second]
        self.pairs = {"in": (first, 1), "out": (second, 2)}
        self.by_name = {"first": first, "second": second}

    @graph_program
    def play(self, x: float) -> float:
        for stage in self.stages:
            x = stage.run(x)
        if x > 5:
            self.by_name["second"].gain *= 0.5
        return x

    @graph_program
    def play_pairs(self, x: float) -> float:
        if x > 3.5:
            self.by_name["second"].gain *= 0.5
        for name in ("in", "out"):
            stage, factor = self.pairs[name]
            x = stage.run(x) * factor
        return x


@pytest.mark.parametrize("method", ["play", "play_pairs"])
def test_an_object_that_is_in_several_places_of_the_state(device: Device, method: str) -> None:
    calls = [(3.0,), (4.0,), (1.0,), (9.0,)]
    model = getattr(Chain(), method).model(calls[0]).SerializeToString()
    python = getattr(Chain(), method).python
    for outcome, args in zip(device.run(model, calls), calls, strict=True):
        same(outcome.result, plain(python(*args)))
