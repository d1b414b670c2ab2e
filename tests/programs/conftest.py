"""Fixtures for tests of programs."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(params=["operators", "segments"])
def host_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in which programs with host code are run."""
    monkeypatch.setenv("GRAPH_PROGRAM_HOST", request.param)
    return str(request.param)


@pytest.fixture
def only_new_garbage() -> Iterator[None]:
    """Collections look at what is made from here on: all that a long run of tests has made would take seconds."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
