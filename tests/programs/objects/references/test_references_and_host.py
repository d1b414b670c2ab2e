"""Objects in tables where host code sees them: as copies, which are asked for nothing but what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check_shown

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
KEYS = np.array([3, 1, 3, 2, 1])


@dataclass
class Track:
    pos: float
    age: int = 0


class Thing:
    def __init__(self, pos: float):
        self.pos = pos


def printed(x: Any) -> Any:
    tracks = [Track(float(v)) for v in x]
    near = [t for t in tracks if t.pos > 1]
    for t in near:
        t.age += 1
        print(t, f"{t.pos:.2f}", len(near))
    print(near)
    return len(near)


def finished_in_a_dict(x: Any) -> Any:
    tracks = [Track(float(v)) for v in x]
    for t in [t for t in tracks if t.pos > 1]:
        t.age += 1
    ages = {}
    for t in tracks:
        ages[int(t.pos)] = t
    return [ages[k].age for k in sorted(ages)]


@pytest.mark.parametrize("program", [printed, finished_in_a_dict])
@pytest.mark.parametrize("count", [5, 1, 0])
def test_the_same_as_in_python(program: Any, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    check_shown(program, (KEYS[:count],), capsys)


refused = Cases()


@refused(("GP585",))
def written_after_a_dict_has_it(x: Any) -> Any:
    tracks = [Track(float(v)) for v in x]
    known = {}
    for t in tracks:
        known[int(t.pos)] = t
    for t in [t for t in tracks if t.pos > 1]:
        t.age += 1
    return [known[k].age for k in sorted(known)]


@refused(("GP585",))
def put_in_a_list_and_a_dict(x: Any) -> Any:
    known, tracks = {}, []
    for v in x:
        t = Track(float(v))
        known[int(v)] = t
        tracks.append(t)
    for t in tracks:
        t.age += 1
    return [known[k].age for k in sorted(known)]


@refused(("GP588",))
def written_in_the_dict(x: Any) -> Any:
    tracks = [Track(float(v)) for v in x]
    near = [t for t in tracks if t.pos > 1]
    for t in near:
        t.age += 1
    known = {}
    for t in tracks:
        known[int(t.pos)] = t
    for k in sorted(known):
        known[k].age += 1
    return [t.age for t in near]


@refused(("GP325",))
def sought_in_a_set(x: Any) -> Any:
    things = [Thing(float(v)) for v in x]
    near = {t for t in things if t.pos > 1}
    return [t in near for t in things]


@refused(("GP325",))
def compared_with_a_copy(x: Any) -> Any:
    tracks = [Track(float(v)) for v in x]
    known = {}
    for t in tracks:
        known[int(t.pos)] = t
    return sum(known[int(t.pos)] is t for t in tracks)


@refused.each
def test_refused(fn: Any, inputs: tuple[tuple[str, ...], ...]) -> None:
    with pytest.raises(GraphProgramError) as caught:
        graph_program(fn)(KEYS.copy())
    assert caught.value.code == inputs[0][0]
