"""Dataclasses, named tuples, tuples, dicts, and variables that may be None."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.kinds import BOOL, F64, FLOAT, INT, RECORDS, VECTOR, Dct, Kind, Maybe, Number, Record, Tup, parts
from tests.fuzz.writer import Variable, Writer, compound, expression, literal, statement

E = Callable[[Kind], str]


@literal(Record)
def record_literal(w: Writer, kind: Record) -> str:
    return f"{kind.cls}({', '.join(w.leaf(part) for _, part in RECORDS[kind.cls])})"


@literal(Tup)
def tuple_literal(w: Writer, kind: Tup) -> str:
    return f"({', '.join(w.leaf(part) for part in kind.elts)},)"


@literal(Dct)
def dict_literal(w: Writer, kind: Dct) -> str:
    return f"{{{', '.join(f'{key!r}: {w.leaf(part)}' for key, part in kind.items)}}}"


@literal(Maybe)
def maybe_literal(w: Writer, kind: Maybe) -> str:
    return w.pick(["None", w.leaf(kind.kind)])


@expression(Record)
def built(w: Writer, kind: Record, e: E) -> str:
    fields = RECORDS[kind.cls]
    texts = [e(part) for _, part in fields]
    if w.chance(0.3):
        return f"{kind.cls}({texts[0]}, {fields[1][0]}={texts[1]})"
    return f"{kind.cls}({', '.join(texts)})"


@expression(Record)
def replaced(w: Writer, kind: Record, e: E) -> str:
    name, part = w.pick(RECORDS[kind.cls])
    if kind.cls == "Point":
        return f"{w.leaf(kind)}._replace({name}={e(part)})"
    return f"replace({w.leaf(kind)}, {name}={e(part)})"


@expression(Record)
def operated(w: Writer, kind: Record, e: E) -> str | None:
    forms = {
        "Pair": lambda: w.pick([f"({w.leaf(kind)} + {w.leaf(kind)})", f"{w.leaf(kind)}.moved({e(INT)})"]),
        "Fixed": lambda: w.pick([f"{w.leaf(kind)}.grown()", f"Fixed.of({e(INT)})"]),
        "Body": lambda: f"{w.leaf(kind)}.copied()",
    }
    return forms[kind.cls]() if kind.cls in forms else None


@expression(Number)
def method(w: Writer, kind: Number, e: E) -> str | None:
    if kind == FLOAT:
        return w.pick([f"{w.leaf(Record('Pair'))}.total()", f"{w.leaf(Record('Fixed'))}.double"])
    if kind == F64:
        return f"{w.leaf(Record('Body'))}.energy()"
    return f"({w.leaf(Record('Fixed'))} == {w.leaf(Record('Fixed'))})" if kind == BOOL else None


@expression(Record, Tup, Dct, Maybe)
def either_object(w: Writer, kind: Kind, e: E) -> str | None:
    """One object or another; writes to it are refused while both are in use, so mostly a new one."""
    if isinstance(kind, Record) and kind.cls in ("Pair", "Body", "Track") and not w.chance(0.15):
        return None
    return f"({e(kind)} if {e(BOOL)} else {e(kind)})"


@expression(Tup)
def tuple_of(w: Writer, kind: Tup, e: E) -> str:
    return f"({', '.join(e(part) for part in kind.elts)},)"


@expression(Dct)
def dict_of(w: Writer, kind: Dct, e: E) -> str:
    if w.chance(0.3):
        key, part = w.pick(kind.items)
        return f"{{**{w.leaf(kind)}, {key!r}: {e(part)}}}"
    return f"{{{', '.join(f'{key!r}: {e(part)}' for key, part in kind.items)}}}"


@expression(Maybe)
def maybe_of(w: Writer, kind: Maybe, e: E) -> str:
    return w.pick([f"(None if {e(BOOL)} else {e(kind.kind)})", f"({e(kind.kind)} if {e(BOOL)} else None)"])


@expression(Maybe)
def found(w: Writer, kind: Maybe, e: E) -> str | None:
    return f"first_negative({e(VECTOR)})" if kind.kind == INT else None


@expression(Number)
def or_default(w: Writer, kind: Number, e: E) -> str | None:
    names = w.names(lambda k: k == Maybe(kind))
    if not names:
        return None
    name = w.pick(names)
    return w.pick([f"({e(kind)} if {name} is None else {name})", f"({name} if {name} is not None else {e(kind)})"])


@expression(Number)
def is_none(w: Writer, kind: Number, e: E) -> str | None:
    names = w.names(lambda k: isinstance(k, Maybe))
    return f"({w.pick(names)} is {w.pick(['', 'not '])}None)" if kind == BOOL and names else None


@statement
def set_part(w: Writer) -> bool:
    """`p.u = v`, `d["a"] = v`, `l[0] += v`, `track.body.mass *= 2`."""
    places = [p for p in w.places(lambda k: True, assignable=True) if not p[0].isidentifier()]
    if not places:
        return False
    text, kind = w.pick(places)
    if kind in (INT, FLOAT) and w.chance(0.4):
        return w.emit(f"{text} {w.pick(['+=', '-='])} {w.expr(kind, 1)}")
    if kind == VECTOR and w.chance(0.5):
        return w.emit(f"{text} {w.pick(['+=', '*='])} {w.expr(FLOAT, 1)}")
    return w.emit(f"{text} = {w.expr(kind, 1)}")


@statement
def unpack(w: Writer) -> bool:
    """`a, b = t`, `a, (b, c) = ...`, `x, y = point`."""
    places = w.places(lambda k: isinstance(k, Tup) or k == Record("Point"))
    if not places or w.chance(0.3):
        one, other = w.pick([INT, FLOAT]), w.pick([FLOAT, VECTOR])
        value = f"{w.expr(one, 1)}, {w.expr(other, 1)}"
        return w.emit(f"{', '.join(_targets(w, [one, other]))} = {value}")
    text, kind = w.pick(places)
    names = _targets(w, [part for _, part, _ in parts(text, kind)])
    return w.emit(f"{', '.join(names)}, = {text}" if len(names) == 1 else f"{', '.join(names)} = {text}")


def _targets(w: Writer, kinds: list[Kind]) -> list[str]:
    """Different names: CPython before 3.11.4 assigns in the wrong order in `a, a = x, y`."""
    names: list[str] = []
    for kind in kinds:
        name = w.target(kind)
        names.append(name if name not in names else w.fresh("u"))
    return names


@compound
def if_not_none(w: Writer) -> bool:
    names = w.names(lambda k: isinstance(k, Maybe))
    if not names:
        return False
    name = w.pick(names)
    kind = w.scope[name].kind
    assert isinstance(kind, Maybe)
    w.emit(f"if {name} is not None:")
    w.block(**{name: Variable(kind.kind, fixed=True)})
    w.scope[name] = Variable(kind)
    if w.chance(0.5):
        w.emit("else:")
        with w.nested():
            w.emit(f"{name} = {w.expr(kind.kind, 1)}")
            w.statements((0, 1))
    return True


@compound
def over_items(w: Writer) -> bool:
    """`for key, value in d.items()`: unrolled."""
    names = list(w.names(lambda k: isinstance(k, Dct) and len({part for _, part in k.items}) == 1))
    if not names:
        return False
    name = w.pick(names)
    kind = w.scope[name].kind
    assert isinstance(kind, Dct)
    value = w.fresh("u")
    w.emit(f"for {w.fresh('key')}, {value} in {name}.items():")
    w.block(loop=True, **{value: Variable(kind.items[0][1])})
    return True


@statement
def alias_object(w: Writer) -> bool:
    """Another name for a mutable object."""
    names = w.names(lambda k: isinstance(k, (Record, Dct)))
    if not names:
        return False
    name = w.pick(names)
    new = w.fresh("p")
    w.scope[new] = w.scope[name]
    return w.emit(f"{new} = {name}")


@statement
def array_into_object(w: Writer) -> bool:
    """An array of the program becomes a field: a write through either is seen through the other."""
    names = w.names(lambda k: k == Record("Body"))
    found = w.arrays(lambda k: k == VECTOR)
    if not names or not found:
        return False
    name = w.pick(names)
    w.emit(f"{name}.position = {w.pick(found)[0]}")
    return w.emit(f"{name}.position {w.pick(['+=', '*='])} {w.expr(FLOAT, 2)}")
