"""Loads all rooms, for what their files give to generic functions, to entries and to the registry."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from graph_program.extract import stage

ROOMS = (
    *("values", "machine", "numbers", "paths", "operations", "kinds", "arrays", "lists", "objects", "opened", "host"),
    *("functions", "numpy", "language"),
)
"""From the bottom up: each imports from those before it."""


def load() -> None:
    """Import every file of the rooms below this one."""
    for room in ROOMS:
        package = import_module(f"{stage.__name__}.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(found.name)
