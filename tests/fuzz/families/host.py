"""Calls of host code, in all places: what they are given and in which order is written down and compared."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.kinds import BOOL, DEVICE, F64, FLOAT, INT, TABLE, VECTOR, WORDS, Array, Kind, Number
from tests.fuzz.writer import Variable, Writer, expression, some_kind, statement

E = Callable[[Kind], str]

CALLS = {"float": ("reading", "strict", "reading"), "int": ("counted",), "bool": ("decided",)}


def begin(w: Writer) -> None:
    """The object on the host that a program has."""
    w.emit("dev = device()")
    w.scope["dev"] = Variable(DEVICE)


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
    return f"to_device({w.leaf(DEVICE)}.poll({e(FLOAT)}), float)" if kind == FLOAT else None


@expression(Number)
def host_compared(w: Writer, kind: Number, e: E) -> str | None:
    return f"bool({w.leaf(DEVICE)}.poll({_number(w)}) > 1.5)" if kind == BOOL else None


@expression(Number)
def host_nested(w: Writer, kind: Number, e: E) -> str | None:
    return f"nested({e(VECTOR)}, {e(INT)})" if kind == FLOAT else None


@statement
def cut_off(w: Writer) -> bool:
    """An array whose size the host says."""
    text = f"cut({w.expr(VECTOR, 1)})"
    return w.emit(f"{w.target(Array('float64', (None,)))} = {text}")


@statement
def if_host(w: Writer) -> bool:
    """A condition of unknown type."""
    w.emit(f"if {w.pick([f'{w.leaf(DEVICE)}.poll({_number(w)}) > 1.5', f'{w.leaf(DEVICE)}.ready', w.expr(WORDS, 1)])}:")
    return w.emit(f"    seen({w.expr(some_kind(w), 1)})")


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
    return w.emit(f"{name}: float = {w.leaf(DEVICE)}.poll({text})")


@statement
def taken_apart(w: Writer) -> bool:
    text = f"measured({w.expr(w.pick([VECTOR, FLOAT]), 1)})"
    return w.emit(f"{w.target(FLOAT)}, {w.target(INT)} = {text}")


@statement
def objects(w: Writer) -> bool:
    name = w.fresh("h")
    w.emit(f"{name} = {w.leaf(DEVICE)}.pair({_number(w)}, by={w.expr(INT, 1)})")
    return w.emit(f"seen({name}[0], {name})")


@statement
def either_object(w: Writer) -> bool:
    name = w.fresh("h")
    w.emit(f"{name} = {w.expr(w.pick([WORDS, TABLE]), 1)} if {w.expr(BOOL)} else {w.leaf(DEVICE)}.pair(1)")
    return w.emit(f"seen({name}, len({name}))")


@statement
def set_attribute(w: Writer) -> bool:
    return w.emit(f"{w.leaf(DEVICE)}.level {w.pick(['=', '+='])} {w.expr(FLOAT, 1)}")
