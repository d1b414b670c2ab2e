"""Ranges of values over a calibration set: inside of loops and branches, and sets that do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import parser

from graph_program import ExportError, Float32, Quantization, Tensor, graph_program, load
from graph_program.quantized.ranges import ranges_of
from tests.quantized.subjects import STATE, XS, nodes_of, normal, operators, recurrent

NESTED = """<ir_version: 10, opset_import: ["" : 20]>
nested (float[n] x, int64 count, bool test) => (float[n] y)
<bool yes = {1}, float two = {2.0}>
{
  y = Loop (count, yes, x) <body = body (int64 k, bool go, float[n] a) => (bool on, float[n] c) {
    on = Identity (go)
    b = If (test) <
      then_branch = side () => (float[n] b1) { s = Mul (a, two)  b1 = Neg (s) },
      else_branch = other () => (float[n] b2) { zero = Constant <value = int64 {0}> ()
        b2 = Loop (zero, go, a) <body = never (int64 j, bool g, float[n] d) => (bool h, float[n] e) {
          h = Identity (g)  e = Neg (d) }>
      }>
    c = Identity (b)
  }>
}
"""


def nested_ranges(feeds: list[dict[str, Any]]) -> tuple[dict[str, tuple[float, float]], int]:
    model = ir.from_proto(onnx.shape_inference.infer_shapes(parser.parse_model(NESTED)))
    negations = [node for node in model.graph.all_nodes() if node.op_type == "Neg"]
    users = [(node, [value for value in (*node.inputs, *node.outputs) if value is not None]) for node in negations]
    found, count = ranges_of(model, users, feeds, "")
    return {value: known for (_, value), known in found.items()}, count


def feed(*x: float, count: int = 2, test: bool = True) -> dict[str, Any]:
    return {"x": np.array(x, np.float32), "count": np.array(count), "test": np.array(test)}


def test_ranges_over_rounds_and_examples() -> None:
    found, count = nested_ranges([feed(1, -3), feed(0.5), feed(9, test=False)])
    assert count == 3
    assert found == {"s": (-6.0, 12.0), "b1": (-12.0, 6.0)}  # no round of the inner loop has run


def test_no_rounds_and_empty_arrays_are_no_ranges() -> None:
    assert nested_ranges([feed(7, count=0)]) == ({}, 1)
    assert nested_ranges([feed()]) == ({}, 1)
    assert nested_ranges([]) == ({}, 0)


def test_numbers_that_are_not_finite_are_no_ranges() -> None:
    found, _ = nested_ranges([feed(1, 2), feed(np.inf, 2), feed(np.nan, 2)])
    assert found == {}


def test_a_generator_is_read_once_and_one_by_one(tmp_path: Path) -> None:
    read = []

    def examples() -> Iterator[Any]:
        for number in range(3):
            read.append(number)
            yield (normal(4 + number, 32),) if number else {"xs": XS}

    report = recurrent.export(tmp_path / "r.onnx", (XS,), quantize=Quantization("int8", calibration=examples()))
    assert read == [0, 1, 2]
    assert report.quantized is not None and report.quantized.examples == 3


def test_the_range_of_a_state_in_a_loop(tmp_path: Path) -> None:
    path = tmp_path / "recurrent.onnx"
    recurrent.export(path, (XS,), quantize=Quantization("int8", calibration=[(XS,)]))
    arrays = {array.name: onnx.numpy_helper.to_array(array) for array in onnx.load(path).graph.initializer}
    scales = sorted(float(arrays[node.input[1]]) for node in nodes_of(path) if node.op_type == "QuantizeLinear")
    rounds = [k for k in range(len(XS)) if k % 3 != 2]
    states = np.concatenate([np.zeros((1, STATE)), recurrent.python(XS)[0]])[rounds]
    wanted = [(part.max(initial=0) - part.min(initial=0)) / 255 for part in (states, XS[rounds])]
    assert np.allclose(scales, sorted(wanted), rtol=1e-5)


def test_what_no_example_reaches_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "branched.onnx"
    asked = Quantization("int8", calibration=[(np.float32([1] * 32),)])
    report = branched.export(path, (np.float32([-1] * 32),), quantize=asked).quantized
    assert report is not None and len(report.kept) == 1
    assert operators(path)["MatMulInteger"] == 1 and operators(path)["MatMul"] == 1
    x = np.float32([-1] * 32)
    assert np.allclose(load(path)(x), branched.python(x), atol=1e-5)


UP, DOWN = normal(32, 32), normal(32, 32)


@graph_program
def branched(x: Float32[Tensor, "32"]) -> Any:
    if x[0] > 0:
        return x @ UP
    return x @ DOWN


@graph_program
def checked(x: Float32[Tensor, "n 32"], k: int) -> Any:
    if k < 0:
        raise ValueError("k is negative")
    return x[k] @ UP


@graph_program
def looked_up(tokens: Any) -> Any:
    """Whose types are those of the arguments of the export."""
    return TABLE[tokens] @ UP


TABLE = normal(50, 32)
X = normal(3, 32)
OTHER = "example 1 of the calibration set does not fit: it has other types or sizes than the arguments of the export"


@pytest.mark.parametrize(
    ("program", "args", "examples", "text"),
    [
        (recurrent, (XS,), [], "the calibration set is empty"),
        (
            recurrent,
            (XS,),
            [(XS,), (XS[:, :31],)],
            "example 2 of the calibration set does not fit: parameter xs: expec",
        ),
        (recurrent, (XS,), [(XS.astype(np.float64),)], "example 1 of the calibration set does not fit: parameter xs"),
        (recurrent, (XS,), [(XS, XS)], "example 1 of the calibration set does not fit: recurrent() takes 1 positional"),
        (recurrent, (XS,), XS, "example 1 of the calibration set does not fit: it is of ndarray, not a tuple of argum"),
        *((looked_up, (np.array([1]),), [(tokens,)], OTHER) for tokens in (np.array([1.5]), np.array([True]), [1, 2])),
        (checked, (X, 1), [(X, 1.5)], OTHER),
        (checked, (X, 1), [(X, 1), (X, 3)], "the program raises IndexError with example 2 of the calibration set"),
        (checked, (X, 1), [(X, -1)], "the program raises ValueError with example 1 of the calibration set"),
    ],
)
def test_sets_that_do_not_fit(program: Any, args: Any, examples: Any, text: str, tmp_path: Path) -> None:
    with pytest.raises(ExportError) as caught:
        program.export(tmp_path / "x.onnx", args, quantize=Quantization("int8", calibration=examples))
    assert caught.value.code == "GP549" and caught.value.diagnostic.message.startswith(text)
    assert caught.value.diagnostic.hint and caught.value.loc.file == program.python.__code__.co_filename
    assert not list(tmp_path.iterdir())


def test_runs_that_fail(tmp_path: Path) -> None:
    """Without checks, onnxruntime itself fails."""
    asked = Quantization("int8", calibration=[(X, 1), (X, 7)])
    with pytest.raises(ExportError, match=r"GP549.*onnxruntime fails with example 2 of the calibration set: .*indices"):
        checked.export(tmp_path / "x.onnx", (X, 1), quantize=asked, checks="none")
    report = checked.export(tmp_path / "x.onnx", (X, 7), quantize="int8", checks="none").quantized
    assert report is not None and report.failed.startswith("the float model fails in onnxruntime: ") and report.lines


def test_a_set_of_which_no_example_reaches_anything(tmp_path: Path) -> None:
    zeros = np.zeros((3, 32), np.float32)
    with pytest.raises(ExportError, match=r"GP548.*no example of the calibration set reaches what would be quantized"):
        checked.export(tmp_path / "x.onnx", (X, 1), quantize=Quantization("int8", calibration=[(zeros, 1)]))


def test_nothing_has_a_range_that_is_fixed(tmp_path: Path) -> None:
    """Rows of a table are looked up with the ranges of each run, as a network of one LSTM is."""
    quantized = {}
    for name, examples in (("dynamic", None), ("calibrated", [(np.array([1, 2]),), (np.array([3]),)])):
        asked = Quantization("int8", calibration=examples, smallest=16)
        quantized[name] = rows.export(tmp_path / f"{name}.onnx", (np.array([1, 2]),), quantize=asked).quantized
    assert operators(tmp_path / "dynamic.onnx") == operators(tmp_path / "calibrated.onnx")
    report = quantized["calibrated"]
    assert report is not None and report.kind == "int8, dynamic, per channel" and report.examples == 0
    assert not report.kept and not report.failed
    sets: list[tuple[list[Any], str]] = [
        ([(np.array([99]),)], "raises IndexError"),
        ([], "the calibration set is empty"),
    ]
    for examples, text in sets:
        with pytest.raises(ExportError, match=rf"GP549.*{text}"):
            rows.export(tmp_path / "x.onnx", (np.array([1]),), quantize=Quantization("int8", calibration=examples))


@graph_program
def rows(tokens: Any) -> Any:
    return TABLE[tokens]
