"""`export(quantize="float16")`: what has 16 bits, islands, casts, and what stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import checker, parser

from graph_program import Float32, GraphProgramError, Int64, Quantization, Tensor, graph_program, load, load_onnx
from graph_program.backends.onnxruntime.versions import newest_opset
from graph_program.onnx_program.told import LoadError
from graph_program.quantized.float16 import in_float16
from tests.quantized.subjects import COUNTS, TOKENS, XS, counted, line, nodes_of, normal, operators, recurrent

FLOAT, FLOAT16 = onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16


def types(path: Path) -> dict[str, int]:
    """Element types of inputs and outputs."""
    graph = onnx.load(path).graph
    return {value.name: value.type.tensor_type.elem_type for value in (*graph.input, *graph.output)}


def test_loops_and_branches_carry_16_bits(tmp_path: Path) -> None:
    path = tmp_path / "recurrent.onnx"
    report = recurrent.export(path, (XS,), quantize="float16").quantized
    (loop,) = (node for node in nodes_of(path) if node.op_type == "Loop")
    body = next(attribute.g for attribute in loop.attribute if attribute.name == "body")
    carried = [value.type.tensor_type.elem_type for value in (*body.input, *body.output)]
    assert FLOAT not in carried and carried.count(FLOAT16) >= 4
    assert types(path)["xs"] == types(path)["result.0"] == FLOAT
    states, count = load(path)(XS)
    wanted, same = recurrent.python(XS)
    assert count == same and np.abs(states - wanted).max() < 5e-3
    assert report is not None and not report.decisions and report.bytes < 0.8 * report.float_bytes


def test_integers_are_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "counted.onnx"
    counted.export(path, (TOKENS, 3), quantize="float16")
    assert load(path)(TOKENS, 3)[1] == counted.python(TOKENS, 3)[1]
    arrays = onnx.load(path).graph.initializer
    assert any(array.raw_data == COUNTS.tobytes() for array in arrays)
    assert FLOAT not in {array.data_type for array in arrays}


def test_types_of_inputs_and_outputs_where_that_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "recurrent.onnx"
    recurrent.export(path, (XS,), quantize=Quantization("float16", keep_types=False))
    assert types(path)["xs"] == types(path)["result.0"] == FLOAT16
    assert operators(path)["Cast"] == 0
    with pytest.raises(
        LoadError, match=r"inputs and outputs are of float16, and not of the types of its function \(keep_types=False\)"
    ):
        load(path)  # whose types are others


@pytest.mark.parametrize("opset", [17, 18, 21, newest_opset()])
def test_opsets(opset: int, tmp_path: Path) -> None:
    asked = Quantization("float16", exclude=("sigmoid",))
    report = recurrent.export(tmp_path / "recurrent.onnx", (XS,), quantize=asked, opset=opset).quantized
    assert report is not None and report.outputs[0].largest < 5e-3


# ---------------------------------------------------------------- islands

MODEL = """<ir_version: 10, opset_import: ["" : 20]>
chain (float[n] x, int64 count) => (float[n] y, int64 same)
<float w = {0.3}, float v = {70000.0}>
{
  [narrow_a] a = Mul (x, w)
  [wide_b] b = Exp (a)
  [wide_c] c = Mul (b, w)
  [narrow_d] d = Add (c, a)
  yes = Constant <value = bool {1}> ()
  e = Loop (count, yes, d) <body = body (int64 k, bool go, float[n] f) => (bool on, float[n] i) {
    on = Identity (go)
    [wide_g] g = Mul (f, b)
    [wide_h] h = Add (g, v)
    [wide_i] i = Sub (h, v)
  }>
  [wide_y] y = Neg (e)
  same = Identity (count)
}
"""


def test_islands_meet_without_casts() -> None:
    model = ir.from_proto(onnx.shape_inference.infer_shapes(parser.parse_model(MODEL)))
    in_float16(model, lambda node: str(node.name).startswith("wide"))
    proto = ir.to_proto(model)
    checker.check_model(proto, full_check=True)
    casts = {
        (str(node.inputs[0].name), node.attributes["to"].as_int())
        for node in model.graph.all_nodes()
        if node.op_type == "Cast" and node.inputs[0] is not None
    }
    # x comes in; a, the carried value and the result of the loop go into islands; c and i come out of islands
    assert casts == {("x", FLOAT16), ("a", FLOAT), ("c", FLOAT16), ("f", FLOAT), ("i", FLOAT16), ("e", FLOAT)}
    x = np.linspace(-1, 1, 5).astype(np.float32)
    found = run(proto, x)
    assert found[1] == 3 and np.abs(found[0] - run(parser.parse_model(MODEL), x)[0]).max() < 0.05


def run(model: onnx.ModelProto, x: Any) -> Any:
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x, "count": np.array(3)})


def test_no_cast_is_undone_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "recurrent.onnx"
    for exclude in ((), ("sigmoid",), ("cell",), (line("gates"), "sigmoid")):
        recurrent.export(path, (XS,), quantize=Quantization("float16", exclude=exclude))
        makers = {name: node for node in nodes_of(path) for name in node.output}
        for node in nodes_of(path):
            if node.op_type == "Cast" and node.input[0] in makers:
                assert makers[node.input[0]].op_type != "Cast"


def test_a_function_stays_float32(tmp_path: Path) -> None:
    def of(operator: str) -> set[int]:
        made = onnx.shape_inference.infer_shapes(onnx.load(tmp_path / "r.onnx"))
        (tmp_path / "typed.onnx").write_bytes(made.SerializeToString())
        known = {name: kind for graph in graphs(made.graph) for name, kind in element_types(graph).items()}
        return {known[node.output[0]] for node in nodes_of(tmp_path / "typed.onnx") if node.op_type == operator}

    recurrent.export(tmp_path / "r.onnx", (XS,), quantize=Quantization("float16", exclude=("sigmoid",)))
    assert of("Exp") == {FLOAT} and of("Tanh") == {FLOAT16} and of("MatMul") == {FLOAT16}
    recurrent.export(tmp_path / "r.onnx", (XS,), quantize=Quantization("float16", only=("sigmoid",)))
    assert of("Exp") == {FLOAT16} and of("Tanh") == {FLOAT} and of("MatMul") == {FLOAT}


def graphs(graph: onnx.GraphProto) -> list[onnx.GraphProto]:
    inner = [attribute.g for node in graph.node for attribute in node.attribute if attribute.type == attribute.GRAPH]
    return [graph, *(part for one in inner for part in graphs(one))]


def element_types(graph: onnx.GraphProto) -> dict[str, int]:
    values = (*graph.input, *graph.output, *graph.value_info)
    return {value.name: value.type.tensor_type.elem_type for value in values}


# ---------------------------------------------------------------- operators and constants


def test_what_has_no_form_in_16_bits_is_cast(tmp_path: Path) -> None:
    @graph_program
    def steps(x: Float32[Tensor, "n"]) -> Any:
        total = np.arange(x.shape[0], dtype=np.float32) + np.cumsum(x)
        order = np.argsort(x)
        return total[order] * np.float32(2), np.sort(x), np.full(x.shape[0], 0.1, np.float32)

    path, x = tmp_path / "steps.onnx", normal(9)
    steps.export(path, (x,), quantize="float16")
    for wanted, found in zip(steps.python(x), load(path)(x), strict=True):
        assert found.dtype == wanted.dtype and np.abs(wanted - found).max() < 2e-2


def test_what_kernels_of_16_bits_get_wrong_is_cast(tmp_path: Path) -> None:
    @graph_program
    def counted_up(x: Float32[Tensor, "n"], k: Int64[Tensor, "n"]) -> Any:
        total = np.zeros(4, np.float32)
        np.add.at(total, k, x)
        return total, np.sign(x), np.bincount(k, x)

    path, args = tmp_path / "counted.onnx", (np.array([1, np.nan, -2], np.float32), np.array([1, 2, 1]))
    report = counted_up.export(path, args, quantize="float16").quantized
    assert report is not None and not report.failed
    for wanted, found in zip(counted_up.python(*args), load(path)(*args), strict=True):
        assert np.allclose(wanted, found, equal_nan=True, atol=1e-2)


def test_numbers_beyond_16_bits_are_the_largest(tmp_path: Path) -> None:
    @graph_program
    def smallest(x: Float32[Tensor, "n"]) -> Any:
        best = np.float32(1e30)
        for v in x:
            if v < best:
                best = v
        return best

    path = tmp_path / "smallest.onnx"
    smallest.export(path, (normal(4),), quantize="float16")
    assert float(load(path)(np.zeros(0, np.float32))) == 65504.0
    assert float(load(path)(np.array([3, 2, 5], np.float32))) == 2.0


def test_bfloat16_is_another_type(tmp_path: Path) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")

    @graph_program
    def halves(x: Any) -> Any:
        return x * x, x.astype(np.float32) * np.float32(0.5)

    x = normal(5).astype(ml_dtypes.bfloat16)
    report = halves.export(tmp_path / "halves.onnx", (x,), quantize="float16").quantized
    assert report is not None and not report.outputs  # onnxruntime's Python has no arrays of it
    with pytest.raises(GraphProgramError, match=r"GP549.*bfloat16"):
        halves.export(tmp_path / "x.onnx", (x,), quantize=Quantization("int8", calibration=[(x,)]))


SEQUENCES = """<ir_version: 8, opset_import: ["" : 17]>
rows (float[n] x) => (float[m] y) {
  none = SequenceEmpty <dtype = 1> ()
  count = Constant <value = int64 {3}> ()
  yes = Constant <value = bool {1}> ()
  all, last = Loop (count, yes, none, x) <body = body
    (int64 k, bool go, seq(float[n]) before, float[n] a) => (bool on, seq(float[n]) after, float[n] b) {
      on = Identity (go)
      b = Tanh (a)
      after = SequenceInsert (before, b)
  }>
  y = ConcatFromSequence <axis = 0> (all)
}
"""


def test_sequences_in_a_network(tmp_path: Path) -> None:
    (tmp_path / "rows.onnx").write_bytes(parser.parse_model(SEQUENCES).SerializeToString())
    network = load_onnx(tmp_path / "rows.onnx")

    @graph_program
    def program(x: Float32[Tensor, "n"]) -> Any:
        return network(x * np.float32(0.5)) + np.float32(1)

    path, x = tmp_path / "program.onnx", normal(4)
    for exclude in ((), ("rows",)):
        program.export(path, (x,), quantize=Quantization("float16", exclude=exclude))
        assert np.abs(program.python(x) - load(path)(x)).max() < 5e-3


def test_sequences_of_arrays_and_other_floats(tmp_path: Path) -> None:
    @graph_program
    def rows(x: Float32[Tensor, "n"], k: int) -> Any:
        found = [x]
        for i in range(k):
            found.append(found[i] * np.float32(0.5))
        return np.concatenate(found), x.astype(np.float64).sum(), x.astype(np.float16)

    path, x = tmp_path / "rows.onnx", normal(5)
    rows.export(path, (x, 3), quantize=Quantization("float16"))
    for wanted, found in zip(rows.python(x, 3), load(path)(x, 3), strict=True):
        assert found.dtype == wanted.dtype and np.abs(wanted - found).max() < 1e-2
