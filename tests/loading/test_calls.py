"""What a loaded program is besides a function: its signature, its inputs, its refusals."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import Float32, GraphProgramError, Tensor, graph_program, load
from graph_program.onnx_program.told import CallError

F32 = np.float32


@dataclass
class Layer:
    w: Float32[Tensor, "n k"]
    b: Any


@graph_program(dims={"m": (1, 8)})
def dense(x: Float32[Tensor, "m n"], layer: Layer, pair: tuple[float, int], n: int = 2, mode: str = "a") -> Any:
    y = x @ layer.w + layer.b + pair[0] * n
    return {"y": y, "mode": mode}


def given(**other: Any) -> dict[str, Any]:
    return {"x": np.ones((2, 3), F32), "layer": Layer(np.ones((3, 4), F32), np.ones(4, F32)), "pair": (1.0, 2), **other}


@pytest.fixture(scope="module")
def model() -> bytes:
    return dense.model(given()).SerializeToString()  # type: ignore[no-any-return]


def test_it_looks_like_the_function(model: bytes, tmp_path: Path) -> None:
    path = tmp_path / "dense.onnx"
    path.write_bytes(model)
    for program in (load(path), load(str(path)), load(model)):
        assert program.__name__ == "dense"
        assert str(inspect.signature(program)) == "(x, layer, pair, n=2, mode='a')"
        assert repr(program) == "<onnx program dense(x, layer, pair, n=2, mode='a')>"


def test_inputs_and_feeds(model: bytes) -> None:
    program = load(model)
    assert program.inputs["x"] == ("float32", ("m", "n"))
    assert list(program.inputs) == ["x", "layer.w", "layer.b", "pair.0", "pair.1", "n"]
    assert list(program.outputs)[:2] == ["result.y", "error"]
    feed = program.feed(**given())
    assert {name: array.dtype.name for name, array in feed.items()} == {
        name: port.dtype for name, port in program.inputs.items()
    }
    session = onnxruntime.InferenceSession(model)
    np.testing.assert_array_equal(session.run(["result.y"], feed)[0], program(**given())["y"])
    back = program.arguments(feed)
    np.testing.assert_array_equal(back["layer"].w, given()["layer"].w)
    assert back["pair"] == (1.0, 2) and back["n"] == 2 and "mode" not in back


def test_classes_are_those_given_or_stand_ins(model: bytes) -> None:
    assert load(model, classes=[Layer]).classes["Layer"] is Layer
    assert load(model, classes={"Layer": Layer}).classes["Layer"] is Layer
    assert load(model, classes={f"{__name__}.Layer": Layer}).classes["Layer"] is Layer
    with pytest.raises(TypeError, match="classes must be classes or functions, or a dict of them by name, not 3"):
        load(model, classes=[3])
    program = load(model)
    layer = program.classes["Layer"](w=np.ones((3, 4), F32), b=np.ones(4, F32))
    assert repr(layer).startswith("Layer(w=array(")
    np.testing.assert_array_equal(program(**given(layer=layer))["y"], dense.python(**given())["y"])


MISFITS: dict[str, dict[str, Any]] = {
    "element type": {"x": np.ones((2, 3))},
    "rank": {"x": np.ones(3, F32)},
    "list": {"x": [[1.0]]},
    "None": {"x": None},
    "sizes across arguments": {"x": np.ones((2, 2), F32)},
    "declared dims": {"x": np.ones((9, 3), F32)},
    "field": {"layer": Layer(np.ones((3, 4)), np.ones(4, F32))},
    "masked": {"x": np.ma.ones((2, 3), F32)},
    "byte order": {"x": np.ones((2, 3), ">f4")},
    "objects": {"x": np.ones((2, 3), object)},
    "large": {"n": 2**70},
    "keyword": {"z": 1},
}


@pytest.mark.parametrize("name", MISFITS)
def test_arguments_that_do_not_fit(name: str, model: bytes) -> None:
    """The same refusal as of the program, except for the place in the source, which the file does not have."""
    with pytest.raises(Exception) as wanted:
        dense(**given(**MISFITS[name]))
    with pytest.raises(Exception) as found:
        load(model)(**given(**MISFITS[name]))
    assert type(found.value).__name__ == type(wanted.value).__name__
    assert str(found.value).splitlines()[0] == _without_place(wanted.value)


def _without_place(error: BaseException) -> str:
    text = str(error).splitlines()[0]
    return text[text.index("error[") :] if isinstance(error, GraphProgramError) else text


@pytest.mark.parametrize(
    "other, words",
    [
        ({"mode": "b"}, "GP401.*mode: the model was exported for 'a', got 'b'\n  help: export the program again"),
        ({"mode": np.eye(2)}, r"GP401.*for 'a', got array\(\[\[1\., 0\.\], \[0\., 1\.\]\]\)\n  help: export"),
        ({"mode": "b" * 99}, r"GP401.*for 'a', got 'b{76}\.\.\.\n  help: export"),
        ({"n": 2.0}, "GP401.*n: expected int, got a Python float"),
        ({"pair": (1.0,)}, "GP402.*pair: expected 2 elements, got 1"),
        ({"pair": [1.0, 2]}, "GP402.*pair: expected a tuple, got a Python list"),
        ({"pair": (1.0, "s")}, r"GP401.*pair\[1\]: expected int, got a str"),
        ({"layer": 3}, "GP401.*layer: expected a Layer, got a Python int"),
    ],
)
def test_what_a_program_takes_and_the_file_does_not(other: Any, words: str, model: bytes) -> None:
    with pytest.raises(CallError, match=words):
        load(model)(**given(**other))


def test_missing_arguments(model: bytes) -> None:
    program = load(model)
    for args in ((), (1, 2, 3, 4, 5, 6)):
        with pytest.raises(TypeError) as wanted:
            dense(*args)
        with pytest.raises(TypeError) as found:
            program(*args)
        assert str(found.value) == str(wanted.value)


@graph_program
def add_into(x: Any, y: Any, d: Any, e: Any) -> Any:
    x += y
    d["n"] += 1
    return e["n"]


def test_arguments_that_share_memory() -> None:
    example = np.ones((3, 2)), np.ones((3, 2)), {"n": 1}, {"n": 2}
    program = load(add_into.model(example).SerializeToString())
    x, one = np.ones((3, 2)), {"n": 1}
    repeated = np.lib.stride_tricks.as_strided(np.ones(2), (3, 2), (0, 8))
    for args in ((x, x, {"n": 1}, {"n": 2}), (x, x + 1, one, one), (repeated, x, {"n": 1}, {"n": 2})):
        with pytest.raises(GraphProgramError) as wanted:
            add_into(*args)
        with pytest.raises(CallError) as found:
            program(*args)
        assert found.value.code == wanted.value.code == "GP405"
        assert str(found.value) in str(wanted.value)


def test_read_only_arrays() -> None:
    example = np.ones((3, 2)), np.ones((3, 2)), {"n": 1}, {"n": 2}
    program = load(add_into.model(example).SerializeToString())
    x = np.ones((3, 2))
    x.flags.writeable = False
    one = {"n": 1}
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        program(x, np.ones((3, 2)), one, {"n": 2})
    assert one == {"n": 1}  # nothing was changed
    program(x, np.zeros((3, 2)), one, {"n": 2})


def test_what_a_program_was_specialised_for_is_asked_for() -> None:
    @graph_program
    def flattened(x: Any) -> Any:
        y = x.ravel()
        y[0] = 5
        return x

    program = load(flattened.model((np.ones((3, 2)),)).SerializeToString())
    np.testing.assert_array_equal(program(np.ones((3, 2))), flattened.python(np.ones((3, 2))))
    with pytest.raises(CallError, match="layout is C, got F"):
        program(np.ones((2, 3)).T)


W = np.ones((3, 2))


@graph_program
def captured(x: Any) -> Any:
    return x @ W


def test_captured_arrays_are_constants_or_inputs() -> None:
    x = np.ones(3)
    frozen = load(captured.model((x,)).SerializeToString())
    np.testing.assert_array_equal(frozen(x), x @ W)
    program = load(captured.model((x,), freeze=False).SerializeToString())
    with pytest.raises(CallError, match=r"takes the captured array 'W' as an input\n  help: set captured\['W'\]"):
        program(x)
    program.captured["W"] = W * 2
    np.testing.assert_array_equal(program(x), x @ W * 2)
    program.arguments({"x": x, "W": W * 3})
    np.testing.assert_array_equal(program(x), x @ W * 3)


def test_bfloat16_is_refused() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    from graph_program.onnx_program.told import LoadError

    @graph_program
    def double(x: Any) -> Any:
        return x + x

    model = double.model((np.ones(3, ml_dtypes.bfloat16),)).SerializeToString()
    with pytest.raises(LoadError, match="bfloat16, which onnxruntime does not exchange with NumPy"):
        load(model)


@dataclass
class Weights:
    w: Any
    few: Any


def weighed(x: Any, p: Weights) -> Any:
    return x @ p.w + p.few


def test_a_file_has_the_arrays_of_what_it_is_fixed_to_once(tmp_path: Path) -> None:
    weights = Weights(np.random.default_rng(0).random((200, 50)), np.arange(50))
    x = np.ones((2, 200))
    path = tmp_path / "weighed.onnx"
    graph_program(weighed).export(path, (x, weights), static=("p",))
    assert path.stat().st_size < 1.1 * weights.w.nbytes
    program = load(path)
    again = Weights(np.asfortranarray(weights.w), weights.few.copy())
    for given in (weights, again):
        np.testing.assert_allclose(program(x, given), weighed(x, weights))
    known = program.arguments({"x": x})
    np.testing.assert_allclose(program(**known), weighed(x, weights))
    again.w[3, 4] += 1
    for w in (again.w, weights.w.astype(np.float32), weights.w[:, :49]):
        with pytest.raises(CallError, match=r"GP401.*p.w: the model was exported for <array of float64 \(200, 50\)>"):
            program(x, Weights(w, weights.few))
    with pytest.raises(CallError, match=r"GP401.*p.few: the model was exported for array\(\[ 0,  1"):
        program(x, Weights(weights.w, weights.few + 1))


def test_a_size_that_the_file_fixes_is_told() -> None:
    program = load(dense.model(given(), dims={"n": 3}).SerializeToString())
    with pytest.raises(CallError, match=r"parameter x: expected float32 \[m, n\] with n=3, m=2, got \(2, 4\)"):
        program(**given(x=np.ones((2, 4), F32)))
