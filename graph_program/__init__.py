"""Imperative Python over NumPy arrays, extracted from its source into one ONNX graph.

Every name below is imported when it is first used, so `import graph_program` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxtyping import (
        BFloat16,
        Bool,
        Complex,
        Complex64,
        Complex128,
        Float,
        Float16,
        Float32,
        Float64,
        Inexact,
        Int,
        Int8,
        Int16,
        Int32,
        Int64,
        Integer,
        Num,
        Real,
        Shaped,
        UInt,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
    )
    from numpy import ndarray as Tensor

    from graph_program.decorator import graph_program
    from graph_program.extract.diagnostics import (
        CallError,
        DTypeError,
        ExportError,
        ExtractionWarning,
        GraphProgramError,
        ImplicitCopyWarning,
        IntegerLimitError,
        LimitError,
        LostWritesWarning,
        ModelError,
        ProgramAttributeError,
        ProgramAxisError,
        ProgramIndexError,
        ProgramNameError,
        ProgramValueError,
        ShapeError,
        ShapeWarning,
        SourceError,
        UnsupportedError,
    )
    from graph_program.names import host_function, load_onnx, reveal, static_range, to_device, to_host
    from graph_program.onnx_program.program import load
    from graph_program.pages.options import Page
    from graph_program.program import GraphProgramFunction
    from graph_program.quantized.options import Quantization
    from graph_program.sessions.session import Session
    from graph_program.tensor_api.static import Static

__all__ = [
    "BFloat16",
    "Bool",
    "CallError",
    "Complex",
    "Complex64",
    "Complex128",
    "DTypeError",
    "ExportError",
    "ExtractionWarning",
    "Float",
    "Float16",
    "Float32",
    "Float64",
    "GraphProgramError",
    "GraphProgramFunction",
    "ImplicitCopyWarning",
    "Inexact",
    "Int",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Integer",
    "IntegerLimitError",
    "LimitError",
    "LostWritesWarning",
    "ModelError",
    "Num",
    "Page",
    "ProgramAttributeError",
    "ProgramAxisError",
    "ProgramIndexError",
    "ProgramNameError",
    "ProgramValueError",
    "Quantization",
    "Real",
    "Session",
    "ShapeError",
    "ShapeWarning",
    "Shaped",
    "SourceError",
    "Static",
    "Tensor",
    "UInt",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "UnsupportedError",
    "graph_program",
    "host_function",
    "load",
    "load_onnx",
    "reveal",
    "static_range",
    "to_device",
    "to_host",
]

_ERRORS = (
    "CallError DTypeError ExportError ExtractionWarning GraphProgramError ImplicitCopyWarning IntegerLimitError "
    "LimitError LostWritesWarning ModelError "
    "ProgramAttributeError ProgramAxisError ProgramIndexError ProgramNameError ProgramValueError ShapeError "
    "ShapeWarning SourceError UnsupportedError"
)
_ANNOTATIONS = (
    "BFloat16 Bool Complex Complex64 Complex128 Float Float16 Float32 Float64 Inexact Int Int8 Int16 Int32 Int64 "
    "Integer Num Real Shaped UInt UInt8 UInt16 UInt32 UInt64"
)
_HOMES = {
    **dict.fromkeys(_ERRORS.split(), "graph_program.extract.diagnostics"),
    **dict.fromkeys(_ANNOTATIONS.split(), "graph_program.extract.types.notation.shaped"),
    "graph_program": "graph_program.decorator",
    "GraphProgramFunction": "graph_program.program",
    "Page": "graph_program.pages.options",
    "Quantization": "graph_program.quantized.options",
    **dict.fromkeys(
        ["to_host", "to_device", "static_range", "reveal", "host_function", "load_onnx"], "graph_program.names"
    ),
    "Session": "graph_program.sessions.session",
    "load": "graph_program.onnx_program.program",
    "Static": "graph_program.tensor_api.static",
    "Tensor": "numpy",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'graph_program' has no attribute {name!r}")
    value = getattr(import_module(home), "ndarray" if name == "Tensor" else name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
