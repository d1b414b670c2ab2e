"""What of a value is known at extraction, and the numbers and arrays in it: so that values of one outline can merge.

ValueError(f"row {k}: {v}")     ->      the class, the texts "row " and ": "; k and v
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import singledispatch
from typing import Any

from graph_program.extract.records import dataclass
from graph_program.extract.stage.values.exception_values import Caught, ExceptionObject
from graph_program.extract.stage.values.structure import same_static
from graph_program.extract.stage.values.values import Mixed, Static, Tensor, Text, Tuple, Value, is_numeric


@dataclass(frozen=True, eq=False)
class Outline:
    """A value as what must agree (`known`), the numbers and arrays in it, and how to make it of others."""

    known: tuple[Any, ...]
    leaves: tuple[Value, ...]
    rebuild: Callable[[Sequence[Value]], Value]

    def agrees(self, other: Outline) -> bool:
        """Whether two values differ in their numbers and arrays only."""
        return same_static(self.known, other.known)


def outline(value: Value) -> Outline | None:
    """The outline of a number, an array, or an exception; None for others."""
    if is_numeric(value):
        return Outline(("number",), (value,), lambda leaves: leaves[0])
    return _of_exception(value) if isinstance(value, ExceptionObject) else None


def _of_exception(error: ExceptionObject) -> Outline | None:
    if error.instance is not None:
        return None
    names = tuple(name for name, _ in error.keywords)
    causes = [] if error.cause is None else [error.cause]
    count = len(error.args)

    def made_of(parts: Sequence[Value]) -> Value:
        keywords = tuple(zip(names, parts[count:], strict=False))
        return ExceptionObject(error.cls, tuple(parts[:count]), keywords, error.raised, parts[-1] if causes else None)

    known = ("exception", error.cls, str(error.raised), names, count)
    return _of_parts(known, [*error.args, *(v for _, v in error.keywords), *causes], made_of)


def _of_parts(
    known: tuple[Any, ...], values: Sequence[Value], made_of: Callable[[Sequence[Value]], Value]
) -> Outline | None:
    """The outline of what is made of some values, and of what is `known`."""
    found = [o for o in map(_of_argument, values) if o is not None]
    if len(found) < len(values):
        return None
    leaves = tuple(leaf for o in found for leaf in o.leaves)
    return Outline((*known, *(o.known for o in found)), leaves, lambda given: made_of(_rebuilt(found, given)))


# ---------------------------------------------------------------- arguments of exceptions


@singledispatch
def _of_argument(value: Value) -> Outline | None:
    return None


@_of_argument.register
def _(value: Tensor | ExceptionObject) -> Outline | None:
    return outline(value)


@_of_argument.register
def _(value: Static) -> Outline | None:
    inner = value.value
    plain = inner is None or isinstance(inner, str | int | float)
    return Outline((type(inner), inner), (), lambda _: value) if plain else None


@_of_argument.register
def _(value: Tuple) -> Outline | None:
    return _of_parts(("tuple",), value.elts, lambda parts: Tuple(tuple(parts))) if value.cls is None else None


@_of_argument.register
def _(value: Text) -> Outline | None:
    computed = [p for p in value.parts if not isinstance(p, str)]

    def made_of(parts: Sequence[Value]) -> Value:
        left = iter(parts)
        return Text(tuple(p if isinstance(p, str) else (next(left), *p[1:]) for p in value.parts))

    literal = tuple(p if isinstance(p, str) else p[1:] for p in value.parts)
    return _of_parts(("text", *literal), [p[0] for p in computed], made_of)


def _rebuilt(outlines: Sequence[Outline], leaves: Sequence[Value]) -> list[Value]:
    left = list(leaves)
    return [o.rebuild([left.pop(0) for _ in o.leaves]) for o in outlines]


# ---------------------------------------------------------------- one of several


def one_of(value: Value) -> Value:
    """What a handler has caught, as the exceptions that it may be; other values as they are."""
    if isinstance(value, Caught):
        return one_of(value.origin)
    return value


def things(value: Value) -> Iterator[Value]:
    """All that a value may be."""
    value = one_of(value)
    if isinstance(value, Mixed):
        for one in value.values:
            yield from things(one)
    else:
        yield value
