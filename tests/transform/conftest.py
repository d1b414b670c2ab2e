"""What tests of several passes share."""

from __future__ import annotations

import pytest

from graph_program.extract import transform


@pytest.fixture
def loops_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the pass that makes array operations of loops, which would leave none of them."""
    monkeypatch.setattr(transform, "PASSES", tuple(p for p in transform.PASSES if p.name != "vectorize"))
