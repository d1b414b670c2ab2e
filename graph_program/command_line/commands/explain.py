"""`graph-program explain`: a program after each stage of the extraction."""

from __future__ import annotations

import argparse
from typing import Any

from graph_program.command_line.errors import OK, guarded
from graph_program.command_line.user_files import named_program


def add(commands: Any) -> None:
    """Say what the command takes."""
    explain = commands.add_parser("explain", help="print a program after each stage")
    explain.add_argument("program", metavar="FILE:NAME")
    explain.add_argument("--stage", help="one stage only")
    explain.set_defaults(command=explain_program)


def explain_program(options: argparse.Namespace) -> int:
    """Print the stages."""
    program = named_program(options.program)
    print(guarded(lambda: program.explain(options.stage)))
    return OK


__all__ = ["add"]
