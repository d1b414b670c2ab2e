"""Exceptions: raised, asserted, made by operations, caught."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.fuzz.kinds import BOOL, F64, FLOAT, INT, Array, Kind, Lst, Number
from tests.fuzz.writer import Variable, Writer, compound, expression, statement

E = Callable[[Kind], str]

CLASSES = ("ValueError", "RuntimeError", "IndexError", "KeyError", "ArithmeticError", "Failure", "WorseFailure")


def _message(w: Writer) -> str:
    """A message, mostly with numbers in it."""
    return w.pick(
        [
            "",
            '"plain"',
            f'f"at {{{w.leaf(INT)}}}"',
            f'f"{{{w.leaf(FLOAT)}:.3f}} and {{{w.leaf(INT)}:>4d}}!"',
            f'f"{{{w.leaf(BOOL)}}}, {{{w.leaf(INT)}!r}}"',
            w.leaf(INT),
        ]
    )


@statement
def raise_if(w: Writer) -> bool:
    w.emit(f"if {w.expr(BOOL, 1)} and {w.expr(BOOL, 1)}:")
    text = _message(w)
    return w.emit(f"    raise {w.pick(CLASSES)}{f'({text})' if text or w.chance(0.5) else ''}")


@statement
def assert_(w: Writer) -> bool:
    text = _message(w)
    return w.emit(f"assert {w.expr(BOOL)} or {w.expr(BOOL, 1)}{f', {text}' if text else ''}")


@expression(Number)
def risky(w: Writer, kind: Number, e: E) -> str | None:
    """What fails for some values: square roots, logarithms, indices, conversions, divisions."""
    vectors = w.arrays(lambda k: len(k.shape) == 1 and k.dtype == "float64")
    lists = w.places(lambda k: isinstance(k, Lst) and k.element == kind)
    if lists and w.chance(0.5):
        return f"{w.pick(lists)[0]}[{e(INT)} % 3]"
    if kind == FLOAT:
        return w.pick(
            [f"math.sqrt({e(FLOAT)})", f"math.log({e(FLOAT)})", f"({e(FLOAT)} / {e(FLOAT)})", f"{e(INT)} / {e(INT)}"]
        )
    if kind == INT:
        return w.pick([f"int({e(FLOAT)} / {e(FLOAT)})", f"({e(INT)} // {e(INT)})", f"math.floor({e(FLOAT)})"])
    return f"{w.pick(vectors)[0]}[{e(INT)}]" if kind == F64 and vectors else None


@statement
def risky_array(w: Writer) -> bool:
    """Shapes and unpackings that fit for some values only."""
    vectors = w.arrays(lambda k: len(k.shape) == 1 and k.dtype == "float64")
    if not vectors:
        return False
    text, _ = w.pick(vectors)
    number, low, count, value = w.expr(INT, 1), w.expr(FLOAT, 2), w.expr(INT, 2), w.expr(FLOAT, 1)
    forms: list[Callable[[], str]] = [
        lambda: f"{w.target(F64)} = {text}[{number}]",
        lambda: f"{text}[{number}] = {value}",
        lambda: f"{w.target(FLOAT)} = float({text}[{text} > {low}].max())",
        lambda: f"{w.target(Array('float64', (None, 2)))} = {text}.reshape({count}, 2)",
    ]
    return w.emit(w.pick(forms)())


CAUGHT = (
    "ValueError",
    "ZeroDivisionError",
    "IndexError",
    "(ValueError, IndexError)",
    "ArithmeticError",
    "LookupError",
    "Failure",
    "Exception",
    "(Failure, ZeroDivisionError, AssertionError)",
)


@compound
def try_(w: Writer) -> bool:
    """`try` with handlers, `else`, `finally`; in loops with exits."""
    before = dict(w.scope)
    w.emit("try:")
    with w.nested():
        w.statements((1, 2))
        if w.chance(0.6):
            text = f"{w.expr(FLOAT)} / {w.expr(INT)}"
            w.emit(f"{w.target(FLOAT)} = {text}")
        if w.chance(0.3):
            raise_if(w)
        if w.chance(0.3):
            risky_array(w)
        w.statements((0, 1))
    if not handlers(w, before, _handler) or w.chance(0.3):
        w.emit("finally:")
        w.block()
    return True


def handlers(w: Writer, before: Mapping[str, Variable], handler: Callable[[Writer], None]) -> int:
    """The handlers of a `try` in whose place there was `before`, and its `else`; how many handlers there are."""
    w.scope = {n: v for n, v in before.items() if n in w.scope}
    count = w.pick([1, 1, 2, 0])
    for _ in range(count):
        handler(w)
    if count and w.chance(0.3):
        w.emit("else:")
        w.block()
    return count


def _handler(w: Writer) -> None:
    name = w.fresh("error") if w.chance(0.4) else ""
    w.emit(f"except {w.pick(CAUGHT)}{f' as {name}' if name else ''}:")
    with w.nested():
        w.statements((1, 1, 2))
        if w.chance(0.25):
            again = ["raise", f"raise {w.pick(CLASSES)}({_message(w)})"]
            if name:
                again.append(f'raise RuntimeError(f"again: {{{name}}}") from {name}')
                again.append(f"raise {name}")
            w.emit(w.pick(again))
