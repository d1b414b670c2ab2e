"""What a test says of values that may be None, or one of several things, on the side where it holds.

    if best is not None and best.cost < c:      on the side where the test holds, `best` is there;
        use(best.cost)                          behind the `if` it may again be None, by the same flag

A value is known by its flag or by the truth values of the tests that were made of it, wherever it stands:
in a name, a tuple, a list, a dict or an attribute.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

from graph_program.extract.stage.machine.state import State
from graph_program.extract.stage.paths.joins import key_order
from graph_program.extract.stage.values import exception_values
from graph_program.extract.stage.values.inside import by_key
from graph_program.extract.stage.values.structure import choice_of_texts
from graph_program.extract.stage.values.values import (
    NONE,
    UNBOUND,
    DictView,
    Host,
    Maybe,
    Mixed,
    Ref,
    Tensor,
    Text,
    Tuple,
    Value,
)

Place = tuple[int | Ref, Hashable]
"""A frame and a name, or an object and an attribute, key or position."""
CHANGED = (Maybe, exception_values.Caught, Mixed, Text, Tuple, Host)
"""Values of which a test may say something."""


def narrow(state: State, test: Value, holds: bool, said: dict[Place, Value] | None = None) -> None:
    """Take in what a test says, on the side where it `holds` or does not.

    `if best is not None:` makes `best` its value; so does the second half of
    `best is None or v < best`.  A comparison of sizes is a fact.  `said` gets the values that have another form now.
    """
    if not isinstance(test, Tensor):
        return
    if test.compares is not None:
        state.facts = state.facts.learn((test.compares if holds else test.compares.denied,))
    if test.denied is not None:
        narrow(state, test.denied, not holds, said)
    if test.implied is not None and test.implied[0] is holds:
        for part, has in test.implied[1]:
            narrow(state, part, has, said)
    for frame, names in state.frames.items():
        _note(said, frame, names, _narrow_each(names, test, holds))
    for ref, contents in state.heap.items():
        if isinstance(contents, dict | tuple):
            found = _narrow_each(contents, test, holds)
            if found:
                state.heap[ref] = _with(contents, found)
                _note(said, ref, {}, found)


def _narrow_each(contents: Any, test: Value, holds: bool) -> dict[Any, Value]:
    """The parts of a structure of which a test says something, as it makes them."""
    found = {}
    for key, value in by_key(contents):
        if isinstance(value, CHANGED):
            new = narrowed(value, test, holds)
            if new is not value:
                found[key] = new
    return found


def _note(said: dict[Place, Value] | None, owner: int | Ref, names: dict[str, Value], found: dict[Any, Value]) -> None:
    names.update(found)
    if said is not None:
        said.update(((owner, key), value) for key, value in found.items())


def _with(contents: Any, new: dict[Any, Value]) -> Any:
    """The contents of an object with some of their parts replaced."""
    if isinstance(contents, dict):
        return key_order.like(contents, {k: v for k, v in {**contents, **new}.items() if v is not UNBOUND})
    return tuple(new.get(i, v) for i, v in enumerate(contents))


@singledispatch
def narrowed(value: Value, test: Value, holds: bool) -> Value:
    """A value where a test holds or does not."""
    return value


@narrowed.register
def _optional(value: Maybe, test: Value, holds: bool) -> Value:
    if value.missing is test:
        return value.value if not holds else NONE if value.absent == "none" else UNBOUND
    new = narrowed(value.value, test, holds)
    return value if new is value.value else replace(value, value=new)


@narrowed.register
def _on_host(value: Host, test: Value, holds: bool) -> Value:
    said = next((holds is is_none for made, is_none in value.tests if made is test), None)
    return value if said is None else NONE if said else replace(value, is_there=True)


narrowed.register(exception_values.Caught, exception_values.narrowed)


@narrowed.register
def _mixture(value: Mixed, test: Value, holds: bool) -> Value:
    return next((having if holds else others for made, having, others in value.tests if made is test), value)


@narrowed.register
def _text(value: Text, test: Value, holds: bool) -> Value:
    choice = choice_of_texts(value)
    text = choice and narrowed(choice, test, holds)
    if text is choice or text is None:
        return value
    return Text(((text, "", ""),)) if isinstance(text, Mixed) else text


@narrowed.register
def _tuple(value: Tuple, test: Value, holds: bool) -> Value:
    found = _narrow_each(value.elts, test, holds)
    return replace(value, elts=_with(value.elts, found)) if found else value


narrowed.register(DictView, lambda value, *_: value)


# ---------------------------------------------------------------- behind the branch


def forget(before: State, sides: Sequence[tuple[dict[Place, Value], State]]) -> None:
    """Give values the form back that they had before the branch, where no side has changed them."""
    if len(sides) < 2:
        return
    for place in dict.fromkeys(p for said, _ in sides for p in said):
        old = _at(before, place)
        if all(_at(state, place) is said.get(place, old) for said, state in sides):
            for _, state in sides:
                _put(state, before, place)


def _at(state: State, place: Place) -> Value | None:
    owner, key = place
    contents: Any = state.heap.get(owner) if isinstance(owner, Ref) else state.frames.get(owner)
    if isinstance(contents, dict):
        found: Value = contents.get(key, UNBOUND)
        return found
    return contents[key] if isinstance(contents, tuple) and isinstance(key, int) and key < len(contents) else None


def _put(state: State, before: State, place: Place) -> None:
    """Give a value the form back that it had before, where it stood."""
    owner, key = place
    value = _at(before, place)
    if value is None:
        return
    if not isinstance(owner, Ref):
        state.frames[owner][str(key)] = value
        return
    contents = state.heap[owner]
    if isinstance(contents, dict) and key not in contents:
        order = [k for k in before.heap[owner] if k == key or k in contents]
        contents = key_order.like(contents, dict.fromkeys(order) | contents)
    state.heap[owner] = _with(contents, {key: value})
