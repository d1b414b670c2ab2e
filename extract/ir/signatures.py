"""Signatures as text: `scale: (float32 [n], float) -> float32 [n]`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graph_program.extract.ir.interface import Interface
from graph_program.extract.ir.memory import LAYOUT_TEXTS
from graph_program.extract.ir.paths import KeyStep, Path, RowStep, Step, path_text
from graph_program.extract.ir.results import (
    ArgResult,
    ChoiceResult,
    ClassedResult,
    DictResult,
    LeftOutResult,
    LentResult,
    ListedResult,
    ListResult,
    ObjectResult,
    OptionalResult,
    OutputResult,
    PickedResult,
    RaggedResult,
    RecordResult,
    Result,
    RowsResult,
    SharedResult,
    StreamResult,
    TableResult,
    TextResult,
    TupleResult,
)
from graph_program.extract.ir.specs import (
    AbsentSpec,
    ArgSpec,
    DictSpec,
    HostSpec,
    ListSpec,
    OpenSpec,
    RecordSpec,
    RowsSpec,
    SameSpec,
    StaticSpec,
    TensorSpec,
    TupleSpec,
)
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.notation.terms import TypeTerm, Weak
from graph_program.extract.types.tensors.tensor_type import TensorType


def leaves_open(signature: str) -> bool:
    """Whether a signature has types in its result that those of the parameters do not tell: `t [*s] -> u [a, *r]`."""
    left, _, right = signature.rpartition(" -> ")
    told, found = (set(re.findall(r"(?<![\w)])\*\w+|\b[a-z]\b(?= \[)|\?", text)) for text in (left, right))
    return "?" in told or not found <= told


def signature_text(name: str, interface: Interface) -> str:
    """The types of the parameters, in order, and of the result; sizes that must be equal have one name."""
    known = interface.equalities
    parameters = parameters_text([spec_text(spec, known) for _, spec in interface.parameters])
    return f"{name}: {parameters} -> {result_text(interface.result, dict(interface.parameters), known)}"


def parameters_text(types: Sequence[str]) -> str:
    """The types of parameters; one stands without parentheses."""
    return types[0] if len(types) == 1 and not types[0].startswith("(") else f"({', '.join(types)})"


Equalities = Mapping[str, Dim]
"""Dims that stand for names."""
NO_EQUALITIES: Equalities = {}


def _type_text(type_: TensorType, known: Equalities) -> str:
    return str(replace(type_, shape=tuple(d.substitute(known) for d in type_.shape)) if known else type_)


def spec_text(spec: ArgSpec, known: Equalities = NO_EQUALITIES) -> str:
    """The type of an argument; a static one by its value."""

    def go(part: ArgSpec) -> str:
        return spec_text(part, known)

    match spec:
        case TensorSpec(type_, layout):
            return _type_text(type_, known) + (f" {LAYOUT_TEXTS[layout]}" if layout else "")
        case OpenSpec(term):
            return term_text(term)
        case StaticSpec():
            return getattr(spec.value, "__name__", None) or repr(spec.value)
        case TupleSpec(elts, cls):
            return _tuple(map(go, elts), cls)
        case ListSpec(elts):
            return f"[{', '.join(map(go, elts))}]"
        case RowsSpec(element):
            return f"list[{go(element)}]"
        case DictSpec(items):
            return f"{{{', '.join(f'{k!r}: {go(v)}' for k, v in items)}}}"
        case RecordSpec(cls, fields):
            return f"{cls.__name__}({', '.join(f'{n}: {go(v)}' for n, v in fields)})"
        case HostSpec(cls):
            return cls.__qualname__
        case SameSpec(path):
            return path_text(path)
        case AbsentSpec():
            return "not set"


def term_text(term: TypeTerm) -> str:
    """A type with variables; a Python number by its class."""
    return str(term.dtype if isinstance(term.dtype, Weak) else term)


def result_text(result: Result, parameters: Mapping[str, ArgSpec], known: Equalities = NO_EQUALITIES) -> str:
    """The type of a result."""

    def go(part: Result) -> str:
        return result_text(part, parameters, known)

    match result:
        case OutputResult(_, type_):
            return _type_text(type_, known)
        case ArgResult(path) | LentResult(path):
            spec = _part(parameters.get(str(path[0])), path)
            return str(path[0]) if spec is None else spec_text(spec, known)
        case TupleResult(elts, cls):
            return _tuple((go(e) for e in elts), cls)
        case ListResult(elts):
            return f"[{', '.join(go(e) for e in elts)}]"
        case DictResult(items):
            return f"{{{', '.join(f'{k!r}: {go(v)}' for k, v in items)}}}"
        case RecordResult(cls, fields):
            return f"{cls.__name__}({', '.join(f'{n}: {go(v)}' for n, v in fields)})"
        case SharedResult(_, value):
            return go(value)
        case PickedResult(_, number, tables):
            return next((go(table) for table in tables if table.number == number), "...")
        case TableResult(_, cls, fields):
            return f"{cls.__name__}({', '.join(f'{n}: {go(v)}' for n, v in fields)})"
        case RowsResult(_, element, cls):
            return f"list[{go(element)}]" if cls is list else f"tuple[{go(element)}, ...]"
        case ClassedResult(_, number):
            return go(number)
        case ListedResult(_, rows):
            return go(rows)
        case RaggedResult(_, _, type_):
            return f"{type_.dtype.name} [{', '.join('_' * type_.rank)}]"
        case OptionalResult(_, value):
            return f"{go(value)} | None"
        case LeftOutResult(_, value):
            return f"{go(value)} | nothing"
        case ChoiceResult(_, options):
            return " | ".join(go(o) for o in options)
        case TextResult():
            return "str"
        case ObjectResult() | StreamResult():
            return "object"
    return "None" if result.value is None else type(result.value).__name__


def _tuple(parts: Iterable[str], cls: type | None) -> str:
    texts = list(parts)
    if cls is not None:
        names: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
        return f"{cls.__name__}({', '.join(f'{n}: {t}' for n, t in zip(names, texts, strict=True))})"
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def _part(spec: ArgSpec | None, path: Path) -> ArgSpec | None:
    for step in path[1:]:
        spec = _child(spec, step)
    return spec


def _child(spec: ArgSpec | None, step: Step) -> ArgSpec | None:
    match spec, step:
        case ((TupleSpec(elts) | ListSpec(elts)), int(index)):
            return elts[index]
        case TupleSpec(elts, cls), str(name) if cls is not None:
            return elts[cls._fields.index(name[1:])]  # type: ignore[attr-defined]
        case RowsSpec(element), RowStep():
            return element
        case DictSpec(items), KeyStep(key):
            return dict(items).get(key)
        case RecordSpec(_, fields), str(name):
            return dict(fields).get(name[1:])
    return None
