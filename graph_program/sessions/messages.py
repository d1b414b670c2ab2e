"""What processes send each other through pipes: an object, and the bytes of its arrays behind it.

    count of buffers, their lengths, length of the object    8 bytes each
    object                                                   pickled, without the memory of its arrays
    buffers                                                  the memory of its arrays, as it is

Both ends are this package, of one and the same user.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Iterable
from typing import Any, BinaryIO

NUMBER = struct.Struct("<q")


def packed(message: Any) -> list[bytes]:
    """A message as bytes, which do not change when its arrays do."""
    buffers: list[bytes] = []
    text = pickle.dumps(message, protocol=5, buffer_callback=lambda one: buffers.append(one.raw().tobytes()))
    lengths = [len(buffers), *map(len, buffers), len(text)]
    return [b"".join(map(NUMBER.pack, lengths)), text, *buffers]


def unpacked(parts: Iterable[bytes]) -> Any:
    """The message that was packed."""
    return receive(io.BytesIO(b"".join(parts)))


def send(stream: BinaryIO, parts: Iterable[bytes]) -> None:
    """Write a packed message; the stream is flushed by whoever has no more."""
    for part in parts:
        stream.write(part)


def receive(stream: BinaryIO) -> Any:
    """The next message; its arrays can be written.

    Raises
    ------
    EOFError
        Where the other end is closed.
    """
    count = NUMBER.unpack(_read(stream, NUMBER.size))[0]
    lengths = [NUMBER.unpack(_read(stream, NUMBER.size))[0] for _ in range(count + 1)]
    text = _read(stream, lengths[-1])
    return pickle.loads(text, buffers=[_read(stream, length) for length in lengths[:-1]])


def _read(stream: BinaryIO, length: int) -> bytearray:
    found = bytearray(length)
    rest = memoryview(found)
    while rest:
        read = stream.readinto(rest)  # type: ignore[attr-defined]
        if not read:
            raise EOFError
        rest = rest[read:]
    return found


__all__ = ["packed", "receive", "send", "unpacked"]
