"""Parts of the standard library written in Python that a program can contain: they are inlined as the user's own code.

q = collections.deque(maxlen=3)       ->      an object with a list and a length, and methods on these
heapq.heappush(heap, item)            ->      the steps that keep a list a heap
"""

from __future__ import annotations

import bisect
import collections
import heapq
import itertools
from typing import Any

from graph_program.extract.library import deques, heaps, iterators, sorted_lists

INSTEAD: dict[Any, Any] = {
    collections.deque: deques.deque,
    heapq.heappush: heaps.heappush,
    heapq.heappop: heaps.heappop,
    heapq.heapify: heaps.heapify,
    heapq.heapreplace: heaps.heapreplace,
    heapq.heappushpop: heaps.heappushpop,
    heapq.nsmallest: heaps.nsmallest,
    heapq.nlargest: heaps.nlargest,
    bisect.bisect_left: sorted_lists.bisect_left,
    bisect.bisect_right: sorted_lists.bisect_right,
    bisect.insort_left: sorted_lists.insort_left,
    bisect.insort_right: sorted_lists.insort_right,
}
"""What a class or function of the standard library is in a program; aliases such as `bisect.bisect` are the same."""

PYTHON: dict[type, type] = {deques.deque: collections.deque}
"""Classes with elements, and what an object of them that is made in a program is in Python."""
CLASSES: dict[type, type] = {**PYTHON, iterators.counter: itertools.count, iterators.sliced: itertools.islice}
CLASSES |= {iterators.together: zip, iterators.numbered: enumerate}
"""The class that an object made in a program has in Python."""


def in_python(cls: type) -> type:
    """The class that an object has in Python."""
    return CLASSES.get(cls, cls)


def instead(value: Any) -> Any:
    """What stands for a class or function of the standard library; anything else as it is."""
    try:
        return INSTEAD.get(value, value)
    except TypeError:  # what has no hash is none of them
        return value
