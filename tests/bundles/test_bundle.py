"""`graph-program bundle`: the folder is whole, and the calls in its README do what they say."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from graph_program.bundles.bundle import bundle
from graph_program.cli import main
from graph_program.extract.diagnostics import GraphProgramError
from tests.loading.node import require_web

SOURCE = '''
import numpy as np
from graph_program import Float32, Tensor, graph_program

@graph_program
def scaled(x: Float32[Tensor, "n"], k: int, keep: bool = True):
    """x scaled."""
    if not keep:
        raise ValueError("nothing is kept")
    return x * np.float32(k), k - 1
'''
FILES = {"model.onnx", "description.json", "example.npz", "onnx_program.py", "LICENSES.txt", "README.md", "SHA256SUMS"}
X = "np.array([1.5, -2, np.inf], np.float32)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bundle")
    (place / "program.py").write_text(SOURCE, encoding="utf-8")
    program = f"{place / 'program.py'}:scaled"
    assert main(["bundle", program, "--arg", f"x={X}", "--arg", "k=3", "-o", str(place / "out")]) == 0
    return place / "out"


def block(folder: Path, language: str, number: int = 0) -> str:
    text = (folder / "README.md").read_text(encoding="utf-8")
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return found[number]


def test_the_folder(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == FILES
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    described = json.loads((folder / "description.json").read_text())
    assert described["inputs"][0] == {"name": "x", "dtype": "float32", "shape": ["n"]}
    assert [error["exception"] for error in described["errors"]][:1] == ["ValueError"]
    with np.load(folder / "example.npz") as example:
        assert np.array_equal(example["result.0"], np.array([4.5, -6, np.inf], np.float32))
        assert example["result.1"] == 2 and not example["error"]
    assert "part of graph-program" in (folder / "LICENSES.txt").read_text()


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "(x, k, keep=True)\n(array([ 4.5, -6. ,  inf], dtype=float32), 2)"), (1, "[ 4.5 -6.   inf] 2")],
)
def test_python(number: int, words: str, folder: Path) -> None:
    alone = "import sys; sys.modules['graph_program'] = None\n"  # it is not there
    code = alone + block(folder, "python", number)
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout


def test_javascript(folder: Path) -> None:
    node, environment = require_web()
    code = block(folder, "js").replace("onnxruntime-node", "onnxruntime-web")
    code = code.replace('create("model.onnx")', 'create(new Uint8Array(require("fs").readFileSync("model.onnx")))')
    done = subprocess.run([node, "-e", code], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "4.5" in done.stdout and "Infinity" in done.stdout and "2n" in done.stdout


def test_cpp(folder: Path, tmp_path: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    source = tmp_path / "call.cpp"
    source.write_text(block(folder, "cpp"), encoding="utf-8")
    command = [compiler, "-std=c++17", "-fsyntax-only", "-Wall", "-Werror", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "onnxruntime_cxx_api.h" in done.stderr and "file" in done.stderr.lower():
        pytest.skip("the compiler does not find onnxruntime_cxx_api.h")
    assert done.returncode == 0, done.stderr


def test_rust(folder: Path) -> None:
    code = block(folder, "rust")
    assert '"x" => Tensor::<f32>::from_array((vec![3i64], vec![1.5f32, -2.0f32, f32::INFINITY]))?,' in code
    assert '"k" => Tensor::<i64>::from_array((Vec::<i64>::new(), vec![3_i64]))?,' in code


def model_file(tmp_path: Path, dtype: int = TensorProto.FLOAT) -> Path:
    """A model of somebody else's, with an open size and one that is large."""
    x, y = (helper.make_tensor_value_info(name, dtype, ["n", 4]) for name in ("x in", "y"))
    graph = helper.make_graph([helper.make_node("Abs", ["x in"], ["y"])], "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    model.metadata_props.add(key="license", value="CC0")
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    return path


def test_what_is_fixed(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(SOURCE, encoding="utf-8")
    fixed = ["--static", "k", "--dim", "n=3"]
    arguments = [f"{tmp_path / 'program.py'}:scaled", "--arg", f"x={X}", "--arg", "k=3", *fixed]
    assert main(["verify", *arguments, "--runtime", "onnxruntime"]) == 0
    assert main(["bundle", *arguments, "-o", str(tmp_path / "out")]) == 0
    described = json.loads((tmp_path / "out" / "description.json").read_text())
    assert [(port["name"], port["shape"]) for port in described["inputs"]] == [("x", [3]), ("keep", [])]
    with np.load(tmp_path / "out" / "example.npz") as example:
        assert "k" not in example and np.array_equal(example["result.0"], np.array([4.5, -6, np.inf], np.float32))


def test_a_file(tmp_path: Path) -> None:
    path = model_file(tmp_path)
    assert main(["bundle", str(path), "-o", str(tmp_path / "out")]) == 0
    out = tmp_path / "out"
    assert {path.name for path in out.iterdir()} == FILES - {"onnx_program.py"}
    assert "CC0" in (out / "LICENSES.txt").read_text()
    with np.load(out / "example.npz") as example:
        assert example["x in"].shape == (3, 4) and example["y"].shape == (3, 4)
    assert "Array(12).fill(0.0), [3, 4]" in block(out, "js")
    assert "std::vector<float> x_in(12, 0.0);" in block(out, "cpp")
    done = subprocess.run([sys.executable, "-c", block(out, "python")], cwd=out, check=False)
    assert done.returncode == 0


def test_types_that_not_every_language_has(tmp_path: Path) -> None:
    path = model_file(tmp_path, TensorProto.FLOAT16)
    bundle(path, tmp_path / "out")
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "```python" in text and "```cpp" not in text


def texted(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "m.onnx"
    onnx.save(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g {text}'), path)
    return path


def test_outputs_that_not_every_language_has(tmp_path: Path) -> None:
    bundle(
        texted(
            tmp_path,
            "(float[n] x) => (seq(float[n]) y, float z) { y = SequenceConstruct(x) z = ReduceMax<keepdims=0>(x) }",
        ),
        tmp_path / "out",
    )
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "| `y` | sequence |" in text and "```python" in text and "```cpp" not in text and "```js" not in text
    with np.load(tmp_path / "out" / "example.npz") as example:
        assert sorted(example) == ["x", "z"]
    with pytest.raises(GraphProgramError, match="takes 'x', which is a sequence and no array"):
        bundle(texted(tmp_path, "(seq(float[n]) x) => (int64 y) { y = SequenceLength(x) }"), tmp_path / "out")


def test_an_example_without_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = texted(tmp_path, "(float[n] x, int64[k] s) => (float[p, q] y) { y = Reshape(x, s) }")
    assert main(["bundle", str(path), "-o", str(tmp_path / "out")]) == 0
    assert "does not run on zeros, and the example has no outputs" in capsys.readouterr().err
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "has inputs of zeros, on which the model does not run: " in text and "what it gives" not in text


def test_arrays_in_a_file_beside(tmp_path: Path) -> None:
    model = onnx.load(texted(tmp_path, "(float[4] x) => (float[4] y) <float[4] w = {1,2,3,4}> { y = Mul(x, w) }"))
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.ones(4, np.float32), "w"))
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=0)
    bundle(tmp_path / "m.onnx", tmp_path / "out")
    assert 'externalData: [{ path: "m.data", data: "m.data" }]' in block(tmp_path / "out", "js")


def test_arrays_of_inner_graphs_in_a_file_beside(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]> net (float[n] x, bool p) => (float[n] y) {
        y = If (p) <
            then_branch = one () => (float[n] a) { w = Constant <value = float[2] {1.0, 2.0}> () a = Add (x, w) },
            else_branch = two () => (float[n] b) { b = Neg (x) }>
    }"""
    model = onnx.parser.parse_model(text)
    (node,) = model.graph.node
    branch = next(attribute.g for attribute in node.attribute if attribute.name == "then_branch")
    tensor = branch.node[0].attribute[0].t
    (tmp_path / "w.data").write_bytes(np.array([1.0, 2.0], np.float32).tobytes())
    for field in ("float_data", "raw_data"):
        tensor.ClearField(field)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="w.data")
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    bundle(tmp_path / "m.onnx", tmp_path / "out")
    assert (tmp_path / "out" / "w.data").read_bytes() == (tmp_path / "w.data").read_bytes()


def test_names_with_marks_of_markdown(tmp_path: Path) -> None:
    """Keys of a dict are names of outputs."""
    text = SOURCE.replace("x * np.float32(k), k - 1", '{"a|b": x, "c`": k}')
    (tmp_path / "marks.py").write_text(text, encoding="utf-8")
    assert main(["bundle", f"{tmp_path / 'marks.py'}:scaled", "--arg", "k=3", "-o", str(tmp_path / "out")]) == 0
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert r"| `result.a\|b` | float32 [n] |" in readme and "| `` result.c` `` | int64 [] |" in readme


def test_names_that_numpy_has_for_itself(tmp_path: Path) -> None:
    """`np.savez` has parameters that are called so."""
    source = """import numpy as np
from graph_program import Float32, Tensor, graph_program

@graph_program
def added(file: Float32[Tensor, "n"], allow_pickle: Float32[Tensor, "n"]):
    return file + allow_pickle
"""
    (tmp_path / "named.py").write_text(source, encoding="utf-8")
    assert main(["bundle", f"{tmp_path / 'named.py'}:added", "-o", str(tmp_path / "out")]) == 0
    with np.load(tmp_path / "out" / "example.npz") as example:
        assert {"file", "allow_pickle", "result"} <= set(example)


def test_names_of_more_than_one_line(tmp_path: Path) -> None:
    """Nothing of a name ends a text, a line, a cell or a block of code."""
    given, made = 'x\n"\\\x01`|%s', "y\r\n```\u2028\t'"
    model = onnx.load(texted(tmp_path, "(float[n] x) => (float[n] y) { y = Neg(x) }"))
    model.graph.input[0].name = model.graph.node[0].input[0] = given
    model.graph.output[0].name = model.graph.node[0].output[0] = made
    for port in (model.graph.input[0], model.graph.output[0]):
        port.type.tensor_type.shape.dim[0].dim_param = "n\n|m"
    onnx.save(model, tmp_path / "m.onnx")
    out = tmp_path / "out"
    bundle(tmp_path / "m.onnx", out)
    lines = (out / "README.md").read_text(encoding="utf-8").split("\n")
    assert r"""| `` x\n"\\x01`\|%s `` | float32 [n\n\|m] |""" in lines
    assert r"""| ```` y\r\n```\u2028\t' ```` | float32 [n\n\|m] |""" in lines
    assert [line for line in lines if line.startswith("```")] == [
        "```python",
        "```",
        "```cpp",
        "```",
        "```js",
        "```",
        "```rust",
        "```",
    ]
    assert r"""  const char* in[] = {"x\n\"\\\001`|%s"};""" in lines
    assert r"""  const char* out[] = {"y\r\n```\342\200\250\t'"};""" in lines
    assert any(line.strip().startswith(r"""x\n\"\\\u{1}`|%s" => Tensor""", 1) for line in lines)
    done = subprocess.run([sys.executable, "-c", block(out, "python")], cwd=out, capture_output=True, check=False)
    assert done.returncode == 0 and b"-0." in done.stdout, done.stderr
    node, environment = require_web()
    code = block(out, "js").replace("onnxruntime-node", "onnxruntime-web")
    code = code.replace('create("model.onnx")', 'create(new Uint8Array(require("fs").readFileSync("model.onnx")))')
    done = subprocess.run([node, "-e", code], cwd=out, env=environment, capture_output=True, check=False)
    assert done.returncode == 0 and b"-0" in done.stdout, done.stderr


def test_arrays_elsewhere_are_not_taken(tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(bytes(64))
    path = model_file(tmp_path)
    model = onnx.load(path)
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[16], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="../secret.bin")
    model.graph.initializer.append(tensor)
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "m.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(GraphProgramError, match="no file beside it") as caught:
        bundle(inner / "m.onnx", tmp_path / "out")
    assert caught.value.code == "GP546"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["bundle", "MODEL", "--arg", "x=1", "-o", "out"], 2, "are for programs"),
        (["bundle", "none.onnx", "-o", "out"], 2, "there is no file"),
    ],
)
def test_refused(
    arguments: list[str], code: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(model_file(tmp_path))
    assert main([model if word == "MODEL" else word for word in arguments]) == code
    assert words in capsys.readouterr().err
