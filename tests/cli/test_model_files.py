"""Commands that take a model file: what its inputs may be, and files that nobody can open."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import onnx
import pytest

from graph_program.cli import main

HEAD = '<ir_version: 9, opset_import: ["" : 17, "own" : 1]> g '


def model(tmp_path: Path, text: str) -> str:
    path = tmp_path / "m.onnx"
    onnx.save(onnx.parser.parse_model(HEAD + text), path)
    return str(path)


def test_strings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = model(tmp_path, "(string[n] x) => (string[n] y) { y = Identity(x) }")
    np.savez(tmp_path / "x.npz", x=np.array(["ab", "c"]))
    assert main(["run", path, "--input", "x=['ab', 'c']"]) == 0
    assert "['ab' 'c']" in capsys.readouterr().out
    assert main(["verify", path, "--with", str(tmp_path / "x.npz"), "--runtime", "onnxruntime"]) == 0
    for given, words in (
        ("x=[1, 2]", "expected str, got int64"),
        ("x=ab", "neither a .npy file nor a string in quotes"),
    ):
        assert main(["run", path, "--input", given]) == 2
        assert words in capsys.readouterr().err


def test_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = model(tmp_path, "(seq(float[n]) x) => (int64 y) { y = SequenceLength(x) }")
    assert main(["run", path]) == 0
    assert "x: seq(tensor(float))\n" in capsys.readouterr().out
    assert main(["run", path, "--input", "x=[1.0]"]) == 2
    assert "input x: arrays of NumPy cannot be seq(tensor(float))" in capsys.readouterr().err


def test_any_rank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(model(tmp_path, "(float[n] x, float z) => (float[n] y) { y = Add(x, z) }"))
    proto = onnx.load(path)
    for port in (proto.graph.input[0], proto.graph.output[0]):
        port.type.tensor_type.ClearField("shape")
    onnx.save(proto, path)
    assert main(["run", str(path)]) == 0
    assert "  x: float32 of any shape\n  z: float32 []\n" in capsys.readouterr().out
    assert main(["run", str(path), "--input", "x=[1, 2]", "--input", "z=1"]) == 0
    assert "[2. 3.]" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["run", "verify", "bundle"])
def test_functions_that_call_each_other_twice(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """onnxruntime inlines them, and does not end."""
    last = '<domain: "own", opset_import: ["" : 17]> f0 (a) => (b) { b = Neg(a) }'
    calls = [
        f'<domain: "own", opset_import: ["" : 17, "own" : 1]> f{k} (a) => (b) '
        f"{{ c = own.f{k - 1}(a) b = own.f{k - 1}(c) }}"
        for k in range(1, 40)
    ]
    text = "(float[n] x) => (float[n] y) { y = own.f39(x) }"
    path = model(tmp_path, "\n".join([text, last, *calls]))
    output = ["-o", str(tmp_path / "out")] if command == "bundle" else []
    assert main([command, path, *output]) == 1
    assert "it has more than 1048576 nodes when its functions are inlined" in capsys.readouterr().err


def broken(tmp_path: Path, name: str) -> str:
    """A file of no arrays with names."""
    path = tmp_path / name
    match path.stem:
        case "one":
            np.save(tmp_path / "one", np.ones(2, np.float32))
        case "several":
            np.savez(tmp_path / "x", x=np.ones(2, np.float32))
            (tmp_path / "x.npz").rename(path)
        case "text":
            path.write_text("x = [1, 2]", encoding="utf-8")
        case "empty":
            path.touch()
        case "objects":
            np.savez(path, x=np.array([None]))
        case "zip" | "cut" | "damaged":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
                file.writestr("x", "text of other things" * 9)
            data = path.read_bytes()
            cut, damaged = data[:30], data[:40] + bytes(9) + data[49:]
            path.write_bytes({"zip": data, "cut": cut, "damaged": damaged}[path.stem])
    return str(path)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("one.npy", "has one array, without a name; an .npz file has arrays by name, as np.savez"),
        ("missing.npz", "No such file or directory"),
        ("text.npz", "it has Python objects, or is no file of arrays; an .npz file has arrays by name"),
        ("empty.npz", "; an .npz file has arrays by name"),
        ("objects.npz", "it has Python objects, or is no file of arrays; an .npz file has arrays by name"),
        ("cut.npz", "; an .npz file has arrays by name"),
        ("damaged.npz", "; an .npz file has arrays by name"),
        ("zip.npz", "'x' in it is no array; an .npz file has arrays by name"),
    ],
)
@pytest.mark.parametrize("command", ["verify", "bundle"])
def test_files_of_no_named_arrays(
    command: str, name: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = model(tmp_path, "(float[n] x) => (float[n] y) { y = Neg(x) }")
    output = ["-o", str(tmp_path / "out")] if command == "bundle" else []
    assert main([command, path, "--with", broken(tmp_path, name), *output]) == 2
    said = capsys.readouterr().err
    assert words in said and name in said and said.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("empty.npy", "; an .npy file has one array"),
        ("missing.npy", "No such file or directory"),
        ("several.npy", "has arrays by name; an .npy file has one array, as np.save"),
    ],
)
def test_inputs_of_no_array(name: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = model(tmp_path, "(float[n] x) => (float[n] y) { y = Neg(x) }")
    assert main(["run", path, "--input", f"x={broken(tmp_path, name)}"]) == 2
    said = capsys.readouterr().err
    assert words in said and said.startswith("graph-program: input x: ") and said.count("\n") == 1
