"""Programs that call models: types and sizes from the model, errors in the same words, and where a model may be."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import Float32, GraphProgramError, Tensor, graph_program, host_function, load_onnx
from graph_program.backends.models.loaded import OnnxModel
from tests.models.agreement import agree, loaded, operators, refusal, saved

LINEAR = """<ir_version: 8, opset_import: ["" : 17]>
linear (float[n, 3] x, float[2] shift) => (float[n, 2] y) { h = MatMul (x, w)  y = Add (h, shift) }"""
PAIR = """<ir_version: 8, opset_import: ["" : 17]>
pair (float[n] x, float[n] y) => (float[n] total, float least, int64[k, 1] places)
{ total = Add (x, y)  least = ReduceMin <keepdims: int = 0> (total)  t = NonZero (x)  places = Transpose (t) }"""


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


W = np.arange(6, dtype=np.float32).reshape(3, 2)
X, SHIFT = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3), np.array([1, 2], np.float32)
ROW = np.array([0, 2, 0, 3], np.float32)


@pytest.fixture
def linear(tmp_path: Path) -> OnnxModel:
    return loaded(tmp_path, LINEAR, "linear", w=W)


@pytest.fixture
def pair(tmp_path: Path) -> OnnxModel:
    return loaded(tmp_path, PAIR, "pair")


def test_pre_and_post_processing(linear: OnnxModel, tmp_path: Path) -> None:
    def scores(x: Any, shift: Any) -> Any:
        mean = x.mean(axis=1, keepdims=True)
        y = linear(x - mean, shift)
        best = y.argmax(axis=1)
        return np.exp(y), best

    agree(scores, (X, SHIFT), (X[:1], SHIFT), (X[:0], SHIFT), folder=tmp_path)


def test_results_are_of_the_models_types(pair: OnnxModel, tmp_path: Path) -> None:
    def program(x: Any, y: Any) -> Any:
        total, least, places = pair(x, y=y)
        return total + least, places.sum(), least, places.shape[0], pair(x, y)[2][:, 0]

    agree(program, (ROW, ROW + 1), (ROW * 0, ROW), folder=tmp_path)


def test_arrays_are_new(linear: OnnxModel, pair: OnnxModel) -> None:
    def writes(x: Any, shift: Any) -> Any:
        y = linear(x, shift)
        z = linear(x, shift)
        y[0] = 7
        total, _, _ = pair(shift, shift)
        total += 1
        shift[0] = 5
        return y, z, total, linear(x, shift)

    agree(writes, (X, SHIFT))


def test_numbers_are_arguments(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    s (float x, int64 n, uint8 b) => (float y, int64 m, uint8 c) { y = Neg (x)  m = Neg (n)  c = Identity (b) }"""
    model = loaded(tmp_path, text)

    def program(a: float, n: int, k: int) -> Any:
        return model(a, n, k), model(2, n + 1, 255), model(np.float32(1), np.int64(n), np.uint8(3))

    agree(program, (0.5, 3, 7), (-1.0, -3, 256), (-1.0, -3, -1), folder=tmp_path)


def test_names_of_sizes_are_the_programs(pair: OnnxModel) -> None:
    @graph_program
    def program(x: Float32[Tensor, "a"], y: Float32[Tensor, "a"]) -> Float32[Tensor, "a"]:
        return pair(x, y)[0]

    assert "require" not in program.explain("stage") and "raise" not in program.explain("stage")

    def other(x: Any, y: Any) -> Any:
        return pair(x, y)[0]

    agree(other, (ROW, ROW), (ROW, ROW[:1]), (ROW[:2], ROW))


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ((X.astype(float), SHIFT), "GP302"),
        ((X[0], SHIFT), "GP301"),
        ((X, SHIFT[0]), "GP301"),
        ((X.astype(complex), SHIFT), "GP302"),
        ((1, SHIFT), "GP301"),
    ],
)
def test_wrong_types_are_refused_in_pythons_words(linear: OnnxModel, args: Any, code: str) -> None:
    def program(x: Any, shift: Any) -> Any:
        return linear(x, shift)

    with pytest.raises((TypeError, ValueError)) as plain:
        program(*args)
    error = refusal(lambda: graph_program(program)(*args))
    assert error.code == code and isinstance(error, type(plain.value)) and str(plain.value) in str(error)
    assert error.loc.file == __file__


@pytest.mark.parametrize("call", [lambda f, x, s: f(x), lambda f, x, s: f(x, s, s), lambda f, x, s: f(x, z=s)])
def test_wrong_numbers_of_arguments(linear: OnnxModel, call: Any) -> None:
    def program(x: Any, s: Any) -> Any:
        return call(linear, x, s)

    with pytest.raises(TypeError) as plain:
        program(X, SHIFT)
    error = refusal(lambda: graph_program(program)(X, SHIFT))
    assert error.code == "GP320" and isinstance(error, TypeError) and str(plain.value) in str(error)


def test_wrong_sizes_are_python_errors(linear: OnnxModel) -> None:
    def program(x: Any, shift: Any, k: int) -> Any:
        try:
            y = linear(x[:, :k], shift)
        except ValueError as error:
            return str(error), x
        return "fine", y

    agree(program, (X, SHIFT, 3), (X, SHIFT, 2))
    agree(lambda x, shift: linear(x, shift), (X, SHIFT), (X[:, :2], SHIFT), (X, SHIFT[:1]))


def test_what_a_model_only_says_is_checked(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    liar (float[n] x, int64[2] shape) => (float[n, 2] y) { y = Reshape (x, shape) }"""
    liar = loaded(tmp_path, text)

    def program(x: Any, shape: Any) -> Any:
        return liar(x, shape) * 2

    agree(program, (ROW, np.array([2, 2])), (ROW[:2], np.array([1, 2])), (ROW, np.array([4, 1])))


def test_ranks_that_a_model_only_says_are_checked(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    liar (float[n] x, int64[k] shape) => (float[m, 2] y, float z)
    { y = Reshape (x, shape)  c = Cast <to: int = 9> (x0)
      z = If (c) < then_branch: graph = a () => (float p) { p = ReduceSum <keepdims: int = 0> (x) },
                   else_branch: graph = b () => (float[1] p) { p = ReduceSum <keepdims: int = 1> (x) } > }"""
    liar = loaded(tmp_path, text, x0=np.array(1, np.float32))
    other = loaded(tmp_path, text, "other", x0=np.array(0, np.float32))
    assert [port.has_rank for port in liar.outputs] == [False, False]

    def program(x: Any, shape: Any) -> Any:
        y, z = liar(x, shape)
        return y * 2, z + 1, y.shape

    agree(program, (ROW, np.array([2, 2])), (ROW, np.array([4])), (ROW, np.array([2, 2, 1])))
    agree(lambda x, shape: other(x, shape)[1] * 2, (ROW, np.array([2, 2])))


def test_members_and_complex_numbers(tmp_path: Path) -> None:
    model = loaded(tmp_path, '<ir_version: 8, opset_import: ["":17]> n (int64 n) => (int64 m) { m = Neg (n) }')
    agree(lambda x: model(Level.HIGH) + x, (ROW,))
    error = refusal(lambda: graph_program(lambda x: model(2j) + x)(ROW))
    assert "the input 'n' is int64, got complex" in str(error)


def test_a_run_that_fails(tmp_path: Path) -> None:
    text = '<ir_version: 8, opset_import: ["":17]> r (float[n] x, int64[1] s) => (float[m] y) { y = Reshape (x, s) }'
    reshape = loaded(tmp_path, text)

    def program(x: Any, k: int) -> Any:
        return reshape(x + 1, np.array([k]))

    agree(program, (ROW, 4), (ROW, -1), (ROW, 3))


# ---------------------------------------------------------------- where a model may be


@dataclass
class Detector:
    model: OnnxModel
    shift: Any
    gain: float = 2.0

    def __call__(self, x: Any) -> Any:
        return self.model(x, self.shift) * self.gain


class Two(NamedTuple):
    first: OnnxModel
    second: OnnxModel


def test_in_objects_and_containers(linear: OnnxModel, tmp_path: Path) -> None:
    other = loaded(tmp_path, LINEAR, "other", w=W * 2)
    models = {"a": linear, "b": other}
    listed, two = [linear, other, linear], Two(linear, other)
    detector = Detector(other, SHIFT)

    def program(x: Any, shift: Any) -> Any:
        total = detector(x) + two.second(x, shift)
        for model in listed:
            total = total + model(x, shift)
        for key, model in models.items():
            total = total * model(x, shift) if key == "b" else total
        best = max(listed, key=lambda m: len(m.name))
        return total, best(x, shift), [model(x, shift)[0, 0] for model in listed]

    agree(program, (X, SHIFT), (X[:2], SHIFT), folder=tmp_path)


def test_as_an_argument(linear: OnnxModel, tmp_path: Path) -> None:
    other = loaded(tmp_path, LINEAR, "other", w=W * 2)

    def program(model: Any, detector: Detector, x: Any) -> Any:
        return model(x, SHIFT) + detector(x)

    program_ = agree(program, (linear, Detector(other, SHIFT), X), (other, Detector(linear, SHIFT), X))
    assert len(program_.extractions) >= 2


def test_in_helpers_and_closures(linear: OnnxModel, tmp_path: Path) -> None:
    def twice(model: Any, x: Any) -> Any:
        def once(shift: Any) -> Any:
            return model(x, shift)

        return once(SHIFT) - once(SHIFT * 2)

    def program(x: Any) -> Any:
        return twice(linear, x) + twice(lambda x, s: linear(shift=s, x=x), x)

    agree(program, (X,), folder=tmp_path)


def test_another_model_under_the_same_name(linear: OnnxModel, tmp_path: Path) -> None:
    holder = {"model": linear}

    class Box:
        model = linear

    box = Box()

    def program(x: Any) -> Any:
        return box.model(x, SHIFT)

    compiled = graph_program(program)
    np.testing.assert_array_equal(compiled(X), program(X))
    box.model = loaded(tmp_path, LINEAR, "other", w=W * 3)
    np.testing.assert_array_equal(compiled(X), program(X))
    assert holder


def test_loaded_inside(tmp_path: Path) -> None:
    path = str(saved(tmp_path, LINEAR, "linear", w=W))

    def program(x: Any) -> Any:
        return load_onnx(path)(x, SHIFT)

    compiled = graph_program(program)
    np.testing.assert_array_equal(compiled(X), program(X))
    saved(tmp_path, LINEAR, "linear", w=W + 1)
    np.testing.assert_array_equal(compiled(X), program(X))
    with pytest.raises(GraphProgramError) as error:
        graph_program(lambda x: load_onnx("nothing.onnx")(x))(X)
    assert error.value.code == "GP610" and error.value.loc.file == __file__


def test_types_of_parameters_are_the_models(linear: OnnxModel) -> None:
    """Nobody says what `x` and `shift` are: the model does."""

    @graph_program
    def program(x, shift):  # type: ignore[no-untyped-def]
        return linear(x, shift) * 2

    model = program.model()
    found = {value.name: value.type.tensor_type for value in model.graph.input}
    assert {name: type_.elem_type for name, type_ in found.items()} == {"x": 1, "shift": 1}
    assert found["x"].shape.dim[1].dim_value == 3 and found["shift"].shape.dim[0].dim_value == 2
    np.testing.assert_array_equal(program(X, SHIFT), program.python(X, SHIFT))


def test_lists_and_structures_are_no_arrays(linear: OnnxModel) -> None:
    def program(x: Any, shift: Any) -> Any:
        return linear([x, x], shift)

    with pytest.raises(TypeError) as plain:
        program(X[0], SHIFT)
    assert str(plain.value) in str(refusal(lambda: graph_program(program)(X[0], SHIFT)))


def test_values_of_the_host(linear: OnnxModel) -> None:
    import json

    def told(x: Any) -> Any:
        shift: Float32[np.ndarray, "2"] = np.asarray(json.loads("[1, 2]"), np.float32)
        return linear(x, shift)

    def untold(x: Any) -> Any:
        return linear(x, json.loads("[1, 2]"))

    agree(told, (X,), copies="ignore")
    error = refusal(lambda: graph_program(untold, copies="ignore")(X))
    assert error.loc.file == __file__


def test_attributes(linear: OnnxModel) -> None:
    def program(x: Any) -> Any:
        y = linear(x, SHIFT)
        return y if linear.name == "linear" and len(linear.inputs) == 2 else x

    agree(program, (X,))


@pytest.mark.parametrize("way", ["operators", "segments"])
def test_host_code_beside(
    linear: OnnxModel, way: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRAPH_PROGRAM_HOST", way)

    @host_function
    def gain(k: int) -> float:
        return 0.5 + k

    def program(x: Any) -> Any:
        for k in range(3):
            x = linear(np.concatenate([x, x[:, :1]], axis=1), SHIFT)
            if x.sum() > 0:
                x = x * np.float32(gain(k))
            print(k, round(float(x.sum()), 2))
        return x

    agree(program, (X[:, :2],), copies="ignore")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == lines[3:6]


def test_random_operators_are_refused(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    noise (float[n] x) => (float[n] y) { r = RandomNormalLike (x)  y = Add (x, r) }"""
    noise = loaded(tmp_path, text)
    assert noise(ROW).shape == (4,)
    error = refusal(lambda: graph_program(lambda x: noise(x))(ROW))
    assert error.code == "GP616" and "RandomNormalLike" in str(error)


def test_weights_are_there_once(linear: OnnxModel, tmp_path: Path) -> None:
    big = loaded(tmp_path, LINEAR.replace("3]", "300]"), "big", w=np.ones((300, 2), np.float32))

    def program(x: Any) -> Any:
        a = big(x, SHIFT)
        return a, big(x * 2, SHIFT), big(x, SHIFT)

    compiled = agree(program, (np.ones((2, 300), np.float32),), folder=tmp_path)
    model = compiled.model((np.ones((2, 300), np.float32),))
    assert sum(len(tensor.raw_data) for tensor in model.graph.initializer) < 3000
    assert operators(model).count("MatMul") == 2  # equal calls are one
