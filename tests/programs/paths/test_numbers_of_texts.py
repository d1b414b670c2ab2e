"""Numbers in one of several texts, depending on the path taken."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check


def test_one_of_several_texts() -> None:
    def run(x: Any) -> Any:
        count = int("12" if x[0] > 1 else "7")
        mask = int("ff" if x[0] > 1 else "10", 16)
        return count, mask, float("1.5" if x[0] > 1 else "inf"), count * x

    check(run, (np.array([1.0, 2.0]),), (np.array([2.0]),))


def test_one_that_is_no_number() -> None:
    def run(x: Any) -> Any:
        return float("1.5" if x[0] > 1 else "none")

    def caught(x: Any) -> Any:
        try:
            return int("15" if x[0] > 1 else "none")
        except ValueError as error:
            return str(error)

    def in_a_loop(x: Any) -> Any:
        text = "0"
        for v in x:
            text = "1" if v > 1 else "2"
        return int(text) + float(text)

    for function in (run, caught, in_a_loop):
        check(function, (np.array([1.0, 2.0]),), (np.array([2.0]),))
