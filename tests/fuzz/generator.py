"""Random imperative programs, as source text, with the values to call them with.

A program is made of variables whose kinds are known (numbers, arrays of known shape, records, lists),
so that most of what comes out runs in plain Python, which is the oracle; what Python raises, the
program must raise.  Loops are bounded.  The families of constructs are in `families`, and how often
each is used in `weights`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.fuzz.arguments import argument_functions, parameters
from tests.fuzz.families import (
    aggregates,
    aliasing,
    arrays,
    control,
    failures,
    functions,
    host,
    host_flow,
    host_objects,
    iterators,
    lists,
    numbers,
    records,
    state,
    things,
    writes,
)
from tests.fuzz.kinds import Function
from tests.fuzz.library import header
from tests.fuzz.writer import Variable, Writer

FAMILIES = (
    aggregates,
    aliasing,
    arrays,
    control,
    failures,
    functions,
    host,
    host_flow,
    host_objects,
    iterators,
    lists,
    numbers,
    records,
    state,
    things,
    writes,
)
CALLS = 3
HOST_SEEDS = 10**9
"""From here on, programs call host code as well."""


@dataclass(frozen=True)
class Program:
    """Source text of a function `program`, and of functions `arguments_0`, ... that make its arguments.

    `arguments_0()` gives the arguments of the first call, and the arrays that they are views of.
    """

    source: str


def program(seed: int) -> Program:
    """The random program of a seed."""
    for attempt in range(20):
        source = _source(random.Random(f"{seed} {attempt}"), seed >= HOST_SEEDS)
        if _compiles(source):
            return Program(source)
    raise RuntimeError(f"no program for seed {seed}")


def _compiles(source: str) -> bool:
    """Not so for a `nonlocal` of a name that only some other function has, for example."""
    try:
        compile(source, "<program>", "exec")
    except SyntaxError:
        return False
    return True


def _source(chooser: random.Random, calls_host: bool) -> str:
    w = Writer(chooser, chooser.choice((8, 14, 20)))
    w.host = calls_host
    for _ in range(w.pick([0, 0, 1, 2])):
        functions.module_function(w)
    kinds = parameters(w)
    w.scope |= {name: Variable(kind, given=True) for name, kind in kinds.items()}
    if w.chance(0.15):
        w.scope[state.NAME] = Variable(state.TRACKER, captured=True)
    w.result = _result
    if calls_host:
        host.begin(w)
    w.statements((3, 5, 7, 9))
    w.emit(f"return {_result(w)}")
    main = "\n".join([f"def program({', '.join(kinds)}):", *w.lines])
    calls = argument_functions(w, kinds, CALLS, state.NAME in main)
    text = "\n\n\n".join([*w.helpers, *([state.TEXT] if state.NAME in main else []), main, *calls])
    fails_at = chooser.randrange(1, 30) if chooser.random() < 0.3 else 0
    return f"{header(text)}\n\n{text}\n".replace("FAIL_AT = 0", f"FAIL_AT = {fails_at}")


def _result(w: Writer) -> str:
    """Some variables, among them parameters as they came."""
    names = [n for n in w.names(lambda k: not isinstance(k, Function)) if n != state.NAME]
    picked = w.random.sample(names, min(len(names), w.pick([1, 2, 3, 4])))
    return ", ".join(picked)
