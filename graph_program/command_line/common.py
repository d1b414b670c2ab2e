"""What commands share: exit codes, what ends a command, and what `FILE:NAME` names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
OK, REFUSED, USAGE = 0, 1, 2


class CommandError(Exception):
    """Something to say to the user; ends the command."""

    def __init__(self, message: str, code: int = USAGE):
        super().__init__(message)
        self.code = code


def split_name(text: str) -> tuple[str, str]:
    """`program.py:Class.method` as the file and the name."""
    file, colon, name = text.rpartition(":")
    if not colon or not file or not name:
        raise CommandError(f"expected FILE:NAME, such as program.py:step, not {text!r}")
    return file, name


def guarded(action: Callable[[], T], shown: Callable[[str], str] = str) -> T:
    """Do it; a refusal is printed as it is, or as `shown` makes it, and a wrong option in a line."""
    from graph_program.extract.diagnostics import GraphProgramError

    try:
        return action()
    except GraphProgramError as error:
        raise CommandError(f"refused\n{shown(str(error))}", REFUSED) from None
    except ValueError as error:  # an option that makes no sense, or that the program does not allow
        raise CommandError(shown(str(error))) from None


__all__ = ["OK", "REFUSED", "USAGE", "CommandError", "guarded", "split_name"]
