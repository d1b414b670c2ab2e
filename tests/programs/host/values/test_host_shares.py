"""Objects of the program that the host looks into copies of: what would be written to one of both only is refused."""

from __future__ import annotations

import copy
import random
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program, host_function
from tests.programs.plain import check

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]
X = np.array([1.5, -2.0, 0.5])


@dataclass
class Track:
    position: float
    age: int = 0

    def older(self) -> None:
        self.age += 1

    def distance(self) -> float:
        return abs(self.position)


@host_function
def pick(k):
    return k - 1


@host_function
def name(k):
    return f"track{k}"


@host_function
def make(k):
    return Track(k + 0.5)


@host_function
def make_older(track):
    track.age += 1


def tracks_of(x):
    return [Track(float(v)) for v in x]


def attribute_of_item(x):
    tracks = tracks_of(x)
    tracks[pick(2)].age += 1
    return tracks


def attribute_in_a_loop(x):
    tracks, left = tracks_of(x), set(range(len(x)))
    left.discard(1)
    for key in {name(k) for k in left}:
        tracks[int(key[-1]) + pick(1)].age = 5
    return tracks


def item_of_item(x):
    counts = [{"n": 0} for _ in x]
    counts[pick(2)]["n"] += 1
    return counts


def element_of_array(x):
    rows = [x * 1.0, x * 2.0]
    rows[pick(2)][0] = 7.0
    return rows


def of_a_dict(x):
    tracks = {"track1": Track(x[0]), "track2": Track(x[1])}
    tracks[name(1)].age += 4
    return tracks["track1"].age


def chosen(x):
    tracks = tracks_of(x)
    track = random.choice(tracks)
    track.age += 1
    return tracks


def put_in_a_dict(x):
    first, found = Track(x[0]), {}
    found[name(3)] = first
    found["track3"].age += 2
    return first.age


def put_in_a_list(x):
    groups = defaultdict(list)
    first = Track(x[0])
    groups[name(2)].append(first)
    groups["track2"][0].age += 3
    return first.age


def one_of_both(x):
    tracks = [Track(1.0), Track(2.0)]
    best = tracks[0]
    if pick(x.shape[0]) > 5:
        best = make(3)
    best.age += 1
    return tracks


def out_of_a_list(x):
    tracks, picked = tracks_of(x), []
    for k in range(len(x)):
        picked.append(tracks[pick(k + 1)])
    picked[0].age = 5
    return tracks


HOST_WRITES = [
    one_of_both,
    out_of_a_list,
    attribute_of_item,
    attribute_in_a_loop,
    item_of_item,
    element_of_array,
    of_a_dict,
    chosen,
]
HOST_WRITES += [put_in_a_dict, put_in_a_list]


@pytest.mark.parametrize("program", HOST_WRITES)
def test_a_write_to_a_copy_on_the_host(program: Any) -> None:
    with pytest.raises(GraphProgramError, match="GP588"):
        graph_program(program)(X.copy())


def read_after_a_write(x):
    tracks = tracks_of(x)
    track = tracks[pick(2)]
    tracks[1].age = 9
    return track.age


def read_in_the_next_round(x):
    tracks = tracks_of(x)
    seen = tracks[pick(1)]
    total = 0
    for k in range(3):
        tracks[k].age += 1
        total += pick(seen.age)
        seen = tracks[pick(k)]
    return total


def kept_by_a_method(x):
    groups = defaultdict(list)
    track = Track(x[0])
    groups[name(2)].append(track)
    track.age = 3
    return groups


def kept_as_default(x):
    groups = {}
    track = Track(x[0])
    groups.setdefault(name(2), []).append(track)
    track.age = 5
    return groups


@pytest.mark.parametrize("program", [read_after_a_write, read_in_the_next_round, kept_by_a_method, kept_as_default])
def test_a_write_to_what_the_host_has_a_copy_of(program: Any) -> None:
    with pytest.raises(GraphProgramError, match="GP585"):
        graph_program(program)(X.copy())


def older_by_a_method(x):
    tracks = tracks_of(x)
    tracks[pick(2)].older()
    return tracks


def longer_by_a_method(x):
    rows = [[float(v)] for v in x]
    rows[pick(2)].append(1.0)
    return rows


def older_by_a_function(x):
    tracks = tracks_of(x)
    make_older(tracks[pick(2)])
    return tracks


def longer_in_place(x):
    rows = [[float(v)] for v in x]
    row = rows[pick(2)]
    row += [1.0]
    return rows


@pytest.mark.parametrize("program", [older_by_a_method, longer_by_a_method, older_by_a_function, longer_in_place])
def test_code_that_changes_a_copy(program: Any) -> None:
    with pytest.raises(RuntimeError, match="which the program does not see"):
        graph_program(program)(X.copy())


def only_read(x):
    tracks = tracks_of(x)
    track = tracks[pick(2)]
    n = track.age
    n += 1
    print(track, n, tracks[pick(1)].distance(), [t.age for t in tracks])
    return tracks


def copied_first(x):
    tracks = tracks_of(x)
    track = copy.copy(tracks[pick(2)])
    track.age = 3
    return tracks, track.age


def written_before(x):
    tracks = tracks_of(x)
    tracks[1].age = 4
    found = {name(1): tracks[pick(2)].age}
    tracks[1].age = 5
    return found, tracks


def known_index(x):
    tracks = tracks_of(x)
    for k in range(3):
        i: int = pick(k + 1)
        tracks[i].age += k
        tracks[i].older()
    return tracks


def own_lists(x):
    groups = {}
    for k in range(len(x)):
        groups.setdefault(name(k % 2), []).append(float(x[k]))
        groups[name(k % 2)][0] = 8.0
    groups["track0"].append(1.0)
    return groups


def made_or_given(x):
    best = Track(0.0)
    for k in range(3):
        if pick(k) > 0:
            best = make(k)
        best.age += 1
    return best


def own_objects(x):
    found = {}
    for v in x:
        found[name(int(v > 0))] = Track(float(v))
        found[name(int(v > 0))].older()
        found[name(int(v > 0))].age += 2
    return found


@pytest.mark.parametrize(
    "program", [only_read, copied_first, written_before, known_index, own_lists, own_objects, made_or_given]
)
def test_what_only_one_side_has(program: Any) -> None:
    check(program, (X,))
