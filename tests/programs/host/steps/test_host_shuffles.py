"""`shuffle` of arrays and lists of the program: the same order as in Python, and what shares memory sees it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]


@dataclass
class Sample:
    value: float
    seen: int = 0


def array(x):
    np.random.seed(3)
    np.random.shuffle(x)
    return x


def positions(x):
    rng = np.random.default_rng(5)
    order = np.arange(len(x))
    rng.shuffle(order)
    return x[order], order


def columns(x):
    rng = np.random.default_rng(1)
    m = np.stack([x, x + 1.0, x * 2.0])
    rng.shuffle(m, axis=1)
    random.Random(2).shuffle(m[0])
    return m


def view(x):
    rng = np.random.default_rng(1)
    y = x[::2]
    rng.shuffle(y)
    return x, y


def known_list(x):
    random.seed(4)
    items, names = [1, 2, 3, 4, 5], ["a", "b", "c"]
    random.shuffle(items)
    random.shuffle(names)
    return items, names


def objects(x):
    rng = random.Random(7)
    samples = [Sample(float(v)) for v in x]
    rng.shuffle(samples)
    for k, sample in enumerate(samples):
        sample.seen += k
    return samples


def arrays(x):
    rows = [x, x + 1.0, x * 3.0]
    np.random.default_rng(2).shuffle(rows)
    return rows


def epochs(x):
    order, seen = list(range(len(x))), []
    for epoch in range(3):
        random.seed(epoch)
        random.shuffle(order)
        for i in order:
            seen.append(x[i])
    return seen


def caught(x):
    order = np.arange(3)
    try:
        np.random.default_rng(1).shuffle(order, axis=4)
    except ValueError:
        return x
    return order


@pytest.mark.parametrize("program", [array, positions, columns, view, known_list, objects, arrays, epochs, caught])
def test_shuffled(program: Any) -> None:
    check(program, (np.arange(6.0),), (np.ones(1),), (np.zeros(0),))
