"""Weights of a model from a file: `load`, `state_dict` and `save`, for safetensors and npz files.

A model is any dataclass of arrays, layers, lists and dicts of these; an array is called by the path of fields that
leads to it, as in PyTorch: `conv1.weight`, `layers.0.self_attn.in_proj_weight`.
"""

from __future__ import annotations

import dataclasses
import json
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graph_program.tensor_api.nn.common import Array
from graph_program.tensor_api.nn.layers import Layer

MOST_HEADER = 100_000_000
"""Bytes of a header; a longer one is no safetensors file."""
DTYPES = {
    "BOOL": np.dtype(np.bool_),
    **{f"I{n}": np.dtype(f"<i{n // 8}") for n in (8, 16, 32, 64)},
    **{f"U{n}": np.dtype(f"<u{n // 8}") for n in (8, 16, 32, 64)},
    **{f"F{n}": np.dtype(f"<f{n // 8}") for n in (16, 32, 64)},
    "BF16": np.dtype("<u2"),
}
"""Element types of safetensors files; bfloat16 is read and written as bits."""
BFLOAT16 = "bfloat16"
"""The name of the element type of `ml_dtypes`, which is needed for models that have it, and for no others."""
NOT_WEIGHTS = ("num_batches_tracked",)
"""What PyTorch counts in training, and inference does not need."""


class Place(NamedTuple):
    """Where an array of a model is: a field of an object, an item of a list or dict."""

    owner: Any
    key: Any

    @property
    def array(self) -> Array:
        found: Array = self.owner[self.key] if isinstance(self.owner, list | dict) else getattr(self.owner, self.key)
        return found

    def replace(self, array: Array) -> None:
        """Put another array there."""
        if isinstance(self.owner, list | dict):
            self.owner[self.key] = array
        else:
            object.__setattr__(self.owner, self.key, array)


class Mismatch(NamedTuple):
    """What `load(strict=False)` passed over."""

    missing_keys: list[str]
    unexpected_keys: list[str]


def places(model: Any, prefix: str = "") -> Iterator[tuple[str, Place]]:
    """The arrays of a model by name."""
    if isinstance(model, Layer):
        for f in dataclasses.fields(model):  # type: ignore[arg-type]
            if isinstance(getattr(model, f.name), np.ndarray):
                yield prefix + model.array_name(f.name), Place(model, f.name)
        for name, part in model.named_parts():
            if not isinstance(part, np.ndarray):
                yield from places(part, prefix + name)
        return
    for key, value in items(model):
        if isinstance(value, np.ndarray):
            yield f"{prefix}{key}", Place(model, key)
        else:
            yield from places(value, f"{prefix}{key}.")


def items(model: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a dataclass, list, tuple or dict."""
    if isinstance(model, dict):
        yield from model.items()
    elif isinstance(model, list | tuple):
        yield from enumerate(model)
    elif dataclasses.is_dataclass(model) and not isinstance(model, type):
        for f in dataclasses.fields(model):
            yield f.name, getattr(model, f.name)


def state_dict(model: Any) -> dict[str, Array]:
    """The arrays of a model by name."""
    return {name: place.array for name, place in places(model)}


def load(model: Any, source: Any, strict: bool = True, dtype: Any = None) -> Mismatch:
    """Give a model the arrays of a file, in place.

    Parameters
    ----------
    model : dataclass, list or dict
        The model.
    source : path or mapping
        A `.safetensors` or `.npz` file, or arrays by name.
    strict : bool
        Whether names that are missing in the file, or are in the file only, are errors.
    dtype : dtype, optional
        The element type of all floating arrays, `ml_dtypes.bfloat16` for one; that of the model by default.

    Returns
    -------
    Mismatch
        The names that were passed over if not `strict`.

    Raises
    ------
    ValueError
        Where names or shapes do not fit, or the file is not one of weights; the model is left as it was.
    TypeError
        Where the model's type cannot hold the file's numbers.
    """
    given = source if isinstance(source, Mapping) else read(source)
    wanted = dict(places(model))
    missing = [name for name in wanted if name not in given]
    unexpected = [name for name in given if name not in wanted and not name.endswith(NOT_WEIGHTS)]
    problems = []
    if strict:
        problems += [f"missing: {', '.join(missing)}"] if missing else []
        problems += [f"unexpected: {', '.join(unexpected)}"] if unexpected else []
    common = {name: (place, np.asarray(given[name])) for name, place in wanted.items() if name in given}
    problems += [
        f"{name} has the shape {array.shape}, the model's {place.array.shape}"
        for name, (place, array) in common.items()
        if array.shape != place.array.shape
    ]
    if problems:
        raise ValueError(f"the weights do not fit {type(model).__name__}: " + "; ".join(problems))
    converted = [(place, of_type(name, array, place.array.dtype, dtype)) for name, (place, array) in common.items()]
    for place, array in converted:
        place.replace(array)
    return Mismatch(missing, unexpected)


def of_type(name: str, array: Array, own: Any, dtype: Any) -> Array:
    """A copy of an array in the type that the model has, or that is asked for."""
    target = own if dtype is None or not is_float(own) else np.dtype(dtype)
    asked = dtype is not None and is_float(own) and is_float(array.dtype)
    if not asked and not np.can_cast(array.dtype, target) and not has_all(target, array):
        text = f"{name} is {array.dtype.name}, which does not fit in the model's {target.name}"
        raise TypeError(f"{text}; make the model with dtype=np.{array.dtype.name}, or load it with dtype=")
    return np.array(array, dtype=target)


def is_float(dtype: Any) -> bool:
    """Whether elements are floating numbers."""
    return bool(dtype.kind == "f" or dtype.name == BFLOAT16)


def has_all(dtype: Any, array: Array) -> bool:
    """Whether bfloat16 has all numbers of an array, as those that a file has in it are read as float32."""
    if dtype.name != BFLOAT16 or array.dtype != np.float32:
        return False
    return not np.any(np.ascontiguousarray(array).view(np.uint32) & np.uint32(0xFFFF))


# ---------------------------------------------------------------- files


def read(path: Any) -> Mapping[str, Array]:
    """The arrays of a file by name."""
    path = Path(path)
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    if path.suffix == ".safetensors":
        return read_safetensors(path)
    raise ValueError(
        f"{path.name}: weights are read from .safetensors and .npz files; files of torch.save contain code, "
        "and are converted with safetensors.torch.save_file"
    )


def read_safetensors(path: Any) -> dict[str, Array]:
    """The arrays of a safetensors file: a header in JSON, then their bytes; bfloat16 as float32.

    Raises
    ------
    ValueError
        For a file of another format, and element types that NumPy does not have.
    """
    path = Path(path)
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0] if len(content) >= 8 else -1
    if not 0 < size <= min(MOST_HEADER, len(content) - 8):
        raise ValueError(f"{path.name} is no safetensors file: it has no header")
    try:
        header = json.loads(content[8 : 8 + size])
    except ValueError:
        raise ValueError(f"{path.name} is no safetensors file: its header is not JSON") from None
    if not isinstance(header, dict):
        raise ValueError(f"{path.name} is no safetensors file: its header is no table")
    header.pop("__metadata__", None)
    data = memoryview(content)[8 + size :]
    return {name: tensor(f"{path.name}: {name}", entry, data) for name, entry in header.items()}


def tensor(name: str, entry: Any, data: memoryview) -> Array:
    """One array of a safetensors file."""
    try:
        dtype, shape, (start, end) = entry["dtype"], tuple(map(int, entry["shape"])), entry["data_offsets"]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{name} is not described by dtype, shape and data_offsets") from None
    if dtype not in DTYPES:
        raise ValueError(f"{name} is of element type {dtype}; known are {', '.join(DTYPES)}")
    count = int(np.prod(shape, dtype=object))
    if not 0 <= start <= end <= len(data) or end - start != count * DTYPES[dtype].itemsize or min(shape, default=0) < 0:
        raise ValueError(f"{name} lies outside of the file, or its size is not that of its shape")
    array = np.frombuffer(data[start:end], DTYPES[dtype]).reshape(shape)
    if dtype == "BF16":
        return (array.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return array.astype(array.dtype.newbyteorder("="))


def save(model: Any, path: Any) -> None:
    """Write the arrays of a model to a `.safetensors` or `.npz` file.

    Raises
    ------
    ValueError
        For another suffix.
    """
    path = Path(path)
    arrays = state_dict(model)
    if path.suffix == ".npz":
        np.savez(path, **arrays)  # type: ignore[arg-type]
    elif path.suffix == ".safetensors":
        write_safetensors(arrays, path)
    else:
        raise ValueError(f"{path.name}: weights are written to .safetensors and .npz files")


def write_safetensors(arrays: Mapping[str, Array], path: Path) -> None:
    """Write arrays by name."""
    names = {dtype: name for name, dtype in DTYPES.items() if name != "BF16"}
    header, blocks, start = {}, [], 0
    for name, array in arrays.items():
        bits, element = (array.view(np.uint16), "BF16") if array.dtype.name == BFLOAT16 else (array, "")
        little = bits.dtype.newbyteorder("<")
        if little not in names:
            raise ValueError(f"{name}: safetensors files have no element type {array.dtype.name}")
        block = np.ascontiguousarray(bits, little).tobytes()
        offsets = [start, start + len(block)]
        header[name] = {"dtype": element or names[little], "shape": list(array.shape), "data_offsets": offsets}
        blocks.append(block)
        start += len(block)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blocks))


__all__ = ["load", "read_safetensors", "save", "state_dict"]
