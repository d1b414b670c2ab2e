"""Where annotations stand in the source, and refusals that point there.

`read_annotations` gives a function's annotations, all of which can be read; `placed` lets a refusal of
arguments point to the parameters that it is about.
"""

from __future__ import annotations

import inspect
import linecache
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

from graph_program.extract.diagnostics import CallError, Diagnostic, Label, Loc, ProgramValueError, SourceError
from graph_program.extract.ir import tree
from graph_program.extract.source.load import load_function
from graph_program.extract.types.notation.annotation_reading import parse_annotation, record_fields
from graph_program.extract.types.notation.annotations import (
    Annotation,
    ArrayAnnotation,
    DictAnnotation,
    RecordAnnotation,
    SequenceAnnotation,
    StaticAnnotation,
    TupleAnnotation,
    UnionAnnotation,
)
from graph_program.extract.types.notation.dims_strings import AnnotationSyntaxError
from graph_program.extract.types.notation.evaluated_annotations import class_annotations, function_annotations, or_none
from graph_program.extract.types.notation.terms import RankVar
from graph_program.extract.types.tensors.tensor_type import Kind


def read_annotations(fn: FunctionType) -> dict[str, Any]:
    """The annotations of a function, by parameter; that of the result is called `return`.

    Raises
    ------
    ProgramValueError
        GP411 for one with a text that cannot be read, at its place in that text.
    """
    found = function_annotations(fn)
    for name, annotation in found.items():
        for error, owner in _unreadable(annotation, set()):
            raise ProgramValueError(_refusal(fn, name, error, owner))
    return _as_values(fn, found)


def _as_values(fn: FunctionType, notes: dict[str, Any]) -> dict[str, Any]:
    """Annotations of what parameters hold: None by default, and what `*args` and `**kwargs` are made of."""
    result = dict(notes)
    for name, parameter in inspect.signature(fn).parameters.items():
        if name not in notes or parse_annotation(notes[name]) is None:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            result[name] = tuple[notes[name], ...]  # type: ignore[valid-type]
        elif parameter.kind is parameter.VAR_KEYWORD:
            result[name] = dict[str, notes[name]]  # type: ignore[valid-type]
        elif parameter.default is None:
            result[name] = or_none(notes[name])
    return result


def _unreadable(annotation: object, seen: set[type]) -> Iterator[tuple[AnnotationSyntaxError, type | None]]:
    """What cannot be read in an annotation, with the class whose field it is."""
    try:
        note = parse_annotation(annotation)
    except AnnotationSyntaxError as error:
        yield error, annotation if isinstance(annotation, type) and hasattr(annotation, "_fields") else None
        return
    for cls in _records(note):
        if cls not in seen:
            seen.add(cls)
            for field in class_annotations(cls).values():
                for found, owner in _unreadable(field, seen):
                    yield found, owner or cls


def _records(note: Annotation | None) -> Iterator[type]:
    """The dataclasses that a description names."""
    match note:
        case RecordAnnotation(cls):
            yield cls
        case TupleAnnotation(elts) | UnionAnnotation(elts):
            for part in elts:
                yield from _records(part)
        case SequenceAnnotation(element) | DictAnnotation(element):
            yield from _records(element)


def _refusal(fn: FunctionType, name: str, error: AnnotationSyntaxError, owner: type | None) -> Diagnostic:
    subject = "the result" if name == "return" else f"parameter {name}"
    message = f"the annotation of {subject} cannot be read: {error.message}"
    place = annotation_place(fn, name) or _first_line(fn)
    within = text_place(place, error)
    if within is not None:
        return Diagnostic("GP411", message, within, hint=error.hint)
    for holder in (owner, fn):
        elsewhere = None if holder is None or not error.text else _in_file(holder, error)
        if elsewhere is not None:
            return Diagnostic("GP411", message, elsewhere, (Label(place, "used here"),), hint=error.hint)
    notes = (f"its text is {error.text!r}",) if error.text else ()
    return Diagnostic("GP411", message, place, notes=notes, hint=error.hint)


# ---------------------------------------------------------------- places


def annotation_place(fn: FunctionType, name: str) -> Loc | None:
    """Where the annotation of a parameter, or of the result (`return`), stands."""
    if name == "return":
        function = _tree(fn)
        return function.returns.loc if function is not None and function.returns is not None else None
    param = _param(fn, name)
    return param.annotation.loc if param is not None and param.annotation is not None else None


def _param(fn: FunctionType, name: str) -> tree.Param | None:
    function = _tree(fn)
    return next((p for p in function.params if p.name == name), None) if function is not None else None


def _tree(fn: FunctionType) -> tree.Function | None:
    try:
        return load_function(fn)
    except SourceError:
        return None


def _first_line(fn: FunctionType) -> Loc:
    code = fn.__code__
    return Loc(code.co_filename, code.co_firstlineno, 1, code.co_firstlineno, 1, fn.__qualname__)


def text_place(place: Loc, error: AnnotationSyntaxError) -> Loc | None:
    """Where the wrong part of a text stands, if the text is written out at `place`."""
    for line in range(place.line, place.end_line + 1):
        text = linecache.getline(place.file, line)
        end = place.end_column - 1 if line == place.end_line else len(text)
        start = place.column - 1 if line == place.line else 0
        found = _within(text[:end], error, start)
        if found is not None:
            return Loc(place.file, line, found[0] + 1, line, found[1] + 1, place.function)
    return None


def _in_file(holder: Any, error: AnnotationSyntaxError) -> Loc | None:
    """Where it stands in the file of a class or function."""
    try:
        file = inspect.getsourcefile(holder) or ""
    except TypeError:
        return None
    for number, line in enumerate(linecache.getlines(file), 1):
        found = _within(line, error, 0)
        if found is not None:
            return Loc(file, number, found[0] + 1, number, found[1] + 1)
    return None


def _within(line: str, error: AnnotationSyntaxError, start: int) -> tuple[int, int] | None:
    match = re.compile(rf"(?P<quote>[\"']){re.escape(error.text)}(?P=quote)").search(line, start)
    if match is None:
        return None
    # an empty text, or one that ends too soon: the quotes are all there is to underline
    begin = match.start() + 1 + error.start
    return begin, max(begin + 1, match.start() + 1 + error.end)


# ---------------------------------------------------------------- arguments


def placed(error: CallError, fn: FunctionType, defaults: Collection[str] = ()) -> CallError:
    """A refusal of arguments, at the parameters that it is about.

    `defaults` are the parameters whose value is their default.
    """
    roots = list(dict.fromkeys(re.split(r"[.\[]", text)[0] for text in error.arguments))
    params = [p for p in (_param(fn, root) for root in roots) if p is not None]
    if not params:
        return error
    labels = [Label(p.loc, f"parameter {p.name}") for p in params[1:]]
    labels += [
        Label(p.default.loc, f"the default of {p.name}") for p in params if p.name in defaults and p.default is not None
    ]
    known = error.diagnostic
    moved = CallError(replace(known, loc=_declared(params[0]), labels=(*known.labels, *labels)))
    moved.arguments = error.arguments
    return moved


def open_parameters(
    fn: FunctionType, names: Sequence[str], annotations: Mapping[str, Any]
) -> tuple[list[Loc], list[str]]:
    """Where parameters stand whose types are open, and what their annotations leave open."""
    places = [_declared(param) for param in (_param(fn, name) for name in names) if param is not None]
    notes = {name: parse_annotation(annotations[name]) for name in names if name in annotations}
    reasons = ["; ".join(filter(None, (_open(*leaf) for leaf in _leaves(name, note)))) for name, note in notes.items()]
    return places, [reason for reason in reasons if reason]


def _leaves(name: str, note: Annotation | None) -> Iterator[tuple[str, Annotation | None]]:
    """The parts of what an annotation describes, by their names."""
    match note:
        case TupleAnnotation(elts, cls):
            steps = [f"{name}.{f}" for f in cls._fields] if cls else [f"{name}[{i}]" for i in range(len(elts))]  # type: ignore[attr-defined]
            for step, part in zip(steps, elts, strict=True):
                yield from _leaves(step, part)
        case RecordAnnotation():
            for key, field in record_fields(note).items():
                yield from _leaves(f"{name}.{key}", field)
        case _:
            yield name, note


def _open(name: str, note: Annotation | None) -> str:
    match note:
        case ArrayAnnotation(kind=Kind.ARRAY):
            parts = [] if note.dtype is not None else ["the element type"]
            parts += ["the rank"] if note.dims is None or note.parts else []
            return f"{note} leaves {' and '.join(parts)} of '{name}' open" if parts else ""
        case UnionAnnotation():
            return f"the annotation of '{name}' leaves open which alternative it is"
        case SequenceAnnotation() | DictAnnotation():
            return f"the annotation of '{name}' leaves open how many elements there are"
        case StaticAnnotation() if not _is_known(note):
            return f"'{name}' is fixed to its value, which an annotation does not say"
    return ""


def _is_known(note: StaticAnnotation) -> bool:
    return note.values is not None and len(note.values) == 1


def open_example(names: Sequence[str], annotations: Mapping[str, Any]) -> str:
    """How to annotate the first of some parameters, or the first field of one, that an annotation can say all of.

    Such as `x: Float32[Tensor, "n"]`, with the dims that it has; "" where there is none.
    """
    notes = {name: parse_annotation(annotations[name]) if name in annotations else None for name in names}
    for name, note in notes.items():
        for leaf, part in _leaves(name, note):
            if isinstance(part, ArrayAnnotation) and _open(leaf, part):
                return _example(leaf.rpartition(".")[2], part)
            if part is None and leaf == name:
                return _example(name, None)
    return ""


def _example(name: str, note: ArrayAnnotation | None) -> str:
    dims = "n"
    if note is not None and note.dims is not None:
        dims = " ".join("batch" if isinstance(e, RankVar) else "_" if e is None else str(e) for e in note.dims)
    word = note.word if note is not None and note.dtype is not None else "float32"
    form = word.replace("uint", "UInt") if word.startswith("uint") else word.capitalize()
    return f'{name}: {form}[Tensor, "{dims}"]'


def _declared(param: tree.Param) -> Loc:
    """A parameter without its default."""
    last = param.annotation
    return param.loc if last is None else replace(param.loc, end_line=last.loc.end_line, end_column=last.loc.end_column)


__all__: list[str] = ["annotation_place", "open_example", "open_parameters", "placed", "read_annotations", "text_place"]
