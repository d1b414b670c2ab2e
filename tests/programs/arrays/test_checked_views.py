"""Elements of views that were written, read at places that have to be checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def test_a_view_that_is_read_again_in_each_round() -> None:
    def program(x: Array) -> Array:
        tail = x[2:]
        for k in range(len(tail)):
            tail[k] = tail[-k]
        return tail

    check(program, (np.arange(6.0),), (np.arange(3.0),), (np.arange(2.0),))
