"""How many random programs give what Python gives."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from graph_program import GraphProgramError, graph_program
from tests.benchmarks.measure import Row
from tests.fuzz.compare import call, difference, load
from tests.fuzz.generator import ARRAYS, Generator


def verdict(seed: int) -> str:
    """Generate a program and arguments from the seed, run both ways, compare."""
    choose = random.Random(seed)
    function = load(Generator(choose.choice).program())
    args = (np.array(choose.choice(ARRAYS)), choose.randint(-3, 9), choose.choice([0.0, 1.5, -2.0, 10.0]))
    found = call(graph_program(function), args)
    if isinstance(found.error, GraphProgramError):
        return "refused"
    expected = call(function, args)
    if isinstance(found.error, OverflowError) and expected.error is None:
        return "int beyond 64 bits"
    return "mismatch" if difference(expected, found) else "same"


def rows(quick: bool) -> list[Row]:
    """Counts over programs with fixed seeds."""
    number = 20 if quick else 300
    verdicts: Counter[Any] = Counter(verdict(seed) for seed in range(number))
    names = ["same", "mismatch", "refused", "int beyond 64 bits"]
    return [Row(f"{number} random programs", name, str(verdicts[name])) for name in names]
