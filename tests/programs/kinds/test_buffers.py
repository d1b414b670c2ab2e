"""Bytes and buffers that a program makes and changes: on the host, made anew each time."""

from __future__ import annotations

import array
import dataclasses
import itertools
import math
import random
import struct
import zlib
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check, outcome

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
X = np.array([1.0, 2.0, 3.0])
cases = Cases()


@cases((X,), (X[:2],))
def appended(x):
    out = bytearray()
    for v in x:
        out.append(int(v))
    out += b"!"
    return out, len(out), out[-1] * x


@cases((X,), (X + 256,))
def packed(x):
    data = bytearray(2)
    struct.pack_into("<H", data, 0, int(x[2]))
    low, high = struct.unpack("<BB", data)
    return low + high * x[0], data


@cases((X,), (X + 1e3,))
def set_by_index(x):
    data = bytearray(3)
    try:
        for i in range(len(x)):
            data[i] = int(x[i])
        data[1:2] = b"ab"
    except ValueError as error:
        return str(error)
    return bytes(data), data.hex(), data[::2], bytes(reversed(data))


@cases((X,))
def new_in_each_round(x):
    made = []
    for v in x:
        data = bytearray(b"ab")
        data.append(int(v))
        made.append(data)
    return made


@cases((X,), (-X,))
def on_some_paths(x):
    data = bytearray(b"abc")
    same = data
    if x[0] > 0:
        same.append(1)
    else:
        data = data + b"d"
    return data, same, data is same, bool(data), data == b"abc", sum(data) * x


@dataclasses.dataclass
class Frame:
    data: bytearray = dataclasses.field(default_factory=bytearray)

    def put(self, v: Any) -> None:
        self.data += int(v).to_bytes(2, "big")


@cases((X,))
def in_objects(x):
    frame, other = Frame(), Frame()
    for v in x:
        frame.put(v)
    return frame.data, other.data


@cases((X,), (np.array([1.0, np.nan, 3.0]),))
def typed_arrays(x):
    values = array.array("d", x)
    values[0] = 9
    values.append(float(x[1]))
    return (
        values.tolist(),
        values.typecode,
        values[0] * x,
        [v * 2 for v in values],
        values[1:] + values,
        values.pop() + x,
    )


@cases((X,))
def other_objects_made_anew(x):
    first, second = itertools.tee([1, 2, 3])
    numbers = itertools.cycle([1, 2, 3])
    return next(first) + next(second) + next(first), next(numbers) * x + next(numbers), random.Random(0).random()


@cases((X,), (X + 300,))
def of_numbers(x):
    try:
        return (
            bytes([1, len(x), int(x[0])]),
            bytes(int(v) for v in x),
            bytes(x),
            bytes(len(x)),
            b"ab" + bytes([int(x[0])]),
        )
    except ValueError as error:
        return str(error)


@cases((X,))
def hexdump(x):
    data, lines = bytes(x.astype(np.uint8)), []
    for k in range(0, len(data), 2):
        part = data[k : k + 2]
        shown = "".join(chr(b) if 32 <= b < 127 else "." for b in part)
        lines.append(f"{k:04x}  " + " ".join(f"{b:02x}" for b in part) + "  " + shown)
    return "\n".join(lines), zlib.crc32(data) % 7 * x, data[0] + x, data == b"\x01\x02\x03"


@cases((X,), (X * 40,))
def varint(x):
    n, out = int(x[2]), b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


@cases((X, 3), (X * 1e5, 70000))
def written_out(x, n):
    try:
        return int(x[1]).to_bytes(2, "big"), n.to_bytes(length=2, byteorder="little"), int.to_bytes(n, 2, "big")
    except OverflowError as error:
        return str(error)


@cases((X,), (-X,))
def functions_of_numbers(x):
    try:
        big = math.factorial(int(x[2]) + 22)
        return big, math.fsum(x) * x, math.comb(int(x[2]), 2) * x, pow(int(x[1]), 3, 5), math.frexp(x[0])
    except ValueError as error:
        return str(error), math.fsum(v * v for v in x), pow(int(x[1]), 2, 5), x[0].hex(), hash(float(x[1]))


@cases((np.array([1, 3, 0]),), (np.array([1, 3], np.int32),))
def histogram(counts):
    return (
        "\n".join(f"{n} " + "#" * n for n in counts),
        counts.sum() * "-",
        b"a" * counts[1],
        f"{counts[0]}" * counts[1],
    )


@cases.each
def test_buffers(fn: Any, inputs: tuple[Any, ...]) -> None:
    program = check(fn, *inputs)
    for args in inputs:
        assert repr(outcome(program, args)) == repr(outcome(fn, args))


CAPTURED: dict[str, Any] = {}


def first_of_captured(x):
    CAPTURED["data"].append(int(x[0]))
    CAPTURED["data"][0] += 1
    return CAPTURED["data"][0] * x, len(CAPTURED["data"])


@pytest.mark.parametrize("made", [lambda: bytearray(b"a"), lambda: array.array("h", [5])])
def test_captured_buffers_are_read_as_they_are(made: Any) -> None:
    def results(function: Any) -> list[Any]:
        CAPTURED["data"], found = made(), []
        for _ in range(3):
            found.append(repr(function(X)))
            CAPTURED["data"][0] += 5
        return [*found, CAPTURED["data"]]

    assert results(first_of_captured) == results(graph_program(first_of_captured))


@pytest.mark.parametrize("made", [zip, enumerate, reversed, lambda *x: map(abs, x[0])])
def test_a_second_step_of_an_iterator_that_gives_its_elements_once(made: Any) -> None:
    def program(x):
        steps = made(x)
        next(steps)
        return next(steps), x

    with pytest.raises(GraphProgramError, match="GP339"):
        graph_program(program)(X)
