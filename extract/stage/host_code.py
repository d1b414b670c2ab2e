"""Host code: what only Python can do becomes steps on the host, and their results objects there.

    obs = env.step(x.sum())         s = sum(x)
    if obs.done: ...           ->   h1 = host[0](s)             # env.step(s)
                                    h2 = host[1](h1)            # h1.done
                                    t = host[2](h2)             # True if h2 else False
                                    if t: ...

A step is given what it needs: objects on the host by their numbers, values of the graph by sending them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.diagnostics import Label
from graph_program.extract.ir import residual, results
from graph_program.extract.ir.host import NUMBER, HostStep
from graph_program.extract.ir.paths import path_text
from graph_program.extract.stage import host_numbers
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.signals import StepsNeeded
from graph_program.extract.stage.values import NONE, Host, SliceValue, Static, Tensor, Tuple, Value
from graph_program.extract.types.tensor_type import PY_BOOL, TensorType


def given(
    m: Machine, result: results.ArgResult | results.CapturedResult, loc: diagnostics.Loc, cls: type | None = None
) -> Host:
    """An object that the host has when the call begins."""
    if result not in m.host_objects:
        m.host_objects.append(result)
    text = path_text(result.path) if isinstance(result, results.ArgResult) else ""
    return Host(Static(-1 - m.host_objects.index(result)), loc, text, cls=cls)


UNCHANGING = frozenset({"keep", "tell", "truth", "test", "unpack", "iterate"})
"""Kinds of steps that run no code of the user's to speak of."""


def step(
    m: Machine,
    kind: str,
    args: Sequence[Value],
    keywords: Mapping[str, Value] | None = None,
    *,
    detail: str = "",
    count: int = 1,
    receives: Sequence[TensorType] = (),
    text: str = "",
    explicit: bool = False,
    harmless: bool = False,
    names: Sequence[str] = (),
) -> tuple[list[Host], list[Tensor]]:
    """Have something done on the host: the objects that it makes, and what it tells the graph."""
    if not m.options.steps:
        raise StepsNeeded
    from graph_program.extract.stage import host_given, host_raising
    from graph_program.extract.stage.host_sends import Sends

    args = [host_given.given(m, a) for a in args]
    keywords = {name: host_given.given(m, v) for name, v in (keywords or {}).items()}
    caught = host_raising.clauses(m)
    sends = Sends(m)
    given = tuple(sends.result(a, "argument") for a in args)
    named = tuple((k, sends.result(v, "argument")) for k, v in keywords.items())
    made = [m.fresh(hint) for hint in names or [m.hint or _NAMES.get(kind) or detail or "object"] * count]
    told = [m.fresh(m.hint or "told") for _ in receives]
    m.types.update(dict.fromkeys(made, NUMBER))
    m.types.update(zip(told, receives, strict=True))
    raised = host_raising.variables(m) if caught else ([], [])
    described = HostStep(
        kind,
        given,
        named,
        detail,
        count + len(raised[0]),
        (*receives, *(m.types[name] for name in raised[1])),
        tuple(sends.types),
        text or kind,
        m.loc,
        not (harmless or kind in UNCHANGING),
        explicit,
        tuple(sends.made),
        catches=tuple(clause.classes for _, clause in caught),
    )
    m.host_steps.append(described)
    number = len(m.host_steps) - 1
    results, tells = [*made, *raised[0]], [*told, *raised[1]]
    m.emit(residual.Host(number, tuple(sends.numbers), tuple(sends.outputs), results, tells, loc=m.loc))
    if caught:
        host_raising.leave_where_raised(m, caught, raised[0][0], raised[1][0])
    values = [Host(Tensor(name, NUMBER, m.loc), m.loc, text) for name in made]
    return values, [Tensor(name, type_, m.loc) for name, type_ in zip(told, receives, strict=True)]


_NAMES = dict.fromkeys(["binary", "unary", "in_place", "compare"], "value") | {"unpack": "part", "call": "result"}
_NAMES |= {"iterate": "iterator", "next": "item", "item": "item", "slice": "slice", "keep": "kept"}


def one(
    m: Machine,
    kind: str,
    *args: Value,
    keywords: Mapping[str, Value] | None = None,
    detail: str = "",
    text: str = "",
    type_: TensorType | None = None,
    harmless: bool = False,
) -> Host:
    """A step that makes one object, of a type if that is known."""
    receives = () if type_ is None else [type_]
    (made,), told = step(m, kind, args, keywords, detail=detail, text=text, receives=receives, harmless=harmless)
    return replace(made, told=told[0] if told else None)


def call(
    m: Machine,
    function: Value,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    text: str,
    type_: TensorType | None = None,
) -> Host:
    """`function(*args, **keywords)` on the host."""
    harmless = isinstance(function, Static) and known_not_to_change(function.value)
    return one(m, "call", function, *args, keywords=keywords, text=text, type_=type_, harmless=harmless)


def known_not_to_change(function: Any) -> bool:
    """Whether a function changes nothing that a program can have captured."""
    module = getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
    return module.partition(".")[0] in ("builtins", "time", "random", "math", "numpy", "logging", "string", "re")


def run(m: Machine, function: Value, args: Sequence[Value], keywords: Mapping[str, Value], text: str) -> Value:
    """The call of a function that gives None."""
    step(m, "call", [function, *args], keywords, count=0, text=text, harmless=True)
    return NONE


def truth(m: Machine, value: Host) -> Value:
    """The host decides, and tells the graph."""
    if value.told is not None:
        from graph_program.extract.stage.use import truth_of_tensor

        return truth_of_tensor(m, value.told)
    return step(m, "truth", [value], count=0, receives=[PY_BOOL], text=f"bool({value.text})")[1][0]


def _of_single(m: Machine, a: Value, b: Value) -> None:
    """Refuse an operation of an array with a host value of unknown type; single elements the host computes with."""
    if any(isinstance(v, Tensor) and v.is_array for v in (a, b)):
        raise unknown_type(m, a if isinstance(a, Host) else b, "operand")  # type: ignore[arg-type]


def of_graph(m: Machine, *values: Value) -> list[Value] | None:
    """The operands of an operation of the graph: one is a value that only the graph has, the others are told."""
    known = [v.told if isinstance(v, Host) else v for v in values]
    ours = any(isinstance(v, Tensor) and not host_numbers.is_both(m, v) for v in values)
    return [v for v in known if v is not None] if ours and None not in known else None


def known(m: Machine, value: Value) -> Value:
    """An operand of something that the graph has: what the host tells of it."""
    if not isinstance(value, Host):
        return value
    if value.told is None:
        raise unknown_type(m, value, "operand")
    return value.told


def as_key(m: Machine, holder: Value, key: Value) -> Value:
    """An index into something that the graph has: what the host tells of the numbers in it."""
    match key:
        case Host(told=told):
            is_array = isinstance(holder, Tensor) and holder.is_array
            return known(m, key) if is_array or told is not None else key
        case SliceValue(start, stop, step):
            return replace(key, start=known(m, start), stop=known(m, stop), step=known(m, step))
        case Tuple(elts) if isinstance(holder, Tensor):
            return replace(key, elts=tuple(as_key(m, holder, e) for e in elts))
    return key


def binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b`."""
    told = of_graph(m, a, b)
    if told is not None:
        result: Value = operators().binary(m, op, *told)
        return result
    _of_single(m, a, b)
    type_ = host_numbers.result_type(op, a, b)
    return one(m, "binary", a, b, detail=op, text=f"{text_of(a)} {op} {text_of(b)}", type_=type_)


def unary(m: Machine, op: str, value: Host) -> Value:
    """`op value`."""
    type_ = host_numbers.unary_type(op, value)
    return one(m, "unary", value, detail=op, text=f"{op}{value.text}", type_=type_)


def operators() -> Any:
    """The module of operators, which imports this one."""
    from graph_program.extract.stage import operators

    return operators


def in_place(m: Machine, op: str, a: Value, b: Value) -> Value:
    """What `a op= b` leaves."""
    if not isinstance(a, Host) or a.told is not None:
        return binary(m, op, a, b)  # numbers and tuples are not changed in place
    _of_single(m, a, b)
    return one(m, "in_place", a, b, detail=op, text=f"{text_of(a)} {op} {text_of(b)}")


def comparison(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b`; identity and membership are truth values, which the graph is told."""
    text = f"{text_of(a)} {op} {text_of(b)}"
    if op in ("is", "is not", "in", "not in"):
        return step(m, "test", [a, b], detail=op, count=0, receives=[PY_BOOL], text=text)[1][0]
    told = of_graph(m, a, b)
    if told is not None:
        result: Value = operators().comparison(m, op, *told)
        return result
    _of_single(m, a, b)
    type_ = PY_BOOL if host_numbers.result_type("+", a, b) is not None else None
    return one(m, "compare", a, b, detail=op, text=text, type_=type_)


def item(m: Machine, value: Value, key: Value) -> Value:
    """`value[key]`."""
    text = f"{text_of(value)}[...]"
    if isinstance(key, SliceValue):
        return step(m, "slice", [value, key.start, key.stop, key.step], text=text)[0][0]
    return one(m, "item", value, key, text=text)


def attribute(m: Machine, value: Host, name: str) -> Host:
    """`value.name`."""
    return one(m, "attribute", value, detail=name, text=f"{value.text}.{name}")


def do(m: Machine, kind: str, *args: Value, detail: str = "") -> None:
    """A step that makes nothing: a write or a deletion."""
    step(m, kind, args, detail=detail, count=0)


def unpack(m: Machine, value: Host, count: int, star: int | None, names: Sequence[str] = ()) -> list[Host]:
    """`a, *b, c = value`; `names` are the targets' where they are names."""
    detail = "" if star is None else str(star)
    hints = [name.strip("_") or "part" for name in names]
    return step(m, "unpack", [value], detail=detail, count=count, text=f"a part of {value.text}", names=hints)[0]


def tell(m: Machine, value: Host, types: TensorType, explicit: bool = False) -> Value:
    """The value on the host as a value of the graph of a known type."""
    told = step(m, "tell", [value], count=0, receives=[types], text=value.text, explicit=explicit)[1][0]
    return from_host(value, told, explicit)


def from_host(value: Host, told: Tensor, explicit: bool = False) -> Value:
    """A value of both sides: a Python number stays the host's until the graph computes with it."""
    if told.is_python and not explicit:
        return replace(value, told=told)
    told.host = value
    return told


def keep(m: Machine, value: Value) -> Host:
    """Any value as an object on the host."""
    return value if isinstance(value, Host) else one(m, "keep", value)


def on_host(m: Machine, value: Tensor) -> Tensor:
    """The same number or array, handed over on purpose."""
    (object,), _ = step(m, "keep", [value], explicit=True, text="to_host(...)")
    shared = m.alias_of(value) if value.is_array else m.reclassed(replace(value), value.type.kind)
    shared.host = object
    return shared


def is_host(*values: Value) -> bool:
    """Whether one of some values is on the host, or holds something that is."""
    return any(isinstance(v, Host) or (isinstance(v, Tuple) and is_host(*v.elts)) for v in values)


def only_host(m: Machine, values: Sequence[Value]) -> bool:
    """Whether some values are all the host's, and one is of a type that is not known: the host computes with them."""
    unknown = any(isinstance(v, Host) and v.told is None for v in values)
    return unknown and all(
        isinstance(v, Host) or (isinstance(v, Static) and not m.is_captured_array(v)) for v in values
    )


def text_of(value: Value) -> str:
    return value.text if isinstance(value, Host) else "..."


def unknown_type(m: Machine, value: Host, what: str) -> diagnostics.GraphProgramError:
    """The refusal of a host value of unknown type as a tensor."""
    return m.error(
        "GP520",
        f"the type of this host value is not known, but it is an {what} of a tensor operation",
        cls=diagnostics.DTypeError,
        labels=(Label(value.loc, f"it is the result of {value.text or 'host code'}"),),
        hint='annotate the name that it is assigned to, such as `value: Float32[np.ndarray, "n"] = ...`',
    )
