"""`graph-program runtime`: the one file that calls exported models as functions, for a device without the package."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from graph_program.command_line.errors import OK, guarded


def add(commands: Any) -> None:
    """Say what the command takes."""
    runtime = commands.add_parser("runtime", help="write the one file that calls exported models as functions")
    runtime.add_argument("-o", "--output", default=".", metavar="FOLDER")
    runtime.set_defaults(command=write_runtime)


def write_runtime(options: argparse.Namespace) -> int:
    """Write the file, and print where it is."""
    from graph_program.exports.files import write_files
    from graph_program.extract.diagnostics import UNKNOWN
    from graph_program.onnx_program.one_file import FILE, one_file

    path = Path(options.output) / FILE
    guarded(lambda: write_files({str(path): one_file().encode()}, UNKNOWN, options.output))
    print(path)
    return OK


__all__ = ["add"]
