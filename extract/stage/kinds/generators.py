"""Generator expressions: each element is computed when it is asked for.

    for v in (f(k) for k in r if k > 0):            for k in r:
        ...                                 ->          if k > 0:
                                                            v = f(k)
                                                            ...

What goes through all elements at once (`sum`, `list`, ...) has them in a list.  A generator that something
else might go through later, or in part, is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeGuard

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir import tree
from graph_program.extract.source.assigned_names import assigned_in_target, assigned_names
from graph_program.extract.source.names_read import mentioned, walk
from graph_program.extract.stage.kinds import explicit_iterators
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.host_contents import Made
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.paths import iterator_exhaustion
from graph_program.extract.stage.values.questions import is_iteration
from graph_program.extract.stage.values.values import Iteration, Value

KIND = "generator"
METHODS = frozenset({"update", "extend", "extendleft", "subtract", "union", "intersection", "difference", "issubset"})
"""Methods of containers on the host that go through an iterable; the containers change while they do."""
INSIDE = ".in_generator"
"""Ends the names of a generator's variables where a loop has them."""


def made(m: Machine, contents: Value, apart: bool) -> Iteration:
    """A generator of these elements."""
    result = Iteration(KIND, (contents,), apart=apart)
    m.iterators.generators.append(result)
    return result


def is_generator(value: Value) -> TypeGuard[Iteration]:
    """Whether a value is what a generator expression gives."""
    return is_iteration(value, KIND)


def kept(m: Machine) -> GraphProgramError:
    """The refusal of a generator that is not gone through at once."""
    return m.error(
        "GP332",
        "a generator that is kept runs later, and only once, which has no graph form",
        hint="write a list, in square brackets",
    )


def given_to(m: Machine, function: Value, args: list[Value]) -> list[Value]:
    """The arguments of a call, with the elements of generators that it goes through at once."""
    if not any(map(is_generator, args)) or not _is_consumer(function, args):
        return args
    return elements_of(m, args)


def _is_consumer(function: Value, args: Sequence[Value]) -> bool:
    if isinstance(getattr(function.method, "owner", None), Made):
        return function.method.name in METHODS and all(v.apart for v in args if isinstance(v, Iteration))
    return explicit_iterators.goes_through(function)


def elements_of(m: Machine, args: Sequence[Value]) -> list[Value]:
    """Values, with all elements of what is a generator."""
    found = []
    for value in args:
        if is_generator(value):
            iterator_exhaustion.consume(m, value)
            found.append(value.parts[0])
        else:
            found.append(value)
    return found


def refuse_kept(m: Machine, since: int) -> None:
    """Refuse generators made since that nothing has gone through."""
    made_here = m.iterators.generators[since:]
    del m.iterators.generators[since:]
    if m.state is not None and any(value not in m.iterators.emptied for value in made_here):
        raise kept(m)


# ---------------------------------------------------------------- loops over generators


def unfolded(loop: tree.For) -> tree.For | None:
    """A loop over a generator expression as a loop over what that goes over; None where names are in the way."""
    found = loop.iter
    if not isinstance(found, tree.Comprehension) or found.kind != KIND:
        return None
    variables = _variables(found)
    if variables is None or len(found.clauses) > 1:
        return None
    clause, loc = found.clauses[0], loop.loc
    own = [tree.Name(new, loc=loc) for new in variables.values()]
    drop = (tree.Delete(tuple(own), loc=loc),)
    element = tree.Assign((loop.target,), _renamed(found.element, variables), loc=found.element.loc)
    body: tuple[tree.Stmt, ...] = (element, *drop, *loop.body)
    if clause.ifs:
        tests = tuple(_renamed(test, variables) for test in clause.ifs)
        test = tests[0] if len(tests) == 1 else tree.BoolOp("and", tests, loc=tests[0].loc)
        body = (tree.If(test, body, drop, loc=test.loc),)
    return dataclasses.replace(loop, target=_renamed(clause.target, variables), iter=clause.iter, body=body)


@contextmanager
def in_the_frame(m: Machine, loop: tree.For) -> Iterator[None]:
    """Run an unfolded loop, whose variables are local names of the frame as well."""
    frame = m.current_frame
    outer = frame.function
    frame.function = dataclasses.replace(outer, locals=outer.locals | assigned_in_target(loop.target))
    try:
        yield
    finally:
        frame.function = outer


def gone_through_by(m: Machine, loop: tree.For, iterable: Value, before: Checkpoint) -> Callable[[], None]:
    """See that a loop does nothing between the elements that a generator would notice; call the result behind it.

    `before` was taken before the iterable was evaluated: what an element raises, it raises in its round.
    """
    if not _goes_through_one(iterable):
        return lambda: None
    if not before.has_no_way_out() or mentioned(loop.iter) & assigned_names(loop.body):
        raise kept(m)
    writes = m.writes

    def done() -> None:
        m.node_loc = loop.iter.loc
        if m.writes != writes:
            raise kept(m)

    return done


def _goes_through_one(value: Value) -> bool:
    """Whether an iterator takes its elements from a generator."""
    return is_generator(value) or (isinstance(value, Iteration) and any(map(_goes_through_one, value.parts)))


def spliced(node: tree.Comprehension) -> tree.Comprehension:
    """A comprehension over a generator expression as one over what that goes over."""
    clauses: list[tree.CompFor] = []
    for clause in node.clauses:
        inner = clause.iter
        variables = _variables(inner) if isinstance(inner, tree.Comprehension) and inner.kind == KIND else None
        if variables is None or not isinstance(inner, tree.Comprehension):
            clauses.append(clause)
            continue
        clauses += [_renamed(c, variables, first=i == 0) for i, c in enumerate(inner.clauses)]
        element = _renamed(inner.element, variables)
        clauses.append(dataclasses.replace(clause, iter=tree.ListExpr((element,), loc=element.loc)))
    return dataclasses.replace(node, clauses=tuple(clauses))


def _variables(node: tree.Comprehension) -> dict[str, str] | None:
    """New names for a generator's variables; None where something inside has names of its own."""
    if any(isinstance(part, tree.Lambda | tree.Comprehension) and part is not node for part in walk(node)):
        return None
    names = frozenset[str]().union(*(assigned_in_target(c.target) for c in node.clauses))
    return {name: f"{name}{INSIDE}" for name in sorted(names)}


def _renamed(node: Any, names: Mapping[str, str], first: bool = False) -> Any:
    """A node with other names; of a first clause, not in what it goes over."""
    if isinstance(node, tuple):
        return tuple(_renamed(part, names) for part in node)
    if isinstance(node, tree.Name):
        return dataclasses.replace(node, id=names.get(node.id, node.id))
    if not isinstance(node, tree.Node):
        return node
    fields = (f.name for f in dataclasses.fields(node) if f.name != "loc" and not (first and f.name == "iter"))
    return dataclasses.replace(node, **{name: _renamed(getattr(node, name), names) for name in fields})
