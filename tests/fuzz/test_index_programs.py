"""Random reads and writes through NumPy indices against plain Python."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.check import Verdict, check
from tests.fuzz.index_programs import Indexing


@pytest.mark.parametrize("block", range(8))
def test_same_as_numpy(block: int) -> None:
    for seed in range(block * 8, block * 8 + 8):
        program = Indexing(random.Random(seed).choice).program()
        checked = check(program)
        assert checked.verdict is not Verdict.DIFFERENT, f"seed {seed}: {checked.detail}\n{program.source}"
