"""Random programs against plain Python; the long run is `python -m tests.fuzz`."""

from __future__ import annotations

import pytest

from tests.fuzz.check import Verdict
from tests.fuzz.generator import HOST_SEEDS, program
from tests.fuzz.report import Forms, check_seed, check_source


@pytest.mark.parametrize("seed", [*range(40), *range(HOST_SEEDS, HOST_SEEDS + 12)])
def test_same_as_python(seed: int) -> None:
    checked = check_seed(seed)
    assert checked.verdict is not Verdict.DIFFERENT, f"{checked.detail}\n{program(seed).source}"


@pytest.mark.parametrize("fixed", [False, True], ids=["open", "fixed"])
@pytest.mark.parametrize("seed", range(25))
def test_chains_of_array_operations(seed: int, fixed: bool) -> None:
    checked = check_seed(seed, Forms(chains=True, fixed=fixed))
    assert checked.verdict is not Verdict.DIFFERENT, checked.detail


@pytest.mark.parametrize("seed", range(1000, 1012))
def test_the_same_as_exported_files(seed: int) -> None:
    checked = check_seed(seed, Forms(files=True))
    assert checked.verdict is not Verdict.DIFFERENT, f"{checked.detail}\n{program(seed).source}"


NUMBER_THAT_NOBODY_READS = """
import numpy as np

def program(x, y, n):
    def inner():
        it = iter(x)
        first = next(it)
        for a, b in zip(it, it):
            both = [x, y.copy()]
            both[0][:] = both[1]
        return 3
    for u in (inner() - 2, n):
        pass
    x -= x.ravel()
    y += float(x[n])

def arguments_0():
    return (np.array([3.0, 4.0, 0.0]), np.array([0.5, -2.5, -1.0]), 3), ()
"""


def test_the_reference_backend_raises_behind_an_error_number_that_nobody_reads():
    assert check_source(NUMBER_THAT_NOBODY_READS).verdict is Verdict.RAISES
