"""Checks of sizes. In a program they are made before it runs where they can be, and are facts from there on."""

from __future__ import annotations

from typing import Any


def refuse(bad: Any, text: str) -> None:
    """ValueError where sizes are as they must not be."""
    if bad:
        raise ValueError(text)


__all__ = ["refuse"]
