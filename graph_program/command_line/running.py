"""`graph-program run`: an ONNX file with inputs from the command line."""

from __future__ import annotations

import ast
import json
import sys
import traceback
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from inspect import BoundArguments
from typing import Any

import numpy as np

from graph_program.backends.onnxruntime.session import RUN_ERRORS, Session, reason
from graph_program.command_line.array_files import named_arrays, one_array
from graph_program.command_line.errors import OK, REFUSED, CommandError
from graph_program.command_line.opened import InputType, Opened, Shape, opened, shown_shape
from graph_program.extract.ir.texts import formatted
from graph_program.onnx_program.failures import RAISED_AT
from graph_program.onnx_program.program import Program
from graph_program.onnx_program.told import CallError, RunError

Arr = np.ndarray[Any, Any]


def run_model(file: str, inputs: Sequence[str]) -> int:
    """Run a model and print what it gives, or what inputs it takes where some are missing.

    A model that says which function it was made of is called like it: what has a default may be left out, the state is
    what it was at the export, and structures and exceptions are Python's.
    """
    model = opened(file)
    given, missing = _given(model, inputs)
    if missing:
        print(_model_signature(file, model))
        if given:
            raise _missing(missing)
        return OK
    feed = _values(model, given)
    return _run_raw(file, model.session, feed) if model.program is None else _call(file, model.program, feed)


def model_feed(file: str, inputs: Sequence[str]) -> dict[str, Arr]:
    """What all inputs of a model are fed with, for a run that ends well."""
    model = opened(file)
    given, missing = _given(model, inputs)
    if missing:
        raise _missing(missing)
    feed, program, session = _values(model, given), model.program, model.session
    if program is not None:
        bound = BoundArguments(program.__signature__, OrderedDict(program.arguments(feed)))
        try:
            feed = program.feed(*bound.args, **bound.kwargs)
        except CallError as error:
            raise CommandError(f"{file} cannot be run on these inputs: {error}", REFUSED) from None
    raised = _failure(session, _outputs(file, session, feed))
    if raised:
        raise CommandError(f"{file} raised {raised}", REFUSED)
    return feed


def model_arrays(file: str, arrays: str | None, inputs: Sequence[str]) -> tuple[dict[str, Arr], dict[str, Arr]]:
    """The inputs of a model, from a file of arrays and from texts; and the outputs that are in that file."""
    if arrays is None:
        return model_feed(file, inputs), {}
    model = opened(file)
    types, outputs, found = model.inputs, model.session.outputs, named_arrays(arrays)
    unknown = [name for name in found if name not in types and name not in outputs]
    if unknown:
        known = ", ".join((*types, *outputs))
        raise CommandError(f"{arrays}: the model has neither an input nor an output {unknown[0]!r}; it has {known}")
    given = {name: _fitting(f"{arrays}, {name}", found[name], types[name]) for name in types if name in found}
    given |= _values(model, dict(_split(text, types) for text in inputs))
    missing = [name for name in types if name not in given]
    if missing:
        raise _missing(missing)
    return given, {name: found[name] for name in outputs if name in found}


def _fitting(place: str, array: Arr, type_: InputType) -> Arr:
    """An array that a model takes as it is."""
    dtype = type_.dtype(place)
    if array.dtype != dtype and not array.dtype.kind == dtype.kind == "U":  # texts of another length
        raise CommandError(f"{place}: expected {type_.element}, got {array.dtype}")
    _require_shape(place, array, type_.shape)
    return array


def _given(model: Opened, inputs: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The inputs that are given, as texts, and the names of those that are missing."""
    given = dict(_split(text, model.inputs) for text in inputs)
    required = model.inputs if model.program is None else model.program.required
    return given, [name for name in required if name not in given]


def _missing(names: Sequence[str]) -> CommandError:
    return CommandError(f"missing inputs: {', '.join(names)}; give each as --input NAME=VALUE")


def _values(model: Opened, given: Mapping[str, str]) -> dict[str, Arr]:
    return {name: _value(name, text, model.inputs[name]) for name, text in given.items()}


def _call(file: str, program: Program, feed: Mapping[str, Arr]) -> int:
    """Call a model as the function that it was made of."""
    arguments = program.arguments(feed)
    bound = BoundArguments(program.__signature__, OrderedDict(arguments))
    try:
        result = program(*bound.args, **bound.kwargs)
    except (RunError, CallError) as error:
        raise CommandError(f"{file} cannot be run on these inputs: {error}", REFUSED) from None
    except Exception as error:  # the program's own
        text = "".join(traceback.format_exception_only(error)).splitlines()[0]
        places = "".join(f" ({note.removeprefix(RAISED_AT)})" for note in getattr(error, "__notes__", ()))
        print(f"graph-program: {file} raised {text}{places}", file=sys.stderr)
        return REFUSED
    _print("result", result)
    for name, value in program.changed(arguments).items():
        _print(name, value)
    return OK


def _print(name: str, value: Any) -> None:
    """An array with its type; a structure part by part."""
    if isinstance(value, np.ndarray):
        print(f"{name}: {value.dtype} {list(value.shape)}\n{value}")
        return
    fields = getattr(value, "_fields", None) or getattr(value, "__dict__", None)
    if isinstance(value, tuple | list) and not fields:
        parts: Any = enumerate(value)
    elif isinstance(value, dict):
        parts = value.items()
    elif fields and not isinstance(value, type) and not callable(value):
        parts = ((field, getattr(value, field)) for field in fields)
    else:
        parts = None
    if parts is None or value in ([], (), {}):
        print(f"{name}: {value!r}")
        return
    for step, part in parts:
        _print(f"{name}.{step}", part)


def _run_raw(file: str, session: Session, feed: Mapping[str, Arr]) -> int:
    """Run a model that is only a model, and print its outputs."""
    outputs = _outputs(file, session, feed)
    raised = _failure(session, outputs)
    if raised:
        print(f"graph-program: {file} raised {raised}", file=sys.stderr)
        return REFUSED
    for name, output in list(zip(session.outputs, outputs, strict=True))[: _error_place(session)]:
        _print(name, output)
    return OK


def _outputs(file: str, session: Session, feed: Mapping[str, Arr]) -> list[Any]:
    try:
        return session.run(list(session.outputs), dict(feed), None)
    except RUN_ERRORS as error:
        raise CommandError(f"{file} cannot be run on these inputs: {reason(error)}", REFUSED) from None


def _error_place(session: Session) -> int | None:
    """Which output tells errors."""
    name = session.metadata.get("error_output", "")
    return session.outputs.index(name) if "errors" in session.metadata and name in session.outputs else None


def _failure(session: Session, outputs: Sequence[Any]) -> str:
    """The exception that outputs tell of; empty for none."""
    place = _error_place(session)
    if place is None or not int(outputs[place]):
        return ""
    return _raised(json.loads(session.metadata["errors"])[int(outputs[place]) - 1], outputs)


def _raised(error: Mapping[str, Any], outputs: Sequence[np.ndarray[Any, Any]]) -> str:
    """The exception as Python would show it, and where it was raised."""
    parts = [_piece(part, [outputs[i] for i in error["arguments"]]) for part in error["message"] or ()]
    text = f"{error['exception']}: {''.join(parts)}" if error["message"] else error["exception"]
    return f"{text} ({error['source']})" if error["source"] else text


def _piece(piece: str | int | dict[str, Any], arguments: Sequence[np.ndarray[Any, Any]]) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, int):
        return str(arguments[piece])
    value = arguments[piece["argument"]]
    return formatted(value.item() if value.ndim == 0 else value, piece["conversion"], piece["format"])


def _split(text: str, types: dict[str, Any]) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"expected NAME=VALUE, not {text!r}")
    if name not in types:
        raise CommandError(f"the model has no input {name!r}; its inputs: {', '.join(types) or 'none'}")
    return name, value


def _value(name: str, text: str, type_: InputType) -> np.ndarray[Any, Any]:
    array = _array(name, text, type_)
    _require_shape(f"input {name}", array, type_.shape)
    return array


def _require_shape(place: str, array: Arr, shape: Shape) -> None:
    if shape is None:
        return
    fits = len(shape) == array.ndim and all(
        not isinstance(size, int) or size == found for size, found in zip(shape, array.shape, strict=True)
    )
    if not fits:
        raise CommandError(f"{place}: expected shape {shown_shape(shape)}, got {list(array.shape)}")


class _NotFinite(ast.NodeTransformer):
    """`nan` and `inf`, for which Python has no literals."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(float(node.id)) if node.id in ("nan", "inf") else node


def _literal(text: str) -> Any:
    return ast.literal_eval(_NotFinite().visit(ast.parse(text.strip(), mode="eval")))


def _array(name: str, text: str, type_: InputType) -> np.ndarray[Any, Any]:
    dtype = type_.dtype(f"input {name}")
    if text.endswith(".npy"):
        array = one_array(f"input {name}", text)
    else:
        try:
            array = np.array(_literal(text))
        except (ValueError, SyntaxError):
            kind = "string in quotes" if dtype.kind == "U" else "number"
            hint = f"{text!r} is neither a .npy file nor a {kind} or list"
            raise CommandError(f"input {name}: {hint}") from None
    if array.dtype == dtype or array.dtype.kind == dtype.kind == "U":
        return np.asarray(array, order="C")
    is_free = array.size == 0 or (array.dtype.kind == "i" and dtype.kind != "U")
    if not is_free and (dtype.kind == "U" or not np.can_cast(array.dtype, dtype, "same_kind")):
        raise CommandError(f"input {name}: expected {type_.element}, got {array.dtype}")
    try:
        made = array.astype(dtype)
    except (TypeError, ValueError) as error:
        raise CommandError(f"input {name}: {error}") from None
    if array.dtype.kind in "iu" and dtype.kind in "iub":
        wrong = array[made != array]
        if wrong.size:
            raise CommandError(f"input {name}: {wrong[0]} does not fit {dtype}")
    return made


def _model_signature(file: str, model: Opened) -> str:
    lines = [f"{file} takes", *(f"  {name}: {type_}" for name, type_ in model.inputs.items())]
    return "\n".join([*lines, "and gives", *(f"  {name}" for name in model.session.outputs)])
