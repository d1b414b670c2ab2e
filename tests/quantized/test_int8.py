"""`export(quantize="int8")`: what becomes integers, wherever it stands, and what stays."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float32, Quantization, Tensor, graph_program, load, load_onnx
from graph_program.backends.onnxruntime.versions import newest_opset
from graph_program.tensor_api import nn
from tests.quantized.subjects import (
    COUNTS,
    TOKENS,
    XS,
    attentive,
    counted,
    nodes_of,
    normal,
    operators,
    recurrent,
)

CALIBRATED = Quantization("int8", calibration=[(XS,)])
INTEGERS = onnx.TensorProto.INT64


@pytest.mark.parametrize("asked", ["int8", CALIBRATED, Quantization("int8", per_channel=False)])
def test_products_in_a_branch_of_a_loop(asked: Any, tmp_path: Path) -> None:
    path = tmp_path / "recurrent.onnx"
    report = recurrent.export(path, (XS,), quantize=asked).quantized
    found = operators(path)
    assert found["MatMulInteger"] == 2 and not found["MatMul"]
    assert report is not None and not report.decisions
    told = {entry.key: entry.value for entry in onnx.load(path).metadata_props}["graph_program.quantized"]
    assert told == report.kind
    states, count = load(path)(XS)
    wanted, same = recurrent.python(XS)
    assert count == same and np.abs(states - wanted).max() < 0.05
    assert report.bytes < 0.75 * report.float_bytes


def test_ranges_are_those_of_each_run_or_of_the_examples(tmp_path: Path) -> None:
    recurrent.export(tmp_path / "dynamic.onnx", (XS,), quantize="int8")
    recurrent.export(tmp_path / "fixed.onnx", (XS,), quantize=CALIBRATED)
    dynamic, fixed = operators(tmp_path / "dynamic.onnx"), operators(tmp_path / "fixed.onnx")
    assert (dynamic["DynamicQuantizeLinear"], dynamic["QuantizeLinear"]) == (2, 0)
    assert (fixed["DynamicQuantizeLinear"], fixed["QuantizeLinear"]) == (0, 2)


def test_tables_and_loops_in_loops(tmp_path: Path) -> None:
    path = tmp_path / "counted.onnx"
    report = counted.export(path, (TOKENS, 3), quantize="int8").quantized
    x, total = load(path)(TOKENS, 3)
    wanted, same = counted.python(TOKENS, 3)
    assert total == same and np.abs(x - wanted).max() < 0.05
    assert report is not None and {name for line in report.lines for name in line.operations} == {"Gather", "MatMul"}


def test_integers_are_as_they_were(tmp_path: Path) -> None:
    def arrays(quantize: str | None) -> list[bytes]:
        counted.export(path := tmp_path / "counted.onnx", (TOKENS, 3), quantize=quantize)
        found = [array for array in onnx.load(path).graph.initializer if array.data_type == INTEGERS]
        return sorted(array.raw_data for array in found if array.raw_data)

    assert COUNTS.tobytes() in arrays("int8")
    assert set(arrays(None)) <= set(arrays("int8"))


def test_what_several_products_read_is_quantized_once(tmp_path: Path) -> None:
    path = tmp_path / "attentive.onnx"
    attentive.export(path, (normal(5, 64),), quantize="int8")
    found = operators(path)
    assert found["MatMulInteger"] == 3
    assert found["Gemm"] == 1  # which has no matrix that is known
    assert found["DynamicQuantizeLinear"] == 1


def test_lines_of_nodes_stay(tmp_path: Path) -> None:
    path = tmp_path / "recurrent.onnx"
    recurrent.export(path, (XS,), quantize="int8")
    for node in nodes_of(path):
        if node.op_type in ("MatMulInteger", "DynamicQuantizeLinear"):
            said = {entry.key: entry.value for entry in node.metadata_props}
            assert said["source"].startswith("subjects.py:") and said["calls"].startswith("subjects.py:")


def test_each_column_has_a_scale(tmp_path: Path) -> None:
    weights = normal(64, 32) * np.geomspace(0.01, 10, 32).astype(np.float32)

    @graph_program
    def product(x: Float32[Tensor, "n 64"]) -> Any:
        return x @ weights

    x, errors = normal(7, 64), []
    for per_channel in (True, False):
        asked = Quantization("int8", per_channel=per_channel)
        product.export(path := tmp_path / "product.onnx", (x,), quantize=asked)
        errors.append(np.abs(load(path)(x) - x @ weights)[:, 0].max())
    assert errors[0] < 0.01 * errors[1] or errors[0] * 20 < errors[1]


def test_no_products_overflow(tmp_path: Path) -> None:
    """Of signed bytes they would, on x86 processors without VNNI."""
    weights = np.full((64, 32), 1, np.float32)

    @graph_program
    def product(x: Float32[Tensor, "n 64"]) -> Any:
        return x @ weights, weights @ x.T[:32]

    x = np.full((3, 64), 2, np.float32)
    product.export(path := tmp_path / "product.onnx", (x,), quantize="int8")
    assert not [a for a in onnx.load(path).graph.initializer if a.data_type == onnx.TensorProto.INT8]
    for found, wanted in zip(load(path)(x), product.python(x), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0.01)


def test_convolutions(tmp_path: Path) -> None:
    kernel, bias = normal(16, 3, 3, 3, scale=0.2), normal(16)

    @graph_program
    def convolved(x: Float32[Tensor, "n 3 height width"]) -> Any:
        total = np.zeros((x.shape[0], 16), np.float32)
        for k in range(3):
            total = total + nn.relu(nn.conv2d(x * np.float32(k), kernel, bias)).mean(axis=(2, 3))
        return total

    path, x = tmp_path / "convolved.onnx", normal(2, 3, 9, 8)
    asked = Quantization("int8", calibration=[(normal(2, 3, 9, 8),) for _ in range(4)])
    convolved.export(path, (x,), quantize=asked)
    assert operators(path)["DequantizeLinear"] >= 3
    assert np.abs(load(path)(x) - convolved.python(x)).max() < 0.1


def test_what_a_convolution_gives_is_read_in_branches(tmp_path: Path) -> None:
    """onnxruntime ends the process where inner graphs read numbers that were dequantized and moved."""
    kernel = normal(8, 3, 4, 4, scale=0.2)

    @graph_program
    def pixel(x: Float32[Tensor, "1 3 height width"], row: int) -> Any:
        pixels = nn.conv2d(x, kernel).transpose(0, 2, 3, 1)
        total = np.zeros(8, np.float32)
        for k in range(row):
            total = total + pixels[0, k, 0] * np.float32(k + 1)
        return pixels.reshape(-1, 8)[row], total

    path, x = tmp_path / "pixel.onnx", normal(1, 3, 9, 8)
    pixel.export(path, (x, 3), quantize=Quantization("int8", calibration=[(x, 3)], smallest=1))
    for found, wanted in zip(load(path)(x, 3), pixel.python(x, 3), strict=True):
        assert np.abs(found - wanted).max() < 0.2


def test_known_matrices_on_the_left_have_fixed_ranges(tmp_path: Path) -> None:
    path, x = tmp_path / "attentive.onnx", normal(5, 64)
    attentive.export(path, (x,), quantize=Quantization("int8", calibration=[(x,)]))
    assert operators(path)["DynamicQuantizeLinear"] == 0
    for wanted, found in zip(attentive.python(x), load(path)(x), strict=True):
        assert np.abs(wanted - found).max() < 0.03 * np.abs(wanted).max()


@pytest.mark.parametrize("opset", [17, 18, 21, newest_opset()])
@pytest.mark.parametrize("calibrated", [False, True])
def test_opsets(opset: int, calibrated: bool, tmp_path: Path) -> None:
    asked = Quantization("int8", calibration=[(XS,)] if calibrated else None, only=("cell",))
    path = tmp_path / "recurrent.onnx"
    recurrent.export(path, (XS,), quantize=asked, opset=opset)
    made = onnx.load(path)
    assert {entry.domain: entry.version for entry in made.opset_import}[""] == opset
    assert operators(path)["MatMulInteger"] == 2


def test_external_data(tmp_path: Path) -> None:
    path = tmp_path / "recurrent.onnx"
    recurrent.export(path, (XS,), quantize="int8", external_data=True)
    assert (tmp_path / "recurrent.onnx.data").stat().st_size < 4096 + 3 * 1024
    assert load(path)(XS)[1] == len(XS)


# ---------------------------------------------------------------- trained networks


def detected(network: Any, signal: Any) -> Any:
    """Chunks in which a network hears something, with decisions by hand."""
    first, last = [], []
    began, quiet = -1, 0
    for k in range(signal.shape[0]):
        p = network(signal[k : k + 1])[0, 1]
        if p >= 0.6:
            quiet = 0
            if began < 0:
                began = k
        elif p < 0.4 and began >= 0:
            quiet += 1
            if quiet > 1:
                first.append(began)
                last.append(k)
                began = -1
    return np.array(first, np.int64), np.array(last, np.int64)


def signals(count: int, seed: int) -> Any:
    """Rows that are loud or quiet, and which of them are loud."""
    random = np.random.default_rng(seed)
    loud = np.sin(np.arange(count) / 3 + seed) > 0
    return (random.normal(size=(count, 24)) * np.where(loud, 1.0, 0.1)[:, None]).astype(np.float32), loud


@pytest.mark.parametrize("calibrated", [False, True])
def test_a_trained_network_in_a_loop(calibrated: bool, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    skl2onnx = pytest.importorskip("skl2onnx")
    from sklearn.neural_network import MLPClassifier

    rows, loud = signals(400, 0)
    trained = MLPClassifier((32, 16), max_iter=300, random_state=0).fit(np.abs(rows), loud)
    found = skl2onnx.to_onnx(trained, rows[:1], options={"zipmap": False}, target_opset=17)
    (tmp_path / "ears.onnx").write_bytes(found.SerializeToString())
    ears = load_onnx(tmp_path / "ears.onnx")

    @graph_program
    def program(signal: Float32[Tensor, "n 24"]) -> Any:
        return detected(lambda row: ears(np.abs(row))[1], signal)

    signal, examples = signals(60, 1)[0], [(signals(30, seed)[0],) for seed in (2, 3)]
    asked = Quantization("int8", calibration=examples if calibrated else None, only=("ears",))
    path = tmp_path / "program.onnx"
    report = program.export(path, (signal,), quantize=asked).quantized
    assert report is not None and not report.decisions
    assert operators(path)["MatMulInteger"] >= 2
    assert report.lines[0].worst.startswith("ears/")
    part = Quantization("int8", only=(report.lines[0].worst,))
    program.export(tmp_path / "part.onnx", (signal,), quantize=part)
    assert operators(tmp_path / "part.onnx")["MatMulInteger"] == 1
    for wanted, got in zip(program.python(signal), load(path)(signal), strict=True):
        assert len(got) > 1 and np.array_equal(wanted, got)


SCANNED = """<ir_version: 8, opset_import: ["" : 17]>
scanned (float[n,32] x) => (float[m] s, float[k,l] ys) {
  s, ys = Scan <num_scan_inputs = 1, body = body (float[d] a, float[d] row) => (float[e] b, float[e] y) {
    p = MatMul (row, w)
    q = Add (p, a)
    b = Tanh (q)
    y = Relu (b)
  }> (zero, x)
}
"""


@pytest.mark.parametrize(
    ("asked", "error"),
    [("int8", 0.1), (Quantization("int8", calibration=[(normal(7, 32),) for _ in range(9)]), 0.3), ("float16", 0.01)],
)
def test_a_scan(asked: Any, error: float, tmp_path: Path) -> None:
    made = onnx.parser.parse_model(SCANNED)
    arrays = {"w": normal(32, 32, scale=0.2), "zero": np.zeros(32, np.float32)}
    made.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in arrays.items())
    (tmp_path / "scanned.onnx").write_bytes(made.SerializeToString())
    network = load_onnx(tmp_path / "scanned.onnx")

    @graph_program
    def twice(x: Float32[Tensor, "n 32"]) -> Any:
        s, ys = network(x)
        t, zs = network(ys)
        return s + t, zs

    path, x = tmp_path / "twice.onnx", normal(7, 32)
    report = twice.export(path, (x,), quantize=asked).quantized
    assert report is not None and report.number == 2 and not report.decisions
    assert operators(path)["MatMulInteger"] == (0 if asked == "float16" else 2)
    for wanted, found in zip(twice.python(x), load(path)(x), strict=True):
        assert np.abs(wanted - found).max() < error


@pytest.mark.parametrize("asked", ["int8", "float16"])
def test_a_network_that_is_quantized(asked: str, tmp_path: Path) -> None:
    from onnxruntime.quantization import quantize_dynamic

    weights = normal(32, 32, scale=0.2)

    @graph_program
    def product(x: Float32[Tensor, "n 32"]) -> Any:
        return x @ weights

    product.export(tmp_path / "float.onnx", (normal(2, 32),))
    quantize_dynamic(tmp_path / "float.onnx", tmp_path / "integers.onnx")
    network = load_onnx(tmp_path / "integers.onnx")

    @graph_program
    def program(x: Float32[Tensor, "n 32"]) -> Any:
        return network(x) @ weights

    path, x = tmp_path / "program.onnx", normal(5, 32)
    program.export(path, (x,), quantize=asked)
    assert operators(path)["MatMulInteger"] == (2 if asked == "int8" else 1)
    assert np.abs(program.python(x) - load(path)(x)).max() < 0.1


def test_voice_activity(tmp_path: Path) -> None:
    pytest.importorskip("silero_vad")
    from graph_program.samples import voice_activity as sample

    args = sample.network(), sample.recording(), sample.Settings()
    path = tmp_path / "voice.onnx"
    report = sample.find_speech.export(path, args, quantize="int8").quantized
    assert report is not None and not report.decisions and operators(path)["DynamicQuantizeLSTM"]
    for wanted, found in zip(sample.find_speech.python(*args), load(path)(*args), strict=True):
        assert np.array_equal(wanted, found)


def test_a_recurrent_layer_whose_gates_are_in_another_order(tmp_path: Path) -> None:
    """Its matrices are summed as well, to know whether they are finite."""
    layer = nn.LSTM(24, 32, seed=3)

    @graph_program
    def program(x: Float32[Tensor, "n 24"]) -> Any:
        h = c = np.zeros((1, 1, 32), np.float32)
        y, (h, c) = layer(x[:, None], (h, c))
        return y, h, c, np.sum(layer.layers[0].weight_hh)

    path, x = tmp_path / "program.onnx", normal(5, 24)
    report = program.export(path, (x,), quantize="int8").quantized
    assert report is not None and report.bytes < report.float_bytes
    assert operators(path)["DynamicQuantizeLSTM"] == 1 and not operators(path)["LSTM"]
    for size in (5, 1, 9):
        for found, wanted in zip(load(path)(x[:size]), program.python(x[:size]), strict=True):
            assert np.abs(found - wanted).max() <= 0.02 * np.abs(wanted).max()


def test_what_is_summed_is_in_the_file_as_integers_only(tmp_path: Path) -> None:
    matrix = normal(32, 48)

    @graph_program
    def program(x: Float32[Tensor, "n 32"]) -> Any:
        y = x @ matrix
        for row in y:
            if row[0] > 1:
                return y / np.max(matrix), matrix.max()
        return y / matrix.sum(), matrix.min()

    path, x = tmp_path / "program.onnx", normal(3, 32)
    program.export(path, (x,), quantize="int8")
    for example in (x, 0 * x):
        for found, wanted in zip(load(path)(example), program.python(example), strict=True):
            assert np.abs(found - wanted).max() <= 0.02 * np.abs(wanted).max()


def test_a_recurrent_network_of_torch_in_a_loop(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)

    class Network(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.last = torch.nn.LSTM(24, 32), torch.nn.Linear(32, 40)

        def forward(self, x: Any, h: Any, c: Any) -> Any:
            y, (h, c) = self.layer(x, (h, c))
            return self.last(y[-1]), h, c

    zero = torch.zeros(1, 1, 32)
    with warnings.catch_warnings(action="ignore"):
        torch.onnx.export(
            Network(), (torch.zeros(3, 1, 24), zero, zero), str(tmp_path / "net.onnx"), dynamo=False, opset_version=17,
            input_names=["x", "h", "c"], output_names=["y", "hn", "cn"],
        )  # fmt: skip
    network = load_onnx(tmp_path / "net.onnx")

    @graph_program
    def program(xs: Float32[Tensor, "n 1 24"]) -> Any:
        h, c = np.zeros((1, 1, 32), np.float32), np.zeros((1, 1, 32), np.float32)
        total = np.zeros((1, 40), np.float32)
        for k in range(xs.shape[0] // 3):
            y, h, c = network(xs[3 * k : 3 * k + 3], h, c)
            total = total + y
        return total

    xs, path = normal(12, 1, 24), tmp_path / "program.onnx"
    program.export(path, (xs,), quantize="int8")
    assert operators(path)["DynamicQuantizeLSTM"] == 1 and operators(path)["MatMulInteger"] == 1
    wanted = program.python(xs)
    assert np.abs(load(path)(xs) - wanted).max() < 0.05 * np.abs(wanted).max()
