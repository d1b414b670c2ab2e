"""Functions of Python's library that go through an iterable before they do anything else."""

from __future__ import annotations

import collections
import functools
import heapq
import math
import statistics
from collections.abc import Mapping, Sequence

import numpy as np

from graph_program.extract.stage.values.questions import known_value
from graph_program.extract.stage.values.values import Value

STOPPING = (any, all)
"""Those that end at an element that decides."""
EXHAUSTING = (
    *(sum, min, max, sorted, list, tuple, set, frozenset, dict, bytes, bytearray),
    *(math.fsum, math.prod, np.fromiter, functools.reduce),
    *(collections.Counter, collections.deque, collections.OrderedDict),
    *(statistics.mean, statistics.fmean, statistics.median, statistics.mode, statistics.multimode),
    *(statistics.stdev, statistics.pstdev, statistics.variance, statistics.pvariance),
    *(heapq.nlargest, heapq.nsmallest),
)
"""Those that take all that an iterator has left."""
FROMITER_COUNT = 2
"""Where `np.fromiter(iter, dtype, count)` has the number of elements that it takes."""


def goes_through(function: Value) -> bool:
    """Whether a function goes through an iterable that it is given."""
    return _is_one_of(function, STOPPING) or _is_one_of(function, EXHAUSTING)


def takes_all(function: Value, args: Sequence[Value], keywords: Mapping[str, Value]) -> bool:
    """Whether a call takes all that an iterator has left."""
    if _is_one_of(function, (np.fromiter,)) and ("count" in keywords or len(args) > FROMITER_COUNT):
        return False
    return _is_one_of(function, EXHAUSTING)


def _is_one_of(function: Value, known: tuple[object, ...]) -> bool:
    return any(known_value(function) is one for one in known)
