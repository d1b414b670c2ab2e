"""`graph-program explain`: a program after each stage of the extraction."""

from __future__ import annotations

import argparse
from typing import Any

from graph_program.command_line.commands.export import add_arguments, text_of
from graph_program.command_line.errors import OK


def add(commands: Any) -> None:
    """Say what the command takes."""
    explain = commands.add_parser("explain", help="print a program after each stage")
    explain.add_argument("program", metavar="FILE:NAME")
    explain.add_argument("--stage", help="one stage only")
    add_arguments(explain)
    explain.set_defaults(command=explain_program)


def explain_program(options: argparse.Namespace) -> int:
    """Print the stages."""
    print(text_of(options, lambda program, given: program.explain(options.stage, given)))
    return OK


__all__ = ["add"]
