"""The one file that is copied to where a model runs."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

from graph_program.onnx_program import one_file as bundling
from graph_program.onnx_program.one_file import MODULES, one_file

FOLDER = Path(bundling.__file__).parent


def test_every_module_is_in_it() -> None:
    names = {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "one_file"}
    assert names == set(MODULES)


def test_no_name_is_defined_twice() -> None:
    counts: Counter[str] = Counter()
    for node in ast.parse(one_file()).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                counts[name] += 1
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                counts[name] += 1
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                counts.update(alias.asname or alias.name for alias in names)
    assert [name for name, count in counts.items() if count > 1] == []


def test_it_needs_numpy_and_the_standard_library_alone() -> None:
    modules = set()
    for node in ast.walk(ast.parse(one_file())):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add((node.module or "").partition(".")[0])
    assert modules - sys.stdlib_module_names == {"numpy", "onnxruntime"}


def test_nothing_of_a_model_is_executed() -> None:
    """No `eval`, `exec`, `compile`, `pickle` or import by name is in the file."""
    text = one_file()
    called = {n.func.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    assert not called & {"eval", "exec", "compile", "__import__", "import_module", "globals"}
    assert "pickle" not in text and "importlib" not in text
