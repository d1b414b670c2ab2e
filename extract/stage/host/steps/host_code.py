"""Host code: what only Python can do becomes steps on the host, and their results objects there.

    obs = env.step(x.sum())         s = sum(x)
    if obs.done: ...           ->   h1 = host[0](s)             # env.step(s)
                                    h2 = host[1](h1)            # h1.done
                                    t = host[2](h2)             # True if h2 else False
                                    if t: ...

A step is given what it needs: objects on the host by their numbers, values of the graph by sending them.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.ir import results
from graph_program.extract.ir.host import ERROR
from graph_program.extract.ir.paths import path_text
from graph_program.extract.stage.arrays.array_writes import INSTEAD
from graph_program.extract.stage.host.library import host_buffers, library_signatures, noted_calls
from graph_program.extract.stage.host.steps import container_effects
from graph_program.extract.stage.host.steps import program_effects as effects
from graph_program.extract.stage.host.values import host_aliasing, host_annotations, host_operands, host_types
from graph_program.extract.stage.machine import host_contents
from graph_program.extract.stage.machine.decisions import STEPS
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.numbers import host_numbers
from graph_program.extract.stage.operations import attributes, known_and_truth, operators
from graph_program.extract.stage.operations.operator_slots import binary_of, comparison_of, unary_of
from graph_program.extract.stage.operations.static_evaluation import try_now
from graph_program.extract.stage.values import host_notes, user_classes
from graph_program.extract.stage.values.generic import forward
from graph_program.extract.stage.values.questions import is_array_of_graph, is_just, is_known, is_untold, known_value
from graph_program.extract.stage.values.structure import is_text, with_article
from graph_program.extract.stage.values.values import NONE, Host, Ref, SliceValue, Static, Tensor, Text, Tuple, Value
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, TensorType


def given(
    m: Machine, result: results.ArgResult | results.CapturedResult, loc: diagnostics.Loc, note: Any = None
) -> Host:
    """An object that the host has when the call begins."""
    places = [i for i, known in enumerate(m.host.objects) if _is_same(known, result)]
    if not places:
        places = [len(m.host.objects)]
        m.host.objects.append(result)
    text = path_text(result.path) if isinstance(result, results.ArgResult) else ""
    return Host(Static(-1 - places[0]), loc, text, note)


def _is_same(a: results.Result, b: results.Result) -> bool:
    """Whether both are one object: equal ones may be two."""
    if isinstance(a, results.CapturedResult) and isinstance(b, results.CapturedResult):
        return a.value is b.value
    return a == b


UNCHANGING = frozenset({ERROR, "keep", "tell", "truth", "test", "unpack", "iterate"})
"""Kinds of steps that run no code of the user's to speak of."""


@forward
def step(
    m: Machine,
    kind: str,
    args: Sequence[Value],
    keywords: Mapping[str, Value] | None = None,
    *,
    detail: str = "",
    count: int = 1,
    receives: Sequence[TensorType] = (),
    tells: Sequence[int] = (),
    text: str = "",
    explicit: bool = False,
    harmless: bool = False,
    notes: Sequence[Any] | None = None,
    names: Sequence[str] = (),
) -> tuple[list[Host], list[Tensor]]:
    """Have something done on the host: the objects that it makes, and what it tells the graph."""


@host_entries.step.given
def one(
    m: Machine,
    kind: str,
    *args: Value,
    keywords: Mapping[str, Value] | None = None,
    detail: str = "",
    text: str = "",
    note: Any = None,
    harmless: bool = False,
) -> Host:
    (made,) = several(m, kind, args, [note], keywords=keywords, detail=detail, text=text, harmless=harmless)
    return made


def several(m: Machine, kind: str, args: Sequence[Value], notes: Sequence[Any], **rest: Any) -> list[Host]:
    """A step that makes objects, of which `notes` say what they are."""
    for note in notes:
        host_containers.end_where_empty(m, note, host_contents.is_nothing)
    receives, tells = told_types(m, notes)
    made, told = step(m, kind, args, count=len(notes), receives=receives, tells=tells, notes=notes, **rest)
    return noted(made, notes, told, tells)


def told_types(m: Machine, notes: Sequence[Any]) -> tuple[list[TensorType], list[int]]:
    """The types of the numbers and arrays among objects, and which they are."""
    types = [(i, host_annotations.tensor_type(note)) for i, note in enumerate(notes)]
    known = [(i, open_dims(m, type_)) for i, type_ in types if type_ is not None]
    return [type_ for _, type_ in known], [i for i, _ in known]


def noted(made: Sequence[Host], notes: Sequence[Any], told: Sequence[Tensor], tells: Sequence[int]) -> list[Host]:
    """Objects with what is known of them."""
    found = dict(zip(tells, told, strict=True))
    return [replace(one, note=note, told=found.get(i)) for i, (one, note) in enumerate(zip(made, notes, strict=True))]


def open_dims(m: Machine, type_: TensorType) -> TensorType:
    """A type with its named dims unknown: the host says them when it has the value."""
    shape = tuple(d if d.constant is not None else m.fresh_dim() for d in type_.shape)
    return TensorType(type_.dtype, shape, type_.kind)


@host_entries.call.given
def call(
    m: Machine,
    function: Value,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    text: str,
    note: Any = None,
) -> Host:
    harmless = is_known(function) and known_not_to_change(function.value)
    return one(m, "call", function, *args, keywords=keywords, text=text, note=note, harmless=harmless)


def known_not_to_change(function: Any) -> bool:
    """Whether a function changes nothing that a program can have captured."""
    module = getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
    return module.partition(".")[0] in ("builtins", "time", "random", "math", "numpy", "logging", "string", "re")


def run(m: Machine, function: Value, args: Sequence[Value], keywords: Mapping[str, Value], text: str) -> Value:
    """The call of a function that gives None."""
    step(m, "call", [function, *args], keywords, count=0, text=text, harmless=True)
    return NONE


@known_and_truth.truth.of(Host)
def truth(m: Machine, value: Host) -> Value:
    """The host decides, and tells the graph."""
    if value.told is not None:
        return known_and_truth.truth_of_tensor(m, value.told)
    return step(m, "truth", [value], count=0, receives=[PY_BOOL], text=f"bool({value.text})")[1][0]


@host_entries.as_key.of(Host)
def _as_index(m: Machine, key: Host, holder: Value) -> Value:
    return host_operands.index(m, key) if is_array_of_graph(holder) or key.told is not None else key


@host_entries.as_key.of(SliceValue)
def _as_slice(m: Machine, key: SliceValue, holder: Value) -> Value:
    start, stop, step = (host_operands.index(m, bound) for bound in (key.start, key.stop, key.step))
    return replace(key, start=start, stop=stop, step=step)


@host_entries.as_key.of(Tuple)
def _as_indices(m: Machine, key: Tuple, holder: Value) -> Value:
    if not isinstance(holder, Tensor):
        return key
    return replace(key, elts=tuple(host_entries.as_key(m, e, holder) for e in key.elts))


def binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b`."""
    told = host_operands.of_graph(m, a, b)
    if told is not None:
        return operators.binary(m, op, *told)
    return one(m, "binary", a, b, detail=op, text=f"{a.text} {op} {b.text}", note=_result_note(m, op, a, b))


def _result_note(m: Machine, op: str, a: Value, b: Value) -> Any:
    """What is known of `a op b`."""
    type_ = host_numbers.result_type(op, a, b)
    if type_ is not None:
        return type_
    notes = noted_calls.note_of(a), noted_calls.note_of(b)
    number = host_numbers.type_of_one(op, *notes)
    if number is not None:
        return number
    known = host_annotations.of_text_operator(op, *notes) or host_buffers.of_operator(op, *notes)
    return known or container_effects.result_of_operator(m, op, a, b)


@unary_of.of(Host)
def unary(m: Machine, value: Host, op: str) -> Value:
    """`op value`."""
    type_ = host_numbers.unary_type(op, value)
    return one(m, "unary", value, detail=op, text=f"{op}{value.text}", note=type_)


def in_place(m: Machine, op: str, a: Value, b: Value) -> Value:
    """What `a op= b` leaves."""
    if not is_untold(a):
        return binary(m, op, a, b)  # numbers and tuples are not changed in place
    if is_array_of_graph(b):
        raise host_operands.unknown_type(m, a, "operand", b)
    note = a.note if isinstance(a.note, host_contents.Made) else _result_note(m, op, a, b)
    return one(m, "in_place", a, b, detail=op, text=f"{a.text} {op} {b.text}", note=note)


@host_entries.comparison.given
def comparison(m: Machine, op: str, a: Value, b: Value) -> Value:
    text = f"{a.text} {op} {b.text}"
    host_aliasing.require_equality(m, op, a, b)
    if op in ("is", "is not", "in", "not in"):
        found = step(m, "test", [a, b], detail=op, count=0, receives=[PY_BOOL], text=text)[1][0]
        for value, other in ((a, b), (b, a)):
            if isinstance(value, Host) and is_just(other, None) and op.startswith("is"):
                value.tests.append((found, op == "is"))
        return found
    told = host_operands.of_graph(m, a, b)
    if told is not None:
        return operators.comparison(m, op, *told)
    notes = [noted_calls.note_of(v) for v in (a, b)]
    known = host_numbers.result_type("+", a, b) is not None or notes == [str, str] or host_buffers.are_compared(*notes)
    type_ = PY_BOOL if known else None
    return one(m, "compare", a, b, detail=op, text=text, note=type_)


@host_entries.item.given
def item(m: Machine, value: Value, key: Value) -> Value:
    """`value[key]`."""
    text = f"{value.text}[...]"
    host_aliasing.require_equality(m, "[...]", value, key)
    known = noted_calls.note_of(value)
    if isinstance(key, SliceValue):
        note = container_effects.owned(m, None, (), host_annotations.slice_of(known))
        return one(m, "slice", value, key.start, key.stop, key.step, text=text, note=note)
    place = known_value(key)
    if isinstance(value, Host) and isinstance(place, int) and -len(value.parts) <= place < len(value.parts):
        return value.parts[place]
    return from_host(one(m, "item", value, key, text=text, note=host_annotations.item(known, place)))


@attributes.attribute.of(Host)
def attribute(m: Machine, value: Host, name: str) -> Value:
    """`value.name`."""
    note, method = host_annotations.attribute(value.note, name)
    made = one(m, "attribute", value, detail=name, text=f"{value.text}.{name}", note=note)
    return from_host(replace(made, method=method, member=name, holder_shares=value.shares))


@attributes.attribute.of(Text)
def _attribute_of_text(m: Machine, value: Text, name: str) -> Value:
    return Static(str) if name == "__class__" else attribute(m, host_entries.text(m, value), name)


@host_entries.attribute.given
def host_attribute(m: Machine, value: Value, cls: type, name: str) -> Value | None:
    if name in WRITING_OUT or library_signatures.member(cls, name) is not None:
        return attribute(m, replace(keep(m, value), note=cls), name)
    return None


WRITING_OUT = frozenset({"tobytes", "tofile", "dump", "dumps"})
"""Methods of arrays that are the host's."""


@host_entries.do.given
def do(m: Machine, kind: str, *args: Value, detail: str = "") -> None:
    host_aliasing.require_own(m, kind, args[0], detail)
    step(m, kind, args, detail=detail, count=0)


def unpack(m: Machine, value: Host, count: int, star: int | None, names: Sequence[str] = ()) -> list[Value]:
    """`a, *b, c = value`; `names` are the targets' where they are names."""
    if star is None and len(value.parts) == count:
        return list(value.parts)
    hints = [name.strip("_") or "part" for name in names]

    notes = [container_effects.owned(m, None, (), note) for note in host_annotations.unpacked(value.note, count, star)]
    detail, text = "" if star is None else str(star), f"a part of {value.text}"
    return [from_host(one) for one in several(m, "unpack", [value], notes, detail=detail, text=text, names=hints)]


def tell(m: Machine, value: Host, types: TensorType, explicit: bool = False) -> Value:
    """The value on the host as a value of the graph of a known type."""
    told = step(m, "tell", [value], count=0, receives=[types], text=value.text, explicit=explicit)[1][0]
    return from_host(replace(value, told=told), explicit)


@host_entries.there.given
def there(m: Machine, value: Value) -> Value:
    """A value on the host of which a test says that it is not None, as what it is then."""
    if not is_untold(value) or not value.is_there:
        return value
    type_ = host_annotations.tensor_type(host_notes.present(value.note))
    return value if type_ is None else tell(m, value, open_dims(m, type_))


def asked(m: Machine, value: Host) -> Value:
    """A number or array that the host has told, which the user asks for."""
    assert value.told is not None
    place = m.host.told.get(str(value.told.operand))
    if place is None:
        return tell(m, value, value.told.type, explicit=True)
    number, slot = place
    step = m.host.steps[number]
    m.host.steps[number] = replace(step, asked=step.asked | {slot})
    return from_host(value, explicit=True)


def from_host(value: Host, explicit: bool = False) -> Value:
    """A value of both sides: a Python number stays the host's until the graph computes with it."""
    told = value.told
    if told is None or (told.is_python and not explicit):
        return value
    told.host = replace(value, told=None)
    return told


def is_array_of_list(m: Machine, value: Tensor) -> bool:
    """Whether an array is one that NumPy has made of a list on the host, and as it was there."""
    step, _ = m.host.told.get(str(value.operand), (-1, 0))
    return step >= 0 and m.host.steps[step].is_array_of_list and not m.is_written(value)


@host_entries.keep.given
def keep(m: Machine, value: Value) -> Host:
    """Any value as an object on the host."""
    if isinstance(value, Host):
        return value
    if is_text(value):
        return host_entries.text(m, value)
    note = container_effects.note_of(m, value) if isinstance(value, Ref | Tuple) else None
    cls = user_classes.class_of(value)
    return one(m, "keep", value, note=note, text=with_article("value" if cls is None else cls.__name__))


def on_host(m: Machine, value: Tensor) -> Tensor:
    """The same number or array, handed over on purpose."""
    (object,), _ = step(m, "keep", [value], explicit=True, text="to_host(...)")
    shared = m.alias_of(value) if value.is_array else m.reclassed(replace(value), value.type.kind)
    shared.host = object
    return shared


binary_of.register(Host, lambda m, one, op, a, b: binary(m, op, a, b))
comparison_of.register(Host, lambda m, one, op, a, b: comparison(m, op, a, b))


@host_entries.call_there.given
def call_host(m: Machine, value: Any, args: list[Value], keywords: dict[str, Value]) -> Value:
    if effects.can_wait(value) and not m.options.purpose.reports:
        m.host.unreported.setdefault(m.loc.in_program, value.__qualname__)
        return NONE
    waits = effects.can_wait(value) and not (m.tries.handling and effects.shows_handled(value, keywords))
    if waits and not m.decided[STEPS] and not m.loops.rounds:
        return effects.reach(m, value, args, keywords)
    return host_types.called(m, value, args, keywords)


def known_or_on_host(
    m: Machine, function: Callable[..., Any], args: Sequence[Value], keywords: Mapping[str, Value] | None = None
) -> Value:
    """A call of a pure function without a graph form: of what is known it is made now, else on the host."""
    keywords = keywords or {}
    return try_now(m, function, *args, **keywords) or call_host(m, function, list(args), dict(keywords))


def _home(value: Any, name: str) -> str:
    """The public module that has a function which does not say where it is from, as ufuncs do not."""
    public = (n for n in list(sys.modules) if not any(part.startswith("_") for part in n.split(".")))
    having = [n for n in public if vars(sys.modules[n] or types).get(name) is value]
    return "numpy" if "numpy" in having else min(having, key=len, default="numpy")


@host_entries.no_graph_form.given
def no_graph_form(m: Machine, value: Any) -> diagnostics.GraphProgramError:
    name = getattr(value, "__name__", type(value).__name__)
    module = (getattr(value, "__module__", None) or _home(value, name)).replace("numpy", "np", 1)

    general = "see the operations page for what has; combine those, or call it outside the program"
    if module.partition(".")[0] != "np":
        general = "write it with NumPy, or call it in a function of yours that is marked @host_function"
    return m.error("GP323", f"{module}.{name} has no graph form", hint=INSTEAD.get(name, general))
