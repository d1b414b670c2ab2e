"""Elements of lists and dicts of known structure, changed at computed positions."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
import pytest

from tests.programs.given_arrays import SIX_NUMBERS as NUMBERS
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def buckets(x: Array) -> Any:
    groups: list[list[float]] = [[], [], []]
    for v in x:
        groups[int(v) % 3].append(float(v))
    return groups, [len(g) for g in groups]


def named_buckets(x: Array) -> Any:
    small: list[float] = []
    large: list[float] = []
    groups = [small, large]
    for v in x:
        groups[int(v > 1)].append(float(v))
    return small, large


def buckets_by_key(x: Array) -> Any:
    groups: dict[str, list[float]] = {"even": [], "odd": []}
    for v in x:
        groups["even" if int(v) % 2 == 0 else "odd"].append(float(v))
    return groups


def buckets_by_number(x: Array) -> Any:
    groups: dict[int, list[float]] = {0: [], 2: [], 5: []}
    for v in x:
        groups[int(abs(v)) % 6].append(float(v))
    return groups


def buckets_of_buckets(x: Array) -> Any:
    grid: list[list[list[float]]] = [[[], []], [[], []]]
    for i, v in enumerate(x):
        grid[i % 2][int(v > 0)].append(float(v))
    return grid


def table(x: Array) -> Any:
    counts = [[0, 0, 0], [0, 0, 0]]
    for i, v in enumerate(x):
        counts[i % 2][int(v) % 3] += 1
        counts[-1][0] = i
    return counts


class Side(Enum):
    LEFT = 1
    RIGHT = 2


@dataclass
class Tally:
    count: int = 0
    total: float = 0.0
    worst: float = 0.0


def tallies(x: Array) -> Any:
    kinds = [Tally(), Tally(), Tally()]
    for v in x:
        k = int(v) % 3
        kinds[k].count += 1
        kinds[k].total += float(v)
        kinds[k].worst = min(kinds[k].worst, float(v))
    return kinds


def tallies_by_member(x: Array) -> Any:
    sides = {Side.LEFT: Tally(), Side.RIGHT: Tally()}
    for v in x:
        side = Side.LEFT if v < 0 else Side.RIGHT
        sides[side].count += 1
    return sides[Side.LEFT].count, sides[Side.RIGHT].count


def tallies_in_rows(x: Array) -> Any:
    rows = [[Tally(), Tally()], [Tally(), Tally()]]
    named = [{"a": Tally()}, {"a": Tally()}]
    for v in x:
        k = int(v) % 2
        rows[k][int(v > 1)].count += 1
        rows[k][-1].total += float(v)
        named[k]["a"].worst = min(named[1 - k]["a"].worst, float(v))
    return rows, named


def rows_of_different_lengths(x: Array) -> Any:
    rows = [np.zeros(2), np.zeros(3), np.zeros(4)]
    for i, v in enumerate(x):
        rows[i % 3][i // 3] = v
        rows[int(v) % 3] += v
    return rows


def one_list_twice(x: Array) -> Any:
    shared: list[float] = []
    groups = [shared, [], shared]
    for i, v in enumerate(x):
        groups[i % 3].append(float(v))
    return groups[0], groups[1], len(shared)


def popped_and_extended(x: Array) -> Any:
    stacks = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    out = 0.0
    for v in x[:2]:
        out += stacks[int(v > 0)].pop()
        stacks[int(v < 0)] += [float(v)]
    return stacks, out


def outside(x: Array) -> Any:
    groups: list[list[float]] = [[], []]
    for v in x:
        groups[int(v)].append(float(v))
    return groups


def negative_positions(x: Array) -> Any:
    groups: list[list[float]] = [[], [], []]
    for v in x:
        groups[int(v) % 3 - 3].append(float(v))
    return groups


@dataclass
class Account:
    balance: float = 0.0
    entries: list[float] = field(default_factory=list)

    def deposit(self, value: float) -> None:
        self.balance += value
        self.entries.append(value)


def methods_that_write(x: Array) -> Any:
    accounts = [Account(), Account(1.0)]
    for v in x:
        accounts[int(v) % 2].deposit(float(v))
        accounts[int(v > 2)].entries.append(0.5)
        accounts[int(v > 2)].balance -= 0.25
    return accounts


@pytest.mark.parametrize(
    "program",
    [
        methods_that_write,
        buckets,
        named_buckets,
        buckets_by_key,
        buckets_by_number,
        buckets_of_buckets,
        table,
        tallies,
        tallies_by_member,
        tallies_in_rows,
        rows_of_different_lengths,
        one_list_twice,
        popped_and_extended,
        outside,
        negative_positions,
    ],
)
def test_elements_of_known_lists(program: Any) -> None:
    check(program, (NUMBERS,), (NUMBERS[:0],), (NUMBERS[:1],))
