"""The vocabulary of programs: the Array API standard as a namespace, and the operations of the graph.

`import graph_program.tensor_api as xp` gives every function of the standard 2025.12, with `xp.linalg` and `xp.fft`.
They run eagerly, over NumPy arrays in an `Array`, and mean the same in a program, which inlines them.
"""

# ruff: noqa: F403
from __future__ import annotations

from math import e, inf, nan, pi

from graph_program.tensor_api.array_api import (
    creation,
    elementwise,
    fft,
    linalg,
    linear,
    manipulation,
    reductions,
    searching,
)
from graph_program.tensor_api.array_api.array import Array
from graph_program.tensor_api.array_api.creation import *
from graph_program.tensor_api.array_api.dtypes import (
    bool,
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    isdtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from graph_program.tensor_api.array_api.elementwise import *
from graph_program.tensor_api.array_api.info import __array_namespace_info__
from graph_program.tensor_api.array_api.linear import *
from graph_program.tensor_api.array_api.manipulation import *
from graph_program.tensor_api.array_api.reductions import *
from graph_program.tensor_api.array_api.searching import *

newaxis = None
__array_api_version__ = "2025.12"

__all__ = [
    "Array",
    "__array_api_version__",
    "__array_namespace_info__",
    "bool",
    "complex64",
    "complex128",
    "e",
    "fft",
    "float32",
    "float64",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "linalg",
    "nan",
    "newaxis",
    "pi",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
__all__ += creation.__all__
__all__ += elementwise.__all__
__all__ += linear.__all__
__all__ += manipulation.__all__
__all__ += reductions.__all__
__all__ += searching.__all__
