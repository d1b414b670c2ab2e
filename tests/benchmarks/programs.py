"""How many random programs give what Python gives."""

from __future__ import annotations

from collections import Counter

from tests.benchmarks.measure import Row
from tests.fuzz.check import Verdict, check
from tests.fuzz.generator import program


def rows(quick: bool) -> list[Row]:
    """Counts over programs with fixed seeds."""
    number = 20 if quick else 300
    verdicts = Counter(check(program(seed)).verdict for seed in range(number))
    return [Row(f"{number} random programs", v.value, str(verdicts[v])) for v in Verdict]
