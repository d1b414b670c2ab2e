"""`export(target=...)`: what a runtime does not take, or gets wrong, is refused at its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float32, Float64, GraphProgramError, Tensor, graph_program, load_onnx
from graph_program.cli import main
from graph_program.exports import export, options
from graph_program.targets.checked import typed_nodes
from graph_program.targets.support import PARTLY, VERDICTS, Support, targets
from graph_program.verification.learned import learned_models
from tests.loading.test_portable import CALLS

TOY = Support(
    "toy",
    "1.2",
    False,
    {
        "Exp": {"float32": "right", "float64": "refused"},
        "Sqrt": {"float32": "wrong"},
        "Tanh": {"float32": "refused", "int32": "refused"},
        "Mul": {"float64": "partly"},
    },
)


@graph_program
def mixed(x: Float64[Tensor, "n"], y: Float32[Tensor, "n"]) -> Any:
    total = 0.0
    for i in range(3):
        if x[i] > 2:
            total += np.exp(x[i] * 2)  # here
    return total + np.exp(y)


@graph_program
def root(y: Float32[Tensor, "n"]) -> Any:
    return np.sqrt(y) + 1  # here


@graph_program
def tangent(y: Float64[Tensor, "n"]) -> Any:
    return np.tanh(y)  # here


@graph_program
def fine(y: Float32[Tensor, "n"]) -> Any:
    return np.exp(y)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (export, options):
        monkeypatch.setattr(module, "targets", lambda: {"toy": TOY})


def line_of(program: Any) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    first: int = program.__wrapped__.__code__.co_firstlineno
    return next(i for i in range(first, len(lines)) if lines[i - 1].endswith("# here"))


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("program", "words"),
    [
        (mixed, "toy does not take ONNX's Exp of float64, as version 1.2 was probed"),
        (root, "toy gets wrong ONNX's Sqrt, as version 1.2 was probed"),
        (tangent, "toy does not take ONNX's Tanh, as version 1.2 was probed"),  # of no type that was probed
    ],
)
def test_refused(program: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match=words) as caught:
        program.export(tmp_path / "m", target="toy")
    assert caught.value.code == "GP547" and caught.value.loc.line == line_of(program)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("toy")
def test_taken(tmp_path: Path) -> None:
    fine.export(tmp_path / "m", target="toy")
    assert (tmp_path / "m.onnx").is_file()
    with pytest.raises(GraphProgramError, match="is no file for `target='toy'`"):
        fine.export(tmp_path / "m.c", target="toy")


@pytest.mark.parametrize(("function", "calls"), CALLS, ids=lambda case: getattr(case, "__name__", ""))
def test_what_openvino_gets_right_is_taken(function: Any, calls: list[tuple[Any, ...]], tmp_path: Path) -> None:
    graph_program(function).export(tmp_path / "m", calls[0], target="openvino", verify=False)


@pytest.mark.parametrize("operator", ["TreeEnsembleRegressor", "Normalizer"])
def test_operators_of_learned_models(operator: str, tmp_path: Path) -> None:
    name, model, _ = next(made for made in learned_models() if made[0].endswith(operator))
    path = tmp_path / "learned.onnx"
    onnx.save(model, path)
    learned = load_onnx(path)

    @graph_program
    def doubled(x: Float32[Tensor, "n 3"]) -> Any:
        return learned(x) * 2  # here

    if operator == "Normalizer":
        doubled.export(tmp_path / "m", target="openvino")
        return
    with pytest.raises(GraphProgramError, match=f"openvino does not take ONNX's {name}, ") as caught:
        doubled.export(tmp_path / "m", target="openvino")
    assert caught.value.code == "GP547" and caught.value.loc.line == line_of(doubled)


def test_what_is_in_doubt() -> None:
    found = {(node.op_type, dtype) for node, dtype in typed_nodes(mixed.model())}
    assert [op for op, dtype in found if TOY.verdict(op, dtype) == PARTLY] == ["Mul"]
    assert {("Exp", "float64"), ("Exp", "float32")} <= found


def test_the_table() -> None:
    assert {"openvino", "onnxruntime"} <= targets().keys()
    for support in targets().values():
        assert len(support.operators) > 100
        assert {v for types in support.operators.values() for v in types.values()} <= set(VERDICTS)
    assert targets()["onnxruntime"].verdict("Add", "float32") == "right"
    assert targets()["tract"].verdict("Loop", "int64") == "refused"
    assert targets()["tract"].verdict("Equal", "bool") == "refused"  # onnx has no case of it


def test_a_runtime_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.py"
    file.write_text(
        "from graph_program import Float32, Tensor, graph_program\n\n\n"
        '@graph_program\ndef twice(x: Float32[Tensor, "n"]):\n    return x + x\n',
        encoding="utf-8",
    )
    assert main(["export", f"{file}:twice", "--target", "openvino", "-o", str(tmp_path / "twice")]) == 0
    assert onnx.load(tmp_path / "twice.onnx").graph.node[0].op_type == "Add"
    assert main(["export", f"{file}:twice", "--target", "openvina", "-o", str(tmp_path / "twice")]) == 1
    assert "target must be" in capsys.readouterr().err


HEADS = '<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]> net'
PARTS = """(float[4] x) => (float[2] y) <int64 two = {2}, int64 first = {0}> {
    parts = SplitToSequence (x, two)  y = SequenceAt (parts, first) }"""
OTHER_DOMAIN = "(float[2, 2] x) => (float[2, 2] y) { y = com.microsoft.FusedMatMul (x, x) }"
SOFTMAX = """(float[4] x) => (float[4] y) <float s = {0.5}, int8 z = {1}, float fine = {0.0078125}, int8 low = {-128}> {
    q = QuantizeLinear (x, s, z)  d = DequantizeLinear (q, s, z)
    p = Softmax <axis = 0> (d)  r = QuantizeLinear (p, fine, low)  y = DequantizeLinear (r, fine, low) }"""


LENGTHS = """(float[4] x) => (float[2, 1, 2, 2] y)
    <int64[3] sizes = {2, 2, 1}, float[1, 6, 1] w = {1, 2, 3, 4, 5, 6}, int32[2] lengths = {2, 1}> {
    rows = Reshape (x, sizes)  r = Concat <axis = 2> (w, w)
    y = GRU <hidden_size = 2> (rows, w, r, , lengths) }"""
NORMALIZED = """(float[2, 4] x) => (float[2, 4] y) <float[4] scale = {1.0, 2.0, 3.0, 4.0}> {
    y = RMSNormalization (x, scale) }"""
"""Of opset 23; exports are of an older one, if nothing asks for more."""


@pytest.mark.parametrize(
    ("text", "shape", "target", "words"),
    [
        (LENGTHS, (4,), "openvino", "openvino gets wrong ONNX's GRU with sequence_lens"),
        (LENGTHS, (4,), "tract", "tract does not take ONNX's GRU with sequence_lens"),
        (NORMALIZED, (2, 4), "tract", ""),
        (NORMALIZED, (2, 4), "openvino", ""),
        (PARTS, (4,), "tract", "tract is not known to take ONNX's SplitToSequence, as version .* was probed"),
        (PARTS, (4,), "openvino", "openvino is not known to take ONNX's SplitToSequence"),
        (PARTS, (4,), "onnxruntime-web", ""),
        (OTHER_DOMAIN, (2, 2), "tract", "tract is not known to take ONNX's com.microsoft.FusedMatMul"),
        (OTHER_DOMAIN, (2, 2), "onnxruntime", ""),
        (SOFTMAX, (4,), "tract", "tract gets wrong the softmax of a quantized array"),
        (SOFTMAX, (4,), "openvino", ""),
    ],
)
def test_in_networks(text: str, shape: tuple[int, ...], target: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    heads = HEADS.replace(": 17", ": 23") if text is NORMALIZED else HEADS
    onnx.save(onnx.parser.parse_model(f"{heads} {text}"), path)
    net = load_onnx(path)

    @graph_program
    def program(x: Any) -> Any:
        return net(x)  # here

    calls = (np.ones(shape, np.float32),)
    if not words:
        program.export(tmp_path / "m", calls, target=target)
        return
    with pytest.raises(GraphProgramError, match=words) as caught:
        program.export(tmp_path / "m", calls, target=target)
    assert caught.value.code == "GP547" and caught.value.loc.line == line_of(program)


@pytest.mark.parametrize(
    ("name", "target", "words"),
    [
        ("TreeEnsembleClassifier", "tract", ""),
        ("TreeEnsembleClassifier with base_values", "tract", "does not take ONNX's .* with base_values"),
        ("SVMClassifier", "tract", "does not take ONNX's ai.onnx.ml.SVMClassifier"),
        ("ArrayFeatureExtractor", "openvino", "does not take ONNX's ai.onnx.ml.ArrayFeatureExtractor"),
        ("ArrayFeatureExtractor", "webgpu", "does not take ONNX's ai.onnx.ml.ArrayFeatureExtractor"),
    ],
)
def test_attributes_of_learned_models(name: str, target: str, words: str, tmp_path: Path) -> None:
    model = next(model for found, model, _ in learned_models() if found == f"ai.onnx.ml.{name}")
    path = tmp_path / "learned.onnx"
    onnx.save(model, path)
    learned = load_onnx(path)
    program = graph_program(lambda x: learned(x))
    if not words:
        program.export(tmp_path / "m", (np.ones((2, 3), np.float32),), target=target)
        return
    with pytest.raises(GraphProgramError, match=words):
        program.export(tmp_path / "m", (np.ones((2, 3), np.float32),), target=target)
