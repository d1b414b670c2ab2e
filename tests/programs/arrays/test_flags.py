"""How arrays lie in memory, asked for by a program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]
X = np.arange(24.0).reshape(4, 6)
LAYOUTS = (X, np.asfortranarray(X), X[:, ::2], X[:1], X[:, :1], X[:, :1].copy(), X[:0], X[0], X[0, ::2], X.T)


def test_the_order_of_an_argument() -> None:
    def order(x: Array) -> Any:
        flags = x.flags
        return flags.c_contiguous, flags.f_contiguous, flags["FORC"], flags.fnc, x.flags.contiguous

    check(order, *((x,) for x in LAYOUTS), (X.reshape(2, 2, 6),), (X.reshape(1, 24, 1),))


def test_the_order_of_what_is_made() -> None:
    def order(x: Array) -> Any:
        made = x + 1.0, x.T, x.copy(), x.T.copy(), np.zeros((3, len(x))), x.reshape(-1, 1), x[1:], x.ravel()
        return [(v.flags.c_contiguous, v.flags["F_CONTIGUOUS"]) for v in made]

    check(order, (X,), (X[:1].copy(),), (X[:0].copy(),))


def test_a_branch_on_the_order() -> None:
    def total(x: Array) -> Any:
        if not x.flags.c_contiguous:
            x = np.ascontiguousarray(x)
        flat = x.reshape(-1)
        flat[0] = 5.0
        return flat.sum(), x

    check(total, (X,), (X.T,), (X[:, ::2],))


def test_other_flags_are_refused() -> None:
    def own(x: Array) -> Any:
        return x.flags.owndata

    with pytest.raises(GraphProgramError, match=r"flags\.owndata has no graph form"):
        graph_program(own)(X)
