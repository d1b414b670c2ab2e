"""Generated Python: a scope of constants, a parameter list as text, text to a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any


class Scope:
    """Objects that generated code refers to, under names that the user's parameters do not have."""

    def __init__(self, taken: Iterable[str] = ()):
        self.constants: dict[str, Any] = {}
        self._taken = set(taken)
        self._names: dict[int, str] = {}

    def constant(self, value: Any, hint: str = "c") -> str:
        """The name of an object; the same one for the same object."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = self.fresh(hint)
            self.constants[name] = value
        return name

    def fresh(self, hint: str = "v") -> str:
        """A name that nothing has."""
        number = len(self._taken)
        while f"_{hint}_{number}" in self._taken:
            number += 1
        name = f"_{hint}_{number}"
        self._taken.add(name)
        return name


_STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def parameter_list(signature: inspect.Signature, scope: Scope) -> str:
    """The text between the parentheses of a `def` with this signature; defaults are the very objects."""
    parts: list[str] = []
    kinds = inspect.Parameter
    previous = None
    for p in signature.parameters.values():
        if previous is kinds.POSITIONAL_ONLY and p.kind is not kinds.POSITIONAL_ONLY:
            parts.append("/")
        if p.kind is kinds.KEYWORD_ONLY and previous not in (kinds.KEYWORD_ONLY, kinds.VAR_POSITIONAL):
            parts.append("*")
        stars = _STARS.get(p.kind, "")
        default = "" if p.default is p.empty else f"={scope.constant(p.default, 'default')}"
        parts.append(f"{stars}{p.name}{default}")
        previous = p.kind
    if previous is kinds.POSITIONAL_ONLY:
        parts.append("/")
    return ", ".join(parts)


def build(parameters: str, body: list[str], scope: Scope, names: tuple[str, str], filename: str) -> Callable[..., Any]:
    """A function from the lines of its body.

    The scope's constants are closure variables (read as fast as locals); `names` are `__name__` and
    `__qualname__`, which Python's own messages about arguments show.
    """
    # Closure variables of the factory, not globals: one instruction to read.
    lines = [f"def _factory({', '.join(scope.constants)}):", f"    def _made({parameters}):"]
    lines += [f"        {line}" for line in body]
    lines.append("    return _made")
    namespace: dict[str, Any] = {}
    exec(compile("\n".join(lines), filename, "exec"), namespace)
    function: Callable[..., Any] = namespace["_factory"](**scope.constants)
    function.__name__, function.__qualname__ = names
    return function
