"""Files that are no models, or broken or hostile ones: one error each, nothing written, nothing read from elsewhere."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from graph_program import ModelError, graph_program, load_onnx
from graph_program.backends.models.refusals import first_line
from tests.models.agreement import loaded, refusal, saved

LINEAR = """<ir_version: 8, opset_import: ["" : 17]>
linear (float[n, 3] x) => (float[n, 2] y) { y = MatMul (x, w) }"""
W = np.arange(6, dtype=np.float32).reshape(3, 2)
BIG = np.ones((3, 400), np.float32)
X = np.ones((1, 3), np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder, in which the test leaves only what it says."""
    home = tmp_path / "home"
    home.mkdir()
    yield home


def proto(text: str = LINEAR, **weights: Any) -> onnx.ModelProto:
    model = onnx.parser.parse_model(text)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in weights.items())
    return model


def refused(folder: Path, data: bytes | onnx.ModelProto, code: str, *says: str) -> None:
    """What is in a file is refused soon, and nothing else is written."""
    path = folder / "bad.onnx"
    path.write_bytes(data if isinstance(data, bytes) else data.SerializeToString())
    before = sorted(folder.parent.rglob("*"))
    began = time.perf_counter()
    error = refusal(lambda: load_onnx(path))
    assert time.perf_counter() - began < 20
    assert error.code == code and isinstance(error, ModelError), error
    for text in ("bad.onnx", *says):
        assert text in str(error), error
    assert "\n" not in error.diagnostic.message and len(error.diagnostic.message) < 600
    assert sorted(folder.parent.rglob("*")) == before


def test_no_file(folder: Path) -> None:
    assert "there is no such file" in str(refusal(lambda: load_onnx(folder / "no.onnx")))
    assert "it is a folder" in str(refusal(lambda: load_onnx(folder)))
    assert refusal(lambda: load_onnx("a\0b")).code == "GP610"
    for path in (folder, folder / "no.onnx"):
        with pytest.raises(OSError, match="GP610"):
            load_onnx(path)
    with pytest.raises(TypeError):
        load_onnx(3)  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_no_regular_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert "no regular file" in str(refusal(lambda: load_onnx(folder / "pipe")))


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"PK\3\4" + b"x" * 500, b"\x08\x08", os.urandom(3000), b"{}"])
def test_no_model(folder: Path, data: bytes) -> None:
    refused(folder, data, "GP610", "no ONNX model")


def test_truncated(folder: Path) -> None:
    data = proto(w=BIG).SerializeToString()
    for end in (len(data) - 1, len(data) // 2, 100, 20):
        refused(folder, data[:end], "GP610")


def test_no_inputs_nodes_or_outputs(folder: Path) -> None:
    model = proto(w=W)
    del model.graph.output[:]
    refused(folder, model, "GP610")
    refused(folder, proto(), "GP611", "w")  # nobody gives it


def test_cycles(folder: Path) -> None:
    text = '<ir_version: 8, opset_import: ["":17]> c (float[n] x) => (float[n] y) { y = Add (x, z) z = Neg (y) }'
    says = "however input 'z' of node: name: OpType: Add is not output of any previous nodes."
    refused(folder, proto(text), "GP611", says)
    text = '<ir_version: 8, opset_import: ["":17]> c (float[n] x) => (float[n] y) { y = Add (x, x) y = Neg (x) }'
    refused(folder, proto(text), "GP611")


def test_sentences_that_break_off() -> None:
    assert first_line(RuntimeError("input 'y' of node: \nname: \n is not there.\n\n==> Context: x.")) == (
        "input 'y' of node: name: is not there."
    )
    assert first_line(RuntimeError("input 'y' of node: \nname: \n\n==> Context: x.")) == "input 'y' of node"


def test_functions_that_never_end(folder: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17, "m" : 1]> c (float[n] x) => (float[n] y) { y = m.f (x) }
    <domain: "m", opset_import: ["" : 17, "m" : 1]> f (x) => (y) { z = m.g (x) y = Neg (z) }
    <domain: "m", opset_import: ["" : 17, "m" : 1]> g (x) => (y) { y = m.f (x) }"""
    refused(folder, proto(text), "GP611", "calls itself")


def test_functions_that_grow_beyond_all_bounds(folder: Path) -> None:
    parts = ['<ir_version: 8, opset_import: ["":17, "m":1]> c (float[n] x) => (float[n] y) { y = m.f40 (x) }']
    parts.append('<domain: "m", opset_import: ["":17]> f0 (x) => (y) { y = Neg (x) }')
    for k in range(1, 41):
        body = f"z = m.f{k - 1} (x) y = m.f{k - 1} (z)"
        parts.append(f'<domain: "m", opset_import: ["":17, "m":1]> f{k} (x) => (y) {{ {body} }}')
    refused(folder, proto("\n".join(parts)), "GP611", "nodes")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("y = MatMul (x, i)", ""),
        ("y = Nothing (x)", "Nothing"),
        ("y = Relu (x, x)", "Relu"),
        ("y = Concat (x, x)", "axis"),
    ],
)
def test_wrong_operators(folder: Path, body: str, says: str) -> None:
    text = f'<ir_version: 8, opset_import: ["":17]> t (float[n] x, int64[n] i) => (float[n] y) {{ {body} }}'
    refused(folder, proto(text), "GP611", says)


def test_operators_that_nobody_knows(folder: Path) -> None:
    text = '<ir_version: 8, opset_import: ["":17, "acme":1]> t (float[n] x) => (float[n] y) { y = acme.Magic (x) }'
    refused(folder, proto(text), "GP614", "Magic", "acme")


@pytest.mark.parametrize(("opset", "code"), [(999, "GP614"), (0, "GP611")])
def test_versions_that_there_are_not(folder: Path, opset: int, code: str) -> None:
    model = proto(w=W)
    model.opset_import[0].version = opset
    refused(folder, model, code)


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ("string[n] x", "string"),
        ("seq(float[n]) x", "a sequence"),
        ("optional(float[n]) x", "optional"),
        ("bfloat16[n] x", "bfloat16"),
        ("complex64[n] x", "complex64"),
        ("float8e4m3fn[n] x", "float8e4m3fn"),
    ],
)
def test_inputs_that_no_program_has(folder: Path, inputs: str, says: str) -> None:
    body = "y = Identity (x)"
    output = inputs.replace(" x", " y")
    text = f'<ir_version: 9, opset_import: ["":21]> t ({inputs}) => ({output}) {{ {body} }}'
    refused(folder, proto(text), "GP613", says)


def test_outputs_of_unknown_rank(folder: Path) -> None:
    text = '<ir_version: 8, opset_import: ["":17]> t (float[n] x, int64[k] s) => (float[m] y) { y = Reshape (x, s) }'
    model = proto(text)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    refused(folder, model, "GP613", "how many dimensions")


def test_operators_of_versions_that_are_only_read(folder: Path) -> None:
    """ONNX and onnxruntime know them, and there is no kernel of them for any element type."""
    text = """<ir_version: 8, opset_import: ["":22]> t (float[n, 1, k] x, bool c) => (float[n, 1, 1] y) { y = If (c)
        <then_branch = a () => (float[n, 1, 1] p) { p = GlobalLpPool (x) },
         else_branch = b () => (float[n, 1, 1] q) { q = GlobalMaxPool (x) }> }"""
    refused(folder, proto(text), "GP614", "has no kernel for GlobalLpPool of opset 22")
    text = '<ir_version: 8, opset_import: ["":1]> t (float[n] x) => (float[n] y) { z = Relu (x)  y = Add (z, x) }'
    refused(folder, proto(text), "GP614", "has no kernel for Relu of opset 1")


def test_a_session_says_whether_a_kernel_is_missed(folder: Path) -> None:
    """onnxruntime leaves this one out before it looks for kernels."""
    text = '<ir_version: 8, opset_import: ["":6]> t (float[n] x) => (float[n] y) { z = Dropout (x)  y = Neg (z) }'
    assert loaded(folder, text)(np.ones(2, np.float32)).tolist() == [-1, -1]


def test_outputs_of_another_type_than_their_operators_give(folder: Path) -> None:
    text = '<ir_version: 8, opset_import: ["":17]> t (float[n] x) => (int64[n] y) { y = Relu (x) }'
    refused(folder, proto(text), "GP611", "its output 'y' is declared as int64, and its operators give float")


# ---------------------------------------------------------------- arrays


def test_arrays_without_their_bytes(folder: Path) -> None:
    for dims in ([3, 3], [2**40, 2**20], [-3, -2]):
        model = proto(w=W)
        model.graph.initializer[0].dims[:] = dims
        refused(folder, model, "GP611", "'w'")


def test_arrays_without_their_numbers(folder: Path) -> None:
    model = proto()
    model.graph.initializer.append(TensorProto(name="w", data_type=1, dims=[3, 2**50], float_data=[1, 2]))
    refused(folder, model, "GP611", "'w'")


def test_absurd_constants(folder: Path) -> None:
    node = helper.make_node("Constant", [], ["w"])
    tensor = TensorProto(name="v", data_type=1, dims=[2**62, 2**62], raw_data=b"1234")
    node.attribute.append(onnx.AttributeProto(name="value", type=onnx.AttributeProto.TENSOR, t=tensor))
    model = proto()
    model.graph.node.insert(0, node)
    refused(folder, model, "GP611", "'v'")


def test_deep_nests(folder: Path) -> None:
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [], [_value("y")])
    for k in range(60):
        node = helper.make_node("If", ["c"], [f"y{k}"], then_branch=graph, else_branch=graph)
        graph = helper.make_graph([node], "g", [], [_value(f"y{k}")])
        if len(graph.SerializeToString()) > 1 << 22:
            break
    inputs = [_value("x"), helper.make_tensor_value_info("c", TensorProto.BOOL, [])]
    graph = helper.make_graph(graph.node, "g", inputs, graph.output)
    path = folder / "deep.onnx"
    path.write_bytes(helper.make_model(graph, ir_version=8).SerializeToString())
    try:
        load_onnx(path)
    except ModelError as error:
        assert error.code in ("GP610", "GP611", "GP613")


def _value(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [3])


# ---------------------------------------------------------------- external data


def external(location: str, **entries: Any) -> onnx.ModelProto:
    model = proto(LINEAR.replace("[n, 2]", "[n, 400]"))
    tensor = TensorProto(name="w", data_type=1, dims=BIG.shape, data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))
    model.graph.initializer.append(tensor)
    return model


def test_external_data(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "w.bin").write_bytes(b"\0" * 13 + BIG.tobytes() + b"more")
    path = folder / "net.onnx"
    path.write_bytes(external("sub/w.bin", offset=13, length=BIG.nbytes).SerializeToString())
    model = load_onnx(path)
    np.testing.assert_array_equal(model(X), X @ BIG)
    np.testing.assert_array_equal(graph_program(lambda x: model(x))(X), X @ BIG)


@pytest.mark.parametrize("location", ["../w.bin", "sub/../../w.bin", "{home}/../w.bin", "C:\\w.bin", "..\\w.bin", ""])
def test_external_data_elsewhere(folder: Path, location: str) -> None:
    (folder.parent / "w.bin").write_bytes(BIG.tobytes())
    refused(folder, external(location.format(home=folder)), "GP612", "not in its folder")


def test_external_data_behind_links(folder: Path) -> None:
    (folder.parent / "w.bin").write_bytes(BIG.tobytes())
    (folder / "w.bin").symlink_to(folder.parent / "w.bin")
    refused(folder, external("w.bin"), "GP612", "not in its folder")
    (folder / "sub").symlink_to(folder.parent, target_is_directory=True)
    refused(folder, external("sub/w.bin"), "GP612", "not in its folder")


def test_external_data_that_is_not_there(folder: Path) -> None:
    refused(folder, external("w.bin"), "GP612", "there is no file 'w.bin'")
    (folder / "w.bin").write_bytes(BIG.tobytes()[:-1])
    refused(folder, external("w.bin"), "GP612", "bytes")
    for entries in (
        {"offset": 10, "length": BIG.nbytes},
        {"offset": -4},
        {"offset": "x"},
        {"length": 2**60},
        {"offset": 2**70},
    ):
        refused(folder, external("w.bin", **entries), "GP612")


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({"offset": "abc"}, "the array 'w' has the offset 'abc' in its file, which is no number of bytes"),
        ({"length": -1}, "the array 'w' has the length '-1' in its file, which is no number of bytes"),
        ({"offset": "1_0"}, "has the offset '1_0' in its file"),
        ({"length": "9" * 5000}, f"has the length '{'9' * 19}...' in its file"),
    ],
)
def test_external_data_of_no_number_of_bytes(folder: Path, entries: dict[str, Any], says: str) -> None:
    (folder / "w.bin").write_bytes(bytes(BIG.nbytes))
    refused(folder, external("w.bin", **entries), "GP612", says)


def test_external_data_of_inner_arrays(folder: Path) -> None:
    """Also attributes of nodes, and arrays that nobody reads, say no path out of the folder."""
    (folder.parent / "w.bin").write_bytes(BIG.tobytes())
    model = proto(w=W)
    tensor = TensorProto(name="v", data_type=1, dims=[2], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="../w.bin")
    node = helper.make_node("Constant", [], ["unread"])
    node.attribute.append(onnx.AttributeProto(name="value", type=onnx.AttributeProto.TENSOR, t=tensor))
    model.graph.node.insert(0, node)
    refused(folder, model, "GP612", "not in its folder")


def test_small_external_data(folder: Path) -> None:
    """Arrays that are too small to be kept apart, and those of nodes, are read from their files, too."""
    (folder / "w.bin").write_bytes(W.tobytes())
    model = proto(LINEAR.replace("y = MatMul (x, w)", "h = MatMul (x, w)  y = Add (h, c)"))
    for name, shape in (("w", W.shape), ("c", (2,))):
        tensor = TensorProto(name=name, data_type=1, dims=shape, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="w.bin")
        tensor.external_data.add(key="length", value=str(4 * int(np.prod(shape))))
        if name == "w":
            model.graph.initializer.append(tensor)
        else:
            node = helper.make_node("Constant", [], ["c"])
            node.attribute.append(onnx.AttributeProto(name="value", type=onnx.AttributeProto.TENSOR, t=tensor))
            model.graph.node.insert(0, node)
    path = folder / "net.onnx"
    path.write_bytes(model.SerializeToString())
    net = load_onnx(path)
    np.testing.assert_array_equal(net(X), X @ W + W.ravel()[:2])
    np.testing.assert_array_equal(graph_program(lambda x: net(x))(X), net(X))
    (folder / "w.bin").write_bytes(b"\0" * W.nbytes + b"more")
    assert load_onnx(path) != net


def test_external_data_that_shapes_come_of(folder: Path) -> None:
    """onnxruntime reads no other file while it infers shapes: such numbers are in what a session is given."""
    text = """<ir_version: 8, opset_import: ["" : 17]> net (float[n, 3] x) => (float[n, 20, 20] y) {
        h = MatMul (x, w)  y = Reshape (h, s) }"""
    path, x = folder / "net.onnx", np.arange(6, dtype=np.float32).reshape(2, 3)
    sizes, offset = np.array([-1, 20, 20]), 3  # of no aligned place
    (folder / "net.bin").write_bytes(b"\0" * offset + BIG.tobytes() + sizes.tobytes())
    model = proto(text)
    for name, array, at in (("w", BIG, offset), ("s", sizes, offset + BIG.nbytes)):
        type_ = helper.np_dtype_to_tensor_dtype(array.dtype)
        tensor = TensorProto(name=name, data_type=type_, dims=array.shape, data_location=TensorProto.EXTERNAL)
        for key, value in {"location": "net.bin", "offset": at, "length": array.nbytes}.items():
            tensor.external_data.add(key=key, value=str(value))
        model.graph.initializer.append(tensor)
    path.write_bytes(model.SerializeToString())
    net = load_onnx(path)
    program = graph_program(lambda x: net(x))
    np.testing.assert_array_equal(program.python(x), (x @ BIG).reshape(2, 20, 20))
    np.testing.assert_array_equal(program(x), program.python(x))
    program.export(folder / "program.onnx", (x,))


def test_sparse_arrays(folder: Path) -> None:
    values = onnx.numpy_helper.from_array(np.ones(1, np.float32), "w")
    places = onnx.numpy_helper.from_array(np.array([2]), "places")
    model = proto()
    model.graph.sparse_initializer.append(onnx.SparseTensorProto(values=values, indices=places, dims=[3, 2]))
    refused(folder, model, "GP611", "sparse")


# ---------------------------------------------------------------- in programs


@pytest.mark.parametrize("make", [lambda: proto(), lambda: b"nothing", lambda: external("../w.bin")])
def test_inside_a_program(folder: Path, make: Callable[[], Any]) -> None:
    data = make()
    path = str(folder / "bad.onnx")
    Path(path).write_bytes(data if isinstance(data, bytes) else data.SerializeToString())

    def program(x: Any) -> Any:
        return load_onnx(path)(x)

    error = refusal(lambda: graph_program(program)(X))
    assert isinstance(error, ModelError) and error.loc.file == __file__
    assert sorted(folder.iterdir()) == [Path(path)]


def test_what_only_a_session_refuses(folder: Path) -> None:
    """onnxruntime has the operator, and not for these element types."""
    text = '<ir_version: 8, opset_import: ["":17]> t (double[n, n] x) => (double[m] y) { y = Det (x) }'
    model = loaded(folder, text.replace("double[m]", "double"), "det")
    x = np.eye(2)
    with pytest.raises(ModelError, match="GP614") as plain:
        model(x)
    program = graph_program(lambda x: model(x))
    path = folder / "program.onnx"
    for refuses in (lambda: program(x), lambda: program.export(path, (x,)), lambda: program.verify((x,))):
        error = refusal(refuses)
        assert error.code == "GP614" and error.diagnostic.message == plain.value.diagnostic.message
        assert error.loc.file == __file__ and error.diagnostic.hint
    assert saved(folder, LINEAR, w=W).exists()
