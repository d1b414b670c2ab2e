"""`graph-program show`: a program as its source, as the graph, or as C."""

from __future__ import annotations

import argparse
from typing import Any

from graph_program.command_line.commands.export import add_arguments, program_named
from graph_program.command_line.errors import OK, guarded
from graph_program.command_line.user_files import split_name


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
    from graph_program.command_line.advice import as_typed
    from graph_program.command_line.arguments import example_arguments
    from graph_program.command_line.user_files import load_module

    file, name = split_name(options.program)
    module = load_module(file)
    program = program_named(module, file, name, options.object)

    def text() -> str:
        given = example_arguments(program, module, dict(options.arg))
        return program.c_source(given) if options.c else program.explain("optimized", given)

    print(guarded(text, as_typed).rstrip("\n"))
    return OK


__all__ = ["add"]
