"""A loaded model in plain Python: what it says of itself, what it takes and gives, and what it refuses."""

from __future__ import annotations

import copy
import enum
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import ModelError, graph_program, load_onnx
from graph_program.backends.models.loaded import OnnxModel
from tests.models.agreement import loaded, saved


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


LINEAR = """<ir_version: 8, opset_import: ["" : 17]>
linear (float[n, 3] x, float[2] shift) => (float[n, 2] y) {
    h = MatMul (x, w)
    y = Add (h, shift)
}"""
W = np.arange(6, dtype=np.float32).reshape(3, 2)
SWAPPED, SWAPPED64 = (np.dtype(dtype).newbyteorder("S") for dtype in (np.float32, np.float64))
ORDER = f"{'big' if sys.byteorder == 'little' else 'little'}-endian byte order"
X, SHIFT = np.ones((4, 3), np.float32), np.array([1, 2], np.float32)


@pytest.fixture
def linear(tmp_path: Path) -> OnnxModel:
    return loaded(tmp_path, LINEAR, "linear", w=W)


def test_by_position_and_by_name(linear: OnnxModel) -> None:
    want = X @ W + SHIFT
    for found in (linear(X, SHIFT), linear(X, shift=SHIFT), linear(shift=SHIFT, x=X)):
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, want)


def test_what_it_says_of_itself(linear: OnnxModel) -> None:
    assert [str(port) for port in linear.inputs] == ["x: float32 [n, 3]", "shift: float32 [2]"]
    assert [str(port) for port in linear.outputs] == ["y: float32 [n, 2]"]
    assert str(linear.signature) == "(x, shift)" and linear.name == "linear"


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        ((X,), TypeError, "linear() missing a required argument: 'shift'"),
        ((X, SHIFT, 1), TypeError, "linear() too many positional arguments"),
        ((X.astype(float), SHIFT), TypeError, "linear(): the input 'x' is float32, got float64"),
        (
            (X.astype(SWAPPED), SHIFT),
            TypeError,
            f"linear(): the input 'x' is float32, got float32 in {ORDER}: convert it with astype('float32')",
        ),
        ((X.astype(SWAPPED64), SHIFT), TypeError, f"linear(): the input 'x' is float32, got float64 in {ORDER}"),
        ((X, [1, 2]), TypeError, "linear(): the input 'shift' is an array, got list"),
        ((X, None), TypeError, "linear(): the input 'shift' is an array, got NoneType"),
        ((X, SHIFT[0]), ValueError, "linear(): the input 'shift' has 1 dimensions, got 0"),
        ((X, 1), ValueError, "linear(): the input 'shift' has 1 dimensions, got 0"),
        ((X, True), TypeError, "linear(): the input 'shift' is float32, got bool"),
        ((X[:, :2], SHIFT), ValueError, "linear(): axis 1 of the input 'x' is 3, got 2"),
    ],
)
def test_what_it_does_not_take(linear: OnnxModel, args: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as found:
        linear(*args)
    assert str(found.value) == text


def test_a_name_is_one_size(tmp_path: Path) -> None:
    add = loaded(
        tmp_path, '<ir_version: 8, opset_import: ["":17]> a (float[n] x, float[n] y) => (float[n] z) {z = Add (x, y)}'
    )
    with pytest.raises(ValueError, match=r"net\(\): axis 0 of the input 'y' is n=3, got 1"):
        add(np.ones(3, np.float32), np.ones(1, np.float32))


@pytest.mark.parametrize("name", ["?", "None", "-1"])
def test_what_stands_for_open_sizes_is_no_name(name: str, tmp_path: Path) -> None:
    add = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["":17]> a (float[n, n] x) => (float[n, n] y) { y = Neg (x) }'
    )
    for value in (*add.graph.input, *add.graph.output):
        for size in value.type.tensor_type.shape.dim:
            size.dim_param = name
    onnx.save(add, tmp_path / "net.onnx")
    net = load_onnx(tmp_path / "net.onnx")

    @graph_program
    def program(x: Any) -> Any:
        return net(x) + 1

    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(net(x), -x)
    np.testing.assert_array_equal(program(x), 1 - x)


def test_what_the_model_only_says_is_checked(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    liar (float[n] x, int64[k] shape) => (float[n, 2] y) { y = Reshape (x, shape) }"""
    liar = loaded(tmp_path, text)
    x = np.ones(4, np.float32)
    np.testing.assert_array_equal(
        loaded(tmp_path, text.replace("[n, 2] y", "[m, 2] y"))(x, np.array([2, 2])), np.ones((2, 2))
    )
    with pytest.raises(ValueError, match=r"the model says that axis 0 of its output 'y' is 4, and it is 2"):
        liar(x, np.array([2, 2]))
    with pytest.raises(ValueError, match=r"net\(\): the output 'y' has 2 dimensions, got 1"):
        liar(x, np.array([4]))


def test_a_failing_run_is_a_runtime_error(tmp_path: Path) -> None:
    text = '<ir_version: 8, opset_import: ["":17]> r (float[n] x, int64[k] s) => (float[m] y) { y = Reshape (x, s) }'
    with pytest.raises(RuntimeError, match=r"^net\(\): ") as error:
        loaded(tmp_path, text)(np.ones(4, np.float32), np.array([3]))
    assert error.value.__cause__ is None and error.value.__suppress_context__


def test_numbers(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    s (float x, int64 n, uint8 b, bool f) => (float y, int64 m, uint8 c, bool g)
    { y = Neg (x)  m = Neg (n)  c = Identity (b)  g = Not (f) }"""
    model = loaded(tmp_path, text)
    for found, want in zip(model(2, -3, 255, True), (-2, 3, 255, False), strict=True):
        assert type(found) is np.ndarray and found.shape == () and found == want
    assert model(np.float32(0.5), np.int64(1), np.uint8(1), np.bool_(True))[0] == -0.5
    with pytest.raises(OverflowError, match="Python integer 256 out of bounds for uint8"):
        model(1, 1, 256, True)
    with pytest.raises(OverflowError, match=f"Python integer {2**70} out of bounds for int64"):
        model(1, 2**70, 1, True)
    for n, cls in ((1.0, "float"), (1j, "complex")):
        with pytest.raises(TypeError, match=f"the input 'n' is int64, got {cls}"):
            model(1, n, 1, True)
    assert model(1, Level.HIGH, 1, True)[1] == -2 and model(1e300, 0, 0, False)[0] == -np.inf


def test_names_that_python_does_not_have(tmp_path: Path) -> None:
    text = '<ir_version: 8, opset_import: ["":17]> q (float[n] x) => (float[n] y) { y = Neg (x) }'
    path = saved(tmp_path, text, "3 layers")
    proto = onnx.load(path)
    proto.graph.input[0].name = proto.graph.node[0].input[0] = "onnx::Gemm.1"
    onnx.save(proto, path)
    model = load_onnx(path)
    assert model.name == "model_3_layers" and str(model.signature) == "(onnx__Gemm_1)"
    assert model(onnx__Gemm_1=np.ones(1, np.float32)) == -1


def test_equal_by_content_and_pickled_by_path(linear: OnnxModel, tmp_path: Path) -> None:
    other = loaded(tmp_path, LINEAR, "other", w=W)
    third = loaded(tmp_path, LINEAR, "third", w=W + 1)
    assert linear == other and hash(linear) == hash(other) and linear != third
    again = pickle.loads(pickle.dumps(third))
    assert again == third and copy.deepcopy(third) == third
    pickled = pickle.dumps(third)
    saved(tmp_path, LINEAR, "third", w=W)
    with pytest.raises(ModelError, match="another one than when it was pickled"):
        pickle.loads(pickled)


def test_initializers_are_no_inputs(tmp_path: Path) -> None:
    text = """<ir_version: 3, opset_import: ["" : 9]>
    old (float[n, 3] x, float[3, 2] w) => (float[n, 2] y) { y = MatMul (x, w) }"""
    model = loaded(tmp_path, text, w=W)
    assert [port.name for port in model.inputs] == ["x"]
    np.testing.assert_array_equal(model(X), X @ W)
