"""Writes into arrays: elements, slices, masks, index arrays, augmented assignment, in-place methods, `out=`."""

from __future__ import annotations

from tests.fuzz.families.arrays import SCALARS
from tests.fuzz.families.numbers import index
from tests.fuzz.kinds import FLOAT, INT, Array, Kind
from tests.fuzz.writer import Writer, statement


def _some(w: Writer, dtypes: tuple[str, ...] = ("float64", "int64", "bool")) -> tuple[str, Array] | None:
    found = w.arrays(lambda k: k.dtype in dtypes and bool(k.shape) and 0 not in k.shape)
    return w.pick(found) if found else None


def _operator(w: Writer, kind: Array) -> str:
    return "=" if kind.dtype == "bool" else w.pick(["=", "=", "+=", "-=", "*="])


def _scalar(w: Writer, kind: Array) -> str:
    number = SCALARS[kind.dtype][0]
    text = w.expr(number, 1)
    return f"({text}) % 1000" if number == INT else text


@statement
def write_element(w: Writer) -> bool:
    some = _some(w)
    if some is None:
        return False
    text, kind = some

    def operand(k: Kind) -> str:
        return w.expr(k, 2)

    where = ", ".join(index(w, n, operand) for n in kind.shape)
    return w.emit(f"{text}[{where}] {_operator(w, kind)} {_scalar(w, kind)}")


@statement
def write_slice(w: Writer) -> bool:
    """A slice of the first axis, or a row or column, gets a number or an array."""
    some = _some(w)
    if some is None:
        return False
    text, kind = some
    n = kind.shape[0] or 1
    cut = w.random.randrange(n)
    rest = kind.shape[1:]
    places: list[tuple[str, tuple[int | None, ...]]] = [
        (f"{cut}:", (n - cut, *rest)),
        (f":{cut}", (cut, *rest)),
        ("::2", ((n + 1) // 2, *rest)),
        ("::-1", kind.shape),
        ("...", kind.shape),
    ]
    if rest:
        places += [(f":, {w.random.randrange(rest[0] or 1)}", (n,)), (str(cut), rest), ("..., 0", (n,))]
    where, shape = w.pick(places)
    value = _scalar(w, kind) if w.chance(0.4) else w.expr(Array(kind.dtype, shape), 1)
    return w.emit(f"{text}[{where}] {_operator(w, kind)} {value}")


@statement
def write_mask(w: Writer) -> bool:
    some = _some(w)
    if some is None:
        return False
    text, kind = some
    mask = w.pick([w.expr(Array("bool", kind.shape), 1), f"{text} == {text}"])
    return w.emit(f"{text}[{mask}] {_operator(w, kind)} {_scalar(w, kind)}")


@statement
def write_indices(w: Writer) -> bool:
    """`x[[0, 2]] = v`, `x[k % 3] += v` (repeated indices count once)."""
    some = _some(w)
    if some is None:
        return False
    text, kind = some
    n = kind.shape[0] or 1
    indices = f"[{w.random.randrange(-n, n)}, {w.random.randrange(n)}]"
    if w.chance(0.5):
        indices = f"{w.expr(Array('int64', (2,)), 2)} % {n}"
    value = _scalar(w, kind) if w.chance(0.5) else w.expr(Array(kind.dtype, (2, *kind.shape[1:])), 1)
    return w.emit(f"{text}[{indices}] {_operator(w, kind)} {value}")


@statement
def augment_array(w: Writer) -> bool:
    """`x += y` changes the array for all of its names; `x = x + y` does not."""
    some = _some(w)
    if some is None:
        return False
    text, kind = some
    assignable = any(text == place for place, _ in w.places(lambda k: k == kind, assignable=True))
    if not assignable and w.chance(0.9):
        return False  # `t[0] += 1` adds, and then fails
    if kind.dtype == "bool":
        return w.emit(f"{text} {w.pick(['&', '|', '^'])}= {w.expr(kind, 1)}")
    value = w.pick([w.expr(kind, 1), _scalar(w, kind)])
    return w.emit(f"{text} {w.pick(['+', '-', '*'])}= {value}")


@statement
def in_place_method(w: Writer) -> bool:
    some = _some(w, ("float64", "int64"))
    if some is None:
        return False
    text, kind = some
    value = _scalar(w, kind)
    forms = [f"{text}.sort()", f"{text}.fill({value})"]
    if len(kind.shape) == 2:
        forms.append(f"{text}.sort(axis=0)")
    return w.emit(w.pick(forms))


@statement
def copyto(w: Writer) -> bool:
    some = _some(w)
    return some is not None and w.emit(f"np.copyto({some[0]}, {w.expr(some[1], 1)})")


@statement
def out_argument(w: Writer) -> bool:
    """`np.add(a, b, out=c)`, where c may be one of the operands, or a view of it."""
    some = _some(w, ("float64", "int64"))
    if some is None:
        return False
    text, kind = some
    name = w.pick(["np.add", "np.subtract", "np.multiply", "np.maximum"])
    one, other = w.expr(kind, 1), w.pick([w.expr(kind, 1), text])
    call = f"{name}({one}, {other}, out={text})"
    if w.chance(0.3):
        call = f"{w.pick(['np.negative', 'np.abs'])}({one}, out={text})"
    if w.chance(0.3):
        return w.emit(f"{w.target(kind)} = {call}")
    return w.emit(call)


@statement
def shift_elements(w: Writer) -> bool:
    """A loop over an axis that reads what earlier rounds wrote."""
    some = _some(w, ("float64",))
    if some is None:
        return False
    text, _ = some
    k = w.fresh("k")
    w.emit(f"for {k} in range({w.pick(['1, ', ''])}len({text})):")
    amount = w.expr(FLOAT, 2)
    return w.emit("    " + w.pick([f"{text}[{k}] += {text}[{k} - 1]", f"{text}[{k}] = {text}[-{k}] + {amount}"]))
