"""`graph-program export`: a program as an ONNX file, as C or as a page, with every option of `program.export`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from graph_program.command_line.errors import OK, CommandError, guarded
from graph_program.command_line.user_files import split_name

if TYPE_CHECKING:
    from graph_program.pages.options import Page
    from graph_program.program import GraphProgramFunction
    from graph_program.quantized.options import Quantization

T = TypeVar("T")
EXTERNAL: dict[str, str | bool] = {"auto": "auto", "on": True, "off": False}


def add(commands: Any) -> None:
    """Say what the command takes."""
    export = commands.add_parser(
        "export",
        help="write a program as an ONNX file, as C, or as a page for browsers",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    export.add_argument("program", metavar="FILE:NAME", help="program.py:step, or a method, program.py:Tracker.step")
    export.add_argument(
        "-o", "--output", metavar="MODEL.onnx|PLAY.c|PLAY.html", help="the program's name, where it is not given"
    )
    export.add_argument(
        "--target",
        metavar="onnx|c|page|RUNTIME",
        help="an ONNX file, C or a page, where the output's end does not say it; or the runtime that is to take it: "
        "openvino, webgpu, tensorrt, ...",
    )
    add_types(export)
    _add_model(export)
    _add_page(export)
    export.set_defaults(command=export_program)


def add_types(export: argparse.ArgumentParser) -> None:
    """Say how arguments are given, and what is fixed of them."""
    group = export.add_argument_group("arguments of the program, where its annotations do not say what they are")
    add_arguments(group)
    _several(group, "--static", str, "NAME", "fix a parameter, or a field such as config.taps, to its value")
    _several(group, "--dim", _dim, "NAME=SIZE", "freeze a dim, as n=128, or bound it, as batch=1:8 or batch=1:")


def add_arguments(group: Any) -> None:
    """Say how arguments, and the object of a method, are given."""
    _several(
        group,
        "--arg",
        _named_text,
        "NAME=TYPE|VALUE",
        "a type (x=float32[n, 3], k=int), a file (x=frame.npy), or a value as Python writes it (k=3); "
        "what else stands there is evaluated in the program's module, as settings=Settings(2)",
    )
    group.add_argument(
        "--object", metavar="EXPRESSION", help='the object of a method, made in its module, as "Tracker(0.3)"'
    )


def _add_model(export: argparse.ArgumentParser) -> None:
    group = export.add_argument_group("the model")
    group.add_argument(
        "--host",
        choices=("operators", "segments"),
        help="how the model reaches host code: by operators in Python, or cut into a folder of models",
    )
    group.add_argument("--opset", type=int, metavar="N", help="version of the standard operators")
    group.add_argument("--ir-version", type=int, metavar="N", help="version of the file format")
    group.add_argument(
        "--external-data",
        default="auto",
        metavar="auto|on|off|FILE",
        help="whether arrays stand in a file of their own, and in which",
    )
    group.add_argument(
        "--checks",
        default="all",
        metavar="all|none",
        help="none: leave out what notices that an operation fails, for whoever has tested that none does",
    )
    group.add_argument("--portable", action="store_true", help="a model for other runtimes than onnxruntime, too")
    group.add_argument(
        "--float", default="float64", metavar="float64|float32", help="float32: for devices without a unit for doubles"
    )
    group.add_argument("--example", action="store_true", help="a C `main` that calls the program with the arguments")
    group.add_argument(
        "--layout", default="files", metavar="files|arduino|zephyr", help="C files as a library for Arduino or Zephyr"
    )
    _add_quantized(export)
    _off(group, "--no-verify", "verify", "do not load the file, nor compare it with Python")
    _off(group, "--no-errors", "include_errors", "leave out the output that tells errors")
    _off(group, "--no-freeze", "freeze", "captured arrays are inputs")
    _off(group, "--no-local-functions", "local_functions", "write what a function has become once per call")


def _add_quantized(export: argparse.ArgumentParser) -> None:
    group = export.add_argument_group("a model in fewer bits")
    group.add_argument(
        "--quantize", metavar="int8|float16", help="8-bit products with known matrices, or 16-bit floats"
    )
    group.add_argument(
        "--calibrate",
        metavar="EXPRESSION",
        help='int8: arguments by which numbers are scaled, made in the module of the program, as "examples()"',
    )
    _several(group, "--quantize-only", str, "LINE|FUNCTION", "what is quantized, as encoder.py:30 or attend")
    _several(group, "--quantize-except", str, "LINE|FUNCTION", "what stays float32")
    group.add_argument(
        "--quantize-smallest",
        type=int,
        metavar="N",
        help="int8: matrices with fewer numbers stay float32 (256), unless --quantize-only names their line",
    )
    _off(group, "--per-array", "per_channel", "int8: one scale for a matrix, not one for each column")


def _add_page(export: argparse.ArgumentParser) -> None:
    group = export.add_argument_group("a page that runs the program in a browser")
    group.add_argument("--page", action="store_const", const="page", dest="target", help="the same as --target page")
    _several(
        group, "--show", _view, "NAME=VIEW", "how an input or a result is shown, as sound=audio:16000 or result=boxes"
    )
    group.add_argument(
        "--onnxruntime-web", metavar="FOLDER", help="where npm has installed it; else NODE_PATH and node_modules"
    )


def _several(group: Any, name: str, type_: Any, metavar: str, text: str) -> None:
    group.add_argument(name, action="append", default=[], type=type_, metavar=metavar, help=f"{text}; several times")


def _off(group: Any, name: str, option: str, text: str) -> None:
    group.add_argument(name, dest=option, action="store_false", help=text)


def _named_text(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier() or not value.strip():
        raise argparse.ArgumentTypeError(f"expected NAME=TYPE or NAME=VALUE, such as x=float32[n] or k=3, not {text!r}")
    return name, value


def _view(text: str) -> tuple[str, str]:
    name, equals, view = text.rpartition("=")
    if not equals or not name or not view:
        raise argparse.ArgumentTypeError(f"expected NAME=VIEW, such as sound=audio:16000, not {text!r}")
    return name, view


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


def export_program(options: argparse.Namespace) -> int:
    """Write the file, and print what it has become."""
    from graph_program.command_line.advice import as_typed
    from graph_program.command_line.arguments import example_arguments
    from graph_program.command_line.user_files import load_module

    file, name = split_name(options.program)
    module = load_module(file)
    program = program_named(module, file, name, options.object)
    output, target = options.output, options.target
    if output is None:
        output, target = name.rpartition(".")[2], target or "onnx"
    summary = guarded(
        lambda: program.export(
            output,
            example_arguments(program, module, by_name("--arg", options.arg)),
            freeze=options.freeze,
            include_errors=options.include_errors,
            local_functions=options.local_functions,
            dims=by_name("--dim", options.dim),
            static=tuple(options.static),
            opset=options.opset,
            ir_version=options.ir_version,
            checks=options.checks,
            portable=options.portable,
            float=options.float,
            example=options.example,
            layout=options.layout,
            target=target,
            host=options.host,
            verify=options.verify,
            external_data=EXTERNAL.get(options.external_data, options.external_data),
            quantize=_quantization(options, module),
            page=_page(options),
        ),
        as_typed,
    )
    print(summary)
    return OK


def _quantization(options: argparse.Namespace, module: Any) -> Quantization | None:
    """What the options of a model in fewer bits say together."""
    from graph_program.command_line.arguments import evaluated
    from graph_program.quantized.options import SMALLEST, Quantization

    given = {
        "--calibrate": options.calibrate is not None,
        "--quantize-only": bool(options.quantize_only),
        "--quantize-except": bool(options.quantize_except),
        "--quantize-smallest": options.quantize_smallest is not None,
        "--per-array": not options.per_channel,
    }
    if options.quantize is None:
        for name in (name for name, is_given in given.items() if is_given):
            raise CommandError(f"{name} needs --quantize")
        return None
    examples = None if options.calibrate is None else evaluated(module, options.calibrate, "--calibrate")
    if not isinstance(examples, Iterable | None):
        raise CommandError(f"--calibrate: {options.calibrate} is not a sequence of arguments")
    names = tuple(options.quantize_only), tuple(options.quantize_except)
    smallest = SMALLEST if options.quantize_smallest is None else options.quantize_smallest
    return Quantization(options.quantize, examples, options.per_channel, *names, smallest)


def by_name(option: str, given: Iterable[tuple[str, T]]) -> dict[str, T]:
    """What an option says of several names, once of each."""
    found: dict[str, T] = {}
    for name, value in given:
        if name in found:
            raise CommandError(f"{option} {name}=... is there twice")
        found[name] = value
    return found


def _page(options: argparse.Namespace) -> Page | None:
    """What the options of a page say together."""
    from graph_program.pages.options import Page

    if not options.show and options.onnxruntime_web is None:
        return None
    return Page(by_name("--show", options.show), options.onnxruntime_web)


def text_of(options: argparse.Namespace, made: Callable[[GraphProgramFunction[..., object], Any], str]) -> str:
    """What a command prints of a program and its example arguments."""
    from graph_program.command_line.advice import as_typed
    from graph_program.command_line.arguments import example_arguments
    from graph_program.command_line.user_files import load_module

    file, name = split_name(options.program)
    module = load_module(file)
    program = program_named(module, file, name, options.object)
    return guarded(lambda: made(program, example_arguments(program, module, by_name("--arg", options.arg))), as_typed)


def program_named(module: Any, file: str, name: str, made_by: str | None) -> GraphProgramFunction[..., object]:
    """The program of a module; with an expression for its object, the method of that."""
    from graph_program.command_line.arguments import evaluated
    from graph_program.command_line.user_files import program_in

    if made_by is None:
        return program_in(module, name, file)
    owner = evaluated(module, made_by, "--object")
    return program_in(owner, name.rpartition(".")[2], f"{type(owner).__name__} object {made_by}")


__all__ = ["add", "add_arguments", "add_types", "by_name", "text_of"]
