"""Dicts of known keys that are asked for a computed number, or a tuple of such: a test for each key.

{1: a, 2: b}[k]                 ->      if equal(k, 1): a
                                        else: b         (KeyError where k is neither)
{(0, "up"): a}[k, "up"]         ->      a               (KeyError where k is not 0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import known_and_truth, operators
from graph_program.extract.stage.paths.several import each_case, one_of_several
from graph_program.extract.stage.values.inside import elements_of
from graph_program.extract.stage.values.questions import is_known, is_partly_set
from graph_program.extract.stage.values.values import Static, Tuple, Value

MAX_KEYS = 64
"""A dict with more keys than this is not asked by tests."""


def is_asked(m: Machine, keys: Iterable[Any], key: Value) -> bool:
    """Whether a key is a computed number, or has some in it, and a dict can be asked for it."""
    parts = [part for part in elements_of(key) if not is_known(part)]
    computed = (not p.is_array and known_and_truth.is_computed(m, p) for p in parts)
    return bool(parts) and all(computed) and 0 < len(_candidates(keys, key)) <= MAX_KEYS


def _candidates(keys: Iterable[Any], key: Value) -> list[Any]:
    """The keys that a computed one may be equal to."""
    return [k for k in keys if _may_equal(k, key)]


def _may_equal(k: Any, key: Value) -> bool:
    match key:
        case Tuple(elts):
            return isinstance(k, tuple) and len(k) == len(elts) and all(map(_may_equal, k, elts))
        case Static(value):
            return bool(k == value)
    return isinstance(k, int | float | np.number)


def _equal(m: Machine, key: Value, k: Any) -> Value:
    """Whether a computed key is one that it may be."""
    return known_and_truth.truth_value(m, operators.comparison(m, "==", key, Static(k)))


def has(m: Machine, keys: Iterable[Any], key: Value) -> Value:
    """Whether one of the keys is the computed one."""
    return booleans.any_of(m, (_equal(m, key, k) for k in _candidates(keys, key)))


def item(
    m: Machine,
    holder: Value,
    contents: Mapping[Any, Value],
    key: Value,
    absent: Callable[[], Value] | None,
) -> Value:
    """What the dict has for the computed key, else `absent()` or a KeyError."""
    entries = [(k, _value_of(m, holder, contents[k])) for k in _candidates(contents, key)]
    if absent is None:
        m.check(booleans.negate(m, has(m, contents, key)), KeyError, key)

    answers = [*(lambda value=value: value for _, value in entries), *([] if absent is None else [absent])]
    return each_case.choose_one(m, len(answers), lambda i: _equal(m, key, entries[i][0]), lambda i: answers[i]())


def for_each(m: Machine, keys: Iterable[Any], key: Value, act: Callable[[Value], None]) -> None:
    """Do something with the known key that the computed one is; KeyError where it is none."""
    m.check(booleans.negate(m, has(m, keys, key)), KeyError, key)

    found = _candidates(keys, key)
    each_case.do_one(m, len(found), lambda i: _equal(m, key, found[i]), lambda i: act(Static(found[i])))


def _value_of(m: Machine, holder: Value, value: Value) -> Value:

    if is_partly_set(value):
        error = m.error(
            "GP311",
            "this dict has other keys, depending on the path taken, and is asked for a computed one",
            hint="set the same keys on every path",
        )
        raise host_entries.needed(m, holder, error) or error
    return value if one_of_several.choice(value) is not None else known_and_truth.settled(m, value)
