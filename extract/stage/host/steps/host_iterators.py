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
from typing import Any

from graph_program.extract.stage.host.library import library_signatures, noted_calls
from graph_program.extract.stage.host.library.noted_calls import Given, Ruled, of, tuple_of
from graph_program.extract.stage.host.values import host_annotations
from graph_program.extract.stage.host.values.host_collections import elements, known, one_of, some
from graph_program.extract.stage.values.values import Static

Notes = list[Any]


def _iterator(note: Any) -> Any:
    return of(collections.abc.Iterator, known(note))


def _of(position: int) -> Ruled:
    """An iterator of some of what an argument gives."""
    return Ruled(lambda given: _iterator(elements(given.note(position))[0]))


def _of_each(given: Given) -> Notes:
    """What each argument gives."""
    return [elements(given.note(i))[0] for i in range(len(given.args))]


def _counted(given: Given) -> Any:
    whole = all(noted_calls.is_whole(given.note(i)) for i in range(len(given.args)))
    return _iterator(int if whole and not given.keywords else Any)


def _paired(given: Given) -> Any:
    (element,) = elements(given.note(0))
    return _iterator(tuple_of(element, element))


def _combined(given: Given) -> Any:
    """`combinations(items, k)`, `batched(items, k)`: tuples of them."""
    (element,) = elements(given.note(0))
    return _iterator(Any if element is Any else tuple.__class_getitem__((element, ...)))


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


def _deviation(given: Given) -> Any:
    """What is a float for ints as well."""
    return float if elements(given.note(0))[0] in (int, float) else None


def _of_floats(given: Given) -> Any:
    return float if elements(given.note(0))[0] is float else None


def _most_frequent(given: Given) -> Any:
    return known(elements(given.note(0))[0])


def _taken(given: Given) -> Any:
    args = getattr(given.owner, "__args__", ())
    return known(args[0]) if args else None


FUNCTIONS: dict[Any, Any] = {
    **dict.fromkeys([itertools.islice, itertools.cycle, itertools.compress], _of(0)),
    **dict.fromkeys([itertools.takewhile, itertools.dropwhile, itertools.filterfalse, filter], _of(1)),
    itertools.chain: Ruled(lambda given: _iterator(one_of(*_of_each(given))) if given.args else None),
    itertools.chain.from_iterable: Ruled(lambda given: _iterator(elements(known(elements(given.note(0))[0]))[0])),
    itertools.repeat: Ruled(lambda given: _iterator(some(given.note(0)))),
    itertools.count: Ruled(_counted),
    itertools.pairwise: Ruled(_paired),
    **dict.fromkeys([itertools.combinations, itertools.permutations], Ruled(_combined)),
    **dict.fromkeys([itertools.combinations_with_replacement], Ruled(_combined)),
    itertools.product: Ruled(lambda given: None if given.keywords else _iterator(tuple_of(*_of_each(given)))),
    itertools.accumulate: Ruled(_accumulated),
    map: Ruled(_mapped),
    math.prod: Ruled(_multiplied),
    **dict.fromkeys([copy.copy, copy.deepcopy], Ruled(lambda given: given.note(0))),
    **dict.fromkeys([statistics.stdev, statistics.pstdev], Ruled(_deviation)),
    **dict.fromkeys([statistics.variance, statistics.pvariance], Ruled(_of_floats)),
    **dict.fromkeys([statistics.median_low, statistics.median_high, statistics.mode], Ruled(_most_frequent)),
}
if hasattr(itertools, "batched"):  # Python 3.12
    FUNCTIONS[itertools.batched] = Ruled(_combined)
MEMBERS: dict[type, dict[str, Any]] = {
    cls: dict.fromkeys(["get", "get_nowait"], Ruled(_taken)) for cls in (queue.Queue, queue.SimpleQueue)
}
