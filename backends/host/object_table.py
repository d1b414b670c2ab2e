"""The objects that a call has on the host, by the numbers that the graph has for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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

    def close(self) -> None:
        """Let go of all objects, the youngest first: a generator in a loop ends before that of the loop around it."""
        while self:
            self.popitem()

    __del__ = close

    def __missing__(self, number: int) -> Any:
        raise RuntimeError(f"object {number} is asked for when it is gone; this is a fault of graph-program")


__all__ = ["ObjectTable", "Objects"]
