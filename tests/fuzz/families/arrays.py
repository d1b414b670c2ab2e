"""Arrays computed from others: elementwise, broadcast, selected, reduced, put together."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.kinds import BOOL, F64, FLOAT, I64, INT, Array, Kind, Number
from tests.fuzz.writer import Writer, expression, literal

E = Callable[[Kind], str]

ELEMENTS = {
    "float64": ("1.0", "-2.0", "0.5", "4.0", "0.0"),
    "int64": ("1", "-2", "3", "0"),
    "bool": ("True", "False"),
}
SCALARS: dict[str, tuple[Number, ...]] = {"float64": (FLOAT, INT, F64), "int64": (INT, I64), "bool": (BOOL,)}
OPERATORS = {"float64": ("+", "-", "*"), "int64": ("+", "-", "*"), "bool": ("&", "|", "^")}


@literal(Array)
def array_literal(w: Writer, kind: Array) -> str:
    shape = tuple(2 if n is None else n for n in kind.shape)
    if w.chance(0.4) or kind.dtype == "bool":
        return f"np.array({nested_elements(w, kind.dtype, shape)})"
    dtype = "" if kind.dtype == "float64" else ", dtype=np.int64"
    size = "3" if shape == (3,) else str(shape)
    value = w.pick(ELEMENTS[kind.dtype])
    return w.pick([f"np.zeros({size}{dtype})", f"np.ones({size}{dtype})", f"np.full({size}, {value})"])


def nested_elements(w: Writer, dtype: str, shape: tuple[int, ...]) -> str:
    if not shape:
        return w.pick(ELEMENTS[dtype])
    return f"[{', '.join(nested_elements(w, dtype, shape[1:]) for _ in range(shape[0]))}]"


@expression(Array)
def elementwise(w: Writer, kind: Array, e: E) -> str:
    operator = w.pick(OPERATORS[kind.dtype])
    scalar = e(w.pick(SCALARS[kind.dtype]))
    return f"({e(kind)} {operator} {w.pick([e(kind), scalar])})"


@expression(Array)
def broadcast(w: Writer, kind: Array, e: E) -> str | None:
    if len(kind.shape) != 2:
        return None
    rows, columns = kind.shape
    other = w.pick([(columns,), (rows, 1), (1, columns)])
    return f"({e(kind)} {w.pick(OPERATORS[kind.dtype])} {e(Array(kind.dtype, other))})"


@expression(Array)
def unary(w: Writer, kind: Array, e: E) -> str:
    if kind.dtype == "bool":
        return f"(~{e(kind)})"
    names = ["np.abs", "np.negative", "np.sign"] + (["np.floor", "np.square"] if kind.dtype == "float64" else [])
    return f"{w.pick(names)}({e(kind)})"


@expression(Array)
def comparison(w: Writer, kind: Array, e: E) -> str | None:
    if kind.dtype != "bool":
        return None
    other = Array(w.pick(["float64", "float64", "int64"]), kind.shape)
    against = w.pick([e(other), e(SCALARS[other.dtype][0])])
    return f"({e(other)} {w.pick(['<', '<=', '==', '>', '!='])} {against})"


@expression(Array)
def where(w: Writer, kind: Array, e: E) -> str:
    return f"np.where({e(Array('bool', kind.shape))}, {e(kind)}, {e(kind)})"


@expression(Array)
def either(w: Writer, kind: Array, e: E) -> str:
    """One array or another; mostly a fresh one, as writes to the others would be refused."""
    text = f"({e(kind)} if {e(BOOL)} else {e(kind)})"
    return text if w.chance(0.1) else f"{text}.copy()"


@expression(Array)
def cast(w: Writer, kind: Array, e: E) -> str | None:
    if kind.dtype == "bool":
        return None
    source = "int64" if kind.dtype == "float64" else "bool"
    return f"{e(Array(source, kind.shape))}.astype(np.{kind.dtype})"


@expression(Array)
def along_axis(w: Writer, kind: Array, e: E) -> str | None:
    if kind.dtype == "bool" or not kind.shape:
        return None
    forms = [f"np.cumsum({e(kind)}, axis={len(kind.shape) - 1})", f"np.sort({e(kind)})"]
    if len(kind.shape) == 1:
        forms.append(f"{e(Array(kind.dtype, (2, *kind.shape)))}.{w.pick(['sum', 'max'])}(axis=0)")
    return w.pick(forms)


@expression(Array)
def joined(w: Writer, kind: Array, e: E) -> str | None:
    n = kind.shape[0] if kind.shape else None
    if n is None or not kind.known:
        return None
    part = Array(kind.dtype, kind.shape[1:])
    if len(kind.shape) == 2 and w.chance(0.6):
        return f"np.stack([{', '.join(e(part) for _ in range(n))}])"
    if len(kind.shape) == 1 and w.chance(0.4):
        return f"np.array([{', '.join(e(SCALARS[kind.dtype][0]) for _ in range(n))}])"
    cut = w.random.randrange(n + 1)
    return f"np.concatenate([{e(kind)}[{cut}:], {e(kind)}[:{cut}]])"


@expression(Array)
def product(w: Writer, kind: Array, e: E) -> str | None:
    if kind.dtype != "float64" or not kind.known:
        return None
    inner = w.pick([2, 3])
    if len(kind.shape) == 1:
        return f"({e(Array('float64', (*kind.shape, inner)))} @ {e(Array('float64', (inner,)))})"
    rows, columns = kind.shape
    return f"({e(Array('float64', (rows, inner)))} @ {e(Array('float64', (inner, columns)))})"


@expression(Array)
def gathered(w: Writer, kind: Array, e: E) -> str | None:
    """`x[[2, 0, 1]]`, `x[k % 3]`, `x[mask]` filled up."""
    found = w.arrays(lambda k: k.dtype == kind.dtype and k.shape[1:] == kind.shape[1:] and bool(k.shape[0]))
    if not found or not kind.shape or not kind.known:
        return None
    text, source = w.pick(found)
    n, count = source.shape[0] or 1, kind.shape[0]
    literal = ", ".join(str(w.random.randrange(-n, n)) for _ in range(count or 0))
    return w.pick([f"{text}[[{literal}]]", f"{text}[{e(Array('int64', (count,)))} % {n}]"])


@expression(Array)
def viewed(w: Writer, kind: Array, e: E) -> str | None:
    return view_of(w, kind)


def view_of(w: Writer, kind: Array) -> str | None:
    """A view with a kind's shape of some array of the program."""
    makers = (_slice, _row, _column, _transposed, _reshaped, _new_axis)
    for maker in w.random.sample(makers, len(makers)):
        text = maker(w, kind)
        if text is not None:
            return text
    return None


def _bigger(w: Writer, kind: Array, rank: int) -> list[tuple[str, Array]]:
    return w.arrays(lambda k: k.dtype == kind.dtype and len(k.shape) == rank and None not in kind.shape)


def _slice(w: Writer, kind: Array) -> str | None:
    found = [p for p in _bigger(w, kind, len(kind.shape)) if _covers(p[1], kind)]
    if not found or not kind.shape:
        return None
    text, source = w.pick(found)
    return f"{text}[{', '.join(_part(w, a or 0, b or 0) for a, b in zip(source.shape, kind.shape, strict=True))}]"


def _covers(source: Array, kind: Array) -> bool:
    return all((a or 0) >= (b or 0) for a, b in zip(source.shape, kind.shape, strict=True))


def _part(w: Writer, size: int, wanted: int) -> str:
    """A slice of an axis that gives a number of elements."""
    if size == wanted:
        return w.pick([":", "::-1", "0:", f"-{size}:"])
    start = w.random.randrange(size - wanted + 1)
    forms = [f"{start}:{start + wanted}"]
    if start + wanted == size:
        forms.append(f"-{wanted}:")
    if (wanted - 1) * 2 < size and wanted > 1:
        forms.append(f"0:{2 * wanted - 1}:2")
    return w.pick(forms)


def _row(w: Writer, kind: Array) -> str | None:
    found = [p for p in _bigger(w, kind, len(kind.shape) + 1) if p[1].shape[1:] == kind.shape and p[1].shape[0]]
    if not found or not kind.shape:
        return None
    text, source = w.pick(found)
    n = source.shape[0] or 1
    at = f"{w.expr(INT, 2)} % {n}" if w.chance(0.3) else str(w.random.randrange(-n, n))
    return f"{text}[{at}]"


def _column(w: Writer, kind: Array) -> str | None:
    found = [p for p in _bigger(w, kind, 2) if p[1].shape[:1] == kind.shape]
    if not found:
        return None
    text, source = w.pick(found)
    return f"{text}[:, {w.random.randrange(source.shape[1] or 1)}]"


def _transposed(w: Writer, kind: Array) -> str | None:
    found = [p for p in _bigger(w, kind, len(kind.shape)) if p[1].shape[::-1] == kind.shape]
    return f"{w.pick(found)[0]}.T" if found and len(kind.shape) == 2 else None


def _reshaped(w: Writer, kind: Array) -> str | None:
    size = _size(kind)
    found = [p for rank in (1, 2) for p in _bigger(w, kind, rank) if _size(p[1]) == size and len(kind.shape)]
    if not found:
        return None
    text, _ = w.pick(found)
    if len(kind.shape) == 1 and w.chance(0.5):
        return f"{text}.{w.pick(['ravel()', 'reshape(-1)'])}"
    return f"{text}.reshape({', '.join(str(n) for n in kind.shape)})"


def _size(kind: Array) -> int:
    size = 1
    for n in kind.shape:
        size *= n or 0
    return size


def _new_axis(w: Writer, kind: Array) -> str | None:
    if len(kind.shape) != 2 or 1 not in kind.shape:
        return None
    axis = kind.shape.index(1)
    found = [p for p in _bigger(w, kind, 1) if p[1].shape[0] == kind.shape[1 - axis]]
    return f"{w.pick(found)[0]}[{'None, :' if axis == 0 else ':, np.newaxis'}]" if found else None
