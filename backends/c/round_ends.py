"""The end of a loop's round: what it has computed is left where the next one reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graph_program.backends.c.arrays import Array, Place
from graph_program.backends.c.c_types import kept_type, local_type
from graph_program.backends.c.expression import Expr
from graph_program.backends.c.function import Function, Varies
from graph_program.extract.ir.graph import Value
from graph_program.extract.types.tensor_type import INT64


@dataclass
class Carried:
    """An array that a loop carries: the memory where its rounds leave it, and its sizes."""

    parameter: Value
    result: Value
    place: Place
    shape: list[Expr]
    varying: list[int]
    """The axes whose sizes change."""


def room(fn: Function, place: Place, c_type: str, size: Expr) -> str:
    """The call that makes room for so many elements, where an array grows."""
    return f"gp_room(&{place.block}, sizeof({c_type}), {size.text})"


def end_of_round(fn: Function, numbers: list[tuple[str, Value]], arrays: list[Carried], again: Value) -> Expr:
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
        _leave(fn, carried, found[carried.parameter])
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


__all__ = ["Carried", "end_of_round", "room"]
