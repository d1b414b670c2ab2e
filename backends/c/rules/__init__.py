"""How each operation is written in C; importing this fills `RULES`."""

from graph_program.backends.c import control, ends, loops
from graph_program.backends.c.rules import (
    comparisons,
    elementwise,
    fourier,
    host,
    indexing,
    libraries,
    movement,
    neural,
    products,
    reduction,
    selection,
    sorting,
)

__all__ = [
    "comparisons",
    "control",
    "elementwise",
    "ends",
    "fourier",
    "host",
    "indexing",
    "libraries",
    "loops",
    "movement",
    "neural",
    "products",
    "reduction",
    "selection",
    "sorting",
]
