"""Every diagnostic code is pinned by the whole text of at least one refusal."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import graph_program
from graph_program import GraphProgramError, GraphProgramFunction
from tests.goldens import Case, load, read

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
CASES = [case for file in FILES for case in read(file)]
SOURCES = ("tensor_api", "extract", "backends", "graph_program")

INSIDE_COROUTINES = "stands inside coroutines only, which are refused as a whole (GP206, GP337)"

UNPINNED: dict[str, str] = {
    **dict.fromkeys(["GP202", "GP203", "GP204", "GP205"], INSIDE_COROUTINES),
    "GP201": "`yield` makes its function a generator, which is refused as a whole (GP207, GP337)",
    "GP209": "a star import inside a function is a SyntaxError of Python's own",
    "GP210": "`type` statements are syntax of Python 3.12",
    "GP211": "template strings are syntax of Python 3.14",
    "GP298": "for expressions that Python does not have yet",
    "GP299": "for statements and targets that Python does not have yet",
    "GP102": "a guard: what CPython has compiled is parsed; tests/source pins it",
    "GP310": "a guard: no program is known whose loop types do not settle",
    "GP360": "a warning of `graph-program check`; tests/cli pins it",
    "GP514": "needs a million operations in a run; tests/profiles pins it",
    "GP603": "needs a machine without a compiler; tests/runtime/test_native_backend pins it",
    "GP505": "a mistake of ours, or of onnxruntime; tests/runtime/test_verified_files pins it",
    "GP518": "only in exports with float32; tests/runtime/test_float32 pins it",
    "GP519": "only in exports to C; tests/runtime/test_c_files pins it",
    "GP524": "is raised in the middle of a call; tests/programs/objects/state/test_captured_and_changed pins it",
    "GP523": "only where copies are errors; tests/programs/host/test_copies pins it",
    "GP545": "needs an export; tests/verification pins it",
    "GP546": "needs a file of a model; tests/bundles pins it",
    **dict.fromkeys(("GP550", "GP551"), "only in exports to pages; tests/pages pins them"),
    **dict.fromkeys(["GP548", "GP549"], "only in quantized exports; tests/quantized pins them"),
    "GP547": "depends on the table of a target; tests/targets pins it",
    **dict.fromkeys(("GP560", "GP561", "GP562", "GP563"), "is about many calls; tests/sessions pins it"),
    "GP601": "every operation that programs can use has an ONNX form",
    "GP602": "needs a model that onnxruntime refuses to load, which would be a fault of ours",
    **dict.fromkeys(
        ("GP611", "GP612", "GP613", "GP614", "GP615", "GP616"), "needs a file of a model; tests/models pins it"
    ),
    "GP903": "needs a kernel of onnxruntime that fails, which would be a fault of ours",
}
"""Codes without a case, and why."""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_message(case: Case, check_golden: Callable[[Case, str], None]) -> None:
    check_golden(case, _refusal(case))


def _refusal(case: Case) -> str:
    """What the user sees when the case's call is refused."""
    names = load(case.source)
    program = names.get("program")
    if program is not None and not isinstance(program, GraphProgramFunction):
        names["program"] = graph_program.graph_program(program)
    with pytest.raises(GraphProgramError) as caught:
        eval(case.call, names)
    return f"{type(caught.value).__name__}: {caught.value}"


def test_every_code_has_a_case() -> None:
    used = {code for folder in SOURCES for file in (ROOT / folder).rglob("*.py") for code in _codes(file)}
    pinned = {code for case in CASES for code in re.findall(r"error\[(GP\d+)\]", case.expected)}
    assert sorted(used - pinned) == sorted(UNPINNED), "add a case to tests/diagnostics/cases, or drop it from UNPINNED"


def _codes(file: Path) -> list[str]:
    return re.findall(r'"(GP\d{3})"', file.read_text(encoding="utf-8"))


def test_names_are_unique() -> None:
    names = [str(case) for case in CASES]
    assert sorted(set(names)) == sorted(names)
