"""`zip(..., strict=True)` of computed lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

I3 = np.array([1, 2, 3])
F3 = np.array([1.0, 2.0, 3.0])
M = np.arange(6.0).reshape(3, 2)


def zs(a: Any, b: Any) -> Any:
    t = 0.0
    for p, q in zip(a, b, strict=True):
        t += p * q
    return t


def zs3(a: Any, b: Any, c: Any) -> Any:
    t = 0.0
    for p, q, r in zip(a, b, c, strict=True):
        t += p * q + r
    return t


def zsl(a: Any, b: Any) -> Any:
    return [p * q for p, q in zip(a[a > 0], b[b > 1.5], strict=True)]


def zs_lists(a: Any, b: Any) -> Any:
    kept = []
    for v in a:
        if v > 1:
            kept.append(v)
    t = 0.0
    for p, q in zip(kept, b, strict=True):
        t += p * q
    return t


def stops_before_the_end(a: Any, b: Any) -> Any:
    t = 0.0
    for i, (p, q) in enumerate(zip(a, b, strict=True)):
        if i == 1:
            break
        t += p * q
    return t


def in_front_of_else(a: Any, b: Any) -> Any:
    t = 0.0
    try:
        for p, q in zip(a, b, strict=True):
            t += p * q
        else:
            t += 100
    except ValueError as error:
        return str(error), t
    return t


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (stops_before_the_end, [(F3, F3), (F3, F3[:2]), (F3[:1], F3)]),
    (in_front_of_else, [(F3, F3), (F3, F3[:2]), (F3[:1], F3)]),
    (zs, [(F3, F3), (F3, F3[:2]), (F3[:1], F3)]),
    (zs3, [(F3, F3, F3), (F3, F3, F3[:2]), (F3, F3[:1], F3), (F3[:2], F3[:2], F3)]),
    (zsl, [(F3, F3), (F3, F3[:2]), (F3[:1], F3)]),
    (zs_lists, [(F3, F3), (F3, F3[:2]), (F3[:1], F3)]),
]


@pytest.mark.parametrize(("program", "inputs"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_like_python(program: Callable[..., Any], inputs: list[tuple[Any, ...]]) -> None:
    check(program, *inputs)
