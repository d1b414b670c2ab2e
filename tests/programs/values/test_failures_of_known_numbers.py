"""Operations on known numbers that fail wherever they are reached, on paths that not every run takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ShapeWarning")


def test_division_by_zero_in_a_loop() -> None:
    def program(x: Any, n: int) -> int:
        for _ in x:
            n = n // 0
        return n

    check(program, (np.ones(3), 2), (np.ones(0), 2))


def test_a_key_that_is_missing_on_a_path() -> None:
    def program(x: Any, n: int) -> Any:
        table = {"a": 1}
        if n > 1:
            return table["b"]
        return x

    check(program, (np.ones(3), 2), (np.ones(0), 0))
