"""Iterators that are stepped by hand, by loops, and by both."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz.kinds import F64, FLOAT, I64, INT, Kind, Lst
from tests.fuzz.writer import Variable, Writer, compound

NUMBERS: dict[str, Kind] = {"float64": F64, "int64": I64}


def _iterable(w: Writer) -> tuple[str, Kind]:
    """Something to go through, and the kind of its elements."""
    vectors = [
        (text, NUMBERS[kind.dtype]) for text, kind in w.arrays(lambda k: len(k.shape) == 1 and k.dtype != "bool")
    ]
    lists = [
        (text, kind.element)
        for text, kind in w.places(lambda k: isinstance(k, Lst) and k.element in (INT, FLOAT))
        if isinstance(kind, Lst)
    ]
    known: list[tuple[str, Kind]] = [
        (f"range({w.expr(INT, 1)} % 5)", INT),
        (f"({w.expr(FLOAT, 1)}, {w.expr(FLOAT, 1)}, {w.expr(FLOAT, 1)})", FLOAT),
        (f"[{w.expr(INT, 1)}, {w.expr(INT, 1)}]", INT),
    ]
    return w.pick([*vectors, *vectors, *lists, *known])


@compound
def step_by_hand(w: Writer) -> bool:
    """`it = iter(x); a = next(it, 0); for e in it: ...; rest = list(it)`."""
    text, kind = _iterable(w)
    it, first, element = w.fresh("it"), w.fresh("e"), w.fresh("e")
    w.emit(f"{it} = iter({text})")
    if w.chance(0.7):
        w.emit(f"{first} = {w.pick([f'next({it})', f'next({it}, {w.leaf(kind)})'])}")
        w.scope[first] = Variable(kind)
    form = w.pick(["for", "for", "while", "pairs", "none"])
    if form == "while":
        w.emit(f"while ({element} := next({it}, None)) is not None:")
    elif form == "pairs":
        w.emit(f"for {element}, {w.fresh('e')} in zip({it}, {it}):")
    else:
        w.emit(f"for {element} in {it}:")
    found = w.scope.get(text)
    as_long = {text: replace(found, fixed=True)} if found is not None and isinstance(found.kind, Lst) else {}
    with w.nested(loop=form != "while", **{element: Variable(kind)}, **as_long):  # or it may never end
        if form == "none":
            w.emit("break")
        w.statements((1, 2))
        if w.chance(0.3):
            w.emit(f"next({it}, None)")
    if found is not None:
        w.scope[text] = found
    if form == "while":
        w.scope.pop(element, None)  # it is None behind the loop
    _what_is_left(w, it, kind)
    return True


def _what_is_left(w: Writer, it: str, kind: Kind) -> None:
    left = w.fresh("r")
    match w.pick(["nothing", "list", "sum", "next"]):
        case "list":
            w.emit(f"{left} = list({it})")
            w.scope[left] = Variable(Lst(kind, None))
        case "sum":
            w.emit(f"{left} = {w.leaf(kind)} + sum({it})")
            w.scope[left] = Variable(kind)
        case "next":
            w.emit(f"{left} = {w.leaf(kind)} + next({it}, {w.leaf(kind)})")
            w.scope[left] = Variable(kind)
