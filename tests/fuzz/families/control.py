"""Branches, loops of all kinds, `match`, early exits."""

from __future__ import annotations

from tests.fuzz.kinds import BOOL, F64, FLOAT, I64, INT, Array, Kind
from tests.fuzz.writer import Variable, Writer, compound, some_kind, statement


@statement
def assign(w: Writer) -> bool:
    kind = some_kind(w)
    text = w.expr(kind)
    return w.emit(f"{w.target(kind)} = {text}")


@statement
def walrus(w: Writer) -> bool:
    kind = w.pick([INT, FLOAT])
    text = w.expr(kind)
    other = w.expr(kind, 2)
    name, new = w.target(kind), w.target(BOOL)
    return w.emit(f"{new} = ({name} := {text}) > {other}")


@statement
def leave(w: Writer) -> bool:
    """`break`, `continue`, `return`."""
    choices = ["break", "continue", "continue", f"return {w.result(w)}"] if w.loops else [f"return {w.result(w)}"]
    if not w.loops and not w.chance(0.4):
        return False
    w.emit(f"if {w.expr(BOOL, 1)}:")
    return w.emit("    " + w.pick(choices))


@compound
def if_(w: Writer) -> bool:
    before = dict(w.scope)
    w.emit(f"if {w.expr(BOOL)}:")
    ends = [_branch(w, before)]
    while w.chance(0.2):
        w.emit(f"elif {w.expr(BOOL)}:")
        ends.append(_branch(w, before))
    if w.chance(0.6):
        w.emit("else:")
        ends.append(_branch(w, before))
    else:
        ends.append(before)
    scope = ends[0]
    for end in ends[1:]:
        scope = w.merged(scope, end)
    w.scope = scope
    return True


def _branch(w: Writer, before: dict[str, Variable]) -> dict[str, Variable]:
    """One branch; what may be read at its end."""
    end: dict[str, Variable] = {}
    w.scope = dict(before)
    with w.nested():
        w.statements((1, 1, 2, 3))
        end = dict(w.scope)
    w.scope = dict(before)
    return end


@compound
def match_(w: Writer) -> bool:
    """`match` with literals, captures, guards, and a rest."""
    before = dict(w.scope)
    name = w.fresh("i")
    w.emit(f"match {w.expr(INT)} % 4:")
    w.indent += 1
    ends = []
    cases = [w.pick(["0", "1", "2 | 3"]), f"{name} if {w.expr(BOOL, 1)}", "_"]
    for case in cases:
        w.emit(f"case {case}:")
        new = {name: Variable(INT)} if case.startswith(name) else {}
        ends.append(_branch(w, {**before, **new}))
    w.indent -= 1
    scope = ends[0]
    for end in ends[1:]:
        scope = w.merged(scope, end)
    w.scope = scope
    return True


@compound
def for_range(w: Writer) -> bool:
    name = w.fresh("k")
    bounds = [
        "3",
        "2",
        "1, 4",
        "5, 0, -2",
        "3, -1, -1",
        f"{w.expr(INT, 1)} % 4",
        f"{w.expr(INT, 2)} % 5, -1, -1",
        f"{w.expr(INT, 2)} % 3, {w.expr(INT, 2)} % 6",
        *(f"len({text})" for text, _ in w.arrays(lambda k: len(k.shape) > 0)[:2]),
    ]
    header = f"range({w.pick(bounds)})"
    w.emit(f"for {name} in {header if w.chance(0.8) else f'reversed({header})'}:")
    w.block(loop=True, **{name: Variable(INT, fixed=True)})
    _otherwise(w)
    return True


@compound
def for_elements(w: Writer) -> bool:
    """Over the elements of one or two arrays, with or without their numbers."""
    found = w.arrays(lambda k: len(k.shape) == 1 and k.dtype != "bool")
    if not found:
        return False
    (text, kind), (other, second) = w.pick(found), w.pick(found)
    numbers: dict[str, Kind] = {"float64": F64, "int64": I64}
    one, two, counter = w.fresh("e"), w.fresh("e"), w.fresh("k")
    new: dict[str, Variable] = {one: Variable(numbers[kind.dtype])}
    form = w.pick(["plain", "enumerate", "zip", "reversed"])
    if form == "zip":
        w.emit(f"for {one}, {two} in zip({text}, {other}):")
        new[two] = Variable(numbers[second.dtype])
    elif form == "enumerate":
        w.emit(f"for {counter}, {one} in enumerate({text}{w.pick(['', ', 1', ', start=-2'])}):")
        new[counter] = Variable(INT, fixed=True)
    else:
        w.emit(f"for {one} in {text if form == 'plain' else f'{text}[::-1]'}:")
    w.block(loop=True, **new)
    _otherwise(w)
    return True


@compound
def for_values(w: Writer) -> bool:
    """Over a tuple of values of one kind: unrolled."""
    kind = w.pick([INT, FLOAT, Array("float64", (3,))])
    name = w.fresh("u")
    values = ", ".join(w.expr(kind, 1) for _ in range(w.pick([1, 2, 3])))
    w.emit(f"for {name} in ({values},):")
    w.block(loop=True, **{name: Variable(kind)})
    _otherwise(w)
    return True


@compound
def while_(w: Writer) -> bool:
    fuel = w.fresh("fuel")
    w.emit(f"{fuel} = 0")
    w.scope[fuel] = Variable(INT, fixed=True)
    limit = w.pick(["3", "4", "6"])
    if w.chance(0.2):
        w.emit("while True:")
        with w.nested(loop=True):
            w.emit(f"{fuel} += 1")
            w.emit(f"if {fuel} > {limit}{w.pick(['', f' or {w.expr(BOOL, 1)}'])}:")
            w.emit("    break")
            w.statements((1, 2, 3))
        return True
    w.emit(f"while {fuel} < {limit} and {w.expr(BOOL)}:")
    with w.nested(loop=True):
        w.emit(f"{fuel} += 1")
        w.statements((1, 2, 3))
    _otherwise(w)
    return True


def _otherwise(w: Writer) -> None:
    """The `else` of a loop."""
    if w.chance(0.2):
        w.emit("else:")
        w.block()


@compound
def search(w: Writer) -> bool:
    """A loop that looks for something and stops, with `else`."""
    found = w.arrays(lambda k: len(k.shape) == 1 and k.dtype != "bool")
    if not found:
        return False
    text, _ = w.pick(found)
    limit, before, k = w.expr(FLOAT, 1), dict(w.scope), w.fresh("k")
    place = w.target(INT)
    w.emit(f"for {k} in range(len({text})):")
    w.emit(f"    if {text}[{k}] > {limit}:")
    w.emit(f"        {place} = {k}")
    w.emit("        break")
    w.emit("else:")
    w.scope = before
    w.block()
    if w.chance(0.3):
        w.scope[place] = Variable(INT)
    return True
