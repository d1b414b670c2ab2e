"""The objects that a call has on the host, by the numbers that the graph has for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any


class Objects(list[Any]):
    """The objects that a step is given, and in `table` all that there are."""

    def __init__(self, found: Iterable[Any], table: Mapping[int, Any]):
        super().__init__(found)
        self.table = table


class ObjectTable(dict[int, Any]):
    """Objects by number; what nobody can ask for any more is taken out, and no number is used twice.

    Parameters
    ----------
    given : sequence
        What the host has when the call begins: -1, -2, ...  It stays.  0 is what no path has made; nothing is done
        with that one.
    """

    def __init__(self, given: Sequence[Any] = ()):
        super().__init__({0: None, **{-1 - i: value for i, value in enumerate(given)}})
        self.groups: dict[int, list[int]] = {}
        """The numbers of the objects in each group."""
        self.held: dict[str, tuple[str, Any]] = {}
        """What names have, by place, with its variable."""
        self.lent: list[Any] = []
        """What host code was given of the program's own, and may have kept: see `watching`."""

    def put(
        self, made: Sequence[Any], last: int, groups: Sequence[int], ends: Sequence[int], kept: Sequence[int]
    ) -> None:
        """Add what a step has made, and drop what ends behind it.

        Parameters
        ----------
        made : sequence
            The new objects; their numbers follow `last`.
        groups : sequence of int
            The group of each; -1 where nobody is going to ask for it.
        ends : sequence of int
            Groups that lose their older objects.
        kept : sequence of int
            Numbers of objects that are alive all the same.
        """
        for group in ends:
            numbers = self.groups.get(group)
            if numbers:
                self.groups[group] = [n for n in numbers if n in kept]
                for n in numbers:
                    if n not in kept:
                        del self[n]
        for number, (group, value) in enumerate(zip(groups, made, strict=True), last + 1):
            if group >= 0:
                self[number] = value
                self.groups.setdefault(group, []).append(number)

    def drop(self, groups: Sequence[int]) -> None:
        """Take out what groups have."""
        for group in groups:
            for number in self.groups.pop(group, ()):
                del self[number]

    def hold(self, place: str, variable: str, value: Any) -> None:
        """Keep an object for a place, which has it until it gets another or is let go of."""
        self.held[place] = variable, value

    def leave(self, places: Mapping[str, Set[str]]) -> None:
        """Let go of what is held for places that do not have it any more, each with the variables that it is for."""
        for place in [p for p, (variable, _) in self.held.items() if variable in places.get(p, ())]:
            del self.held[place]

    def close(self) -> None:
        """Let go of all objects, the youngest first: a generator in a loop ends before that of the loop around it.

        What names have goes in their order, as when a function returns.
        """
        while self:
            self.popitem()
        while self.held:
            del self.held[next(iter(self.held))]

    __del__ = close

    def __missing__(self, number: int) -> Any:
        raise RuntimeError(f"object {number} is asked for when it is gone; this is a fault of graph-program")


__all__ = ["ObjectTable", "Objects"]
