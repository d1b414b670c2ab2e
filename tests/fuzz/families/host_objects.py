"""Objects on the host: made, chosen by branches, carried by loops, asked and changed."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.kinds import (
    BOOL,
    DEVICE,
    FLOAT,
    GAUGE,
    INT,
    ON_HOST,
    TABLE,
    TEXT,
    VECTOR,
    WORDS,
    Array,
    Hosted,
    Kind,
    Number,
    Record,
)
from tests.fuzz.writer import Writer, expression, literal, some_kind, statement

E = Callable[[Kind], str]
MAKERS = {DEVICE: "device()", GAUGE: "gauge({})", TEXT: "label({})", WORDS: "words({})", TABLE: "table({})"}
QUOTED = '"run"'
MONITOR = Record("Monitor")


@literal(Hosted)
def made(w: Writer, kind: Hosted) -> str:
    return MAKERS[kind].format(w.leaf(INT))


@expression(Hosted)
def made_of(w: Writer, kind: Hosted, e: E) -> str:
    return MAKERS[kind].format(e(INT))


@expression(Hosted)
def either_hosted(w: Writer, kind: Hosted, e: E) -> str:
    return f"({e(kind)} if {e(BOOL)} else {e(kind)})"


@expression(Hosted)
def derived(w: Writer, kind: Hosted, e: E) -> str | None:
    """What host code makes of it, and f-strings of graph values."""
    number = w.pick([INT, BOOL])
    forms = {
        TEXT: [
            lambda: f'f"{{{e(number)}}} {{{w.leaf(TEXT)}}}"' if w.leaf(TEXT).isidentifier() else "",
            lambda: f"({e(TEXT)} + {e(TEXT)})",
            lambda: f'"-".join({e(WORDS)})',
            lambda: f"{e(TEXT)}.upper()",
            lambda: f"str({e(number)})",
        ],
        WORDS: [
            lambda: f"({e(WORDS)} + {e(WORDS)})",
            lambda: f"{e(WORDS)}[{e(INT)} % 3:]",
            lambda: f"sorted({e(TABLE)})",
            lambda: f"{e(TEXT)}.split()",
            lambda: f"[{e(TEXT)}, {e(TEXT)}]",
            lambda: f"list(generated({e(INT)}))",
        ],
        TABLE: [lambda: f"dict({e(TABLE)}, z={e(number)})", lambda: f"{{**{e(TABLE)}, 'y': {e(number)}}}"],
    }
    return w.pick(forms[kind])() or None if kind in forms else None


@expression(Number)
def asked_of_host(w: Writer, kind: Number, e: E) -> str | None:
    forms = {
        BOOL: [
            lambda: f"({e(TEXT)} == {w.pick([QUOTED, e(TEXT)])})",
            lambda: f'("two" in {e(WORDS)})',
            lambda: f'("a" in {e(TABLE)})',
            lambda: f"bool({e(WORDS)})",
            lambda: f"({e(GAUGE)}.count > {e(INT)})",
            lambda: f"({w.leaf(DEVICE)} is {w.leaf(DEVICE)})",
            lambda: f"bool({e(DEVICE)}.ready)",
        ],
        INT: [
            lambda: f"len({e(w.pick([WORDS, TABLE, TEXT, GAUGE]))})",
            lambda: f"{e(GAUGE)}.count",
            lambda: f"{w.leaf(GAUGE)}.keep({e(w.pick([INT, FLOAT, VECTOR, TEXT]))})",
            lambda: f"int({e(TEXT)} == {e(TEXT)})",
        ],
        FLOAT: [
            lambda: f"{w.leaf(GAUGE)}.read()",
            lambda: f'float({e(TABLE)}.get("a", {w.pick(["0", "1.5"])}))',
            lambda: f"float({w.leaf(DEVICE)}.level)",
        ],
    }
    return w.pick(forms[kind])() if kind in forms else None


@expression(Array)
def image(w: Writer, kind: Array, e: E) -> str | None:
    return f"{w.leaf(GAUGE)}.image({e(INT)})" if kind == VECTOR else None


@statement
def new_hosted(w: Writer) -> bool:
    kind = w.pick(ON_HOST)
    text = w.expr(kind)
    return w.emit(f"{w.target(kind)} = {text}")


@statement
def change_hosted(w: Writer) -> bool:
    """What changes an object that names may share."""
    value = w.expr(w.pick([INT, FLOAT, BOOL]), 1)
    forms = [
        lambda: f"{w.leaf(TABLE)}[{w.pick([QUOTED, w.leaf(TEXT)])}] = {value}",
        lambda: f'{w.leaf(TABLE)}.pop("a", None)',
        lambda: f"{w.leaf(TABLE)}.update(u={value})",
        lambda: f"{w.leaf(WORDS)}.append({w.expr(TEXT, 1)})",
        lambda: f"{w.leaf(GAUGE)}.value = {w.expr(FLOAT, 1)}",
        lambda: f"{w.leaf(GAUGE)}.keep({w.expr(some_kind(w), 1)})",
        lambda: f"{w.leaf(DEVICE)}.last = {w.expr(w.pick([INT, FLOAT, TEXT]), 1)}",
    ]
    return w.emit(w.pick(forms)())


@statement
def count_up(w: Writer) -> bool:
    """`metrics["loss"] = metrics.get("loss", 0.0) + loss`."""
    text, value = w.leaf(TABLE), w.expr(FLOAT, 1)
    if not text.isidentifier():
        return False
    return w.emit(f'{text}["t"] = {text}.get("t", 0.0) + {value}')


@statement
def monitored(w: Writer) -> bool:
    """A method of an object of the program's that calls host code."""
    names = w.names(lambda k: k == MONITOR)
    if not names:
        text = f"Monitor({w.expr(FLOAT, 1)}, {w.expr(INT, 1)})"
        return w.emit(f"{w.target(MONITOR)} = {text}")
    text = w.pick([f"add({w.expr(FLOAT, 1)})", f"all({w.expr(VECTOR, 1)})"])
    return w.emit(f"{w.pick(names)}.{text}")


@statement
def show_values(w: Writer) -> bool:
    """f-strings and prints of numbers, arrays and what the host has."""
    kinds = [INT, BOOL, TEXT, WORDS, Array("int64", (3,)), Array("bool", (2,))]
    values = [w.expr(w.pick(kinds), 1) for _ in range(w.pick([1, 2, 3]))]
    return w.emit(f"print({', '.join(values)})")
