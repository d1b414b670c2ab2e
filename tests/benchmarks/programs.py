"""How many random programs run without a mismatch between Python and the graph."""

from __future__ import annotations

import importlib.util

from tests.benchmarks.measure import MISSING, Row


def rows(quick: bool) -> list[Row]:
    """The fuzzer's count."""
    if importlib.util.find_spec("tests.fuzz") is None:
        return [Row("random programs", "without mismatch", MISSING)]
    from tests.fuzz import benchmark

    count, mismatches = benchmark(50 if quick else 500)
    return [Row("random programs", "without mismatch", f"{count - mismatches} of {count}")]
