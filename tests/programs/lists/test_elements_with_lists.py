"""Elements of a list of computed length that have lists in them, which grow while several loops go through it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

X = np.array([1.5, -2.0, 0.5, -1.0, 1.6])
NUMBERS = tuple((x,) for x in (X, X[:0], -X, X[:1], np.zeros(3)))
case = Cases()


class Track:
    def __init__(self, p):
        self.p, self.near, self.history = p, [], []


def tracks_of(x: Any) -> list[Track]:
    return [Track(v) for v in x if v > 0]


def shown(tracks: list[Track]) -> Any:
    return [(t.p, t.near, t.history) for t in tracks]


@case(*NUMBERS)
def one_list_or_the_other(x):
    tracks = tracks_of(x)
    for t in tracks:
        for u in tracks:
            if t.p > u.p:
                u.history.append(t.p)
            else:
                t.near.append(u.p)
    return shown(tracks)


@case(*NUMBERS)
def neighbours_in_every_frame(x):
    tracks = []
    for v in x:
        for i, t in enumerate(tracks):
            for j, u in enumerate(tracks):
                if i != j and abs(t.p - u.p) < 2.0:
                    t.near.append(j)
                    u.history.append(t.p)
        tracks.append(Track(v))
    return shown(tracks)


@case(*NUMBERS)
def on_some_paths(x):
    tracks = tracks_of(x)
    for t in tracks:
        for u in tracks:
            try:
                if u.p > 1:
                    raise ValueError("far")
                u.history.append(t.p)
            except ValueError:
                t.near.append(u.p)
    return shown(tracks)


@case((X,), (-X,), (X[:1],))
def of_the_first_one(x):
    tracks = tracks_of(x)
    for t in tracks:
        tracks[0].near.append(t.p)
    return shown(tracks)


@case(*NUMBERS)
def lists_of_numbers(x):
    groups = [[v] for v in x if v > 0]
    for g in groups:
        for h in groups:
            if len(h) < 3:
                h.append(len(g) * 1.0)
            else:
                g.append(3.0)
    return groups


@case(*NUMBERS)
def another_in_its_place(x):
    groups = [[v] for v in x if v > 0]
    for k, g in enumerate(groups):
        groups[k] = [*g, 1.0]
    return groups


@case.each
def test_the_list_itself_keeps_its_length(fn: Any, inputs: tuple[Any, ...]) -> None:
    check(fn, *inputs)
