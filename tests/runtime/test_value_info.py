"""What exported models say of all their values: element types, sizes, names and expressions of sizes."""

from __future__ import annotations

import functools
import inspect
import json
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float32, GraphProgramError, Int64, Tensor, graph_program
from graph_program.backends.onnxruntime.compiled import serialized
from graph_program.backends.onnxruntime.session import RUN_ERRORS
from graph_program.extract.types.notation.declared_dims import NO_DIMS
from graph_program.samples import coins, kalman, lstm
from tests.fuzz.compare import load
from tests.fuzz.shape_programs import shape_program
from tests.ops.shapes_of_models import check_inner_graphs, check_with_onnxruntime, dims_of, graphs, infos, untold


def f4(*shape: int) -> Any:
    return np.sin(np.arange(np.prod(shape, dtype=int), dtype=np.float32)).reshape(shape)


@graph_program
def parts(x: Float32[Tensor, "n"]) -> Any:
    return x[1:-1], np.concatenate((x, x)), np.zeros((x.shape[0] + 1, 3)), x[: x.shape[0] // 2], x.reshape(-1, 1)


@graph_program
def growing(x: Float32[Tensor, "n"], k: int) -> Any:
    y = x
    fixed = np.zeros((x.shape[0], 2), np.float32)
    for _ in range(k):
        y = np.concatenate((y, x))
        fixed = fixed + y[:2]
    return y[1:], fixed


@graph_program
def found(x: Float32[Tensor, "n m"]) -> Any:
    positive = x[x > 0]
    result = positive[1:] if np.sum(positive) > 1 else x[0]
    return positive * 2, result


@graph_program
def nested(x: Float32[Tensor, "n m"], k: int) -> Any:
    total = np.zeros(x.shape[1], np.float32)
    for i in range(k):
        row = x[i % x.shape[0]]
        if np.sum(row) > 0:
            chosen = row[row > 0.1]
            for value in chosen:
                total = total + value * row
        else:
            total = total - np.outer(row, row)[0]
    return total, np.cumprod(x, axis=0), np.sort(x, axis=1)


@graph_program
def attention(q: Float32[Tensor, "b n d"], k: Float32[Tensor, "b m d"], v: Float32[Tensor, "b m e"]) -> Any:
    scores = q @ np.swapaxes(k, 1, 2) / np.sqrt(np.float32(q.shape[2]))
    weights = np.exp(scores - np.max(scores, axis=2, keepdims=True))
    return (weights / np.sum(weights, axis=2, keepdims=True)) @ v


@graph_program
def checked(x: Float32[Tensor, "n"], i: Int64[Tensor, "k"]) -> Any:
    if x.shape[0] > 5:
        raise ValueError(f"{x.shape[0]} is too long")
    return x[i], np.einsum("i,j->ij", x, x), np.linspace(0, 1, x.shape[0])


def calls() -> Iterator[tuple[Any, tuple[Any, ...]]]:
    for n in (1, 2, 5):
        yield parts, (f4(n),)
    for n, k in ((2, 0), (2, 1), (2, 3)):
        yield growing, (f4(n), k)
    for shape in ((1, 3), (2, 4), (4, 1)):
        yield found, (f4(*shape),)
        yield nested, (f4(*shape), 3)
    for b, n, d, m, e in ((1, 2, 3, 4, 5), (2, 1, 1, 3, 2)):
        yield attention, (f4(b, n, d), f4(b, m, d), f4(b, m, e))
    for n in (2, 5, 7):
        yield checked, (f4(n), np.array([0, 1, 1]))


def samples() -> Iterator[tuple[Any, tuple[Any, ...]]]:
    layer = lstm.random_lstm(inputs=4, hidden=3)
    yield lstm.lstm, (layer, f4(5, 4))
    yield kalman.smooth_track, (kalman.Motion(), kalman.noisy_circle(6, noise=1.0)[1])
    yield coins.count_coins, (coins.photograph()[:24, :30].copy(), coins.Settings(1, 10, 20))


def feed_of(model: onnx.ModelProto, program: Any, args: tuple[Any, ...]) -> dict[str, np.ndarray]:
    """The arguments by the names of a model's inputs: `settings.smallest`."""
    arguments = dict(zip(inspect.signature(program.python).parameters, args, strict=True))
    feed = {}
    numbers = {onnx.TensorProto.DOUBLE: np.float64}
    for value in model.graph.input:
        first, *rest = value.name.split(".")
        dtype = numbers.get(value.type.tensor_type.elem_type)
        feed[value.name] = np.asarray(functools.reduce(getattr, rest, arguments[first]), dtype)
    return feed


def check(model: onnx.ModelProto, feed: dict[str, np.ndarray]) -> None:
    assert not untold(model)
    check_with_onnxruntime(model, feed)
    check_inner_graphs(model, feed)


@pytest.mark.parametrize("program, args", [*calls(), *samples()], ids=lambda x: getattr(x, "__name__", ""))
def test_shapes_hold(program: Any, args: tuple[Any, ...], capfd: pytest.CaptureFixture[str]) -> None:
    model = program.model(local_functions=False)
    check(model, feed_of(model, program, args))
    assert not capfd.readouterr().err, "onnxruntime warns"


@pytest.mark.parametrize("seed", range(20))
def test_shapes_hold_in_random_programs(seed: int) -> None:
    random = shape_program(seed)
    function = load(random.source)
    for args in random.calls:
        try:
            with warnings.catch_warnings(action="ignore"):
                model = graph_program(function).model(args, local_functions=False)
        except GraphProgramError:
            return
        feed = {i.name: np.asarray(arg) for i, arg in zip(model.graph.input, args, strict=True)}
        with suppress(RUN_ERRORS):  # where NumPy has an error, too
            check_with_onnxruntime(model, feed)
            check_inner_graphs(model, feed)
        assert not untold(model)


def told(model: onnx.ModelProto, name: str) -> list[int | str | None]:
    return dims_of(infos(model.graph)[name])


def outputs(model: onnx.ModelProto) -> list[list[int | str | None]]:
    return [dims_of(output) for output in model.graph.output]


def test_expressions_of_sizes() -> None:
    shapes = outputs(parts.model(include_errors=False))
    assert shapes == [["max(0,n-2)"], ["2*n"], ["n+1", 3], ["n//2"], ["n", 1]]


def test_sizes_that_grow_have_no_name_and_others_do() -> None:
    model = growing.model(include_errors=False)
    assert outputs(model) == [[None], ["n", 2]]
    body = next(a.g for node in model.graph.node if node.op_type == "Loop" for a in node.attribute if a.name == "body")
    carried = [dims_of(value) for value in body.input]
    assert [None] in carried
    assert ["n", 2] in carried
    assert not any("d" in str(size) for value in carried for size in value)


def test_sizes_found_while_running_have_one_name() -> None:
    model = found.model(include_errors=False)
    positive, result = outputs(model)
    assert isinstance(positive[0], str)
    assert positive[0].isidentifier()
    assert result != positive


def test_frozen_dims_are_numbers_everywhere() -> None:
    model = nested.model(dims={"n": 3, "m": 4})
    names = {size for graph in graphs(model.graph) for info in infos(graph).values() for size in dims_of(info)}
    assert not any(isinstance(size, str) and {"n", "m"} & set(size) for size in names)
    check(model, {"x": f4(3, 4), "k": np.asarray(2)})


def test_declared_sizes_are_in_the_metadata() -> None:
    program = graph_program(parts.python, dims={"n": (2, 9)})
    for dims, expected in (({}, {"n": [2, 9]}), ({"n": (3, 4)}, {"n": [3, 4]}), ({"n": 5}, {"n": 5})):
        (entry,) = [p.value for p in program.model(dims=dims).metadata_props if p.key == "graph_program.dims"]
        assert json.loads(entry) == expected
    assert not any(p.key == "graph_program.dims" for p in parts.model().metadata_props)


def test_the_model_that_runs_at_once_tells_only_what_goes_in_and_out() -> None:
    ready = growing._ready()
    program = ready.find(*ready.types(None), NO_DIMS).extraction.program
    model = onnx.load_from_string(serialized(program, {}))
    made = {name for node in model.graph.node for name in node.output}
    assert not any(info.name in made for info in model.graph.value_info if info.type.tensor_type.HasField("shape"))
