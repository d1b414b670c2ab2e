"""Random programs against plain Python; the long run is `python -m tests.fuzz`."""

from __future__ import annotations

import pytest

from tests.fuzz.check import Verdict
from tests.fuzz.generator import HOST_SEEDS, program
from tests.fuzz.report import Forms, check_seed


@pytest.mark.parametrize("seed", [*range(40), *range(HOST_SEEDS, HOST_SEEDS + 12)])
def test_same_as_python(seed: int) -> None:
    checked = check_seed(seed)
    assert checked.verdict is not Verdict.DIFFERENT, f"{checked.detail}\n{program(seed).source}"


@pytest.mark.parametrize("fixed", [False, True], ids=["open", "fixed"])
@pytest.mark.parametrize("seed", range(25))
def test_chains_of_array_operations(seed: int, fixed: bool) -> None:
    checked = check_seed(seed, Forms(chains=True, fixed=fixed))
    assert checked.verdict is not Verdict.DIFFERENT, checked.detail
