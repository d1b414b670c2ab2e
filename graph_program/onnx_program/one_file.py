"""The modules of this package as one file, which is copied to where a model runs."""

from __future__ import annotations

import ast
from pathlib import Path

MODULES = (
    *("told", "sizes", "classes", "places", "results", "parameters", "rows", "changes", "failures", "fixed"),
    "program",
)
"""In an order in which they can be defined."""
FILE = "onnx_program.py"
OWN = ("graph_program", "__future__")


def one_file() -> str:
    """The text of the file: imports of all modules, then what they define."""
    modules: set[str] = set()
    names: dict[str, set[str]] = {}
    bodies = []
    for name in MODULES:
        text = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
        imports = [node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)]
        for node in imports:
            if isinstance(node, ast.ImportFrom):
                names.setdefault(node.module or "", set()).update(alias.name for alias in node.names)
            else:
                modules.add(ast.unparse(node))
        bodies.append("\n".join(text.splitlines()[imports[-1].end_lineno :]).strip())
    parts = [f"from {m} import {', '.join(sorted(n))}" for m, n in sorted(names.items()) if not m.startswith(OWN)]
    numpy = "import numpy as np"
    head = [_docstring(), "from __future__ import annotations", "\n".join([*sorted(modules - {numpy}), *parts]), numpy]
    return "\n\n\n".join(["\n\n".join(head), *bodies]) + "\n"


def _docstring() -> str:
    text = Path(__file__).with_name("program.py").read_text(encoding="utf-8")
    return text[: text.index('"""', 3) + 3]


__all__ = ["FILE", "one_file"]
