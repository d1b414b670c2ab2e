"""What stands in a field of an f-string, `f"{value!r:>8}"`: at extraction, in a run, and from an exported model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}


def formatted(value: Any, conversion: str, specification: str) -> str:
    """`f"{value!conversion:specification}"`; an empty conversion is none."""
    return format(CONVERSIONS[conversion](value) if conversion else value, specification)


__all__ = ["CONVERSIONS", "formatted"]
