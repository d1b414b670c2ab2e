"""Iterators that a program steps itself: `next(it)`, and loops that go on where it is.

it = iter(x)                    an object with x and a position
best = next(it)                 x[0]; StopIteration where there is none
for v in it:                    the rest of x: by number, where nothing else asks it for elements,
    best = max(best, v)         else one `next` in each round

The same goes for objects of the user's with a `__next__`.
"""

from __future__ import annotations

import collections
import functools
import heapq
import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeGuard

import numpy as np

from graph_program.extract.ir import tree
from graph_program.extract.library import in_python, iterators
from graph_program.extract.source.assigned_names import assigned_and_bound, assigned_in_target
from graph_program.extract.source.names_read import mentioned
from graph_program.extract.stage.machine import state
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import ensure_reachable, leave, reaching
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import iteration, objects
from graph_program.extract.stage.operations.iteration import held, is_iterator
from graph_program.extract.stage.operations.known_and_truth import settled
from graph_program.extract.stage.operations.objects import python_class
from graph_program.extract.stage.paths import iterator_exhaustion, loop_heads, splitting
from graph_program.extract.stage.paths.flow import exit_block
from graph_program.extract.stage.values.column_data import SEQUENCES
from graph_program.extract.stage.values.inside import inner_values, items_of, iterated
from graph_program.extract.stage.values.questions import (
    are_known,
    is_false,
    is_iteration,
    is_known,
    is_known_as,
    is_ref_to,
    known_value,
)
from graph_program.extract.stage.values.structure import class_name, is_host
from graph_program.extract.stage.values.values import (
    DictView,
    Iteration,
    Range,
    Ref,
    Static,
    Tensor,
    Tuple,
    Value,
    births,
)

OURS = (iterators.iterator, iterators.keys, iterators.counter)
JOINED = ("zip", "enumerate")


def begun(m: Machine, obj: Value) -> Value | None:
    """`iter(obj)`; None for what has no such iterator here.

    Raises
    ------
    DTypeError
        For what Python cannot go through.
    """
    if is_iteration(obj, "iter"):
        obj = obj.parts[0]
    if isinstance(obj, Iteration) or is_iterator(obj):
        return obj
    if objects.user_method(obj, "__iter__") is not None and not _is_sequence(obj):
        found = iteration.own_iterator(m, obj)
        return None if found is None else begun(m, found)
    of = obj.dictionary if isinstance(obj, DictView) else obj
    if is_ref_to(of, dict) or is_known_as(of, dict):
        items = iteration.structure_items(m, obj)
        return None if items is None else _made(m, iterators.keys, Tuple(tuple(items)), of)
    if _is_sequence(obj):
        return _made(m, iterators.iterator, obj)
    if isinstance(obj, Static | Tensor) and not hasattr(type(getattr(obj, "value", 0)), "__iter__"):
        raise m.error("GP315", f"'{class_name(obj)}' object is not iterable", raised=True)
    return None


def _is_sequence(obj: Value) -> bool:
    if is_known(obj):
        return isinstance(obj.value, list | tuple | str | bytes | range)
    return obj.rank > 0 or isinstance(obj, Tuple | Range) or is_ref_to(obj, *SEQUENCES)


def _made(m: Machine, cls: type, *args: Value) -> Value:
    return entries.call(m, Static(cls), list(args), {})


def following(m: Machine, iterator: Value, *default: Value) -> Value:
    """`next(iterator)`, `next(iterator, default)`."""
    require_there(m, iterator)
    program: Callable[..., Any]
    if isinstance(iterator, Iteration):
        iterator_exhaustion.require_whole(m, iterator)
        program = iterators.first_or if default else iterators.first
    elif is_iterator(iterator):
        program = iterators.following_or if default else iterators.following
    else:
        text = f"'{class_name(iterator)}' object is not an iterator"
        raise m.error("GP315", text, hint="next(iter(...))", raised=True)
    return entries.run(m, program, iterator, *default)


# ---------------------------------------------------------------- all that is left


def given_to(m: Machine, function: Value, args: list[Value], keywords: dict[str, Value]) -> list[Value]:
    """The arguments of a call, with all that iterators have left where it takes that before it does anything else."""
    if not takes_all(function, args, keywords):
        return args
    return [_all_of(m, arg) for arg in args]


def _all_of(m: Machine, value: Value) -> Value:
    require_there(m, value)
    if isinstance(value, Iteration) and _take_turns(value):
        return entries.run(m, iterators.collected, as_one(m, value))
    if not is_iterator(value):
        return value
    return entries.run(m, iterators.rest if _is_ours(value) else iterators.collected, value)


@iteration.source.of(Ref, holding=(iterators.iterator, iterators.keys, iterators.counter))
def rest(m: Machine, value: Ref) -> iteration.Source:
    """What an iterator of ours has left, for something that goes through it; then it cannot be used again."""
    require_there(m, value)
    names = m.live.heap[value]
    items, k = names["_items"], names["_next"]
    if value.cls is iterators.counter:
        source = iteration.iterate(m, entries.run(m, iterators.rest, value))
    elif known_value(k, -1) >= 0:
        source = _behind(m, iteration.iterate(m, items), known_value(k))
    elif isinstance(items, Tensor):
        source = iteration.iterate(m, entries.run(m, iterators.left, value))
    else:
        raise m.error(
            "GP332",
            "how many elements of this iterator have been taken is not known here",
            hint="go through it with a `for` loop, or make a list of the rest: list(it)",
        )
    _use_up(m, value)
    return source


@iteration.taken_by_turns.given
def turns(m: Machine, value: Iteration) -> iteration.Source | None:
    if m.iterators.ahead or not _take_turns(value):
        return None
    source = iteration.iterate(m, entries.run(m, iterators.collected, as_one(m, value)))
    for found in set(iterators_in(value)):
        _use_up(m, found)
    return source


def _take_turns(value: Iteration) -> bool:
    found = list(iterators_in(value))
    return value.kind in JOINED and not value.strict and len(set(found)) < len(found)


def iterators_in(value: Value) -> Iterator[Ref | Static]:
    """The iterators that a program steps itself in `zip`, `enumerate` and the like."""
    return (part for part in iterated(value) if isinstance(part, Ref | Static) and is_iterator(part))


def as_one(m: Machine, value: Value) -> Value:
    """`zip` and `enumerate` as objects that are stepped."""
    if not is_iteration(value, *JOINED):
        return value
    iterator_exhaustion.consume(m, value)
    parts = [as_one(m, part) for part in value.parts]
    if value.kind == "zip":
        return _made(m, iterators.together, *parts)
    return _made(m, iterators.numbered, *parts, value.start or Static(0))


def _behind(m: Machine, source: iteration.Source, first: int) -> iteration.Source:
    """A source without its first elements."""
    if not first:
        return source

    def trips() -> Value:
        left = arithmetic.arithmetic(m, "-", source.trips(), Static(first))
        return arithmetic.select_int(m, arithmetic.compare(m, ">", left, Static(0)), left, Static(0))

    items, count = source.items, source.count
    return replace(
        source,
        trips=trips,
        item=lambda k: source.item(arithmetic.arithmetic(m, "+", k, Static(first))),
        items=None if items is None else lambda: items()[first:],
        count=None if count is None else max(count - first, 0),
    )


def handed_over(m: Machine, values: Iterable[Value]) -> None:
    """Host code that gets iterators takes of them what it wants: nothing else may ask them for elements.

    Raises
    ------
    UnsupportedError
        Where something has gone through one of them.
    """
    for value in values:
        for found in (value, *host_entries.contents(m, value)):
            if _is_ours(found):
                require_there(m, found)
                _use_up(m, found)


def _use_up(m: Machine, value: Value) -> None:
    if not m.iterators.ahead and _is_ours(value):
        m.live.heap[value] = {**m.live.heap[value], "_gone": Static(True)}
        m.live.consumed = {**m.live.consumed, value: (m.loc, m.loops.unrolled)}


def _is_ours(value: Value) -> TypeGuard[Ref]:
    return is_ref_to(value, *OURS)


def require_there(m: Machine, value: Value) -> None:
    """Refuse an iterator that something has gone through, as far as that goes; the same pass may look at it again."""
    if _is_ours(value):
        gone = m.live.heap[value]["_gone"]
        again = m.live.consumed.get(value) == (m.loc, m.loops.unrolled)
        if not (is_false(gone) or (again and are_known([gone]))):
            raise iterator_exhaustion.gone(m)


# ---------------------------------------------------------------- loops


def to_step(m: Machine, node: tree.For, value: Value) -> Value | None:
    """What a loop steps, an element in each round; None for what it can go through by number."""
    found = list(iterators_in(value))
    joined = is_iteration(value, *JOINED) and not value.strict
    if not found or not (joined or found == [value]) or is_host(value):
        return None
    apart = len(set(found)) == len(found) and all(_is_only_in(m, node, iterator) for iterator in found)
    return None if apart else as_one(m, value)


def _is_only_in(m: Machine, node: tree.For, value: Ref | Static) -> bool:
    """Whether nothing but a loop asks an iterator of ours for elements, during it and after it."""
    frame = m.frame
    if not _is_ours(value) or frame is None or frame.live_now is None:
        return False
    having = {name for name, v in m.live.frames[frame.id].items() if _has(v, value)}
    used = frame.live_now.union(*map(mentioned, node.body))
    elsewhere = (v for number, table in m.live.frames.items() if number != frame.id for v in table.values())
    inside = (v for contents in m.live.heap.values() for v in items_of(contents))
    known = is_known(m.live.heap[value]["_next"])
    return known and having.isdisjoint(used) and not any(_has(v, value) for v in (*elsewhere, *inside))


def _has(value: Value, iterator: Ref) -> bool:
    return any(part is iterator for part in inner_values({}, value))


def run_loop(m: Machine, node: tree.For, value: Value) -> None:
    """A loop that asks an iterator for one element in each round."""
    most = _most(m, value)
    if most is not None:
        _unroll(m, node, value, most)
        return
    names = assigned_and_bound(node.body, assigned_in_target(node.target))
    begin = partial(_begin, m, node, value)
    entries.graph_loop(
        m,
        state.Body(*names, begin, lambda _: entries.run_body(m, node.body), loop_heads.live_at_end(m, node)),
        node,
    )


def _begin(m: Machine, node: tree.For, value: Value, label: str) -> None:
    """Ask for an element, and leave the loop where there is none."""
    frame, hidden = m.current_frame.id, f"<next {next(m.naming.counter)}>"

    def ask() -> None:
        with reaching(m):
            m.live.frames[frame][hidden] = following(m, value)

    m.node_loc = node.iter.loc
    entries.with_handlers(m, node, ask, lambda: None, [((StopIteration,), lambda _: leave(m, label))])
    ensure_reachable(m)
    m.node_loc = node.target.loc
    entries.assign(m, node.target, m.live.frames[frame].pop(hidden))


def _most(m: Machine, value: Value) -> int | None:
    """How many elements an iterator may have, where they are taken one by one: those of a list of known length."""
    if not isinstance(value, Ref):
        return None
    names = m.live.heap[value]
    if value.cls in OURS:
        items = iteration.structure_items(m, names["_items"])
        gone = known_value(names["_next"], -1)
        return None if items is None or gone < 0 else len(items) - gone
    if value.cls is iterators.together:
        bounds = [_most(m, part) for part in names["_iterators"].elts]
        return min((b for b in bounds if b is not None), default=None)
    return _most(m, names["_iterator"]) if value.cls in (iterators.numbered, iterators.sliced) else None


def _unroll(m: Machine, node: tree.For, value: Value, most: int) -> None:
    """The rounds one by one; each takes one element or more."""
    label, began = m.fresh("exhausted"), next(births)

    def one() -> None:
        m.loops.unrolled += 1
        _begin(m, node, value, label)
        entries.run_body(m, node.body)

    def rounds(left: int) -> None:
        for k in range(left, 0, -1):
            if splitting.apart(m, one, partial(rounds, k), began) or m.state is None:
                return

    with exit_block(m, label, node), reaching(m):
        rounds(most + 1)


ITERATORS = {
    "zip": zip,
    "enumerate": enumerate,
    "reversed": reversed,
    "map": map,
    "flat": np.flatiter,
    "ndenumerate": np.ndenumerate,
}


python_class.register(Iteration, lambda m, value: ITERATORS.get(value.kind) or python_class.declared(m, value))


@python_class.of(Ref, holding=iterators.iterator)
def _class_of_iterator(m: Machine, value: Ref) -> type:
    """The class of what `iter` makes of a list, tuple, array, range or string; of others, the class that they are."""
    if value.cls is not iterators.iterator:
        return in_python(value.cls)
    items = m.live.heap[value]["_items"]
    if is_known(items):
        return type(iter(items.value))
    return type(iter({list: [], tuple: (), range: range(0), np.ndarray: np.zeros(0)}[python_class(m, items)]))


def made_at_once(
    m: Machine,
    function: Callable[..., Any],
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    read: Iterable[Value],
    make: Callable[[], Iteration],
) -> Value:
    """What `function(*args, **keywords)` gives: an iterator over elements of `read`, all of them computed now.

    Python reads each when it is asked for it, so what they are read of must not change meanwhile.  Where making it runs
    host code, the function itself is called, on the host, so that the code runs when Python runs it.
    """
    before = Checkpoint(m)
    values = tuple(settled(m, value) for value in read)
    result = make()
    if len(m.host.steps) > before.host_steps or len(m.host.effects) > before.effects:
        before.restore()
        return host_entries.call_there(m, function, list(args), dict(keywords))
    return replace(result, held=(values, held(m, values)))


STOPPING = (any, all)
"""Those that end at an element that decides."""
EXHAUSTING = (
    *(sum, min, max, sorted, list, tuple, set, frozenset, dict, bytes, bytearray),
    *(math.fsum, math.prod, np.fromiter, functools.reduce),
    *(collections.Counter, collections.deque, collections.OrderedDict),
    *(statistics.mean, statistics.fmean, statistics.median, statistics.mode, statistics.multimode),
    *(statistics.stdev, statistics.pstdev, statistics.variance, statistics.pvariance),
    *(heapq.nlargest, heapq.nsmallest),
)
"""Those that take all that an iterator has left."""
FROMITER_COUNT = 2
"""Where `np.fromiter(iter, dtype, count)` has the number of elements that it takes."""


def goes_through(function: Value) -> bool:
    """Whether a function goes through an iterable that it is given."""
    return _is_one_of(function, STOPPING) or _is_one_of(function, EXHAUSTING)


def takes_all(function: Value, args: Sequence[Value], keywords: Mapping[str, Value]) -> bool:
    """Whether a call takes all that an iterator has left."""
    if _is_one_of(function, (np.fromiter,)) and ("count" in keywords or len(args) > FROMITER_COUNT):
        return False
    return _is_one_of(function, EXHAUSTING)


def _is_one_of(function: Value, known: tuple[object, ...]) -> bool:
    return any(known_value(function) is one for one in known)
