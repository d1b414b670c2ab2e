"""Signatures as text: `scale: (float32 [n], float) -> float32 [n]`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graph_program.extract.ir.interface import (
    ArgResult,
    ArgSpec,
    ChoiceResult,
    DictResult,
    DictSpec,
    Interface,
    KeyStep,
    ListResult,
    ListSpec,
    OpenSpec,
    OptionalResult,
    OutputResult,
    Path,
    RecordResult,
    RecordSpec,
    Result,
    StaticSpec,
    Step,
    TensorSpec,
    TextResult,
    TupleResult,
    TupleSpec,
)


def signature_text(name: str, interface: Interface) -> str:
    """The types of the parameters, in order, and of the result."""
    parameters = parameters_text([spec_text(spec) for _, spec in interface.parameters])
    return f"{name}: {parameters} -> {result_text(interface.result, dict(interface.parameters))}"


def parameters_text(types: Sequence[str]) -> str:
    """The types of parameters; one stands without parentheses."""
    return types[0] if len(types) == 1 and not types[0].startswith("(") else f"({', '.join(types)})"


def spec_text(spec: ArgSpec) -> str:
    """The type of an argument; a static one by its value."""
    match spec:
        case TensorSpec(type_):
            return str(type_)
        case OpenSpec(term):
            return str(term)
        case StaticSpec():
            return getattr(spec.value, "__name__", None) or repr(spec.value)
        case TupleSpec(elts, cls):
            return _tuple(map(spec_text, elts), cls)
        case ListSpec(elts):
            return f"[{', '.join(map(spec_text, elts))}]"
        case DictSpec(items):
            return f"{{{', '.join(f'{k!r}: {spec_text(v)}' for k, v in items)}}}"
        case RecordSpec(cls, fields):
            return f"{cls.__name__}({', '.join(f'{n}: {spec_text(v)}' for n, v in fields)})"


def result_text(result: Result, parameters: dict[str, ArgSpec]) -> str:
    """The type of a result."""
    match result:
        case OutputResult(_, type_):
            return str(type_)
        case ArgResult(path):
            spec = _part(parameters.get(str(path[0])), path)
            return str(path[0]) if spec is None else spec_text(spec)
        case TupleResult(elts, cls):
            return _tuple((result_text(e, parameters) for e in elts), cls)
        case ListResult(elts):
            return f"[{', '.join(result_text(e, parameters) for e in elts)}]"
        case DictResult(items):
            return f"{{{', '.join(f'{k!r}: {result_text(v, parameters)}' for k, v in items)}}}"
        case RecordResult(cls, fields):
            return f"{cls.__name__}({', '.join(f'{n}: {result_text(v, parameters)}' for n, v in fields)})"
        case OptionalResult(_, value):
            return f"{result_text(value, parameters)} | None"
        case ChoiceResult(_, options):
            return " | ".join(result_text(o, parameters) for o in options)
        case TextResult():
            return "str"
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
        case DictSpec(items), KeyStep(key):
            return dict(items).get(key)
        case RecordSpec(_, fields), str(name):
            return dict(fields).get(name[1:])
    return None
