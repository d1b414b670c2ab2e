"""Arrays of exported models: in the model or beside it, without copies in memory, the same bytes every time."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest

from graph_program import ExportError, Float32, Tensor, graph_program
from graph_program.exports import model_file, options

W = np.random.default_rng(1).uniform(-1, 1, (300, 50)).astype(np.float32)
COLUMNS = np.asfortranarray(np.arange(900.0).reshape(30, 30))[:, ::2]
FLAGS = np.arange(2000) % 3 == 0
HALVES = np.arange(3000).astype(ml_dtypes.bfloat16)


@graph_program
def weighted(x: Float32[Tensor, "n 300"]) -> Any:
    """A few products.

    More of it.
    """
    halves = x[0, :1] * HALVES.astype(np.float32)
    return x @ W, COLUMNS * x[0, 0], x[0, :1] + np.where(FLAGS, 1, 0).astype(np.float32), halves


X = np.ones((2, 300), np.float32)


def outputs(path: Path) -> list[Any]:
    onnx.checker.check_model(str(path), full_check=True)
    session = onnxruntime.InferenceSession(path)
    found: list[Any] = session.run(None, {"x": X})
    return found


@pytest.mark.parametrize(
    "wanted, names",
    [
        ("auto", ["m.onnx"]),
        (None, ["m.onnx"]),
        (False, ["m.onnx"]),
        (True, ["m.onnx", "m.onnx.data"]),
        ("w.bin", ["m.onnx", "w.bin"]),
    ],
)
def test_where_arrays_stand(wanted: Any, names: list[str], tmp_path: Path) -> None:
    summary = weighted.export(tmp_path / "m.onnx", external_data=wanted)
    assert sorted(p.name for p in tmp_path.iterdir()) == names
    assert [Path(file).name for file in summary.files] == names
    for array, want in zip(outputs(tmp_path / "m.onnx"), weighted.python(X), strict=False):
        np.testing.assert_allclose(array, want, rtol=1e-5)
    whole = onnx.load(tmp_path / "m.onnx")
    assert {t.name: bytes(t.raw_data) for t in whole.graph.initializer} == {
        t.name: bytes(t.raw_data) for t in weighted.model().graph.initializer
    }


def test_many_bytes_get_a_file_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "LARGE", 10_000)
    weighted.export(tmp_path / "m.onnx")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.onnx", "m.onnx.data"]
    assert (tmp_path / "m.onnx").stat().st_size < 10_000
    model = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    offsets = [int(e.value) for t in model.graph.initializer for e in t.external_data if e.key == "offset"]
    assert len(offsets) == 4 and all(offset % 16 == 0 for offset in offsets)


def test_a_model_that_is_too_large_for_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_file, "LARGEST", 10_000)
    with pytest.raises(ExportError, match="2 GiB or more needs external data") as error:
        weighted.export(tmp_path / "m.onnx", external_data=False)
    assert error.value.code == "GP501" and not list(tmp_path.iterdir())


@pytest.mark.parametrize("wanted", ["elsewhere/w.bin", "m.onnx", "../w.bin", "/w.bin"])
def test_files_that_a_model_cannot_refer_to(wanted: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="another file of the model's folder"):
        weighted.export(tmp_path / "m.onnx", external_data=wanted)
    with pytest.raises(TypeError, match="external_data must be"):
        weighted.export(tmp_path / "m.onnx", external_data=3)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_arrays_are_read_back_as_written(tmp_path: Path) -> None:
    arrays = {"w": W, "columns": COLUMNS, "none": np.zeros((0, 3)), "number": np.array(3.0)}
    data = tmp_path / "data"
    offsets = model_file._offsets(arrays)
    content = bytearray(offsets["number"] + 8)
    for name, array in arrays.items():
        content[offsets[name] : offsets[name] + array.nbytes] = array.tobytes()
    data.write_bytes(content)
    assert model_file.is_as_written(arrays, data)
    content[offsets["columns"] + 1] ^= 1
    data.write_bytes(content)
    assert not model_file.is_as_written(arrays, data)
    assert b"".join(chunk.tobytes() for chunk in model_file._chunks(COLUMNS[::-1], 64)) == COLUMNS[::-1].tobytes()


EXPORT = """
import sys
from tests.runtime.test_external_data import weighted
weighted.export(sys.argv[1] + "/m.onnx", external_data=True)
weighted.export(sys.argv[1] + "/one.onnx", opset=17)
"""


def test_the_bytes_are_the_same_in_every_process(tmp_path: Path) -> None:
    digests = []
    for seed in ("0", "1"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", EXPORT, str(folder)], check=True, env=environment)
        digests.append({p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir()})
    assert digests[0] == digests[1] and len(digests[0]) == 3
