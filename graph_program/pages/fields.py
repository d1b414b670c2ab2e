"""Which control an input of a program gets on a page: by its element type, its sizes and its name.

| input | control |
| number, `bool` | a field, a checkbox |
| `uint8 [h, w]`, `[h, w, 3]`, `float32 [1, 3, 224, 224]`, a matrix that is called `photo` | a picture |
| `int16 [n]`, `float32 [n]` that is called `audio` | a sound |
| integers `[n]` that are called `text` | a text |
| any other array | JSON, or a .npy file |
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.pages.options import INPUTS, split

Node = Mapping[str, Any]
Json = dict[str, Any]
Size = Any

NAMES: dict[str, tuple[str, ...]] = {
    "image": (
        *("drawing", "frame", "gray", "grey", "image", "img", "mask", "photo", "photograph", "picture", "pixel"),
        *("scan", "screenshot"),
    ),
    "audio": ("audio", "clip", "pcm", "recording", "signal", "sound", "speech", "voice", "wave", "waveform"),
    "text": ("line", "message", "sentence", "string", "text", "word"),
}
"""Words of a name that tell what an array is."""
RATES = frozenset(("fs", "rate", "sample_rate", "samplerate", "sampling_rate", "sr"))
"""Numbers that are the rate of a sound."""
CHANNELS = (1, 3, 4)
SMALLEST_SIDE = 8
"""Pixels of a picture that is told by its sizes alone: `[n, 3, 3]` are matrices."""
MANY = 256
"""A matrix of fixed sizes with more elements is a picture: nobody types it."""


def control(name: str, node: Node, asked: str | None, loc: Loc) -> Json:
    """The control of an input that is an array or a number, with what it needs to know.

    Raises
    ------
    ExportError
        GP550 where an input cannot be shown as it is asked for.
    """
    dtype, shape = str(node["dtype"]), node["shape"]
    if asked is None:
        return _guessed(name, dtype, shape)
    view, option = split(name, asked, INPUTS, loc)
    if view == "image" and (layout := picture_layout(shape, dtype)) is not None:
        return {"control": "image", "options": {**layout, "top": float(option or _top(dtype))}}
    if view == "audio" and _is_row(shape) and (dtype == "int16" or _is_float(dtype)):
        return {"control": "audio", "options": {"rate": int(option)} if option else {}}
    if view == "text" and len(shape) == 1 and _is_integer(dtype):
        return {"control": "text", "options": {}}
    if view == "values" and shape:
        return {"control": "values", "options": {}}
    wanted = {
        "image": "an array of two or three axes, or of four with a first size of 1",
        "audio": "one axis of floats or int16",
        "text": "one axis of integers",
        "values": "an array",
    }[view]
    said = f"{name} cannot be shown as {view!r}: it is {node['text']}, not {wanted}"
    raise ExportError(Diagnostic("GP550", said, loc))


def _guessed(name: str, dtype: str, shape: Sequence[Size]) -> Json:
    if not shape:
        return {"control": "truth" if dtype == "bool" else "number", "options": {}}
    if _is_picture(name, dtype, shape):
        layout = picture_layout(shape, dtype)
        return {"control": "image", "options": {**(layout or {}), "top": _top(dtype)}}
    if _is_row(shape) and ((dtype == "int16" and len(shape) == 1) or (_is_float(dtype) and named(name, "audio"))):
        return {"control": "audio", "options": {}}
    if len(shape) == 1 and _is_integer(dtype) and named(name, "text"):
        return {"control": "text", "options": {}}
    return {"control": "values", "options": {}}


def named(name: str, kind: str) -> bool:
    """Whether a word of a name tells what it is: `settings.left_photo`, `photos`."""
    words = re.split(r"[^a-z]+", name.rpartition(".")[2].lower())
    return any(word in NAMES[kind] or word.removesuffix("s") in NAMES[kind] for word in words)


def is_rate(name: str) -> bool:
    """Whether a number is the rate of a sound, by its name."""
    return name.rpartition(".")[2].lower() in RATES


def picture_layout(shape: Sequence[Size], dtype: str) -> Json | None:
    """Where the channels of a picture are, and how many; None for an array that cannot be one."""
    batch = len(shape) == 4
    if batch and isinstance(shape[0], int) and shape[0] != 1:
        return None
    sizes = [*shape[1:]] if batch else [*shape]
    if len(sizes) == 2:
        return {"layout": "hw", "channels": 1, "batch": batch}
    if len(sizes) != 3:
        return None
    if _is_count(sizes[2]):
        return {"layout": "hwc", "channels": sizes[2], "batch": batch}
    if _is_count(sizes[0]):
        return {"layout": "chw", "channels": sizes[0], "batch": batch}
    if any(isinstance(size, int) for size in (sizes[0], sizes[2])):
        return None  # a number of channels that no picture has
    return {"layout": "hwc", "channels": 3, "batch": batch}


def _is_count(size: Size) -> bool:
    return isinstance(size, int) and size in CHANNELS


def _is_picture(name: str, dtype: str, shape: Sequence[Size]) -> bool:
    layout = picture_layout(shape, dtype)
    if layout is None:
        return False
    if named(name, "image"):
        return True
    sizes = shape[1:] if layout["batch"] else shape
    sides = sizes[1:] if layout["layout"] == "chw" else sizes[:2]
    if any(isinstance(side, int) and side < SMALLEST_SIDE for side in sides):
        return False
    if layout["layout"] == "hw":
        fixed = [size for size in sides if isinstance(size, int)]
        return dtype == "uint8" or (len(fixed) == 2 and fixed[0] * fixed[1] > MANY and dtype != "bool")
    has_channels = any(map(_is_count, (sizes[0], sizes[2])))
    return dtype == "uint8" or (has_channels and _is_float(dtype))


def _is_row(shape: Sequence[Size]) -> bool:
    """Whether an array has one axis, or others of size 1 beside it."""
    return len(shape) == 1 or (len(shape) == 2 and list(shape).count(1) == 1)


def _is_float(dtype: str) -> bool:
    return dtype in ("float16", "float32", "float64")


def _is_integer(dtype: str) -> bool:
    return dtype.startswith(("int", "uint"))


def _top(dtype: str) -> int:
    """The level of white."""
    return 1 if _is_float(dtype) or dtype == "bool" else 255


__all__ = ["NAMES", "control", "is_rate", "named", "picture_layout"]
