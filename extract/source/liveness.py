"""Which local names may be read after a statement before they are assigned again.

A backward data-flow analysis over the core tree.  With `live_after` written at the right:

    total = 0              total, rows
    for row in rows:       total
        total = total + row    total
    return total           (nothing)

Names that nested functions or generators capture are live everywhere, because nothing here knows
when those run.  The result errs towards live: `with` may swallow an exception, any statement of a
`try` may raise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.records import dataclass
from graph_program.extract.source.analyses import once_for_each
from graph_program.extract.source.names_read import Reads, captured_names

Names = frozenset[str]
NOTHING: Names = frozenset()


@once_for_each
def live_after(function: tree.Function) -> dict[int, Names]:
    """The live names after every statement of `function`.

    Parameters
    ----------
    function : tree.Function
        Its nested functions are not entered: analyse each for itself.

    Returns
    -------
    dict
        From `id(stmt)` to those of `function.locals` that may be read after `stmt` before being
        assigned.  After a statement that leaves, what is live where it leaves to.
    """
    return _Analysis(function).run()


@dataclass(frozen=True)
class _Exits:
    """What is live where control may go other than to the next statement."""

    returned: Names = NOTHING
    raised: Names = NOTHING
    labels: Mapping[str, Names] = field(default_factory=dict)

    def through(self, live: Names) -> _Exits:
        """The exits of a body whose every way out first runs code before which `live` is live."""
        return _Exits(live, live, dict.fromkeys(self.labels, live))

    def everything(self) -> Names:
        return self.returned.union(self.raised, *self.labels.values())


@dataclass
class _Effect:
    """What one evaluation does to liveness: `reads` become live, `kills` stop being so."""

    reads: Names
    kills: Names

    def before(self, after: Names) -> Names:
        return self.reads | (after - self.kills)


class _Analysis:
    """One run over one function; what it learns only grows, so loops reach a fixed point."""

    def __init__(self, function: tree.Function):
        self.function = function
        self.always = frozenset(captured_names(function)) & function.locals
        self.result: dict[int, Names] = {}
        self.effects: dict[tuple[int, int], _Effect] = {}
        self.heads: dict[int, Names] = {}
        self.settled: dict[int, tuple[Names, _Exits, Names]] = {}

    def run(self) -> dict[int, Names]:
        self.block(self.function.body, NOTHING, _Exits())
        return {key: live | self.always for key, live in self.result.items()}

    def block(self, stmts: tuple[tree.Stmt, ...], after: Names, exits: _Exits) -> Names:
        """What is live before `stmts`, given what is live after them."""
        for stmt in reversed(stmts):
            live = _leaving(stmt, after, exits)
            self.result[id(stmt)] = self.result.get(id(stmt), NOTHING) | live
            after = _RULES[type(stmt)](self, stmt, live, exits) | exits.raised
        return after

    def effect(self, key: tree.Node, part: int, take: Callable[[Reads], None]) -> _Effect:
        """The effect of one evaluation, worked out once."""
        known = self.effects.get((id(key), part))
        if known is None:
            reads = Reads()
            take(reads)
            names = self.function.locals
            known = _Effect(frozenset(reads.names) & names, frozenset(reads.assigned) & names)
            self.effects[id(key), part] = known
        return known

    # ------------------------------------------------------------ rules

    def simple(self, stmt: tree.Stmt, after: Names, exits: _Exits) -> Names:
        return self.effect(stmt, 0, lambda reads: _evaluate(stmt, reads)).before(after)

    def branch(self, stmt: tree.If, after: Names, exits: _Exits) -> Names:
        body = self.block(stmt.body, after, exits)
        orelse = self.block(stmt.orelse, after, exits)
        return self.effect(stmt, 0, lambda reads: reads.take(stmt.test)).before(body | orelse)

    def while_loop(self, stmt: tree.While, after: Names, exits: _Exits) -> Names:
        test = self.effect(stmt, 0, lambda reads: reads.take(stmt.test))
        return self.loop(stmt, after, exits, lambda body: test.before(body | after))

    def for_loop(self, stmt: tree.For, after: Names, exits: _Exits) -> Names:
        items = self.effect(stmt, 0, lambda reads: reads.take(stmt.iter))
        bound = self.effect(stmt, 1, lambda reads: reads.take_target(stmt.target))
        head = self.loop(stmt, after, exits, lambda body: bound.before(body) | after)
        return items.before(head)

    def loop(
        self,
        stmt: tree.While | tree.For,
        after: Names,
        exits: _Exits,
        head_of: Callable[[Names], Names],
    ) -> Names:
        """What is live at the head: the least fixed point, continued from the last visit."""
        settled = self.settled.get(id(stmt))
        if settled is not None and settled[0] == after and settled[1] == exits:
            return settled[2]
        head = self.heads.get(id(stmt), NOTHING) | head_of(NOTHING) | exits.raised
        while True:
            grown = head | head_of(self.block(stmt.body, head, exits))
            if grown == head:
                break
            head = grown
        self.heads[id(stmt)] = head
        self.settled[id(stmt)] = (after, exits, head)
        return head

    def labelled(self, stmt: tree.Block, after: Names, exits: _Exits) -> Names:
        return self.block(stmt.body, after, replace(exits, labels={**exits.labels, stmt.label: after}))

    def trying(self, stmt: tree.Try, after: Names, exits: _Exits) -> Names:
        if stmt.final:
            final = self.block(stmt.final, after | exits.everything(), exits)
            after, exits = final, exits.through(final)
        caught = exits.raised
        for handler in reversed(stmt.handlers):
            caught = self.handler(handler, after, exits) | caught
        orelse = self.block(stmt.orelse, after, exits)
        return self.block(stmt.body, orelse, replace(exits, raised=caught)) | caught

    def handler(self, handler: tree.Handler, after: Names, exits: _Exits) -> Names:
        """A handler deletes its name at its end."""
        own = frozenset({handler.name} if handler.name else ())
        body = self.block(handler.body, after - own, exits) - own
        return self.effect(handler, 0, lambda reads: reads.take(handler.type)).before(body)

    def context(self, stmt: tree.With, after: Names, exits: _Exits) -> Names:
        inside = replace(exits, raised=exits.raised | after)
        body = self.block(stmt.body, after, inside) | after
        return self.effect(stmt, 0, lambda reads: _enter(stmt, reads)).before(body)


def _leaving(stmt: tree.Stmt, after: Names, exits: _Exits) -> Names:
    """What is live after `stmt` runs: for a statement that leaves, at where it goes."""
    if isinstance(stmt, tree.Return):
        return exits.returned
    if isinstance(stmt, tree.Raise):
        return exits.raised
    if isinstance(stmt, tree.Leave):
        return exits.labels[stmt.label]
    return after


def _evaluate(stmt: tree.Stmt, reads: Reads) -> None:
    """The reads and assignments of a statement without parts."""
    if isinstance(stmt, tree.Assign):
        reads.take(stmt.value)
        for target in stmt.targets:
            reads.take_target(target)
    elif isinstance(stmt, tree.AugAssign):
        reads.take(stmt.target)
        reads.take(stmt.value)
        reads.take_target(stmt.target)
    elif isinstance(stmt, tree.Delete):
        for target in stmt.targets:
            reads.take(target)
            reads.take_target(target)
    elif isinstance(stmt, tree.FunctionDef):
        reads.take(stmt.function)
        reads.assigned.add(stmt.function.name)
    elif isinstance(stmt, tree.ImportName):
        reads.assigned.add(stmt.target)
    else:
        reads.take(stmt)


def _enter(stmt: tree.With, reads: Reads) -> None:
    for manager, target in stmt.items:
        reads.take(manager)
        if target is not None:
            reads.take_target(target)


_RULES: dict[type[tree.Stmt], Callable[[_Analysis, Any, Names, _Exits], Names]] = {
    tree.Assign: _Analysis.simple,
    tree.AugAssign: _Analysis.simple,
    tree.ExprStmt: _Analysis.simple,
    tree.Leave: _Analysis.simple,
    tree.Return: _Analysis.simple,
    tree.Raise: _Analysis.simple,
    tree.Delete: _Analysis.simple,
    tree.FunctionDef: _Analysis.simple,
    tree.ImportName: _Analysis.simple,
    tree.Unsupported: _Analysis.simple,
    tree.If: _Analysis.branch,
    tree.While: _Analysis.while_loop,
    tree.For: _Analysis.for_loop,
    tree.Block: _Analysis.labelled,
    tree.Try: _Analysis.trying,
    tree.With: _Analysis.context,
}
