"""Control flow around host code: its iterators, contexts, exceptions and conditions."""

from __future__ import annotations

from tests.fuzz.families.failures import handlers
from tests.fuzz.kinds import BOOL, DEVICE, FLOAT, GAUGE, INT, TABLE, TEXT, VECTOR, WORDS, Kind
from tests.fuzz.writer import Variable, Writer, compound

CAUGHT = ("OSError", "ValueError", "(OSError, KeyError)", "Exception", "LookupError", "Failure", "StopIteration")
ITEMS: tuple[tuple[str, Kind], ...] = (("ticks", FLOAT), ("frames", VECTOR))


@compound
def for_host(w: Writer) -> bool:
    """Over an iterator of the host, alone or beside a counter or another one."""
    text, kind = w.pick(ITEMS)
    name, second, counter = w.fresh("x"), w.fresh("y"), w.fresh("k")
    source = f"{text}({w.expr(INT, 1)})"
    new = {name: Variable(kind, fixed=True)}
    form = w.pick(["plain", "plain", "enumerate", "zip", "pairs"])
    if form == "enumerate":
        w.emit(f"for {counter}, {name} in enumerate({source}):")
        new[counter] = Variable(INT, fixed=True)
    elif form == "zip":
        other, kind = w.pick(ITEMS)
        w.emit(f"for {name}, {second} in zip({source}, {other}({w.expr(INT, 1)})):")
        new[second] = Variable(kind, fixed=True)
    elif form == "pairs":
        w.emit(f"for {name}, {second} in samples({w.expr(INT, 1)}):")
        new = {name: Variable(FLOAT, fixed=True), second: Variable(INT, fixed=True)}
    else:
        w.emit(f"for {name} in {source}:")
    w.block(True, **new)
    if w.chance(0.25):
        w.emit("else:")
        w.block()
    return True


@compound
def for_words(w: Writer) -> bool:
    """Over something whose elements have no type."""
    name, counter = w.fresh("s"), w.fresh("k")
    kind = w.pick([WORDS, WORDS, TABLE])
    text = w.expr(kind, 1)
    new = {name: Variable(TEXT, fixed=True)}
    if w.chance(0.3):
        w.emit(f"for {counter}, {name} in enumerate({text}):")
        new[counter] = Variable(INT, fixed=True)
    else:
        w.emit(f"for {name} in list({text}):")
    with w.nested(True, **new):
        w.emit(f"seen({name}, {w.expr(w.pick([INT, FLOAT]), 1)})")
        w.statements((1, 2))
    return True


@compound
def while_host(w: Writer) -> bool:
    fuel = w.fresh("fuel")
    w.emit(f"{fuel} = 0")
    w.scope[fuel] = Variable(INT, fixed=True)
    tests = [
        f"{w.leaf(DEVICE)}.more()",
        f"{w.leaf(GAUGE)}.read() < 3.0",
        f"decided({w.expr(INT, 1)})",
        w.expr(WORDS, 1),
    ]
    test = w.pick([f"{fuel} < 5 and {w.pick(tests)}", f"{w.pick(tests)} and {fuel} < 4 and {w.expr(BOOL, 1)}"])
    w.emit(f"while {test}:")
    with w.nested(True):
        w.emit(f"{fuel} += 1")
        w.statements((1, 2, 3))
    if w.chance(0.2):
        w.emit("else:")
        w.block()
    return True


@compound
def with_host(w: Writer) -> bool:
    """`with` of one or two objects, some of which end exceptions."""
    manager = w.pick(
        ['span("a")', 'span("b", ValueError, OSError)', f'timer("t{w.random.randrange(3)}")', "span('c', Exception)"]
    )
    name = w.fresh("c")
    second = w.pick(["", "", ', timer("inner")', ', span("d", KeyError)'])
    typed = manager.startswith("timer")
    w.emit(f"with {manager}{f' as {name}' if typed or w.chance(0.5) else ''}{second}:")
    with w.nested():
        w.statements((1, 2, 3))
        if w.chance(0.3):
            w.emit(f"if {w.expr(BOOL, 1)}:")
            w.emit(f"    raise {w.pick(['ValueError', 'KeyError', 'Failure'])}({w.expr(INT, 1)})")
        if w.loops and w.chance(0.2):
            w.emit(f"if {w.expr(BOOL, 1)}:")
            w.emit(f"    {w.pick(['break', 'continue', f'return {w.result(w)}'])}")
    return True


@compound
def try_host(w: Writer) -> bool:
    """`try` around what the host does, which may fail at any time."""
    before = dict(w.scope)
    w.emit("try:")
    with w.nested():
        w.statements((1, 2))
        text = w.pick([f"flaky({w.expr(INT, 1)})", f"strict({w.expr(FLOAT, 1)})", f"float({w.expr(TABLE, 1)}['a'])"])
        w.emit(f"{w.target(FLOAT)} = {text}")
        w.statements((0, 1))
    if not handlers(w, before, _handler) or w.chance(0.4):
        w.emit("finally:")
        with w.nested():
            w.emit(f"seen('finally', {w.expr(INT, 1)})")
            w.statements((0, 1))
    return True


def _handler(w: Writer) -> None:
    name = w.fresh("error")
    w.emit(f"except {w.pick(CAUGHT)} as {name}:")
    with w.nested():
        w.emit(
            w.pick(
                [
                    f"seen(str({name}))",
                    f"seen(type({name}).__name__, {name}.args)",
                    f'print(f"failed: {{{name}}}")',
                    "pass",
                ]
            )
        )
        w.statements((0, 1, 2))
        if w.chance(0.25):
            w.emit(
                w.pick(
                    [
                        "raise",
                        f"raise {name}",
                        f'raise RuntimeError("again") from {name}',
                        f"raise Failure({w.expr(INT, 1)})",
                    ]
                )
            )


@compound
def retry_host(w: Writer) -> bool:
    k, name = w.fresh("k"), w.fresh("f")
    w.emit(f"{name} = {w.expr(FLOAT, 1)}")
    w.emit(f"for {k} in range({w.pick(['3', '2'])}):")
    with w.nested(True, **{k: Variable(INT, fixed=True)}):
        w.emit("try:")
        w.emit(f"    {name} = flaky({k})")
        w.emit(f"    {w.pick(['break', 'continue', f'seen({name})'])}")
        w.emit(f"except {w.pick(['OSError', 'Exception', '(KeyError, Failure)'])} as {name}e:")
        w.emit(f"    seen('again', {k}, str({name}e))")
        w.statements((0, 1))
    if w.chance(0.5):
        w.emit("else:")
        w.block()
    w.scope[name] = Variable(FLOAT)
    return True


@compound
def step_through(w: Writer) -> bool:
    """`next` of an iterator, with and without a default."""
    it, name, k = w.fresh("it"), w.fresh("u"), w.fresh("k")
    w.emit(f"{it} = {w.pick([f'iter({w.expr(WORDS, 1)})', f'generated({w.expr(INT, 1)})'])}")
    w.emit(f"for {k} in range({w.pick(['2', '4'])}):")
    with w.nested(True, **{k: Variable(INT, fixed=True)}):
        w.emit(f"{name} = next({it}, None)")
        w.emit(f"if {name} is None:")
        w.emit(f"    {w.pick(['break', 'continue'])}")
        w.emit(f"seen({name}, {w.expr(INT, 1)})")
        w.statements((0, 1))
    return True
