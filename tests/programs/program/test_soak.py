"""A short soak: memory stays as it is during one long call, and over many."""

from __future__ import annotations

import os

import pytest

from tests import soak


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="where memory is watched, what is freed is kept for a while")
def test_memory_is_flat() -> None:
    assert soak.soak(3000, 100, soak.TOLERANCE) == 0
