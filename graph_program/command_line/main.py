"""`graph-program`: which commands there are, and what each error of one ends with; exit codes are in `errors`."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version

from graph_program.command_line.commands import bundle, check, explain, export, profile, run, runtime, show, verify
from graph_program.command_line.errors import INTERRUPTED, OK, CommandError

COMMANDS = (check, explain, show, export, profile, verify, bundle, run, runtime)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `graph-program`.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; the process's own by default.

    Returns
    -------
    int
        The exit code.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] == ["demo"]:  # has options of its own
        from graph_program.command_line.commands.demo import main as demo

        return demo(arguments[1:])
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as stop:  # argparse has said why
        return int(stop.code or 0)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a source may hold what the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except CommandError as error:
        print(f"graph-program: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("graph-program: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stderr.close()
        return OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="graph-program", description="Python over NumPy arrays, extracted into one ONNX graph."
    )
    parser.add_argument("--version", action="version", version=f"graph-program {version('graph-program')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    commands.add_parser("demo", help="count coins in a photograph")
    return parser
