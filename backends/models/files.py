"""The file of a model as a message: what cannot be read, or is no model, is told before anything looks inside."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from graph_program.backends.models.refusals import FILE, refused

if TYPE_CHECKING:
    import onnx

LARGEST = 2**31 - 1
"""Bytes of a protobuf message; larger models have their weights in files of their own."""


def content(path: str) -> bytes:
    """The bytes of a model file.

    Raises
    ------
    ModelError
        GP610 where there is no such file, or it cannot be read.
    """
    try:
        if os.path.isdir(path):
            raise refused(FILE, path, "it is a folder", "name the file in it")
        if not os.path.isfile(path):
            missing = not os.path.exists(path)
            raise refused(FILE, path, "there is no such file" if missing else "it is no regular file")
        if os.path.getsize(path) > LARGEST:
            hint = "save it with its weights in a file beside it (external data)"
            raise refused(FILE, path, "it has 2 GiB or more, which no reader takes", hint)
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        if getattr(error, "code", "") == FILE:
            raise
        raise refused(FILE, path, getattr(error, "strerror", None) or str(error)) from None


def parsed(data: bytes, path: str) -> onnx.ModelProto:
    """The message that a file holds.

    Raises
    ------
    ModelError
        GP610 for what is no ONNX model.
    """
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model: onnx.ModelProto = onnx.ModelProto.FromString(data)
    except DecodeError:
        raise refused(FILE, path, "it is no ONNX model, or its end is missing") from None
    if not model.ir_version or not model.opset_import or not model.graph.output:
        raise refused(FILE, path, "it is no ONNX model")
    return model


__all__ = ["content", "parsed"]
