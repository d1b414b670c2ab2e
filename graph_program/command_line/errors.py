"""What ends a command: exit codes, and the error with something to say to the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
OK, REFUSED, USAGE = 0, 1, 2
"""Done; refused; used wrongly (a file that is missing, or cannot be imported)."""
INTERRUPTED = 130
"""What shells give for Ctrl-C."""


class CommandError(Exception):
    """Something to say to the user; ends the command."""

    def __init__(self, message: str, code: int = USAGE):
        super().__init__(message)
        self.code = code


def guarded(action: Callable[[], T], shown: Callable[[str], str] = str) -> T:
    """Do it; a refusal is printed as it is, or as `shown` makes it, and a wrong option in a line."""
    from graph_program.extract.diagnostics import GraphProgramError

    try:
        return action()
    except GraphProgramError as error:
        raise CommandError(f"refused\n{shown(str(error))}", REFUSED) from None
    except ValueError as error:  # an option that makes no sense, or that the program does not allow
        raise CommandError(shown(str(error))) from None


__all__ = ["INTERRUPTED", "OK", "REFUSED", "USAGE", "CommandError", "guarded"]
