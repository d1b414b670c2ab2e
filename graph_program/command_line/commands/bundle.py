"""`graph-program bundle`: a program, or a model file, as a folder with all that somebody needs to call it."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_program.command_line.commands.export import add_types, by_name, program_named
from graph_program.command_line.errors import OK, CommandError, guarded
from graph_program.command_line.model_files import is_model
from graph_program.command_line.user_files import split_name

if TYPE_CHECKING:
    from graph_program.bundles.bundle import Bundle


def add(commands: Any) -> None:
    """Say what the command takes."""
    bundle = commands.add_parser("bundle", help="write a folder with a model and how it is called, in four languages")
    bundle.add_argument("program", metavar="FILE:NAME|MODEL.onnx", help="a program in a file, or a model file")
    add_types(bundle)
    bundle.add_argument("--with", dest="arrays", metavar="FILE.npz", help="inputs of a model file, as the example")
    bundle.add_argument("--portable", action="store_true", help="a model for other runtimes than onnxruntime, too")
    bundle.add_argument("-o", "--output", required=True, metavar="FOLDER")
    bundle.set_defaults(command=write_bundle)


def write_bundle(options: argparse.Namespace) -> int:
    """Write the folder, and print what is in it."""
    of_file = is_model(options)
    if of_file and (options.arg or options.object or options.portable or options.static or options.dim):
        raise CommandError("--arg and its like are for programs; a model file is taken as it is")
    if not of_file and options.arrays:
        raise CommandError("--with is for model files; the arguments of a program are given as --arg NAME=VALUE")
    made = _of_file(options) if of_file else _of_program(options)
    print("\n".join(str(Path(options.output) / name) for name in made.files))
    if made.not_run:
        text = f"{options.program} does not run on zeros, and the example has no outputs: {made.not_run}"
        print(f"graph-program: {text}; give inputs by {'--with' if of_file else '--arg'}", file=sys.stderr)
    return OK


def _of_file(options: argparse.Namespace) -> Bundle:
    from graph_program.bundles.bundle import bundle
    from graph_program.command_line.opened import opened
    from graph_program.command_line.running import model_arrays

    opened(options.program)  # a file that is none is refused
    example = None if options.arrays is None else model_arrays(options.program, options.arrays, [])[0]
    return guarded(lambda: bundle(Path(options.program), Path(options.output), example))


def _of_program(options: argparse.Namespace) -> Bundle:
    from graph_program.bundles.bundle import bundle
    from graph_program.command_line.advice import as_typed
    from graph_program.command_line.arguments import example_arguments
    from graph_program.command_line.user_files import load_module
    from graph_program.exports.example import example_feed

    file, name = split_name(options.program)
    module = load_module(file)
    program = program_named(module, file, name, options.object)
    values = example_arguments(program, module, by_name("--arg", options.arg))

    def made() -> Bundle:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name.rpartition('.')[2]}.onnx"
            fixed: dict[str, Any] = {"dims": by_name("--dim", options.dim), "static": tuple(options.static)}
            program.export(path, values, portable=options.portable, **fixed)
            return bundle(path, Path(options.output), example_feed(program._ready(), values, **fixed))

    return guarded(made, as_typed)


__all__ = ["add"]
