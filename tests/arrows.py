"""Who imports whom among the files of a package: what the tests of its layers and rooms ask."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@cache
def modules(package: str, folder: Path) -> dict[str, Path]:
    """The files by their dotted names behind the package's; a room's own file by the room's, the package's by ""."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def arrows(package: str, folder: Path) -> dict[str, frozenset[str]]:
    """By module, the others of the package that it imports anywhere, in functions and for types, too."""
    known = modules(package, folder)
    return {name: frozenset(_imported(path, package, known)) - {name} for name, path in known.items()}


def _imported(path: Path, package: str, known: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name.removeprefix(f"{package}.") in known else node.module for name in whole]
        for name in names:
            if name.startswith(f"{package}.") and (own := name.removeprefix(f"{package}.")) in known:
                yield own


def cycles(targets: Mapping[str, frozenset[str]]) -> list[set[str]]:
    """The sets of several modules of which each reaches each other one."""
    reach = {name: _reached(name, targets) for name in targets}
    found: list[set[str]] = []
    for name in targets:
        cycle = {other for other in reach[name] if name in reach[other]}
        if len(cycle) > 1 and cycle not in found:
            found.append(cycle)
    return found


def _reached(name: str, targets: Mapping[str, frozenset[str]]) -> set[str]:
    seen: set[str] = set()
    left = [name]
    while left:
        for other in targets[left.pop()] - seen:
            seen.add(other)
            left.append(other)
    return seen
