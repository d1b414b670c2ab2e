"""`graph-program run`: an ONNX file with inputs from the command line."""

from __future__ import annotations

import argparse
from typing import Any


def add(commands: Any) -> None:
    """Say what the command takes."""
    run = commands.add_parser("run", help="run an ONNX file")
    run.add_argument("model", metavar="MODEL.onnx")
    run.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a .npy file, or a number or list as Python writes it",
    )
    run.set_defaults(command=run_file)


def run_file(options: argparse.Namespace) -> int:
    """Run, and print what the model gives."""
    from graph_program.command_line.running import run_model

    return run_model(options.model, options.input)


__all__ = ["add"]
