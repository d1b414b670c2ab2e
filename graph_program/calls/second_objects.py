"""What was extracted for an object, for another object of its class.

    a, b = Filter(0.5), Filter(0.5)
    a.step(x)                           extracts `step`
    b.step(x)                           has the same graph, with the arrays and the state of `b`

What the program has looked at of the first object is looked at in the second one: numbers, strings and functions
must be the same, arrays of the same type and shape, other objects of the same class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, partial
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.host.statics import same_static
from graph_program.extract.ir import results
from graph_program.extract.ir.interface import Back, CapturedInput, Guard, HostEffect, Interface, RowsBack, State
from graph_program.extract.ir.results import Result
from graph_program.extract.stage.objects.captured_state import can_have_state, instance_attributes
from graph_program.extract.stage.values.structure import PLAIN

if TYPE_CHECKING:
    from graph_program.extract.extraction import Extraction


MOST_PARTS = 10_000
"""An object with more parts than this is looked at no further."""


class Other(Exception):
    """The second object is another one where the program has looked."""


def for_another(extraction: Extraction, first: Any, second: Any) -> Extraction | None:
    """The extraction for another object; None where it does not fit that."""
    if extraction.host or isinstance(first, type) or type(first) is not type(second):
        return None
    try:
        return replace(extraction, interface=_Twins(first, second).interface(extraction.interface))
    except Other:
        return None


class _Twins:
    """For what was found in the first object, what the second one has in its place."""

    def __init__(self, first: Any, second: Any):
        self.first = first
        self.found = {id(first): second}
        self.taken = {id(second): id(first)}

    @cached_property
    def inside(self) -> set[int]:
        """All that is in the first object, by its ids."""
        seen: set[int] = set()
        waiting = [self.first]
        while waiting:
            one = waiting.pop()
            if id(one) in seen or isinstance(one, PLAIN):
                continue
            seen.add(id(one))
            _require(len(seen) <= MOST_PARTS)
            waiting += one if isinstance(one, list | tuple) else one.values() if isinstance(one, dict) else ()
            waiting += instance_attributes(one).values() if not isinstance(one, np.ndarray) else ()
        return seen

    def of(self, part: Any) -> Any:
        """What stands for something that was captured; what is no part of the first object is the same for both."""
        if id(part) in self.found:
            return self.found[id(part)]
        _require(isinstance(part, PLAIN) or id(part) not in self.inside)
        return part

    def interface(self, interface: Interface) -> Interface:
        """The interface, with the parts of the second object."""
        guards = tuple(map(self.guard, interface.guards))
        inputs = (replace(i, array=self.of(i.array)) if isinstance(i, CapturedInput) else i for i in interface.inputs)
        return replace(
            interface,
            inputs=tuple(inputs),
            result=self.result(interface.result),
            set_backs=tuple(map(self.back, interface.set_backs)),
            effects=tuple(map(self.effect, interface.effects)),
            guards=guards,
            state=self.state(interface.state),
        )

    def guard(self, guard: Guard) -> Guard:
        owner = None if guard.owner is None else self.of(guard.owner)
        if guard.look is None or owner is guard.owner:
            return guard
        try:
            value = guard.look(owner)
        except (AttributeError, LookupError, ValueError):
            raise Other from None
        self.pair(guard.value, value)
        return replace(guard, read=partial(guard.look, owner), value=value, owner=owner)

    def pair(self, one: Any, other: Any) -> None:
        """Note that one thing stands where the other one stands in the first object."""
        _require(type(one) is type(other))
        if isinstance(one, PLAIN):
            _require(same_static(one, other))
            return
        _require(self.found.get(id(one), other) is other and self.taken.get(id(other), id(one)) == id(one))
        if one is other:
            return
        if isinstance(one, np.ndarray):
            _require((one.dtype, one.shape) == (other.dtype, other.shape))
        elif isinstance(one, list | tuple) and type(one) in (list, tuple):
            _require(len(one) == len(other))
            for a, b in zip(one, other, strict=True):
                self.pair(a, b)
        elif type(one) is dict:
            _require(same_static(list(one), list(other)))
            for key in one:
                self.pair(one[key], other[key])
        elif not can_have_state(one):
            _require(same_static(one, other))
            return
        self.found[id(one)], self.taken[id(other)] = other, id(one)

    def state(self, state: State) -> State:
        return State(
            tuple(replace(owner, object=self.of(owner.object)) for owner in state.objects),
            tuple((path, self.of(part)) for path, part in state.same),
            tuple(map(self.of, state.apart)),
        )

    def result(self, result: Result) -> Result:
        if isinstance(result, results.CapturedResult):
            return results.CapturedResult(self.of(result.value))
        return results.mapped(result, self.result)

    def back(self, back: Back) -> Back:
        if isinstance(back, RowsBack):
            fields = tuple(replace(f, result=self.result(f.result)) for f in back.fields)
            return replace(back, fields=fields, tables=tuple(map(self.result, back.tables)))  # type: ignore[arg-type]
        return replace(back, result=self.result(back.result))

    def effect(self, effect: HostEffect) -> HostEffect:
        _require(isinstance(effect.function, FunctionType | BuiltinFunctionType))
        named: Mapping[str, Result] = dict(effect.keywords)
        keywords = tuple((name, self.result(value)) for name, value in named.items())
        return replace(effect, args=tuple(map(self.result, effect.args)), keywords=keywords)


def _require(fits: bool) -> None:
    if not fits:
        raise Other
