"""Lists of objects and tuples whose length is computed, lists of arrays, and patterns of structures."""

from __future__ import annotations

from tests.fuzz.kinds import BOOL, FLOAT, INT, VECTOR, Lst, Record, Tup
from tests.fuzz.writer import Variable, Writer, compound, statement

PAIR = Record("Pair")


@compound
def grow_records(w: Writer) -> bool:
    """`ps.append(Pair(...))` in a loop of the graph, and what is done with such a list."""
    name, k = w.fresh("l"), w.fresh("k")
    w.emit(f"{name} = []")
    w.emit(f"for {k} in range({w.pick(['4', f'{w.expr(INT, 1)} % 5'])}):")
    with w.nested(loop=True, **{k: Variable(INT, fixed=True)}):
        if w.chance(0.4):
            w.emit(f"if {w.expr(BOOL, 1)}:")
            w.emit(f"    {w.pick(['continue', 'break'])}")
        w.emit(f"{name}.append(Pair({w.expr(FLOAT, 1)}, {w.pick([k, w.expr(INT, 1)])}))")
    for _ in range(w.pick([1, 1, 2])):
        _use(w, name)
    return True


def _use(w: Writer, name: str) -> None:
    q = w.fresh("q")
    form = w.pick(["change", "sort", "best", "numbers", "last", "over", "over", "pop", "unzip"])
    if form == "change":
        w.emit(f"for {q} in {name}:")
        w.emit(f"    {q}.{w.pick(['u *= 2', 'v += 1', 'u = float(' + q + '.v)', 'moved(2)'])}")
    elif form == "sort":
        w.emit(f"{name}.sort(key=lambda {q}: {w.pick([f'{q}.v', f'-{q}.v', f'{q}.u < 1.0'])})")
    elif form == "best":
        choose = w.pick(["max", "min"])
        w.emit(f"{w.target(PAIR)} = {choose}({name}, key=lambda {q}: {q}.v, default=Pair(0.0, 0))")
    elif form == "numbers":
        condition = f" if {q}.v > {w.expr(INT, 2)}" if w.chance(0.4) else ""
        w.emit(f"{w.target(Lst(FLOAT, None))} = [{q}.u for {q} in {name}{condition}]")
    elif form == "last":
        otherwise = w.expr(FLOAT, 1)
        w.emit(f"{w.target(FLOAT)} = {name}[{w.pick(['-1', '0'])}].total() if {name} else {otherwise}")
    elif form == "pop":
        total = w.target(FLOAT)
        w.emit(f"{total} = 0.0")
        w.emit(f"while len({name}) > {w.pick(['0', '1', '2'])}:")
        w.emit(f"    {total} += {name}.pop({w.pick(['', '0'])}).u")
    elif form == "unzip":
        w.emit(f"{w.target(INT)} = sum({q}.v for {q} in {name}) + len({name})")
    else:
        w.emit(f"for {q} in {name}:")
        with w.nested(loop=True, **{q: Variable(PAIR, fixed=True)}):
            w.statements((1, 2))


@compound
def grow_tuples(w: Writer) -> bool:
    """`found.append((k, x[k]))`, and `for a, b in found`."""
    found = w.arrays(lambda k: k == VECTOR)
    if not found:
        return False
    text, _ = w.pick(found)
    name, k, one, other = w.fresh("l"), w.fresh("k"), w.fresh("a"), w.fresh("b")
    w.emit(f"{name} = [({k}, float({text}[{k}])) for {k} in range(len({text})) if {text}[{k}] > {w.expr(FLOAT, 2)}]")
    w.emit(f"for {one}, {other} in {w.pick([name, f'reversed({name})', f'sorted({name})'])}:")
    with w.nested(loop=True, **{one: Variable(INT, fixed=True), other: Variable(FLOAT)}):
        w.statements((1, 2))
    return True


@statement
def list_of_arrays(w: Writer) -> bool:
    """A list of arrays of the program: a write through it is seen by the names, and the other way round."""
    found = w.arrays(lambda k: k == VECTOR)
    if len(found) < 2:
        return False
    one, other = (text for text, _ in w.random.sample(found, 2))
    name = w.fresh("l")
    w.emit(f"{name} = [{one}, {w.pick([other, f'{other}[::-1]', f'{other}.copy()'])}]")
    for _ in range(w.pick([1, 2])):
        w.emit(
            w.pick(
                [
                    f"{name}[0][{w.random.randrange(3)}] = {w.expr(FLOAT, 2)}",
                    f"{name}[-1] += {w.expr(FLOAT, 2)}",
                    f"{name}[0], {name}[1] = {name}[1], {name}[0]",
                    f"for row{name} in {name}: row{name} *= 2",
                    f"{name}[0][:] = {name}[1]",
                    f"{one}[0] = {name}[1][-1]",
                ]
            )
        )
    w.scope[name] = Variable(Lst(VECTOR, 2))
    return True


@compound
def match_structure(w: Writer) -> bool:
    """`match` on a tuple, a list or an object, with captures and guards."""
    kinds = (Tup((FLOAT, INT)), Tup((VECTOR, FLOAT)), PAIR, Record("Point"), Lst(FLOAT, 2), Lst(INT, 3))
    places = w.places(lambda k: k in kinds)
    if not places:
        return False
    text, kind = w.pick(places)
    a, b = w.fresh("f"), w.fresh("f")
    w.emit(f"match {text}:")
    w.indent += 1
    match kind:
        case Record(cls):
            pattern, new = f"{cls}({a}, {b})", {a: Variable(FLOAT), b: Variable(INT if cls == "Pair" else FLOAT)}
        case Tup((one, other)):
            pattern, new = f"({a}, {b})", {a: Variable(one), b: Variable(other)}
        case Lst(element):
            pattern, new = f"[{a}, *{b}]", {a: Variable(element)}
        case _:
            return False
    w.emit(f"case {pattern}{f' if {w.expr(BOOL, 1)}' if w.chance(0.5) else ''}:")
    w.block(**new)
    w.emit("case _:")
    w.block()
    w.indent -= 1
    return True


@compound
def retry(w: Writer) -> bool:
    """Rounds that fail are tried again, up to a number of them."""
    vectors = w.arrays(lambda k: len(k.shape) == 1 and k.dtype == "float64")
    if not vectors:
        return False
    (text, _), k, first = w.pick(vectors), w.fresh("k"), w.expr(FLOAT, 2)
    f = w.target(FLOAT)
    w.emit(f"{f} = {first}")
    w.emit(f"for {k} in range({w.pick(['2', '4', f'{w.expr(INT, 2)} % 4'])}):")
    with w.nested(loop=True, **{k: Variable(INT, fixed=True)}):
        w.emit("try:")
        risky = [f"1.0 / ({k} - 1)", f"float({text}[{k} + 1])", f"math.sqrt({w.expr(FLOAT, 1)})"]
        w.emit(f"    {f} {w.pick(['=', '+='])} {w.pick(risky)}")
        if w.chance(0.5):
            w.emit(f"    {w.pick(['break', 'continue', f'return {w.result(w)}'])}")
        w.emit(f"except {w.pick(['ZeroDivisionError', 'IndexError', 'ValueError', '(IndexError, ValueError)'])}:")
        w.emit(f"    {w.pick(['continue', 'pass', f'{f} -= 1.0', 'break'])}")
        w.statements((0, 1))
    if w.chance(0.3):
        w.emit("else:")
        w.block()
    return True
