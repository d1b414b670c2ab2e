"""Layouts of the elements of computed lists in words."""

from __future__ import annotations

from graph_program.extract.stage.lists.layouts import (
    Choice,
    Classed,
    Counted,
    Group,
    InTable,
    Layout,
    Leaf,
    Listed,
    OnHost,
    Option,
    Same,
)
from graph_program.extract.stage.values.structure import describe


def describe_layout(layout: Layout) -> str:
    """The type of the elements, for messages and signatures."""
    match layout:
        case Leaf(type_, ragged):
            if ragged:
                return f"{type_.dtype.name} [{', '.join('_' * type_.rank)}]"
            return str(type_)
        case OnHost():
            return "host value"
        case InTable(cls):
            return cls.__name__
        case Option(inner):
            return f"{describe_layout(inner)} | None"
        case Counted(inner) | Classed(inner):
            return describe_layout(inner)
        case Listed(inner, listed_cls):
            return f"{listed_cls.__name__}[{describe_layout(inner)}]"
        case Group(cls, _, parts):
            return f"{'' if cls is None else cls.__name__}({', '.join(map(describe_layout, parts))})"
        case Choice(parts):
            return " and ".join(map(describe_layout, parts))
        case Same(value):
            return describe(value)
    raise AssertionError(layout)
