"""C files as a library for Arduino and as a module for Zephyr: what is written, and that it compiles."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from graph_program.backends.c.compiler import STANDARD, STRICT, compiler
from tests.runtime.native_programs import needs_compiler

needs_cpp = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")

SERIAL = """
#include <cstdio>
#include <cstdlib>
struct {
    void begin(long) {}
    void print(const char *text) { std::printf("%s", text); }
    void print(double number, int digits) { std::printf("%.*f", digits, number); }
    void print(long number) { std::printf("%ld", number); }
    void println() { std::printf("\\n"); }
    void println(const char *text) { std::printf("%s\\n", text); }
    void println(double number, int digits) { std::printf("%.*f\\n", digits, number); }
    void println(long number) { std::printf("%ld\\n", number); }
} Serial;
static void delay(long) {}
"""


class Delay:
    """A sample as it was some steps ago; `new` is a word that C++ keeps."""

    def __init__(self) -> None:
        self.new = np.array([1.0, 2.0, 3.0])

    @graph_program
    def step(self, x: float) -> Any:
        oldest = self.new[0]
        for i in range(2):
            self.new[i] = self.new[i + 1]
        self.new[2] = x
        if x < 0:
            raise ValueError("below zero")
        return oldest, self.new * 2


def test_arduino(tmp_path: Path) -> None:
    summary = Delay().step.export(tmp_path / "delay", (5.0,), layout="arduino")
    names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    ends = ("examples/delay/delay.ino", "library.properties", "src/delay.c", "src/delay.h")
    assert names == [f"delay/{end}" for end in ends]
    assert summary.files[0] == str(tmp_path / "delay/src/delay.c")
    assert "includes=delay.h" in (tmp_path / "delay/library.properties").read_text()


@needs_compiler
@needs_cpp
def test_a_sketch_is_cpp_that_runs(tmp_path: Path) -> None:
    Delay().step.export(tmp_path / "delay.c", (5.0,), layout="arduino")
    sketch = (tmp_path / "delay/examples/delay/delay.ino").read_text()
    (tmp_path / "main.cpp").write_text(f"{SERIAL}{sketch}int main() {{ setup(); loop(); loop(); }}\n")
    source = tmp_path / "delay/src/delay.c"
    subprocess.run([*(compiler() or ()), *STANDARD, *STRICT, "-c", source, "-o", tmp_path / "delay.o"], check=True)
    command = ["g++", "-Wall", "-Wextra", "-Werror", f"-I{source.parent}", "main.cpp", "delay.o", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[:2] == ["result_0 1.000000000", "result_1 4.000000000 6.000000000 10.000000000"]
    assert done.stdout.splitlines()[2] == "result_0 2.000000000"


@needs_compiler
def test_zephyr(tmp_path: Path) -> None:
    Delay().step.export(tmp_path / "delay", (5.0,), layout="zephyr")
    names = {str(path.relative_to(tmp_path / "delay")) for path in tmp_path.rglob("*") if path.is_file()}
    sample = {f"samples/delay/{name}" for name in ("CMakeLists.txt", "prj.conf", "src/main.c")}
    assert names == {"zephyr/module.yml", "CMakeLists.txt", "Kconfig", "src/delay.c", "include/delay.h", *sample}
    assert "zephyr_library_sources(src/delay.c)" in (tmp_path / "delay/CMakeLists.txt").read_text()
    assert "${CMAKE_CURRENT_SOURCE_DIR}/../.." in (tmp_path / "delay/samples/delay/CMakeLists.txt").read_text()
    files = ["src/delay.c", "samples/delay/src/main.c"]
    command = [*(compiler() or ()), *STANDARD, *STRICT, "-Iinclude", *files, "-o", "main", "-lm"]
    subprocess.run(command, cwd=tmp_path / "delay", check=True)
    done = subprocess.run([tmp_path / "delay/main"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "result_0 1"


def test_without_arguments_there_is_no_example(tmp_path: Path) -> None:
    Delay().step.export(tmp_path / "delay", layout="arduino")
    assert not (tmp_path / "delay/examples").exists()


def test_a_layout_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match=r"GP515.*'files', 'arduino' or 'zephyr', not 'arduno'") as raised:
        Delay().step.export(tmp_path / "delay", (5.0,), layout="arduno")
    assert "write `layout='arduino'`" in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_an_example_of_an_onnx_file(tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match=r"GP515.*an example is for C"):
        Delay().step.export(tmp_path / "delay.onnx", (5.0,), example=True)
