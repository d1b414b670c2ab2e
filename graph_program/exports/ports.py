"""The inputs and outputs of a model: names, types, and what each is in the Python signature."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph_program.extract.ir import results
from graph_program.extract.ir.host import HOST
from graph_program.extract.ir.interface import ArgInput, Interface, RowsBack, SetBack
from graph_program.extract.ir.paths import path_name, path_text
from graph_program.extract.ir.results import Result, outputs_in, parts_of

if TYPE_CHECKING:
    import onnx

    from graph_program.extract.extraction import Extraction
    from graph_program.extract.ir.graph import GraphProgram

TOLD = {"error": "the number of an error, or 0", HOST: "the order of host steps"}
"""Inputs and outputs that Python does not have."""
RESULT = "result"
AGAIN = "_out"
"""The end of the name of an output that would be called like an input."""


@dataclass(frozen=True)
class Port:
    """An input or output of a model.

    Attributes
    ----------
    name : str
    type : str
        Element type and sizes, as in `float32 [n, 3]`.
    python : str
        What it is to the Python function: `p.taps`, `result[0]`, `x, written`.
    """

    name: str
    type: str
    python: str


def ports(
    extraction: Extraction, model: onnx.ModelProto | None, written: GraphProgram | None = None
) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """The inputs and outputs of a model; of the program where there are several models; of one `written` otherwise."""
    described, program = extraction.interface, written or extraction.session
    taken, given = dict(_inputs(described)), dict(_outputs(described, extraction.session.output_names))
    if model is None:
        values = zip(program.output_names, program.graph.outputs, strict=False)
        return (
            tuple(Port(v.name, str(v.type), _said(taken, v.name)) for v in program.graph.inputs if v.name != HOST),
            tuple(Port(name, str(value.type), _said(given, name)) for name, value in values),
        )
    return (
        tuple(Port(v.name, _type_text(v.type), _said(taken, v.name)) for v in model.graph.input),
        tuple(Port(v.name, _type_text(v.type), _said(given, v.name)) for v in model.graph.output),
    )


def _said(known: dict[str, str], name: str) -> str:
    for found in (name, name.removesuffix(AGAIN)):
        if found in known or found in TOLD:
            return known[found] if found in known else TOLD[found]
    return "for its message" if name.startswith("error_arg") else name


def _inputs(described: Interface) -> Iterator[tuple[str, str]]:
    for given in described.inputs:
        text = path_text(given.path) + (f".{given.part}" if given.part else "")
        yield given.name, text if isinstance(given, ArgInput) else f"{text}, captured"


def _outputs(described: Interface, names: list[str]) -> Iterator[tuple[str, str]]:
    """What the outputs are, by name: the first of several places."""
    found: dict[str, str] = {}
    for back in described.set_backs:
        if isinstance(back, SetBack) and back.when is not None:
            found[names[back.when]] = f"whether {path_text(back.path)} is written"
        if not isinstance(back, RowsBack):  # the objects of a list, which a model gives as columns
            for text, index in _places(back.result, path_text(back.path)):
                found.setdefault(names[index], text)
            values = [text for text, _ in _places(_there(back.result), path_text(back.path))]
            found.update({path_name(back.path): text for text in values[:1]})
    found.update(_unmade(described.result, RESULT, RESULT))
    for text, index in _places(described.result, RESULT):
        found[names[index]] = text
    for written in described.write_backs:
        for output in (written.output, written.imag):
            if output is not None:
                found[names[output]] = f"{path_text(written.path)}, written"
    yield from found.items()


def _unmade(result: Result, name: str, text: str) -> Iterator[tuple[str, str]]:
    """The parts of a result that the program gives back as they came, or that are constants, which it does not make."""
    steps: list[tuple[object, str, Result]] = []
    result = result.value if isinstance(result, results.SharedResult) else result
    match result:
        case results.ArgResult() | results.LentResult() | results.CapturedResult() | results.ConstantResult():
            yield name, text
        case results.TupleResult(elts, None) | results.ListResult(elts):
            steps = [(i, f"[{i}]", part) for i, part in enumerate(elts)]
        case results.DictResult(items):
            steps = [(key, f"[{key!r}]", part) for key, part in items]
        case results.RecordResult(_, items):
            steps = [(key, f".{key}", part) for key, part in items]
    for step, shown, part in steps:
        yield from _unmade(part, f"{name}.{step}", text + shown)


def _there(result: Result) -> Result:
    """What a result is where it is there, and not None."""
    while isinstance(result, results.OptionalResult | results.LeftOutResult | results.SharedResult):
        result = result.value
    return result


def _places(result: Result, text: str) -> Iterator[tuple[str, int]]:
    """The outputs of a result, each with the Python expression of what it is a part of."""
    match result:
        case results.OutputResult(index, _, imag) if imag is not None:
            yield from ((f"{text}.real", index), (f"{text}.imag", imag))
        case results.TupleResult(elts, cls):
            steps = [f"[{i}]" for i in range(len(elts))] if cls is None else [f".{n}" for n in cls._fields]  # type: ignore[attr-defined]
            for step, part in zip(steps, elts, strict=True):
                yield from _places(part, text + step)
        case results.ListResult(elts):
            for i, part in enumerate(elts):
                yield from _places(part, f"{text}[{i}]")
        case results.DictResult(items):
            for key, part in items:
                yield from _places(part, f"{text}[{key!r}]")
        case results.RecordResult(_, fields):
            for name, part in fields:
                yield from _places(part, f"{text}.{name}")
        case results.RowsResult(length, element):
            yield f"{text}, a row for each", length
            yield from _places(element, f"{text}[:]")
        case results.OptionalResult(flag, value):
            yield f"{text} is None", flag
            yield from _places(value, text)
        case results.ChoiceResult(case, options):
            yield f"which kind {text} is", case
            for part in options:
                yield from _places(part, text)
        case results.SharedResult(_, value):
            yield from _places(value, text)
        case _:
            inner = {index for part in parts_of(result) for index in outputs_in(part)}
            yield from ((text, index) for index in outputs_in(result) if index not in inner)
            for part in parts_of(result):
                yield from _places(part, text)


def _type_text(type_: onnx.TypeProto) -> str:
    """`float32 [n, 3]`; of a number only the element type."""
    import onnx

    if type_.HasField("sequence_type"):
        return f"sequence of {_type_text(type_.sequence_type.elem_type)}"
    tensor = type_.tensor_type
    name = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type).name
    sizes = [d.dim_param or (str(d.dim_value) if d.HasField("dim_value") else "?") for d in tensor.shape.dim]
    rank = tensor.HasField("shape")
    return f"{name} [{', '.join(sizes)}]" if sizes else name if rank else f"{name} [...]"


__all__ = ["Port", "ports"]
