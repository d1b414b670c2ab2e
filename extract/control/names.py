"""Unique names that stay close to the names in the source."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """Hands out `x`, `x_1`, `x_2`, ..., never one that is taken."""

    def __init__(self, taken: Iterable[str] = ()):
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def fresh(self, base: str) -> str:
        """`base` itself if nobody has it, else the first free version of it."""
        name, number = base, self._next.get(base, 1)
        while name in self._taken:
            name = f"{base}_{number}"
            number += 1
        self._next[base] = number
        self._taken.add(name)
        return name
