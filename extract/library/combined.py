"""What functions of `itertools` give of lists, arrays and ranges of computed length, as lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from graph_program.extract.library.iterators import check_bounds


def between(sequence: Any, start: Any, stop: Any, step: Any) -> Any:
    """`islice(sequence, start, stop, step)`."""
    check_bounds(start, stop, step)
    return sequence[start:stop:step]


def behind_the_first(sequence: Any) -> Any:
    """The second parts of `pairwise(sequence)`."""
    return sequence[1:]


def chained(iterables: Iterable[Iterable[Any]]) -> list[Any]:
    """`chain.from_iterable(iterables)`."""
    return [v for iterable in iterables for v in iterable]


def taken_while(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> list[Any]:
    """`takewhile(predicate, iterable)`."""
    found = []
    for v in iterable:
        if not predicate(v):
            break
        found.append(v)
    return found


def dropped_while(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> list[Any]:
    """`dropwhile(predicate, iterable)`."""
    found = []
    dropping = True
    for v in iterable:
        if dropping and predicate(v):
            continue
        dropping = False
        found.append(v)
    return found


def without(predicate: Callable[[Any], Any] | None, iterable: Iterable[Any]) -> list[Any]:
    """`filterfalse(predicate, iterable)`."""
    if predicate is None:
        return [v for v in iterable if not v]
    return [v for v in iterable if not predicate(v)]


def compressed(data: Iterable[Any], selectors: Iterable[Any]) -> list[Any]:
    """`compress(data, selectors)`."""
    return [v for v, chosen in zip(data, selectors, strict=False) if chosen]


def accumulated(iterable: Iterable[Any], function: Callable[[Any, Any], Any]) -> list[Any]:
    """`accumulate(iterable, function)`."""
    found: list[Any] = []
    for v in iterable:
        found.append(v if len(found) == 0 else function(found[-1], v))
    return found


def accumulated_from(first: Any, iterable: Iterable[Any], function: Callable[[Any, Any], Any]) -> list[Any]:
    """`accumulate(iterable, function, initial=first)`."""
    found = [first]
    for v in iterable:
        found.append(function(found[-1], v))
    return found


def longest(sequences: tuple[Any, ...], fill: Any) -> list[tuple[Any, ...]]:
    """`zip_longest(*sequences, fillvalue=fill)`."""
    count = max([len(s) for s in sequences])
    return [tuple([s[k] if k < len(s) else fill for s in sequences]) for k in range(count)]


def combinations(pool: Any, r: int) -> list[tuple[Any, ...]]:
    """`combinations(pool, r)`: tuples of r elements that get longer, in their order, round by round."""
    found: list[tuple[int, ...]] = [(k,) for k in range(len(pool))]
    for _ in range(r - 1):
        found = [(*chosen, k) for chosen in found for k in range(chosen[-1] + 1, len(pool))]
    return [tuple([pool[k] for k in chosen]) for chosen in found]


def combinations_with_replacement(pool: Any, r: int) -> list[tuple[Any, ...]]:
    """`combinations_with_replacement(pool, r)`."""
    found: list[tuple[int, ...]] = [(k,) for k in range(len(pool))]
    for _ in range(r - 1):
        found = [(*chosen, k) for chosen in found for k in range(chosen[-1], len(pool))]
    return [tuple([pool[k] for k in chosen]) for chosen in found]


def permutations(pool: Any, r: int) -> list[tuple[Any, ...]]:
    """`permutations(pool, r)`."""
    found: list[tuple[int, ...]] = [(k,) for k in range(len(pool))]
    for _ in range(r - 1):
        found = [(*chosen, k) for chosen in found for k in range(len(pool)) if k not in chosen]
    return [tuple([pool[k] for k in chosen]) for chosen in found]
