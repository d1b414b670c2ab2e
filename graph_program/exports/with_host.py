"""Exports of programs with host code: one model and a module beside it, or a folder with the program's segments."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from graph_program.backends.host.module_text import Exported, module_text
from graph_program.backends.host.runnable import frozen_arrays
from graph_program.backends.host.runtime_file import driver_text, runtime_text
from graph_program.backends.host.shim import Callee
from graph_program.backends.onnx.emit import emit, to_proto
from graph_program.backends.onnx.error_table import error_table
from graph_program.backends.onnxruntime.segments import described, described_segment, described_type
from graph_program.exports.checked import check_alone
from graph_program.exports.files import write_files
from graph_program.exports.options import ModelOptions
from graph_program.extract.diagnostics import Diagnostic, Loc, UnsupportedError
from graph_program.extract.extraction import Extraction
from graph_program.extract.ir.interface import Interface
from graph_program.extract.slice.overlap import overlaps
from graph_program.extract.slice.segments import Segments

if TYPE_CHECKING:
    import onnx_ir as ir

RUNTIME_FILE, DRIVER_FILE, MANIFEST, HOST_FILE = (
    "graph_program_runtime.py",
    "segment_driver.py",
    "manifest.json",
    "host.py",
)


def mixed_model(extraction: Extraction, options: ModelOptions) -> ir.Model:
    """The one model of a program with host steps; its outputs are those of the graph, in order."""
    frozen = frozen_arrays(extraction.interface, options.freeze) if options.freeze else {}
    opset, ir_version = options.versions(extraction.session)
    return emit(extraction.session, initializers=frozen, opset=opset, ir_version=ir_version)


def host_files(extraction: Extraction, callee: Callee, freeze: bool, path: str) -> dict[str, bytes]:
    """What a model at `path` needs: the module with its host steps (`play_host.py` for `play.onnx`), and its file."""
    target = PurePath(path)
    start = f"{_RUNTIME}.Model(os.path.join(folder, {target.name!r}), steps, {overlaps(extraction.session)})"
    text = module_text(_exported(extraction, callee, freeze, start, ()))
    stem = "".join(c if c.isidentifier() or c.isdigit() else "_" for c in target.stem)
    return {
        os.fspath(target.with_name(f"{stem}_host.py")): text.encode(),
        os.fspath(target.with_name(RUNTIME_FILE)): runtime_text().encode(),
    }


_RUNTIME = "runtime"


def export_segments(
    extraction: Extraction, callee: Callee, options: ModelOptions, path: str, loc: Loc, verify: bool
) -> None:
    """Write a folder with the models of the segments, what they mean, and what runs them in Python."""
    segments, freeze = Segments(extraction.residual), options.freeze
    frozen = frozen_arrays(extraction.interface, freeze) if freeze else {}
    models: dict[str, bytes] = {}
    rows = []
    for number in range(len(segments)):
        segment, name = segments[number], f"segment_{number}.onnx"
        rows.append(described_segment(segment, name))
        if segment.program is not None:
            taken = {value.name for value in segment.program.graph.inputs}
            constants = {n: array for n, array in frozen.items() if n in taken}
            rows[-1]["inputs"] = [pair for pair in rows[-1]["inputs"] if pair[0] not in constants]
            opset, ir_version = options.versions(segment.program)
            model = emit(segment.program, initializers=constants, opset=opset, ir_version=ir_version)
            proto = to_proto(model)
            if verify:
                check_alone(proto, loc, segment.program)
            models[name] = proto.SerializeToString(deterministic=True)
    start = "segment_driver.Driver.load(folder, [step.run for step in steps])"
    exported = _exported(extraction, callee, freeze, start, ("segment_driver",))
    files = {
        **models,
        MANIFEST: json.dumps(_manifest(segments, extraction, rows), indent=1).encode(),
        HOST_FILE: module_text(exported).encode(),
        RUNTIME_FILE: runtime_text().encode(),
        DRIVER_FILE: driver_text().encode(),
    }
    write_files({os.fspath(Path(path) / name): data for name, data in files.items()}, loc, folder=path)


def _exported(extraction: Extraction, callee: Callee, freeze: bool, start: str, imports: tuple[str, ...]) -> Exported:
    program, interface = extraction.session, extraction.interface
    _refuse_bfloat16(extraction)
    if not program.host:
        program, interface = extraction.unoptimized, replace(interface, size_tests=(), host=())
    frozen = frozen_arrays(interface, freeze) if freeze else {}
    return Exported(
        callee,
        interface,
        extraction.residual.host,
        program.errors,
        program.error_args,
        len(program.output_names) if program.errors else None,
        frozenset(i.name for i in interface.inputs if i.name not in frozen),
        start,
        imports,
    )


def _refuse_bfloat16(extraction: Extraction) -> None:
    """What is exported with its host code needs NumPy and onnxruntime only, and bfloat16 arrays need ml_dtypes."""
    residual = extraction.residual
    results = [residual.types[o] for o in residual.outputs if isinstance(o, str)]
    told = [t for info in residual.errors for t in info.arg_types]
    if any(t.is_bfloat16 for t in (*(i.type for i in extraction.interface.inputs), *results, *told)):
        text = "a program with host code that takes or gives bfloat16 has no exported form"
        hint = "take and give float32, which has the same numbers, and convert with astype inside"
        raise UnsupportedError(Diagnostic("GP583", text, residual.loc, hint=hint))


def _manifest(segments: Segments, extraction: Extraction, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """See docs/host-export.md."""
    program = extraction.session if extraction.host else extraction.unoptimized
    found = described(segments)
    for step in found["steps"]:
        step.update(_of_step(extraction, step["step"]))
    used = set(_names([rows, found["steps"], found["results"]]))
    found["types"] = {name: type_ for name, type_ in found["types"].items() if name in used}
    return {
        "name": program.name,
        "inputs": _inputs(extraction.interface),
        "outputs": list(program.output_names),
        "errors": json.loads(error_table(program.errors, program.error_args)),
        "segments": rows,
        **found,
    }


def _names(tree: Any) -> Iterator[str]:
    """All strings in nested lists and dicts."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, list | dict):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from _names(part)


def _inputs(interface: Interface) -> dict[str, list[Any]]:
    return {i.name: described_type(i.type) for i in interface.inputs}


def _of_step(extraction: Extraction, number: int) -> dict[str, Any]:
    step = extraction.residual.host[number]
    return {
        "text": step.text,
        "source": step.loc.where,
        "send_types": [described_type(t) for t in step.sends],
        "tell_types": [described_type(t) for t in step.receives],
    }


__all__ = ["export_segments", "host_files", "mixed_model"]
