"""A model as a file, straight from its arrays: nothing of them is copied in memory.

With a data file, the model says for each large array where in it the bytes are.  Without, the bytes are put where
protobuf would have put them: a message's fields may stand in any order, so the arrays come last.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np
import onnx_ir as ir

if TYPE_CHECKING:
    import onnx

Array: TypeAlias = np.ndarray[Any, Any]

SMALL = 1024
"""Arrays of fewer bytes stay in the model."""
LARGEST = 2**31 - 1
"""Bytes of a protobuf message."""
PAGE = 4096
"""Where large arrays start, so that they can be mapped into memory."""

# Fields of onnx.proto, each with the wire type for bytes.
_MODEL_GRAPH, _GRAPH_INITIALIZER, _TENSOR_RAW_DATA = (bytes([number << 3 | 2]) for number in (7, 5, 9))


def large_arrays(model: ir.Model) -> dict[str, Array]:
    """The arrays of a model that are not small, by name."""
    values = model.graph.initializers.values()
    found = {value.name: value.const_value for value in values}
    return {str(name): t.numpy() for name, t in found.items() if t is not None and t.nbytes >= SMALL}


def save(model: ir.Model, path: Path, data: Path | None = None) -> onnx.ModelProto:
    """Write a model.

    Parameters
    ----------
    model : onnx_ir.Model
    path : pathlib.Path
        The model file.
    data : pathlib.Path, optional
        The file for large arrays, in the same folder.

    Returns
    -------
    onnx.ModelProto
        The model without its arrays.

    Raises
    ------
    OSError
        Where a file cannot be written, or would be larger than protobuf allows.
    """
    arrays = large_arrays(model)
    offsets = _offsets(arrays)
    with _elsewhere(model, offsets, "" if data is None else data.name):
        proto: onnx.ModelProto = ir.to_proto(model)
    if data is None:
        with path.open("wb") as file:
            _write_with_arrays(proto, arrays, file)
        return proto
    with data.open("wb") as file:
        for name, array in arrays.items():
            file.write(bytes(offsets[name] - file.tell()))
            _write_array(array, file)
    path.write_bytes(proto.SerializeToString(deterministic=True))
    return proto


def is_as_written(arrays: Mapping[str, Array], data: Path) -> bool:
    """Whether a data file has the arrays where its model says."""
    offsets = _offsets(arrays)
    with data.open("rb") as file:
        for name, array in arrays.items():
            file.seek(offsets[name])
            if any(file.read(len(chunk)) != chunk.tobytes() for chunk in _chunks(array)):
                return False
    return True


def _offsets(arrays: Mapping[str, Array]) -> dict[str, int]:
    offsets, end = {}, 0
    for name, array in arrays.items():
        unit = PAGE if array.nbytes >= PAGE else 16
        offsets[name] = -(-end // unit) * unit
        end = offsets[name] + array.nbytes
    return offsets


@contextmanager
def _elsewhere(model: ir.Model, offsets: Mapping[str, int], location: str) -> Iterator[None]:
    """The model with only the places of its large arrays."""
    kept = {}
    for name, offset in offsets.items():
        value = model.graph.initializers[name]
        tensor = kept[name] = value.const_value
        assert tensor is not None
        shape = ir.Shape(tensor.numpy().shape)
        value.const_value = ir.ExternalTensor(location, offset, tensor.nbytes, tensor.dtype, shape=shape, name=name)
    try:
        yield
    finally:
        for name, tensor in kept.items():
            model.graph.initializers[name].const_value = tensor


def _write_with_arrays(proto: onnx.ModelProto, arrays: Mapping[str, Array], file: IO[bytes]) -> None:
    """The message, with the bytes of the arrays in it."""
    heads, tails = [], []
    for tensor in proto.graph.initializer:
        array = arrays.get(tensor.name)
        tensor.ClearField("external_data")
        tensor.ClearField("data_location")
        head = tensor.SerializeToString(deterministic=True)
        size = 0 if array is None else array.nbytes
        raw = b"" if array is None else _TENSOR_RAW_DATA + _varint(size)
        heads.append(_GRAPH_INITIALIZER + _varint(len(head) + len(raw) + size) + head + raw)
        tails.append(array)
    del proto.graph.initializer[:]
    graph = proto.graph.SerializeToString(deterministic=True)
    rest = type(proto)()
    rest.CopyFrom(proto)
    rest.ClearField("graph")
    length = len(graph) + sum(map(len, heads)) + sum(array.nbytes for array in tails if array is not None)
    start = rest.SerializeToString(deterministic=True) + _MODEL_GRAPH + _varint(length) + graph
    if len(start) - len(graph) + length > LARGEST:
        raise OSError(errno.EFBIG, "a file of 2 GiB or more needs external data; leave external_data as it is")
    file.write(start)
    for head, array in zip(heads, tails, strict=True):
        file.write(head)
        if array is not None:
            _write_array(array, file)


def _write_array(array: Array, file: IO[bytes]) -> None:
    for chunk in _chunks(array):
        file.write(chunk.data)


def _chunks(array: Array, size: int = 2**24) -> Iterator[Array]:
    """The bytes of an array in C order, little endian, without a copy of the whole."""
    if sys.byteorder == "big" or not array.flags.c_contiguous:
        if array.ndim and array.nbytes > size and len(array) > 1:
            for row in array:
                yield from _chunks(row, size)
            return
        array = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<")))
    flat = array.reshape(-1).view(np.uint8)
    for start in range(0, len(flat), size):
        yield flat[start : start + size]


def _varint(number: int) -> bytes:
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


__all__ = ["is_as_written", "large_arrays", "save"]
