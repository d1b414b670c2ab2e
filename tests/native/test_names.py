"""Functions, parameters and variables whose names mean something else in C, in its library, or in C++."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.backends.c.c_names import LINKED, RESERVED, function_name, identifier
from graph_program.backends.c.compiler import STANDARD, STRICT, compiler
from tests.native.compilers import needs_compiler

TEXT = """
import numpy as np

def {function}({argument}, k):
    {variable} = {argument} * 2.0 + k
    w = np.zeros(len({argument}))
    for q in range(len({argument})):
        w[q] = {variable}[q] ** 0.5 + np.exp(k)
    if k > 3:
        raise ValueError(f"no {{k}}")
    return w, len({argument}) + 1, [v for v in w if v > 1]
"""
NAMES = """
    exp sqrt abs main double int printf memcpy read index j0 isnan size_t int64_t NAN errno FILE status error memory
    GP_APART gp_take bool_ _Bool INT64_MAX INT32_C rand round linux typeof naïve Σ 日本 f_1 true_ NULL template M_PI
    setup PI n i result
"""


@needs_compiler
@pytest.mark.parametrize("name", NAMES.split())
def test_any_name_is_taken(name: str, tmp_path: Path) -> None:
    path = tmp_path / "given.py"
    path.write_text(TEXT.format(function=name, argument=name, variable=f"{name}_"), encoding="utf-8")
    defined: dict[str, Any] = {}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), defined)
    program = graph_program(defined[name])
    program.export(str(tmp_path / "given.c"), (np.ones(3), 1.0), example=True)  # compiles it and compares it
    files, end = [tmp_path / "given.c", tmp_path / "given_main.c"], tmp_path / "ended"
    subprocess.run([*(compiler() or ()), *STANDARD, *STRICT, *files, "-o", end, "-lm"], check=True)
    assert "4.45" in subprocess.run([end], check=True, capture_output=True, text=True).stdout
    if shutil.which("g++"):
        subprocess.run(["g++", "-fsyntax-only", "-x", "c++", tmp_path / "given.h"], check=True)


def test_names_stay_as_they_are_where_they_can() -> None:
    assert [identifier(name) for name in ("smooth", "smooth_1", "é", "a.b", "3d", "gp_x")] == [
        "smooth",
        "smooth_1",
        "program",
        "a_b",
        "f_3d",
        "f_gp_x",
    ]
    assert [function_name(name) for name in ("smooth", "exp", "expf", "read", "loop", "program_exp")] == [
        "smooth",
        "program_exp",
        "program_expf",
        "program_read",
        "program_loop",
        "program_exp",
    ]
    assert "read" not in RESERVED and RESERVED < LINKED
