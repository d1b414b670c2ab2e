"""A truth that holds in every run, and that no runtime knows before one.

z = ReduceSum(x[:1, :1]);  runs = (z < 0) | ~(z < 0)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx_ir as ir

COMPARED = frozenset([ir.DataType.DOUBLE, ir.DataType.FLOAT, ir.DataType.INT32, ir.DataType.INT64])
"""Element types that every runtime compares; others are cast."""


def truth_of_a_run(graph: ir.Graph, unique: Callable[[str], str]) -> ir.Value | None:
    """A truth that hangs on an element of an argument, at the beginning of a model's graph.

    Parameters
    ----------
    graph : onnx_ir.Graph
        Changed in place.
    unique : callable
        Makes a name unique.

    Returns
    -------
    onnx_ir.Value or None
        None where no argument has elements that can be compared.
    """
    found = min(filter(_can_be_asked, graph.inputs), key=_trouble, default=None)
    if found is None:
        return None
    nodes: list[ir.Node] = []

    def made(operator: str, *inputs: ir.Value, dtype: ir.DataType, rank: int = 0, **attributes: int) -> ir.Value:
        shape = ir.Shape([None] * rank)
        value = ir.Value(name=unique(f"runs.{operator.lower()}"), type=ir.TensorType(dtype), shape=shape)
        given = [ir.AttrInt64(name, number) for name, number in attributes.items()]
        nodes.append(ir.Node("", operator, inputs, given, outputs=[value], name=f"{operator}_{value.name}"))
        return value

    def constant(array: np.ndarray) -> ir.Value:
        value = ir.Value(name=unique("runs.constant"))
        value.const_value = ir.tensor(array, name=value.name)
        value.type, value.shape = ir.TensorType(value.const_value.dtype), ir.Shape(array.shape)
        graph.register_initializer(value)
        return value

    number, rank, dtype = found, _rank(found), found.dtype
    assert dtype is not None
    if rank:
        places = constant(np.zeros(rank, np.int64)), constant(np.ones(rank, np.int64))
        number = made("Slice", number, *places, dtype=dtype, rank=rank)
    if dtype not in COMPARED:
        dtype = ir.DataType.FLOAT
        number = made("Cast", number, dtype=dtype, rank=rank, to=dtype.value)
    if rank:
        number = made("ReduceSum", number, dtype=dtype, keepdims=0)
    below = made("Less", number, constant(np.zeros((), dtype.numpy())), dtype=ir.DataType.BOOL)
    runs = made("Or", below, made("Not", below, dtype=ir.DataType.BOOL), dtype=ir.DataType.BOOL)
    graph.insert_before(graph[0], nodes)
    return runs


def _rank(value: ir.Value) -> int:
    assert value.shape is not None
    return len(value.shape)


def _can_be_asked(value: ir.Value) -> bool:
    return value.shape is not None and value.dtype is not None and value.dtype != ir.DataType.STRING


def _trouble(value: ir.Value) -> tuple[bool, bool]:
    """How many nodes it takes to ask an argument."""
    return _rank(value) > 0, value.dtype not in COMPARED


__all__ = ["truth_of_a_run"]
