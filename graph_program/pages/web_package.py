"""onnxruntime-web as npm has installed it: found, and read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc

PACKAGE = "onnxruntime-web"
JAVASCRIPT = "dist/ort.wasm.bundle.min.mjs"
"""The runtime for processors, in one module."""
WASM = "dist/ort-wasm-simd-threaded.wasm"
HINT = "`npm install onnxruntime-web` installs it; NODE_PATH or --onnxruntime-web say where it is"


@dataclass(frozen=True)
class WebPackage:
    """The version and the two files of the runtime that a page needs."""

    version: str
    javascript: str
    wasm: bytes


def web_package(folder: str | os.PathLike[str] | None, loc: Loc) -> WebPackage:
    """The package in a folder, or where Node would look for it.

    Raises
    ------
    ExportError
        GP551 where it is not there, or has not the files that a page needs.
    """
    tried = [Path(folder), Path(folder) / PACKAGE] if folder is not None else [*_places()]
    found = next((place for place in tried if (place / "package.json").is_file()), None)
    if found is None:
        where = f"in {os.fspath(folder)!r}" if folder is not None else "in NODE_PATH, nor in node_modules"
        raise ExportError(Diagnostic("GP551", f"there is no onnxruntime-web {where}", loc, hint=HINT))
    try:
        said = json.loads((found / "package.json").read_text(encoding="utf-8"))
        javascript, wasm = (found / JAVASCRIPT).read_text(encoding="utf-8"), (found / WASM).read_bytes()
        return WebPackage(str(said["version"]), javascript, wasm)
    except (OSError, ValueError, KeyError, TypeError) as error:
        text = f"{found} is no onnxruntime-web from version 1.20 on: {error}"
        raise ExportError(Diagnostic("GP551", text, loc, hint=HINT)) from None


def _places() -> Iterator[Path]:
    """Where Node looks for packages from the present folder."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        yield folder / "node_modules" / PACKAGE
    for named in os.environ.get("NODE_PATH", "").split(os.pathsep):
        if named:
            yield Path(named) / PACKAGE


__all__ = ["PACKAGE", "WebPackage", "web_package"]
