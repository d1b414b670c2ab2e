"""Declared dims: `dims={"batch": (1, 8), "n": 128}` gives bounds and fixed sizes of named dims.

Imported where programs are decorated, so it imports nothing heavy.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterator, Mapping
from typing import Any

from graph_program.extract.records import dataclass

LARGEST = 2**63 - 1
HINT = 'a size or a pair of sizes, such as dims={"n": 128, "batch": (1, 8)}'


@dataclass(frozen=True)
class Bound:
    """The sizes that a dim may have, both ends included; `high` is None where there is no limit."""

    low: int
    high: int | None

    @property
    def fixed(self) -> int | None:
        """The size, if there is only one."""
        return self.low if self.low == self.high else None

    def allows(self, size: int) -> bool:
        return self.low <= size and (self.high is None or size <= self.high)

    def contains(self, other: Bound) -> bool:
        """Whether all sizes that `other` allows are allowed."""
        return self.low <= other.low and (self.high is None or (other.high is not None and other.high <= self.high))

    def both(self, other: Bound) -> Bound:
        """The sizes that both allow; ValueError where there are none."""
        highs = [high for high in (self.high, other.high) if high is not None]
        both = Bound(max(self.low, other.low), min(highs, default=None))
        if both.high is not None and both.low > both.high:
            raise ValueError(f"dims: one dim cannot be both {self} and {other}")
        return both

    def __str__(self) -> str:
        if self.high is None:
            return f"at least {self.low}"
        return f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"


@dataclass(frozen=True)
class DeclaredDims(Mapping[str, Bound]):
    """Bounds by the name of the dim; hashable, in the order of the names."""

    entries: tuple[tuple[str, Bound], ...] = ()

    def __getitem__(self, name: str) -> Bound:
        return dict(self.entries)[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def fixed(self) -> dict[str, int]:
        """The sizes of the dims that have only one."""
        return {name: bound.low for name, bound in self.entries if bound.fixed is not None}

    def narrowed(self, given: DeclaredDims) -> DeclaredDims:
        """These dims, with those of `given` in their place.

        Raises
        ------
        ValueError
            Where `given` allows a size that these do not.
        """
        for name, bound in given.entries:
            if name in self and not self[name].contains(bound):
                raise ValueError(f"dims: {name} is declared as {self[name]} by the program, it cannot be {bound}")
        return declared({**dict(self.entries), **dict(given.entries)})

    def json(self) -> str:
        """`{"batch": [1, 8], "n": 128, "m": [1, null]}`."""
        sizes = {
            name: bound.low if bound.fixed is not None else [bound.low, bound.high] for name, bound in self.items()
        }
        return json.dumps(sizes)


NO_DIMS = DeclaredDims()


def declared(bounds: Mapping[str, Bound]) -> DeclaredDims:
    """Declared dims from bounds by name."""
    return DeclaredDims(tuple(sorted(bounds.items())))


def read_dims(dims: Any) -> DeclaredDims:
    """What a user gave as `dims`: a mapping of names to sizes and pairs of sizes.

    Parameters
    ----------
    dims : mapping, optional
        By name: the one size, or the smallest and the largest, of which the latter may be None.

    Raises
    ------
    TypeError
        Where it is no mapping, or a size is no integer.
    ValueError
        For a negative size, one beyond 64 bits, or a smallest that is larger than the largest.
    """
    if dims is None:
        return NO_DIMS
    if isinstance(dims, DeclaredDims):
        return dims
    if not isinstance(dims, Mapping) or not all(isinstance(name, str) for name in dims):
        raise TypeError(f"dims must map names of dims to {HINT}, not {dims!r}")
    return declared({name: _bound(name, given) for name, given in dims.items()})


def _bound(name: str, given: Any) -> Bound:
    if not isinstance(given, (tuple, list)):
        size = _size(name, given, given)
        return Bound(size, size)
    if len(given) != 2:
        raise ValueError(f"dims: {name} must be {HINT}, not {given!r}")
    low, high = _size(name, given[0], given), None if given[1] is None else _size(name, given[1], given)
    if high is not None and low > high:
        raise ValueError(f"dims: the smallest size of {name}, {low}, is larger than its largest, {high}")
    return Bound(low, high)


def _size(name: str, size: Any, given: Any) -> int:
    try:
        if isinstance(size, bool):
            raise TypeError
        number = operator.index(size)
    except TypeError:
        raise TypeError(f"dims: {name} must be {HINT}, not {given!r}") from None
    if number < 0:
        raise ValueError(f"dims: a size of {name} is negative: {given!r}")
    if number > LARGEST:
        raise ValueError(f"dims: a size of {name} is larger than arrays can be: {given!r}")
    return number
