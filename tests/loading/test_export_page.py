"""The C++ and the JavaScript of docs/export.md: their names are the model's, and they run where their runtimes are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program, load
from tests.loading.node import run_node

PAGE = Path(__file__).resolve().parents[2] / "docs" / "export.md"


def block(language: str) -> str:
    found = re.search(rf"<!-- example: {language} -->\n```\w+\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


class Tracker:
    def __init__(self) -> None:
        self.position, self.frames = np.zeros(2), 0

    @graph_program
    def step(self, measured: Any, gain: float = 0.5) -> Any:
        if not 0 < gain <= 1:
            raise ValueError(f"gain is {gain}, in frame {self.frames}")
        self.position = self.position + gain * (measured - self.position)
        self.frames += 1
        return {"position": self.position, "moved": self.frames > 1}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "tracker.onnx"
    Tracker().step.export(path, (np.zeros(2),))
    return path


@pytest.mark.parametrize("language", ["cpp", "js"])
def test_names_are_those_of_the_model(language: str, model: Path) -> None:
    program, code = load(model), block(language)
    strings = set(re.findall(r'"((?:self|result)[\w.]+)"', code))
    assert strings <= {*program.inputs, *program.outputs}
    assert all(re.search(rf"\b{re.escape(name)}\b", code) for name in program.inputs)
    assert "error" in code


def test_javascript(model: Path, tmp_path: Path) -> None:
    """Run under Node, where both are."""
    script = tmp_path / "page.js"
    lines = [
        'const ort = require("onnxruntime-web");',
        f"const model = new Uint8Array(require('fs').readFileSync({str(model)!r}));",
        f"(async () => {{\n{block('js')}}})();",
    ]
    script.write_text("\n".join(lines), encoding="utf-8")
    printed = run_node(script)
    tracker = Tracker()
    expected = [tracker.step.python(np.array(z))["position"] for z in ([1.0, 2.0], [3.0, 4.0])]
    found = [[float(number) for number in line.split()] for line in printed.splitlines()]
    np.testing.assert_allclose(found, expected)


def test_cpp(tmp_path: Path) -> None:
    """Compiled where the compiler finds onnxruntime's headers (`CPLUS_INCLUDE_PATH` says where else it looks)."""
    compiler = shutil.which(os.environ.get("CXX", "g++"))
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    source = tmp_path / "page.cpp"
    source.write_text(f"#include <algorithm>\n#include <onnxruntime_cxx_api.h>\nint main() {{\n{block('cpp')}}}\n")
    command = [compiler, "-std=c++17", "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "onnxruntime_cxx_api.h: No such file" in done.stderr or "'onnxruntime_cxx_api.h' file not found" in done.stderr:
        pytest.skip("the compiler does not find onnxruntime_cxx_api.h")
    assert done.returncode == 0, done.stderr
