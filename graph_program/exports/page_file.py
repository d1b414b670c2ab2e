"""Exporting a program as a page: its model is made and verified as any other, then put into one HTML file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_program.exports.example import example_feed
from graph_program.exports.files import write_files
from graph_program.exports.options import ENDS, FileOptions, ModelOptions, is_named_as_page
from graph_program.exports.summary import ExportSummary
from graph_program.extract.diagnostics import Diagnostic, Loc, ProgramValueError

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls

Export = Callable[["Calls", str, Any, ModelOptions, FileOptions], ExportSummary]
SUFFIX = ENDS["page"]


def is_page(path: str, files: FileOptions, loc: Loc) -> bool:
    """Whether a page is to be written (GP515 for its options with another file, and for others with a page)."""
    wanted = is_named_as_page(path) and files.host != "segments" and files.layout == "files"
    if files.page is not None and not wanted:
        text = f"only files that end in {SUFFIX!r} have `page=Page(...)`, and {path!r} does not"
        raise ProgramValueError(Diagnostic("GP515", text, loc, hint=f"name a file that ends in `{SUFFIX}`"))
    if wanted and files.host is not None:
        text = f"a page has no Python, so `host={files.host!r}` is not for {path!r}"
        raise ProgramValueError(Diagnostic("GP515", text, loc))
    if wanted and files.external_data not in ("auto", False, None):
        text = f"a page is one file, so `external_data={files.external_data!r}` is not for {path!r}"
        raise ProgramValueError(Diagnostic("GP515", text, loc))
    return wanted


def export_page(
    export: Export, calls: Calls, path: str, args: Any, options: ModelOptions, files: FileOptions
) -> ExportSummary:
    """Write a page; `export` writes the model that is in it."""
    from graph_program.pages.options import read_page
    from graph_program.pages.page import page
    from graph_program.pages.web_package import web_package

    asked = read_page(files.page)
    package = web_package(asked.onnxruntime_web, calls.loc)  # a model may take long to be made
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.onnx"
        alone = replace(files, page=None, target="page", external_data=False)
        summary = export(calls, str(model), args, options, alone)
        feed = example_feed(calls, args, calls.options.dims.narrowed(options.dims), options.static)
        text = page(model.read_bytes(), package, calls.loc, asked.show, feed, _made_of_defaults(calls))
    write_files({path: text.encode()}, calls.loc)
    return replace(summary, files=(path,), bytes=Path(path).stat().st_size)


def _made_of_defaults(calls: Calls) -> dict[str, Any]:
    """Objects of dataclasses all of whose fields have defaults, by the parameters that are annotated with them."""
    found = {}
    for name, annotation in calls.annotations.items():
        has_defaults = (
            isinstance(annotation, type)
            and is_dataclass(annotation)
            and all(
                field.default is not MISSING or field.default_factory is not MISSING
                for field in fields(annotation)
                if field.init
            )
        )
        if has_defaults:
            with suppress(Exception):  # the class's own code, which may ask for more
                found[name] = annotation()
    return found


__all__ = ["export_page", "is_page"]
