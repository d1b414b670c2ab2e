"""What functions and methods give that make, read and change bytes and arrays of the `array` module.

frame = bytearray(2)                        a bytearray, made anew each time
frame += n.to_bytes(2, "big")               bytes
crc = frame[0] ^ zlib.crc32(bytes(x))       ints, which the graph is told

The entries join those of `host_shipped`.
"""

from __future__ import annotations

import array
import base64
import binascii
import math
import struct
import types
from typing import Any

from graph_program.extract.stage.host.library import library_signatures, noted_calls
from graph_program.extract.stage.host.library.noted_calls import Given, Ruled
from graph_program.extract.stage.host.values import host_annotations
from graph_program.extract.stage.values.questions import known_value

LIKE_BYTES = (bytes, bytearray)
BUFFERS = (*LIKE_BYTES, array.array)
CODES = {**dict.fromkeys("bBhHiIlLqQnN", int), **dict.fromkeys("efd", float), "?": bool, **dict.fromkeys("sp", bytes)}
"""What `struct` reads for a letter of a format."""


def _read_by(format_: object) -> Any:
    """The note of what `struct.unpack(format, ...)` gives, of a format that is known."""
    text = format_.decode() if isinstance(format_, bytes) else format_
    if not isinstance(text, str):
        return None
    notes: list[Any] = []
    count = ""
    for letter in text.lstrip("@=<>!"):
        if letter.isdigit():
            count += letter
        elif letter in CODES:
            several = 1 if letter in "sp" else int(count or 1)
            notes, count = [*notes, *[CODES[letter]] * several], ""
        elif letter in " x":
            count = ""
        else:
            return None
    return noted_calls.tuple_of(*notes)


def _unpacked(given: Given) -> Any:
    return _read_by(getattr(given.args[0], "value", None)) if given.args else None


def note_of(obj: bytearray | array.array[Any]) -> Any:
    """The note of a buffer that is known."""
    return bytearray if isinstance(obj, bytearray) else _array_of(obj.typecode)


def _array_of(typecode: str) -> Any:
    return types.GenericAlias(array.array, (str if typecode in "uw" else CODES[typecode],))


def _array(given: Given) -> Any:
    code = given.args[0] if given.args else None
    typecode = known_value(code)
    return _array_of(typecode) if typecode in set(array.typecodes) else array.array


def of_operator(op: str, a: Any, b: Any) -> Any:
    """The note of `a op b`, where an operand is known to be bytes; None where it gives none."""
    first, second = host_annotations.class_of(a), host_annotations.class_of(b)
    if op == "+" and first in LIKE_BYTES and second in LIKE_BYTES:
        return first
    if op == "+" and first is second is array.array:
        return a
    if op == "%" and first in LIKE_BYTES:
        return first
    counted = op == "*" and (host_annotations.is_count(a) or host_annotations.is_count(b))
    return next((note for note, cls in ((a, first), (b, second)) if counted and cls in BUFFERS), None)


def are_compared(a: Any, b: Any) -> bool:
    """Whether both of what is compared are known to be bytes."""
    return host_annotations.class_of(a) in LIKE_BYTES and host_annotations.class_of(b) in LIKE_BYTES


def _methods(cls: type) -> dict[str, Any]:
    return {
        **dict.fromkeys(["strip", "lstrip", "rstrip", "lower", "upper", "replace", "join", "translate"], cls),
        **dict.fromkeys(["zfill", "ljust", "rjust", "center", "removeprefix", "removesuffix"], cls),
        **dict.fromkeys(["split", "rsplit", "splitlines"], list.__class_getitem__(cls)),
        **dict.fromkeys(["partition", "rpartition"], tuple.__class_getitem__((cls, cls, cls))),
        **dict.fromkeys(["find", "rfind", "index", "rindex", "count"], int),
        **dict.fromkeys(["startswith", "endswith", "isdigit", "isalpha", "isalnum", "isspace"], bool),
        **dict.fromkeys(["hex", "decode"], str),
    }


FUNCTIONS: dict[Any, Any] = {
    **dict.fromkeys([bytearray, bytearray.fromhex], bytearray),
    **dict.fromkeys([bytes.fromhex, int.to_bytes, struct.pack, binascii.hexlify, binascii.unhexlify], bytes),
    **dict.fromkeys([base64.b64encode, base64.b64decode, base64.b32encode, base64.b16encode], bytes),
    **dict.fromkeys([int.from_bytes, struct.calcsize, binascii.crc32, binascii.crc_hqx], int),
    **dict.fromkeys([struct.unpack, struct.unpack_from], Ruled(_unpacked)),
    struct.pack_into: types.NoneType,
    float.hex: str,
    array.array: Ruled(_array),
    pow: Ruled(lambda given: int if len(given.args) + len(given.keywords) == 3 else None),
    math.frexp: tuple[float, int],
    **dict.fromkeys([math.nextafter, math.ulp], float),
}
MEMBERS: dict[type, dict[str, Any]] = {
    bytes: _methods(bytes),
    bytearray: {
        **_methods(bytearray),
        **dict.fromkeys(["append", "extend", "insert", "remove", "clear", "reverse"], types.NoneType),
        "pop": int,
        "copy": bytearray,
    },
    array.array: {
        **dict.fromkeys(["append", "extend", "insert", "remove", "reverse", "byteswap"], types.NoneType),
        **dict.fromkeys(["frombytes", "fromlist"], types.NoneType),
        **dict.fromkeys(["index", "count", "itemsize"], int),
        "typecode": str,
        "tobytes": bytes,
        "pop": Ruled(lambda given: host_annotations.element(given.owner)),
        "tolist": Ruled(lambda given: noted_calls.of(list, host_annotations.element(given.owner))),
    },
    int: {"to_bytes": bytes},
    float: {"hex": str, "as_integer_ratio": tuple[int, int]},
}

library_signatures.add(FUNCTIONS, MEMBERS)
