"""The pass that makes array operations of loops whose rounds do not depend on each other."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Int64, Tensor, UInt8, graph_program, load
from graph_program.extract.transform.vectorize import blocks, one_loop
from tests.benchmarks import loop_programs
from tests.passes import without
from tests.programs.plain import Cases
from tests.transform.nests import Nest
from tests.transform.sessions import compared

Vector = Float64[Tensor, "n"]
Matrix = Float64[Tensor, "n m"]
Pair = tuple[np.ndarray, np.ndarray]

VECTORS = tuple((np.array(x, float),) for x in ([1, -2, np.nan, 4, 0.5], [3, np.inf, -0.0, 3], [-7], []))
SHAPES = ((3, 4), (1, 2), (0, 3), (2, 0), (4, 1))
MATRICES = tuple((np.arange(n * m, dtype=float).reshape(n, m) - 3,) for n, m in SHAPES)
PAIRS = ((np.array([1.0, 2, 3]), np.array([4.0, 5, 6])), (np.zeros(0), np.zeros(0)), (np.ones(3), np.ones(2)))

flat = Cases()
"""Programs without a loop behind the pass, with arguments."""
loops = Cases()
"""Programs with one loop behind it: near misses, and loops inside that go on under a mask."""


def loops_in(model: onnx.ModelProto) -> int:
    """The loops of a model."""

    def count(graph: onnx.GraphProto) -> int:
        inner = (a.g for node in graph.node for a in node.attribute if a.HasField("g"))
        return sum(node.op_type == "Loop" for node in graph.node) + sum(map(count, inner))

    return count(model.graph)


# ---------------------------------------------------------------- maps


@flat(*VECTORS)
def mapped(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * 2 + i
    return y


@flat(*VECTORS)
def chosen(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 1:
            y[i] = 1
        elif x[i] < 0:
            y[i] = -x[i]
        else:
            y[i] = x[i]
    return y


@flat(*VECTORS)
def in_place(x: Vector) -> Any:
    y = x.copy()
    for i in range(len(y)):
        if y[i] < 0:
            y[i] = y[i] * y[i]
    return y


@flat(*VECTORS)
def reversed_from_another_place(x: Vector) -> Any:
    y = np.ones(len(x) + 3)
    for i in range(len(x) - 1, -1, -1):
        y[i + 2] = x[i] + i
    return y


@flat(*VECTORS)
def of_the_row_before(x: Vector) -> Any:
    y = np.zeros(len(x))
    last = np.float64(0.5)
    for i in range(len(x)):
        y[i] = x[i] - last
        last = x[i]
    return y, last


@flat(*MATRICES)
def rows_of_a_matrix(x: Matrix) -> Any:
    y = x.copy()
    for i in range(len(x)):
        y[i] = x[i] / (np.sum(x[i] * x[i]) + 1)
    return y


@flat(*MATRICES)
def nest(x: Matrix) -> Any:
    y = np.zeros((x.shape[0], x.shape[1]))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] * i - j
    return y


@flat((np.array([[0, 3, 3], [9, 200, 3]], np.uint8),), (np.zeros((0, 3), np.uint8),), (np.zeros((3, 0), np.uint8),))
def histogram(x: UInt8[Tensor, "h w"]) -> Any:
    h = np.zeros(256, dtype=np.int64)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            h[x[i, j]] += 1
    return h


@flat(*((np.array(k), 3) for k in ([1, 0, 1], [4, 4, -5], [0])))
def the_last_of_several_writes(k: Int64[Tensor, "n"], c: int) -> Any:
    y = np.zeros(5)
    for i in range(len(k)):
        y[k[i]] = i * c + 1
    return y


# ---------------------------------------------------------------- what is carried


@flat(*VECTORS, (np.array([1e16, 1.0, -1e16, 1e-3, 0.1]),))
def sums(x: Vector) -> Any:
    total, square = np.float64(0.1), np.float64(-0.0)
    for v in x:
        total += v
        square -= v * v
    return total, square


@flat(*VECTORS)
def sum_in_an_array(x: Vector) -> Any:
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = y[i - 1] + 1.0
    return y


@flat(*MATRICES)
def sum_of_a_nest(x: Matrix) -> Any:
    total = np.float64(0.0)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j] * 0.1
    return total


@flat(*VECTORS)
def running(x: Vector) -> Any:
    y, total = np.zeros(len(x)), np.float64(0.0)
    for i in range(len(x)):
        total += x[i]
        y[i] = total / (i + 1)
    return y


@flat(*VECTORS)
def record(x: Vector) -> Any:
    best, place = np.float64(-1.0), -1
    for i in range(len(x)):
        if x[i] > best:
            best, place = x[i], i
    return best, place


COUNTS = tuple((np.array(x, np.int64),) for x in ([0, 0, 3, 1, 0, 5], [0, 0], [7], [], [2, 2, 2, 2]))


@flat(*COUNTS)
def record_of_some_rounds(x: Int64[Tensor, "n"]) -> Any:
    total, part = np.int64(0), np.int64(0)
    for v in x:
        total += v
    best, place = np.float64(0.0), -1
    for i in range(len(x)):
        part += x[i]
        if part == 0:
            continue
        rest = total - part
        if rest == 0:
            break
        ratio = np.float64(part) * rest / (i + 1)
        if ratio > best:
            best, place = ratio, i
    return best, place, part


@flat(*VECTORS)
def last_record_kept_where_it_is_left(x: Vector) -> Any:
    best, place = np.float64(9.0), -1
    for i in range(len(x)):
        if np.isnan(x[i]):
            break
        if i % 2 == 1:
            continue
        if x[i] < best:
            best, place = x[i], i
    return best, place


@loops(*VECTORS)
def record_that_only_some_follow(x: Vector) -> Any:
    best, place = np.float64(-9.0), -1
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
            if i % 2 == 0:
                place = i
    return best, place


@flat(*((*x, np.nan) for x in VECTORS), *((*x, 3.0) for x in VECTORS))
def least(x: Vector, start: float) -> Any:
    best = np.float64(start)
    for v in x:
        best = min(best, v)
    return best


@flat(*VECTORS)
def last_of_some(x: Vector) -> Any:
    place, any_negative = -1, False
    for i in range(len(x)):
        if x[i] > 0:
            place = i
        any_negative = any_negative or x[i] < 0
    return place, np.array(any_negative)


@flat(*VECTORS)
def appended(x: Vector) -> Any:
    places, values = [], []
    for i in range(len(x)):
        values.append(x[i] * 2)
        if x[i] > 0:
            places.append(i)
    return np.array(places, dtype=np.int64), np.array(values, dtype=float)


# ---------------------------------------------------------------- ends and errors


@flat(*((*x, t) for x in VECTORS for t in (0.7, 99.0)))
def search(x: Vector, limit: float) -> int:
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


@flat(*VECTORS)
def until(x: Vector) -> Any:
    total, y = np.float64(0.0), x.copy()
    for i in range(len(x)):
        if np.isnan(x[i]):
            break
        total += x[i]
        y[i] = total
    return total, y


@flat(*VECTORS)
def raises_in_the_middle(x: Vector) -> Any:
    total = np.float64(0.0)
    for i in range(len(x)):
        if np.isnan(x[i]):
            raise ValueError(f"round {i}")
        total += x[i]
    return total


@flat(*PAIRS)
def index_outside(a: Float64[Tensor, "n"], b: Float64[Tensor, "m"]) -> Any:
    total = np.float64(0.0)
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


# ---------------------------------------------------------------- what stays a loop


@loops(*VECTORS)
def reads_what_the_round_before_wrote(x: Vector) -> Any:
    y = np.ones(len(x) + 1)
    for i in range(len(x)):
        y[i + 1] = y[i] * 0.5 + x[i]
    return y


@loops(*VECTORS)
def recurrence(x: Vector) -> Any:
    state = np.float64(0.0)
    for v in x:
        state = 0.9 * state + v
    return state


def masked(n: int, limit: int) -> Any:
    counts = np.zeros(n, dtype=np.int64)
    for i in range(n):
        value, steps = i + 1.5, 0
        while steps < limit and value < 100.0:
            value = value * value - 0.5
            steps += 1
        counts[i] = steps
    return counts


@loops(*MATRICES)
def masked_in_a_nest(x: Matrix) -> Any:
    y = np.zeros((x.shape[0], x.shape[1]))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            value = x[i, j]
            while abs(value) > 0.1:
                value = value / 3 - 0.01
            y[i, j] = value
    return y


IN_BLOCKS = (record_of_some_rounds, last_record_kept_where_it_is_left, search, until)
"""Programs that may end early: a loop over blocks of rounds is left."""


@flat.each
def test_loops_that_are_array_operations(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == (fn in IN_BLOCKS)


MEASURED = dict.fromkeys(("clip", "energy", "peak", "above", "distances", "normalise", "histogram"), 0)
MEASURED |= {"Mandelbrot": 2, "NMS": 1, "Collatz": 2, "search": 1}
"""Of the programs of the benchmark, the loops that stay: blocks of rounds, rounds under a mask, what is suppressed."""


@pytest.mark.parametrize("name", MEASURED)
def test_the_loops_of_the_benchmark(name: str) -> None:
    assert loops_in(loop_programs.cases()[name].program.model()) == MEASURED[name]


def test_a_loop_under_a_mask_in_blocks_of_rounds() -> None:
    assert loops_in(compared(masked, ((3, 40), (0, 1), (1, 0)))) == 2


@loops.each
def test_loops_that_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert loops_in(compared(fn, inputs)) == 1


def test_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "vectorize")
    assert loops_in(compared(nest, MATRICES)) == 2


@pytest.mark.parametrize("fn", [sums, rows_of_a_matrix, histogram, appended], ids=lambda fn: fn.__name__)
def test_a_block_of_rounds_at_a_time(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = importlib.import_module("graph_program.extract.transform.vectorize.blocks")
    monkeypatch.setattr(blocks, "LARGEST", 3)
    monkeypatch.setattr(blocks, "FACTOR", 0)
    inputs = next(inputs for other, inputs in flat.found if other is fn)
    assert loops_in(compared(fn, inputs)) > 0


def test_what_became_of_loops_is_told(tmp_path: Path) -> None:
    def program(x: Vector) -> Any:
        total, state = 0.0, 1.0
        for v in x:
            total += v
        for v in x:
            state = state * 0.5 + v
        return total, state

    compiled = graph_program(program)
    first = program.__code__.co_firstlineno
    name = Path(__file__).name
    reason = "it reads `state` that the round before has made"
    reason += "; hint: put what does not read it into a loop of its own before this one"
    told = [
        f"{name}:{first + 2} is array operations",
        f"{name}:{first + 4} is a loop: line {first + 5}, `state * 0.5`: {reason}",
    ]
    assert [line[2:] for line in compiled.explain("optimized").splitlines() if "# test" in line] == told
    summary = compiled.export(tmp_path / "m.onnx")
    assert [f"{loop.place} is {loop.text}" for loop in summary.loops] == told
    assert f"  {name}:{first + 2}  array operations" in str(summary).splitlines()


# ---------------------------------------------------------------- random nests


def arguments(seed: int, n: int, h: int, w: int, p: int) -> dict[str, Any]:
    """Arguments of a random nest, with a NaN and zeros of both signs."""
    random = np.random.default_rng(seed)
    x, m = random.integers(-3, 4, n) * 0.75, random.integers(-3, 4, (h, w)) * 0.5
    x[x == 0] *= -1.0
    if seed % 3 == 0 and n:
        x[random.integers(n)] = np.nan
    return {"x": x, "m": m, "q": random.integers(0, 9, n), "p": p, "u": float(random.integers(-2, 3))}


@pytest.mark.parametrize("seed", [*range(16), 3025, 6025, 6077])
def test_random_nests(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python does."""
    path = tmp_path / f"nest_{seed}.py"
    path.write_text(Nest(seed).source())
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    sizes = ((4, 3, 4, 2), (5, 5, 5, 3), (1, 1, 1, 1), (0, 0, 0, 0), (3, 4, 2, -1))
    compared(module.f, tuple(tuple(arguments(seed, *size).values()) for size in sizes))


@pytest.mark.parametrize("hit", [0, 1, 2, 3, 5, None])
def test_what_ends_early_is_done_block_by_block(hit: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_loop, "FEW", 2)

    def first(x: Vector) -> Any:
        found, s, last, n = False, np.float64(2.0), np.float64(3.0), 0
        y = np.zeros(len(x))
        for i in range(len(x)):
            y[i] = x[i] + i
            if x[i] > 0.5:
                found = True
                break
            s += x[i]
            last = x[i]
            n += 1
        return found, s, last, n, y

    inputs = []
    for length in (0, 1, 2, 3, 4, 7):
        x = np.full(length, -0.25)
        if hit is not None and hit < length:
            x[hit] = 1.0
        inputs.append((x,))
    assert loops_in(compared(first, tuple(inputs))) == 1


def test_the_first_hit_costs_one_block() -> None:
    def first(x: Vector) -> Any:
        for i in range(len(x)):
            if x[i] > 0.5:
                return i
        return -1

    x = np.zeros(3 * one_loop.FEW)
    inputs = tuple(
        (np.where(np.arange(len(x)) == k, 1.0, x),) for k in (0, one_loop.FEW - 1, one_loop.FEW, len(x) - 1, len(x))
    )
    assert loops_in(compared(first, inputs)) == 1


@pytest.mark.parametrize("most", [5, 8, 9, 100])
def test_what_may_fail_is_done_block_by_block_where_rounds_need_memory(most: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(blocks, "LARGEST", 3)

    def longest(count: int, most: int) -> Any:
        best, found, total = 0, 0, 0
        for k in range(1, count):
            n, steps = k, 0
            while n != 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                steps += 1
            if steps > most:
                raise ValueError(f"{k} takes {steps}")
            total += steps
            if steps > best:
                best, found = steps, k
        return best, found, total

    compared(longest, tuple((count, most) for count in (0, 1, 2, 4, 5, 7, 8, 12)))
    program = graph_program(longest)
    program(3, 9)
    assert any(line.endswith("is array operations") for line in program.explain("optimized").splitlines())


def shared_place(x: Float64[Tensor, "n"], k: int, b: float) -> Any:
    """An index that is inside in any round is not where there is no round, as the array has no elements then."""
    for _ in range(len(x)):
        if b < 0.5 and x[k] > b:
            raise ValueError(f"{len(x)} are too many")
    return b + len(x)


def test_without_rounds_nothing_is_read(tmp_path: Path) -> None:
    path = tmp_path / "shared_place.onnx"
    graph_program(shared_place).export(path, (np.ones(4), 1, 0.25))
    call = load(path)
    assert (
        call(np.zeros(0), 0, 0.25) == 0.25 and call(np.zeros(0), 3, 1.0) == 1.0 and call(np.zeros(2), 1, 0.25) == 2.25
    )
    with pytest.raises(ValueError, match="2 are too many"):
        call(np.ones(2), -1, 0.25)
    with pytest.raises(IndexError):
        call(np.ones(2), 2, 0.25)
