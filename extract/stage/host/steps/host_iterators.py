"""What functions give that go through what they are given: `itertools`, `map`, `filter`, `statistics`.

islice(readings(), 4)           an iterator of what `readings()` gives
pairwise(times)                 an iterator of pairs of them

The entries join those of `host_shipped`.
"""

from __future__ import annotations

import collections.abc
import copy
import itertools
import math
import queue
import statistics
from collections.abc import Callable
from typing import Any

from graph_program.extract.stage.host.library import library_signatures, noted_calls
from graph_program.extract.stage.host.library.noted_calls import Given, Ruled, of, tuple_of
from graph_program.extract.stage.host.values import host_annotations
from graph_program.extract.stage.host.values.host_collections import elements, known, one_of, some
from graph_program.extract.stage.values.values import Static

Notes = list[Any]


def _iterator(note: Any) -> Any:
    return of(collections.abc.Iterator, known(note))


def _of(position: int, rule: Callable[[Any], Any] = _iterator) -> Ruled:
    """What a rule makes of what an argument gives: an iterator of some of it."""
    return Ruled(lambda given: rule(elements(given.note(position))[0]))


def _of_each(given: Given) -> Notes:
    """What each argument gives."""
    return [elements(given.note(i))[0] for i in range(len(given.args))]


def _counted(given: Given) -> Any:
    whole = all(noted_calls.is_whole(given.note(i)) for i in range(len(given.args)))
    return _iterator(int if whole and not given.keywords else Any)


_COMBINED = _of(0, lambda element: _iterator(Any if element is Any else tuple.__class_getitem__((element, ...))))
"""`combinations(items, k)`, `batched(items, k)`: tuples of them."""


def _accumulated(given: Given) -> Any:
    """The running sum, of numbers that it leaves in their class."""
    (element,) = elements(given.note(0))
    sums = len(given.args) == 1 and not given.keywords and element in (int, float)
    return _iterator(element if sums else Any)


def _mapped(given: Given) -> Any:
    """`map(function, items)`, of a function that says what it returns."""
    function = given.args[0] if given.args else None
    if not isinstance(function, Static):
        return _iterator(Any)
    found = library_signatures.entry(function.value)
    said = host_annotations.result_of(function.value) if found is None else found
    return _iterator(Any if isinstance(said, Ruled) else some(said))


def _multiplied(given: Given) -> Any:
    """`math.prod(items)`: an int where there are none."""
    (element,) = elements(given.note(0))
    return None if given.keywords or len(given.args) > 1 else int if element is int else one_of(int, element)


def _taken(given: Given) -> Any:
    args = getattr(given.owner, "__args__", ())
    return known(args[0]) if args else None


FUNCTIONS: dict[Any, Any] = {
    **dict.fromkeys([itertools.islice, itertools.cycle, itertools.compress], _of(0)),
    **dict.fromkeys([itertools.takewhile, itertools.dropwhile, itertools.filterfalse, filter], _of(1)),
    itertools.chain: Ruled(lambda given: _iterator(one_of(*_of_each(given))) if given.args else None),
    itertools.chain.from_iterable: _of(0, lambda element: _iterator(elements(known(element))[0])),
    itertools.repeat: Ruled(lambda given: _iterator(some(given.note(0)))),
    itertools.count: Ruled(_counted),
    itertools.pairwise: _of(0, lambda element: _iterator(tuple_of(element, element))),
    **dict.fromkeys([itertools.combinations, itertools.permutations], _COMBINED),
    **dict.fromkeys([itertools.combinations_with_replacement], _COMBINED),
    itertools.product: Ruled(lambda given: None if given.keywords else _iterator(tuple_of(*_of_each(given)))),
    itertools.accumulate: Ruled(_accumulated),
    map: Ruled(_mapped),
    math.prod: Ruled(_multiplied),
    **dict.fromkeys([copy.copy, copy.deepcopy], Ruled(lambda given: given.note(0))),
    # What is a float for ints as well.
    **dict.fromkeys([statistics.stdev, statistics.pstdev], _of(0, lambda e: float if e in (int, float) else None)),
    **dict.fromkeys([statistics.variance, statistics.pvariance], _of(0, lambda e: float if e is float else None)),
    **dict.fromkeys([statistics.median_low, statistics.median_high, statistics.mode], _of(0, known)),
}
if hasattr(itertools, "batched"):  # Python 3.12
    FUNCTIONS[itertools.batched] = _COMBINED
MEMBERS: dict[type, dict[str, Any]] = {
    cls: dict.fromkeys(["get", "get_nowait"], Ruled(_taken)) for cls in (queue.Queue, queue.SimpleQueue)
}
