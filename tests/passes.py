"""Running tests without some of the passes."""

from __future__ import annotations

import pytest

import graph_program.extract.pipeline  # noqa: F401  (now, with all passes, of which it keeps the names)
from graph_program.extract import transform


def without(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Leave out some passes until the end of the test."""
    monkeypatch.setattr(transform, "PASSES", tuple(p for p in transform.PASSES if p.name not in names))
