"""Captured arrays beside a C file: the structure of the header is the bytes of the file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from graph_program import Float32, Float64, GraphProgramError, Tensor, graph_program
from graph_program.backends.c.compiler import compiler
from graph_program.backends.c.weights import Weight, data
from graph_program.exports import c_files
from tests.native.compilers import needs_compiler

TABLE = np.arange(12.0).reshape(3, 4)
BIAS = np.array([0.5, 1.5, -2.0], np.float32)
NONE = np.zeros((0, 3))


@graph_program
def layer(weights: Float64[Tensor, "4"]) -> Float64[Tensor, "3"]:
    return TABLE @ weights + BIAS + NONE.sum()


class Filter:
    def __init__(self) -> None:
        self.last = np.zeros(3, np.float32)

    @graph_program
    def step(self, x: Float32[Tensor, "3"]) -> Float32[Tensor, "3"]:
        self.last = self.last * np.float32(0.5) + BIAS * x
        return self.last.copy()


def test_bytes_stand_in_the_order_of_their_sizes() -> None:
    whole = data([Weight("b", "float", BIAS), Weight("w", "double", TABLE)])
    assert whole == TABLE.tobytes() + BIAS.tobytes() + bytes(4)
    assert data([]) == b""


@needs_compiler
@pytest.mark.parametrize("what", ["function", "method"])
def test_a_file_beside_the_source(tmp_path: Path, what: str) -> None:
    program = layer if what == "function" else Filter().step
    arguments = (np.ones(4),) if what == "function" else (np.ones(3, np.float32),)
    summary = program.export(tmp_path / "layer.c", arguments, external_data=True, example=True)
    assert {Path(file).name for file in summary.files} == {"layer.c", "layer.h", "layer_main.c", "layer.bin"}
    assert "gives what Python gives" in summary.tried and "_weights *weights" in summary.function
    assert "static const double" not in (tmp_path / "layer.c").read_text()
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    command = [*(compiler() or ()), *strict, "layer.c", "layer_main.c", "-o", "layer", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "layer"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    want = "result 6.5 23.5 36\n" if what == "function" else "result 0.5 1.5 -2\nresult 0.75 2.25 -3\n"
    assert printed.startswith(want)
    (tmp_path / "layer.bin").write_bytes(b"short")
    assert subprocess.run([tmp_path / "layer"], cwd=tmp_path, capture_output=True, check=False).returncode == 1


def test_what_is_large_is_a_file_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_files, "LARGE", 100)
    for wanted, there in (("auto", True), (False, False), (None, False)):
        layer.export(tmp_path / f"{wanted}.c", verify=False, external_data=wanted)
        assert (tmp_path / f"{wanted}.bin").exists() == there


def test_what_c_does_not_take(tmp_path: Path) -> None:
    for options in ({"external_data": "other.bin"}, {"external_data": True, "layout": "arduino"}):
        with pytest.raises(GraphProgramError, match="GP515"):
            layer.export(tmp_path / "layer.c", **options)


@needs_compiler
def test_large_arrays_are_no_text_in_process() -> None:
    table = np.random.default_rng(1).random((100, 100))
    table.flags.writeable = False

    @graph_program(backend="native")
    def product(x: Float64[Tensor, "100"]) -> Float64[Tensor, "100"]:
        return table @ x + table[0]

    x = np.arange(100.0)
    assert np.allclose(product(x), table @ x + table[0])
    assert np.allclose(product(x * 2), table @ x * 2 + table[0])
