"""Dicts of known keys that are asked for a computed number: a test for each key.

{1: a, 2: b}[k]         ->      if equal(k, 1): a
                                else: b         (KeyError where k is neither)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from graph_program.extract.stage import booleans, choices, flow, indexing, operators
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.use import settled, truth_value
from graph_program.extract.stage.values import Maybe, Static, Tensor, Value

MAX_KEYS = 64
"""A dict with more keys than this is not asked by tests."""


def is_asked(m: Machine, keys: Iterable[Any], key: Value) -> bool:
    """Whether a key is a computed number, and a dict can be asked for it."""
    if not isinstance(key, Tensor) or key.is_array or not indexing.is_computed(m, key):
        return False
    return 0 < len(_numbers(keys)) <= MAX_KEYS


def _numbers(keys: Iterable[Any]) -> list[Any]:
    """The keys that a number may be equal to."""
    return [k for k in keys if isinstance(k, int | float | np.number)]


def has(m: Machine, keys: Iterable[Any], key: Value) -> Value:
    """Whether one of the keys is the number."""
    found: Value = Static(False)
    for k in _numbers(keys):
        found = booleans.either(m, found, truth_value(m, operators.comparison(m, "==", key, Static(k))))
    return found


def item(m: Machine, contents: Mapping[Any, Value], key: Value, absent: Callable[[], Value] | None = None) -> Value:
    """What the dict has for the number, else `absent()` or a KeyError."""
    entries = [(k, _value_of(m, contents[k])) for k in _numbers(contents)]
    if absent is None:
        m.check(booleans.negate(m, has(m, contents, key)), KeyError, key)

    def from_(number: int) -> Value:
        if number == len(entries):
            assert absent is not None
            return absent()
        k, value = entries[number]
        if absent is None and number == len(entries) - 1:
            return value
        test = truth_value(m, operators.comparison(m, "==", key, Static(k)))
        return flow.choose(m, test, lambda: value, lambda: from_(number + 1))

    return from_(0)


def for_each(m: Machine, keys: Iterable[Any], key: Value, act: Callable[[Value], None]) -> None:
    """Do something with the known key that the number is; KeyError where it is none."""
    m.check(booleans.negate(m, has(m, keys, key)), KeyError, key)

    def from_(left: list[Any]) -> None:
        if len(left) == 1:
            act(Static(left[0]))
            return
        test = truth_value(m, operators.comparison(m, "==", key, Static(left[0])))
        flow.branch(m, test, lambda: act(Static(left[0])), lambda: from_(left[1:]))

    from_(_numbers(keys))


def _value_of(m: Machine, value: Value) -> Value:
    if isinstance(value, Maybe) and value.absent == "unbound":
        raise m.error(
            "GP311",
            "this dict has other keys, depending on the path taken, and is asked for a computed one",
            hint="set the same keys on every path",
        )
    return value if choices.choice(value) is not None else settled(m, value)


__all__ = ["for_each", "has", "is_asked", "item"]
