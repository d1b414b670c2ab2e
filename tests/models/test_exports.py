"""Exported programs with models inside: one file in every form that there is, and what has none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import pytest

from graph_program import Float32, Tensor, graph_program, host_function, load, load_onnx
from graph_program.backends.models.loaded import OnnxModel
from graph_program.backends.onnx.portable import make_portable
from graph_program.cli import main
from graph_program.verification.runtimes import RUNTIMES
from tests.benchmarks.portable.runtimes import is_there
from tests.models.agreement import agree, loaded, operators, refusal, saved
from tests.programs.host.test_host_export import FORMS, export, module_at

NET = """<ir_version: 8, opset_import: ["" : 17]>
net (float[n, 30] x) => (float[n, 40] y) { h = MatMul (x, w)  y = Relu (h) }"""
W = np.linspace(-1, 1, 1200, dtype=np.float32).reshape(30, 40)
X = np.linspace(-2, 2, 60, dtype=np.float32).reshape(2, 30)


@pytest.fixture
def net(tmp_path: Path) -> OnnxModel:
    return loaded(tmp_path, NET, w=W)


def test_names_and_places(net: OnnxModel) -> None:
    def program(x: Float32[Tensor, "n 30"]) -> Any:
        return net(x * 2) + net(x)

    model = graph_program(program).model()
    nodes = [node for node in model.graph.node if node.op_type == "MatMul"]
    assert [node.name for node in nodes] == ["net/MatMul", "net/MatMul_2"]
    assert [node.output[0] for node in nodes] == ["net/h", "net/h_2"]
    assert [tensor.name for tensor in model.graph.initializer if tuple(tensor.dims) == W.shape] == ["net.w"]
    line = program.__code__.co_firstlineno + 1
    for node in nodes:
        assert node.metadata_props[0].value.startswith(f"test_exports.py:{line}:")


def test_what_others_have_written_on_the_nodes_is_left_out(tmp_path: Path) -> None:
    path = saved(tmp_path, NET, w=W)
    model = onnx.load(path)
    for node in model.graph.node:
        node.doc_string = "/home/somebody/secret.py"
        node.metadata_props.add(key="pkg.torch.onnx.stack_trace", value="/home/somebody/secret.py")
    model.graph.value_info.append(onnx.helper.make_tensor_value_info("h", 1, ["n", 40]))
    onnx.save(model, path)
    net = load_onnx(path)
    assert b"secret" not in graph_program(lambda x: net(x)).model((X,)).SerializeToString()


def test_external_data(net: OnnxModel, tmp_path: Path) -> None:
    path = tmp_path / "out" / "program.onnx"
    path.parent.mkdir()
    graph_program(lambda x: net(x) + 1).export(path, (X,), external_data=True)
    assert sorted(p.name for p in path.parent.iterdir()) == ["program.onnx", "program.onnx.data"]
    assert path.stat().st_size < 3000 and (path.parent / "program.onnx.data").stat().st_size >= W.nbytes
    np.testing.assert_array_equal(load(path)(X), net(X) + 1)


@pytest.mark.parametrize(
    "options",
    [
        {"portable": True},
        {"opset": 17, "ir_version": 8},
        {"opset": 21},
        {"checks": "none"},
        {"local_functions": False},
        {"include_errors": False},
        {"freeze": False},
    ],
    ids=str,
)
def test_options(net: OnnxModel, tmp_path: Path, options: dict[str, Any]) -> None:
    scale = np.ones(40, np.float32)

    def program(x: Any) -> Any:
        y = net(x) * scale
        for k in range(x.shape[0]):
            y[k] = net(x[k : k + 1])[0] + y[k]
        return y

    path = tmp_path / "program.onnx"
    graph_program(program).export(path, (X,), **options)
    model = onnx.load(path)
    onnx.checker.check_model(model)
    assert not model.functions
    if options.get("freeze", True):
        np.testing.assert_allclose(load(path)(X), program(X), rtol=1e-6)


def test_functions_that_call_a_model_often(net: OnnxModel, tmp_path: Path) -> None:
    def step(x: Any, k: Any) -> Any:
        y = np.tanh(net(x * k)[:, :30] + 1) * np.exp(-np.abs(x)) + np.sqrt(np.abs(x) + k)
        z = np.sin(y) * np.cos(x) + np.maximum(y, x) - np.minimum(y * 2, x)
        return np.where(z > 0, z, y)

    def program(x: Float32[Tensor, "n 30"]) -> Any:
        return step(step(step(step(x, x + 1), x + 2), x + 3), x + 4)

    path = tmp_path / "program.onnx"
    agree(program, (X,), folder=tmp_path)
    model = onnx.load(path)
    assert model.functions and {f.domain for f in model.functions} == {"graph_program.functions"}
    assert sum(node.op_type == "MatMul" for f in model.functions for node in f.node) == 1


def test_a_model_as_an_argument(net: OnnxModel, tmp_path: Path) -> None:
    """A file is for the model that it was exported with."""

    def program(model: Any, x: Any) -> Any:
        return model(x) + 1

    path = tmp_path / "program.onnx"
    graph_program(program).export(path, (net, X))
    np.testing.assert_array_equal(load(path)(load_onnx(net.path), X), net(X) + 1)
    other = loaded(tmp_path, NET, "other", w=W * 2)
    with pytest.raises(TypeError, match=r"the model was exported for <.*net\."):
        load(path)(other, X)


def test_in_float32(net: OnnxModel) -> None:
    def program(x: Any) -> Any:
        return net((x * 0.5).astype(np.float32)) + 1.0

    x = X.astype(np.float64)
    model = graph_program(program).model((x,), float="float32")
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, {"x": X})[0], program(x), rtol=1e-5)


@pytest.mark.parametrize("host", ["operators", "segments"])
def test_with_host_code(net: OnnxModel, tmp_path: Path, host: str, capsys: pytest.CaptureFixture[str]) -> None:
    def program(x: Any) -> Any:
        for k in range(2):
            y = net(x)
            print("round", k, y.shape[0])
            x = y[:, :30]
        return x

    path = tmp_path / ("play.onnx" if host == "operators" else "play")
    graph_program(program, copies="ignore").export(path, (X,), host=host)
    files = [path] if host == "operators" else sorted(path.glob("*.onnx"))
    assert any("MatMul" in operators(onnx.load(file)) for file in files)


SIGNED = """<ir_version: 8, opset_import: ["" : 17]>
net (float[n, 64] x) => (float[n, 32] y) <float s = {1.0}, uint8 z = {0}, int8 zero = {0}> {
    q = QuantizeLinear (x, s, z)  d = DequantizeLinear (q, s, z)  v = DequantizeLinear (w, s, zero)
    p = MatMul (d, v)  r = QuantizeLinear (p, big, z)  y = DequantizeLinear (r, big, z)
}"""


@pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
@pytest.mark.parametrize("form", FORMS)
def test_products_of_bytes_do_not_saturate_beside_host_code(form: str, tmp_path: Path) -> None:
    """In files that need the package no more: on x86 without VNNI they did."""
    net = loaded(tmp_path, SIGNED, w=np.full((64, 32), 127, np.int8), big=np.array(10000, np.float32))

    @host_function
    def rows(x: Any) -> int:
        return len(x)

    @graph_program
    def program(x: Float32[Tensor, "n 64"]) -> Any:
        return net(x) + rows(x)

    x = np.full((3, 64), 255, np.float32)
    found = module_at(export(program, tmp_path, form, (x,))).load(rows=len)(x)
    np.testing.assert_array_equal(np.asarray(found), np.full((3, 32), 2070003, np.float32))


def test_no_machine_code(net: OnnxModel, tmp_path: Path) -> None:
    def program(x: Any) -> Any:
        return net(x) + 1

    for call in (
        lambda: graph_program(program, backend="native")(X),
        lambda: graph_program(program).export(tmp_path / "program.c", (X,)),
    ):
        error = refusal(call)
        assert error.code == "GP601" and "the call of a model, net(...)" in str(error) and error.loc.file == __file__
    assert not list(tmp_path.glob("program.*"))
    compiled = graph_program(program, backend="auto")
    np.testing.assert_array_equal(compiled(X), program(X))
    assert "calls a model, of which machine code has no form" in compiled.explain()


def test_models_in_float64_are_not_narrowed(tmp_path: Path) -> None:
    double = loaded(tmp_path, NET.replace("float[", "double["), w=W.astype(float))
    error = refusal(lambda: graph_program(lambda x: double(x)).model((X.astype(float),), float="float32"))
    assert error.code == "GP518" and "double" not in error.diagnostic.hint


def test_the_profile_names_the_line_of_the_call(net: OnnxModel) -> None:
    @graph_program
    def program(x: Any) -> Any:
        y = x * 2
        z = net(y)
        return z + 1

    lines = {line.line for line in program.profile(X).lines if line.seconds > 0}
    assert program.python.__code__.co_firstlineno + 3 in lines


SOURCE = """
import numpy as np
from graph_program import Float32, Tensor, graph_program, load_onnx

net = load_onnx({path!r})

@graph_program
def program(x: Float32[Tensor, "n 30"]) -> Float32[Tensor, "n 40"]:
    return net(x) + 1
"""


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path, NET, w=W)
    file, out = tmp_path / "file.py", tmp_path / "out.onnx"
    file.write_text(SOURCE.format(path=str(path)))
    for command in (["check", str(file)], ["explain", f"{file}:program"], ["show", f"{file}:program"]):
        assert main(command) == 0, command
    assert "model_call" in capsys.readouterr().out
    assert main(["export", f"{file}:program", "-o", str(out)]) == 0
    assert "MatMul" in operators(onnx.load(out))


def test_nothing_is_logged_when_it_is_loaded(net: OnnxModel, tmp_path: Path) -> None:
    def program(x: Any) -> Any:
        for k in range(3):
            x = net(x)[:, :30] if x.sum() > k else x
        return x

    assert what_loading_says(graph_program(program), tmp_path) == ""


UNREAD = """<ir_version: 8, opset_import: ["" : 17]>
net (float[n, 30] x, int64 rate, float[n] unread) => (float[n, 30] y) {
    y = Relu (x)  z = Cast <to = 1> (rate) }"""


def test_what_a_model_does_not_read_is_not_made(tmp_path: Path) -> None:
    net = loaded(tmp_path, UNREAD)

    def program(x: Any) -> Any:
        for _ in range(3):
            x = net(x, 16000, x[:, 0] * 2)
        return x

    made = agree(program, (X,))
    assert what_loading_says(made, tmp_path) == ""
    assert not {"Mul", "Cast"} & set(operators(made.model((X,))))


def what_loading_says(program: Any, folder: Path) -> str:
    """What onnxruntime logs for a program's file."""
    path = folder / "program.onnx"
    program.export(path, (X,))
    code = f"import onnxruntime as r; r.InferenceSession({str(path)!r}, providers=['CPUExecutionProvider'])"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr


SQUEEZED = """<ir_version: 8, opset_import: ["" : 17]>
net (float[n, k, l] x, bool first) => (float[m, p, q] y) <int64[1] zero = {0}, float[1, 2, 1] w = {2, 3}> {
    h = If (first) <
        then_branch = one () => (float[k2, l2] a) { a = Squeeze (x, zero) },
        else_branch = two () => (float[n3, k3, l3] b) { b = Identity (x) }>
    twice = Add (h, h)
    g = If (first) <
        then_branch = three () => (c) { c = Abs (twice) },
        else_branch = four () => (float[k5, l5] d) { d = Squeeze (x, zero) }>
    y = Conv (g, w)
}"""
"""As PyTorch exports `squeeze`: the sides have other ranks."""


def test_sides_of_other_ranks() -> None:
    model = ir.from_proto(onnx.parser.parse_model(SQUEEZED))
    make_portable(model.graph, str)
    assert [node.outputs[0].shape for node in model.graph if node.op_type == "If"] == [None, None]
    onnx.checker.check_model(ir.to_proto(model), full_check=True)


@pytest.mark.parametrize("sizes", ["2", "2, 3", "2, 3, 4"])
def test_checks_of_sizes_in_tract(sizes: str, tmp_path: Path) -> None:
    """Both sides are done there, also that which tells which size is another one."""
    text = f"(float[n, {sizes}] x) => (float[n, {sizes}] y) {{ y = Neg (x) }}"
    net = loaded(tmp_path, f'<ir_version: 8, opset_import: ["" : 17]> net {text}')
    array = np.ones((5, *map(int, sizes.split(", "))), np.float32)
    graph_program(lambda x: net(x)).export(tmp_path / "m.onnx", (array,), target="tract")
    if is_there("tract"):
        found = RUNTIMES["tract"].load(tmp_path / "m.onnx")(load(tmp_path / "m.onnx").feed(array))
        np.testing.assert_array_equal(found["net"], -array)
