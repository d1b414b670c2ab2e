"""How long objects with names stay on the host: as long as the name has them, whether or not anything reads them.

    d = host[0]()               holds d for the place `d.0`
    path = host[1](d)           the graph cannot name d any more; the place has it
    host[2]()                   lets go of what is held for places that have something else, or whose frame is gone

Numbers say what the graph can still ask for (see `lifetimes`).  Python keeps more: a guard, a temporary directory or
a lock file is there until its name is bound to something else or its function returns, and that shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.residual import Program
from graph_program.extract.records import dataclass

Pair = tuple[str, str]
"""A place, and the variable of the object that it has."""


def with_scopes(program: Program) -> Program:
    """The program whose steps know what they hold and let go of."""
    parts = [part for step in program.host for part in step.parts or (step,)]
    found = _Found(parts, program.places)
    order = {id(part): number for number, part in enumerate(parts)}

    def described(step: HostStep) -> HostStep:
        if step.parts:
            return replace(step, parts=tuple(map(described, step.parts)))
        return found.described(step, order[id(step)])

    return replace(program, host=list(map(described, program.host))) if found.held else program


@dataclass(init=False)
class _Found:
    """What is held in a program: the pairs, and from which step to which an object is still to get its name."""

    held: list[Pair]
    unnamed: dict[Pair, range]

    def __init__(self, parts: list[HostStep], places: Mapping[str, str]):
        self.made = {name: number for number, part in enumerate(parts) for name in part.variables.results}
        held = {(place, variable) for variable, place in places.items() if variable in self.made}
        self.held = sorted(held)
        self.unnamed = {}
        for number in reversed(range(len(parts))):
            for pair in parts[number].scope.has:
                if pair in held:
                    self.unnamed[pair] = range(self.made[pair[1]] + 1, number)

    def described(self, step: HostStep, number: int) -> HostStep:
        has = {place: variable if variable in self.made else "" for place, variable in step.scope.has}
        holds = tuple((v, place) for v in step.variables.results for place, variable in self.held if variable == v)
        has |= dict.fromkeys((place for _, place in holds), "")  # what it had, until there is something new
        over = [pair for pair in self.held if not self._stays(pair, step, has, number)]
        return replace(step, holds=holds, lets_go=tuple(over))

    def _stays(self, pair: Pair, step: HostStep, has: dict[str, str], number: int) -> bool:
        """Whether a place has an object where a step begins; a name that nothing reads is not said to be there."""
        place, variable = pair
        name, frame, *_ = place.split(".")
        if frame not in step.scope.frames:
            return False
        if place in has:
            return has[place] in ("", variable)
        return f"{name}.{frame}" not in step.scope.present or number in self.unnamed.get(pair, ())


__all__ = ["with_scopes"]
