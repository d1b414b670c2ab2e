"""Branches, values that nobody reads, and the inner graphs of both branches and loops."""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.backends.c.arrays import Array, Nowhere, Place, in_memory, nowhere
from graph_program.backends.c.c_types import kept_type, literal, local_type
from graph_program.backends.c.ends import BREAK
from graph_program.backends.c.expression import Expr, choice, infix, is_simple, negated
from graph_program.backends.c.failing import ending_side
from graph_program.backends.c.function import Function, rule
from graph_program.extract.ir.graph import Graph, Node, Value


@rule("placeholder")
def _placeholder(fn: Function, node: Node) -> Array | Expr:
    """A value that nobody reads."""
    value = node.outputs[0]
    fn.placeholders.add(value)
    if not value.type.rank:
        return literal(value.type.dtype, 0)
    shape = [Expr(str(size.constant or 0)) for size in value.type.shape]
    if all(size.constant for size in value.type.shape):
        return in_memory(fn.allocate(value.type.dtype, shape, value.name), value.type.dtype, shape)
    return in_memory(nowhere(value.type.dtype), value.type.dtype, shape)


def settle_before(fn: Function, node: Node) -> None:
    """Compute what is pending and reads memory that inner graphs may write to."""
    inner = frozenset[Value]().union(*(fn.liveness.users[region] for region in node.regions))
    memory: frozenset[str] = frozenset()
    for value in {*inner, *node.inputs}:
        found = fn.values.get(value)
        if isinstance(found, Array) and found.place is not None and found.place.own:
            memory |= found.place.memory
    if memory:
        initial = frozenset(node.inputs) if node.op == "loop" else frozenset()
        fn.settle(memory, (fn.liveness.behind(node) | inner) - (initial - inner - fn.liveness.behind(node)))


def inner(fn: Function, graph: Graph) -> list[str]:
    """The lines of an inner graph; the caller opens and closes it.

    What is put into memory there, in one branch or round, is not there outside.
    """
    outer = dict(fn.values)
    with fn.apart() as lines:
        fn.indent += 1
        fn.graphs.append(graph)
        fn.run(graph)
        fn.graphs.pop()
        fn.indent -= 1
    fn.values.update(outer)
    return lines


# ---------------------------------------------------------------- branches


@rule("if")
def _if(fn: Function, node: Node) -> None:
    settle_before(fn, node)
    if ending_side(node) is not None:
        fn.place_of(node.loc)
    outer = dict(fn.pending)
    test = fn.number(node.inputs[0])
    if ending_side(node) == 0 and test.text == "false":
        return
    fn.branches += 1
    lines = [_branch(fn, node, number) for number in range(2)]
    given = [[fn.values[value] for value in region.outputs] for region in node.regions]
    if not any(lines) and all(not value.type.rank for value in node.outputs):
        fn.branches -= 1
        _choose(fn, node, test)
        fn.pending = {value: depth for value, depth in fn.pending.items() if value in outer or value in node.outputs}
        return
    for place, output in enumerate(node.outputs):
        if fn.is_read(output):
            sides = [region.outputs[place] for region in node.regions]
            join = _join_arrays if output.type.rank else _join_numbers
            fn.values[output] = join(fn, output, sides, [one[place] for one in given], lines)
    fn.branches -= 1
    fn.pending = outer
    _write_branches(fn, node, test, lines)


def _branch(fn: Function, node: Node, number: int) -> list[str]:
    with fn.ranges.where(node.inputs[0], number == 0):
        return inner(fn, node.regions[number])


def _choose(fn: Function, node: Node, test: Expr) -> None:
    """A branch that computes nothing is a choice of numbers."""
    read = [output for output in node.outputs if fn.is_read(output)]
    if len(read) > 1 and test.level:
        test = fn.variable("bool", "test", test)
    for place, output in enumerate(node.outputs):
        if output in read:
            sides = [region.outputs[place] for region in node.regions]
            a, b = (fn.number(side) for side in sides)
            only = _only(fn, sides, (a, b))
            fn.define(output, _one_of(test, a, b) if only is None else only, node)


def _only(fn: Function, sides: Sequence[Value], given: Sequence[Expr]) -> Expr | None:
    """What a choice gives whatever its test says; None if there is no such expression.

    Nobody reads what stands for a value that is not there.  The other side is computed instead if it is there
    already: an expression may read behind an array, or divide by zero, where its side is not taken.
    """
    if given[0].text == given[1].text:
        return given[0]
    for side, other in zip(sides, reversed(given), strict=True):
        if side in fn.placeholders and is_simple(other):
            return other
    return None


def _one_of(test: Expr, yes: Expr, no: Expr) -> Expr:
    """`test ? yes : no`; of flags also `test && yes` and `test || no`."""
    if no.text == "false":
        return infix("&&", test, yes)
    return infix("||", test, no) if yes.text == "true" else choice(test, yes, no)


def _join_numbers(
    fn: Function, output: Value, sides: Sequence[Value], given: Sequence[Array | Expr], lines: list[list[str]]
) -> Expr:
    """The variable that both sides assign."""
    a, b = (fn.number(side) for side in sides)
    if a.text == b.text:
        return a
    undefined = [side in fn.placeholders for side in sides]
    name = fn.fresh(output.name)
    fn.line(f"{local_type(output.type.dtype)} {name}{' = 0' if any(undefined) else ''};")
    for number, value in enumerate((a, b)):
        if not undefined[number]:
            within(fn, lines[number], f"{name} = {value.text};")
    return Expr(name)


def within(fn: Function, lines: list[str], text: str) -> None:
    lines.append("    " * (fn.indent + 1) + text)


def _join_arrays(
    fn: Function, output: Value, sides: Sequence[Value], given: Sequence[Array | Expr], lines: list[list[str]]
) -> Array:
    """The pointer that both sides set."""
    arrays = [fn.array(side) for side in sides]
    if any(side in fn.unsized or isinstance(arrays[number].place, Nowhere) for number, side in enumerate(sides)):
        fn.unsized.add(output)
    for number, side in enumerate(sides):
        if arrays[number].place is None:
            with fn.apart() as made:
                fn.indent += 1
                arrays[number] = fn.materialized(arrays[number], None, output.name)
                fn.indent -= 1
            lines[number] += made
        elif side in fn.placeholders and isinstance(arrays[number].place, Nowhere):
            arrays[number] = in_memory(nowhere(output.type.dtype), output.type.dtype, arrays[number].shape)
    missing = [isinstance(array.place, Nowhere) for array in arrays]
    places = [array.place for array in arrays if array.place is not None]
    shape = [
        _joined_size(fn, output, axis, [array.shape[axis] for array in arrays], lines, missing)
        for axis in range(output.type.rank)
    ]
    if all(missing):
        return in_memory(nowhere(output.type.dtype), output.type.dtype, shape)
    if places[0].name == places[1].name:
        return in_memory(places[0], output.type.dtype, shape)
    own = all(place.own for place in places)
    name, c_type = fn.fresh(output.name), kept_type(output.type.dtype)
    fn.line(f"{c_type if own else f'const {c_type}'} *{name};")
    for number, place in enumerate(places):
        within(fn, lines[number], f"{name} = {place.name};")
    memory = places[0].memory | places[1].memory | {name}
    return in_memory(Place(name, memory, own), output.type.dtype, shape)


def _joined_size(
    fn: Function,
    output: Value,
    axis: int,
    sizes: Sequence[Expr],
    lines: list[list[str]],
    missing: Sequence[bool],
) -> Expr:
    if sizes[0].text == sizes[1].text:
        return sizes[0]
    name = fn.fresh(f"{output.name}_{letter(axis)}")
    if sum(missing) == 1:
        there = sizes[missing.index(False)].text
        fn.unless_missing[name] = fn.unless_missing.get(there, there)
    fn.line(f"int64_t {name};")
    for number, size in enumerate(sizes):
        within(fn, lines[number], f"{name} = {size.text};")
    return Expr(name)


def letter(axis: int) -> str:
    return "nmpqrs"[axis] if axis < 6 else f"n{axis}"


def _write_branches(fn: Function, node: Node, test: Expr, lines: list[list[str]]) -> None:
    yes, no = lines
    if not yes and not no:
        return
    if not yes:
        yes, no, test = no, [], negated(test)
    if [line.strip() for line in yes] == [BREAK] and not no:
        fn.line(f"if ({test.text}) {BREAK}")
        return
    fn.line(f"if ({test.text}) {{")
    fn.lines += yes
    if no:
        fn.line("} else {")
        fn.lines += no
    fn.line("}")
