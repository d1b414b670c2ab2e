"""Operators of old opsets, converted to that of programs: each gives what it gave, or is refused.

ONNX's converter has been wrong without a word: whoever finds another operator adds a row, and it to `corrections`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import graph_program, load, load_onnx
from graph_program.backends.models.implemented import without_kernel
from graph_program.backends.onnxruntime.versions import newest_opset
from tests.models.agreement import agree, loaded, refusal

RNG = np.random.default_rng(0)
CUBE = RNG.normal(size=(2, 3, 4)).astype(np.float32)
IMAGE = RNG.normal(size=(1, 2, 6, 6)).astype(np.float32)
TWICE = np.concatenate([IMAGE, IMAGE], 1)
Array = np.ndarray[Any, Any]


def ones(*shape: int) -> Array:
    return np.ones(shape, np.float32)


ROWS: list[tuple[int, Array, str, str, dict[str, Array]]] = [
    (9, CUBE, "float[a,3,c] y", "y = BatchNormalization<epsilon: float = 0.1>(x, s, s, s, s)", {"s": ones(3) * 2}),
    (7, CUBE, "float[a,3,c] y", "y = BatchNormalization<epsilon: float = 0.1>(x, s, s, s, s)", {"s": ones(3) * 2}),
    (
        9,
        IMAGE,
        "float[1,2,k,l] y",
        'y = Upsample<mode: string = "nearest">(x, s)',
        {"s": np.array([1, 1, 2, 2], np.float32)},
    ),
    (7, IMAGE, "float[1,2,k,l] y", 'y = Upsample<mode: string = "linear", scales: floats = [1.0,1.0,2.0,2.0]>(x)', {}),
    (
        10,
        IMAGE,
        "float[1,2,k,l] y",
        'y = Resize<mode: string = "linear">(x, s)',
        {"s": np.array([1, 1, 2, 2], np.float32)},
    ),
    (
        11,
        IMAGE,
        "float[1,2,k,l] y",
        'y = Resize<mode: string = "linear", coordinate_transformation_mode: string = "asymmetric">(x, r, s)',
        {"r": np.zeros(0, np.float32), "s": np.array([1, 1, 2, 2], np.float32)},
    ),
    (9, CUBE, "float[a,b,k] y", "y = Slice<axes: ints=[2], starts: ints=[1], ends: ints=[3]>(x)", {}),
    (9, CUBE, "float[a,b,k] y", 'y = Pad<mode: string="reflect", pads: ints=[0,0,1,0,0,2]>(x)', {}),
    (9, CUBE, "float[a,b,k] y", "y = Pad<value: float=3.0, pads: ints=[0,0,1,0,0,2]>(x)", {}),
    (9, CUBE, "float[a,b,k] y, int64[a,b,k] i", "y, i = TopK<axis: int=2, k: int=2>(x)", {}),
    (10, CUBE, "float[a,b,k] y, int64[a,b,k] i", "y, i = TopK<axis: int=2>(x, k0)", {"k0": np.array([2])}),
    (9, CUBE[0], "float[a,2] y", "y = Gemm<alpha: float=0.5, transB: int=1>(x, w, b)", {"w": ones(2, 4), "b": ones(2)}),
    (9, CUBE, "float[a,k,l] y", "y = ReduceSum<axes: ints=[1,2]>(x)", {}),
    (9, CUBE, "float[a,b] y", "y = ReduceMax<axes: ints=[-1], keepdims: int=0>(x)", {}),
    (17, CUBE, "float[a,b] y", "y = ReduceMean<axes: ints=[2], keepdims: int=0>(x)", {}),
    (17, CUBE, "float[a,b] y", "y = ReduceL2<axes: ints=[2], keepdims: int=0>(x)", {}),
    (17, CUBE, "float y", "y = ReduceLogSumExp<keepdims: int=0>(x)", {}),
    (9, CUBE, "float[k,l] y", "y = Flatten<axis: int=1>(x)", {}),
    (9, CUBE, "int64[a,b] y", "y = ArgMax<axis: int=2, keepdims: int=0>(x)", {}),
    (9, CUBE, "float[a,b,2] y, float[a,b,2] z", "y, z = Split<axis: int=2>(x)", {}),
    (13, CUBE, "float[a,b,2] y, float[a,b,2] z", "y, z = Split<axis: int=2>(x)", {}),
    (9, IMAGE, "float[1,2,k,l] y", "y = AveragePool<kernel_shape: ints=[2,2], strides: ints=[2,2]>(x)", {}),
    (
        7,
        CUBE,
        "float[s,1,b,2] y",
        "y = LSTM<hidden_size: int=2>(x, w, r)",
        {"w": ones(1, 8, 4) * 0.1, "r": ones(1, 8, 2) * 0.1},
    ),
    (9, CUBE, "float[a,b,c] y", "i = Cast<to: int=7>(x) e = Equal(i, i) f = Cast<to: int=1>(e) y = Where(e, x, f)", {}),
    (
        16,
        IMAGE,
        "float[1,2,k,l] y",
        'y = GridSample<mode: string="bilinear">(x, gr)',
        {"gr": np.random.default_rng(1).uniform(-1, 1, (1, 3, 3, 2)).astype(np.float32)},
    ),
    (
        10,
        CUBE,
        "float[a,b,c] y",
        "q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z)",
        {"s": np.array(0.1, np.float32), "z": np.array(128, np.uint8)},
    ),
    (
        9,
        CUBE,
        "float[a,b,c] y",
        "y = Scatter<axis: int=2>(x, i, u)",
        {"i": np.zeros((2, 3, 1), np.int64), "u": ones(2, 3, 1)},
    ),
    (
        9,
        np.array([0, 2, 1], np.float32),
        "float[a,k] y",
        "i = Cast<to: int=7>(x) y = OneHot<axis: int=-1>(i, d, v)",
        {"d": np.array([3]), "v": np.array([0, 1], np.float32)},
    ),
    (
        10,
        abs(CUBE[:1]),
        "int64[k,3] y",
        "y = NonMaxSuppression(x, sc, m, i)",
        {"sc": ones(1, 1, 3), "m": np.array([3]), "i": np.array([0.5], np.float32)},
    ),
    (
        10,
        IMAGE,
        "float[k,2,2,2] y",
        "y = RoiAlign<output_height: int=2, output_width: int=2, sampling_ratio: int=2>(x, r, i)",
        {"r": np.array([[0.5, 0.5, 4, 4]], np.float32), "i": np.array([0])},
    ),
    (
        10,
        IMAGE,
        "float[k,2,2,2] y",
        'y = RoiAlign<output_height: int=2, output_width: int=2, sampling_ratio: int=2, mode: string="max">(x, r, i)',
        {"r": np.array([[0.5, 0.5, 4, 4]], np.float32), "i": np.array([0])},
    ),
    (9, TWICE, "float[1,1,k,l] y", "y = DepthToSpace<blocksize: int=2>(x)", {}),
    (
        8,
        IMAGE,
        "float[1,2,k,l] y",
        "y = MaxPool<kernel_shape: ints=[3,3], strides: ints=[2,2], pads: ints=[1,1,1,1]>(x)",
        {},
    ),
    (
        7,
        IMAGE,
        "float[1,2,k,l] y",
        "y = AveragePool<kernel_shape: ints=[3,3], strides: ints=[2,2], pads: ints=[1,1,1,1]>(x)",
        {},
    ),
    (
        10,
        IMAGE,
        "float[1,2,k,l] y",
        "y = AveragePool<kernel_shape: ints=[3,3], strides: ints=[2,2], ceil_mode: int=1, count_include_pad: int=1, "
        "pads: ints=[1,1,1,1]>(x)",
        {},
    ),
    (7, IMAGE, "float[1,2,k,l] y", 'y = AveragePool<kernel_shape: ints=[3,3], auto_pad: string="SAME_UPPER">(x)', {}),
    (
        9,
        IMAGE,
        "float[1,1,k,l] y",
        'y = ConvTranspose<strides: ints=[2,2], auto_pad: string="SAME_UPPER">(x, w0)',
        {"w0": ones(2, 1, 3, 3)},
    ),
    (
        11,
        IMAGE,
        "float[1,2,k,l] y",
        'y = Resize<mode: string = "nearest">(x, r, s)',
        {"r": np.zeros(0, np.float32), "s": np.array([1, 1, 1.5, 1.5], np.float32)},
    ),
    (
        11,
        IMAGE,
        "float[1,2,k,l] y",
        'y = Resize<mode: string = "cubic", coordinate_transformation_mode: string="align_corners">(x, r, s)',
        {"r": np.zeros(0, np.float32), "s": np.array([1, 1, 1.5, 1.5], np.float32)},
    ),
    (
        13,
        IMAGE,
        "float[1,2,k,l] y",
        'y = Resize<mode: string = "linear">(x, r, r, s)',
        {"r": np.zeros(0, np.float32), "s": np.array([1, 2, 9, 4])},
    ),
    (
        9,
        IMAGE,
        "float[1,2,k,l] y",
        'y = Upsample<mode: string = "nearest">(x, s)',
        {"s": np.array([1, 1, 1.5, 2.3], np.float32)},
    ),
    (
        9,
        IMAGE[0][:, :, :4],
        "float[s,1,6,2] y",
        "y = GRU<hidden_size: int=2>(x, w, r)",
        {"w": ones(1, 6, 4) * 0.1, "r": ones(1, 6, 2) * 0.1},
    ),
    (
        9,
        IMAGE[0][:, :, :4],
        "float[s,1,6,2] y",
        "y = RNN<hidden_size: int=2>(x, w, r)",
        {"w": ones(1, 2, 4) * 0.1, "r": ones(1, 2, 2) * 0.1},
    ),
    (9, IMAGE, "float[1,2,h,w] y", "y = MeanVarianceNormalization(x)", {}),
    (9, IMAGE, "float[1,2,h,w] y", "y = LRN<size: int=3>(x)", {}),
    (9, IMAGE, "float[1,2,h,w] y", "y = InstanceNormalization(x,s,b)", {"s": ones(2), "b": ones(2)}),
    (9, IMAGE, "float[3,2,h,w] y", "y = Expand(x,s)", {"s": np.array([3, 1, 1, 1])}),
    (9, IMAGE, "float[1,2,h,w] y", "y = PRelu(x,s)", {"s": np.full((2, 1, 1), 0.2, np.float32)}),
    (9, IMAGE * IMAGE, "float[1,2,h,w] y", "y = Pow(x,s)", {"s": np.array(2.5, np.float32)}),
    (9, IMAGE, "float[1,2,h,w] y", "y = Clip<max: float=0.5>(x)", {}),
    (10, IMAGE, "float[1,2,h,w] y", "y = Mod<fmod: int=1>(x,s)", {"s": np.array(0.3, np.float32)}),
    (11, IMAGE, "float[1,2,h,w] y", "y = CumSum<reverse: int=1>(x,a)", {"a": np.array(2, np.int32)}),
    (
        12,
        np.round(IMAGE),
        "int64[1,2,h] y",
        "y = ArgMax<axis: int=3, keepdims: int=0, select_last_index: int=1>(x)",
        {},
    ),
    (11, IMAGE, "float[k] y", "y = GatherND(x,i)", {"i": np.array([[0, 1, 2, 3]])}),
    (
        11,
        IMAGE,
        "float[1,2,h,w] y",
        "y = ScatterND(x,i,u)",
        {"i": np.array([[0, 1, 2, 3]]), "u": np.array([7], np.float32)},
    ),
    (
        11,
        IMAGE,
        "float[1,2,h,w] y",
        "y = ScatterElements<axis: int=3>(x,i,u)",
        {"i": np.zeros((1, 2, 6, 1), np.int64), "u": ones(1, 2, 6, 1)},
    ),
    (12, IMAGE, "float[1,2,h,w] y", "y = Celu(x)", {}),
    (12, IMAGE, "float[1,2,w,h] y", 'y = Einsum<equation: string="abcd->abdc">(x)', {}),
    (17, IMAGE, "float[1,2,h,6] y", "y = LayerNormalization(x,s)", {"s": ones(6)}),
    (9, IMAGE, "float[1,4,h,w] y", "y = Tile(x,s)", {"s": np.array([1, 2, 1, 1])}),
    (9, IMAGE, "int64[4,k] y", "y = NonZero(x)", {}),
    (14, IMAGE, "float[1,2,h,w] y", "y = Trilu<upper: int=0>(x)", {}),
    (7, IMAGE, "float[1,2,h,w] y", "a = Sum(x,x,x) b = Mean(a,x) c = Max(b,x) y = Min(c,a)", {}),
    (7, IMAGE, "float[k,l] y", "y = Reshape(x,s)", {"s": np.array([0, -1])}),
    (7, IMAGE, "float[1,4,h,w] y", "y = Concat<axis: int=1>(x,x)", {}),
    (9, IMAGE, "float[1,2,1,h,w] y", "y = Unsqueeze<axes: ints=[2]>(x)", {}),
    (9, IMAGE, "float[2,h,w] y", "y = Squeeze(x)", {}),
    (
        11,
        IMAGE[0, 0],
        "float[a,1,6] y",
        "h = com.microsoft.FusedMatMul(x, w) y = Unsqueeze<axes: ints=[1]>(h)",
        {"w": np.eye(6, dtype=np.float32)},
    ),
]
"""Opset, argument, outputs, nodes, and initializers."""


def converted(folder: Path, opset: int, x: Array, outputs: str, nodes: str, weights: dict[str, Array]) -> Any:
    """A model with an input `x` of any sizes, loaded."""
    sizes = ", ".join(f"n{axis}" if axis > 1 else str(size) for axis, size in enumerate(x.shape))
    text = f"""<ir_version: {3 if opset < 9 else 8}, opset_import: ["" : {opset}, "com.microsoft" : 1]>
    g (float[{sizes}] x) => ({outputs}) {{ {nodes} }}"""
    model = onnx.parser.parse_model(text)
    for name, array in weights.items():
        tensor = onnx.numpy_helper.from_array(np.asarray(array), name)
        model.graph.initializer.append(tensor)
        if opset < 9:
            model.graph.input.append(onnx.helper.make_tensor_value_info(name, tensor.data_type, array.shape))
    (folder / "old.onnx").write_bytes(model.SerializeToString())
    return load_onnx(folder / "old.onnx")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[3][:40]}")
def test_it_gives_what_it_gave(tmp_path: Path, row: tuple[int, Array, str, str, dict[str, Array]]) -> None:
    opset, x, *others = row
    model = converted(tmp_path, opset, x, *others)
    program = graph_program(lambda x: model(x))
    want, found = (f(x) if isinstance(f(x), tuple) else (f(x),) for f in (model, program))
    for a, b in zip(want, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("is_known", [True, False])
def test_of_all_axes_behind_one(tmp_path: Path, operator: str, axis: int, is_known: bool) -> None:
    """Before opset 13 they went along all axes from the one on, also where nobody knows how many there are."""
    before = "h = Identity (x)" if is_known else "s = Shape (x)  t = Shape (s)  u = Slice (s, z, t)  h = Reshape (x, u)"
    nodes = f"{before}  y = {operator} <axis: int = {axis}> (h)"
    model = converted(tmp_path, 11, CUBE, "float[a, b, c] y", nodes, {"z": np.array([0])})
    program = graph_program(lambda x: model(x))
    if operator == "Hardmax":
        assert refusal(lambda: program(CUBE)).code == "GP615"
    else:
        np.testing.assert_allclose(program(CUBE), model(CUBE), rtol=1e-5)


def test_what_is_another_operator_now(tmp_path: Path) -> None:
    smaller = 'y = Resize <mode: string = "nearest"> (x, s)'
    weights = {"s": np.array([1, 1, 1.5, 0.7], np.float32)}
    model = converted(tmp_path, 10, IMAGE, "float[1, 2, k, l] y", smaller, weights)
    assert model(IMAGE).shape == (1, 2, 9, 4)
    error = refusal(lambda: graph_program(lambda x: model(x))(IMAGE))
    assert error.code == "GP615" and "Resize of opset 10 means something else in opset 20" in str(error)


@pytest.mark.parametrize(
    ("opset", "nodes", "expected"),
    [
        (1, "p = Relu (x)  y = Sqrt (p)", np.sqrt(np.maximum(CUBE, 0))),
        (6, "p = Relu (x)  y = Add (p, x)", np.maximum(CUBE, 0) + CUBE),
    ],
)
def test_opsets_that_are_only_read(opset: int, nodes: str, expected: Array, tmp_path: Path) -> None:
    """onnxruntime has no kernels of some old versions: in plain Python, too, the model runs in a newer one."""
    head = f'<ir_version: 4, opset_import: ["" : {opset}]> net (float[2,3,4] x) => (float[2,3,4] y)'
    net = loaded(tmp_path, f"{head} {{ {nodes} }}")
    np.testing.assert_allclose(net(CUBE), expected, rtol=1e-6)
    agree(lambda x: net(x), (CUBE,), folder=tmp_path)


QUANTIZED = """<ir_version: 10, opset_import: ["" : 21]> net (float[a,b,c] x) => (float[a,b,c] y) {
    q = QuantizeLinear (x, s, z)  y = DequantizeLinear (q, s, z) }"""


def test_opsets_without_kernels(tmp_path: Path) -> None:
    """onnxruntime reads newer versions of some operators than it has kernels of; another opset is named."""
    numbers = {"s": np.float32(0.5), "z": np.uint8(128)}
    net = loaded(tmp_path, QUANTIZED, **{name: np.array(number) for name, number in numbers.items()})
    nodes = onnx.load(net.path).graph.node
    newest = newest_opset()
    missing = [v for v in range(21, newest + 1) if any(without_kernel(nodes, {"": v}))]
    program, file = graph_program(lambda x: net(x)), tmp_path / "program.onnx"
    for opset in missing[:1]:
        for options in ({}, {"verify": False}, {"target": "openvino"}):
            error = refusal(lambda opset=opset, options=options: program.export(file, (CUBE,), opset=opset, **options))
            assert error.code == "GP615" and f"QuantizeLinear of opset {opset}" in str(error)
            assert error.diagnostic.hint == f"export the program with opset={opset - 1}" and error.loc.file == __file__
    for opset in (21, newest if not missing else missing[0] - 1):
        program.export(file, (CUBE,), opset=opset)
        np.testing.assert_array_equal(load(file)(CUBE), net(CUBE))
