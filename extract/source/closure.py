"""What a name of a live function refers to: a closure cell, a global of its module, or a builtin."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from types import CellType, FunctionType
from typing import Any

from graph_program.extract.records import dataclass


class UnboundNameError(NameError):
    """A name that has no value now; `free` tells a closure variable from a global."""

    def __init__(self, name: str, free: bool):
        text = (
            f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
            if free
            else f"name '{name}' is not defined"
        )
        super().__init__(text, name=name)
        self.free = free


@dataclass(frozen=True, eq=False)
class NameRef:
    """Where the value of a name is kept.

    Attributes
    ----------
    kind : str
        `cell`, `global` or `builtin`.
    container : types.CellType or Mapping
        The cell, or the namespace that has the name as a key.
    name : str
        The name.
    """

    kind: str
    container: CellType | Mapping[str, Any]
    name: str

    def read(self) -> Any:
        """The value now.

        Raises
        ------
        UnboundNameError
            If the cell is empty or the namespace no longer has the name.
        """
        if isinstance(self.container, CellType):
            try:
                return self.container.cell_contents
            except ValueError:
                raise UnboundNameError(self.name, free=True) from None
        try:
            return self.container[self.name]
        except KeyError:
            raise UnboundNameError(self.name, free=False) from None


def free_variables(fn: FunctionType) -> dict[str, CellType]:
    """The closure cells of `fn` by name, empty cells included."""
    return dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))


def builtins_of(fn: FunctionType) -> Mapping[str, Any]:
    """The namespace in which `fn` finds the names that its globals lack."""
    found = getattr(fn, "__builtins__", None)
    if found is None:
        found = fn.__globals__.get("__builtins__", builtins)
    return found if isinstance(found, Mapping) else vars(found)


def lookup(fn: FunctionType, name: str) -> NameRef:
    """What the non-local name `name` refers to in `fn`, by Python's order: cell, global, builtin.

    Raises
    ------
    UnboundNameError
        If none of them has the name.  An empty cell is found, and raises when read.
    """
    cell = free_variables(fn).get(name)
    if cell is not None:
        return NameRef("cell", cell, name)
    return lookup_global(fn, name)


def lookup_global(fn: FunctionType, name: str) -> NameRef:
    """As `lookup`, for a name declared `global`: cells are not looked at.

    Raises
    ------
    UnboundNameError
        If neither the module nor the builtins have the name.
    """
    if name in fn.__globals__:
        return NameRef("global", fn.__globals__, name)
    namespace = builtins_of(fn)
    if name in namespace:
        return NameRef("builtin", namespace, name)
    raise UnboundNameError(name, free=False)
