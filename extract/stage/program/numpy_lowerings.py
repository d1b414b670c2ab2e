"""Lowerings of NumPy's functions, methods and attributes; importing this fills the registry."""

from graph_program.extract.stage.numpy import (
    array_programs,
    attributes,
    flags,
    fourier,
    linear_algebra,
    memory,
    ufunc_methods,
    writing,
)
from graph_program.extract.stage.numpy.elementwise import elementwise, ufuncs, vectorized
from graph_program.extract.stage.numpy.make import creation, filling, grids, index_tricks, padding, ranges
from graph_program.extract.stage.numpy.move import broadcasting, joining, movement, repeating, splitting, windows
from graph_program.extract.stage.numpy.products import linear
from graph_program.extract.stage.numpy.reduce import (
    counting,
    extremes,
    nan_aware,
    nan_order,
    norms,
    quantiles,
    reductions,
    statistics,
)
from graph_program.extract.stage.numpy.select import iterators, masks, selection, sets

__all__ = [
    "array_programs",
    "attributes",
    "broadcasting",
    "counting",
    "creation",
    "elementwise",
    "extremes",
    "filling",
    "flags",
    "fourier",
    "grids",
    "index_tricks",
    "iterators",
    "joining",
    "linear",
    "linear_algebra",
    "masks",
    "memory",
    "movement",
    "nan_aware",
    "nan_order",
    "norms",
    "padding",
    "quantiles",
    "ranges",
    "reductions",
    "repeating",
    "selection",
    "sets",
    "splitting",
    "statistics",
    "ufunc_methods",
    "ufuncs",
    "vectorized",
    "windows",
    "writing",
]
