"""Objects that a round of a loop makes and a later one may still have.

    last = None                     last.x := ...
    for v in x:             ->      loop:
        if last is not None: ...        ... last.x ...
        last = Point(v)                 last.x := v

At the loop's head such an object is one of its own, whose contents are merge variables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_program.extract.stage.machine.state import State
from graph_program.extract.stage.paths.joins import strategies
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.values import Ref, Value

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
        join.heap[merged] = _contents(join, contents, state, hint)
    return join.memo[key]


def _contents(join: Join, contents: Any, state: State, hint: str) -> Any:
    if isinstance(contents, Growing):
        return strategies.merged_columns(join, [contents], [state], hint)
    if isinstance(contents, tuple):
        return tuple(join.own(v, state, f"{hint}.{i}") for i, v in enumerate(contents))
    return {k: join.own(v, state, f"{hint}.{k}") for k, v in contents.items()}
