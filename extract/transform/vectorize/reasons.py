"""Why a loop stays a loop, in words of the user's program."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Value

NUMBER = re.compile(r"[._]\d+")


@dataclass(frozen=True)
class Reason:
    """What keeps a loop from being array operations, and where."""

    loc: Loc
    text: str


class StaysLoop(Exception):
    """Raised where a loop is found not to become array operations."""

    def __init__(self, loc: Loc, text: str):
        super().__init__(text)
        self.reason = Reason(loc, text)


def source_name(value: Value) -> str:
    """What the source calls a value; empty if nothing."""
    name = NUMBER.sub("", value.name)
    return name if name.isidentifier() and name not in ("t", "k", "iteration", "error", "error_arg", "target") else ""
