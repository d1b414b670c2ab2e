"""Python numbers and NumPy scalars."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.kinds import BOOL, F64, FLOAT, I64, INT, Array, Kind, Lst, Number
from tests.fuzz.writer import Writer, expression, literal, statement

E = Callable[[Kind], str]

LITERAL_TEXTS = {
    "int": ("0", "1", "2", "3", "-1", "5"),
    "float": ("0.5", "1.0", "-2.0", "3.25", "0.0"),
    "bool": ("True", "False"),
    "float64": ("np.float64(1.5)", "np.float64(-0.5)"),
    "int64": ("np.int64(2)", "np.int64(-3)"),
}


@literal(Number)
def number_literal(w: Writer, kind: Number) -> str:
    """A number; for a bool mostly a comparison, as a literal decides branches while extracting."""
    variables = w.places(lambda k: k in (INT, FLOAT))
    if kind == BOOL and variables and w.chance(0.9):
        text, found = w.pick(variables)
        return f"({text} {w.pick(['>', '<', '!='])} {w.pick(LITERAL_TEXTS[found.cls])})"
    if variables and kind in (INT, FLOAT) and w.chance(0.3):
        same = [text for text, found in variables if found == kind]
        return w.pick(same) if same else w.pick(LITERAL_TEXTS[kind.cls])
    return w.pick(LITERAL_TEXTS[kind.cls])


@expression(Number)
def arithmetic(w: Writer, kind: Number, e: E) -> str | None:
    if kind == BOOL:
        return None
    if kind in (INT, I64):
        other = w.pick([e(kind), e(kind), w.pick(("2", "3", "-1"))])
        text = f"({e(kind)} {w.pick(['+', '-', '+', '-', '*'])} {other})"
        return f"({text} % {w.pick(('7', '13', '101'))})" if "*" in text else text
    return f"({e(kind)} {w.pick(['+', '-', '*'])} {e(w.pick([kind, FLOAT, INT]))})"


@expression(Number)
def division(w: Writer, kind: Number, e: E) -> str | None:
    if kind in (INT, I64):
        divisor = w.pick(["2", "3", "-4", e(kind)])
        return f"({e(kind)} {w.pick(['//', '%'])} {divisor})"
    if kind == FLOAT:
        return f"({e(FLOAT)} {w.pick(['/', '/', '//', '%'])} {w.pick(['2.0', '4', '1.5', e(FLOAT)])})"
    return f"({e(F64)} / {w.pick(['2.0', '4', e(FLOAT)])})" if kind == F64 else None


@expression(Number)
def chosen(w: Writer, kind: Number, e: E) -> str:
    return f"({e(kind)} if {e(BOOL)} else {e(kind)})"


@expression(Number)
def builtin(w: Writer, kind: Number, e: E) -> str | None:
    if kind == BOOL:
        return f"(not {e(BOOL)})"
    return w.pick([f"abs({e(kind)})", f"(-{e(kind)})", f"{w.pick(['min', 'max'])}({e(kind)}, {e(kind)})"])


@expression(Number)
def converted(w: Writer, kind: Number, e: E) -> str | None:
    texts = {
        INT: lambda: w.pick([f"int({e(FLOAT)})", f"int({e(I64)})", f"int({e(BOOL)})", f"round({e(FLOAT)})"]),
        FLOAT: lambda: w.pick([f"float({e(F64)})", f"float({e(F64)})", f"float({e(INT)})"]),
        BOOL: lambda: w.pick([f"bool({e(INT)})", f"bool({e(F64)} > {e(FLOAT)})"]),
        F64: lambda: f"np.float64({e(FLOAT)})",
        I64: lambda: f"np.int64({e(INT)} % 1000)",
    }
    return texts[kind]()


@expression(Number)
def compared(w: Writer, kind: Number, e: E) -> str | None:
    if kind != BOOL:
        return None
    one = w.pick([INT, FLOAT])
    return w.pick(
        [
            f"({e(one)} {w.pick(['<', '<=', '==', '!=', '>', '>='])} {e(one)})",
            f"({e(one)} < {e(one)} <= {e(one)})",
            f"({e(BOOL)} {w.pick(['and', 'or'])} {e(BOOL)})",
        ]
    )


@expression(Number)
def bits(w: Writer, kind: Number, e: E) -> str | None:
    return f"({e(INT)} {w.pick(['&', '|', '^'])} {e(INT)})" if kind == INT else None


@expression(Number)
def size(w: Writer, kind: Number, e: E) -> str | None:
    places = w.places(lambda k: isinstance(k, (Array, Lst)))
    if kind != INT or not places:
        return None
    text, found = w.pick(places)
    return f"{text}.shape[-1]" if isinstance(found, Array) and w.chance(0.5) else f"len({text})"


@expression(Number)
def element(w: Writer, kind: Number, e: E) -> str | None:
    """`x[i]`, `m[i, j]`; the index may be computed, and outside now and then."""
    found = w.arrays(lambda k: k.dtype == kind.cls)
    if not found:
        return None
    text, array = w.pick(found)
    return f"{text}[{', '.join(index(w, n, e) for n in array.shape)}]"


def index(w: Writer, n: int | None, e: E) -> str:
    """An index into an axis of size n."""
    if w.chance(0.05) or not n:
        return e(INT)
    return w.pick([str(w.random.randrange(-n, n)), str(w.random.randrange(n)), f"{e(INT)} % {n}"])


@expression(Number)
def reduced(w: Writer, kind: Number, e: E) -> str | None:
    places = w.places(lambda k: isinstance(k, Array) and k.dtype in (kind.cls, "bool" if kind == I64 else ""))
    if kind == BOOL:
        return f"bool(np.{w.pick(['any', 'all'])}({e(Array('bool', (3,)))}))"
    if not places or kind not in (F64, I64):
        return None
    text, array = w.pick(places)
    if isinstance(array, Array) and array.dtype == "bool":
        return f"{text}.sum()"
    return w.pick([f"np.sum({text})", f"{text}.max()", f"np.min({text})", f"{text}.sum()"])


@statement
def augment_number(w: Writer) -> bool:
    places = w.places(lambda k: k in (INT, FLOAT, F64), assignable=True)
    if not places:
        return False
    text, kind = w.pick(places)
    operator = w.pick(["+", "-", "*"]) if kind != INT else w.pick(["+", "-"])
    return w.emit(f"{text} {operator}= {w.expr(INT if kind == INT else FLOAT, 1)}")
