"""How each operation is written in C; importing this fills `RULES`."""

from graph_program.backends.c import control, loops
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
    "loops",
    "movement",
    "neural",
    "products",
    "reduction",
    "sorting",
]
