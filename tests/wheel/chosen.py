"""A plugin of pytest: of each file the first test only; the package must come from the environment's own folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import graph_program


def pytest_sessionstart() -> None:
    place = Path(graph_program.__file__).resolve()
    if not place.is_relative_to(Path(sys.prefix).resolve()):
        raise pytest.UsageError(f"the package that is tested lies in {place}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    first = {item.path: item for item in reversed(items)}
    items[:] = [item for item in items if first[item.path] is item]
