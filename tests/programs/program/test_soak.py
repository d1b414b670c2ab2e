"""A short soak: memory stays as it is during one long call, and over many."""

from __future__ import annotations

from tests import soak


def test_memory_is_flat() -> None:
    assert soak.soak(3000, 100, soak.TOLERANCE) == 0
