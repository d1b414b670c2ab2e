"""The large arrays of a model, apart from it: what is left is small, and can be checked, typed and converted quickly.

External data is read from the folder of the model and nowhere else, as ONNX demands.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.models.refusals import BROKEN, DATA, refused
from graph_program.backends.models.walks import graphs_of, nodes_of

if TYPE_CHECKING:
    import onnx

    Array = np.ndarray[Any, Any]

LARGE = 1024
"""Bytes of arrays that are kept apart."""
DIGITS = 19
"""Of the largest number of bytes."""
KINDS = "biuf"
"""Kinds of element types, of NumPy's own, whose arrays have the bytes that ONNX has."""


def data_files(model: onnx.ModelProto, path: str) -> list[str]:
    """The files that hold arrays of a model, each in the model's folder (GP612 where one is not)."""
    tensors = filter(_is_external, inner_tensors(model))
    return sorted({_own_file(_entries(tensor).get("location", ""), tensor.name, path) for tensor in tensors})


def has_small_files(model: onnx.ModelProto) -> bool:
    """Whether arrays that are not kept apart are in other files: shapes and the like, among others."""
    large = [tensor for tensor in model.graph.initializer if is_large(tensor)]
    return sum(map(_is_external, inner_tensors(model))) > sum(map(_is_external, large))


def taken_apart(model: onnx.ModelProto, path: str) -> dict[str, Array]:
    """Take the large initializers out of a model: they become inputs, in place.

    Returns
    -------
    dict of str to ndarray
        The arrays, read only; those of files are mapped into memory, where they are aligned in their file.

    Raises
    ------
    ModelError
        GP611 for arrays that have not the bytes that their shapes ask for, GP612 for files that cannot be taken.
    """
    import onnx

    graph, found = model.graph, dict[str, "Array"]()
    if any(inner.sparse_initializer for inner in graphs_of(model)):
        raise refused(BROKEN, path, "it has sparse arrays, which few runtimes read", "save it with dense ones")
    kept = []
    given = {value.name for value in graph.input}
    for tensor in graph.initializer:
        _require_own_bytes(tensor, path)
        array = _array(tensor, path) if is_large(tensor) else None
        if array is None:
            kept.append(tensor)
            continue
        found[tensor.name] = array
        if tensor.name not in given:
            graph.input.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))
    if found:
        del graph.initializer[:]
        graph.initializer.extend(kept)
    for tensor in inner_tensors(model):
        _require_own_bytes(tensor, path)
        _embed(tensor, path)
    return found


def outside(message: onnx.ModelProto, weights: Mapping[str, Array]) -> bytes:
    """A model whose weights are initializers again, of which a session is given the elements."""
    import onnx

    made = onnx.ModelProto()
    made.CopyFrom(message)
    made.ir_version = max(made.ir_version, 4)  # before, initializers were inputs, too
    kept = [value for value in made.graph.input if value.name not in weights]
    del made.graph.input[:]
    made.graph.input.extend(kept)
    for name, array in weights.items():
        type_ = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        tensor = made.graph.initializer.add(name=name, data_type=type_, dims=array.shape)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in {"location": "given", "offset": "0", "length": str(array.nbytes)}.items():
            tensor.external_data.add(key=key, value=value)
    data: bytes = made.SerializeToString()
    return data


def is_large(tensor: onnx.TensorProto) -> bool:
    """Whether an array is kept apart; by its shape, as some are not there yet."""
    dtype = _plain(tensor)
    return dtype is not None and _count(tensor) * dtype.itemsize >= LARGE


def inner_tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """The arrays that a model holds: initializers, and attributes of nodes, of functions and inner graphs, too."""
    for graph in graphs_of(model):
        yield from graph.initializer
    for node in nodes_of(model):
        for attribute in node.attribute:
            yield from [attribute.t] if attribute.HasField("t") else []
            yield from attribute.tensors


def _is_external(tensor: onnx.TensorProto) -> bool:
    """Whether the numbers of an array are in a file of its own."""
    import onnx

    return bool(tensor.data_location == onnx.TensorProto.EXTERNAL)


def _plain(tensor: onnx.TensorProto) -> np.dtype[Any] | None:
    """The element type, where NumPy has it with the same bytes."""
    import onnx

    try:
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type))
    except (KeyError, ValueError, TypeError):
        return None
    return dtype if dtype.kind in KINDS and dtype.isbuiltin == 1 else None


def _count(tensor: onnx.TensorProto) -> int:
    count = 1
    for size in tensor.dims:
        count *= size
    return count


def _require_own_bytes(tensor: onnx.TensorProto, path: str) -> None:
    """Refuse shapes that ask for other numbers of bytes than there are."""
    import onnx

    count, dtype = _count(tensor), _plain(tensor)
    if any(size < 0 for size in tensor.dims):
        raise refused(BROKEN, path, f"the array {tensor.name!r} has a negative size")
    if _is_external(tensor) or dtype is None:
        return
    if tensor.HasField("raw_data"):
        there, wanted = len(tensor.raw_data), count * dtype.itemsize
    else:
        field = onnx.helper.tensor_dtype_to_field(tensor.data_type)
        there, wanted = len(getattr(tensor, field)), count
    if there != wanted:
        unit = "bytes" if tensor.HasField("raw_data") else "numbers"
        shape = "x".join(map(str, tensor.dims))
        raise refused(BROKEN, path, f"the array {tensor.name!r} of shape {shape} has {there} {unit}, not {wanted}")


def _array(tensor: onnx.TensorProto, path: str) -> Array:
    """The content of an initializer."""
    import onnx

    if _is_external(tensor):
        return _mapped(tensor, path)
    array: Array = onnx.numpy_helper.to_array(tensor)
    array.flags.writeable = False
    return array


def _embed(tensor: onnx.TensorProto, path: str) -> None:
    """Put bytes of a file into an array of an inner graph, in place."""
    if _is_external(tensor):
        tensor.raw_data = _bytes(tensor, path).tobytes()
        del tensor.external_data[:]
        tensor.ClearField("data_location")


def _mapped(tensor: onnx.TensorProto, path: str) -> Array:
    dtype = _plain(tensor)
    assert dtype is not None
    there, wanted = _bytes(tensor, path), _count(tensor) * dtype.itemsize
    if len(there) != wanted:
        raise refused(DATA, path, f"its file has {len(there)} bytes for {tensor.name!r}, not {wanted}")
    found: Array = there.view(dtype).reshape(tuple(tensor.dims))
    if not found.flags.aligned:  # runtimes read whole numbers
        found = np.array(found)
        found.flags.writeable = False
    return found


def _bytes(tensor: onnx.TensorProto, path: str) -> Array:
    """The bytes that a file has for an array."""
    entries = _entries(tensor)
    file = _own_file(entries.get("location", ""), tensor.name, path)
    offset, length = (_number(entries, key, tensor.name, path) for key in ("offset", "length"))
    try:
        size = os.path.getsize(file)
    except OSError as error:
        raise refused(DATA, path, f"the file of {tensor.name!r}: {error.strerror}") from None
    offset = offset or 0
    end = size if length is None else offset + length
    if end > size:
        raise refused(DATA, path, f"the file of {tensor.name!r} ends before byte {end}")
    if end <= offset:
        return np.zeros(0, np.uint8)
    return np.memmap(file, np.uint8, "r", offset, (end - offset,))


def _number(entries: Mapping[str, str], key: str, name: str, path: str) -> int | None:
    """A number of bytes; None where it is not said."""
    text = entries.get(key, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS):
        shown = repr(text if len(text) <= 2 * DIGITS else f"{text[:DIGITS]}...")
        raise refused(DATA, path, f"the array {name!r} has the {key} {shown} in its file, which is no number of bytes")
    return int(text)


def _entries(tensor: onnx.TensorProto) -> dict[str, str]:
    return {entry.key: entry.value for entry in tensor.external_data}


def _own_file(location: str, name: str, path: str) -> str:
    """A file in the folder of the model, or below it.

    Raises
    ------
    ModelError
        GP612 for a path that leads elsewhere, also by links, and where there is no file.
    """
    home = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    parts = location.replace("\\", "/").split("/")
    outside = not location or "\0" in location or os.path.isabs(location) or ".." in parts or ":" in parts[0]
    target = home if outside else os.path.realpath(os.path.join(home, location))
    if outside or os.path.commonpath([home, target]) != home or target == home:
        hint = "external data stands in the folder of the model: copy it there, and save the model anew"
        raise refused(DATA, path, f"the array {name!r} is in {location!r}, which is not in its folder", hint)
    if not os.path.isfile(target):
        raise refused(DATA, path, f"there is no file {location!r} with the array {name!r}")
    return target


__all__ = ["data_files", "has_small_files", "outside", "taken_apart"]
