"""Where a bundle is written: nothing is replaced that no earlier bundle has written, and no link is followed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from graph_program.bundles.bundle import bundle
from graph_program.cli import main
from graph_program.extract.diagnostics import GraphProgramError

TEXT = (
    '<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) <float[4] w = {1,2,3,4}> { y = Mul(x, w) }'
)


def model_with(tmp_path: Path, data: str = "") -> Path:
    """A model, with its array in a file beside it where that has a name."""
    path = tmp_path / "m.onnx"
    model = onnx.parser.parse_model(TEXT)
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.ones(4, np.float32), "w"))
    kept = {"save_as_external_data": True, "location": data, "size_threshold": 0} if data else {}
    onnx.save(model, path, **kept)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_an_earlier_bundle_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for data in ("first.data", "second.data", "", "second.data"):
        made = bundle(model_with(tmp_path, data), out)
        (out / "__pycache__").mkdir(exist_ok=True)  # of Python, which has imported `onnx_program.py`
        assert set(contents(out)) == set(made.files)  # what only the earlier one had is gone
        assert (data in made.files) == bool(data)
    (out / "README.md").unlink()
    bundle(tmp_path / "m.onnx", out)
    assert (out / "README.md").is_file()


def test_a_bundle_of_its_own_model(tmp_path: Path) -> None:
    out = tmp_path / "out"
    bundle(model_with(tmp_path, "w.data"), out)
    before = contents(out)
    assert main(["bundle", str(out / "model.onnx"), "--with", str(out / "example.npz"), "-o", str(out)]) == 0
    assert contents(out)["w.data"] == before["w.data"] and contents(out)["model.onnx"] == before["model.onnx"]


def own_readme(out: Path) -> None:
    out.mkdir()
    (out / "README.md").write_text("mine", encoding="utf-8")


def own_list(out: Path) -> None:
    """Checksums of somebody's own files, who has a model, too."""
    own_readme(out)
    (out / "model.onnx").write_bytes(b"mine")
    sums = (f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in sorted(out.iterdir()))
    (out / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


def changed(out: Path) -> None:
    bundle(out.parent / "m.onnx", out)
    with (out / "README.md").open("a", encoding="utf-8") as file:
        file.write("mine")


def beside(out: Path) -> None:
    bundle(out.parent / "m.onnx", out)
    (out / "notes.txt").write_text("mine", encoding="utf-8")


def listed(out: Path) -> None:
    beside(out)
    with (out / "SHA256SUMS").open("a", encoding="utf-8") as file:
        file.write(hashlib.sha256(b"mine").hexdigest() + "  notes.txt\n")


def inner(out: Path) -> None:
    (out / "data").mkdir(parents=True)


def not_text(out: Path) -> None:
    out.mkdir()
    (out / "SHA256SUMS").write_bytes(b"\xff\xfe")


@pytest.mark.parametrize(
    ("prepared", "words"),
    [
        (own_readme, "no earlier bundle has written what is there, 'README.md'"),
        (own_list, "no earlier bundle has written what is there, 'README.md', 'SHA256SUMS', 'model.onnx'"),
        (changed, "cannot replace the bundle in .*: it has not written what is there, 'README.md'"),
        (beside, "cannot replace the bundle in .*: it has not written what is there, 'notes.txt'"),
        (listed, "no earlier bundle has written what is there, .* and 4 more"),
        (inner, "no earlier bundle has written what is there, 'data'"),
        (not_text, "no earlier bundle has written what is there, 'SHA256SUMS'"),
    ],
)
def test_files_of_others(prepared: Callable[[Path], None], words: str, tmp_path: Path) -> None:
    model, out = model_with(tmp_path), tmp_path / "out"
    prepared(out)
    before = contents(out)
    with pytest.raises(GraphProgramError, match=words) as caught:
        bundle(model, out)
    assert caught.value.code == "GP501" and caught.value.diagnostic.hint
    assert contents(out) == before


@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("there", [False, True])
def test_links_are_not_followed(earlier: bool, there: bool, tmp_path: Path) -> None:
    model, out, secret = model_with(tmp_path), tmp_path / "out", tmp_path / "secret.bin"
    out.mkdir()
    if earlier:
        bundle(model, out)
        content = (out / "README.md").read_bytes()
        (out / "README.md").unlink()
    else:
        content = b"secret"
    if there:
        secret.write_bytes(content)
    (out / "README.md").symlink_to("../secret.bin")
    with pytest.raises(GraphProgramError, match=r"written what is there, 'README.md'"):
        bundle(model, out)
    assert (out / "README.md").is_symlink() and secret.exists() == there
    assert not there or secret.read_bytes() == content


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own_readme(tmp_path / "out")
    assert main(["bundle", str(model_with(tmp_path)), "-o", str(tmp_path / "out")]) == 1
    assert "name a folder that is empty or not there" in capsys.readouterr().err
    assert (tmp_path / "out" / "README.md").read_text(encoding="utf-8") == "mine"
    assert main(["bundle", str(tmp_path / "m.onnx"), "-o", str(tmp_path / "m.onnx")]) == 1
    assert "GP501" in capsys.readouterr().err
