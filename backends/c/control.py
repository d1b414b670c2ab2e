"""Branches and loops.

A loop's carried numbers are variables that its rounds assign; a carried array is memory that its rounds write over,
that of the array which the loop begins with where nobody reads this any more.  What a round takes of the memory is
given back at its end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graph_program.backends.c import pauses
from graph_program.backends.c.arrays import Array, Place, in_memory
from graph_program.backends.c.c_types import kept_type, literal, local_type
from graph_program.backends.c.expression import Expr, choice, negated
from graph_program.backends.c.function import Function, rule
from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensor_type import INT64

ENDLESS = "INT64_MAX"
NOWHERE = Place("NULL", frozenset())
HARMFUL = re.compile(r"[\[/%]|gp_(?!add_|subtract_|multiply_)")


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
    return in_memory(NOWHERE, value.type.dtype, shape)


def _settle_before(fn: Function, node: Node) -> None:
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


def _inner(fn: Function, graph: Graph) -> list[str]:
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
    _settle_before(fn, node)
    outer = dict(fn.pending)
    test = fn.number(node.inputs[0])
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
        return _inner(fn, node.regions[number])


def _choose(fn: Function, node: Node, test: Expr) -> None:
    """A branch that computes nothing is a choice of numbers."""
    read = [output for output in node.outputs if fn.is_read(output)]
    if len(read) > 1 and test.level:
        test = fn.variable("bool", "test", test)
    for place, output in enumerate(node.outputs):
        if output in read:
            sides = [region.outputs[place] for region in node.regions]
            a, b = (fn.number(side) for side in sides)
            undefined = [side in fn.placeholders for side in sides]
            other = b if undefined[0] else a
            same = a.text == b.text or (any(undefined) and _may_be_computed_anyway(other))
            fn.define(output, other if same else choice(test, a, b), node)


def _may_be_computed_anyway(number: Expr) -> bool:
    """Whether a number does no harm where a check of it fails: it reads no memory, and divides nothing."""
    return not number.reads and not HARMFUL.search(number.text)


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
            _within(fn, lines[number], f"{name} = {value.text};")
    return Expr(name)


def _within(fn: Function, lines: list[str], text: str) -> None:
    lines.append("    " * (fn.indent + 1) + text)


def _join_arrays(
    fn: Function, output: Value, sides: Sequence[Value], given: Sequence[Array | Expr], lines: list[list[str]]
) -> Array:
    """The pointer that both sides set."""
    arrays = [fn.array(side) for side in sides]
    if any(side in fn.unsized or arrays[number].place is NOWHERE for number, side in enumerate(sides)):
        fn.unsized.add(output)
    for number, side in enumerate(sides):
        if arrays[number].place is None:
            with fn.apart() as made:
                fn.indent += 1
                arrays[number] = fn.materialized(arrays[number], None, output.name)
                fn.indent -= 1
            lines[number] += made
        elif side in fn.placeholders and arrays[number].place is NOWHERE:
            arrays[number] = in_memory(NOWHERE, output.type.dtype, arrays[number].shape)
    places = [array.place for array in arrays if array.place is not None]
    shape = [
        _joined_size(fn, output, axis, [array.shape[axis] for array in arrays], lines)
        for axis in range(output.type.rank)
    ]
    if places[0].name == places[1].name:
        return in_memory(places[0], output.type.dtype, shape)
    own = all(place.own for place in places)
    name, c_type = fn.fresh(output.name), kept_type(output.type.dtype)
    fn.line(f"{c_type if own else f'const {c_type}'} *{name};")
    for number, place in enumerate(places):
        _within(fn, lines[number], f"{name} = {place.name};")
    memory = places[0].memory | places[1].memory | {name}
    return in_memory(Place(name, memory, own), output.type.dtype, shape)


def _joined_size(fn: Function, output: Value, axis: int, sizes: Sequence[Expr], lines: list[list[str]]) -> Expr:
    if sizes[0].text == sizes[1].text:
        return sizes[0]
    name = fn.fresh(f"{output.name}_{_letter(axis)}")
    fn.line(f"int64_t {name};")
    for number, size in enumerate(sizes):
        _within(fn, lines[number], f"{name} = {size.text};")
    return Expr(name)


def _letter(axis: int) -> str:
    return "nmpqrs"[axis] if axis < 6 else f"n{axis}"


def _write_branches(fn: Function, node: Node, test: Expr, lines: list[list[str]]) -> None:
    yes, no = lines
    if not yes and not no:
        return
    if not yes:
        yes, no, test = no, [], negated(test)
    fn.line(f"if ({test.text}) {{")
    fn.lines += yes
    if no:
        fn.line("} else {")
        fn.lines += no
    fn.line("}")


# ---------------------------------------------------------------- loops


@dataclass
class Carried:
    """An array that a loop carries: the memory where its rounds leave it, and its sizes."""

    parameter: Value
    result: Value
    place: Place
    shape: list[Expr]
    varying: list[int]
    """The axes whose sizes change."""


@rule("loop")
def _loop(fn: Function, node: Node) -> None:
    body = node.regions[0]
    trips, condition, *initial = node.inputs
    counter, *parameters = body.inputs
    again, *results = body.outputs
    _settle_before(fn, node)
    fn.place_of(node.loc)
    limit, begin = fn.number(trips), fn.number(condition)
    numbers: list[tuple[str, Value]] = []
    arrays: list[Carried] = []
    for parameter, value, result in zip(parameters, initial, results, strict=True):
        if parameter.type.rank:
            carried = _home(fn, node, parameter, value, result, initial)
            arrays.append(carried)
            fn.values[parameter] = in_memory(carried.place, parameter.type.dtype, carried.shape)
        else:
            name = _carried_number(fn, parameter, value)
            numbers.append((name, result))
            fn.values[parameter] = Expr(name)
    if limit.level and limit.text != ENDLESS:
        limit = fn.variable("int64_t", "rounds", limit)
    outer, branches, took = dict(fn.pending), fn.branches, fn.takes_memory
    fn.branches, fn.takes_memory = 0, False
    k = fn.fresh(counter.name if not counter.name.startswith("iteration") else "round")
    fn.values[counter] = Expr(k)
    with fn.ranges.where(condition, True):
        lines = _inner(fn, body)
    with fn.apart() as ending:
        fn.indent += 1
        fn.graphs.append(body)
        goes_on = _end_of_round(fn, numbers, arrays, again)
        fn.graphs.pop()
        fn.indent -= 1
    lines += ending
    if fn.takes_memory:
        mark = fn.fresh("mark")
        lines.insert(0, "    " * (fn.indent + 1) + f"const size_t {mark} = gp_mark(&memory);")
        _within(fn, lines, f"gp_release(&memory, {mark});")
    fn.pending, fn.branches, fn.takes_memory = outer, branches, took or fn.takes_memory
    in_parts = fn.interruptible and not pauses.bounded(trips, fn.program.graph)
    _write_loop(fn, counter, k, limit, begin, goes_on, lines, in_parts)
    for own, output in zip(parameters, node.outputs, strict=True):
        fn.values[output] = fn.values[own]
        if own in fn.unsized:
            fn.unsized.add(output)


def _carried_number(fn: Function, parameter: Value, value: Value) -> str:
    start = fn.number(value)
    name = fn.fresh(parameter.name)
    fn.line(f"{local_type(parameter.type.dtype)} {name} = {start.text};")
    return name


def _write_loop(
    fn: Function,
    counter: Value,
    k: str,
    limit: Expr,
    begin: Expr,
    goes_on: Expr,
    lines: list[str],
    in_parts: bool,
) -> None:
    """The loop around the lines of a round."""
    counts = limit.text != ENDLESS or fn.is_read(counter)
    head = f"for (int64_t {k} = 0; {k} < {limit.within(6)}; {k}++)" if counts else "for (;;)"
    guarded = begin.text not in ("true", "1")
    short = counts and goes_on.text == "true" and not pauses.has_loops(lines)
    if short and in_parts and not limit.text.isdigit():
        whole, first, head = pauses.parts(k, fn.fresh("part"), fn.fresh("end"), limit.within(6))
        inner = [f"{head} {{", *(line[4 * fn.indent :] for line in lines), "}"]
        lines = ["    " * (fn.indent + 1) + line for line in (*first, *inner)]
        head = whole
    if guarded and not counts:
        head = f"if ({begin.text}) for (;;)"
    elif guarded:
        head = f"if ({begin.text}) {head}"
    fn.line(f"{head} {{")
    fn.lines += lines
    if goes_on.text != "true":
        _within(fn, fn.lines, f"if ({negated(goes_on).text}) break;")
    if fn.interruptible and not short:
        _within(fn, fn.lines, pauses.pause(lines))
    fn.line("}")


def _home(fn: Function, node: Node, parameter: Value, value: Value, result: Value, initial: Sequence[Value]) -> Carried:
    """Where a carried array is."""
    start = fn.array(value)
    types = [parameter.type.shape, value.type.shape, result.type.shape]
    varying = [axis for axis in range(parameter.type.rank) if not _is_one_size([shape[axis] for shape in types])]
    if (value in fn.placeholders and start.place is NOWHERE) or value in fn.unsized:
        fn.unsized.add(parameter)
        varying = [axis for axis in range(parameter.type.rank) if parameter.type.shape[axis].constant is None]
    inside = fn.liveness.users[node.regions[0]]
    alone = initial.count(value) == 1 and value not in inside
    shape = list(start.shape)
    if start.place is not None and start.place is not NOWHERE and alone and fn.may_write(value, node, inside):
        place = start.place
        if varying and not place.block:
            place = _growing(fn, parameter, start)
    elif varying:
        place = _growing(fn, parameter, start)
    else:
        place = fn.allocate(parameter.type.dtype, start.shape, parameter.name, parameter)
        if value not in fn.placeholders:
            fn.fill(place, start)
    for axis in varying:
        name = fn.fresh(f"{place.name}_{_letter(axis)}")
        fn.line(f"int64_t {name} = {shape[axis].text};")
        shape[axis] = Expr(name)
    return Carried(parameter, result, place, shape, varying)


def _is_one_size(sizes: Sequence[Dim]) -> bool:
    return all(size == sizes[0] for size in sizes)


def _growing(fn: Function, parameter: Value, start: Array) -> Place:
    """Memory that may become larger, with the elements that there are."""
    name, c_type = fn.fresh(parameter.name), kept_type(parameter.type.dtype)
    block = fn.fresh(f"{name}_block")
    fn.blocks.append(block)
    place = Place(name, frozenset([name]), True, block)
    fn.line(f"{c_type} *{name} = {room(fn, place, c_type, start.size)};")
    fn.line(f"if (!{name}) goto no_memory;")
    if start.place is not NOWHERE:
        fn.fill(place, start)
    return place


def room(fn: Function, place: Place, c_type: str, size: Expr) -> str:
    """The call that makes room for so many elements, where an array grows."""
    return f"gp_room(&{place.block}, sizeof({c_type}), {size.text})"


def _end_of_round(fn: Function, numbers: list[tuple[str, Value]], arrays: list[Carried], again: Value) -> Expr:
    """Leave what a round has computed where the next one reads it; whether there is one."""
    fn.branches = 0
    found = {carried.parameter: fn.array(carried.result) for carried in arrays}
    moved = [c for c in arrays if c.result not in fn.placeholders and _is_elsewhere(found[c.parameter], c)]
    written = frozenset[str]().union(*(c.place.memory | {c.place.name} for c in moved))
    assigned = {name for name, _ in numbers} | {c.shape[axis].text for c in arrays for axis in c.varying}
    new = {name: fn.number(result) for name, result in numbers if result not in fn.placeholders}
    for name, value in new.items():
        if value.reads & written:
            new[name] = fn.variable(_type_of(numbers, name), name, value)
    goes_on = fn.number(again)
    if goes_on.reads & written or _mentions(goes_on.text, assigned):
        goes_on = fn.variable("bool", "again", goes_on)
    for carried in moved:
        array = found[carried.parameter]
        others = array.reads - {carried.place.name} - carried.place.memory
        apart = not others & written and not array.moved & (carried.place.memory | {carried.place.name})
        if not apart:
            found[carried.parameter] = fn.materialized(array, None, carried.parameter.name)
    types = {name: _type_of(numbers, name) for name in new}
    sizes: dict[str, Expr] = {}
    for carried in arrays:
        if carried.result not in fn.placeholders:
            for axis in carried.varying:
                sizes[carried.shape[axis].text] = found[carried.parameter].shape[axis]
    for carried in moved:
        _leave(fn, carried, found[carried.parameter])
    _assign(fn, new | sizes, types | dict.fromkeys(sizes, local_type(INT64)))
    return goes_on


def _is_elsewhere(array: Array, carried: Carried) -> bool:
    return array.place is None or array.place.name != carried.place.name


def _leave(fn: Function, carried: Carried, array: Array) -> None:
    """Put an array where the loop carries it."""
    if carried.place.block:
        c_type = kept_type(array.dtype)
        fn.line(f"{carried.place.name} = {room(fn, carried.place, c_type, array.size)};")
        fn.line(f"if (!{carried.place.name}) goto no_memory;")
    fn.fill(carried.place, array)


def _type_of(numbers: list[tuple[str, Value]], name: str) -> str:
    return local_type(next(value for other, value in numbers if other == name).type.dtype)


def _mentions(text: str, names: set[str]) -> bool:
    return not names.isdisjoint(re.findall(r"\w+", text))


def _assign(fn: Function, new: dict[str, Expr], types: dict[str, str]) -> None:
    """Assign all at once: none reads what another one has assigned already."""
    left = {name: value.text for name, value in new.items() if value.text != name}
    while left:
        free = [n for n in left if not any(_mentions(text, {n}) for other, text in left.items() if other != n)]
        if free:
            fn.line(f"{free[0]} = {left.pop(free[0])};")
        else:
            name = next(iter(left))
            left[name] = fn.variable(types[name], name, Expr(left[name])).text
