"""What an export has made: shown by the command line, and given back by `export`."""

from __future__ import annotations

import inspect
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.exports.narrowed import narrowed_of
from graph_program.exports.ports import Port, ports
from graph_program.exports.specialised import guard_name, is_named, reason, shown_path
from graph_program.extract.ir.error_numbers import possible_errors
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.interface import CapturedInput, Fixed
from graph_program.extract.ir.loops import LoopReport, told
from graph_program.extract.ir.paths import LengthStep, Path, path_text
from graph_program.extract.ir.specs import ArgSpec, ListSpec, StaticSpec, spec_leaves, spec_parts
from graph_program.extract.own_modules import PROJECT, is_language
from graph_program.extract.stage.values.user_classes import dataclass_init

if TYPE_CHECKING:
    import onnx

    from graph_program.backends.c.emit import CSource
    from graph_program.exports.float32_report import Float32Report
    from graph_program.exports.options import ModelOptions
    from graph_program.extract.extraction import Extraction
    from graph_program.extract.ir.graph import GraphProgram
    from graph_program.quantized.report import QuantizationReport

UNITS = ("bytes", "kB", "MB", "GB")
NUMBERS = (bool, int, float, complex, str, np.generic)
KNOWN = ("builtins", "numpy", PROJECT)
"""Packages whose exceptions a file has without being given them."""
WIDEST = 60
"""How many characters of a value are shown."""


@dataclass(frozen=True)
class FixedValue:
    """A value that the model was made for.

    Attributes
    ----------
    name : str
        What it is the value of, as a Python expression: `n`, `p.taps`, `x.shape[0]`.
    value : object
    place : str
        The line that needs it, as in `filter.py:12`; empty where it is fixed by the caller's word or by its kind.
    reason : str
    """

    name: str
    value: Any
    place: str
    reason: str


@dataclass(frozen=True)
class Unchecked:
    """A line on which an operation may fail, and the model does not notice.

    Attributes
    ----------
    place : str
        The line, as in `filter.py:12`.
    exceptions : tuple of str
        What the program raises there, one for each check that was left out.
    """

    place: str
    exceptions: tuple[str, ...]


@dataclass(frozen=True)
class Narrowed:
    """An output that a runtime may get wrong that computes in float32, integers, too; or an input that has to fit.

    Attributes
    ----------
    name : str
    reason : str
        What has more bits, and on which line first.
    """

    name: str
    reason: str


@dataclass(frozen=True)
class ExportSummary:
    """What an export has made; `print` shows it as a table.

    Attributes
    ----------
    files : tuple of str
        What was written: the model, then what it needs beside it.  For segments, the folder.
    inputs, outputs : tuple of Port
        Those of the model, each with its `name`, its `type` and what it is in `python`.
    fixed : tuple of FixedValue
        What the model was made for.
    bytes : int
        The size of the files.
    nodes : int
        The number of operators, those in branches, loops and functions of the model included.
    constants : int
        How many captured arrays are constants of the model.
    host : str, optional
        How the model reaches host code; None where it needs none.
    classes : tuple of str
        Exceptions whose own `__init__` or `__str__` makes their text: `load` needs them in `classes=` for it.
    unchecked : tuple of Unchecked
        The lines whose checks were left out, in their order (`checks="none"`).
    narrowed : tuple of Narrowed
        Of a portable model, the outputs that a runtime may get wrong that computes in float32, and the inputs whose
        integers are taken to have its 24 bits.
    loops : tuple of LoopReport
        Each loop that the graph had, with its `place`, and whether it became array operations or why not (`text`).
    function : str
        Of a program in C, the function's declaration.
    memory : str
        Of a program in C, what memory the function needs.
    tried : str
        Of a program in C, what was done with the files before they got their names.
    float32 : Float32Report, optional
        Of a program in float32, how far it is from float64 for the example arguments, and what it decides otherwise.
    quantized : QuantizationReport, optional
        Of a quantized model, its size, speed and error against the float model.
    target : tuple of str
        Of a file for a runtime: whether that was probed or read of, and which operators the CPU does in its place.
    """

    files: tuple[str, ...]
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    fixed: tuple[FixedValue, ...] = ()
    bytes: int = 0
    nodes: int = 0
    constants: int = 0
    host: str | None = None
    classes: tuple[str, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
    narrowed: tuple[Narrowed, ...] = ()
    loops: tuple[LoopReport, ...] = ()
    function: str = ""
    memory: str = ""
    tried: str = ""
    float32: Float32Report | None = None
    quantized: QuantizationReport | None = None
    target: tuple[str, ...] = ()

    @property
    def stands_alone(self) -> bool:
        """Whether the model is one file that a runtime for ONNX needs nothing beside; a program in C needs none."""
        return self.host is None and (len(self.files) == 1 or bool(self.function))

    def __str__(self) -> str:
        parts = [[self._title()]]
        parts.append(["target", *(f"  {text}" for text in self.target)])
        parts.append(["function", *(f"  {text}" for text in (self.function, self.memory, self.tried) if text)])
        for title, found in (("inputs", self.inputs), ("outputs", self.outputs)):
            parts.append([title, *_table((port.name, port.type, port.python) for port in found)])
        rows = ((f.name, _value_text(f.value), f"{f.place}: {f.reason}" if f.place else f.reason) for f in self.fixed)
        parts.append(["fixed", *_table(rows)])
        needed = f"their texts are made by their own code: load(..., classes=[{', '.join(self.classes)}])"
        parts.append(["exceptions", f"  {needed}"] if self.classes else ["exceptions"])
        checks = sum(len(line.exceptions) for line in self.unchecked)
        lines = ((line.place, ", ".join(dict.fromkeys(line.exceptions))) for line in self.unchecked)
        undefined = "; what C does where one fails is undefined" if self.function else ""
        parts.append([f"unchecked: {_counted(checks, 'check')} left out{undefined}", *_table(lines)])
        narrow = _table((output.name, output.reason) for output in self.narrowed)
        parts.append(["may be wrong in a runtime that computes in float32", *narrow])
        parts.append(["loops", *_table((loop.place, loop.text) for loop in self.loops)])
        narrowed_to = self.float32.lines() if self.float32 else ()
        parts.append(["in float32, for the example arguments", *_table(narrowed_to)])
        parts.append(["quantized", *_table(self.quantized.rows() if self.quantized else ())])
        return "\n".join(line for part in parts if len(part) > 1 or part == parts[0] for line in part)

    def _title(self) -> str:
        beside = ", ".join(PurePath(file).name for file in self.files[1:])
        alone = "stands alone" if self.stands_alone else f"needs {beside}" if beside else "needs Python"
        arrays = f", {_counted(self.constants, 'captured array')}" if self.constants else ""
        nodes = "" if self.function else f", {_counted(self.nodes, 'node')}"
        names = f"{self.files[0]} and {beside}" if self.function else self.files[0]
        return f"{names}: {_size_text(self.bytes)}{nodes}{arrays}, {alone}"


def summary_of(
    extraction: Extraction,
    model: onnx.ModelProto | None,
    files: Sequence[str],
    static: Sequence[str] = (),
    host: str | None = None,
    checked: bool = True,
) -> ExportSummary:
    """What an export has made of an extraction: a `model`, or None for a folder of segments."""
    inputs, outputs = ports(extraction, model)
    taken = {port.name for port in inputs}
    captured = [i for i in extraction.interface.inputs if isinstance(i, CapturedInput) and i.name not in taken]
    return ExportSummary(
        tuple(files),
        inputs,
        outputs,
        tuple(_fixed(extraction, static, taken)),
        sum(map(_size, files)),
        sum(_nodes(m.graph) + sum(_nodes(f) for f in m.functions) for m in _models(model, files)),
        len(captured) if model is not None else 0,
        host,
        tuple(dict.fromkeys(_own_exceptions(extraction.session.errors))),
        () if checked else tuple(_unchecked(extraction)),
        () if model is None else tuple(Narrowed(*pair) for pair in narrowed_of(model).items()),
        tuple(told(_program(extraction, checked).loops)),
    )


def summary_of_c(
    extraction: Extraction,
    files: Sequence[str],
    source: CSource,
    written: GraphProgram,
    options: ModelOptions,
    tried: str,
) -> ExportSummary:
    """What an export to C has made: of a program with all of its results."""
    inputs, outputs = ports(extraction, None, written)
    taken = {p.value.name for p in source.parameters if p.value is not None and not p.is_result}
    inputs = tuple(port for port in inputs if port.name in taken)
    captured = [
        i for i in extraction.interface.inputs if isinstance(i, CapturedInput) and i.name not in taken | source.kept
    ]
    memory = f"{_size_text(source.workspace)} that the caller gives, no malloc" if source.workspace else "no malloc"
    memory = "memory from malloc" if source.takes_memory else memory
    memory += f", {_size_text(source.state)} of state" if source.state else ""
    return ExportSummary(
        tuple(files),
        inputs,
        tuple(port for port in outputs if port.name not in source.kept),
        tuple(_fixed(extraction, options.static, taken | source.kept)),
        sum(map(_size, files)),
        constants=len(captured),
        unchecked=() if options.checks == "all" else tuple(_unchecked(extraction)),
        function=source.prototype,
        memory=memory,
        tried=tried,
    )


def _program(extraction: Extraction, checked: bool) -> GraphProgram:
    """The graph that was written."""
    if extraction.host:
        return extraction.session
    return extraction.program if checked else extraction.unchecked


def _unchecked(extraction: Extraction) -> Iterator[Unchecked]:
    """The lines with checks that the model would have, those of what a function of a library does at its call."""
    lines: dict[tuple[str, int], tuple[str, list[str]]] = {}
    for info in possible_errors(extraction.program):
        if not info.explicit:
            loc = info.loc.in_program
            place = loc.where.rpartition(":")[0]
            lines.setdefault((loc.file, loc.line), (place, []))[1].append(info.exception.__name__)
    for _, (place, exceptions) in sorted(lines.items()):
        yield Unchecked(place, tuple(exceptions))


def _own_exceptions(infos: Iterable[ErrorInfo | None]) -> Iterator[str]:
    """The names of classes of the user's that make their text or attributes with code that is not in the file."""
    for info in infos:
        if info is None:
            continue
        cls = info.exception
        names = ("__str__",) if dataclass_init(cls) else ("__init__", "__str__")
        is_own = any(isinstance(inspect.getattr_static(cls, name), FunctionType) for name in names)
        if is_own and info.own is None and cls.__module__.partition(".")[0] not in KNOWN:
            yield cls.__name__
        yield from _own_exceptions((info.cause, info.context))


def _fixed(extraction: Extraction, static: Sequence[str], taken: Collection[str]) -> Iterator[FixedValue]:
    """What the caller has named and what the program needs, in the order of the parameters; then what is captured.

    Of captured arrays, those that an object has as its own attributes, which could be taken for state.
    """
    needed = {f.path: _needed(f) for f in extraction.fixed}
    asked = {*needed}
    for name, spec in extraction.interface.parameters:
        for path, leaf in spec_leaves(spec, (name,)):
            if path in needed:
                yield needed.pop(path)
            elif isinstance(leaf, StaticSpec):
                number = isinstance(leaf.value, bool | int | float | complex | np.generic | np.ndarray)
                why = "as named" if is_named(path, static) else "as annotated" if number else "static by its kind"
                yield FixedValue(shown_path(path), leaf.value, "", why)
    yield from needed.values()
    for name, spec in extraction.interface.parameters:
        for path, count in _lists(spec, (name,)):
            if path not in asked:
                yield FixedValue(shown_path(path), count, "", "an input for each element")
    inputs = {path_text(i.path) for i in extraction.interface.inputs if i.name in taken}
    for guard in extraction.interface.guards:
        name = guard_name(guard)
        is_array = isinstance(guard.value, np.ndarray) and guard.owner is not None and name.count(".") == 1
        if ((is_array and name not in inputs) or isinstance(guard.value, NUMBERS)) and not is_language(name):
            yield FixedValue(name, guard.value, "", "captured")


def _lists(spec: ArgSpec, path: Path) -> Iterator[tuple[Path, int]]:
    """The lengths of lists that have an input for each element."""
    if isinstance(spec, ListSpec):
        yield (*path, LengthStep()), len(spec.elts)
    for step, part in spec_parts(spec) or ():
        yield from _lists(part, (*path, step))


def _needed(fixed: Fixed) -> FixedValue:
    return FixedValue(shown_path(fixed.path), fixed.value, fixed.needed.loc.where.rpartition(":")[0], reason(fixed))


def _models(model: onnx.ModelProto | None, files: Sequence[str]) -> Iterator[onnx.ModelProto]:
    """The model, or those in the folder of segments."""
    import onnx

    if model is not None:
        yield model
        return
    yield from (onnx.load(file, load_external_data=False) for file in files[:1] if os.path.isfile(file))
    for folder in filter(os.path.isdir, files):
        names = sorted(name for name in os.listdir(folder) if name.endswith(".onnx"))
        yield from (onnx.load(os.path.join(folder, name), load_external_data=False) for name in names)


def _nodes(graph: onnx.GraphProto | onnx.FunctionProto) -> int:
    """The nodes of a graph or function, and those of the graphs in them."""
    inner = (a for node in graph.node for a in node.attribute)
    return len(graph.node) + sum(_nodes(a.g) for a in inner if a.HasField("g"))


def _size(file: str) -> int:
    if os.path.isdir(file):
        return sum(_size(os.path.join(file, name)) for name in os.listdir(file))
    return os.path.getsize(file)


# ---------------------------------------------------------------- text


def _table(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Rows with columns of one width, further in."""
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def _value_text(value: Any) -> str:
    """A value as short as can be."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} [{', '.join(map(str, value.shape))}]"
    text = getattr(value, "__qualname__", None) or repr(value)
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _size_text(size: int) -> str:
    """`812 bytes`, `3.4 kB`."""
    number, power = float(size), 0
    while number >= 1000 and power + 1 < len(UNITS):
        number, power = number / 1000, power + 1
    return f"{number:.1f} {UNITS[power]}" if power else f"{size} bytes"


__all__ = ["ExportSummary", "FixedValue", "Port", "summary_of"]
