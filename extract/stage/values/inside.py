"""What is inside a value: what it holds itself, what an object holds, and all that can be reached from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeGuard

from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.exception_values import Caught, ExceptionObject
from graph_program.extract.stage.values.structure import parts
from graph_program.extract.stage.values.values import (
    ArrayMethod,
    Closure,
    Iteration,
    Maybe,
    Mixed,
    Ref,
    Tensor,
    Tuple,
    Value,
)


def held(value: Value) -> tuple[Value, ...]:
    """All values in one that is no object, also where it could not be rebuilt from them."""
    match value:
        case Maybe():
            return (value.value,)
        case Mixed():
            return value.values
        case Tuple():
            return value.elts
        case Iteration():
            return (*value.parts, *(() if value.function is None else (value.function,)))
        case ArrayMethod():
            return (value.self,)
        case Closure():
            return tuple(value.defaults.values())
        case ExceptionObject():
            return value.given
        case Caught():
            return tuple(case.exception for case in value.cases)
    structure = parts(value)
    return () if structure is None else structure[1]


def elements_of(value: Value) -> Iterator[Value]:
    """What is in a tuple, and in the tuples in it; of any other value that itself."""
    if isinstance(value, Tuple):
        for part in value.elts:
            yield from elements_of(part)
    else:
        yield value


def iterated(value: Value) -> Iterator[Value]:
    """What an iterator takes its elements from, and iterators there take theirs; of any other value that itself."""
    if isinstance(value, Iteration):
        for part in value.parts:
            yield from iterated(part)
    else:
        yield value


def items_of(contents: Any) -> Iterable[Value]:
    """What a list, dict or object of known structure holds; nothing of a list of computed length."""
    return contents.values() if isinstance(contents, dict) else contents if isinstance(contents, tuple) else ()


def by_key(contents: Any) -> Iterable[tuple[Any, Value]]:
    """The same, each with its key, name or position."""
    return contents.items() if isinstance(contents, dict) else enumerate(items_of(contents))


def with_each(contents: Any, change: Callable[[Value], Value]) -> Any:
    """The contents of an object, what it holds changed; those of a list of computed length as they are."""
    new = {key: change(value) for key, value in by_key(contents)}
    if all(new[key] is value for key, value in by_key(contents)):
        return contents
    return new if isinstance(contents, dict) else tuple(new.values())


def contents_in(heap: Mapping[Ref, Any], value: Value) -> tuple[Value, ...] | Growing | None:
    """What a list or tuple holds; None of any other value."""
    found = value.elts if isinstance(value, Tuple) else heap.get(value)  # type: ignore[call-overload]
    return found if isinstance(found, tuple | Growing) else None


def has_fields(value: Value, heap: Mapping[Ref, Any]) -> TypeGuard[Ref]:
    """Whether a value is an object with attributes: no list, tuple or dict."""
    return isinstance(value, Ref) and value.cls is not dict and isinstance(heap.get(value), dict)


def memory_of(contents: Growing) -> list[Tensor | Ref]:
    """What stands for the arrays and the objects in a list of computed length."""
    return [v for v in (contents.arrays, contents.objects) if v is not None]


def inner_values(heap: Mapping[Ref, Any], *values: Value) -> Iterator[Value]:
    """Some values and all that they are made of; what is in an object that stands in several places, once."""
    stack, seen = [*values], set[int]()
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, Ref):
            if id(current) not in seen:
                seen.add(id(current))
                stack += items_of(heap.get(current))
        else:
            stack += held(current)


def holds_itself(heap: Mapping[Ref, Any], value: Ref) -> bool:
    """Whether an object can be reached from what is in it."""
    return any(v is value for v in inner_values(heap, *items_of(heap.get(value))))
