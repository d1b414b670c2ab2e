"""Annotations of results and of assigned variables as promises, checked and used.

    def program(x: Float32[Tensor, "n"]) -> Float32[Tensor, "n"]:
        y: Float32[Tensor, "k"] = x[x > 0]        k is a name for the size of y
        return y                                  k == n, checked when the program gets there

A value that differs from its annotation in every run is refused, naming both places.  What sizes decide
is a requirement like those of operations.  Annotations of numbers are hints, as they are to Python;
those of other functions than the program's own are comments, as they are to Python, too.

A name that no parameter has is bound to the size where it is first met.  In the facts it has a symbol of
its own, longer than any other, so that types never mention it; results are given the name at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType

from graph_program.extract.arguments.call_sizes import symbol_name
from graph_program.extract.diagnostics import GraphProgramError, Label, Loc
from graph_program.extract.ir import tree
from graph_program.extract.ir.specs import ArgSpec, DictSpec, ListSpec, RecordSpec, TensorSpec, TupleSpec
from graph_program.extract.records import dataclass
from graph_program.extract.stage.host.library.annotation_values import read_local_annotation
from graph_program.extract.stage.language.diagnosis.contradictions import (
    Contradiction,
    annotated_arrays,
    annotated_dims,
    contradiction,
    dtype_variable,
)
from graph_program.extract.stage.machine.checks.size_facts import settle
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.options import MARK, Promises
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import Tensor, Value
from graph_program.extract.types.dims import Dim, symbol
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
from graph_program.extract.types.notation.evaluated_annotations import function_annotations
from graph_program.extract.types.rules.facts import Clause, Requirement, condition, equal
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

HINT = "correct the annotation, or the value: what an array is annotated is a promise"


@dataclass(frozen=True)
class Subject:
    """What is annotated, for messages: `the result`, `'y'`."""

    name: str
    place: Loc | None

    def part(self, step: str) -> Subject:
        return Subject(f"part {step} of {self.name}", self.place) if step else self


# ---------------------------------------------------------------- the signature


def begin(m: Machine, fn: FunctionType, function: tree.Function, specs: Mapping[str, ArgSpec]) -> None:
    """Read the program's annotations; what those of parameters name is known from the arguments."""
    notes = {}
    for name, annotation in function_annotations(fn).items():
        try:
            notes[name] = parse_annotation(annotation)
        except AnnotationSyntaxError:  # refused where calls read them
            notes[name] = None
    place = function.returns.loc if function.returns is not None else None
    names = frozenset(name for d in m.dim_sources() for name in d.symbols)
    m.promises = promises = Promises(notes.get("return"), place, names=names)
    for name, spec in specs.items():
        for note, type_ in _leaves(notes.get(name), spec):
            _bind(m, promises, note, type_)


def _leaves(note: Annotation | None, spec: ArgSpec) -> Iterator[tuple[ArrayAnnotation, TensorType]]:
    """The arrays of an argument with their annotations."""
    match note, spec:
        case ArrayAnnotation(kind=Kind.ARRAY), TensorSpec(type_):
            yield note, type_
        case TupleAnnotation(notes), TupleSpec(elts) if len(notes) == len(elts):
            for part, elt in zip(notes, elts, strict=True):
                yield from _leaves(part, elt)
        case SequenceAnnotation(element), (ListSpec(elts) | TupleSpec(elts)):
            for elt in elts:
                yield from _leaves(element, elt)
        case DictAnnotation(value), DictSpec(items):
            for _, elt in items:
                yield from _leaves(value, elt)
        case RecordAnnotation(), RecordSpec(_, fields):
            described = record_fields(note)
            for key, elt in fields:
                yield from _leaves(described.get(key), elt)
        case UnionAnnotation(options), _:
            for option in options:
                yield from _leaves(option, spec)


def _bind(m: Machine, promises: Promises, note: ArrayAnnotation, type_: TensorType) -> None:
    """What an argument tells about the names of its annotation."""
    if note.variable is not None:
        promises.dtypes.setdefault(note.variable, type_.dtype)
    if note.dims is None:
        return
    if len(note.parts) == 1:
        promises.ranks.setdefault(note.parts[0].name, type_.rank - len(note.dims) + 1)
    for part in note.parts if len(note.parts) > 1 else ():
        known = {name for d in type_.shape for name in d.symbols}
        count = next(i for i in range(type_.rank + 1) if f"{part.name}_{i}" not in known)
        promises.ranks.setdefault(part.name, count)
    for named, size in zip(annotated_dims(promises, note, type_.rank) or (), type_.shape, strict=False):
        # an alternative that was not taken says nothing of the names that arguments have
        if named is not None and named.symbols and named.symbols.isdisjoint(promises.names):
            m.live.facts = m.live.facts.learn(equal(promises.dim(named), size))


# ---------------------------------------------------------------- values


def check_result(m: Machine, value: Value, node: tree.Return) -> None:
    """`return value`, in the program's own function: what its annotation promises."""
    promises = m.promises
    if promises is None or promises.result is None or not _own(m) or node.value is None:
        return
    m.node_loc = node.value.loc
    _check(m, promises, value, promises.result, Subject("the result", promises.place))
    m.node_loc = node.loc


def check_assigned(m: Machine, value: Value, node: tree.Assign) -> None:
    """`name: annotation = value`, in the program's own function."""
    target = node.targets[0]
    if m.promises is None or node.annotation is None or not _own(m):
        return
    note = read_local_annotation(m, node.annotation)
    name = f"'{target.id}'" if isinstance(target, tree.Name) else "the value"
    if note is not None:
        m.node_loc = node.value.loc
        _check(m, m.promises, value, note, Subject(name, node.annotation.loc))
        m.node_loc = node.loc


def _own(m: Machine) -> bool:
    """Whether the statement is one of the program's function itself."""
    frame = m.frame
    return m.inference is None and frame is not None and frame.caller is None and frame.parent is None


def _check(m: Machine, promises: Promises, value: Value, note: Annotation, subject: Subject) -> None:
    wrong = contradiction(m, promises, value, note)
    if wrong is not None:
        raise _refusal(m, promises, wrong, subject)
    for path, array, annotated in annotated_arrays(m, promises, value, note):
        _require(m, promises, array, annotated, subject.part(path))


def _refusal(m: Machine, promises: Promises, wrong: Contradiction, subject: Subject) -> GraphProgramError:
    meaning = ""
    if isinstance(wrong.note, ArrayAnnotation) and (known := dtype_variable(m, promises, wrong.note)) is not None:
        meaning = f" with {wrong.note.variable}={known}"
    expected = f"{subject.part(wrong.path).name} is annotated {_note_text(wrong.note)}{meaning}"
    labels: tuple[Label, ...] = () if subject.place is None else (Label(subject.place, "annotated here"),)
    if isinstance(wrong.value, Tensor) and wrong.value.loc.line not in (m.loc.line, 0):
        labels += (Label(wrong.value.loc, "the value comes from here"),)
    message = f"{expected}, but is {_shown(m, wrong.value)}"
    return m.error("GP412", message, cls=wrong.error, labels=labels, hint=HINT, raised=True)


def _shown(m: Machine, value: Value) -> str:
    if isinstance(value, Tensor):
        return str(m.facts.resolve_type(value.type))
    return describe(value)


def _note_text(note: Annotation | None) -> str:
    match note:
        case TupleAnnotation(elts, cls):
            return cls.__name__ if cls is not None else f"a tuple of {len(elts)}"
        case SequenceAnnotation():
            return "a list"
        case DictAnnotation():
            return "a dict"
        case RecordAnnotation(cls):
            return cls.__name__
        case UnionAnnotation(options):
            return " | ".join(map(_note_text, options))
        case StaticAnnotation(values=(None,)):
            return "None"
        case None:
            return "?"
    return str(note)


# ---------------------------------------------------------------- sizes


def _require(m: Machine, promises: Promises, value: Tensor, note: ArrayAnnotation, subject: Subject) -> None:
    """What an annotation says about sizes: names are bound, the rest is required."""
    if note.variable is not None:
        m.live.bind(note.variable, value.type.dtype)
    clauses: list[Clause] = []
    wanted: dict[str, Dim] = {}
    for named, size in zip(annotated_dims(promises, note, value.rank) or (), value.type.shape, strict=False):
        if named is None:
            continue
        expected, actual = m.facts.resolve(promises.dim(named)), m.facts.resolve(size)
        unknown = [name for name in expected.symbols if name.endswith(MARK)]
        if not unknown:
            clauses.append(equal(expected, actual))
            wanted |= {name: m.facts.resolve(promises.dim(symbol(name))) for name in sorted(named.symbols)}
        elif len(unknown) == 1:
            m.live.bind(unknown[0], value)
            clauses += _bind_name(m, unknown[0], expected, actual)
    operands = [value, *_readable(m)]
    testable = tuple(c for c in clauses if _is_testable(m, c, operands))
    if testable:
        settle(m, Requirement(testable, "shape", _message(m, value, note, subject, wanted)), operands)


def _readable(m: Machine) -> Iterator[Tensor]:
    """The arrays that can be asked for their sizes here."""
    for known in (*m.live.bound.values(), *m.locals.values()):
        if is_array_of_graph(known):
            yield known


def _is_testable(m: Machine, clause: Clause, operands: Sequence[Tensor]) -> bool:
    """Whether all sizes in a clause can be read where the program is."""
    readable = {name for d in m.dim_sources() if symbol_name(d) for name in d.symbols}
    for operand in operands:
        readable |= {name for d in m.facts.resolve_type(operand.type).shape if symbol_name(d) for name in d.symbols}
    return all(c.map(m.facts.resolve).symbols <= readable for c in clause)


def _bind_name(m: Machine, name: str, expected: Dim, actual: Dim) -> list[Clause]:
    """Bind a name to the size that it has in `k` or `k+1`; what that requires."""
    rest = expected - symbol(name)
    if name in rest.symbols:
        return []
    value = actual - rest
    m.live.facts = m.live.facts.learn(equal(symbol(name), value))
    return [] if value.lower is not None and value.lower >= 0 else [(condition("<=", 0, value),)]


def _message(
    m: Machine, value: Tensor, note: ArrayAnnotation, subject: Subject, names: Mapping[str, Dim]
) -> tuple[str | Dim, ...]:
    """`the result is annotated float32 [n] with n=3, but has shape (4,)`."""
    parts: list[str | Dim] = [f"{subject.name} is annotated {note}"]
    for i, (name, size) in enumerate(names.items()):
        parts += [f"{', ' if i else ' with '}{name}=", size]
    parts.append(", but has shape (")
    for i, size in enumerate(value.type.shape):
        parts += [", " if i else "", m.facts.resolve(size)]
    parts.append(",)" if value.rank == 1 else ")")
    return tuple(parts)


# ---------------------------------------------------------------- names of results


def result_names(m: Machine, value: Value) -> dict[str, Dim]:
    """The names that the result's annotation gives to sizes that have none."""
    promises = m.promises
    if promises is None or m.state is None:
        return {}
    taken = {name for t in m.types.values() for d in t.shape for name in d.symbols}
    wanted = [
        (named, size)
        for _, array, note in annotated_arrays(m, promises, *_without_none(value, promises.result))
        for named, size in zip(
            annotated_dims(promises, note, array.rank) or (), m.facts.resolve_type(array.type).shape, strict=False
        )
        if named is not None
    ]
    wanted += [(symbol(name.removesuffix(MARK)), size) for name, size in m.facts.solved.items() if name.endswith(MARK)]
    found: dict[str, Dim] = {}
    for named, size in wanted:
        name, plain = symbol_name(named), symbol_name(size)
        if name and plain and not {name, plain} & (promises.names | taken - {plain}) and plain not in found:
            found[plain] = named
            taken.add(name)
    return found


def _without_none(value: Value, note: Annotation | None) -> tuple[Value, Annotation | None]:
    """A result that may be None, and its annotation, where it is not."""
    if value.there is value or not isinstance(note, UnionAnnotation):
        return value, note
    options = tuple(o for o in note.options if not isinstance(o, StaticAnnotation))
    return value.there, UnionAnnotation(options)
