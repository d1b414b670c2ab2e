"""Integers in fewer operators: quotients and remainders of powers of two are bits, steps that may be taken products."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Int8, Int32, Int64, Tensor, UInt8, graph_program, load
from tests.ops.test_onnx_masks import operators
from tests.programs.plain import check

Ints = Int64[Tensor, "n"]
ENDS = [-(2**63), 2**63 - 1, 0, 1, -1, -7, 12345]
POWERS = ("x % 8", "x // 4", "x >> 3", "x % 1", "x // 1", "x % (1 << 62)", "x // (1 << 62)", "x % np.array([2, 16, 1])")


def of_numbers(k: int) -> Any:
    return k % 8, k // 4, k >> 3, k // 2**62, k % 2**62, divmod(k, 2), k // -4, k % -4, k // 3


def of_small(x: Int8[Tensor, "n"], y: UInt8[Tensor, "n"], z: Int32[Tensor, "n"]) -> Any:
    return x % 8, x // 4, x >> 3, x % 64, x // 64, y % 8, y // 4, y >> 3, y % 128, z % 8, z // 4, z >> 3, z // 2**30


def of_rows(x: Int64[Tensor, "n 3"]) -> Any:
    return x % np.array([2, 16, 1]), x // np.array([2, 16, 1]), x % np.array([2, 3, 4]), x // np.array([2, -2, 4])


def small(dtype: Any) -> Any:
    ends = np.iinfo(dtype)
    rng = np.random.default_rng(0)
    return np.concatenate([[ends.min, ends.max, 0, 1], rng.integers(ends.min, ends.max, 20)]).astype(dtype)


def test_powers_of_two() -> None:
    check(of_numbers, *((k,) for k in ENDS))
    check(of_small, (small(np.int8), small(np.uint8), small(np.int32)))
    check(of_rows, (np.array([*ENDS, 5, 6]).reshape(3, 3),), (np.zeros((0, 3), np.int64),))


@pytest.mark.parametrize("opset", [17, 18])
def test_powers_of_two_in_files(opset: int, tmp_path: Path) -> None:
    cases = ((of_numbers, (-7,)), (of_small, (small(np.int8), small(np.uint8), small(np.int32))))
    for function, args in cases:
        graph_program(function).export(path := tmp_path / "f.onnx", opset=opset)
        for found, expected in zip(load(path)(*args), function(*args), strict=True):
            np.testing.assert_array_equal(found, expected, strict=True)


def parity(x: Ints) -> Any:
    return x % 2, x // 2


def test_they_are_bits() -> None:
    assert not {"Mod", "Less"} & set(operators(parity))


def mixed(x: Ints, k: int) -> Any:
    """Each kind of step, and what is none: another number, and a sum that is read elsewhere."""
    added = taken = turned = put = other = read = 0
    twice = np.int64(1)
    for v in x.tolist():
        if v > added:
            added += 1
        if v < k:
            taken -= k
        if v % 3 == 1:
            turned ^= v
        if taken < -9:
            put |= 4
        following = read + 5
        if following > v:
            read = following
        if v > 5:
            other = k - other
        if v > twice:
            twice = twice + twice
        k = k // 2 + following % 7
    return added, taken, turned, put, other, read, twice


def chosen(x: Ints, least: int) -> Any:
    """Between constants."""
    total = before = 0
    for v in x.tolist():
        weight = -(2**62) if v > before else 2**62
        sign = 1 if v > least else 0
        back = -1 if v > 2 * least else 0
        before = weight // 2**60 + sign - back
        total = (total + v) % 1000 - before
    return total, before


@pytest.mark.parametrize("program", [mixed, chosen])
def test_steps(program: Any) -> None:
    rng = np.random.default_rng(1)
    check(program, *((rng.integers(-20, 20, n), int(k)) for n in (0, 1, 2, 30) for k in (-3, 0, 4)))


def test_steps_are_products() -> None:
    """What is left chooses, but for two, which error it is."""

    def choices(graph: Any) -> list[str]:
        inner = [a.g for node in graph.node for a in node.attribute if a.HasField("g")]
        own = [node.output[0] for node in graph.node if node.op_type == "Where"]
        return [name for name in own if not name.startswith("error")] + [name for g in inner for name in choices(g)]

    assert [name.split(".")[0] for name in choices(graph_program(mixed).model().graph)] == ["read", "twice"]
    assert not choices(graph_program(chosen).model().graph)
