"""Calls of host code, in all places: what they are given and in which order is written down and compared."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.kinds import BOOL, F64, FLOAT, INT, VECTOR, Array, Kind, Number
from tests.fuzz.writer import Variable, Writer, compound, expression, some_kind, statement

E = Callable[[Kind], str]

DEVICE = "dev"
CALLS = {"float": ("reading", "strict", "reading"), "int": ("counted",), "bool": ("decided",)}


def begin(w: Writer) -> None:
    """The object on the host that a program has."""
    w.emit(f"{DEVICE} = device()")


def _number(w: Writer) -> str:
    return w.expr(w.pick([INT, FLOAT, F64]), 1)


@expression(Number)
def host_number(w: Writer, kind: Number, e: E) -> str | None:
    if kind.cls not in CALLS:
        return None
    function = w.pick(CALLS[kind.cls])
    return f"{function}({e(INT) if function == 'reading' else _number(w)})"


@expression(Number)
def host_length(w: Writer, kind: Number, e: E) -> str | None:
    return f"len(words({e(INT)}))" if kind == INT else None


@expression(Array)
def host_frame(w: Writer, kind: Array, e: E) -> str | None:
    return f"frame({e(INT)})" if kind == VECTOR else None


@expression(Number)
def host_told(w: Writer, kind: Number, e: E) -> str | None:
    return f"to_device({DEVICE}.poll({e(FLOAT)}), float)" if kind == FLOAT else None


@expression(Number)
def host_compared(w: Writer, kind: Number, e: E) -> str | None:
    texts = (f"({DEVICE}.poll({_number(w)}) > 1.5)", f"{DEVICE}.ready", f"('two' in words({w.expr(INT, 1)}))")
    return w.pick(texts) if kind == BOOL else None


@statement
def note(w: Writer) -> bool:
    values = ", ".join(w.expr(some_kind(w), 1) for _ in range(w.pick([1, 2])))
    return w.emit(f"seen({values})")


@statement
def note_handed_over(w: Writer) -> bool:
    return w.emit(f"seen(to_host({w.expr(w.pick([FLOAT, VECTOR]), 1)}))")


@statement
def shown(w: Writer) -> bool:
    return w.emit(w.pick([f'print(f"{{{w.expr(FLOAT, 2)}:.3f}}")', f'print("n", {w.expr(INT, 1)})']))


@statement
def annotated(w: Writer) -> bool:
    text = w.expr(FLOAT, 1)
    name = w.fresh("f")
    w.scope[name] = Variable(FLOAT)
    return w.emit(f"{name}: float = {DEVICE}.poll({text})")


@statement
def taken_apart(w: Writer) -> bool:
    text = f"measured({w.expr(w.pick([VECTOR, FLOAT]), 1)})"
    return w.emit(f"{w.target(FLOAT)}, {w.target(INT)} = {text}")


@statement
def objects(w: Writer) -> bool:
    name = w.fresh("h")
    w.emit(f"{name} = {DEVICE}.pair({_number(w)}, by={w.expr(INT, 1)})")
    return w.emit(f"seen({name}[0], {name})")


@statement
def either_object(w: Writer) -> bool:
    name = w.fresh("h")
    w.emit(f"{name} = words({w.expr(INT, 1)}) if {w.expr(BOOL)} else {DEVICE}.pair(1)")
    return w.emit(f"seen({name}, len({name}))")


@statement
def set_attribute(w: Writer) -> bool:
    return w.emit(f"{DEVICE}.level {w.pick(['=', '+='])} {w.expr(FLOAT, 1)}")


@compound
def for_host(w: Writer) -> bool:
    name = w.fresh("x")
    text, kind = w.pick([("ticks", FLOAT), ("frames", VECTOR)])
    w.emit(f"for {name} in {text}({w.expr(INT, 1)}):")
    w.block(True, **{name: Variable(kind, fixed=True)})
    return True


@compound
def for_words(w: Writer) -> bool:
    name = w.fresh("s")
    w.emit(f"for {name} in words({w.expr(INT, 1)}):")
    with w.nested(True):
        w.emit(f"seen({name}, {_number(w)})")
        w.statements((1, 2))
    return True


@compound
def while_host(w: Writer) -> bool:
    w.emit(f"while {DEVICE}.more():")
    w.block(True)
    return True
