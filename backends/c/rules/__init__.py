"""How each operation is written in C; importing this fills `RULES`."""

from graph_program.backends.c import control
from graph_program.backends.c.rules import (
    comparisons,
    elementwise,
    host,
    indexing,
    movement,
    neural,
    products,
    reduction,
    sorting,
)

__all__ = [
    "comparisons",
    "control",
    "elementwise",
    "host",
    "indexing",
    "movement",
    "neural",
    "products",
    "reduction",
    "sorting",
]
