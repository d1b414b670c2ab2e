"""One process for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.loading.device import Device


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    """Where graph_program is not installed."""
    with Device() as found:
        yield found
