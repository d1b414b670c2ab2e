"""Versions of the standard operators and of the file format: what is written, and what can be asked for."""

from __future__ import annotations

OPSET = 20
"""The first with ReduceMax of booleans and IsInf of float16; `BitwiseAnd` and the like came with 18."""
OLDEST_OPSET = 17

IR_VERSION = 10
"""The first with metadata on nodes; read by onnxruntime since 1.18."""
OLDEST_IR_VERSION = 8
"""The first with functions of the model's own."""

__all__ = ["IR_VERSION", "OLDEST_IR_VERSION", "OLDEST_OPSET", "OPSET"]
