"""`graph-program verify`: what every runtime makes of a program, or of a model file, compared with Python."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_program.command_line.commands.export import add_types, by_name, program_named
from graph_program.command_line.errors import OK, REFUSED, CommandError, guarded
from graph_program.command_line.model_files import add_inputs, is_model, require_fitting
from graph_program.command_line.user_files import split_name

if TYPE_CHECKING:
    from graph_program.verification.report import Report


def add(commands: Any) -> None:
    """Say what the command takes."""
    verify = commands.add_parser(
        "verify",
        help="run a program or a model file in every runtime that is installed, and compare",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verify.add_argument("program", metavar="FILE:NAME|MODEL.onnx", help="a program in a file, or a model file")
    add_types(verify)
    model = verify.add_argument_group("a model file")
    model.add_argument(
        "--with",
        dest="arrays",
        metavar="FILE.npz",
        help="its inputs by name; outputs in the same file are what runtimes are compared with",
    )
    add_inputs(model)
    verify.add_argument(
        "--runtime", action="append", default=[], metavar="NAME", help="a runtime, instead of all; several times"
    )
    verify.add_argument("--timeout", type=float, default=120.0, metavar="S", help="seconds for each run (120)")
    verify.add_argument("--json", action="store_true", help="print JSON")
    verify.set_defaults(command=print_report)


def print_report(options: argparse.Namespace) -> int:
    """Verify, and print what was found; 1 where a runtime gives something else."""
    of_programs = {"--arg": options.arg, "--object": options.object, "--static": options.static, "--dim": options.dim}
    of_files = {"--with": options.arrays, "--input": options.input}
    require_fitting(options, of_programs, of_files, "by --with or --input")
    _require_known(options.runtime)
    found: Report = guarded(lambda: _of_file(options) if is_model(options) else _of_program(options))
    print(found.json() if options.json else found)
    return OK if found.ok else REFUSED


def _require_known(runtimes: list[str]) -> None:
    from graph_program.verification.runtimes import RUNTIMES

    for name in runtimes:
        if name not in RUNTIMES:
            raise CommandError(f"there is no runtime {name!r}; there are {', '.join(RUNTIMES)}")


def _of_program(options: argparse.Namespace) -> Report:
    from graph_program.command_line.arguments import example_arguments
    from graph_program.command_line.user_files import load_module

    file, name = split_name(options.program)
    module = load_module(file)
    program = program_named(module, file, name, options.object)
    values = example_arguments(program, module, by_name("--arg", options.arg))
    fixed: dict[str, Any] = {"dims": by_name("--dim", options.dim), "static": tuple(options.static)}
    return program.verify(values, runtimes=options.runtime, timeout=options.timeout, **fixed)


def _of_file(options: argparse.Namespace) -> Report:
    from graph_program.command_line.running import model_arrays
    from graph_program.verification.of_file import verify_file

    feed, expected = model_arrays(options.program, options.arrays, options.input)
    return verify_file(Path(options.program), feed, expected, options.runtime, options.timeout)


__all__ = ["add"]
