"""The flags of the compiler, where it makes wrong code with others."""

from __future__ import annotations

import numpy as np
import pytest

from tests.native.compilers import needs_compiler
from tests.programs.plain import check


def written_constants(x):
    y = np.zeros(12)
    for k in range(3):
        y[k] = 4.0
    return y, x


@needs_compiler
def test_constants_of_which_the_first_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    check(written_constants, (1.0,))
