"""`graph-program check`: everything that is wrong with the programs of some files."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from graph_program.command_line.errors import OK, REFUSED, USAGE, CommandError


def add(commands: Any) -> None:
    """Say what the command takes."""
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
    check.set_defaults(command=check_files)


def _question(text: str) -> tuple[int, str]:
    line, _, name = text.partition(":")
    if not line.isdecimal() or int(line) < 1:
        raise argparse.ArgumentTypeError(f"expected a line, such as 12 or 12:x, not {text!r}")
    return int(line), name


def check_files(options: argparse.Namespace) -> int:
    """Check, and print the report."""
    from graph_program.command_line.checking import Check
    from graph_program.command_line.reports import FORMATS, show

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


__all__ = ["add"]
