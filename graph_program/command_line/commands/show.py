"""`graph-program show`: a program as its source, as the graph, or as C."""

from __future__ import annotations

import argparse
from typing import Any

from graph_program.command_line.commands.export import add_arguments, text_of
from graph_program.command_line.errors import OK


def add(commands: Any) -> None:
    """Say what the command takes."""
    show = commands.add_parser("show", help="print a program as a graph, or as C")
    show.add_argument("program", metavar="FILE:NAME")
    form = show.add_mutually_exclusive_group()
    form.add_argument("--graph", action="store_true", help="the graph as it is run (this is what is shown otherwise)")
    form.add_argument("--c", action="store_true", help="the program in C, as `export` writes it to a file")
    add_arguments(show)
    show.set_defaults(command=show_program)


def show_program(options: argparse.Namespace) -> int:
    """Print the program."""
    text = text_of(
        options,
        lambda program, given: program.c_source(given) if options.c else program.explain("optimized", given),
    )
    print(text.rstrip("\n"))
    return OK


__all__ = ["add"]
