"""What of a value is known at extraction, and the numbers and arrays in it: so that values of one outline can merge.

ValueError(f"row {k}: {v}")     ->      the class, the texts "row " and ": "; k and v
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

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
    causes = [] if error.cause is None else [error.cause]
    inner = [_of_argument(v) for v in (*error.args, *(v for _, v in error.keywords), *causes)]
    found = [o for o in inner if o is not None]
    if len(found) < len(inner):
        return None
    names = tuple(name for name, _ in error.keywords)
    raised = str(error.raised)
    known = ("exception", error.cls, raised, names, len(error.args), *(o.known for o in found))

    def rebuild(leaves: Sequence[Value]) -> Value:
        parts = _rebuilt(found, leaves)
        args, rest = tuple(parts[: len(error.args)]), parts[len(error.args) :]
        keywords = tuple(zip(names, rest, strict=False))
        cause = rest[len(names)] if causes else None
        return ExceptionObject(error.cls, args, keywords, error.raised, cause)

    return Outline(known, tuple(leaf for o in found for leaf in o.leaves), rebuild)


def _of_argument(value: Value) -> Outline | None:
    match value:
        case ExceptionObject():
            return _of_exception(value)
        case Tensor():
            return outline(value)
        case Static(inner) if inner is None or isinstance(inner, str | int | float):
            return Outline((type(inner), inner), (), lambda _: value)
        case Text(parts):
            pieces = [p if isinstance(p, str) else p[1:] for p in parts]
            inside = [Outline((), (), lambda _: value) if isinstance(p, str) else _of_argument(p[0]) for p in parts]
        case Tuple(elts, None):
            pieces, inside = [], list(map(_of_argument, elts))
        case _:
            return None
    found = [o for o in inside if o is not None]
    if len(found) < len(inside):
        return None
    is_text = isinstance(value, Text)

    def rebuild(leaves: Sequence[Value]) -> Value:
        parts = _rebuilt(found, leaves)
        if not is_text:
            return Tuple(tuple(parts))
        return Text(tuple(p if isinstance(p, str) else (v, *p) for p, v in zip(pieces, parts, strict=True)))

    known = (is_text, len(found), *pieces, *(o.known for o in found))
    return Outline(known, tuple(leaf for o in found for leaf in o.leaves), rebuild)


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


__all__ = ["Outline", "one_of", "outline", "things"]
