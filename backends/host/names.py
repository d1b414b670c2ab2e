"""Names in generated Python that people read: the user's own, as far as they are free."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable
from typing import Any

from graph_program.backends.host.codegen import Scope

NEVER = frozenset([*keyword.kwlist, *dir(builtins), "_"])


class ReadableScope(Scope):
    """Constants and variables under the names that they have in the user's program."""

    def __init__(self, taken: Iterable[str] = ()):
        super().__init__(taken)
        self._kept: list[Any] = []

    def constant(self, value: Any, hint: str = "c") -> str:
        if getattr(builtins, hint, self) is value:
            return hint
        self._kept.append(value)  # while it lives, no other object has its id
        return super().constant(value, hint)

    def fresh(self, hint: str = "v") -> str:
        """`hint` without what the extractor added to it; with a number where that is taken."""
        base = re.sub(r"\W+", "_", hint.partition(".")[0]).strip("_") or "value"
        base = f"value_{base}" if base[0].isdigit() else base
        name, number = base, 1
        while name in self._taken or name in NEVER:
            name, number = f"{base}_{number}", number + 1
        self._taken.add(name)
        return name
