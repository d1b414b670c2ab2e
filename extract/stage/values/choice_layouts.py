"""Layouts of elements that are one of several things: numbers of several classes, known things, objects on the host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graph_program.extract.stage.values.layouts import Choice, Classed, Layout, Leaf, OnHost, Same
from graph_program.extract.stage.values.structure import same_value
from graph_program.extract.stage.values.values import (
    Static,
    is_numeric_static,
)
from graph_program.extract.types.tensors.tensor_type import Kind

MAX_ALTERNATIVES = 64
"""An element is one of up to this many things."""


def alternatives(layout: Layout) -> tuple[Layout, ...] | None:
    """What an element may be: numbers of one class each, and things that are known; None for anything else."""
    match layout:
        case Choice(parts):
            return parts
        case Classed(leaf):
            return tuple(Leaf(replace(leaf.type, kind=kind)) for kind in (Kind.PYTHON, Kind.NUMPY))
        case Leaf(type_):
            return None if type_.rank or type_.kind is Kind.ARRAY else (layout,)
        case Same(Static() as value) if not is_numeric_static(value) and value.value is not None:
            return (layout,)
    return None


def choice_of(layouts: Sequence[Layout]) -> Choice | None:
    """The layout of elements that are one of several things."""
    found: list[Layout] = []
    for layout in layouts:
        these = alternatives(layout)
        if these is None:
            return None
        found += [new for new in these if number_in(found, new) is None]
    return Choice(tuple(found)) if len(found) <= MAX_ALTERNATIVES else None


def number_in(parts: Sequence[Layout], layout: Layout) -> int | None:
    """Which of some alternatives one is."""
    return next((i for i, part in enumerate(parts) if _same(part, layout)), None)


def _same(a: Layout, b: Layout) -> bool:
    return same_value(a.value, b.value) if isinstance(a, Same) and isinstance(b, Same) else a == b


def choice_covers(layout: Choice, other: Layout) -> bool:
    """Whether an element may be all that one of another layout is."""
    theirs = alternatives(other)
    return theirs is not None and all(number_in(layout.parts, part) is not None for part in theirs)


def has_host(layout: Layout) -> bool:
    """Whether elements are objects on the host, or have some in them."""
    return isinstance(layout, OnHost) or any(map(has_host, layout.inside))


def is_of_host(layout: Layout) -> bool:
    """Whether elements are objects on the host, known things, and structures of them."""
    return isinstance(layout, OnHost | Same) or (bool(layout.inside) and all(map(is_of_host, layout.inside)))


def host_common(a: Layout, b: Layout) -> OnHost | None:
    """The layout of objects on the host beside strings and other known things, which are handed over."""
    host, other = (a, b) if isinstance(a, OnHost) else (b, a)
    known = known_things(other)
    if known is None:
        return None
    assert isinstance(host, OnHost)
    texts = all(type(v.value) is str for v in known)
    return OnHost(host.inner, str if texts and host.note is str else None)


def known_things(layout: Layout) -> list[Static] | None:
    """The strings and other known things that elements are; None for anything else, also where some are None."""
    parts = layout.parts if isinstance(layout, Choice) else (layout,)
    found = [p.value for p in parts if isinstance(p, Same) and isinstance(p.value, Static)]
    return found if len(found) == len(parts) and not any(v.value is None for v in found) else None
