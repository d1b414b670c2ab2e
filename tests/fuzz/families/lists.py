"""Lists: of known structure, growing in loops, made by comprehensions, stacked into arrays."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.kinds import BOOL, F64, FLOAT, I64, INT, Array, Kind, Lst, Number, Record
from tests.fuzz.writer import Variable, Writer, compound, expression, literal, statement

E = Callable[[Kind], str]

ELEMENTS: tuple[Kind, ...] = (INT, FLOAT, FLOAT, Array("float64", (3,)), Array("float64", (2,)), Record("Pair"))


@literal(Lst)
def list_literal(w: Writer, kind: Lst) -> str:
    count = w.pick([0, 1, 2]) if kind.length is None else kind.length
    return f"[{', '.join(w.leaf(kind.element) for _ in range(count))}]"


@expression(Lst)
def list_of(w: Writer, kind: Lst, e: E) -> str:
    count = w.pick([1, 2, 3]) if kind.length is None else kind.length
    return f"[{', '.join(e(kind.element) for _ in range(count))}]"


@expression(Lst)
def list_parts(w: Writer, kind: Lst, e: E) -> str | None:
    """`l + l`, `l[1:]`, `l[::-1]`, `l * 2`, `list(l)`."""
    known = [
        (text, found)
        for text, found in w.places(lambda k: isinstance(k, Lst) and k.element == kind.element and k.length)
    ]
    if not known or kind.length is None:
        return None
    text, found = w.pick(known)
    assert isinstance(found, Lst) and found.length is not None
    if found.length == kind.length:
        return w.pick([f"list({text})", f"{text}[::-1]", f"{text}.copy()", f"[*{text}]", f"list(reversed({text}))"])
    if found.length > kind.length:
        cut = found.length - kind.length
        return w.pick([f"{text}[{cut}:]", f"{text}[:-{cut}]"])
    return f"({text} + {e(Lst(kind.element, kind.length - found.length))})"


@expression(Lst)
def comprehension(w: Writer, kind: Lst, e: E) -> str | None:
    """`[f(k) for k in range(3)]`, `[f(k) for k in x]`, with and without a condition."""
    if kind.length is None or kind.length > 3:
        return None
    k, body, _ = _of_counter(w, kind.element, e)
    return f"[{body} for {k} in range({kind.length})]"


@expression(Lst)
def open_comprehension(w: Writer, kind: Lst, e: E) -> str | None:
    """Of a length that depends on the run."""
    if kind.length is not None:
        return None
    k, body, condition = _of_counter(w, kind.element, e)
    return f"[{body} for {k} in range({e(INT)} % 4){f' if {condition}' if w.chance(0.3) else ''}]"


def _of_counter(w: Writer, kind: Kind, e: E) -> tuple[str, str, str]:
    """A name that counts, a value that may depend on it, and a condition that may."""
    k = w.fresh("c")
    before = dict(w.scope)
    w.scope[k] = Variable(INT, fixed=True)
    body, condition = e(kind), e(BOOL)
    w.scope = before
    return k, body, condition


@expression(Number)
def generator_expression(w: Writer, kind: Number, e: E) -> str | None:
    """`sum(f(k) for k in range(n))`, `any(...)`, `max(... )`."""
    if kind not in (INT, FLOAT, BOOL):
        return None
    k, body, _ = _of_counter(w, kind, e)
    return f"{w.pick(_consumers(kind))}({body} for {k} in range(3))"


@expression(Number)
def open_generator_expression(w: Writer, kind: Number, e: E) -> str | None:
    if kind not in (INT, FLOAT, BOOL):
        return None
    k, body, condition = _of_counter(w, kind, e)
    filtered = f" if {condition}" if w.chance(0.3) else ""
    return f"{w.pick(_consumers(kind))}({body} for {k} in range({e(INT)} % 4){filtered})"


def _consumers(kind: Kind) -> list[str]:
    return ["any", "all"] if kind == BOOL else ["sum", "sum", "max", "min"]


@expression(Array)
def stacked(w: Writer, kind: Array, e: E) -> str | None:
    """`np.array(l)`, `np.stack(l)` of a list of the right length."""
    if not kind.shape:
        return None
    element = _element(kind)
    found = w.places(lambda k: isinstance(k, Lst) and k.element == element and k.length in (kind.shape[0], None))
    if not found:
        return None
    text, source = w.pick(found)
    if isinstance(source, Lst) and source.length is None and kind.shape[0] is not None:
        return None
    return f"{w.pick(['np.array', 'np.stack']) if len(kind.shape) > 1 else 'np.array'}({text})"


def _element(kind: Array) -> Kind:
    if len(kind.shape) > 1:
        return Array(kind.dtype, kind.shape[1:])
    return {"float64": FLOAT, "int64": INT}.get(kind.dtype, BOOL)


@statement
def change_list(w: Writer) -> bool:
    """`append`, `insert`, `pop`, `extend`, `+=`, `del`: outside loops of the graph the length stays known."""
    given = ("l",) if w.chance(0.8) else ()  # the caller's list may not change its length
    names = [n for n in w.names(lambda k: isinstance(k, Lst), assignable=True) if n not in given]
    if not names or (w.indent > 1 and not w.chance(0.1)):
        return False
    name = w.pick(names)
    kind = w.scope[name].kind
    assert isinstance(kind, Lst)
    growth = w.pick([-1, -1, 0, 1]) if (kind.length or 0) > 1 or (kind.length is None and w.chance(0.2)) else 1
    length = None if kind.length is None or w.loops else kind.length + growth
    text = CHANGES[growth](w, name, kind)
    w.scope[name] = Variable(Lst(kind.element, length))
    return w.emit(text)


def _longer(w: Writer, name: str, kind: Lst) -> str:
    value = w.expr(kind.element, 1)
    return w.pick(
        [f"{name}.append({value})", f"{name}.insert({w.pick(['0', '1', '-1'])}, {value})", f"{name} += [{value}]"]
    )


def _shorter(w: Writer, name: str, kind: Lst) -> str:
    popped = f"{name}.pop({w.pick(['', '0', '-1'])})"
    return w.pick([popped, f"del {name}[{w.pick(['0', '-1'])}]", ""]) or f"{w.target(kind.element)} = {popped}"


def _as_long(w: Writer, name: str, kind: Lst) -> str:
    return w.pick([f"{name}.reverse()", f"{name}.extend([])", f"{name}[0], {name}[-1] = {name}[-1], {name}[0]"])


CHANGES = {1: _longer, -1: _shorter, 0: _as_long}


@statement
def sort_numbers(w: Writer) -> bool:
    names = w.names(lambda k: isinstance(k, Lst) and k.element in (INT, FLOAT))
    return bool(names) and w.emit(f"{w.pick(names)}.sort()")


@statement
def make_list(w: Writer) -> bool:
    kind = Lst(w.pick(ELEMENTS), w.pick([0, 1, 2, 3]))
    text = w.expr(kind)
    return w.emit(f"{w.target(kind)} = {text}")


@compound
def grow(w: Writer) -> bool:
    """A list that a loop of the graph fills, and what is done with it."""
    element: Kind = w.pick([INT, FLOAT, FLOAT, F64, Array("float64", (3,))])
    name, k = w.fresh("l"), w.fresh("k")
    w.emit(f"{name} = [{w.expr(element, 1) if w.chance(0.2) else ''}]")
    w.emit(f"for {k} in range({w.pick(['3', f'{w.expr(INT, 1)} % 5', '4'])}):")
    with w.nested(loop=True, **{k: Variable(INT, fixed=True)}):
        if w.chance(0.3):
            w.statement()
        if w.chance(0.3):
            w.emit(f"if {w.expr(BOOL, 1)}:")
            w.emit(f"    {w.pick(['continue', 'break'])}")
        w.emit(f"{name}.append({w.expr(element, 1)})")
        if w.chance(0.2):
            w.statement()
    w.scope[name] = Variable(Lst(element, None))
    return _use(w, name, element)


def _use(w: Writer, name: str, element: Kind) -> bool:
    """Something that reads a list of unknown length."""
    if isinstance(element, Array):
        kind = Array(element.dtype, (None, *element.shape))
        form = w.pick(["np.array", "np.stack", "np.concatenate"])
        if form == "np.concatenate":
            kind = Array(element.dtype, (None, *element.shape[1:]))
        return w.emit(f"{w.target(kind)} = {form}({name})")
    numbers = {INT: "int64", FLOAT: "float64", F64: "float64", I64: "int64"}
    if w.chance(0.5) and isinstance(element, Number):
        return w.emit(f"{w.target(Array(numbers[element], (None,)))} = np.array({name})")
    return w.emit(
        f"{w.target(element)} = {w.pick([f'{name}[-1]', f'{name}[0]', f'sum({name})', f'{name}[len({name}) - 1]'])}"
    )


@compound
def drain(w: Writer) -> bool:
    """`while l: x = l.pop()`."""
    names = w.names(lambda k: isinstance(k, Lst) and k.element in (INT, FLOAT), assignable=True)
    if not names:
        return False
    name = w.pick(names)
    kind = w.scope[name].kind
    assert isinstance(kind, Lst)
    item, fuel = w.fresh("u"), w.fresh("fuel")
    w.emit(f"{fuel} = 0")
    w.emit(f"while {name} and {fuel} < 5:")
    with w.nested(loop=True, **{item: Variable(kind.element)}):
        w.emit(f"{fuel} += 1")
        w.emit(f"{item} = {name}.pop()")
        w.statements((1, 2))
    w.scope[name] = Variable(Lst(kind.element, None))
    return True


@compound
def over_list(w: Writer) -> bool:
    names = w.names(lambda k: isinstance(k, Lst))
    if not names:
        return False
    name = w.pick(names)
    kind = w.scope[name].kind
    assert isinstance(kind, Lst)
    item, counter = w.fresh("u"), w.fresh("k")
    new = {item: Variable(kind.element)}
    before = w.scope.pop(name)
    if w.chance(0.3):
        w.emit(f"for {counter}, {item} in enumerate({name}):")
        new[counter] = Variable(INT, fixed=True)
    else:
        w.emit(f"for {item} in {w.pick([name, f'reversed({name})', f'{name}[1:]'])}:")
    w.block(loop=True, **new)
    w.scope[name] = before
    return True


@statement
def comprehension_over_array(w: Writer) -> bool:
    found = w.arrays(lambda k: len(k.shape) == 1 and k.dtype == "float64")
    if not found:
        return False
    text, _ = w.pick(found)
    c = w.fresh("c")
    body = w.pick([f"{c} * 2", f"float({c}) + {w.expr(FLOAT, 2)}", c])
    element = FLOAT if body.startswith("float") else F64
    condition = f" if {c} > {w.expr(FLOAT, 2)}" if w.chance(0.3) else ""
    return w.emit(f"{w.target(Lst(element, None))} = [{body} for {c} in {text}{condition}]")


@compound
def mixed_list(w: Writer) -> bool:
    """Ints and floats, strings and None in one list, and what reads them; a tuple of what is in it."""
    name, k, total = w.fresh("l"), w.fresh("k"), w.fresh("n")
    first, second = w.pick([(w.expr(INT, 1), w.expr(FLOAT, 1)), ("'on'", "'off'"), ("None", w.expr(FLOAT, 1))])
    w.emit(f"{name} = []")
    w.emit(f"for {k} in range({w.pick(['3', f'{w.expr(INT, 1)} % 5'])}):")
    with w.nested(loop=True, **{k: Variable(INT, fixed=True)}):
        w.emit(f"{name}.append({first} if {w.expr(BOOL, 1)} else {second})")
    uses = [f"{name}.count({name}[0]) if {name} else 0", f"len({name}[1:])", f"sum(1 for u in {name} if u == {second})"]
    w.emit(f"{total} = {w.pick(uses)}")
    w.scope[total] = Variable(INT)
    return w.emit(f"{w.target(INT)} = len(tuple({name})) + len(({second}, *{name}))")


@compound
def named_buckets(w: Writer) -> bool:
    """`b = buckets[i]; b.append(v)`, then a queue of what is in them."""
    name, k, b = w.fresh("l"), w.fresh("k"), w.fresh("b")
    w.emit(f"{name} = [[] for _ in range({w.pick(['2', '3', f'2 + {w.expr(INT, 1)} % 2'])})]")
    w.emit(f"for {k} in range({w.pick(['3', f'{w.expr(INT, 1)} % 5'])}):")
    with w.nested(loop=True, **{k: Variable(INT, fixed=True)}):
        w.emit(f"{b} = {name}[{w.expr(INT, 1)} % len({name})]")
        w.emit(f"{b}.append({w.expr(FLOAT, 1)})")
    if w.chance(0.5):
        w.emit(f"{name}.sort(key=len)")
        w.emit(f"{name}[0].append({w.expr(FLOAT, 1)})")
    return w.emit(f"{w.target(FLOAT)} = sum(sum(row) for row in {name})")
