"""Lowerings of NumPy's functions, methods and attributes; importing this fills the registry."""

from graph_program.extract.stage.numpy import (
    attributes,
    creation,
    elementwise,
    grids,
    joining,
    linear,
    masks,
    movement,
    nan_aware,
    norms,
    reductions,
    selection,
    statistics,
    ufunc_methods,
    ufuncs,
)

__all__ = [
    "attributes",
    "creation",
    "elementwise",
    "grids",
    "joining",
    "linear",
    "masks",
    "movement",
    "nan_aware",
    "norms",
    "reductions",
    "selection",
    "statistics",
    "ufunc_methods",
    "ufuncs",
]
