"""`portable=True`: the same results, without what other runtimes choke on; in OpenVINO, where it is installed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import (
    ExportError,
    Float16,
    Float32,
    Float64,
    GraphProgramError,
    Int32,
    Int64,
    Tensor,
    UInt8,
    UInt32,
    graph_program,
    host_function,
    load,
    to_device,
    to_host,
)
from tests.benchmarks.portable.judged import difference
from tests.benchmarks.portable.runtimes import RUNTIMES, is_there
from tests.programs.plain import differs

A = np.array


def positives(x: Float64[Tensor, "n"]):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    return np.array(found), [v * 2 for v in found]


def last_of(x: Float64[Tensor, "n"]):
    last, row, seen = -1.0, np.zeros(2), False
    for v in x:
        last, row, seen = float(v), np.stack([v, v]), True
    return last, row, seen


def negative_zero(x: Float64[Tensor, "n"]):
    last = -0.0
    for v in x:
        last = float(v)
    return np.copysign(1.0, last)


def until(x: Float64[Tensor, "n"], limit: float):
    total, steps = 0.0, []
    k = 0
    while k < x.shape[0] and total < limit:
        total += x[k]
        steps.append(total)
        k += 1
    return k, np.array(steps)


def solved(a: Float64[Tensor, "n n"], b: Float64[Tensor, "n"]):
    return np.linalg.solve(a, b)


def decomposed(a: Float64[Tensor, "n n"]):
    """Iterations that end where rotations are small by the bits that there are."""
    return np.linalg.svd(a, compute_uv=False), np.linalg.eigvalsh(a + a.T), np.linalg.matrix_rank(a)


def ordered(x: Float64[Tensor, "n m"]):
    return np.sort(x, axis=1), np.argsort(x, axis=1, kind="stable"), np.argsort(x, axis=0, kind="stable")


def shifted(x: UInt32[Tensor, "n"], k: int):
    return x >> np.uint32(7), x >> np.uint32(31), (k >> 2) + 1


def powers(x: Int64[Tensor, "n"], n: int, k: int):
    return x ** abs(k), n ** abs(k), x ** (np.abs(x) % 7)


def extremes(x: Float64[Tensor, "n m"]):
    return x.max(axis=1), x.min(axis=0), np.argmax(x, axis=1), np.argmin(x, axis=0), np.argmax(x[0]), x.max()


def relative(x: Float64[Tensor, "n m k"]):
    """OpenVINO's first run has read what no run had written of the largest element where a branch has found it."""
    total = np.zeros((x.shape[0], x.shape[1], 1))
    for k in range(x.shape[2]):
        column = x[:, :, k, np.newaxis]
        total = total + np.abs(column) / (np.abs(column).max(axis=1, keepdims=True, initial=0.0) + 1)
    return total


def far_apart(x: Float64[Tensor, "n"], k: int):
    return x[k :: -(2**63)], x[k :: 2**62], x[:: -(2**31)]


def joined(x: Float64[Tensor, "n"], i: Int64[Tensor, "m"]):
    """What is joined is read behind its magnitudes, which stand in other memory."""
    both, numbers = np.concatenate([x, -x]), np.concatenate([i, -i])
    return np.abs(both), both < 0, np.abs(numbers), numbers + 1


def determinant(x: Float64[Tensor, "2 2"]):
    return np.linalg.det(x), np.linalg.slogdet(x)[0]


def smoothed(x: Float64[Tensor, "n"], k: int):
    y = x.copy()
    for i in range(k // 2, len(x) - k // 2):
        y[i] = np.median(x[i - k // 2 : i + k // 2 + 1])
    return y


def resonance(x: Float64[Tensor, "n"], c: float):
    s, t = 0.0, 0.0
    for v in x:
        s, t = float(v) + c * s - t, s
    return s * s + t * t - c * s * t


def branch_on_a_result(x: Float64[Tensor, "n"], k: int):
    n = k + 1
    if n > 2:
        return n, x * float(n), True
    return n, x, False


def limited(x: Float64[Tensor, "n"], low: float, high: float):
    kept = x.copy()
    last = 0.0
    for v in x:
        last = high if v > high else low if not v >= low else float(v)
    return last, kept > high, kept >= low, high > low


def scaled(x: Float64[Tensor, "n"]):
    return x * 0.5


def called(x: Float64[Tensor, "n"]):
    return scaled(scaled(scaled(x) + 1) * scaled(x)) - scaled(x + 2)


def replaced(x: Float64[Tensor, "n"], b: Float64[Tensor, "m"], n: int):
    """What a round may replace begins with no elements, or as it is where nobody reads it."""
    b = b.copy()
    last = b
    for k in range(3):
        last = b
        if n > k:
            b = x * 2
        last += 1
    return last, b


def of_rounds_before(x: Float64[Tensor, "n"], n: int):
    total = 0
    last = None
    for _ in range(n):
        if last is not None:
            last.append(1.0)
            total += len(last)
        last = [v for v in x if v > 0]
    return total


def empty_on_one_side(x: Float64[Tensor, "n"], far: bool):
    kept = np.array([-1.0]) if far else np.zeros(0)
    for v in x:
        kept = np.concatenate([kept, np.array([v])]) if v > 0 else np.zeros(0)
    return kept, kept.shape[0]


def longer_than_chosen(x: Float64[Tensor, "n"], above: float):
    """Behind a branch, larger arrays are made of what it gives."""
    chosen = x + x if above > 0 else -x
    longer = np.concatenate([chosen, np.ones(3), chosen])
    signs = np.concatenate([x > above if above > 0 else x < above, x > 0])
    return -longer, np.cumsum(longer), ~signs


def a_part_or_another(x: Float64[Tensor, "n"], above: float):
    whole = x + 1
    part = whole[2:] if above > 0 else np.zeros(4)
    part += 5
    return part, whole


def longer_in_rounds(x: Float64[Tensor, "n m"], k: int):
    y = x
    for i in range(k):
        z = y[1:] if y.sum() > i else y * 0.5
        y = np.cos(np.concatenate([z, x, z], axis=0)) * 2
    return y


TIES = A([[1.0, 0.0, 1.0, 1.0, 0.0, 1.0], [2.0, 2.0, 1.0, 2.0, 2.0, 0.0]])
WITH_NAN = np.where(TIES == 0, np.nan, TIES)


def grown_where_they_hold(x: Float64[Tensor, "n"]):
    """What rounds add to, of which there may be none."""
    out, found = [], np.zeros(0)
    i = 0
    while i < len(x) and x[i] < 5:
        out.append(x[i] * 2)
        found = np.concatenate([found, x[i : i + 1]])
        i += 1
    if len(out) > 2:
        return float(np.array(out).sum()), found.size
    return float(found.max()) if found.size > 0 else -1.0, len(out)


def places(x: Float64[Tensor, "n"]):
    """More than 4,096 elements: the square of their number has more than 24 bits."""
    return np.argsort(x, kind="stable"), x[np.argsort(-x)[:3]]


def to_the_first_list(x: Float64[Tensor, "n"]):
    """What is before the first of several lists has no elements, and nor has the product of their sizes."""
    groups = [[v] for v in x if v > 0]
    for v in x:
        groups[0].append(v)
    return groups


def shorts(x):
    """What wraps at 16 bits, and its bits."""
    whole = x.astype(np.int64) * 9001
    u, i = whole.astype(np.uint16), whole.astype(np.int16)
    unsigned = u * u, (u ^ u * u) | np.uint16(7), u >> np.uint16(3), ~u, u << np.uint16(3)
    return (
        unsigned,
        (i * i, i ^ i * i, i & (i + i), -i | np.int16(5), i.astype(np.uint16)),
        whole.astype(np.int32) & 255,
    )


CALLS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (shorts, [(A([3.0, -5.0, 200.0, -128.0, 127.0, 255.0]),), (np.zeros(0),), (A([1.0]),)]),
    (positives, [(A([1.0, -2.0, 3.0]),), (A([-1.0]),), (np.zeros(0),), (A([2.0, 2.0, 5.0]),)]),
    (last_of, [(A([1.0, -2.0]),), (np.zeros(0),), (A([4.0]),)]),
    (negative_zero, [(A([1.0]),), (np.zeros(0),)]),
    (until, [(A([1.0, 2.0, 3.0]), 2.5), (A([1.0, 2.0, 3.0]), -1.0), (np.zeros(0), 1.0), (A([5.0]), 1.0)]),
    (solved, [(A([[2.0, 1.0], [1.0, 3.0]]), A([1.0, 2.0])), (A([[4.0]]), A([2.0]))]),
    (decomposed, [(A([[2.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.0, 4.0, 1.0]]),), (np.diag([4.0, -1.0]),)]),
    (ordered, [(TIES,), (WITH_NAN,), (np.zeros((3, 0)),), (A([[2.0, 1.0]]),)]),
    (shifted, [(A([5, 2**31 + 7, 2**32 - 1, 2**31 - 1], np.uint32), 9), (np.zeros(0, np.uint32), -9)]),
    (powers, [(A([2, -3, 0]), -7, 5), (A([1]), 0, 0), (np.zeros(0, np.int64), 2, -30)]),
    (extremes, [(TIES,), (WITH_NAN,), (-np.ones((1, 1)),)]),
    (relative, [(np.sin(np.arange(30.0)).reshape(2, 5, 3),), (np.ones((3, 2, 1)),), (np.ones((1, 0, 2)),)]),
    (far_apart, [(A([1.0, 2.0, 3.0]), 1), (A([1.0]), -2), (np.zeros(0), 0)]),
    (joined, [(A([1.0, -2.0]), A([3, -4, 0])), (np.zeros(0), A([1]))]),
    (determinant, [(A([[-0.5, -3.0], [2.0, 7.0]]),), (A([[2.0, 1.0], [1.0, -3.0]]),)]),
    (longer_than_chosen, [(A([1.0, -2.0]), 0.5), (np.ones(9), -1.0), (np.zeros(0), 1.0), (np.ones(20), 2.0)]),
    (a_part_or_another, [(np.arange(6.0), 1.0), (np.arange(9.0), 1.0), (np.ones(2), -1.0)]),
    (longer_in_rounds, [(np.ones((2, 3)), 3), (-np.ones((1, 4)), 2), (np.ones((3, 1)), 0)]),
    (smoothed, [(A([1.0, 5.0, 2.0, 8.0]), 3), (np.ones(3), 9), (np.zeros(0), 3)]),
    (resonance, [(A([1.0, 2.0, 4.0]), 0.5), (np.zeros(0), 0.5)]),
    (branch_on_a_result, [(A([1.0, 2.0]), 1), (A([1.0, 2.0]), 2), (np.zeros(0), 2)]),
    (limited, [(A([1.0, np.nan]), 0.0, 0.5), (A([1.0, 2.0]), 0.0, np.nan), (A([np.nan]), -9.0, 9.0)]),
    (called, [(A([1.0, 2.0]),), (np.zeros(0),)]),
    (replaced, [(np.ones(3), np.arange(3.0), 0), (np.ones(2), np.arange(3.0), 1), (np.ones(4), np.zeros(1), 2)]),
    (of_rounds_before, [(A([1.0, -2.0, 3.0]), 3), (A([-1.0]), 2), (np.zeros(0), 4), (np.ones(2), 0)]),
    (grown_where_they_hold, [(np.arange(4.0),), (np.zeros(0),), (A([7.0]),), (A([1.0, 9.0]),), (A([9.0]),)]),
    (places, [(np.arange(5000.0)[::-1] * 7 % 4999,), (np.zeros(0),), (A([2.0, 1.0, 2.0]),)]),
    (to_the_first_list, [(A([1.0, -2.0, 3.0]),), (A([4.0]),)]),
    (empty_on_one_side, [(A([1.0, 2.0]), True), (A([1.0, -1.0, 3.0]), False), (np.zeros(0), False)]),
]


def described(case: Any) -> str:
    return getattr(case, "__name__", "")


@pytest.mark.parametrize(("function", "calls"), CALLS, ids=described)
def test_results_are_the_same(tmp_path: Path, function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    path = tmp_path / "m.onnx"
    graph_program(function).export(path, calls[0], portable=True)
    program = load(path)
    for args in calls:
        found, expected = program(*args), function(*args)
        assert not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r} in the portable form"


@pytest.mark.skipif(not is_there("openvino"), reason="openvino is not installed: pip install graph-program[portable]")
@pytest.mark.parametrize("opset", [17, None])
@pytest.mark.parametrize(("function", "calls"), CALLS, ids=described)
def test_openvino_gets_it_right(function: Callable[..., Any], calls: list[tuple[Any, ...]], opset: int | None) -> None:
    if function is shifted and opset is not None:
        calls = calls[1:]  # bits are found by division there, which has 24 of these 32
    model = graph_program(function).model(calls[0], portable=True, opset=opset)
    here, there = (RUNTIMES[name](model.SerializeToString()) for name in ("onnxruntime", "openvino"))
    for args in calls:
        feed = {value.name: np.asarray(arg) for value, arg in zip(model.graph.input, args, strict=True)}
        assert not difference(here(feed), there(feed)), args


@pytest.mark.skipif(not is_there("openvino"), reason="openvino is not installed: pip install graph-program[portable]")
@pytest.mark.parametrize(("function", "calls"), CALLS, ids=described)
def test_openvino_reads_the_file_as_well(
    tmp_path: Path, function: Callable[..., Any], calls: list[tuple[Any, ...]]
) -> None:
    import openvino

    path = tmp_path / "m.onnx"
    graph_program(function).export(path, calls[0], portable=True)
    assert len(openvino.Core().read_model(path).outputs) == len(onnx.load(path).graph.output)


@pytest.mark.parametrize(("function", "calls"), CALLS, ids=described)
def test_what_is_not_emitted(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    model = graph_program(function).model(calls[0], portable=True)
    assert not model.functions
    assert all(0 not in tensor.dims for tensor in model.graph.initializer)
    names = Counter(node.name for graph in graphs(model.graph) for node in graph.node)
    assert max(names.values()) == 1
    for graph in graphs(model.graph):
        for node in graph.node:
            if node.op_type == "If":
                sides = [[ranks(value) for value in a.g.output] for a in node.attribute]
                assert sides[0] == sides[1]
        inner = [a.g for node in graph.node for a in node.attribute if a.type == onnx.AttributeProto.GRAPH]
        read = {name for each in inner for one in graphs(each) for node in one.node for name in node.input}
        given = {value.name for value in graph.output}
        assert given.isdisjoint(read | {value.name for value in graph.input})


def graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from graphs(attribute.g)


def ranks(value: onnx.ValueInfoProto) -> int:
    return len(value.type.tensor_type.shape.dim)


def test_extremes_need_no_branch() -> None:
    def of_rows(x: Float64[Tensor, "n 40"]):
        return x.max(axis=1), np.argmin(x, axis=1)

    model = graph_program(of_rows).model(portable=True)
    assert all(node.op_type != "If" for graph in graphs(model.graph) for node in graph.node)


def test_a_loop_that_always_has_rounds_stays_as_it_is() -> None:
    def three(x: Float64[Tensor, "n"]):
        found = []
        for k in range(3):
            found.append(x * k)
        return np.stack(found)

    plain, portable = (graph_program(three).model(portable=form) for form in (False, True))
    assert len(plain.graph.node) == len(portable.graph.node)


# ---------------------------------------------------------------- what fewer bits make of it


def numbers(x: Float64[Tensor, "n"], i: Int64[Tensor, "m"], k: int):
    return x * 2, i * k, i[::-1].copy(), x.shape[0] * 2, np.flatnonzero(x > 0.1)


def test_outputs_that_fewer_bits_get_wrong_are_named(tmp_path: Path) -> None:
    args = (A([1.0]), A([2]), 3)
    program = graph_program(numbers)
    summary = program.export(tmp_path / "m.onnx", args, portable=True)
    line = f"{Path(__file__).name}:{numbers.__code__.co_firstlineno + 1}"
    named = {output.name: output.reason for output in summary.narrowed}
    floats = "float64 is float32 there, infinity 3.4e38"
    assert named == {
        **dict.fromkeys("ik", "integers of more than 24 bits are taken for others"),
        "result.0": f"{floats} ({line})",
        "result.1": f"integers may not fit 24 bits ({line})",
        "result.4": floats,  # from the argument on
    }
    assert "may be wrong in a runtime that computes in float32" in str(summary)
    assert program.export(tmp_path / "m.onnx", args).narrowed == ()


def halved(x: Int32[Tensor, "n"], few: UInt8[Tensor, "n"]):
    none = x % 3, np.maximum(x, 2), x % x[::-1], x // x[::-1], x >> 2, x & x[0], few.astype(np.int32) * 1000
    return none, (x + 1, few * np.int32(100000))


def test_integers_of_25_bits_are_named(tmp_path: Path) -> None:
    """OpenVINO divides, compares and chooses them in float32."""
    summary = graph_program(halved).export(tmp_path / "m.onnx", portable=True)
    assert [output.name for output in summary.narrowed] == ["x", "result.1.0", "result.1.1"]


def test_float16_is_named(tmp_path: Path) -> None:
    def rounded(x: Float16[Tensor, "n"], y: Float32[Tensor, "n"]):
        return x[::-1].copy(), x * 2, y.astype(np.float16).astype(np.float32), x.astype(np.float32) * 2

    summary = graph_program(rounded).export(tmp_path / "m.onnx", portable=True)
    reason = "float16 is float32 there, and not rounded"
    line = f"{Path(__file__).name}:{rounded.__code__.co_firstlineno + 1}"
    assert {one.name: one.reason for one in summary.narrowed} == dict.fromkeys(
        ("result.1", "result.2"), f"{reason} ({line})"
    )


def test_integers_that_fit_are_not_named(tmp_path: Path) -> None:
    def counted(x: Int64[Tensor, "n"]):
        last = 0
        for k in range(x.shape[0]):
            last = k + 1
        return last, np.argmax(x), x[0]

    summary = graph_program(counted).export(tmp_path / "m.onnx", (A([1, 2]),), portable=True)
    assert "result.0" not in {output.name for output in summary.narrowed}


# ---------------------------------------------------------------- what cannot be portable


def test_host_code_is_refused(tmp_path: Path) -> None:
    import time

    def timed(x: Float64[Tensor, "n"]):
        return x + time.time()

    for host in ("operators", "segments"):
        with pytest.raises(ExportError, match=r"GP517.*cannot be portable.*time"):
            graph_program(timed).export(tmp_path / host, (A([1.0]),), portable=True, host=host)


def test_bfloat16_is_refused(tmp_path: Path) -> None:
    dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")

    def halved(x):
        return x / 2

    with pytest.raises(GraphProgramError, match=r"GP517.*bfloat16"):
        graph_program(halved).export(tmp_path / "m.onnx", (np.ones(2, dtypes.bfloat16),), portable=True)


@host_function
def _measured(x: Float64[Tensor, "n"]) -> Float64[Tensor, "n"]:
    return x


def test_a_program_that_cannot_be_portable_says_which_statement_prevents_it(tmp_path: Path) -> None:
    def program(x: Float64[Tensor, "n"]) -> Any:
        z = to_device(_measured(to_host(x * 2)))
        return z + 1

    with pytest.raises(GraphProgramError, match=r"GP512.*needs Python beside it, for to_host") as told:
        graph_program(program).export(tmp_path / "m.onnx", portable=True)
    assert "z = to_device(_measured(to_host(x * 2)))" in str(told.value)


def test_a_target_that_there_is_not(tmp_path: Path) -> None:
    def program(x: Float64[Tensor, "n"]) -> Any:
        return x + 1

    with pytest.raises(GraphProgramError, match=r"GP515.*target must be 'onnx', 'c', .* not 'board'"):
        graph_program(program).export(tmp_path / "m.onnx", target="board")
