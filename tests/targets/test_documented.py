"""Targets that were read of: what their documents do not list is refused at its line, or done by the CPU."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import GraphProgramError, graph_program, load
from graph_program.backends.models.walks import nodes_of
from graph_program.cli import main
from graph_program.targets.documented import DOCUMENTED
from graph_program.targets.limits import Limits
from graph_program.targets.support import targets
from graph_program.targets.verdicts import ELSEWHERE, LISTED, REFUSED
from tests.programs.plain import differs, outcome

A = np.array
X = A([[1.0, 4.0, -2.0], [0.5, -0.25, 3.0]])
SIZES = {"x_0": 2, "x_1": 3}
FOR_QNN: dict[str, Any] = {"dims": SIZES, "float": "float32", "checks": "none"}
HEAD = {"runtime", "version", "document", "portable", "rest", "operators", "computed_in", "forms"}


def twice(x: Any) -> Any:
    return x + x


def layer(x: Any) -> Any:
    h = np.maximum(x @ x.T + 1.0, 0.0)
    return h.argmax(axis=1), np.exp(h).sum()


def positive(x: Any) -> Any:
    return x[x > 0].sum(), (x > 1) != (x < 0), (x > 1) == (x < 0)


def spread(x: Any) -> Any:
    return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + 1.0), np.isnan(x), (x > 0).argmax(axis=1)


def settled(x: Any) -> Any:
    for _ in range(40):
        x = np.cos(x) + x[::-1] * 0.25
    return x


def found(x: Any) -> Any:
    first = x * 2
    return first.astype(np.int64) & 6  # here


def joined(x: Any) -> Any:
    rows = x[:1]
    for k in range(len(x)):  # here
        rows = np.concatenate([rows, rows[-1:] * k])
    return rows


def several(x: Any) -> Any:
    total = np.zeros_like(x)
    for k in range(len(x)):  # here
        total = np.tanh(total + x[k])
    return total


def largest(x: Any) -> Any:
    flat = x.ravel()
    return np.linalg.det(x @ x.T) + flat[0]  # here


def line_of(function: Callable[..., Any]) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    first = function.__code__.co_firstlineno
    return next(i for i in range(first, len(lines)) if lines[i - 1].endswith("# here"))


@pytest.mark.parametrize("path", sorted(DOCUMENTED.glob("*.toml")), ids=lambda path: path.stem)
def test_the_files(path: Path) -> None:
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    assert said["runtime"] == path.stem and said["version"] and "github.com" in said["document"]
    assert said.keys() <= HEAD | Limits.__dataclass_fields__.keys()
    names = [name for group in said["operators"] for name in group["names"]]
    assert len(names) == len(set(names))
    types = {dtype for group in said["operators"] for dtype in group["types"]} - {"bfloat16"}
    assert all(np.dtype(dtype).name == dtype for dtype in types)
    limits = targets()[path.stem].limits
    by_operator = (limits.known, limits.attributes, limits.inputs, limits.outputs, limits.ranks)
    for name in {*names, *(operator for part in by_operator for operator in part)}:
        assert name in names and onnx.defs.has(name)
    for operator, places in limits.known.items():
        assert max(places) < len(onnx.defs.get_schema(operator).inputs)
    for operator, attributes in limits.attributes.items():
        assert attributes.keys() <= onnx.defs.get_schema(operator).attributes.keys()


def test_verdicts() -> None:
    tensorrt, qnn, cuda = (targets()[name] for name in ("tensorrt", "qnn", "cuda"))
    assert tensorrt.verdict("Add", "float64") == tensorrt.verdict("If", "bool") == LISTED
    assert tensorrt.verdict("Det", "float32") == tensorrt.verdict("Add", "uint8") == REFUSED
    assert qnn.verdict("Add", "float64") == qnn.verdict("Loop", "int64") == REFUSED
    assert cuda.verdict("Det", "float32") == ELSEWHERE and cuda.verdict("Loop", "int64") == LISTED
    assert cuda.verdict("Max", "int16") == targets()["onnxruntime"].verdict("Max", "int16") == REFUSED
    assert tensorrt.verdict("Constant", "") == LISTED and tensorrt.verdict("Gather", None) is None


@pytest.mark.parametrize(
    ("function", "target", "options"),
    [
        *((function, "tensorrt", {}) for function in (layer, positive, spread, settled)),
        *((function, "qnn", FOR_QNN) for function in (layer, spread)),
        *((function, "cuda", {}) for function in (layer, positive, spread, settled, found, joined, largest)),
    ],
)
def test_taken(function: Callable[..., Any], target: str, options: dict[str, Any], tmp_path: Path) -> None:
    args = (X.astype(np.float32) if options else X,)
    summary = graph_program(function).export(tmp_path / "m.onnx", args, target=target, **options)
    assert summary.target[0].endswith("as its documentation says; it was not probed")
    assert summary.target[0] in str(summary)
    model = onnx.load(tmp_path / "m.onnx")
    if target != "cuda":
        listed = targets()[target]
        operators = {node.op_type for node in nodes_of(model)}
        unlisted = {operator for operator in operators if listed.overall(operator) == REFUSED}
        assert unlisted <= ({"Shape", "Size", "ConstantOfShape"} if target == "qnn" else set())
    if not options:
        assert not differs(outcome(function, args), outcome(load(tmp_path / "m.onnx"), args))


def test_what_the_cpu_does(tmp_path: Path) -> None:
    summary = graph_program(found).export(tmp_path / "m.onnx", (X,), target="cuda")
    assert summary.target[1] == "on the CPU: BitwiseAnd"
    (told,) = graph_program(settled).export(tmp_path / "m.onnx", (X,), target="cuda").target[1:]
    assert "TF32" in told and "use_tf32" in told


@pytest.mark.parametrize(("target", "word"), [("openvino", "INFERENCE_PRECISION_HINT"), ("cuda", "use_tf32")])
def test_what_a_runtime_is_told(target: str, word: str, tmp_path: Path) -> None:
    """It computes floats in fewer bits where nobody says that it shall not; integers it does not."""
    for given, is_told in ((X, True), (np.arange(3), False)):
        summary = graph_program(twice).export(tmp_path / "m.onnx", (given,), target=target, verify=False)
        assert any(word in line for line in summary.target) == is_told


@pytest.mark.parametrize(
    ("function", "target", "options", "words", "hint"),
    [
        (
            found,
            "tensorrt",
            {},
            r"tensorrt does not take ONNX's BitwiseAnd, as its documentation \(10.15\) says",
            "other",
        ),
        (joined, "tensorrt", {}, "tensorrt does not take loops that carry an array whose size changes", "other"),
        (largest, "tensorrt", {}, "tensorrt does not take ONNX's Loop whose rounds give elements", "other"),
        (
            found,
            "qnn",
            FOR_QNN,
            r"qnn does not take ONNX's BitwiseAnd, as its documentation \(onnxruntime 1.23\)",
            "other",
        ),
        (several, "qnn", FOR_QNN | {"dims": {"x_0": 40, "x_1": 3}}, "qnn does not take ONNX's Scan", "other"),
        (found, "qnn", {}, "qnn takes arrays of known sizes only, and `x` has x_0 and x_1", "dims={'x_0': 128, "),
        (found, "qnn", {"dims": SIZES}, "qnn does not take ONNX's Mul of float64", "float='float32'"),
    ],
)
def test_refused(
    function: Callable[..., Any], target: str, options: dict[str, Any], words: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(GraphProgramError, match=words) as caught:
        graph_program(function).export(tmp_path / "m.onnx", (X,), target=target, verify=False, **options)
    assert caught.value.code == "GP547" and hint in caught.value.diagnostic.hint
    first = function.__code__.co_firstlineno
    expected = first if "known sizes" in words else line_of(function) - ("Mul" in words)
    assert caught.value.loc.line == expected
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("opset", "nearest"), [(28, 24)])
def test_versions_of_operators(opset: int, nearest: int, tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match=f"takes operators of opset 9 to 24, not of {opset}") as caught:
        graph_program(layer).export(tmp_path / "m.onnx", (X,), target="tensorrt", opset=opset)
    assert caught.value.code == "GP547" and caught.value.diagnostic.hint == f"write `opset={nearest}`"


def node(operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> onnx.NodeProto:
    return onnx.helper.make_node(operator, inputs, [f"y{i}" for i in range(outputs)], **attributes)


@pytest.mark.parametrize(
    ("target", "made", "words"),
    [
        ("tensorrt", node("CumSum", "x", "axis"), [" whose `axis` only a run knows"]),
        ("tensorrt", node("CumSum", "x", "first"), []),
        ("tensorrt", node("ScatterND", "x", "axis", "x", reduction="add"), [" with reduction='add'"]),
        ("tensorrt", node("MaxPool", "x", outputs=2, kernel_shape=[2], dilations=[1, 2]), [" with dilations=[1, 2]"]),
        ("tensorrt", node("AveragePool", "x", kernel_shape=[2]), [" of 2 axes"]),
        ("qnn", node("Max", "x", "x", "x"), [" with 3 inputs"]),
        ("qnn", node("TopK", "x", "first", outputs=2, largest=0), [" with largest=0"]),
    ],
)
def test_limits(target: str, made: onnx.NodeProto, words: list[str]) -> None:
    from graph_program.targets.known import Known

    value = onnx.helper.make_tensor_value_info
    first = onnx.numpy_helper.from_array(A([0]), "first")
    inputs = [value("x", onnx.TensorProto.FLOAT, [2, 3]), value("axis", onnx.TensorProto.INT64, [1])]
    graph = onnx.helper.make_graph([made], "g", inputs, [], [first])
    known = Known(onnx.helper.make_model(graph), {})
    said = [*targets()[target].limits.beyond(made, known, {"x": 2})]
    assert said[: len(words)] == words and bool(said) == bool(words)


def test_unknown_targets_are_told_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(GraphProgramError, match="target must be") as caught:
        graph_program(layer).export(tmp_path / "m", (X,), target="tensort")
    assert all(repr(name) in caught.value.diagnostic.message for name in targets())
    assert caught.value.diagnostic.hint == "write `target='tensorrt'`"
    file = tmp_path / "program.py"
    file.write_text(
        "from graph_program import Float32, Tensor, graph_program\n\n\n"
        '@graph_program\ndef twice(x: Float32[Tensor, "n"]):\n    return x + x\n',
        encoding="utf-8",
    )
    assert main(["export", f"{file}:twice", "--target", "qnn", "-o", str(tmp_path / "twice")]) == 1
    assert "--dim n=128" in capsys.readouterr().err
    assert main(["export", f"{file}:twice", "--target", "qnn", "--dim", "n=8", "-o", str(tmp_path / "twice")]) == 0
    assert "qnn (onnxruntime 1.23), as its documentation says" in capsys.readouterr().out
