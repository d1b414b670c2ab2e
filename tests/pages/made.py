"""Pages for tests: with onnxruntime-web where it is installed, and with a package that only looks like it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from graph_program import Page
from tests.loading.node import INSTALLED, PACKAGE

WHY = f"{PACKAGE} is not installed: `make test` installs it, or NODE_PATH names a folder that has it"


def installed() -> Path | None:
    """The folder of onnxruntime-web; None where there is none."""
    folders = [*filter(None, os.environ.get("NODE_PATH", "").split(os.pathsep)), str(INSTALLED)]
    return next((found for folder in folders if (found := Path(folder) / PACKAGE).is_dir()), None)


def pretended(folder: Path, version: str = "1.30.0") -> Path:
    """A package with the files of onnxruntime-web, for pages that nobody opens."""
    (folder / "dist").mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"version": version}))
    (folder / "dist" / "ort.wasm.bundle.min.mjs").write_text("export{};\n//# sourceMappingURL=x.map\n")
    (folder / "dist" / "ort-wasm-simd-threaded.wasm").write_bytes(b"\0asm")
    return folder


def written(program: Any, folder: Path, web: Path, args: Any = None, **show: str) -> Path:
    """The page of a program."""
    path = folder / f"{program.__name__}.html"
    program.export(path, args, page=Page(show, web))
    return path


def given(path: Path) -> Any:
    """What a page knows of its program."""
    text = path.read_text()
    return json.loads(text.partition('<script type="application/json" id="page">')[2].partition("</script>")[0])
