"""How each primitive operation becomes ONNX nodes; the modules mirror `tensor_api/ops`."""

from __future__ import annotations

from graph_program.backends.onnx.rules import (
    creation,
    elementwise,
    fourier,
    indexing,
    linear,
    movement,
    neural,
    reduction,
    slices,
    sorting,
)
from graph_program.backends.onnx.rules.common import Lowering

RULES: dict[str, Lowering] = {
    **elementwise.RULES,
    **reduction.RULES,
    **sorting.RULES,
    **linear.RULES,
    **fourier.RULES,
    **movement.RULES,
    **creation.RULES,
    **indexing.RULES,
    **slices.RULES,
    **neural.RULES,
}
"""Lowerings by operation name."""
