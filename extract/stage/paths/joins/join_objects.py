"""Objects: what their contents merge to, and those that a round of a loop makes and a later one may still have.

    last = None                     last.x := ...
    for v in x:             ->      loop:
        if last is not None: ...        ... last.x ...
        last = Point(v)                 last.x := v

At the loop's head such an object is one of its own, whose contents are merge variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.state import State
from graph_program.extract.stage.paths.joins import key_order, strategies
from graph_program.extract.stage.paths.joins.join_mixtures import mixed
from graph_program.extract.stage.paths.joins.meeting import Meeting, Pairs, as_it_was, each, fits, given_to, takes
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.values import UNBOUND, Ref, Value

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join


def carried(join: Join, ref: Ref, state: State, hint: str) -> Value:
    """The object at a loop's head that stands for one which a round has made; others as they are."""
    contents = state.heap.get(ref, join.heap.get(ref))
    if ref.born < join.since or contents is None or ref in join.heap:
        return ref
    key = (id(ref),)
    if key not in join.memo:
        join.kept.append(ref)
        merged = join.memo[key] = Ref(ref.cls, join.m.loc, (ref,), join.number)
        join.heap[merged] = _carried_contents(join, contents, state, hint)
    return join.memo[key]


def _carried_contents(join: Join, contents: Any, state: State, hint: str) -> Any:
    if isinstance(contents, Growing):
        return strategies.merged_columns(join, [contents], [state], hint)
    if isinstance(contents, tuple):
        return tuple(join.own(v, state, f"{hint}.{i}") for i, v in enumerate(contents))
    return {k: join.own(v, state, f"{hint}.{k}") for k, v in contents.items()}


# ---------------------------------------------------------------- what they merge to


def merged(join: Join, refs: Sequence[Ref], states: Sequence[State], hint: str) -> Value:
    """The object that several of one class merge to: a new one with merged contents."""
    first = refs[0]
    contents = [s.heap.get(r, join.heap.get(r)) for r, s in zip(refs, states, strict=True)]
    for ref, held in zip(refs, contents, strict=True):
        entries.require_whole(join.m, ref, held)
    if any(r.cls is not first.cls for r in refs) or any(c is None for c in contents):
        return mixed(join, refs)
    result = Ref(first.cls, join.m.loc, tuple(refs), join.number)
    if not same_outline(contents):
        join.structural = True
        grown = _grown(join, contents, states, hint)
        if grown is None:
            return mixed(join, refs)
        join.heap[result] = grown
        return result
    join.memo[tuple(map(id, refs))] = result
    join.heap[result] = merged_contents(join, contents, states, hint)
    return result


def merged_contents(join: Join, contents: Sequence[Any], states: Sequence[State], hint: str) -> Any:
    """Merged contents of an object: a tuple of items, columns, or a dict."""
    if not same_outline(contents):
        join.structural = True
        grown = _grown(join, contents, states, hint)
        return (strategies.unmerged(join, contents),) if grown is None else grown
    if isinstance(contents[0], tuple):
        return tuple(join.generalize(c, states, f"{hint}.{i}") for i, c in enumerate(zip(*contents, strict=True)))
    keys, ordered = key_order.of_keys(contents)
    join.structural |= not ordered or any(len(c) < len(keys) for c in contents)
    found = {k: join.generalize([c.get(k, UNBOUND) for c in contents], states, f"{hint}.{k}") for k in keys}
    return found if ordered else key_order.AnyOrder(found)


def _grown(join: Join, contents: Sequence[Any], states: Sequence[State], hint: str) -> Growing | None:
    """Contents of computed length for those of lists of different lengths."""
    return strategies.merged_columns(join, contents, states, hint) if strategies.is_contents(contents) else None


def same_outline(contents: Sequence[Any]) -> bool:
    """Whether contents of objects merge item by item."""
    first = contents[0]
    if any(c is None or _kind(c) is not _kind(first) or isinstance(c, Growing) for c in contents):
        return False
    return not isinstance(first, tuple) or all(len(c) == len(first) for c in contents)


def _kind(contents: Any) -> type:
    return dict if isinstance(contents, dict) else type(contents)


# ---------------------------------------------------------------- what a path has for them


@takes.of(Ref)
def _takes(at: Meeting, head: Ref, value: Value) -> bool:
    given = strategies.given(head, value, at.heap)
    return given is not None and head in at.join.heap and contents_fit(at, at.heads[head], given)


def contents_fit(at: Meeting, head: Any, value: Any) -> bool:
    """`fits` for the contents of an object."""
    if isinstance(head, Growing):
        return strategies.columns_fit(at.join, head, value, at.heap)
    if not same_outline([head, value]):
        return False
    if isinstance(head, tuple):
        return all(fits(at, h, v) for h, v in zip(head, value, strict=True))
    if any(k not in head for k in value) or not key_order.fits(head, value):
        return False
    return all(fits(at, h, value.get(k, UNBOUND)) for k, h in head.items())


@given_to.of(Ref)
def _given(at: Meeting, head: Ref, value: Value) -> Pairs:
    if head is value:
        yield head, value
    elif (contents := strategies.given(head, value, at.heap)) is not None:
        yield head, value
        yield from content_pairs(at, at.heads[head], contents)


def content_pairs(at: Meeting, head: Any, value: Any) -> Pairs:
    """`pairs` for the contents of an object."""
    if head is value:
        for part in head.values() if isinstance(head, dict) else head if isinstance(head, tuple) else ():
            yield from as_it_was(at.join, part)
    elif isinstance(head, Growing):
        yield from strategies.pairs_of_columns(at.join, head, value, at.heap)
    elif same_outline([head, value]):
        inside = zip(head, value, strict=True) if isinstance(head, tuple) else _entries(head, value)
        yield from each(at, inside)


def _entries(head: dict[Any, Value], value: dict[Any, Value]) -> Pairs:
    for key, one in head.items():
        yield one, value.get(key, UNBOUND)
