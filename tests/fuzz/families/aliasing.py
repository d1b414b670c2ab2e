"""Several names for one array: views, swaps of names, rows of a loop, helpers that write to what they are given."""

from __future__ import annotations

from tests.fuzz.families.arrays import view_of
from tests.fuzz.kinds import BOOL, FLOAT, INT, VECTOR, Array
from tests.fuzz.writer import VECTOR_KIND, Variable, Writer, compound, prefix, statement


@statement
def name_again(w: Writer) -> bool:
    """`b = a`."""
    found = w.arrays()
    if not found or (w.indent > 1 and not w.chance(0.3)):
        return False
    text, kind = w.pick(found)
    return w.emit(f"{w.target(kind)} = {text}")


@statement
def name_view(w: Writer) -> bool:
    """`b = a[1:]`, `b = m.T`, `b = a.reshape(2, 3)`."""
    kind = VECTOR_KIND(w) if w.chance(0.5) else _part_kind(w)
    text = view_of(w, kind)
    return bool(text) and w.emit(f"{w.target(kind)} = {text}")


def _part_kind(w: Writer) -> Array:
    """The kind of a smaller part of an array."""
    found = [kind for _, kind in w.arrays(lambda k: len(k.shape) > 0)]
    if not found:
        return VECTOR
    kind = w.pick(found)
    if len(kind.shape) > 1 and w.chance(0.6):
        return w.pick([Array(kind.dtype, kind.shape[1:]), Array(kind.dtype, kind.shape[::-1])])
    return Array(kind.dtype, (max(0, (kind.shape[0] or 0) - 1), *kind.shape[1:]))


@statement
def swap_names(w: Writer) -> bool:
    """`a, b = b, a`; in a branch a write would reach one array or the other."""
    if w.indent > 1 and not w.chance(0.1):
        return False
    names = w.names(lambda k: isinstance(k, Array), assignable=True)
    for one in w.random.sample(names, len(names)):
        same = [n for n in names if n != one and w.scope[n].kind == w.scope[one].kind]
        if same:
            other = w.pick(same)
            return w.emit(f"{one}, {other} = {other}, {one}")
    return False


@statement
def swap_elements(w: Writer) -> bool:
    """`a[0], a[-1] = a[-1], a[0]` of numbers or (overlapping) rows."""
    found = w.arrays(lambda k: len(k.shape) > 0 and (k.shape[0] or 0) > 1)
    if not found:
        return False
    text, kind = w.pick(found)
    n = kind.shape[0] or 1
    i, j = w.random.randrange(n), f"{w.expr(INT, 2)} % {n}" if w.chance(0.3) else str(w.random.randrange(-n, n))
    return w.emit(f"{text}[{i}], {text}[{j}] = {text}[{j}], {text}[{i}]")


@statement
def overlapping_copy(w: Writer) -> bool:
    """`a[1:] = a[:-1]`, `a[:] = a[::-1]`, `m[...] = m.T`."""
    found = w.arrays(lambda k: len(k.shape) > 0 and (k.shape[0] or 0) > 1)
    if not found:
        return False
    text, kind = w.pick(found)
    forms = [("1:", "[:-1]"), (":-1", "[1:]"), (":", "[::-1]"), ("::-1", "[:]")]
    if len(kind.shape) == 2 and kind.shape[0] == kind.shape[1]:
        forms.append(("...", ".T"))
    to, source = w.pick(forms)
    operator = "=" if kind.dtype == "bool" else w.pick(["=", "=", "+=", "-="])
    return w.emit(f"{text}[{to}] {operator} {text}{source}")


@statement
def write_whole(w: Writer) -> bool:
    """`a[:] = b`, `a[...] = b`."""
    found = w.arrays(lambda k: len(k.shape) > 0)
    if not found:
        return False
    text, kind = w.pick(found)
    return w.emit(f"{text}[{w.pick([':', '...'])}] = {view_of(w, kind) or w.expr(kind, 1)}")


HELPERS = {"bump": FLOAT, "set_first": FLOAT, "scale_rows": FLOAT, "reverse_in_place": None}


@statement
def call_writer(w: Writer) -> bool:
    """A helper that writes to its argument, which may be a view."""
    found = w.arrays(lambda k: k.dtype == "float64" and len(k.shape) > 0)
    if not found:
        return False
    text, kind = w.pick(found)
    name = w.pick(list(HELPERS))
    place = w.pick([text, text, f"{text}[1:]", f"{text}[::-1]"])
    if name == "scale_rows" and len(kind.shape) != 2:
        name = "bump"
    amount = HELPERS[name]
    return w.emit(f"{name}({place}{'' if amount is None else f', {w.expr(amount, 1)}'})")


@statement
def rebind(w: Writer) -> bool:
    """A name that is one of two arrays from here on: a write through it is refused while both are in use."""
    names = w.names(lambda k: isinstance(k, Array), assignable=True)
    if len(names) < 2:
        return False
    kind = w.scope[w.pick(names)].kind
    new = w.fresh(prefix(kind))
    text = f"{new} = {w.expr(kind, 2)} if {w.expr(BOOL, 1)} else {w.expr(kind, 2)}"
    w.scope[new] = Variable(kind)
    return w.emit(text)


@compound
def rows(w: Writer) -> bool:
    """`for row in m: row *= 2`."""
    found = w.arrays(lambda k: len(k.shape) == 2 and k.dtype != "bool")
    if not found:
        return False
    text, kind = w.pick(found)
    row = w.fresh("row")
    inner = Array(kind.dtype, kind.shape[1:])
    if w.chance(0.4):
        counter = w.fresh("k")
        w.emit(f"for {counter}, {row} in enumerate({text}):")
        new = {counter: Variable(INT, fixed=True), row: Variable(inner)}
    else:
        w.emit(f"for {row} in {w.pick([text, text, f'{text}[::-1]', f'{text}.T.T', f'reversed({text})'])}:")
        new = {row: Variable(inner)}
    with w.nested(loop=True, **new):
        if w.chance(0.7):
            w.emit(w.pick([f"{row} += 1", f"{row}[0] = {row}[-1]", f"{row}[:] = {row}[::-1]", f"{row} *= 2"]))
        w.statements((1, 1, 2))
    return True
