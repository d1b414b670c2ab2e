"""What is reached from some things, one after the other."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)


def reached(things: Iterable[Thing], needs: Mapping[Thing, Iterable[Thing]]) -> set[Thing]:
    """Some things, and all that they need."""
    found: set[Thing] = set()
    work = list(things)
    while work:
        thing = work.pop()
        if thing not in found:
            found.add(thing)
            work += needs.get(thing, ())
    return found


__all__ = ["reached"]
