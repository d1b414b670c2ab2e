"""Strings and enum members that programs carry, branch on, look up and return."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.kinds import BOOL, INT, Choice, Kind, Number
from tests.fuzz.writer import Variable, Writer, compound, expression, literal, statement

E = Callable[[Kind], str]

MODE = Choice(('"idle"', '"run"', '"stop"'))
COLOR = Choice(("Color.RED", "Color.GREEN", "Color.BLUE"))


@literal(Choice)
def choice_literal(w: Writer, kind: Choice) -> str:
    return w.pick(kind.options)


@expression(Choice)
def either_thing(w: Writer, kind: Choice, e: E) -> str:
    return f"({e(kind)} if {e(BOOL)} else {e(kind)})"


@expression(Choice)
def looked_up(w: Writer, kind: Choice, e: E) -> str | None:
    """By a function of the program's own."""
    forms = {MODE: lambda: f"mode_of({e(INT)})", COLOR: lambda: f"color_of({e(INT)}, {e(COLOR)})"}
    return forms[kind]() if kind in forms else None


@expression(Number)
def asked(w: Writer, kind: Number, e: E) -> str | None:
    """`mode == "run"`, `mode in ("run", "stop")`, `{"idle": 0, ...}[mode]`."""
    names = w.names(lambda k: isinstance(k, Choice))
    if not names or kind not in (BOOL, INT):
        return None
    name = w.pick(names)
    found = w.scope[name].kind
    assert isinstance(found, Choice)
    if kind == INT:
        return f"{{{', '.join(f'{text}: {i}' for i, text in enumerate(found.options))}}}[{name}]"
    several = ", ".join(w.random.sample(found.options, 2))
    return f"({name} {w.pick([f'== {w.pick(found.options)}', f'!= {w.leaf(found)}', f'in ({several})'])})"


@statement
def set_thing(w: Writer) -> bool:
    kind = w.pick([MODE, MODE, COLOR])
    text = w.expr(kind)
    return w.emit(f"{w.target(kind)} = {text}")


@compound
def machine(w: Writer) -> bool:
    """A loop whose rounds depend on what an earlier one has left."""
    kind = w.pick([MODE, COLOR])
    text = w.leaf(kind)
    name, k = w.target(kind), w.fresh("k")
    w.emit(f"{name} = {text}")
    w.emit(f"for {k} in range({w.pick(['3', f'{w.expr(INT, 1)} % 5'])}):")
    with w.nested(loop=True, **{k: Variable(INT, fixed=True)}):
        for position, option in enumerate(w.random.sample(kind.options, 2)):
            w.emit(f"{'elif' if position else 'if'} {name} == {option}:")
            with w.nested():
                w.statements((1, 1, 2))
                if w.chance(0.7):
                    w.emit(f"{name} = {w.expr(kind, 1)}")
    return True


@compound
def match_thing(w: Writer) -> bool:
    """`match` on a string or an enum member."""
    names = w.names(lambda k: isinstance(k, Choice))
    if not names:
        return False
    name = w.pick(names)
    kind = w.scope[name].kind
    assert isinstance(kind, Choice)
    w.emit(f"match {name}:")
    w.indent += 1
    for case in (*w.random.sample(kind.options, w.pick([1, 2])), "_"):
        w.emit(f"case {case}:")
        w.block()
    w.indent -= 1
    return True
