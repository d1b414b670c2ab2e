"""Commands that take a program or a model file: which of them is meant, and which options go with it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from graph_program.command_line.errors import CommandError

MODEL = ".onnx"


def is_model(options: argparse.Namespace) -> bool:
    """Whether a command is about a model file."""
    return bool(options.program.endswith(MODEL))


def add_inputs(group: Any) -> None:
    """Say how the inputs of a model file are given one by one."""
    group.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an input: a .npy file, or a number or list as Python writes it; several times",
    )


def require_fitting(
    options: argparse.Namespace, of_programs: Mapping[str, Any], of_files: Mapping[str, Any], inputs: str
) -> None:
    """Refuse options of programs for a model file, and options of files for a program.

    Parameters
    ----------
    options : argparse.Namespace
    of_programs, of_files : mapping of str to object
        Options as they are typed, with what was given.
    inputs : str
        How the inputs of a file are given instead.
    """
    if is_model(options):
        wrong, instead = of_programs, f"is for programs; the inputs of a model file are given {inputs}"
    else:
        wrong = of_files
        instead = "is for model files; the arguments of a program are given as --arg NAME=VALUE"
    for name, value in wrong.items():
        if value:
            raise CommandError(f"{name} {instead}")


__all__ = ["add_inputs", "is_model", "require_fitting"]
