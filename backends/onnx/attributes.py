"""Attributes of ONNX nodes, from Python values."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir


def made_attribute(name: str, value: Any) -> ir.Attr:
    """The attribute that holds a value, by its type."""
    if isinstance(value, ir.Attr):
        return value
    if isinstance(value, ir.Graph):
        return ir.AttrGraph(name, value)
    if isinstance(value, int):
        return ir.AttrInt64(name, value)
    if isinstance(value, float):
        return ir.AttrFloat32(name, value)
    if isinstance(value, str):
        return ir.AttrString(name, value)
    if isinstance(value, np.ndarray):
        return ir.AttrTensor(name, ir.Tensor(value))
    return ir.AttrInt64s(name, list(value))


__all__ = ["made_attribute"]
