"""The command line: check, explain and export programs in files, run models, show the demo.

Exit codes: 0 done, 1 refused, 2 used wrongly.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from graph_program.program import GraphProgramFunction

T = TypeVar("T")
OK, REFUSED, USAGE = 0, 1, 2
INTERRUPTED = 130
"""What shells give for Ctrl-C."""


class CommandError(Exception):
    """Something to say to the user; ends the command."""

    def __init__(self, message: str, code: int = USAGE):
        super().__init__(message)
        self.code = code


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
        from graph_program.demo import main as demo

        return demo(arguments[1:])
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as stop:  # argparse has said why
        return int(stop.code or 0)
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
    check = commands.add_parser("check", help="extract every program of some files and report refusals")
    check.add_argument("files", nargs="+", metavar="FILE")
    check.set_defaults(command=_check)
    explain = commands.add_parser("explain", help="print a program after each stage")
    explain.add_argument("program", metavar="FILE:NAME")
    explain.add_argument("--stage", help="one stage only")
    explain.set_defaults(command=_explain)
    export = commands.add_parser("export", help="write a program as an ONNX file")
    export.add_argument("program", metavar="FILE:NAME")
    export.add_argument("-o", "--output", required=True, metavar="MODEL.onnx")
    export.set_defaults(command=_export)
    run = commands.add_parser("run", help="run an ONNX file")
    run.add_argument("model", metavar="MODEL.onnx")
    run.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a .npy file, or a number or list as Python writes it",
    )
    run.set_defaults(command=_run)
    commands.add_parser("demo", help="count coins in a photograph")
    return parser


def _check(options: argparse.Namespace) -> int:
    from graph_program.loading import load_module, programs_of

    code = OK
    for file in options.files:
        found = programs_of(load_module(file))
        if not found:
            print(f"{file}: no programs")
        for name, program in found.items():
            code = max(code, _check_one(file, name, program))
    return code


def _check_one(file: str, name: str, program: GraphProgramFunction[..., object]) -> int:
    from graph_program.extract.diagnostics import GraphProgramError

    try:
        program.model()
    except GraphProgramError as error:
        if error.code == "GP502":
            print(f"{file}:{name}: needs example arguments: not every parameter's type is annotated")
            return OK
        print(error)
        return REFUSED
    print(f"{file}:{name}: ok: {program.signature.partition(': ')[2]}")
    return OK


def _explain(options: argparse.Namespace) -> int:
    program = _program(options.program)
    try:
        print(_guarded(lambda: program.explain(options.stage)))
    except ValueError as error:
        raise CommandError(str(error)) from None
    return OK


def _export(options: argparse.Namespace) -> int:
    program = _program(options.program)
    _guarded(lambda: program.export(options.output))
    print(f"{options.output}: {program.signature}")
    return OK


def _run(options: argparse.Namespace) -> int:
    from graph_program.running import run_model

    return run_model(options.model, options.input)


def _program(text: str) -> GraphProgramFunction[..., object]:
    from graph_program.loading import find_program

    file, colon, name = text.rpartition(":")
    if not colon or not file or not name:
        raise CommandError(f"expected FILE:NAME, such as program.py:step, not {text!r}")
    return find_program(file, name)


def _guarded(action: Callable[[], T]) -> T:
    """Do it; a refusal is printed as it is."""
    from graph_program.extract.diagnostics import GraphProgramError

    try:
        return action()
    except GraphProgramError as error:
        raise CommandError(f"refused\n{error}", REFUSED) from None


if __name__ == "__main__":
    sys.exit(main())
