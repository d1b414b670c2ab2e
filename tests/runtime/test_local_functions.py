"""Functions called several times become functions of the model, and results stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort

from graph_program import Float32, Float64, graph_program

Vector = Float32[np.ndarray, "n"]
Matrix = Float32[np.ndarray, "8 8"]


def run(model: onnx.ModelProto, feeds: Sequence[np.ndarray]) -> list[Any]:
    onnx.checker.check_model(model, full_check=True)
    session = ort.InferenceSession(model.SerializeToString())
    names = [i.name for i in session.get_inputs()]
    return session.run(None, dict(zip(names, feeds, strict=True)))


def names(model: onnx.ModelProto) -> list[str]:
    return sorted(function.name for function in model.functions)


def normalized(x: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)


def layer(x: Any, w: Any) -> Any:
    return np.maximum(normalized(x @ w), 0)


def block(x: Any, w: Any, v: Any) -> Any:
    return x + layer(layer(x, w), v)


def smooth(x: Any, factor: float) -> Any:
    return np.where(x > 0, x * factor, x / factor) + np.tanh(x * factor) - factor


def walk(x: Any, limit: int) -> Any:
    k = 0
    while k < limit:
        x = np.sin(x) + np.cos(x * x) * np.exp(-x)
        if x.sum() > 3:
            break
        k += 1
    return x


def test_functions_in_functions() -> None:
    @graph_program
    def net(x: Float32[np.ndarray, "n 8"], weights: tuple[tuple[Matrix, Matrix], ...]) -> Any:
        for w, v in weights:
            x = block(x, w, v)
        return x

    rng = np.random.default_rng(0)
    weights = tuple((rng.normal(size=(8, 8)).astype("f4"), rng.normal(size=(8, 8)).astype("f4")) for _ in range(5))
    x = rng.normal(size=(3, 8)).astype("f4")
    small, large = net.model((x, weights)), net.model((x, weights), local_functions=False)
    assert names(small) == ["block", "layer", "normalized"] or names(small) == ["block", "layer"]
    assert not large.functions
    assert small.ByteSize() < large.ByteSize() / 2
    feeds = [x, *(w for pair in weights for w in pair)]
    for model in (small, large):
        np.testing.assert_allclose(run(model, feeds)[0], net.python(x, weights), rtol=1e-5)


def test_constants_that_differ_are_passed() -> None:
    @graph_program
    def program(x: Vector) -> Any:
        return smooth(smooth(smooth(smooth(x, 2.0), 3.0), 0.5), 1.5)

    x = np.linspace(-2, 2, 7, dtype="f4")
    model = program.model()
    assert names(model) == ["smooth"]
    np.testing.assert_allclose(run(model, [x])[0], program.python(x), rtol=1e-5)


def test_loops_and_branches_inside() -> None:
    @graph_program
    def program(x: Vector, k: int) -> Any:
        return walk(walk(walk(walk(x, k), k), 5), 3)

    x = np.linspace(0, 1, 5, dtype="f4")
    model = program.model()
    assert "walk" in names(model)
    np.testing.assert_allclose(run(model, [x, np.array(2)])[0], program.python(x, 2), rtol=1e-5)


def branching(x: Any, y: Any) -> Any:
    e = np.where(x > 0, np.tanh(x + y), y * 0.5)
    return e * 0.9 if np.sum(e) > 0 else e + 0.1


def test_branches_that_read_what_is_around_them() -> None:
    @graph_program
    def program(x: Vector, y: Vector) -> Any:
        return branching(branching(branching(x, y), y), x)

    x, y = np.linspace(-1, 1, 5, dtype="f4"), np.linspace(-2, 1, 5, dtype="f4")
    model = program.model()
    assert names(model) == ["branching"]
    np.testing.assert_allclose(run(model, [x, y])[0], program.python(x, y), rtol=1e-5)


def test_calls_inside_of_a_loop() -> None:
    @graph_program
    def program(x: Vector, n: int) -> Any:
        y = smooth(x, 1.25)
        for _ in range(n):
            y = smooth(smooth(y, 1.25), 1.25) * x
        return y

    x = np.linspace(-1, 1, 5, dtype="f4")
    model = program.model()
    assert names(model) == ["smooth"]
    np.testing.assert_allclose(run(model, [x, np.array(3)])[0], program.python(x, 3), rtol=1e-5)


def test_several_results_and_what_is_unused() -> None:
    def both(x: Any, y: Any) -> tuple[Any, Any]:
        t = np.tanh(x * y) + np.exp(-x * x) + np.sin(y)
        return t * x, t - y

    @graph_program
    def program(x: Vector, y: Vector) -> Any:
        a, b = both(x, y)
        c, _ = both(b, a)
        _, d = both(c, c)
        return a, d

    x, y = np.linspace(-1, 1, 5, dtype="f4"), np.linspace(0, 2, 5, dtype="f4")
    found = run(program.model(), [x, y])
    for got, wanted in zip(found, program.python(x, y), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)


def test_errors_of_called_functions() -> None:
    def root(v: float) -> float:
        if v < 0:
            raise ValueError(f"negative: {v}")
        return v**0.5 + np.tanh(v) * 2 - np.exp(-v)

    @graph_program
    def program(a: float, b: float, c: float) -> Any:
        return root(a) + root(b) * root(c)

    model = program.model()
    at = [o.name for o in model.graph.output].index("error")
    feeds = [np.array(v) for v in (1.0, -2.0, 3.0)]
    assert run(model, feeds)[at] == run(program.model(local_functions=False), feeds)[at] != 0


def test_nothing_to_gain() -> None:
    @graph_program
    def program(x: Vector) -> Any:
        def double(v: Any) -> Any:
            return v + v

        return double(double(x))

    assert not program.model().functions


def test_a_further_call_costs_a_node() -> None:
    def model_of(factors: tuple[float, ...]) -> onnx.ModelProto:
        @graph_program
        def program(x: Vector) -> Any:
            for factor in factors:
                x = smooth(x, factor)
            return x

        return program.model()

    few, many = model_of((1.5, 2.5, 3.5)), model_of((1.5, 2.5, 3.5, 4.5, 5.5))
    assert len(many.graph.node) - len(few.graph.node) == 2


def test_calls_inside_of_calls_at_the_same_depth() -> None:
    """In a round that is peeled, loops of one function contain what another has made that was called with it."""

    @graph_program
    def strengths(x: np.ndarray, n: int) -> Any:
        total = 0
        for _ in range(n):
            total = total + np.linalg.svd(x)[1]
        return total

    x = np.array([[0.5, 2.0], [1.0, -1.0]])
    (total,) = (v for v in run(strengths.model((x, 2)), [x, np.array(2)]) if v.shape == (2,))
    np.testing.assert_allclose(total, strengths.python(x, 2))


def test_a_function_is_for_one_set_of_element_types() -> None:
    def gated(x: Any, y: Any) -> Any:
        a = np.tanh(x * x * y) + np.exp(-x) * np.sin(y)
        b = np.tanh(a * y) + np.exp(-a) * np.sin(x * x)
        return np.tanh(b * y) + np.exp(-b) * np.sin(a)

    def program(x: Vector, y: Vector, z: Float64[np.ndarray, "m"], w: Float64[np.ndarray, "m"]) -> Any:
        return gated(x, y), gated(y, x), gated(z, w), gated(w, z)

    model = graph_program(program).model()
    assert names(model) == ["gated", "gated_2"]
    x, z = np.linspace(0, 1, 5, dtype=np.float32), np.linspace(-1, 1, 7)
    for expected, found in zip(program(x, x + 1, z, -z), run(model, [x, x + 1, z, -z]), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6)
