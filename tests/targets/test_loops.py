"""Loops in files for a target without them: written out, as a Scan, or refused at their line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import GraphProgramError, graph_program, load
from graph_program.backends.models.walks import nodes_of
from graph_program.backends.onnx.avoided import LOOPS
from graph_program.exports import export, options
from graph_program.targets.support import REFUSED, Support
from graph_program.verification.runtimes import RUNTIMES
from tests.benchmarks.portable.runtimes import is_there
from tests.programs.plain import differs, outcome

A = np.array
LOOPLESS = Support("loopless", "1", True, {"Loop": {"int64": REFUSED}}, forms={LOOPS: REFUSED})


@pytest.fixture(autouse=True)
def target(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (export, options):
        monkeypatch.setattr(module, "targets", lambda: {"loopless": LOOPLESS})


def newton(x: Any) -> Any:
    y = x
    for _ in range(4):
        y = 0.5 * (y + x / y)
    return y


def smooth(x: Any) -> Any:
    out = np.zeros(len(x))
    s = 0.0
    for i in range(len(x)):
        s = 0.9 * s + np.sin(x[i]) * s * 0.1 + x[i]
        out[i] = s
    return out, s


def until(x: Any) -> Any:
    k = 0
    t = x
    for _ in range(5):
        t = t * 1.5
        k += 1
        if t[0] > 4:
            break
    return k, t


def rows(x: Any) -> Any:
    m = np.zeros((3, 3))
    s = x
    for i in range(3):
        s = np.tanh(s) + i
        m[i] = s[:3]
    return m, s


def nested(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        s = x[i]
        for k in range(3):
            s = np.sin(s) + k * total
        total += s
    return total


def checked(x: Any, k: int) -> Any:
    s = 0.0
    for i in range(3):
        s = np.cos(s) * x[k + i]
    return s


X = A([2.0, 3.0, 4.0])
WRITTEN: list[tuple[Callable[..., Any], set[str], list[tuple[Any, ...]]]] = [
    (newton, set(), [(X,), (A([1.0]),)]),
    (smooth, {"Scan"}, [(X,), (A([0.5]),)]),
    (until, {"If"}, [(X,), (A([9.0, 3.0]),), (A([0.1, 3.0, 4.0]),)]),
    (rows, set(), [(X,)]),
    (nested, {"Scan"}, [(X,), (A([0.5]),)]),
    (checked, set(), [(X, 0), (X, 1), (X, -9)]),
]


@pytest.mark.parametrize(("function", "operators", "calls"), WRITTEN, ids=[case[0].__name__ for case in WRITTEN])
def test_other_words(
    function: Callable[..., Any], operators: set[str], calls: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    graph_program(function).export(tmp_path / "m.onnx", calls[0], target="loopless")
    found = {node.op_type for node in nodes_of(onnx.load(tmp_path / "m.onnx"))}
    assert operators <= found and "Loop" not in found
    loaded = load(tmp_path / "m.onnx")
    for args in calls:
        assert not differs(outcome(function, args), outcome(loaded, args)), args


def halved(x: Any) -> Any:
    """A run decides how many rounds there are."""
    n = 0
    while np.abs(x).sum() > 1.0:
        x = x * 0.5 - np.sin(x)
        n += 1
    return n


def many(x: Any) -> Any:
    """More rounds than are written out, one of which may be the last."""
    t = x
    for _ in range(50):
        t = t * 1.5 + np.sin(t)
        if t[0] > 4:
            break
    return t


def growing(x: Any) -> Any:
    """What is carried has another size in each round."""
    s = x[:1]
    for v in x:
        s = np.concatenate([s, s[-1:] * v])
    return s


@pytest.mark.parametrize("function", [halved, many, growing])
def test_near_misses(function: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match="loopless does not take ONNX's Loop") as caught:
        graph_program(function).export(tmp_path / "m.onnx", (X,), target="loopless")
    assert caught.value.code == "GP547"
    assert caught.value.loc.line > function.__code__.co_firstlineno


def greatest(x: Any) -> Any:
    b, last = x[0], np.array([x[0], 1.0])
    for i in range(1, len(x)):
        last = np.array([last[1] * 0.5 + x[i], last[0]])
        if x[i] * x[i] > b:
            b = x[i] * b + 1
    return b, last


def common_bits(x: Any) -> Any:
    return np.bitwise_and.reduce(x[1:].astype(np.int16))


def biquad(x: Any) -> Any:
    """What a round collects, it reads as well."""
    first = second = 0.0
    out = np.zeros(len(x))
    for i in range(len(x)):
        y = x[i] + first
        first = x[i] - 0.5 * y + second
        second = 0.2 * x[i] - 0.2 * y
        out[i] = y
    return out


def of_the_last_round(x: Any) -> Any:
    """What a round gives, none reads: it is of the last one."""
    scaled, below, is_less, place = 0.0, 1.0, False, 0
    for i in range(len(x)):
        is_less = below < x[i] * 0.9
        scaled = x[i] + below
        below = 0.5 * scaled
        place = i * 2
    return scaled, below, is_less, place


def balanced(x: Any) -> Any:
    """No round reads its number."""
    k, even = np.exp(np.outer(x, x) * 0.1), True
    for _ in range(12):
        k = k / k.sum(axis=1, keepdims=True)
        k = k / k.sum(axis=0, keepdims=True)
        even = not even
    return k, even


def toggled(x: Any) -> Any:
    """Nor does one of a truth."""
    on = x[0] > 0
    for _ in range(11):
        on = not on
    return on


def begun(x: Any) -> Any:
    """What goes from round to round is a constant behind the first one."""
    best, gain = None, 7
    for v in x:
        if best is None or v > best:
            best = v
        gain = 3
    return best * gain


def checked_sums(x: Any) -> Any:
    """Whole numbers that go from round to round, times constants and divided by them."""
    a = b = h = np.int64(1)
    q, small = np.int64(7000), np.int32(5)
    for v in (x * 100).astype(np.int64):
        a = (a + v) % 65521
        b = (b + a) % 65521
        h = h * np.int64(31) + v
        q = q // np.int64(3) + v
        small = small * np.int32(7) + np.int32(1)
    return b * 65536 + a, h, q, small


def small_numbers(x: Any) -> Any:
    """Types of which onnxruntime does not choose."""
    short, low, high = np.int16(0), np.int8(0), np.uint64(0)
    for v in (x * 10).astype(np.int16):
        short = v
        low = v.astype(np.int8)
        high = v.astype(np.uint64)
    return short, low, high


OF_ROUNDS = [
    (f, [(np.sin(np.arange(n) * 2.0),) for n in (20, 9, 3)])
    for f in (balanced, begun, biquad, of_the_last_round, toggled)
]
NO_ROUNDS = [(f, [(np.arange(n) + 5.0,) for n in (3, 1, 2)]) for f in (greatest, common_bits)]
"""Loops that have none where an array has one element: tract gives zeros of float32 for what they carry."""


@pytest.mark.parametrize(("function", "calls"), [*((f, calls) for f, _, calls in WRITTEN[:5]), *NO_ROUNDS, *OF_ROUNDS])
def test_in_tract(
    function: Callable[..., Any], calls: list[tuple[Any, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    if not is_there("tract"):
        pytest.skip("tract is not installed")
    graph_program(function).export(tmp_path / "m.onnx", calls[0], target="tract")
    names = [output.name for output in onnx.load(tmp_path / "m.onnx").graph.output]
    for (x,) in calls:
        found = RUNTIMES["tract"].load(tmp_path / "m.onnx")({"x": x})
        expected = function(x)
        parts = expected if isinstance(expected, tuple) else (expected,)
        for name, part in zip(names, parts, strict=False):
            np.testing.assert_allclose(found[name], part, rtol=1e-12)
            assert found[name].dtype == np.asarray(part).dtype
