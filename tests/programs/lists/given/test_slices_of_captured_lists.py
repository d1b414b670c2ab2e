"""A slice of a captured list is a new list of the program's, with the very objects in it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check, differs

GAINS = [1.0, 2.0, 3.0]
MIXED = (1.0, "b", 3.0)
X = np.array([1.5, -2.0, 0.5])


def test_it_can_be_changed() -> None:
    def program(x: Any) -> Any:
        some = GAINS[:2]
        some.append(x[0])
        some[0] = 5.0
        return some, GAINS[::-1], MIXED[1:], MIXED[1][:1], some is GAINS

    check(program, (X,))


class Track:
    def __init__(self, p):
        self.p, self.near = p, []


class Tracker:
    def __init__(self):
        self.tracks, self.pair = [Track(1.0), Track(0.5), Track(2.0)], (Track(1.0), Track(3.0))

    def all_but_the_first(self, v):
        for t in self.tracks[1:]:
            t.near.append(v)

    def neighbours(self, v):
        for a, b in zip(self.tracks, self.tracks[1:], strict=False):
            (a if a.p < v else b).near.append(v)
        self.tracks.append(Track(v))

    def of_a_tuple(self, v):
        self.pair[1:][0].p += v

    def kept_by_a_test(self, v):
        for t in filter(lambda t: t.p < v, self.tracks):
            t.near.append(v)


@pytest.mark.parametrize("name", ["all_but_the_first", "neighbours", "of_a_tuple", "kept_by_a_test"])
def test_its_objects_are_state(name: str) -> None:
    ours, theirs = Tracker(), Tracker()
    method = graph_program(getattr(ours, name))
    for v in map(np.float64, (1.5, 0.7)):
        method(v)
        getattr(theirs, name)(copy.copy(v))
    for a, b in zip([*ours.tracks, *ours.pair], [*theirs.tracks, *theirs.pair], strict=True):
        assert not differs(vars(a), vars(b))


def test_filter_goes_through_a_list_of_known_length() -> None:
    def program(x: Any) -> Any:
        return list(filter(lambda v: v > x[2], GAINS)), sum(filter(None, [x[0], 0.0, x[1]]))

    check(program, (X,))
