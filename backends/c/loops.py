"""Loops.

A loop's carried numbers are variables that its rounds assign; a carried array is memory that its rounds write over,
that of the array which the loop begins with where nobody reads this any more.  What a round takes of the memory is
given back at its end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from graph_program.backends.c import pauses
from graph_program.backends.c.arrays import Array, Nowhere, Place, in_memory
from graph_program.backends.c.c_types import kept_type, local_type
from graph_program.backends.c.control import inner, letter, settle_before, within
from graph_program.backends.c.counters import Counter, counted
from graph_program.backends.c.ends import BREAK
from graph_program.backends.c.expression import Expr, is_simple, less, negated
from graph_program.backends.c.function import Function, Varies, rule
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.tensor_type import INT64

ENDLESS = "INT64_MAX"
FEW = 6
"""A loop that is left early and has no more lines is written out for several rounds by the compiler."""
WHILE = re.compile(r"\s*if \(!(?:\((.*)\)|(\w+))\) break;")
"""The first line of a round that may leave."""


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
    settle_before(fn, node)
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
    reads = len(fn.liveness.uses.get(counter, []))
    counts, name_in_source = counted(node, limit, reads, lambda value: _number_of(fn, value))
    if not is_simple(Expr(counts.end)) and limit.text != ENDLESS:
        end = fn.variable("int64_t", "rounds" if counts.node is None else "end", Expr(counts.end))
        counts = replace(counts, end=end.text)
    outer, branches, took = dict(fn.pending), fn.branches, fn.takes_memory
    fn.branches, fn.takes_memory = 0, False
    k = fn.counter_named(name_in_source) or fn.fresh(_counter_name(counter))
    fn.values[counts.value] = Expr(k)
    if counts.node is not None:
        fn.values[counter] = less(Expr(k), Expr(counts.begin))
        fn.ranges.note(counts.node)
        body.nodes.remove(counts.node)
    with fn.ranges.where(condition, True):
        lines = inner(fn, body)
    fn.free_counter(k)
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
        within(fn, lines, f"gp_release(&memory, {mark});")
    fn.pending, fn.branches, fn.takes_memory = outer, branches, took or fn.takes_memory
    in_parts = fn.interruptible and not pauses.bounded(trips, fn.program.graph)
    is_endless = limit.text == ENDLESS and not fn.is_read(counter)
    _write_loop(fn, k, None if is_endless else counts, begin, goes_on, lines, in_parts)
    for own, output in zip(parameters, node.outputs, strict=True):
        fn.values[output] = fn.values[own]
        if own in fn.unsized:
            fn.unsized.add(output)


def _counter_name(counter: Value) -> str:
    return counter.name if not counter.name.startswith("iteration") else "round"


def _number_of(fn: Function, value: Value) -> Expr | None:
    found = fn.values.get(value)
    return found if isinstance(found, Expr) else None


def _carried_number(fn: Function, parameter: Value, value: Value) -> str:
    start = fn.number(value)
    name = fn.fresh(parameter.name)
    fn.line(f"{local_type(parameter.type.dtype)} {name} = {start.text};")
    return name


def _write_loop(
    fn: Function,
    k: str,
    counts: Counter | None,
    begin: Expr,
    goes_on: Expr,
    lines: list[str],
    in_parts: bool,
) -> None:
    """The loop around the lines of a round."""
    head = "for (;;)"
    if counts is not None:
        head = f"for (int64_t {k} = {counts.begin}; {k} < {counts.end}; {k}++)"
    guarded = begin.text not in ("true", "1")
    is_left = any(line.endswith(f" {BREAK}") for line in lines)
    is_simple = counts is not None and not pauses.has_loops(lines)
    short = is_simple and goes_on.text == "true" and not is_left
    found = WHILE.fullmatch(lines[0]) if lines and counts is None else None
    if found is not None:
        head, lines = f"while ({found[1] or found[2]})", lines[1:]
    if short and in_parts and counts is not None and not counts.end.isdigit():
        whole, first, head = pauses.parts(k, fn.fresh("part"), fn.fresh("end"), counts)
        inner = [f"{head} {{", *(line[4 * fn.indent :] for line in lines), "}"]
        lines = ["    " * (fn.indent + 1) + line for line in (*first, *inner)]
        head = whole
    if guarded:
        head = f"if ({begin.text}) {head}"
    elif is_simple and not short and not in_parts and len(lines) <= FEW:
        fn.line("GP_SEVERAL")
    fn.line(f"{head} {{")
    fn.lines += lines
    if goes_on.text != "true":
        within(fn, fn.lines, f"if ({negated(goes_on).text}) break;")
    if fn.interruptible and not short and not (is_simple and not in_parts):
        within(fn, fn.lines, pauses.pause(lines))
    fn.line("}")


def _home(fn: Function, node: Node, parameter: Value, value: Value, result: Value, initial: Sequence[Value]) -> Carried:
    """Where a carried array is."""
    start = fn.array(value)
    types = [parameter.type.shape, value.type.shape, result.type.shape]
    varying = [
        axis
        for axis in range(parameter.type.rank)
        if not _is_one_size([shape[axis] for shape in types]) or (parameter.name, axis) in fn.varying
    ]
    if (value in fn.placeholders and isinstance(start.place, Nowhere)) or value in fn.unsized:
        fn.unsized.add(parameter)
        varying = [axis for axis in range(parameter.type.rank) if parameter.type.shape[axis].constant is None]
    inside = fn.liveness.users[node.regions[0]]
    alone = initial.count(value) == 1 and value not in inside
    shape = list(start.shape)
    if start.place is not None and not isinstance(start.place, Nowhere) and alone and fn.may_write(value, node, inside):
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
        name = fn.fresh(f"{place.name}_{letter(axis)}")
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
    if not isinstance(start.place, Nowhere):
        fn.fill(place, start)
    return place


def room(fn: Function, place: Place, c_type: str, size: Expr) -> str:
    """The call that makes room for so many elements, where an array grows."""
    return f"gp_room(&{place.block}, sizeof({c_type}), {size.text})"


def _end_of_round(fn: Function, numbers: list[tuple[str, Value]], arrays: list[Carried], again: Value) -> Expr:
    """Leave what a round has computed where the next one reads it; whether there is one."""
    fn.branches = 0
    found = {carried.parameter: fn.array(carried.result) for carried in arrays}
    for carried in arrays:
        _require_size(fn, carried, found[carried.parameter])
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
        _leave_in_place(fn, carried, found[carried.parameter])
    _assign(fn, new | sizes, types | dict.fromkeys(sizes, local_type(INT64)))
    return goes_on


def _require_size(fn: Function, carried: Carried, array: Array) -> None:
    """Have it known where an array is left that has, or may have, another size than the memory which it is left in."""
    if carried.result in fn.placeholders:
        return
    for axis, (size, own) in enumerate(zip(carried.shape, array.shape, strict=True)):
        is_known = set(carried.parameter.type.shape[axis].symbols) <= fn.given_sizes
        given = fn.unless_missing.get(own.text, own.text)
        if not is_known and axis not in carried.varying and given != fn.unless_missing.get(size.text, size.text):
            raise Varies(carried.parameter.name, axis)


def _is_elsewhere(array: Array, carried: Carried) -> bool:
    return array.place is None or array.place.name != carried.place.name


def _leave_in_place(fn: Function, carried: Carried, array: Array) -> None:
    """Put an array where the loop carries it, in more memory if it may have another size than what is there."""
    if carried.place.block and [size.text for size in array.shape] != [size.text for size in carried.shape]:
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
