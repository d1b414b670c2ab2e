"""What the messages of a written model say of themselves: their metadata, and which line a node comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx

SOURCE = "source"


def metadata_of(message: onnx.ModelProto | onnx.NodeProto) -> dict[str, str]:
    """The entries of a message's metadata."""
    return {entry.key: entry.value for entry in message.metadata_props}


def source_of(node: onnx.NodeProto) -> str:
    """The line that a node comes from, as `track.py:12:5`; in old file formats that is its doc string."""
    return str(metadata_of(node).get(SOURCE) or node.doc_string)


__all__ = ["SOURCE", "metadata_of", "source_of"]
