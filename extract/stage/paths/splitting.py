"""What follows a join at which values have no common type, evaluated for each of those that a value may be.

    u = x if c else x[0]                u := x or x[0], case := 0 or 1
    v = u.sum() + u.ndim        ->      if equal(case, 0): v := x.sum() + 2
    return v                            else: v := x[0].sum() + 1

Nothing is split before it is needed: a statement that uses such a value, and the rest of the body in
which the value was made, are evaluated again behind a test of which one it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import tree
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.decisions import PARTED
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import reaching
from graph_program.extract.stage.machine.signals import KeysNeeded, Needed, SplitNeeded
from graph_program.extract.stage.machine.state import Heap, State
from graph_program.extract.stage.numbers.arithmetic import compare
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.flow import branch
from graph_program.extract.stage.values.choices import is_object
from graph_program.extract.stage.values.inside import with_each
from graph_program.extract.stage.values.questions import is_known, is_ref_to
from graph_program.extract.stage.values.structure import choice_of_texts, parts
from graph_program.extract.stage.values.values import NONE, Maybe, Mixed, Static, Tensor, Value, births

MAX_DEPTH = 5
"""So many values may be told apart one inside the other."""
Work = Callable[[], None]


def apart(m: Machine, work: Work, again: Work, began: int, place: Loc | None = None) -> bool:
    """Evaluate `work`; if it needs to know which of several a value is, `again` for each instead.

    Parameters
    ----------
    began : int
        A value that was made before is told apart by what is evaluated around this.
    place : Loc, optional
        Of the statement that `work` is, which may be evaluated operand by operand.

    Returns
    -------
    bool
        Whether `again` was evaluated.

    Raises
    ------
    Needed
        Where the value is made in `work` itself.
    """
    now = next(births)
    checkpoint = Checkpoint(m) if m.choices.mixed >= began else None
    try:
        work()
    except SplitNeeded as needed:
        if not began <= needed.selector.born:
            raise
        if checkpoint is None or needed.selector.born >= now:
            raise needed.error if place is None else Needed(PARTED, [place], needed.error) from None
        if m.choices.splits >= MAX_DEPTH:
            raise needed.error.with_note(
                f"what follows is evaluated for each of them, for up to {MAX_DEPTH} such values together"
            ) from None
        checkpoint.restore()
        _each(m, needed.selector, range(len(needed.value.values)), again)
        return True
    return False


def together(m: Machine, work: Work, began: int) -> None:
    """Evaluate `work`, again and again for each of the values that it must tell apart."""
    apart(m, work, lambda: together(m, work, began), began)


def _each(m: Machine, selector: Tensor, numbers: range, work: Work) -> None:
    """Evaluate `work` for each number that a selector may have."""

    def chosen() -> None:
        m.state = narrowed(m.live, selector, numbers[0])
        m.choices.splits += 1
        try:
            work()
        finally:
            m.choices.splits -= 1

    if len(numbers) == 1:
        with reaching(m):
            chosen()
        return
    test = compare(m, "==", selector, Static(numbers[0]))
    branch(m, test, chosen, lambda: _each(m, selector, numbers[1:], work))


# ---------------------------------------------------------------- which one it is


def narrowed(state: State, selector: Tensor, number: int) -> State:
    """A state where a selector has a number."""
    result = state.copy()
    result.frames = {
        frame: {name: _narrowed(v, selector, number) for name, v in names.items()}
        for frame, names in state.frames.items()
    }
    part = partial(_narrowed, selector=selector, number=number)
    result.heap = Heap({ref: with_each(contents, part) for ref, contents in state.heap.items()})
    return result


def _narrowed(value: Value, selector: Tensor, number: int) -> Value:
    """A value where a selector has a number; the value itself if it does not depend on it."""
    if isinstance(value, Mixed):
        found = value.origins or value.values
        return _narrowed(found[number], selector, number) if value.selector is selector else value
    choice = choice_of_texts(value)
    if choice is not None:
        return choice.values[number] if choice.selector is selector else value
    if isinstance(value, Maybe):
        inner = _narrowed(value.value, selector, number)
        return value if inner is value.value else Maybe(value.missing, inner, value.absent)
    structure = parts(value)
    if structure is None:
        return value
    inside = [_narrowed(v, selector, number) for v in structure[1]]
    return value if all(a is b for a, b in zip(inside, structure[1], strict=True)) else structure[2](*inside)


def may_miss(m: Machine, holder: Value, key: Mixed, value: Value | None = None) -> bool:
    """Whether a dict may have no array or object under one of some keys, and others there; `value` is put in now.

    What follows is then evaluated for each key, as what is under one of them is not what is under the others.
    """
    if not is_ref_to(holder, dict) or m.choices.splits >= MAX_DEPTH:
        return False
    contents = m.live.heap[holder]
    found = [contents.get(k.value, NONE) for k in key.values if is_known(k)]
    there = [v.there for v in (*found, value or NONE)]
    return any(v is NONE or v.there is not v for v in found) and any(map(is_object, there))


Handler = Callable[[Machine, Any], None]
MAX_SPLITS = 6
"""A statement is evaluated for at most this many keys at once: two to this power times."""


def within(handler: Handler, told: tuple[Tensor, ...] = ()) -> Handler:
    """A statement's evaluation, once with a key of a dict and once without it, where it needs that.

        d = {}                              if c:
        if c: d["a"] = x            ->          n := len({"a": x})
        n = len(d)                          else:
                                                n := len({})

    Which keys a dict has, and whether a value is None, may matter in a way that no operation of the graph stands for.
    The use raises `KeysNeeded`, the evaluation starts again, and the statement becomes a branch; in each of its sides
    the value is known (`narrowing`).
    """

    def run(m: Machine, node: tree.Stmt) -> None:
        m.current_frame.live_now = m.current_frame.live_after.get(id(node))
        checkpoint, born = Checkpoint(m), next(births)
        m.choices.splitting += bool(told)
        try:
            handler(m, node)
            return
        except KeysNeeded as found:
            if found.subjects or found.flag.born >= born or not _is_new(found, told):
                raise
            needed = found
        finally:
            m.choices.splitting -= bool(told)
        checkpoint.restore()
        inner = within(handler, (*told, needed.flag))
        flow.branch(m, needed.flag, lambda: inner(m, node), lambda: inner(m, node))

    return run


def _is_new(found: KeysNeeded, told: tuple[Tensor, ...]) -> bool:
    """Whether another test may tell more: one flag is tested once."""
    return len(told) < MAX_SPLITS and not any(found.flag is one for one in told)
