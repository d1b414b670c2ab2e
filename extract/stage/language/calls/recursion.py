"""Inlining: the body of a function is a block that its `return`s leave; its names live in a frame of its own.

Recursion: a tail call of a function that is being inlined is the next round of a loop.

    def f(x, n):                            block return:
        if n == 0:                              loop:
            return x            ->                  if equal(n, 0): (result := x); leave return
        return f(x * 2, n - 1)                      (x, n := multiply(x, 2), subtract(n, 1))

The calls between may be other functions' (`even` calls `odd` calls `even`), as long as each is a tail
call.  The function is first evaluated as any other; a tail call of it starts it again as a loop, whose
variables are its parameters.  Where that cannot be (an argument is another structure in each round, is
needed statically, or is a function made in the round before), and where the call is no tail call, it
is inlined once more.  That ends, or is refused: a call with the same types, structures and static
values as one around it would do the same again.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, UnsupportedError
from graph_program.extract.ir import tree
from graph_program.extract.source.liveness import live_after
from graph_program.extract.source.tail_calls import returns_nothing, tail_calls
from graph_program.extract.source.unsupported import refuse_construct
from graph_program.extract.stage.kinds import generators
from graph_program.extract.stage.language.diagnosis import reveal
from graph_program.extract.stage.language.loops import loops
from graph_program.extract.stage.machine import state
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import ensure_reachable, leave
from graph_program.extract.stage.machine.signals import StaticNeeded, TailRecursion, Unreachable
from graph_program.extract.stage.machine.state import RETURN, Frame, State
from graph_program.extract.stage.objects.argument_binding import bind
from graph_program.extract.stage.operations.code_ownership import is_library
from graph_program.extract.stage.paths.flow import exit_block
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.inside import held, items_of
from graph_program.extract.stage.values.structure import parts
from graph_program.extract.stage.values.values import NONE, Closure, Ref, Static, Tensor, Value

MAX_DEPTH = 60
"""How deep calls may be nested."""
MAX_CALLS = 1024
"""How many recursive calls are inlined in a program."""


# ---------------------------------------------------------------- at a call


def enter(m: Machine, frame: Frame, names: dict[str, Value]) -> None:
    """Look whether `frame`, about to be entered with these arguments, is one of a function being inlined.

    Raises
    ------
    TailRecursion
        Where the function is to be evaluated again, as a loop.
    Unreachable
        Where it is such a loop, of which this is the next round.
    """
    around = list(frame.callers())
    active = next((f for f in around if same_function(f, frame)), None)
    if active is not None:
        between = around[: around.index(active)]
        if frame.tail and all(f.tail for f in between) and not active.unrolls and _results_agree(active, between):
            if active.again is None:
                raise TailRecursion(active)
            _next_round(m, active, names)
        _inline_again(m, frame, around, names)
    elif len(around) > MAX_DEPTH:
        raise m.error("GP345", f"calls are nested more than {MAX_DEPTH} deep")


def same_function(a: Frame, b: Frame) -> bool:
    """Whether two activations are of one function object."""
    return a.function is b.function and a.python is b.python and a.parent is b.parent


def _results_agree(active: Frame, between: list[Frame]) -> bool:
    """Whether the result of a round is that of the call: not where a function around drops it."""
    return returns_nothing(active.function) or not any(returns_nothing(f.function) for f in between)


# ---------------------------------------------------------------- as a loop


def run_as_loop(m: Machine, frame: Frame, label: str) -> None:
    """The body of a function as a loop over its parameters; what it returns leaves the block `label`."""
    checkpoint = Checkpoint(m)
    retry = next(m.naming.counter)
    try:
        body = state.Body(frozenset(), frozenset(), lambda *_: None, lambda _: _round(m, frame, label), retry=retry)
        loops.graph_loop(m, body, frame.function)
    except (StaticNeeded, GraphProgramError) as failure:
        if isinstance(failure, StaticNeeded) and retry not in failure.value.needs:
            raise
        refusal = failure.error if isinstance(failure, StaticNeeded) else failure
        if refusal.code == "GP359":  # nor would it end if it were inlined
            raise
        checkpoint.restore()
        _unroll(m, frame, refusal)


def _round(m: Machine, frame: Frame, label: str) -> None:
    outer, frame.again = frame.again, m.fresh("again")
    try:
        with exit_block(m, frame.again, frame.function):
            run_once(m, frame)
            if m.state is not None:
                leave(m, label)
    finally:
        frame.again = outer


def run_once(m: Machine, frame: Frame) -> None:
    """The statements of a function, which gives None where control gets to its end."""
    entries.run_body(m, frame.function.body)
    if m.state is not None:
        m.live.frames[frame.id][RETURN] = NONE


def _unroll(m: Machine, frame: Frame, refusal: GraphProgramError) -> None:
    """Inline the calls instead, where that ends; else it is the loop that is refused."""
    frame.unrolls = True
    try:
        run_once(m, frame)
    except GraphProgramError as error:
        raise (refusal if error.code == "GP345" else error) from None


def _next_round(m: Machine, active: Frame, names: dict[str, Value]) -> None:
    """Go back to the start of the function, with other arguments."""
    state, depth = m.live, list(active.callers())
    kept = {f.id for f in (active, *depth)} | {f.id for outer in (active, *depth) for f in _parents(outer)}
    inside = [number for number in state.frames if number not in kept and number > active.id]
    _refuse_late_functions(m, state, names, {active.id, *inside})
    for number in inside:
        del state.frames[number]
    state.frames[active.id] = dict(names)
    assert active.again is not None
    leave(m, active.again)
    raise Unreachable


def _parents(frame: Frame) -> Iterator[Frame]:
    parent = frame.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _refuse_late_functions(m: Machine, state: State, names: dict[str, Value], frames: set[int]) -> None:
    """Refuse a round that hands on a function made in it: that one reads the variables of its own round."""
    tables = [names, *(table for number, table in state.frames.items() if number not in frames)]
    seen: set[int] = set()
    stack = [value for table in tables for value in table.values()]
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Closure) and not frames.isdisjoint(f.id for f in (value.scope, *_parents(value.scope))):
            raise m.error(
                "GP460",
                f"the function '{value.function.name}' is made in one round of a recursion and called in another",
                hint="pass the values that it needs, and make the function where it is called",
            )
        stack.extend(_inside(state, value))


def _inside(state: State, value: Value) -> Iterable[Value]:
    contents = state.heap.get(value)
    if isinstance(contents, Growing):
        return [column.data for column in contents.columns]
    return [*items_of(contents), *held(value)]


# ---------------------------------------------------------------- inlined again


def _inline_again(m: Machine, frame: Frame, around: list[Frame], names: dict[str, Value]) -> None:
    """Allow one more activation of a function, unless it repeats one around it."""
    active = [f for f in around if same_function(f, frame)]
    frame.unrolls = any(f.unrolls for f in active)
    frame.key = tuple(outline(m.live, value) for value in names.values())
    m.loops.recursive_calls += 1
    if len(around) > MAX_DEPTH or m.loops.recursive_calls > MAX_CALLS:
        deep = f"more than {MAX_DEPTH} calls deep" if len(around) > MAX_DEPTH else f"in more than {MAX_CALLS} calls"
        raise refuse(m, frame, around, f"this recursion ends {deep}, or not at all")
    if any(f.key == frame.key for f in active):
        raise refuse(m, frame, around, "recursion that is no tail call has no graph form")


def refuse(m: Machine, frame: Frame, around: list[Frame], why: str) -> GraphProgramError:
    """The refusal of a recursive call, with its cycle."""
    first = [f for f in around if same_function(f, frame)][-1]
    cycle = [frame]
    for outer in around:
        cycle.append(outer)
        if same_function(outer, frame):
            break
    chain = " -> ".join(f.function.name for f in reversed(cycle))
    inner = next((f for f in cycle if not f.tail), frame)
    place = m.node_loc if inner.call is None else inner.call
    return UnsupportedError(
        Diagnostic(
            "GP345",
            f"{why}: {chain}",
            place.within(first.call),
            hint=f"write it as a loop, or so that the call is the last step, `return {inner.function.name}(...)`; "
            "recursion over tuples, objects and numbers that are known at extraction is inlined",
        )
    )


@generic
def outline(state: State, value: Value, depth: int = 0) -> Any:
    """What of an argument decides how its function is extracted: static values, types, structure."""
    structure = parts(value)
    if structure is None:
        return type(value)
    return structure[0], tuple(outline(state, v, depth + 1) for v in structure[1])


@outline.of(Static)
def _known(state: State, value: Static, depth: int = 0) -> Any:
    inner = value.value
    try:
        hash(inner)
    except TypeError:
        return id(inner)
    return type(inner), repr(inner) if isinstance(inner, float) else inner


@outline.of(Tensor)
def _computed(state: State, value: Tensor, depth: int = 0) -> Any:
    sizes = tuple(d.constant for d in value.type.shape)
    known = None if value.size is None else value.size.constant
    return value.type.dtype, value.type.kind, sizes, known


outline.register(Closure, lambda state, value, *_: id(value.function))


@outline.of(Ref)
def _object(state: State, value: Ref, depth: int = 0) -> Any:
    if depth >= 8:
        return value.cls, (), ()
    contents = state.heap.get(value, ())
    named = tuple(contents) if isinstance(contents, dict) else ()
    return value.cls, named, tuple(outline(state, v, depth + 1) for v in _inside(state, value))


@entries.inline.given
def inline(
    m: Machine,
    function: tree.Function,
    python: types.FunctionType | None,
    scope: Frame | None,
    defaults: dict[str, Value],
    args: list[Value],
    keywords: dict[str, Value],
    tail: bool = False,
    at_yield: Callable[[Value], None] | None = None,
) -> Value:
    if function.is_async or (function.is_generator and at_yield is None):
        raise refuse_construct("async_function" if function.is_async else "generator", m.loc)
    if any(map(generators.is_generator, (*args, *keywords.values()))) and not (python and is_library(python)):
        raise generators.kept(m)  # functions of a library go through them at once
    site = dataclasses.replace(m.loc)  # each call has a place of its own, by which its code is told apart
    frame = Frame(function, scope, python, site, live_after=live_after(function), caller=m.frame, tail=tail)
    frame.at_yield = at_yield
    names = bind(m, function, args, keywords, defaults)
    enter(m, frame, names)
    state = m.live
    state.frames[frame.id] = names
    outer, m.frame = m.frame, frame
    place = m.node_loc
    try:
        run_function_body(m, function, frame)
    finally:
        m.frame = outer
        m.node_loc = place
    ensure_reachable(m)
    result = m.live.frames[frame.id].pop(RETURN, NONE)
    if not frame.escapes:
        del m.live.frames[frame.id]
    return result


def run_function_body(m: Machine, function: tree.Function, frame: Frame) -> None:
    """The statements of a function, as a block that `return` leaves."""
    label = m.fresh(f"return_{function.name}" if function.name.isidentifier() else "return")
    frame.labels[RETURN] = label
    frame.tail_calls = tail_calls(function)
    reveal.answer_parameters(m, function)
    if not frame.tail_calls:
        with exit_block(m, label, function):
            run_once(m, frame)
        return
    checkpoint = Checkpoint(m)
    try:
        with exit_block(m, label, function):
            run_once(m, frame)
    except TailRecursion as found:
        if found.frame is not frame:
            raise
        checkpoint.restore()
        with exit_block(m, label, function):
            run_as_loop(m, frame, label)
