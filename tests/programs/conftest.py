"""Fixtures for tests of programs."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["operators", "segments"])
def host_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in which programs with host code are run."""
    monkeypatch.setenv("GRAPH_PROGRAM_HOST", request.param)
    return str(request.param)
