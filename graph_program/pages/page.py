"""A model as a page: the file, its description, onnxruntime-web and scripts that bring them together, in one HTML."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import onnx

from graph_program.backends.onnx.messages import metadata_of
from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.onnx_program.program import METADATA
from graph_program.pages.arrays import packed
from graph_program.pages.described import Described
from graph_program.pages.web_package import WebPackage

FOLDER = Path(__file__).parent
SCRIPTS = (
    "tensors",
    "python_texts",
    "results",
    "arguments",
    "sizes",
    "controls",
    "pictures",
    "sounds",
    "views",
    "shown",
    "page",
)
"""In an order in which they can be read; together they are one function."""
WORKER = "worker"
LARGEST = 2**28
"""Bytes of a model; browsers have texts of about twice as many letters."""


def page(
    model: bytes,
    package: WebPackage,
    loc: Loc,
    show: Mapping[str, str] | None = None,
    examples: Mapping[str, Any] | None = None,
    values: Mapping[str, Any] | None = None,
) -> str:
    """The text of the page.

    Parameters
    ----------
    model : bytes
        A model that graph-program has exported, with all of its arrays.
    package : WebPackage
        The runtime.
    loc : Loc
        The program's place, for messages.
    show : mapping of str to str, optional
        As in `Page`.
    examples : mapping of str to array, optional
        What the fields hold at first, by the inputs of the model.
    values : mapping, optional
        The same by parameters, where there is no example.

    Raises
    ------
    ExportError
        GP550 where the program cannot be used on a page.
    ProgramValueError
        GP515 for a view of what there is not.
    """
    if len(model) > LARGEST:
        text = f"no page can be made: a browser does not unpack a model of {len(model):,} bytes from a page"
        raise ExportError(Diagnostic("GP550", text, loc))
    proto = onnx.load_model_from_string(model)
    given = Described(_description(proto, loc), [value.name for value in proto.graph.input], show or {}, loc)
    return _filled(proto, model, given.json(examples or {}, values or {}), package)


def _description(proto: onnx.ModelProto, loc: Loc) -> dict[str, Any]:
    said = json.loads(metadata_of(proto).get(METADATA, '{"missing": "a model in other types than Python\'s"}'))
    if "missing" in said:
        text = f"no page can be made: the description of the model has no words for {said['missing']}"
        raise ExportError(Diagnostic("GP550", text, loc))
    found: dict[str, Any] = said
    return found


def _filled(proto: onnx.ModelProto, model: bytes, said: Mapping[str, Any], package: WebPackage) -> str:
    """The template with everything in its places."""
    script = _script(*(_text(f"{name}.js") for name in SCRIPTS))
    style = _text("page.css")
    texts = {
        "policy": _policy(script, style),
        "title": html.escape(said["name"]),
        "about": html.escape(proto.doc_string),
        "style": style,
        "version": html.escape(version("graph-program")),
        "runtime": html.escape(package.version),
        "licence": html.escape(_text("onnxruntime_licence.txt")),
        "page": _in_script({**said, "worker": _text(f"{WORKER}.js")}),
        "model": packed(model),
        "javascript": _in_script(re.sub(r"\n//# sourceMappingURL=\S*", "", package.javascript)),
        "wasm": packed(package.wasm),
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: texts[found[1]], _text("page.html"))


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _script(*texts: str) -> str:
    return "(() => {\n'use strict';\n" + "\n".join(texts) + "})();"


def _in_script(value: Any) -> str:
    """JSON in which nothing ends a script."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _policy(script: str, style: str) -> str:
    """What the page may do: run its own script and the model's runtime, and nothing from elsewhere."""
    directives = {
        "default-src": "'none'",
        "script-src": f"{_hash(script)} blob: 'wasm-unsafe-eval'",
        "worker-src": "blob:",
        "style-src": _hash(style),
        "media-src": "blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {sources}" for name, sources in directives.items())


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


__all__ = ["page"]
