"""A model as a folder: the file, what it says of itself, how it is called, an example, licences and checksums."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import onnx
from onnx import helper

from graph_program.backends.models.weights import inner_tensors
from graph_program.backends.onnx.messages import metadata_of
from graph_program.backends.onnxruntime.session import RUN_ERRORS, Session, reason
from graph_program.bundles import calls
from graph_program.bundles.calls import Ports
from graph_program.bundles.folders import MODEL, require_own, write_bundle_files
from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.onnx_program.one_file import FILE, one_file
from graph_program.onnx_program.program import METADATA

SIZE = 3
"""What stands for a size that the model leaves open, where there is no example."""
Arrays = dict[str, np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Bundle:
    """What was written.

    Attributes
    ----------
    files : tuple of str
    not_run : str
        Why the example has no outputs: zeros may be no arguments for a model; empty where it has some.
    """

    files: tuple[str, ...]
    not_run: str


def bundle(model: Path, folder: Path, example: Mapping[str, Any] | None = None) -> Bundle:
    """Write a folder for whoever is to call a model.

    Parameters
    ----------
    model : pathlib.Path
        An ONNX file; arrays beside it are taken along.
    folder : pathlib.Path
        Where to write: there is nothing, or an earlier bundle, which is replaced.
    example : mapping of str to array, optional
        Inputs; arrays of zeros by default.

    Returns
    -------
    Bundle

    Raises
    ------
    ExportError
        GP501 where a file cannot be written, or the folder has files of others; GP546 where the model does not run on
        the example, or takes what no array is.
    """
    loc = Loc(str(model), 0, 1, 0, 1, model.name)
    require_own(folder, loc)
    proto = onnx.load(model, load_external_data=False)
    beside = _arrays_beside(proto, model.parent, loc)
    files = {MODEL: model.read_bytes(), **beside}
    _require_arrays(proto, loc)
    inputs = dict(example) if example is not None else _zeros(proto)
    said = metadata_of(proto)
    outputs, not_run = (_outputs(model, inputs, loc), "") if example is not None else _tried(model, inputs, said, loc)
    types = {output.name: _element(output) for output in proto.graph.output}
    ports = Ports(inputs, types, said.get("error_output", "") if "errors" in said else "", tuple(beside))
    files["description.json"] = json.dumps(_description(proto, said), indent=2).encode()
    files["example.npz"] = _saved(
        {**inputs, **{name: value for name, value in outputs.items() if types[name] is not None}}
    )
    if METADATA in said:
        files[FILE] = one_file().encode()
    files["LICENSES.txt"] = _licences(said).encode()
    files["README.md"] = _readme(proto, said, ports, model.stem, not_run).encode()
    return Bundle(write_bundle_files(files, folder, loc), not_run)


def _arrays_beside(proto: onnx.ModelProto, folder: Path, loc: Loc) -> dict[str, bytes]:
    """The files with the arrays of a model; none that is elsewhere."""
    named = {entry.value for t in inner_tensors(proto) for entry in t.external_data if entry.key == "location"}
    for name in named:
        path = folder / name
        if Path(name).name != name or path.is_symlink() or not path.is_file():
            text = f"{loc.file} has arrays in {name!r}, which is no file beside it"
            raise ExportError(Diagnostic("GP546", text, loc, hint="put the model's files into one folder"))
    return {name: (folder / name).read_bytes() for name in sorted(named)}


def _require_arrays(proto: onnx.ModelProto, loc: Loc) -> None:
    """Refuse lists and what may be missing as inputs: a file of arrays has none."""
    for value in proto.graph.input:
        if value.type.WhichOneof("value") != "tensor_type":
            text = f"{loc.file} takes {value.name!r}, which is a {_kind(value)} and no array"
            raise ExportError(Diagnostic("GP546", text, loc))


def _zeros(proto: onnx.ModelProto) -> Arrays:
    held = {initializer.name for initializer in proto.graph.initializer}
    return {value.name: _zeros_of(value) for value in proto.graph.input if value.name not in held}


def _zeros_of(value: onnx.ValueInfoProto) -> np.ndarray[Any, Any]:
    type_ = value.type.tensor_type
    shape = [dim.dim_value if dim.HasField("dim_value") else SIZE for dim in type_.shape.dim]
    return np.zeros(shape, helper.tensor_dtype_to_np_dtype(type_.elem_type))


def _outputs(model: Path, inputs: Arrays, loc: Loc) -> Arrays:
    session = Session(str(model))
    names = list(session.outputs)
    taken = {name: value for name, value in inputs.items() if name in session.input_types}
    try:
        return dict(zip(names, map(np.asarray, session.run(names, taken, None)), strict=True))
    except RUN_ERRORS as error:
        text = f"{loc.file} does not run on the example: {reason(error)}"
        raise ExportError(Diagnostic("GP546", text, loc)) from None


def _tried(model: Path, inputs: Arrays, said: Mapping[str, str], loc: Loc) -> tuple[Arrays, str]:
    """The outputs for zeros; none, and why, where these are no arguments for the model."""
    try:
        outputs = _outputs(model, inputs, loc)
    except ExportError as error:
        return {}, error.diagnostic.message.partition(": ")[2]
    number = int(outputs.get(said.get("error_output", ""), np.array(0)))
    if number and "errors" in said:
        return {}, f"it raises {json.loads(said['errors'])[number - 1]['exception']}"
    return outputs, ""


def _saved(arrays: Arrays) -> bytes:
    """An .npz file; of any names, as `np.savez` has parameters of its own."""
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as part:
                np.lib.format.write_array(part, array.astype(str) if array.dtype.kind == "O" else array)
    return file.getvalue()


def _description(proto: onnx.ModelProto, said: Mapping[str, str]) -> dict[str, Any]:
    """What a program that does not read ONNX wants to know."""
    held = {initializer.name for initializer in proto.graph.initializer}
    return {
        "model": MODEL,
        "text": proto.doc_string,
        "producer": f"{proto.producer_name} {proto.producer_version}".strip(),
        "ir_version": proto.ir_version,
        "opsets": {one.domain or "ai.onnx": one.version for one in proto.opset_import},
        "inputs": [_port(value) for value in proto.graph.input if value.name not in held],
        "outputs": [_port(value) for value in proto.graph.output],
        "error_output": said.get("error_output"),
        "errors": json.loads(said.get("errors", "[]")),
    }


def _port(value: onnx.ValueInfoProto) -> dict[str, Any]:
    dtype, type_ = _element(value), value.type.tensor_type
    dims = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None for dim in type_.shape.dim]
    name = _kind(value) if dtype is None else "str" if dtype.kind == "O" else dtype.name
    return {"name": value.name, "dtype": name, "shape": dims if type_.HasField("shape") else None}


def _element(value: onnx.ValueInfoProto) -> np.dtype[Any] | None:
    """The element type of an array; None for what is none."""
    element = value.type.tensor_type.elem_type
    return np.dtype(helper.tensor_dtype_to_np_dtype(element)) if element else None


def _kind(value: onnx.ValueInfoProto) -> str:
    """`sequence`, `map`, `optional` or `sparse_tensor`."""
    return (value.type.WhichOneof("value") or "other").removesuffix("_type")


def _licences(said: Mapping[str, str]) -> str:
    """Whose the parts are."""
    of_model = next((value for key, value in said.items() if key.lower() in ("license", "licence")), "")
    parts = [f"{MODEL}\n    {of_model or 'as whoever made it says; the file itself names no licence'}"]
    if METADATA in said:
        parts.append(f"{FILE}\n    part of graph-program, under the licence below\n\n{_own_licence()}")
    return "\n\n".join(parts) + "\n"


def _own_licence() -> str:
    try:
        files = distribution("graph-program").files or []
    except PackageNotFoundError:
        files = []
    found = next((file for file in files if file.name == "LICENSE"), None)
    if found is not None:
        return found.read_text()
    beside = Path(__file__).resolve().parents[2] / "LICENSE"  # in a checkout
    return beside.read_text(encoding="utf-8") if beside.is_file() else ""


def _readme(proto: onnx.ModelProto, said: Mapping[str, str], ports: Ports, name: str, not_run: str) -> str:
    described = json.loads(said.get(METADATA, "{}"))
    title = described.get("name", name)
    rows = [_row(value) for value in proto.graph.input]
    results = [_row(value) for value in proto.graph.output]
    text = [f"# {title}", *([proto.doc_string] if proto.doc_string else [])]
    gives = (
        f" of zeros, on which the model does not run: {' '.join(not_run.split())}"
        if not_run
        else ", and what it gives."
    )
    text.append(f"An ONNX model, `{MODEL}`, for onnxruntime and others. `example.npz` has inputs{gives}")
    text.append("\n".join(["| input | type |", "| --- | --- |", *rows]))
    text.append("\n".join(["| output | type |", "| --- | --- |", *results]))
    if ports.error:
        text.append(
            f"`{ports.error}` is 0, or the number of an error in `description.json`, counted from 1; then no other "
            "output means anything."
        )
    if METADATA in said and "missing" not in described:
        text += ["## Python, called like the function", _code("python", _like_the_function(title))]
    text += ["## Python, with onnxruntime alone", _code("python", calls.python(MODEL, ports))]
    if ports.has_text:
        text += ["## C++", _code("cpp", calls.cpp(MODEL, ports))]
        text += ["## JavaScript", _code("js", calls.javascript(MODEL, ports))]
        text += ["## Rust", _code("rust", calls.rust(MODEL, ports)), '`Cargo.toml` needs `ort = "2.0.0-rc"`.']
    text += ["## Files", "`sha256sum -c SHA256SUMS` tells whether they are as they were made."]
    return "\n\n".join(text) + "\n"


def _like_the_function(name: str) -> str:
    variable = calls.identifier(name)
    lines = [
        "import numpy as np",
        f"from {Path(FILE).stem} import load",
        "",
        f'{variable} = load("{MODEL}")',
        f"print({variable}.__signature__)",
        f'arguments = {variable}.arguments(np.load("example.npz"))  # or your own',
        f"print({variable}(**arguments))",
    ]
    return "\n".join(lines)


def _row(value: onnx.ValueInfoProto) -> str:
    port, shape = _port(value), ""
    if port["shape"] is not None:
        shape = f" [{', '.join('_' if size is None else _in_cell(str(size)) for size in port['shape'])}]"
    elif _element(value) is not None:
        shape = " of any shape"
    return f"| {_code_in_cell(value.name)} | {port['dtype']}{shape} |"


def _code_in_cell(name: str) -> str:
    """A name as code, whatever signs it has."""
    marks = max((len(run) for run in re.findall("`+", name)), default=0)
    fence, blank = "`" * (marks + 1), " " if marks else ""
    return f"{fence}{blank}{_in_cell(name)}{blank}{fence}"


def _in_cell(text: str) -> str:
    """A text in a table: on one line, and without what ends a cell, also inside of code."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return line.replace("|", r"\|")


def _code(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


__all__ = ["Bundle", "bundle"]
