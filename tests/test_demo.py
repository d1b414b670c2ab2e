"""The demo: what it prints and draws, and the README's two commands in a fresh copy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graph_program.command_line.commands import demo
from tests.tools.checkout import copy_to

ROOT = Path(__file__).resolve().parents[1]
NIGHTLY = os.environ.get("GRAPH_PROGRAM_NIGHTLY") == "1"


def test_demo_counts_writes_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from PIL import Image

    assert demo.main(["--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "onnxruntime 24 coins" in printed
    assert "same count, labels and outlines" in printed
    assert (tmp_path / "count_coins.onnx").stat().st_size > 0
    with Image.open(tmp_path / "coins.png") as picture:
        assert picture.size == (384 * demo.SCALE, 303 * demo.SCALE)


def test_demo_without_scikit_image_and_pillow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("skimage", "PIL"):
        monkeypatch.setitem(sys.modules, name, None)
    assert demo.main(["--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "the coins are drawn; a photograph comes with scikit-image" in printed
    assert "onnxruntime 24 coins" in printed
    assert "same count, labels and outlines" in printed
    assert [path.name for path in tmp_path.iterdir()] == ["count_coins.onnx"]


def test_drawing_marks_the_outline() -> None:
    photo = np.zeros((20, 20), np.uint8)
    labels = np.zeros((20, 20), np.int64)
    labels[5:15, 5:15] = 1
    outline = np.zeros((20, 20), bool)
    outline[4, 5:15] = True
    pixels = np.asarray(demo.draw(photo, labels, outline))
    assert pixels[4 * demo.SCALE + 1, 14 * demo.SCALE, 0] > 200


@pytest.fixture
def fresh_copy(tmp_path: Path) -> Path:
    """The files that git knows, as a clone would have them."""
    return copy_to(tmp_path)


@pytest.mark.skipif(not NIGHTLY, reason="makes environments from the network; GRAPH_PROGRAM_NIGHTLY=1 runs it")
def test_readme_commands_in_a_fresh_environment(fresh_copy: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in (["make", "demo"], ["make", "test", "TESTS=tests/test_layout.py"]):
        assert " ".join(command[:2]) in readme
        done = subprocess.run(command, cwd=fresh_copy, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (fresh_copy / "build" / "demo" / "coins.png").exists()


@pytest.mark.skipif(os.name == "nt", reason="the Makefile is for Linux and macOS")
def test_make_says_when_there_is_no_python(tmp_path: Path) -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is not installed")
    for tool in ("sh", "echo"):
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / tool).symlink_to(found)
    command = [make, "-f", str(ROOT / "Makefile"), "VENV=none", "none/bin/python"]
    done = subprocess.run(command, cwd=tmp_path, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode != 0
    assert "No Python >= 3.11" in done.stderr
