"""What an operation gives lies in the range that its rule says, whatever its operands are in theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from graph_program import Int64, Tensor, UInt8
from graph_program.backends.reference.interpreter import run
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.ranges import ranges
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT
from tests.programs.plain import Cases, check
from tests.transform.test_passes import Builder

LIMITS = np.iinfo(np.int64)
ENDS = [0, 1, -1, 2, 3, 7, 8, 62, 63, 64, 255, -256, 2**20, 2**31, -(2**31), 2**40, 2**62, LIMITS.max, LIMITS.min]
BINARY = ["add", "subtract", "multiply", "floor_divide", "remainder", "bitwise_and", "bitwise_or", "bitwise_xor"]
BINARY += ["left_shift", "right_shift", "maximum", "minimum"]


def found_range(op: str, *given: tuple[int, int], dtype: Any = np.int64) -> tuple[int, int] | None:
    """The range of an operation on integers of known ranges."""
    kind = replace(PY_INT, dtype=np.dtype(dtype))
    known, values = Ranges(), [Value(f"x{k}", kind) for k in range(len(given))]
    for value, (low, high) in zip(values, given, strict=True):
        known.keep(value, (dim(low), dim(high)))
    output = Value("y", kind)
    known.note(Node(op, values, [output], {}))
    found = known.of(output)
    assert found is None or (found[0].constant is not None and found[1].constant is not None)
    return None if found is None else (int(found[0].constant), int(found[1].constant))  # type: ignore[arg-type]


def samples(random: np.random.Generator, low: int, high: int) -> list[int]:
    near = [low, high, low + 1, high - 1, 0, 1, -1, (low + high) // 2, int(random.integers(low, high, endpoint=True))]
    return [number for number in near if low <= number <= high]


def pairs(seed: int) -> list[tuple[int, int]]:
    """Ranges between some ends."""
    random = np.random.default_rng(seed)
    drawn = [sorted(int(ENDS[k]) for k in random.integers(0, len(ENDS), 2)) for _ in range(60)]
    return [(low, high) for low, high in drawn]


@pytest.mark.parametrize("op", BINARY)
def test_of_two(op: str) -> None:
    random, known = np.random.default_rng(1), 0
    for first in pairs(2):
        for second in pairs(3):
            found = found_range(op, first, second)
            if found is None:
                continue
            known += 1
            a, b = (np.array(samples(random, *ends), np.int64) for ends in (first, second))
            if op.endswith("shift"):
                b = b[b >= 0]
            with np.errstate(all="ignore"):
                results = getattr(np, op)(a[:, np.newaxis], b)
            assert not results.size or (found[0] <= results.min() and results.max() <= found[1]), (first, second)
    assert known > 100


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32])
@pytest.mark.parametrize("op", [*BINARY, "absolute", "negative"])
def test_of_narrow_integers(op: str, dtype: Any) -> None:
    """They wrap around where they do not fit."""
    limits, random, known = np.iinfo(dtype), np.random.default_rng(5), 0
    ends = [end for end in {*ENDS, int(limits.min), int(limits.max), 16, 100} if limits.min <= end <= limits.max]
    for _ in range(400):
        drawn = [sorted(ends[int(k)] for k in random.integers(0, len(ends), 2)) for _ in range(2)]
        given = [(low, high) for low, high in drawn[: 2 if op in BINARY else 1]]
        found = found_range(op, *given, dtype=dtype)
        if found is None:
            continue
        a, *b = (np.array(samples(random, *pair), dtype) for pair in given)
        others = [other[(other >= 0) & (other < limits.bits)] if op.endswith("shift") else other for other in b]
        with np.errstate(all="ignore"):
            results = getattr(np, op)(a[:, np.newaxis], *others)
        known += found != (limits.min, limits.max)
        assert not results.size or (found[0] <= results.min() and results.max() <= found[1]), given
    assert known > 3


@pytest.mark.parametrize("op", ["absolute", "negative"])
def test_of_one(op: str) -> None:
    random = np.random.default_rng(1)
    for given in pairs(4):
        found = found_range(op, given)
        results = getattr(np, op)(np.array(samples(random, *given), np.int64))
        assert found is None or (found[0] <= results.min() and results.max() <= found[1]), given


@pytest.mark.parametrize(
    ("op", "given", "expected"),
    [
        ("bitwise_or", ((3, 5), (0, 8)), (3, 15)),
        ("bitwise_or", ((-1, 5), (0, 8)), None),
        ("left_shift", ((0, 255), (8, 8)), (0, 65280)),
        ("left_shift", ((-3, 1), (0, 2)), (-12, 4)),
        ("left_shift", ((0, 255), (0, 56)), None),
        ("left_shift", ((0, 0), (0, 64)), None),
        ("right_shift", ((-9, 255), (1, 2)), (-5, 127)),
        ("right_shift", ((-9, 255), (0, 70)), (-9, 255)),
        ("right_shift", ((0, 255), (-1, 2)), None),
        ("multiply", ((-3, 2), (-5, 7)), (-21, 15)),
        ("multiply", ((0, 2**32), (0, 2**31)), None),
        ("floor_divide", ((-7, 9), (2, 4)), (-4, 4)),
        ("floor_divide", ((-7, 9), (0, 4)), None),
        ("remainder", ((0, 3), (8, 9)), (0, 3)),
        ("remainder", ((-1, 3), (8, 9)), (0, 8)),
        ("absolute", ((-7, 3),), (0, 7)),
        ("absolute", ((LIMITS.min, 3),), None),
        ("bitwise_and", ((-7, 3), (0, 4095)), (0, 4095)),
        ("bitwise_and", ((0, 2**40), (0, 4095)), (0, 4095)),
    ],
)
def test_as_narrow_as_it_is(op: str, given: Any, expected: tuple[int, int] | None) -> None:
    assert found_range(op, *given) == expected


@pytest.mark.parametrize(
    ("by", "most", "fits"), [(8, 255, True), (8, 2**55 - 1, True), (8, 2**55, False), (63, 1, False)]
)
def test_whether_a_shift_has_lost_bits(by: int, most: int, fits: bool) -> None:
    b = Builder()
    x, bits = b.input(PY_INT), b.const(by)
    kept = b.op("bitwise_and", PY_INT, x, b.const(most))
    shifted = b.op("left_shift", PY_INT, kept, bits)
    program = b.finish(b.op("not_equal", PY_BOOL, b.op("right_shift", PY_INT, shifted, bits), kept))
    expected = [run(program, [number])[0] for number in (0, most, -1)]
    ranges(program)
    assert [run(program, [number])[0] for number in (0, most, -1)] == expected
    assert ("not_equal" not in [node.op for node in program.graph.walk()]) is fits


inside = Cases()
outside = Cases()
BYTES = tuple((np.array(x, np.uint8),) for x in ([5, 6, 7, 5, 6, 7, 5, 6, 7, 200], [1], [], [255] * 600))
Bytes = UInt8[Tensor, "n"]
Numbers = Int64[Tensor, "n"]


@inside(*BYTES)
def words(data: Bytes) -> Any:
    """What was asked of a sum is known of its terms: `at + 1` and `at + 2` are inside."""
    at, total = 0, 0
    while at + 2 < len(data):
        word = int(data[at]) | int(data[at + 1]) << 8 | int(data[at + 2]) << 16
        total = total ^ (word * 2654435761 >> 12 & 4095)
        at += 3
    return total


@inside(*BYTES)
def runs(data: Bytes) -> Any:
    """What a loop within gives is told of the one around it, and a bound is what a number is compared with."""
    at, longest = 0, 0
    while at < len(data):
        length = 1
        while length < 255 and at + length < len(data) and data[at] == data[at + length]:
            length += 1
        longest = max(longest, length)
        at += length
    return longest


@outside(*BYTES)
def a_byte_too_far(data: Bytes) -> Any:
    at, total = 0, 0
    while at + 2 < len(data):
        total = total ^ int(data[at + 3])
        at += 3
    return total


@outside(*((np.array(x, np.int64),) for x in ([1, 2, 1, 1], [3, -2, 0, 1, 1], [-1, 1], [LIMITS.max, 0])))
def steps_of_any_sign(steps: Numbers) -> Any:
    """The number of a round is not what the bound is of."""
    at, rounds = 0, 0
    while at < len(steps) and rounds < 9:
        rounds += 1
        at += steps[at]
    return at, rounds


@outside(*((np.array(x, np.int64),) for x in ([2, 1, 0, 5], [-3, 1, 2], [LIMITS.max, 0], [LIMITS.max - 3, 1])))
def a_sum_that_may_wrap(x: Numbers) -> Any:
    """NumPy's numbers wrap around, so that nothing follows for `at`."""
    at = x[0]
    return x[at] if at + 3 < 6 else x[0]


@inside.each
def test_what_is_inside_is_not_checked(fn: Any, inputs: Any) -> None:
    assert "error" not in check(fn, *inputs).c_source()


@outside.each
def test_what_may_be_outside_is_checked(fn: Any, inputs: Any) -> None:
    assert "error" in check(fn, *inputs).c_source()


def bits(data: Any) -> Any:
    """A buffer of bits: what is shifted by is negative on no path that is taken, and for the first guess of ranges."""
    kept, n, found = 0, 0, 0
    for c in data:
        kept = (kept << 6) | int(c)
        n += 6
        if n >= 8:
            n -= 8
            found = found * 31 % 65521 + ((kept >> n) & 255) + (5 << n) + 100 // (1 << n) + (100 >> (n & 7))
            kept &= (1 << n) - 1
    return found


def test_shifts_by_what_counts_bits() -> None:
    check(bits, *((np.arange(n, dtype=np.uint8) * 9,) for n in (7, 2, 0, 1)))
