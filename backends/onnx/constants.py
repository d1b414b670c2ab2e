"""Constants of a model, their names and types."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx_ir as ir


@cache
def tensor_type(dtype: np.dtype) -> ir.TensorType:
    """The ONNX type of tensors of this element type."""
    return ir.TensorType(ir.DataType.from_numpy(dtype))


def initializer(name: str, array: np.ndarray) -> ir.Value:
    """A value that is a constant of the model; the array is referred to, not copied."""
    return ir.Value(
        name=name,
        const_value=ir.Tensor(np.ascontiguousarray(array) if array.ndim else array, name=name),
        type=tensor_type(array.dtype),
        shape=ir.Shape(array.shape),
    )


def constant_name(array: np.ndarray) -> str:
    """`2.0`, `int64.-1`, `int32[3]`: readable in a viewer."""
    if array.ndim == 0:
        return f"{array.dtype.name}.{array.item()}"
    if array.size <= 4 and array.ndim == 1:
        return f"{array.dtype.name}[{','.join(str(v) for v in array.tolist())}]"
    return f"{array.dtype.name}[{'x'.join(map(str, array.shape))}]"


__all__ = ["constant_name", "initializer", "tensor_type"]
