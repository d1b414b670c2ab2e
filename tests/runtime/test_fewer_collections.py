"""Python looks for garbage less often while programs are extracted, and as before behind that."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest

from graph_program import graph_program, host_function
from graph_program.calls.fewer_collections import OBJECTS, fewer_collections


@pytest.fixture(autouse=True)
def own_threshold() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_only_within() -> None:
    gc.set_threshold(700, 11, 12)
    with fewer_collections:
        assert gc.get_threshold() == (OBJECTS, 11, 12)
        with fewer_collections:
            pass
        assert gc.get_threshold() == (OBJECTS, 11, 12)
    assert gc.get_threshold() == (700, 11, 12)


@pytest.mark.parametrize("own", [(0, 10, 10), (OBJECTS + 1, 10, 10)])
def test_who_looks_less_often_goes_on_so(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with fewer_collections:
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_what_is_set_within_stays() -> None:
    with fewer_collections:
        gc.set_threshold(500, 7, 7)
    assert gc.get_threshold() == (500, 7, 7)


def test_behind_an_exception() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyError), fewer_collections:
        raise KeyError
    assert gc.get_threshold() == before


def test_calls_see_what_the_process_has() -> None:
    seen = []

    @host_function
    def look(x: float) -> float:
        seen.append(gc.get_threshold())
        return x

    @graph_program(copies="ignore")
    def program(x: float) -> float:
        return look(x) + 1.0

    assert program(1.0) == program(1.0) == np.float64(2.0)
    assert seen == [gc.get_threshold()] * 2


def test_what_is_made_counts_as_old() -> None:
    """It is not looked at when the context ends, and not kept for good."""
    gc.collect()
    with fewer_collections:
        made = [[number] for number in range(5000)]
        loop: list[object] = []
        loop.append(loop)
        del loop
    assert gc.get_count()[0] < 2000 and gc.get_freeze_count() == 0
    del made
    assert gc.collect() > 0


def test_what_is_frozen_stays_so() -> None:
    gc.freeze()
    try:
        before = gc.get_freeze_count()
        with fewer_collections:
            pass
        assert gc.get_freeze_count() == before > 0
    finally:
        gc.unfreeze()
