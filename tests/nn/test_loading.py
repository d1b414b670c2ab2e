"""Weights from files: names, types, shapes, and files that are none."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program.tensor_api import nn


def model(seed: int = 0) -> nn.Sequential:
    return nn.Sequential(nn.Linear(3, 4, seed=seed), nn.relu, nn.Linear(4, 2, seed=seed + 1))


@pytest.mark.parametrize("suffix", ["safetensors", "npz"])
def test_what_is_saved_is_loaded(tmp_path: Path, suffix: str) -> None:
    path, first, second = tmp_path / f"model.{suffix}", model(0), model(7)
    nn.save(first, path)
    assert nn.load(second, path) == ([], [])
    assert all(
        np.array_equal(a, b) for a, b in zip(nn.state_dict(first).values(), nn.state_dict(second).values(), strict=True)
    )
    x = np.ones((1, 3), np.float32)
    assert np.array_equal(first(x), second(x))


def test_files_that_others_wrote(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    saved = pytest.importorskip("safetensors.torch")
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2)).to(torch.bfloat16)
    saved.save_file(module.state_dict(), tmp_path / "m.safetensors")
    ours = model()
    nn.load(ours, tmp_path / "m.safetensors")
    assert np.array_equal(ours.layers[0].weight, module[0].weight.detach().float().numpy())


def write(path: Path, header: Any, data: bytes = b"") -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def entry(dtype: str, shape: list[int], *offsets: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": list(offsets)}


def test_element_types(tmp_path: Path) -> None:
    header = {
        "__metadata__": {"format": "np"},
        "brain": entry("BF16", [2], 0, 4),
        "half": entry("F16", [1, 1], 4, 6),
        "flags": entry("BOOL", [2], 6, 8),
        "none": entry("I64", [0, 3], 8, 8),
    }
    found = nn.read_safetensors(write(tmp_path / "x.safetensors", header, b"\x80\x3f\x20\xc0\x00\x3c\x01\x00"))
    assert found["brain"].dtype == np.float32 and found["brain"].tolist() == [1.0, -2.5]
    assert found["half"].dtype == np.float16 and found["half"].tolist() == [[1.0]]
    assert found["flags"].tolist() == [True, False]
    assert found["none"].shape == (0, 3)


BAD = [
    (b"", "no header"),
    (b"\xff" * 40, "no header"),
    (struct.pack("<Q", 4) + b"{{{{", "not JSON"),
    (struct.pack("<Q", 2) + b"[]", "no table"),
]


@pytest.mark.parametrize(("content", "text"), BAD)
def test_files_that_are_none(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=text):
        nn.load(model(), path)


ENTRIES = [
    (entry("F32", [2], 0, 8), "outside"),
    (entry("F32", [3], 0, 4), "outside"),
    (entry("F32", [-1], 0, 4), "outside"),
    (entry("F32", [1], 4, 0), "outside"),
    (entry("F8_E4M3", [4], 0, 4), "F8_E4M3"),
    ({"dtype": "F32"}, "not described"),
    (3, "not described"),
]


@pytest.mark.parametrize(("described", "text"), ENTRIES)
def test_entries_that_do_not_fit(tmp_path: Path, described: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        nn.read_safetensors(write(tmp_path / "x.safetensors", {"w": described}, b"1234"))


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"torch\.save contain code"):
        nn.load(model(), tmp_path / "model.pt")
    with pytest.raises(ValueError, match="written to"):
        nn.save(model(), tmp_path / "model.pt")


def test_names_and_shapes_that_do_not_fit() -> None:
    ours, arrays = model(), nn.state_dict(model())
    before = {name: array.copy() for name, array in nn.state_dict(ours).items()}
    arrays = {**arrays, "2.bias": np.zeros(3, np.float32), "extra": np.zeros(1)}
    del arrays["0.bias"]
    with pytest.raises(ValueError) as caught:
        nn.load(ours, arrays)
    assert str(caught.value) == (
        "the weights do not fit Sequential: missing: 0.bias; unexpected: extra; "
        "2.bias has the shape (3,), the model's (2,)"
    )
    assert all(np.array_equal(before[name], array) for name, array in nn.state_dict(ours).items())
    del arrays["2.bias"]
    assert nn.load(ours, arrays, strict=False) == (["0.bias", "2.bias"], ["extra"])


def test_types_are_widened_and_never_narrowed() -> None:
    ours = nn.Linear(2, 1)
    nn.load(ours, {"weight": np.ones((1, 2), np.float16), "bias": np.ones(1, np.float16)})
    assert ours.weight.dtype == ours.bias.dtype == np.float32
    wide = {"weight": np.ones((1, 2)), "bias": np.ones(1)}
    with pytest.raises(TypeError, match="weight is float64, which does not fit in the model's float32"):
        nn.load(ours, wide)
    nn.load(ours, wide, dtype=np.float64)
    assert ours.weight.dtype == np.float64
    nn.load(ours, wide, dtype=np.float32)
    assert ours.weight.dtype == np.float32


def test_bfloat16_models(tmp_path: Path) -> None:
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    wide, narrow, path = model(), model(7), tmp_path / "m.safetensors"
    nn.load(narrow, nn.state_dict(wide), dtype=bfloat16)
    weights = [w.astype(bfloat16) for w in nn.state_dict(wide).values()]
    assert [w.dtype for w in nn.state_dict(narrow).values()] == [bfloat16] * 4
    nn.save(narrow, path)
    nn.load(wide, path)  # float32, with the numbers of the file
    other = nn.load(narrow, path)
    assert other == ([], [])
    for a, b, c in zip(weights, nn.state_dict(wide).values(), nn.state_dict(narrow).values(), strict=True):
        assert b.dtype == np.float32 and c.dtype == bfloat16
        assert np.array_equal(a.astype(np.float32), b) and np.array_equal(a, c)
    with pytest.raises(TypeError, match="does not fit in the model's bfloat16"):
        nn.load(narrow, {name: w + np.float32(1e-6) for name, w in nn.state_dict(wide).items()})


def test_arrays_are_copies() -> None:
    given = {"weight": np.ones((1, 2), np.float32), "bias": np.ones(1, np.float32)}
    ours = nn.Linear(2, 1)
    nn.load(ours, given)
    ours.weight[:] = 5
    assert given["weight"].tolist() == [[1, 1]]


@dataclass(frozen=True)
class Block:
    """A model of the user's own: arrays, lists and dicts."""

    scale: np.ndarray
    parts: list[Any]
    named: dict[str, Any]
    rate: float = 0.5


def test_dataclasses_lists_and_dicts() -> None:
    block = Block(np.ones(2), [nn.LayerNorm(2), np.zeros(3)], {"head": nn.Linear(2, 1, False), "x": np.ones(1)})
    names = ["scale", "parts.0.weight", "parts.0.bias", "parts.1", "named.head.weight", "named.x"]
    assert list(nn.state_dict(block)) == names
    nn.load(block, {name: array + 1 for name, array in nn.state_dict(block).items()})
    assert block.scale.tolist() == [2, 2] and block.parts[1].tolist() == [1, 1, 1] and block.named["x"].tolist() == [2]
