"""Rounds evaluated one by one: of loops over what is known, and over arrays that may be shorter than that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from graph_program.extract.ir import tree
from graph_program.extract.stage.language.syntax import statement_temporaries
from graph_program.extract.stage.language.syntax.targets import assign
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import reaching
from graph_program.extract.stage.numbers.arithmetic import compare
from graph_program.extract.stage.operations import iteration
from graph_program.extract.stage.paths import splitting
from graph_program.extract.stage.paths.flow import exit_block, leave_if
from graph_program.extract.stage.paths.narrowing import narrow
from graph_program.extract.stage.values.inside import iterated
from graph_program.extract.stage.values.questions import is_ref_to
from graph_program.extract.stage.values.values import DictView, Ref, Static, Tuple, Value, births


def owners(iterable: Value) -> list[Ref]:
    """The lists and dicts that a loop goes through."""
    parts = (part.dictionary if isinstance(part, DictView) else part for part in iterated(iterable))
    return [part for part in parts if is_ref_to(part, list, dict)]


def unroll_items(m: Machine, node: tree.For, items: Sequence[Value]) -> None:
    """Evaluate the body once per item."""
    unroll(m, node, items.__getitem__, len(items), [])


def unroll(m: Machine, node: tree.For, item: Callable[[int], Value], count: int, going_through: list[Ref]) -> None:
    """Evaluate the body once per item; items are looked at in their turn, as the body may write to them."""
    lengths, began = lengths_of(m, going_through), next(births)

    def one(position: int) -> None:
        m.node_loc, m.loops.unrolled = node.target.loc, m.loops.unrolled + 1
        round_of(m, node, item(position))
        for ref, length in lengths if m.state is not None else ():
            check_unchanged(m, node, ref, length)

    def rounds(first: int) -> None:
        for position in range(first, count):
            if splitting.apart(m, partial(one, position), partial(rounds, position), began) or m.state is None:
                return

    rounds(0)


def round_of(m: Machine, node: tree.For, item: Value, began: int | None = None) -> None:
    """One round: the target is the item, and the body runs, for each thing that an item made since may be."""
    began = next(births) if began is None else began
    assign(m, node.target, item)
    entries.run_body(m, statement_temporaries.in_steps(m, node.body), began)


def lengths_of(m: Machine, going_through: Sequence[Ref]) -> list[tuple[Ref, int]]:
    """How long the lists and dicts are that a loop goes through."""
    held = [(ref, m.live.heap[ref]) for ref in going_through]
    return [(ref, len(contents)) for ref, contents in held if isinstance(contents, tuple | dict)]


@iteration.checked_rounds.given
def checked_rounds(
    m: Machine, node: tree.Node, source: iteration.Source, run: Callable[[Value], None], going_through: Sequence[Ref]
) -> None:
    assert source.most is not None
    lengths, names = lengths_of(m, going_through), m.current_frame.id
    label, held, place = m.fresh("exhausted"), f"<iterated {next(m.naming.counter)}>", m.node_loc
    m.live.frames[names][held] = Tuple(source.arrays)
    with exit_block(m, label, node), reaching(m):
        there = source.trips()
        for position in range(source.most):
            m.node_loc, m.loops.unrolled = place, m.loops.unrolled + 1
            over = compare(m, "<=", there, Static(position))
            leave_if(m, label, over)
            narrow(m.live, over, holds=False)
            run(source.item(Static(position)))
            for ref, length in lengths if m.state is not None else ():
                check_unchanged(m, node, ref, length)
            if m.state is None:
                break
    if m.state is not None:
        m.live.frames[names].pop(held, None)


def check_unchanged(m: Machine, node: tree.Node, owner: Ref, length: int) -> None:
    """Refuse a loop whose body makes what it goes through longer or shorter."""
    contents = m.live.heap[owner]
    if not isinstance(contents, tuple | dict) or len(contents) != length:
        m.node_loc = node.iter.loc if isinstance(node, tree.For) else node.loc
        raise m.error(
            "GP319",
            f"this {owner.cls.__name__} changes its length while it is iterated",
            hint="iterate over a copy of it: list(...)",
        )
