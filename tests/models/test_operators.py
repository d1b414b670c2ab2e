"""What models may have inside: control flow, sequences, functions, other domains, quantized operators, old opsets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from graph_program import Float32, Tensor, graph_program, load, load_onnx
from tests.models.agreement import agree, loaded, operators, refusal

X = np.array([[1, -2, 3], [4, 5, -6]], np.float32)
W = np.linspace(-1, 1, 9, dtype=np.float32).reshape(3, 3)
BIG = np.linspace(-1, 1, 900, dtype=np.float32).reshape(3, 300)


def everywhere(model: Any, folder: Path, *inputs: tuple[Any, ...]) -> Any:
    """A model in a straight program, in a loop and on one side of a branch, twice each."""

    def program(x: Any) -> Any:
        y = model(x + 1)
        z = model(x * 2)
        for k in range(2):
            y = y + model(x * k)
        if x.sum() > 0:
            y = y - model(x)
        return y, z

    return agree(program, *inputs, folder=folder)


def test_branches_that_read_from_outside(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    net (float[n, 3] x) => (float[n, k] y)
    { h = MatMul (x, w)
      t = ReduceSum <keepdims: int = 0> (x)
      zero = Constant <value: tensor = float {0}> ()
      c = Greater (t, zero)
      y = If (c) <
        then_branch: graph = a () => (float[n, k] p) { q = Add (h, x)  p = Relu (q) },
        else_branch: graph = b () => (float[n, k] p)
        { big = Constant <value: tensor = float[2] {0.5, 2.0}> ()
          s = ReduceSum <keepdims: int = 0> (big)  p = Mul (h, s) }>
    }"""
    everywhere(loaded(tmp_path, text, w=W), tmp_path, (X,), (-X,), (X[:0],))


def test_initializers_of_branches(tmp_path: Path) -> None:
    """Equal names in branches are not the same array; large ones stand outside of loops."""

    def side(name: str, scale: float) -> onnx.GraphProto:
        weight = onnx.numpy_helper.from_array(BIG * scale, "w")
        node = helper.make_node("MatMul", ["x", "w"], ["p"])
        return helper.make_graph(
            [node], name, [], [helper.make_tensor_value_info("p", TensorProto.FLOAT, ["n", 300])], [weight]
        )

    nodes = [
        helper.make_node("ReduceSum", ["x"], ["t"], keepdims=0),
        helper.make_node("Cast", ["t"], ["c"], to=TensorProto.BOOL),
        helper.make_node("If", ["c"], ["y"], then_branch=side("a", 1), else_branch=side("b", 2)),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 300])
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y]), opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, tmp_path / "net.onnx")
    program = everywhere(load_onnx(tmp_path / "net.onnx"), tmp_path, (X,), (X * 0,))
    weights = [t for t in program.model((X,)).graph.initializer if len(t.raw_data) > 1000]
    assert len(weights) == 2


def test_loops_and_scans(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    net (float[n, 3] x, int64 trips) => (float[n, 3] y, float[m, 3] rows, float[3] last, float[n, 3] sums)
    { yes = Constant <value: tensor = bool {1}> ()
      zero = Constant <value: tensor = float[3] {0, 0, 0}> ()
      one = Constant <value: tensor = float[1] {1}> ()
      y, rows = Loop (trips, yes, x) <body: graph = body (int64 i, bool c, float[n, 3] carried)
        => (bool again, float[n, 3] next, float[3] row)
        { again = Identity (c)  f = Cast <to: int = 1> (i)  g = Add (f, one)  next = Mul (carried, g)
          row = ReduceSum <keepdims: int = 0> (next, axes) }>
      last, sums = Scan <num_scan_inputs: int = 1,
        body: graph = step (float[3] s, float[3] r) => (float[3] t, float[3] u)
        { t = Add (s, r)  u = Mul (t, one) }> (zero, x)
    }"""
    model = loaded(tmp_path, text, axes=np.array([0]))

    def program(x: Any, n: int) -> Any:
        y, rows, last, sums = model(x, n)
        for k in range(n):
            y, more, last, _ = model(y, k)
            last = last + more.sum()
        return y, rows, last, sums

    agree(program, (X, 3), (X, 1), (X[:1], 0), folder=tmp_path)


def test_sequences_inside(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    net (float[n, 3] x) => (float[n, 3] y)
    { s = SequenceConstruct (x, x)
      two = Constant <value: tensor = int64 {2}> ()
      yes = Constant <value: tensor = bool {1}> ()
      one = Constant <value: tensor = int64 {1}> ()
      t = Loop (two, yes, s)
        <body: graph = body (int64 i, bool c, seq(float[n, 3]) q) => (bool again, seq(float[n, 3]) r)
        { again = Identity (c)  a = SequenceAt (q, i)  b = Add (a, x)  r = SequenceInsert (q, b) }>
      y = SequenceAt (t, one)
    }"""
    everywhere(loaded(tmp_path, text), tmp_path, (X,))


FUNCTIONS = """<ir_version: 8, opset_import: ["" : 17, "mine" : 1]>
net (float[n, 3] x) => (float[n, 3] y)
{ h = mine.twice (x)  z = mine.scaled <alpha: float = 3.0> (h)  y = mine.scaled (z) }
<domain: "mine", opset_import: ["" : 17, "mine" : 1]> twice (x) => (y)
{ h = mine.scaled <alpha: float = 2.0> (x)  y = Neg (h) }
<domain: "mine", opset_import: ["" : 17]> scaled <alpha: float = 0.5> (x) => (y)
{ a = Constant <value_float: float = @alpha> ()  y = Mul (x, a) }"""


def test_functions_of_the_model(tmp_path: Path) -> None:
    program = everywhere(loaded(tmp_path, FUNCTIONS), tmp_path, (X,))
    assert {entry.domain for entry in program.model((X,)).opset_import} == {""}


def test_operators_of_onnxruntime(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    net (float[n, 3] x) => (float[n, 3] y)
    { h = com.microsoft.FusedMatMul <alpha: float = 0.5> (x, w)
      g = com.microsoft.Gelu (h)  y = com.microsoft.QuickGelu (g) }"""
    model = loaded(tmp_path, text, w=W)
    assert model.outputs[0].sure == (False, False)
    program = everywhere(model, tmp_path, (X,), (X[:1],))
    assert {entry.domain for entry in program.model((X,)).opset_import} == {"", "com.microsoft"}


def test_operators_of_machine_learning(tmp_path: Path) -> None:
    tree = helper.make_node(
        "TreeEnsembleRegressor",
        ["x"],
        ["y"],
        domain="ai.onnx.ml",
        nodes_treeids=[0, 0, 0],
        nodes_nodeids=[0, 1, 2],
        nodes_featureids=[1, 0, 0],
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
        nodes_values=[0.5, 0.0, 0.0],
        nodes_truenodeids=[1, 0, 0],
        nodes_falsenodeids=[2, 0, 0],
        target_treeids=[0, 0],
        target_nodeids=[1, 2],
        target_ids=[0, 0],
        target_weights=[1.5, -2.5],
        n_targets=1,
    )
    scale = helper.make_node("Scaler", ["y"], ["z"], domain="ai.onnx.ml", offset=[1.0], scale=[2.0])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 3])
    z = helper.make_tensor_value_info("z", TensorProto.FLOAT, [None, 1])
    imports = [helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("", 15)]
    model = helper.make_model(helper.make_graph([tree, scale], "g", [x], [z]), opset_imports=imports, ir_version=8)
    onnx.save(model, tmp_path / "trees.onnx")
    everywhere(load_onnx(tmp_path / "trees.onnx"), tmp_path, (X,), (X[:1],))


def test_quantized(tmp_path: Path) -> None:
    from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_dynamic, quantize_static

    text = """<ir_version: 8, opset_import: ["" : 17]>
    net (float[n, 3] x) => (float[n, 300] y) { h = MatMul (x, w)  y = Relu (h) }"""
    plain = tmp_path / "net.onnx"
    loaded(tmp_path, text, w=BIG)
    quantize_dynamic(plain, tmp_path / "dynamic.onnx", weight_type=QuantType.QUInt8)

    class Reader(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self.left = [{"x": X}, {"x": -X}]

        def get_next(self) -> Any:
            return self.left.pop() if self.left else None

    quantize_static(plain, tmp_path / "static.onnx", Reader(), per_channel=True)
    for name in ("dynamic", "static"):
        model = load_onnx(tmp_path / f"{name}.onnx")
        everywhere(model, tmp_path, (X,), (X[:1],))


def test_elements_of_fewer_bits(tmp_path: Path) -> None:
    """Arrays that NumPy has no bytes for stay constants in the nodes."""
    values = np.tile(np.arange(-8, 8), (3, 128)).astype(np.int8)
    packed = helper.make_tensor("q", TensorProto.INT4, values.shape, values.ravel().tolist())
    scale = onnx.numpy_helper.from_array(np.array(0.25, np.float32), "s")
    nodes = [
        helper.make_node("DequantizeLinear", ["q", "s"], ["w"]),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2048])
    graph = helper.make_graph(nodes, "g", [x], [y], [packed, scale])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), tmp_path / "q.onnx")
    model = load_onnx(tmp_path / "q.onnx")
    compiled = graph_program(lambda x: model(x) + 1)
    np.testing.assert_array_equal(compiled(X), model(X) + 1)


@pytest.mark.parametrize("dtype", ["float16", "double", "int32", "uint8", "bool"])
def test_element_types(tmp_path: Path, dtype: str) -> None:
    text = '<ir_version: 8, opset_import: ["" : 17]> net (T[n, 3] x) => (T[n, 3] y) { y = Identity (x) }'
    numpy = {"double": "float64"}.get(dtype, dtype)
    model = loaded(tmp_path, text.replace("T[", f"{dtype}["))
    agree(lambda x: (model(x), model(x[:1])), (np.abs(X).astype(numpy),), folder=tmp_path)


OLD = """<ir_version: {ir}, opset_import: ["" : {opset}]>
net (float[n, 3] x) => (float[n, 3] y)
{{ a = Squeeze <axes: ints = [0]> (e)  s = ReduceSum <axes: ints = [1], keepdims: int = 1> (x)
   p = Softmax <axis: int = -1> (x)  q = Add (p, s)  u = Unsqueeze <axes: ints = [0]> (q)
   v = Squeeze <axes: ints = [0]> (u)  l = LeakyRelu (v)  m, n1 = Split <axis: int = 1, split: ints = [1, 2]> (l)
   j = Concat <axis: int = 1> (m, n1)  k = Clip {clip}  y = Add (k, a) }}"""


@pytest.mark.parametrize(("opset", "ir"), [(9, 4), (11, 6), (12, 7)])
def test_old_opsets(tmp_path: Path, opset: int, ir: int) -> None:
    clip = "<min: float = -1.0, max: float = 2.0> (j)" if opset < 11 else "(j, lo, hi)"
    text = OLD.format(ir=ir, opset=opset, clip=clip)
    limits = {} if opset < 11 else {"lo": np.float32(-1), "hi": np.float32(2)}
    weights = {"e": np.ones((1, 3), np.float32), **{name: np.array(value) for name, value in limits.items()}}
    everywhere(loaded(tmp_path, text, **weights), tmp_path, (X,), (X[:1],))


@pytest.mark.parametrize("opset", [13, 15, 16, 18, 19, 20, 21, 22])
def test_opsets(tmp_path: Path, opset: int) -> None:
    axes = "<axes: ints = [1], keepdims: int = 1> (x)" if opset < 18 else "<keepdims: int = 1> (x, axes)"
    text = f"""<ir_version: 8, opset_import: ["" : {opset}]>
    net (float[n, 3] x) => (float[n, 3] y)
    {{ m = ReduceMax {axes}  d = Sub (x, m)  e = Exp (d)  c = Cast <to: int = 11> (e)  r = Round (c)
       f = Cast <to: int = 1> (r)  p = Pad (f, pads, f0)  y = Add (p, e) }}"""
    weights = {"pads": np.zeros(4, np.int64), "f0": np.array(0, np.float32)}
    everywhere(
        loaded(tmp_path, text, **weights, **({} if opset < 18 else {"axes": np.array([1])})), tmp_path, (X,), (X[:1],)
    )


def test_several_models_of_several_opsets(tmp_path: Path) -> None:
    text = '<ir_version: 8, opset_import: ["" : 13]> net (float[n, 3] x) => (float[n, 3] y) { y = Relu (x) }'
    old = loaded(tmp_path, text, "same")
    new = loaded(tmp_path, text.replace(": 13", ": 22").replace("Relu", "Neg"), "other")
    twin = (tmp_path / "folder").mkdir() or loaded(tmp_path / "folder", text.replace("Relu", "Abs"), "same")

    def program(x: Any) -> Any:
        return old(x) + new(x) * twin(x)

    agree(program, (X,), folder=tmp_path)


def test_outputs_that_are_inputs_or_constants(tmp_path: Path) -> None:
    y, z = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in "yz")
    nodes = [helper.make_node("Identity", ["x"], ["y"])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])
    z = helper.make_tensor_value_info("w", TensorProto.FLOAT, [3])
    w = onnx.numpy_helper.from_array(X[0], "w")
    graph = helper.make_graph(nodes, "g", [x], [x, y, z, y], [w])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (tmp_path / "net.onnx").write_bytes(model.SerializeToString())
    try:
        net = load_onnx(tmp_path / "net.onnx")
    except ValueError:
        pytest.skip("onnx does not take it")

    def program(x: Any) -> Any:
        a, b, c, d = net(x)
        a[0] = 7
        return a, b, c, d, x

    agree(program, (X[1],))


CAST = "y = Cast <to: int = 1, saturate: int = 1> (h)"


PADS = "p = Constant <value_ints: ints = [0, 1]> ()"


@pytest.mark.parametrize(
    "opset, nodes, refused",
    [
        (20, f"c = Constant <value: tensor = int64[1] {{2}}> () h = Mul (c, c) {CAST}", ""),
        (21, f"c = Constant <value: tensor = int4[1] {{2}}> () h = Cast <to: int = 7> (c) {CAST}", "type tensor(int4)"),
        (20, f"h = IsInf (x) {CAST}", ""),
        (22, "s = Sin (x) y = LeakyRelu (s)", ""),
        (
            19,
            'p = Constant <value_ints: ints = [0, 1]> () y = Pad <mode: string = "wrap"> (x, p)',
            "its Pad of opset 19",
        ),
        (
            18,
            'p = Constant <value_ints: ints = [0, 1]> () y = Pad <mode: string = "edge"> (x, p)',
            "its Pad of opset 18",
        ),
        (22, "y = GlobalAveragePool (x)", ""),
    ],
)
def test_what_has_only_been_added_to(opset: int, nodes: str, refused: str, tmp_path: Path) -> None:
    """Element types and attributes that a model does not have are no reason to refuse it."""
    text = f'<ir_version: 10, opset_import: ["" : {opset}]> a (float[n, c, k] x) => (float[p] y) {{ {nodes} }}'
    text = text.replace("float[p]", "float")
    model = loaded(tmp_path, text)
    program = graph_program(lambda x: model(x))
    x = X[None]
    if refused:
        error = refusal(lambda: program.model((x,), opset=17))
        assert error.code == "GP615" and refused in str(error)
        return
    path = tmp_path / "old.onnx"
    program.export(path, (x,), opset=17)
    assert onnx.load(path).opset_import[0].version == 17
    np.testing.assert_array_equal(load(path)(x), model(x))


def test_downwards(tmp_path: Path) -> None:
    """A program that is written for an older opset than its model's, where operators are the same or have been."""
    same = loaded(tmp_path, '<ir_version: 8, opset_import: ["":21]> a (float[n] x) => (float[n] y) { y = Relu (x) }')
    program = graph_program(lambda x: same(x))
    assert program.model((X[0],), opset=17).opset_import[0].version == 17
    text = """<ir_version: 8, opset_import: ["" : 20]>
    a (float[n] x) => (float[n] y) { y = Gelu (x) }"""
    gelu = loaded(tmp_path, text)
    newer = graph_program(lambda x: gelu(x))
    error = refusal(lambda: newer.model((X[0],), opset=17))
    assert error.code == "GP615" and "its Gelu of opset 20 is not in opset 17" in str(error)
    assert error.loc.file == __file__
    assert operators(newer.model((X[0],)))


QUANTIZED = """<ir_version: 8, opset_import: ["" : 17]>
net (float[n, 3] x) => (float[n, 3] y) <float s = {0.1}, uint8 z = {128}>
{ q = QuantizeLinear (x, s, z)  y = DequantizeLinear (q, s, z) }"""


def test_inner_graphs_read_quantized_numbers(tmp_path: Path) -> None:
    """As they are and moved: onnxruntime ended the process (`implicit_inputs`)."""
    onnx.save(onnx.parser.parse_model(QUANTIZED), tmp_path / "net.onnx")
    net = load_onnx(tmp_path / "net.onnx")

    @graph_program
    def program(x: Float32[Tensor, "n 3"]) -> Any:
        y = net(x)
        total = y.reshape(-1).argmax()
        for row in y.T:
            if row.max() > 0.5:
                total += row.argmax() + net(y)[0].argmax()
        return total, y.T

    for x in (np.ones((1, 3), np.float32), np.float32([[0.1, 2, -3], [4, 0.2, np.inf]])):
        wanted, found = program.python(x), program(x)
        assert wanted[0] == found[0] and np.array_equal(wanted[1], found[1])
    program.export(tmp_path / "program.onnx", (x,))


def test_products_with_four_bits_behind_checks(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    numbers, scale = rng.integers(-8, 8, 64 * 32), np.full((2, 32), 0.1, np.float32)
    nodes = [helper.make_node("DequantizeLinear", ["w4", "s"], ["w"], axis=0, block_size=32)]
    nodes.append(helper.make_node("MatMul", ["x", "w"], ["y"]))
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size]) for name, size in (("x", 64), ("y", 32))
    ]
    arrays = [helper.make_tensor("w4", TensorProto.INT4, [64, 32], numbers), onnx.numpy_helper.from_array(scale, "s")]
    graph = helper.make_graph(nodes, "net", ports[:1], ports[1:], arrays)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), tmp_path / "net.onnx"
    )
    net = load_onnx(tmp_path / "net.onnx")

    @graph_program
    def program(x: Any) -> Any:
        return net(x)

    x = rng.normal(size=(3, 64)).astype(np.float32)
    program.export(tmp_path / "program.onnx", (x,))
    wanted = x @ (numbers.reshape(64, 32) * np.float32(0.1))
    np.testing.assert_allclose(load(tmp_path / "program.onnx")(x), wanted, rtol=1e-4, atol=1e-3)
