"""Lists kept as binary heaps, as `heapq` keeps them: element for element the same lists.

The steps are those of `heapq`: an element moves up from a leaf, or the smaller child moves up until a leaf
is free, and what belongs there moves up from it (Knuth, The Art of Computer Programming 3, 5.2.3).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

try:
    heapq.heappop([])
except IndexError as _error:
    OUT_OF_RANGE = str(_error)


def _up(heap: list[Any], start: int, position: int) -> None:
    """Move the element at a position up, as long as it is smaller than its parent."""
    item = heap[position]
    moving = position > start
    while moving:
        parent = (position - 1) >> 1
        above = heap[parent]
        if item < above:
            heap[position] = above
            position = parent
            moving = position > start
        else:
            moving = False
    heap[position] = item


def _down(heap: list[Any], position: int) -> None:
    """Fill the place of the element at a position with the smaller child, down to a leaf; it moves up from there."""
    end = len(heap)
    start = position
    item = heap[position]
    child = 2 * position + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = item
    _up(heap, start, position)


def heappush(heap: list[Any], item: Any) -> None:
    """`heapq.heappush`."""
    heap.append(item)
    _up(heap, 0, len(heap) - 1)


def heappop(heap: list[Any]) -> Any:
    """`heapq.heappop`."""
    if not heap:
        raise IndexError(OUT_OF_RANGE)
    last = heap.pop()
    if heap:
        first = heap[0]
        heap[0] = last
        _down(heap, 0)
        return first
    return last


def heapify(x: list[Any]) -> None:
    """`heapq.heapify`."""
    for i in reversed(range(len(x) // 2)):
        _down(x, i)


def heapreplace(heap: list[Any], item: Any) -> Any:
    """`heapq.heapreplace`."""
    if not heap:
        raise IndexError(OUT_OF_RANGE)
    first = heap[0]
    heap[0] = item
    _down(heap, 0)
    return first


def heappushpop(heap: list[Any], item: Any) -> Any:
    """`heapq.heappushpop`."""
    if heap and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _down(heap, 0)
        return first
    return item


def nsmallest(n: int, iterable: Any, key: Callable[[Any], Any] | None = None) -> list[Any]:
    """`heapq.nsmallest`."""
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: int, iterable: Any, key: Callable[[Any], Any] | None = None) -> list[Any]:
    """`heapq.nlargest`."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]
