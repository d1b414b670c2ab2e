"""`graph-program profile`: where the time of a program, or of a model file, goes, line by line."""

from __future__ import annotations

import argparse
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_program.command_line.commands.export import add_arguments, by_name, program_named
from graph_program.command_line.errors import OK, REFUSED, CommandError, guarded
from graph_program.command_line.model_files import add_inputs, is_model, require_fitting
from graph_program.command_line.user_files import split_name

if TYPE_CHECKING:
    from graph_program.profiles.profile import Profile
    from graph_program.program import GraphProgramFunction


def add(commands: Any) -> None:
    """Say what the command takes."""
    profile = commands.add_parser(
        "profile",
        help="show where the time of a program goes, line by line",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    profile.add_argument("program", metavar="FILE:NAME|MODEL.onnx", help="a program in a file, or a model file")
    add_arguments(profile.add_argument_group("arguments of a program; each needs a value"))
    model = profile.add_argument_group("a model file")
    add_inputs(model)
    model.add_argument(
        "--source",
        action="append",
        default=[],
        type=Path,
        metavar="PATH",
        help="a source file, or a folder with some, besides the model's and the present one; several times",
    )
    profile.add_argument("--repeat", type=_positive, default=10, metavar="N", help="how many runs are measured (10)")
    profile.add_argument("--warmup", type=_count, default=2, metavar="N", help="how many runs come before them (2)")
    form = profile.add_mutually_exclusive_group()
    form.add_argument("--operators", action="store_true", help="print a table of operations instead of lines")
    form.add_argument("--json", action="store_true", help="print JSON")
    profile.add_argument("--speedscope", metavar="OUT.json", help="write a flame graph for https://www.speedscope.app")
    profile.set_defaults(command=print_profile)


def print_profile(options: argparse.Namespace) -> int:
    """Profile, and print what was found."""
    of_files = {"--input": options.input, "--source": options.source}
    require_fitting(options, {"--arg": options.arg, "--object": options.object}, of_files, "as --input NAME=VALUE")
    found = _of_file(options) if is_model(options) else _of_program(options)
    if options.speedscope:
        try:
            Path(options.speedscope).write_text(found.speedscope(), encoding="utf-8")
        except OSError as error:
            raise CommandError(f"cannot write {options.speedscope}: {error.strerror or error}") from None
    print(found.json() if options.json else found.by_operator() if options.operators else found)
    return OK


def _of_program(options: argparse.Namespace) -> Profile:
    from graph_program.command_line.arguments import example_arguments
    from graph_program.command_line.user_files import load_module

    file, name = split_name(options.program)
    module = load_module(file)
    program = program_named(module, file, name, options.object)
    values = example_arguments(program, module, by_name("--arg", options.arg)) or {}
    calls = program._ready()
    known = calls.defaults | values
    missing = [name for name in calls.parameters if name not in known]
    if missing:
        raise CommandError(
            f"a profile runs the program and needs a value of {', '.join(missing)}; give each as --arg NAME=VALUE, "
            "such as x=frame.npy, k=3, or an expression of the module"
        )
    return guarded(lambda: _measured(program, known, options))


def _measured(program: GraphProgramFunction[..., Any], values: dict[str, Any], options: argparse.Namespace) -> Profile:
    from graph_program.extract.diagnostics import GraphProgramError
    from graph_program.profiles.of_program import profile

    calls = program._ready()
    try:
        return profile(calls, calls._bind_example(values), options.repeat, options.warmup)
    except GraphProgramError:
        raise
    except Exception as error:  # the program's own
        said = "".join(traceback.format_exception_only(error)).splitlines()[0]
        raise CommandError(f"{options.program} raised {said}", REFUSED) from None


def _of_file(options: argparse.Namespace) -> Profile:
    from graph_program.command_line.running import model_feed
    from graph_program.profiles.of_file import profile_of_file

    feed = model_feed(options.program, options.input)
    return guarded(lambda: profile_of_file(Path(options.program), feed, options.source, options.repeat, options.warmup))


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a number, not {text!r}")
    return int(text)


def _positive(text: str) -> int:
    if not _count(text):
        raise argparse.ArgumentTypeError("expected a number of at least 1")
    return int(text)


__all__ = ["add"]
