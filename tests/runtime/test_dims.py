"""Declared dims: bounds at calls, fixed sizes, frozen models."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import CallError, Float32, GraphProgramError, Tensor, graph_program
from graph_program.extract.types.notation.declared_dims import Bound, DeclaredDims, read_dims


def f4(*shape: int) -> Any:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@graph_program(dims={"n": (1, 8), "m": 3})
def bounded(x: Float32[Tensor, "n m"], y: Float32[Tensor, "n+1"]) -> Any:
    return x.sum() + y.sum() + x.shape[0] * x.shape[1]


# ---------------------------------------------------------------- what may be declared


@pytest.mark.parametrize(
    ("dims", "error", "text"),
    [
        (["n"], TypeError, "dims must map names of dims to a size or a pair of sizes"),
        ({1: 2}, TypeError, "dims must map names of dims"),
        ({"n": 1.5}, TypeError, "dims: n must be a size or a pair of sizes"),
        ({"n": True}, TypeError, "dims: n must be"),
        ({"n": None}, TypeError, "dims: n must be"),
        ({"n": "3"}, TypeError, "dims: n must be"),
        ({"n": (1, 2.5)}, TypeError, "dims: n must be"),
        ({"n": (None, 2)}, TypeError, "dims: n must be"),
        ({"n": (1, 2, 3)}, ValueError, "dims: n must be"),
        ({"n": ()}, ValueError, "dims: n must be"),
        ({"n": (3, 2)}, ValueError, "dims: the smallest size of n, 3, is larger than its largest, 2"),
        ({"n": -1}, ValueError, "dims: a size of n is negative"),
        ({"n": (-1, 4)}, ValueError, "dims: a size of n is negative"),
        ({"n": (1, 2**63)}, ValueError, "dims: a size of n is larger than arrays can be"),
    ],
)
def test_malformed_dims_are_refused_at_decoration(dims: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        graph_program(dims=dims)
    with pytest.raises(error, match=text):
        bounded.model(dims=dims)


def test_dims_are_read() -> None:
    dims = read_dims({"n": np.int64(3), "b": [1, 8], "a": (2, None)})
    assert dict(dims) == {"a": Bound(2, None), "b": Bound(1, 8), "n": Bound(3, 3)}
    assert dims == read_dims({"a": (2, None), "b": (1, 8), "n": (3, 3)})
    assert hash(dims) == hash(read_dims({"n": 3, "a": (2, None), "b": (1, 8)}))
    assert dims.json() == '{"a": [2, null], "b": [1, 8], "n": 3}'
    assert dims.fixed == {"n": 3}
    assert not DeclaredDims()


def test_a_name_that_is_no_dim_is_refused_at_first_use() -> None:
    @graph_program(dims={"k": 3})
    def program(x: Float32[Tensor, "n"]) -> Any:
        return x

    for use in (lambda: program(f4(3)), program.model, lambda: program.explain("graph"), lambda: program.signature):
        with pytest.raises(GraphProgramError, match="its dims are n") as caught:
            use()
        assert caught.value.code == "GP504"


def test_a_dim_of_another_alternative_is_a_dim() -> None:
    @graph_program(dims={"k": (1, 3)})
    def program(x: Float32[Tensor, "n"] | Float32[Tensor, "n k"]) -> Any:
        return x * 2

    program(f4(9))
    program(f4(9, 3))
    with pytest.raises(CallError, match="axis 1: k is 4, dims allows 1 to 3"):
        program(f4(9, 4))


# ---------------------------------------------------------------- calls


def test_bounds_hold_at_every_call() -> None:
    for n in (1, 5, 8, 2):
        assert bounded(f4(n, 3), f4(n + 1)) == bounded.python(f4(n, 3), f4(n + 1))
    for _ in range(2):
        for n in (0, 9, 100):
            with pytest.raises(CallError, match=f"parameter x, axis 0: n is {n}, dims allows 1 to 8") as caught:
                bounded(f4(n, 3), f4(n + 1))
            assert caught.value.code == "GP403"
        with pytest.raises(CallError, match="parameter x, axis 1: m is 4, dims allows 3"):
            bounded(f4(2, 4), f4(3))
    assert bounded(f4(3, 3), f4(4)) == bounded.python(f4(3, 3), f4(4))


def test_one_extraction_serves_all_sizes() -> None:
    for n in (1, 5, 8):
        bounded(f4(n, 3), f4(n + 1))
    assert bounded._calls is not None
    (cache,) = bounded._calls.caches.values()
    assert len(cache._types) == 1
    assert bounded.signature == "bounded: (float32 [n, 3], float32 [n+1]) -> np.float32"


def test_names_of_dims_without_annotation() -> None:
    @graph_program(dims={"x_0": (2, 4), "y_0": 2})
    def program(x, y):  # type: ignore[no-untyped-def]
        return x * 2, y.shape[0]

    assert program(f4(3), f4(2))[1] == 2
    assert program(f4(4), f4(2))[1] == 2
    with pytest.raises(CallError, match="x_0 is 5, dims allows 2 to 4"):
        program(f4(5), f4(2))
    with pytest.raises(CallError, match="y_0 is 3, dims allows 2"):
        program(f4(3), f4(3))
    assert program.model().graph.input[1].type.tensor_type.shape.dim[0].dim_value == 2


@dataclass
class Layer:
    w: Float32[Tensor, "m k"]


def test_dims_of_fields_and_elements() -> None:
    @graph_program(dims={"k": 2, "m": (1, 4)})
    def program(layers: list[Layer], x: Float32[Tensor, "m"]) -> Any:
        return [x @ layer.w for layer in layers]

    for got, want in zip(program([Layer(f4(3, 2))], f4(3)), program.python([Layer(f4(3, 2))], f4(3)), strict=True):
        np.testing.assert_array_equal(got, want)
    with pytest.raises(CallError, match=r"parameter layers\[0\].w, axis 1: k is 3, dims allows 2"):
        program([Layer(f4(3, 3))], f4(3))
    with pytest.raises(CallError, match=r"parameter layers\[0\].w, axis 0: m is 5, dims allows 1 to 4"):
        program([Layer(f4(5, 2))], f4(5))


def test_methods_have_dims() -> None:
    class Model:
        @graph_program(dims={"n": (1, 2)})
        def step(self, x: Float32[Tensor, "n"]) -> Any:
            return x + 1

    model = Model()
    model.step(f4(2))
    with pytest.raises(CallError, match="n is 3, dims allows 1 to 2"):
        model.step(f4(3))


# ---------------------------------------------------------------- frozen models


@graph_program
def windows(x: Float32[Tensor, "n k"]) -> Any:
    n = x.shape[0]
    half = x[: n // 2].reshape(n // 2, -1)
    grid = np.zeros((n, x.shape[1] + 1), np.float32)
    return half * 2, grid + 1, x.reshape(x.shape[1], n), n * 3


def operators(model: Any) -> Counter[str]:
    return Counter(node.op_type for node in model.graph.node)


def run(model: Any, *arrays: Any) -> list[Any]:
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, dict(zip([i.name for i in session.get_inputs()], arrays, strict=True)))


def test_freezing_leaves_no_arithmetic_of_sizes() -> None:
    before, after = operators(windows.model()), operators(windows.model(dims={"n": 6, "k": 4}))
    assert before["Shape"]
    assert not after.keys() & {"Shape", "Div", "Unsqueeze", "Squeeze", "Concat", "Gather"}
    assert sum(after.values()) < sum(before.values())


@pytest.mark.parametrize("dims", [{}, {"n": 6}, {"k": 4}, {"n": 6, "k": 4}, {"n": (1, 9)}])
def test_a_frozen_model_computes_the_same(dims: Any) -> None:
    model = windows.model(dims=dims, include_errors=False)
    for shape in ((6, 4), (4, 4), (6, 2)):
        if all(size == dims.get(name, size) or name not in dims for name, size in zip("nk", shape, strict=True)):
            for got, want in zip(run(model, f4(*shape)), windows.python(f4(*shape)), strict=True):
                np.testing.assert_array_equal(got, want)


def test_freezing_only_one_dim_keeps_the_other_open() -> None:
    (x,) = windows.model(dims={"k": 4}).graph.input
    assert [d.dim_param or d.dim_value for d in x.type.tensor_type.shape.dim] == ["n", 4]


def test_dims_of_example_arguments_stay_open() -> None:
    @graph_program
    def program(x, y):  # type: ignore[no-untyped-def]
        return x @ y

    model = program.model((f4(3, 4), f4(4, 2)), dims={"x_0": 7})
    shapes = [[d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim] for i in model.graph.input]
    assert shapes[0][0] == 7
    assert all(isinstance(size, str) for size in (shapes[0][1], *shapes[1]))


def test_a_model_may_narrow_what_the_program_declares() -> None:
    (x, _) = bounded.model(dims={"n": 2}).graph.input
    assert [d.dim_value for d in x.type.tensor_type.shape.dim] == [2, 3]
    bounded.model(dims={"n": (2, 8)})
    for dims in ({"n": 9}, {"n": (0, 3)}, {"n": (1, None)}, {"m": 4}):
        with pytest.raises(ValueError, match=r"dims: \w is declared as .* by the program, it cannot be"):
            bounded.model(dims=dims)


def test_a_frozen_model_and_calls_do_not_mix() -> None:
    windows.model(dims={"n": 6})
    np.testing.assert_array_equal(windows(f4(4, 4))[0], windows.python(f4(4, 4))[0])
    assert windows.signature.startswith("windows: float32 [n, k] -> ")


# ---------------------------------------------------------------- what the extractor makes of bounds


def test_what_is_declared_needs_no_check() -> None:
    def largest(x: Float32[Tensor, "n"]) -> Any:
        return x.max()

    assert [o.name for o in graph_program(largest).model().graph.output] == ["result", "error"]
    program = graph_program(largest, dims={"n": (1, 8)})
    assert [o.name for o in program.model().graph.output] == ["result"]
    assert program(f4(5)) == 4
    with pytest.raises(CallError, match="n is 0, dims allows 1 to 8"):
        program(f4(0))


def test_branches_on_declared_sizes_are_decided() -> None:
    def program(x: Float32[Tensor, "n"]) -> Any:
        if x.shape[0] > 8:
            return x * 2
        return x + 1

    assert operators(graph_program(program).model())["If"]
    bounded = graph_program(program, dims={"n": (0, 8)})
    assert operators(bounded.model()) == {"Add": 1}
    np.testing.assert_array_equal(bounded(f4(8)), f4(8) + 1)


def test_bounds_of_a_model_only() -> None:
    @graph_program
    def program(x: Float32[Tensor, "n"]) -> Any:
        return x.max()

    assert [o.name for o in program.model(dims={"n": (1, None)}).graph.output] == ["result"]
    assert [o.name for o in program.model().graph.output] == ["result", "error"]
    with pytest.raises(ValueError, match="zero-size array"):
        program(f4(0))


def test_a_program_that_no_declared_size_fits_is_refused() -> None:
    @graph_program(dims={"n": (5, 8)})
    def program(x: Float32[Tensor, "n"], y: Float32[Tensor, "3"]) -> Any:
        return x + y

    with pytest.raises(ValueError, match="could not be broadcast together"):
        program.model()


# ---------------------------------------------------------------- names


def shapes(model: Any) -> list[list[Any]]:
    return [[d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim] for i in model.graph.input]


def test_axes_have_names_of_their_own() -> None:
    @graph_program
    def add(x: Float32[Tensor, "n"], y: Float32[Tensor, "n"]) -> Any:
        return x + y

    assert shapes(add.model(dims={"x_0": 3})) == shapes(add.model(dims={"n": 3})) == [[3], [3]]
    with pytest.raises(ValueError, match="one dim cannot be both 3 and 4"):
        add.model(dims={"x_0": 3, "y_0": 4})


def test_names_of_the_inferred_signature() -> None:
    @graph_program
    def product(x: Float32[Tensor, "_ _"], y):  # type: ignore[no-untyped-def]
        return x @ y

    signature = product.signature
    assert signature.startswith("product: ")
    example = f4(2, 3), f4(3, 4)
    assert shapes(product.model(example, dims={"x_0": 7}))[0][0] == 7


def test_sizes_that_make_others_negative_are_refused() -> None:
    @graph_program
    def program(x: Float32[Tensor, "n"], y: Float32[Tensor, "n-2"]) -> Any:
        return x[2:] + y

    assert shapes(program.model(dims={"n": 2})) == [[2], [0]]
    with pytest.raises(ValueError, match="dims: n-2 is negative with n=1"):
        program.model(dims={"n": 1})
