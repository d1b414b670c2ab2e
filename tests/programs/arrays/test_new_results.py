"""Arrays of a result are new ones, in C order, where Python gives views: a deviation, with the same values."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float64, Tensor
from tests.programs.plain import check


def seen(a: Float64[Tensor, "n m"]) -> Any:
    return a.T, a[::2], a.reshape(-1), a.copy(order="F"), a


def test_views_come_as_copies_in_c_order() -> None:
    a = np.arange(12.0).reshape(3, 4)
    *others, same = check(seen, (a,))(a)
    assert same is a
    assert all(y.flags.c_contiguous and not np.shares_memory(y, a) for y in others)
