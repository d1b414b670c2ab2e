"""Powers of Python's floats whose exponent is infinite or NaN: none of them raises, or is complex."""

from __future__ import annotations

from typing import Any

from tests.programs.plain import check

INF, NAN = float("inf"), float("nan")
BASES = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0, INF, -INF, NAN)


def test_computed_exponents() -> None:
    def power(x: float, y: float) -> float:
        return x**y

    check(power, *((x, y) for x in BASES for y in (INF, -INF, NAN, 0.0, -3.0)))


def test_known_exponents() -> None:
    def powers(x: float) -> Any:
        return x**INF, x**-INF, x**NAN

    check(powers, *((x,) for x in BASES))
