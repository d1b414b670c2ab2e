"""Recurrent networks take batches and sequences without elements, in Python, in programs, and in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnxruntime.quantization import quantize_dynamic

from graph_program import Float32, GraphProgramError, Tensor, graph_program, load_onnx
from tests.models.agreement import agree, loaded, saved

HEAD = '<ir_version: 8, opset_import: ["" : 17]> net (float[s, b, 3] x, float[1, b, 2] h) => '
RANDOM = np.random.default_rng(3)
GATES = {"LSTM": 4, "GRU": 3}
SIZES = [(2, 0), (0, 2), (0, 0), (3, 2), (1, 1)]


def weights(op: str, directions: int = 1) -> dict[str, Any]:
    rows = GATES[op] * 2
    shapes = {"w": (directions, rows, 3), "r": (directions, rows, 2)}
    return {name: RANDOM.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def arguments(s: int, b: int) -> tuple[Any, ...]:
    return RANDOM.normal(size=(s, b, 3)).astype(np.float32), RANDOM.normal(size=(1, b, 2)).astype(np.float32)


@pytest.mark.parametrize("op", GATES)
def test_all_results(op: str, tmp_path: Path) -> None:
    text = f"""(float[s, 1, b, 2] y, float[1, b, 2] last) {{
        y, last = {op} <hidden_size = 2> (x, w, r, , , h)
    }}"""
    net = loaded(tmp_path, HEAD + text, **weights(op))

    def program(x: Any, h: Any) -> Any:
        y, last = net(x, h)
        return y, last, y.sum(axis=0) + last

    agree(program, *(arguments(s, b) for s, b in SIZES), folder=tmp_path)
    for s, b in SIZES:
        x, h = arguments(s, b)
        y, last = net(x, h)
        assert y.shape == (s, 1, b, 2) and last.shape == (1, b, 2)
        if s == 0 and op == "GRU":  # of `LSTM` onnxruntime gives zeros
            np.testing.assert_array_equal(last, h)
        if s:
            np.testing.assert_allclose(last[0], y[-1, 0], rtol=1e-6)


@pytest.mark.parametrize("op", GATES)
def test_both_ways_in_a_branch(op: str, tmp_path: Path) -> None:
    text = f"""(float[p, q, b, 2] y) <float zero = {{0.0}}> {{
        m = ReduceSum <keepdims = 0> (h)  t = Greater (m, zero)
        y = If (t) <then_branch = one () => (float[p, 2, b, 2] u) {{
            u, v = {op} <hidden_size = 2, direction = "bidirectional"> (x, w, r)
        }}, else_branch = two () => (float[p, 1, b, 2] z) {{ z = Unsqueeze (x2, axis) }}>
    }}"""
    text = text.replace("m = ReduceSum", "x2 = Slice (x, from, to, last)  m = ReduceSum", 1)
    text = text.replace(
        "<float zero", "<int64[1] axis = {1}, int64[1] from = {0}, int64[1] to = {2}, int64[1] last = {2}, float zero"
    )
    net = loaded(tmp_path, HEAD + text, **weights(op, 2))

    def program(x: Any, h: Any) -> Any:
        return net(x, np.abs(h) + 1)

    agree(program, *(arguments(s, b) for s, b in SIZES if b), folder=tmp_path)
    for s in (2, 0):
        assert net(*arguments(s, 0)).shape[2] == 0


def test_lengths(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
        net (float[s, b, 3] x, int32[b] lengths, float[1, b, 2] h) => (float[s, 1, b, 2] y, float[1, b, 2] c) {
        y, last, c = LSTM <hidden_size = 2> (x, w, r, , lengths, h, h)
    }"""
    net = loaded(tmp_path, text, **weights("LSTM"))

    def program(x: Any, lengths: Any, h: Any) -> Any:
        return net(x, lengths, h)

    inputs = []
    for s, b in ((3, 0), (3, 2), (1, 1)):
        x, h = arguments(s, b)
        inputs.append((x, np.full(b, s, np.int32), h))
    agree(program, *inputs, folder=tmp_path)


def test_quantized_and_step_by_step(tmp_path: Path) -> None:
    """Its state goes from call to call, and what its file does not say of its results is checked."""
    text = HEAD.replace("float[1, b, 2] h)", "float[1, b, 2] h, float[1, b, 2] c)")
    text += """(float[p, q, 2] y, float[1, b, 2] hn, float[1, b, 2] cn) <int64[1] one = {1}> {
        o, hn, cn = LSTM <hidden_size = 2> (x, w, r, , , h, c)  y = Squeeze (o, one)
    }"""
    path = tmp_path / "quantized.onnx"
    quantize_dynamic(saved(tmp_path, text, **weights("LSTM")), path, op_types_to_quantize=["LSTM"])
    net = load_onnx(path)

    def steps(x: Any, h: Any, c: Any) -> Any:
        y, h, c = net(x, h, c)
        for k in range(len(x)):
            y, h, c = net(x[k : k + 1], h, c)
        return y, h, c

    inputs = [(*arguments(s, b), arguments(s, b)[1]) for s, b in ((2, 1), (3, 2), (2, 0))]
    agree(steps, *inputs, folder=tmp_path)


def test_a_layer_that_nobody_reads(tmp_path: Path) -> None:
    text = "(float[s, b, 3] y) { z = LSTM <hidden_size = 2> (x, w, r, , , h)  y = Neg (x) }"
    net = loaded(tmp_path, HEAD + text, **weights("LSTM"))
    agree(lambda x, h: net(x, h), arguments(2, 2), arguments(2, 0), folder=tmp_path)


def test_nothing_is_written_where_sizes_are_known(tmp_path: Path) -> None:
    text = "(float[s, 1, b, 2] y) { y = GRU <hidden_size = 2> (x, w, r, , , h) }"
    net = loaded(tmp_path, HEAD + text, **weights("GRU"))

    @graph_program
    def known(x: Float32[Tensor, "4 2 3"], h: Float32[Tensor, "1 2 2"]) -> Any:
        return net(x, h)

    @graph_program
    def open_(x: Float32[Tensor, "s b 3"], h: Float32[Tensor, "1 b 2"]) -> Any:
        return net(x, h)

    def operators(program: Any) -> list[str]:
        program.export(tmp_path / "program.onnx")
        import onnx

        return [node.op_type for node in onnx.load(tmp_path / "program.onnx").graph.node]

    assert operators(known) == ["GRU"]
    assert operators(open_) == ["Size", "Constant", "Equal", "If"]


def test_the_file_alone(tmp_path: Path) -> None:
    text = "(float[s, 1, b, 2] y) { y = LSTM <hidden_size = 2> (x, w, r, , , h) }"
    net = loaded(tmp_path, HEAD + text, **weights("LSTM"))
    program = graph_program(lambda x, h: net(x, h))
    program.export(tmp_path / "program.onnx", arguments(2, 2))
    session = onnxruntime.InferenceSession(tmp_path / "program.onnx")
    for s, b in SIZES:
        x, h = arguments(s, b)
        found = session.run(None, {"x": x, "h": h})[0]
        np.testing.assert_allclose(found, net(x, h), rtol=1e-6)


OPTIONS: list[dict[str, Any]] = [
    {"portable": True},
    *({"target": name} for name in ("onnxruntime", "onnxruntime-web", "openvino", "tract")),
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda one: one.get("target", "portable"))
@pytest.mark.parametrize("op", GATES)
def test_files_for_others(op: str, options: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """They do not end the process, neither that which writes them nor that which runs them in onnxruntime."""
    if op == "LSTM" and options.get("target") in ("openvino", "tract"):
        pytest.skip("which is refused there")
    text = f"(float[s, 1, b, 2] y, float[1, b, 2] last) {{ y, last = {op} <hidden_size = 2> (x, w, r, , , h) }}"
    net = loaded(tmp_path, HEAD + text, **weights(op))

    def program(x: Any, h: Any) -> Any:
        y, last = net(x, h)
        return y.sum(axis=0) + last

    made, file = graph_program(program), tmp_path / "program.onnx"
    if options.get("target") == "tract":
        with pytest.raises(GraphProgramError, match="tract does not take arrays without elements") as caught:
            made.export(file, arguments(0, 2), **options)
        assert caught.value.code == "GP547"
        made.export(file, arguments(3, 2), **options)
        return
    for s, b in SIZES:
        made.export(file, arguments(s, b), **options)
    assert capfd.readouterr().err == ""
    for s, b in SIZES:
        x, h = arguments(s, b)
        (found,) = onnxruntime.InferenceSession(file).run(["result"], {"x": x, "h": h})
        np.testing.assert_allclose(found, program(x, h), rtol=1e-5)
