"""The command line: check, explain and export programs in files, run models, show the demo.

Exit codes: 0 done, 1 refused, 2 used wrongly (a file that is missing, or cannot be imported).
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

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
    _add_check(commands)
    explain = commands.add_parser("explain", help="print a program after each stage")
    explain.add_argument("program", metavar="FILE:NAME")
    explain.add_argument("--stage", help="one stage only")
    explain.set_defaults(command=_explain)
    export = commands.add_parser("export", help="write a program as an ONNX file")
    export.add_argument("program", metavar="FILE:NAME")
    export.add_argument("-o", "--output", required=True, metavar="MODEL.onnx")
    export.add_argument(
        "--no-local-functions",
        dest="local_functions",
        action="store_false",
        help="write what a function has become once per call",
    )
    export.add_argument(
        "--dim",
        action="append",
        default=[],
        type=_dim,
        metavar="NAME=SIZE",
        help="freeze a dim, as n=128, or bound it, as batch=1:8 or batch=1:",
    )
    export.add_argument(
        "--host",
        choices=("operators", "segments"),
        help="how the model reaches host code: by operators in Python, or cut into a folder of models",
    )
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
    runtime = commands.add_parser("runtime", help="write the one file that calls exported models as functions")
    runtime.add_argument("-o", "--output", default=".", metavar="FOLDER")
    runtime.set_defaults(command=_runtime)
    commands.add_parser("demo", help="count coins in a photograph")
    return parser


def _add_check(commands: Any) -> None:
    check = commands.add_parser("check", help="report everything that is wrong with the programs of some files")
    check.add_argument("files", nargs="+", metavar="FILE")
    check.add_argument("--format", choices=("text", "json", "sarif", "github"), default="text")
    check.add_argument("--strict", action="store_true", help="exit with 1 for warnings, too")
    check.add_argument("--show", action="store_true", help="print each program's signature (with text only)")
    check.add_argument(
        "--reveal",
        action="append",
        default=[],
        type=_question,
        metavar="LINE[:NAME]",
        help="show what is known of the values assigned on a line",
    )
    check.set_defaults(command=_check)


def _question(text: str) -> tuple[int, str]:
    line, _, name = text.partition(":")
    if not line.isdecimal() or int(line) < 1:
        raise argparse.ArgumentTypeError(f"expected a line, such as 12 or 12:x, not {text!r}")
    return int(line), name


def _check(options: argparse.Namespace) -> int:
    from graph_program.checking import Check
    from graph_program.reports import FORMATS, show

    if options.reveal and len(options.files) > 1:
        raise CommandError("--reveal asks about the lines of one file")
    check = Check(options.reveal)
    report = check.run(options.files)
    written = FORMATS[options.format](report)
    if options.format != "text":
        print(written)
    else:
        show("\n".join([*(check.signatures if options.show else ()), written]).strip("\n"), sys.stdout)
        print(check.summary(report))
    for problem in (*report.problems, *check.unanswered()):
        print(f"graph-program: {problem}", file=sys.stderr)
    refused = report.errors or (options.strict and report.warnings)
    return USAGE if report.problems else REFUSED if refused else OK


def _explain(options: argparse.Namespace) -> int:
    program = _program(options.program)
    try:
        print(_guarded(lambda: program.explain(options.stage)))
    except ValueError as error:
        raise CommandError(str(error)) from None
    return OK


def _export(options: argparse.Namespace) -> int:
    program, dims = _program(options.program), dict(options.dim)
    try:
        summary = _guarded(
            lambda: program.export(
                options.output, dims=dims, local_functions=options.local_functions, host=options.host
            )
        )
    except ValueError as error:  # sizes that make no sense, or that the program does not allow
        raise CommandError(str(error)) from None
    print(summary)
    return OK


def _dim(text: str) -> tuple[str, Any]:
    """`n=128` or `batch=1:8`."""
    name, equals, sizes = text.partition("=")
    low, colon, high = sizes.partition(":")
    try:
        size: Any = (int(low or "0"), int(high) if high else None) if colon else int(low)
    except ValueError:
        size = None
    if not name or not equals or size is None:
        raise argparse.ArgumentTypeError(f"expected NAME=SIZE, such as n=128 or batch=1:8, not {text!r}")
    return name, size


def _run(options: argparse.Namespace) -> int:
    from graph_program.running import run_model

    return run_model(options.model, options.input)


def _runtime(options: argparse.Namespace) -> int:
    from pathlib import Path

    from graph_program.exports.files import write_files
    from graph_program.extract.diagnostics import UNKNOWN
    from graph_program.onnx_program.one_file import FILE, one_file

    path = Path(options.output) / FILE
    _guarded(lambda: write_files({str(path): one_file().encode()}, UNKNOWN, options.output))
    print(path)
    return OK


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
