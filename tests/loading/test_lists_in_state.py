"""Lists of any length in the state of a device, lists made of arrays, and what is said of elements that misfit."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Tensor, graph_program, load
from tests.loading.agreement import agree, same
from tests.loading.device import Device, plain
from tests.loading.test_kinds_of_lists import History, Point, histories, points
from tests.programs.lists.given.test_lists_as_arguments_nested import Recorder, reached
from tests.programs.lists.given.test_lists_as_arguments_objects import Track, Tracker, frames
from tests.programs.lists.given.test_lists_as_arguments_state import Failing, Log, Replaced, Window

F32 = np.float32

STATES: dict[str, tuple[Callable[[], Any], list[tuple[Any, ...]], int]] = {
    "a log that grows": (Log, [(float(i),) for i in range(8)], 1),
    "a window that slides": (Window, [*((float(i % 5), 4) for i in range(9)), (1.0, 2), (2.0, 9)], 0),
    "a list that is replaced": (Replaced, [(5,), (4,), (3,), (2,), (2,)], 0),
    "errors": (Failing, [(2,), (3,), (4,), (3,)], 0),
    "tracks that are born and die": (Tracker, frames(12), 1),
    "no tracks left": (Tracker, [*frames(4), *[(np.zeros((0, 2)),)] * 5, *frames(3)], 2),
    "lists in objects": (Recorder, [(float(i % 4),) for i in range(12)], 4),
}


@pytest.mark.parametrize("name", STATES)
def test_state(name: str, device: Device) -> None:
    """Exported after some calls, then stepped on the device and in Python."""
    make, calls, before = STATES[name]
    one = make()
    program = graph_program(one.step)
    for args in calls[:before]:
        program(*args)
    outcomes = agree(device, program, calls[before:])
    if outcomes[-1].error is None:
        same({name: outcomes[-1].state["self"][2][name] for name in vars(one)}, plain(one)[2])


def test_reset_and_sharing() -> None:
    tracker, given = Tracker(), frames(6)
    program = graph_program(tracker.step)
    program(*given[0])
    step = load(program.model(given[1]).SerializeToString(), classes=[Tracker, Track])
    tracks = copy.deepcopy(tracker.tracks)
    first = step(*given[1])
    assert type(step.state["self"].tracks[0]) is Track
    for args in given[2:]:
        step(*args)
    step.reset()
    same(plain(step.state["self"].tracks), plain(tracks))
    same(step(*given[1]), first)
    own = Tracker()
    on_own = load(program.model(given[1]).SerializeToString(), state={"self": own})
    other = Tracker()
    for args in given:
        same(on_own(*args), graph_program(other.step).python(*args))
    same(plain(own), plain(other))


# ---------------------------------------------------------------- from arrays


def back(program: Any, *args: Any) -> Any:
    """Arguments made of the arrays that a program is fed with."""
    made = program.arguments(program.feed(*copy.deepcopy(args)))
    return plain(list(made.values()))


@graph_program
def weights(ps: Any, xs: Any, hs: Any, k: int) -> Any:
    return [p.x * p.weight for p in ps], sum(xs) * k, [sum(h.values) + h.weight for h in hs]


def test_lists_of_columns() -> None:
    model = weights.model((points(2), [1.0], histories(2), 3)).SerializeToString()
    program = load(model, classes=[Point, History])
    assert program.inputs["ps.x"].shape == ("ps_0", "ps.x_1")
    assert {"ps.weight", "xs", "hs.weight", "hs.values", "hs.values.offsets", "k"} < set(program.inputs)
    for args in ((points(3), [1.0, 2.0], histories(2), 1), (points(1), [], histories(5), 2)):
        same(back(program, *args), plain(list(args)))
    feed = program.feed(points(3), [], histories(1), 1)
    with pytest.raises(TypeError, match="ps: its columns have 2 and 3 rows"):
        program.arguments({**feed, "ps.weight": np.ones(2)})
    with pytest.raises(KeyError, match=r"hs\.values\.offsets"):
        program.arguments({name: array for name, array in feed.items() if name != "hs.values.offsets"})


def test_lists_of_lists_of_columns() -> None:
    program = load(graph_program(reached).model(([[1, 2], [2], [0], []], 0)).SerializeToString())
    for neighbours, start in (([[1], [2, 3], [], [4], [0]], 1), ([[]], 0)):
        feed = program.feed(neighbours, start)
        assert feed["neighbours.offsets"].tolist() == np.cumsum([0, *map(len, neighbours)]).tolist()
        assert program.arguments(feed) == {"neighbours": neighbours, "start": start}
        assert program(neighbours, start) == reached(neighbours, start)


def test_state_of_columns() -> None:
    tracker, given = Tracker(), frames(4)
    program = graph_program(tracker.step)
    program(*given[0])
    step = load(program.model(given[1]).SerializeToString(), classes=[Tracker, Track])
    feed = step.feed(*given[1])
    expected = step(*given[1])
    assert step.state["self"].count != feed["self.count"] or len(step.state["self"].tracks) != len(
        feed["self.tracks.x"]
    )
    same(step(**step.arguments(feed)), expected)


# ---------------------------------------------------------------- misfits


@graph_program
def checked(xs: list[Float32[Tensor, "n"]], y: Float32[Tensor, "n"], pairs: list[tuple[int, float]]) -> Any:
    for x in xs:
        y = y + x
    return y, [a * b for a, b in pairs]


def ones(*shape: int, dtype: Any = F32) -> Any:
    return np.ones(shape, dtype)


MISFITS: dict[str, tuple[Any, Any]] = {
    "element type": ([ones(2), ones(2, dtype=float)], [(1, 2.0)]),
    "rank": ([ones(2, 2)], [(1, 2.0)]),
    "sizes in the list": ([ones(2), ones(3)], [(1, 2.0)]),
    "sizes across arguments": ([ones(3), ones(3)], [(1, 2.0)]),
    "too short": ([ones(2)], [(1, 2.0), (1,)]),
    "masked": ([np.ma.ones(2, F32)], [(1, 2.0)]),
    "large": ([ones(2)], [(1, 2.0), (2**70, 1.0)]),
}


@pytest.mark.parametrize("name", MISFITS)
def test_elements_that_do_not_fit(name: str) -> None:
    """The same refusal as of the program, at the same element."""
    program = load(checked.model(([ones(2)], ones(2), [(1, 2.0)])).SerializeToString())
    xs, pairs = MISFITS[name]
    with pytest.raises(Exception) as wanted:
        checked(xs, ones(2), pairs)
    with pytest.raises(Exception) as found:
        program(xs, ones(2), pairs)
    assert type(found.value).__name__ == type(wanted.value).__name__
    text = str(wanted.value).splitlines()[0]
    assert str(found.value).splitlines()[0] == text[text.index("error[") :]


@pytest.mark.parametrize(
    "args, words",
    [
        ((3, [(1, 2.0)]), "GP402.*xs: expected a list, got a Python int"),
        (([ones(2)], [(1, 2.0), [1, 2.0]]), r"GP402.*pairs\[1\]: expected a tuple, got a Python list"),
        (([ones(2)], [(1, 2.0), (1, None)]), r"GP401.*pairs\[1\]\[1\]: expected float, got None"),
        (([ones(2), None], [(1, 2.0)]), r"GP401.*xs\[1\]: expected float32 \[n\], got None"),
        (([ones(2)] * 2, [(1, 2.0)]), "xs: .* elements that have nothing in common, got one of them twice"),
    ],
)
def test_what_a_program_takes_and_the_file_does_not(args: Any, words: str) -> None:
    program = load(checked.model(([ones(2)], ones(2), [(1, 2.0)])).SerializeToString())
    with pytest.raises(TypeError, match=words):
        program(args[0], ones(2), args[1])


def test_lists_in_lists_that_do_not_fit() -> None:
    program = load(graph_program(reached).model(([[1, 2], [2], [0], []], 0)).SerializeToString())
    for neighbours, words in (
        ([[1], [0, 1.5]], r"GP401.*neighbours\[1\]\[1\]: expected int, got a Python float"),
        ([[1], (0,)], r"GP402.*neighbours\[1\]: expected a list, got a Python tuple"),
        ([[]] * 2, "elements that have nothing in common, got one of them twice"),
    ):
        with pytest.raises(TypeError, match=words):
            program(neighbours, 0)
