"""Binary search in sorted lists and arrays, as `bisect` does it, sorting of what only `<` compares, order of lists.

Knuth, The Art of Computer Programming 3, 6.2.1 and 5.2.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def bisect_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Callable[[Any], Any] | None = None) -> int:
    """The first position where `x` can stand."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        item = a[middle] if key is None else key(a[middle])
        if item < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


def bisect_right(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Callable[[Any], Any] | None = None) -> int:
    """The last position where `x` can stand."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        item = a[middle] if key is None else key(a[middle])
        if x < item:
            hi = middle
        else:
            lo = middle + 1
    return lo


def insort_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Callable[[Any], Any] | None = None) -> None:
    """Put `x` in front of its equals."""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(
    a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Callable[[Any], Any] | None = None
) -> None:
    """Put `x` behind its equals."""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def lexicographic(a: Any, b: Any, compare: Callable[[Any, Any], Any]) -> Any:
    """`compare(a, b)` of sequences: the first elements that differ decide, else the lengths."""
    k, end = 0, min(len(a), len(b))
    while k < end and a[k] == b[k]:
        k += 1
    return compare(a[k], b[k]) if k < end else compare(len(a), len(b))


def positions(items: Any) -> Any:
    """The positions of items in their order, equal ones as they are: runs that are in order are merged, two by two."""
    order, width = np.arange(len(items)), 1
    while width < len(items):
        before = order.copy()
        for start in range(0, len(items), 2 * width):
            a, b = start, min(start + width, len(items))
            middle, end = b, min(b + width, len(items))
            for k in range(start, end):
                second = a >= middle
                if not second and b < end:
                    second = items[before[b]] < items[before[a]]
                order[k] = before[b if second else a]
                if second:
                    b += 1
                else:
                    a += 1
        width *= 2
    return order
