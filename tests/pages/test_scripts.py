"""What the scripts of a page make of arrays, in Node: the levels of pictures, and files that are cut off."""

from __future__ import annotations

import io
import json
import math
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program.pages.arrays import written
from graph_program.pages.page import FOLDER

SCRIPTS = ("tensors", "python_texts", "pictures", "sounds")
Run = Callable[[str, Any], Any]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """What a JavaScript expression over `given` is."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    texts = [(FOLDER / f"{name}.js").read_text() for name in SCRIPTS]

    def run_(expression: str, given: Any) -> Any:
        (tmp_path / "given.json").write_text(json.dumps(given))
        read = 'JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"))'
        last = f"const given = {read};\nconsole.log(JSON.stringify({expression}));"
        (tmp_path / "script.js").write_text("\n".join([*texts, last]))
        command = [node, str(tmp_path / "script.js"), str(tmp_path / "given.json")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run_


LEVELS = """(() => {
  const tensor = written(given.tensor);
  const [level, said] = levelsOf(tensor, given.top, given.whites);
  return [Array.from(new Uint8ClampedArray(Array.from(numbersOf(tensor), level))), said];
})()"""


@pytest.mark.parametrize(
    ("values", "dtype", "whites", "levels", "said"),
    [
        ([0, 0.2, 1], "float32", [1], [0, 51, 255], ""),
        ([0, 0.2, 1], "float32", [255], [0, 51, 255], ""),
        ([0, 0.505, 1.01], "float32", [1], [0, 128, 255], "black is 0, white is 1.01"),
        ([0, 0.8, 1.6], "float32", [255], [0, 128, 255], "black is 0, white is 1.6"),
        ([0, 51, 102], "float64", [255], [0, 51, 102], "black is 0, white is 255"),
        ([0, 51, 102], "float64", [1], [0, 128, 255], "black is 0, white is 102"),
        ([0, 51, 102], "float64", [], [0, 128, 255], "black is 0, white is 102"),
        ([0, 8, 16], "float32", [16], [0, 128, 255], "black is 0, white is 16"),
        ([-1, 0, 1], "float32", [1], [0, 128, 255], "black is -1, white is 1"),
        ([0, 1, math.nan], "float32", [1], [0, 255, 0], "nan is black"),
        ([math.nan, -math.inf], "float32", [1], [0, 0], "no element is a finite number"),
        ([2, 255, 7], "uint8", [1], [2, 255, 7], ""),
        ([0, 100, 255], "int64", [255], [0, 100, 255], ""),
        ([0, 300, 600], "int64", [255], [0, 128, 255], "black is 0, white is 600"),
        ([0, 32768, 65535], "uint16", [65535], [0, 128, 255], "black is 0, white is 65535"),
        ([False, True], "bool", [], [0, 255], ""),
    ],
)
def test_levels(values: list[Any], dtype: str, whites: list[float], levels: list[int], said: str, run: Run) -> None:
    found = run(LEVELS, {"tensor": written(np.array(values, dtype)), "whites": whites})
    assert found == [levels, said]


def test_the_white_that_is_asked_for(run: Run) -> None:
    tensor = written(np.array([0, 127.5, 300]))
    assert run(LEVELS, {"tensor": tensor, "top": 255, "whites": [1]}) == [[0, 128, 255], ""]


def test_json_that_javascript_reads(run: Run) -> None:
    array = written(np.array([[0.1, math.nan], [math.inf, -math.inf]]))
    expected = [[0.1, "nan"], ["inf", "-inf"]]
    assert run("JSON.parse(jsonOf(written(given)))", array) == expected
    assert run("jsonOf(written(given))", written(np.array([2**63 - 1, 1]))) == "[9223372036854775807, 1]"


READ = """(() => {
  try { return jsonOf(readNpy(Uint8Array.from(given).buffer)); } catch (error) { return error.message; }
})()"""


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (0, "[[0, 1, 2], [3, 4, 5]]"),
        (1, "the file is cut off: it has 5 of its 6 elements"),
        (48, "the file is cut off: it has 0 of its 6 elements"),
        (60, "the file is cut off in its header"),
        (167, "the file is cut off in its header"),
        (172, "this is no .npy file"),
    ],
)
def test_files_of_arrays_that_are_cut_off(left: int, said: str, run: Run) -> None:
    file = io.BytesIO()
    np.save(file, np.arange(6, dtype=np.int64).reshape(2, 3))
    data = list(file.getvalue())
    assert run(READ, data[: len(data) - left]) == said
