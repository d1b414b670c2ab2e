"""The repository's own order: what is packaged, who imports whom, what an import costs."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
FOLDERS: dict[str, str] = SETUPTOOLS["package-dir"]

LAYERS = ["tensor_api", "extract", "backends", "", "samples"]
"""From the bottom up; the empty name stands for the top package's own modules."""

FORWARD = {("", "samples"): {"demo.py"}}
"""Modules that may import from a layer above theirs."""

HEAVY = ["libcst", "onnx", "onnx_ir", "onnxruntime", "jaxtyping", "sympy"]


def packages_on_disk() -> Iterator[str]:
    """Each folder with Python files under the mapped ones, by its package name."""
    for package, folder in FOLDERS.items():
        for path in {file.parent for file in (ROOT / folder).rglob("*.py")}:
            parts = path.relative_to(ROOT / folder).parts
            yield ".".join((package, *parts))


def test_every_package_is_listed() -> None:
    listed, found = set(SETUPTOOLS["packages"]), set(packages_on_disk())
    assert found - listed == set(), "list these under [tool.setuptools] packages in pyproject.toml"
    assert listed - found == set(), "these folders of pyproject.toml are not there"


def test_every_package_has_an_init_file() -> None:
    for folder in FOLDERS.values():
        for path in {file.parent for file in (ROOT / folder).rglob("*.py")}:
            assert (path / "__init__.py").exists(), path


def layer_of(module: str) -> str | None:
    """The layer that `graph_program.extract.ir` and the like belong to; None for other packages."""
    first, *rest = module.split(".")
    if first != "graph_program":
        return None
    return rest[0] if rest and rest[0] in LAYERS else ""


def imported_modules(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every import in a file, those inside functions included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module is not None
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


@pytest.mark.parametrize("package", FOLDERS)
def test_imports_point_backwards(package: str) -> None:
    own = layer_of(package)
    assert own is not None
    wrong = []
    for path in sorted((ROOT / FOLDERS[package]).rglob("*.py")):
        for line, module in imported_modules(path):
            other = layer_of(module)
            if other is None or LAYERS.index(other) <= LAYERS.index(own):
                continue
            if path.name not in FORWARD.get((own, other), ()):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import sys, graph_program; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_files_open_with_what_they_are_for() -> None:
    for folder in FOLDERS.values():
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert not text or ast.get_docstring(ast.parse(text)), path


def test_files_stay_readable() -> None:
    for folder in FOLDERS.values():
        for path in (ROOT / folder).rglob("*.py"):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            assert lines < 500, f"{path.relative_to(ROOT)} has {lines} lines"
