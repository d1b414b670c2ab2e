"""`checks="none"`: models that do not notice operations that fail, for whoever has tested that none does."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import ExportError, Float64, GraphProgramError, Int64, Tensor, graph_program, load
from tests.benchmarks.graphs.counts import counted
from tests.programs.plain import differs

A = np.array


def looked_up(table: Float64[Tensor, "n"], codes: Int64[Tensor, "m"], k: int):
    total = 0.0
    for i in range(codes.shape[0]):
        total += table[codes[i]]
    return total / codes.shape[0], table[k] * k, 10**k


def limited(x: Float64[Tensor, "n"], most: float):
    if most <= 0:
        raise ValueError(f"{most} is not positive")
    assert x[0] >= 0, "the first is negative"
    return np.minimum(x, most), x[1] // most


def paired(x: Float64[Tensor, "n"], y: Float64[Tensor, "m"]):
    return x * y + np.dot(x, y)


def inverse(x: Float64[Tensor, "n n"]):
    return np.linalg.inv(x) @ x[0]


def found(x: Int64[Tensor, "n"], wanted: int):
    for i in range(x.shape[0]):
        if x[i] == wanted:
            break
    else:
        raise KeyError(wanted)
    return i, x[i + 1]


def first_of(x: Int64[Tensor, "n"], wanted: int):
    return x.tolist().index(wanted)


def last_set(n: int):
    for i in range(n):
        square = i * i
    return square


def with_default(x: Float64[Tensor, "n"], k: int):
    try:
        return x[k]
    except IndexError:
        return np.float64(-1.0)


def cleaned(x: Float64[Tensor, "n"], k: int):
    y = x.copy()
    try:
        y[k] = 2.0
    finally:
        y[0] = 1.0
    return y


def told(x: Float64[Tensor, "n"], k: int):
    try:
        if k < 0:
            raise ValueError(k)
        return x[k]
    except (IndexError, ValueError):
        raise


FINE: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (looked_up, (A([1.0, 2.5, 3.0]), A([2, -1, 0]), 1)),
    (limited, (A([1.0, 2.5, 3.0]), 2.0)),
    (paired, (A([1.0, 2.0]), A([3.0, -1.0]))),
    (inverse, (A([[2.0, 1.0], [1.0, 3.0]]),)),
    (found, (A([4, 5, 6]), 5)),
    (first_of, (A([4, 5, 6]), 6)),
    (last_set, (4,)),
    (with_default, (A([1.0, 2.0]), 1)),
    (with_default, (A([1.0, 2.0]), 2)),
    (cleaned, (A([1.0, 2.0, 3.0]), -1)),
    (told, (A([1.0, 2.0]), 1)),
]
RAISED: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (limited, (A([1.0, 2.0]), 0.0)),
    (limited, (A([-1.0, 2.0]), 1.0)),
    (found, (A([4, 5, 6]), 7)),
    (told, (A([1.0, 2.0]), -3)),
]


@pytest.mark.parametrize(("function", "args"), FINE, ids=lambda x: getattr(x, "__name__", ""))
def test_what_does_not_fail_is_the_same(tmp_path: Path, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    path = tmp_path / "m.onnx"
    graph_program(function).export(path, args, checks="none")
    found, expected = load(path)(*args), function(*args)
    assert not differs(expected, found), f"{expected!r} in Python, {found!r} without checks"


@pytest.mark.parametrize(("function", "args"), RAISED, ids=lambda x: getattr(x, "__name__", ""))
def test_what_the_program_raises_stays(tmp_path: Path, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    path = tmp_path / "m.onnx"
    graph_program(function).export(path, args, checks="none")
    with pytest.raises(Exception) as expected:
        function(*args)
    with pytest.raises(expected.type) as raised:
        load(path)(*args)
    assert str(expected.value).startswith(str(raised.value))  # pytest adds to the text of `assert`


@pytest.mark.parametrize("function", [looked_up, paired, inverse, last_set, cleaned], ids=lambda f: f.__name__)
def test_no_output_tells_of_operations(function: Callable[..., Any]) -> None:
    args = next(args for other, args in FINE if other is function)
    program = graph_program(function)
    checked, plain = program.model(args), program.model(args, checks="none")
    assert "error" in outputs(checked) and "error" not in outputs(plain)
    assert counted(plain).nodes < counted(checked).nodes


def outputs(model: onnx.ModelProto) -> list[str]:
    return [output.name for output in model.graph.output]


def test_the_summary_says_what_is_unchecked(tmp_path: Path) -> None:
    program = graph_program(looked_up)
    args = FINE[0][1]
    assert program.export(tmp_path / "m.onnx", args).unchecked == ()
    summary = program.export(tmp_path / "m.onnx", args, checks="none")
    first = looked_up.__code__.co_firstlineno
    assert [line.place for line in summary.unchecked] == [f"{Path(__file__).name}:{first + k}" for k in (3, 4)]
    assert summary.unchecked[0].exceptions == ("IndexError",)
    shown = str(summary).splitlines()
    assert f"unchecked: {sum(len(line.exceptions) for line in summary.unchecked)} checks left out" in shown
    assert f"  {Path(__file__).name}:{first + 3}  IndexError" in shown


def test_what_is_known_not_to_fail_is_not_unchecked(tmp_path: Path) -> None:
    def doubled(x: Float64[Tensor, "n"]):
        y = np.zeros(x.shape[0])
        for i in range(x.shape[0]):
            y[i] = 2 * x[i]
        return y

    summary = graph_program(doubled).export(tmp_path / "m.onnx", checks="none")
    assert summary.unchecked == ()
    assert "unchecked" not in str(summary)


def test_arguments_for_which_python_raises_are_no_mistake(tmp_path: Path) -> None:
    graph_program(looked_up).export(tmp_path / "m.onnx", (A([1.0]), A([0]), 4), checks="none")


def test_another_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match=r"GP515.*checks must be 'all' or 'none', not 'some'") as raised:
        graph_program(looked_up).export(tmp_path / "m.onnx", checks="some")
    assert isinstance(raised.value, ValueError)
    with pytest.raises(GraphProgramError, match=r"GP515.*portable must be True or False, not 'no'"):
        graph_program(looked_up).export(tmp_path / "m.onnx", portable="no")  # type: ignore[arg-type]


def test_host_code_keeps_its_checks(tmp_path: Path) -> None:
    def timed(x: Float64[Tensor, "n"], k: int):
        return x[k] + time.time()

    for host in ("operators", "segments"):
        with pytest.raises(ExportError, match="GP516"):
            graph_program(timed).export(tmp_path / host, (A([1.0]), 0), checks="none", host=host)
