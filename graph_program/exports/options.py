"""What the caller of `model` and `export` wants, in one place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from graph_program.backends.onnx.avoided import FOR_ALL, FOR_NONE, NOTHING, Avoided
from graph_program.calls.program_options import ProgramOptions
from graph_program.extract.diagnostics import CallError, Diagnostic, Loc, ProgramValueError
from graph_program.extract.types.notation.declared_dims import NO_DIMS, DeclaredDims, read_dims
from graph_program.targets.support import targets

if TYPE_CHECKING:
    from graph_program.extract.ir.graph import GraphProgram
    from graph_program.pages.options import Page
    from graph_program.quantized.options import Quantization

NEAR = 0.7
"""From what share of letters on another name is taken for a misspelt one."""
HOSTS = ("operators", "segments")
CHECKS = ("all", "none")
FLOATS = ("float64", "float32")
LAYOUTS = ("files", "arduino", "zephyr")
ENDS = {"onnx": ".onnx", "c": ".c", "page": ".html"}
"""The ends of files by what they are for; runtimes with a table take ONNX."""
LARGE = 128 * 2**20
"""Bytes of arrays from which on they get a file of their own, if nobody says otherwise."""


@dataclass(frozen=True)
class ModelOptions:
    """What a model is made of.

    Attributes
    ----------
    freeze : bool
        Whether captured arrays are constants of the model (else they are inputs).
    include_errors : bool
        Whether the model tells errors in an output `error`.
    local_functions : bool
        Whether functions that the program calls several times are functions of the model.
    dims : DeclaredDims
        Sizes of dims besides those that the program declares.
    static : tuple of str
        Parameters, and fields of them (`"config.taps"`), that are fixed to their present values.
    opset, ir_version : int, optional
        Versions of the standard operators and of the file format; 20 and 10 by default, or newer ones that the models
        which a program calls are in.
    checks : {"all", "none"}
        Whether the model notices operations that fail; what the program itself raises, it always tells.
    portable : bool
        Whether other runtimes than onnxruntime take the model, too.
    float : {"float64", "float32"}
        What Python floats and float64 arrays are computed in.
    target : str
        The runtime that the model is for, where it is for one of those with a table.
    without : frozenset of str
        Passes that are left out, as the target does not take what they make.
    """

    freeze: bool = True
    include_errors: bool = True
    local_functions: bool = True
    dims: DeclaredDims = NO_DIMS
    static: tuple[str, ...] = ()
    opset: int | None = None
    ir_version: int | None = None
    checks: str = "all"
    portable: bool = False
    float: str = "float64"
    target: str = ""
    without: frozenset[str] = frozenset()

    @property
    def avoided(self) -> Avoided:
        """What the model is to do without: operators that one of all runtimes has not, and all that its own has not.

        Of all runtimes are those that were probed: of what was only read, nobody knows whether it is so.

        Of the forms, every portable file does without those whose other words are fine everywhere, and a file for no
        target by name without some more.
        """
        own = targets()[self.target].avoided if self.target else NOTHING
        shared_by = [support for support in targets().values() if support.portable and not support.document]
        others = [support.avoided for support in shared_by if self.portable]
        if not others:
            return own
        operators, forms = (frozenset().union(*parts) for parts in zip(*others, strict=True))
        shared = FOR_ALL if self.target else FOR_NONE
        return Avoided(operators | frozenset(own.operators), (forms & shared) | frozenset(own.forms))

    def versions(self, program: GraphProgram | None = None) -> tuple[int, int]:
        """The versions to write a program in; ValueError for those that cannot be written."""
        from graph_program.backends.onnx.models import opset_of
        from graph_program.backends.onnxruntime.versions import chosen_versions

        opset = opset_of(program) if self.opset is None and program is not None else self.opset
        return chosen_versions(opset, self.ir_version)


def read_model_options(
    loc: Loc, freeze: bool, errors: bool, functions: bool, dims: Any, static: Iterable[str], *others: Any
) -> ModelOptions:
    """The options of a model in the order of `ModelOptions`, checked; `loc` is the program's first line.

    Raises
    ------
    ProgramValueError
        GP515 for another `checks`, `float` or `portable`.
    TypeError, ValueError
        For what are no dims and no names.
    """
    options = ModelOptions(freeze, errors, functions, read_dims(dims), read_static(static), *others)
    if options.checks not in CHECKS:
        text = f"checks must be 'all' or 'none', not {options.checks!r}"
        raise ProgramValueError(Diagnostic("GP515", text, loc))
    _require_one_of("float", options.float, FLOATS, loc)
    if not isinstance(options.portable, bool):
        raise ProgramValueError(Diagnostic("GP515", f"portable must be True or False, not {options.portable!r}", loc))
    return options


def refuse_unknown_options(
    loc: Loc, function: Callable[..., Any], unknown: Iterable[str], passed_to: Callable[..., Any] | None = None
) -> None:
    """Refuse options that neither a function has, nor the one that it passes them to.

    Raises
    ------
    CallError
        GP515, with the option that may have been meant, or all that there are.
    """
    known = [p.name for one in (function, passed_to) if one is not None for p in _options(one)]
    for name in unknown:
        near = get_close_matches(name, known, 1, NEAR)
        hint = f"write `{near[0]}=`" if near else f"its options are {', '.join(known)}"
        if name in (field.name for field in fields(ProgramOptions)):
            hint = f"write it where the program is made: `@graph_program({name}=...)`"
        raise CallError(Diagnostic("GP515", f"`{function.__name__}` has no option {name!r}", loc, hint=hint))


def with_defaults(
    loc: Loc, function: Callable[..., Any], given: Mapping[str, Any], asked: Callable[..., Any]
) -> Sequence[Any]:
    """All options of a function, in its order: those that are given to `asked`, and its defaults.

    Raises
    ------
    CallError
        GP515 for one that neither has.
    """
    options = _options(function)
    refuse_unknown_options(loc, asked, given.keys() - {option.name for option in options}, function)
    return [given.get(option.name, option.default) for option in options]


def _options(function: Callable[..., Any]) -> list[Parameter]:
    return [p for p in signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]


def require_layout(layout: str, loc: Loc) -> None:
    """Refuse a layout that there is not (GP515)."""
    _require_one_of("layout", layout, LAYOUTS, loc)


def is_named_as_page(path: str) -> bool:
    """Whether a file is a page by its name, as browsers see it."""
    return path.lower().endswith((".html", ".htm"))


def path_for(target: str | None, path: str, loc: Loc) -> str:
    """Where to write a file for a target: as given, with the target's end where there is none (GP515)."""
    if target is None:
        return path
    _require_one_of("target", target, (*ENDS, *targets()), loc)
    end, wanted = os.path.splitext(path)[1], ENDS.get(target, ENDS["onnx"])
    if is_named_as_page(path):
        end = ENDS["page"]
    if end in ENDS.values() and end != wanted:
        text = f"{path!r} is no file for `target={target!r}`"
        raise ProgramValueError(Diagnostic("GP515", text, loc, hint=f"name one that ends in `{wanted}`"))
    return path if end else path + wanted


def _require_one_of(name: str, value: Any, known: tuple[str, ...], loc: Loc) -> None:
    if value not in known:
        near = get_close_matches(str(value), known, 1)
        text = f"{name} must be {', '.join(map(repr, known[:-1]))} or {known[-1]!r}, not {value!r}"
        raise ProgramValueError(Diagnostic("GP515", text, loc, hint=f"write `{name}={near[0]!r}`" if near else ""))


def read_static(names: Iterable[str]) -> tuple[str, ...]:
    """Check what was given as `static`.

    Raises
    ------
    TypeError
        For anything but names.
    """
    found = None if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)
    if found is None or not all(isinstance(name, str) for name in found):
        given = names if isinstance(names, str) else "n"
        raise TypeError(f"static must be a sequence of names, such as static=[{given!r}]")
    return found


@dataclass(frozen=True)
class FileOptions:
    """What is written, and what is tried before.

    Attributes
    ----------
    host : {None, "operators", "segments"}
        How the model reaches host code; None where it must not need any.
    verify : bool
        Whether the file is checked, loaded and compared with Python before it gets its name.
    external_data : "auto", bool, path or None
        Whether arrays stand in a file of their own, and in which.
    example : bool
        Whether a C program gets a `main` that calls it with the example arguments.
    layout : str
        How the files of a C program lie: "files", or as a library for "arduino" or "zephyr".
    target : str, optional
        What the file is for: a format, or a runtime, which must take all of it.
    quantize : str or Quantization, optional
        Whether a model has fewer bits, as the caller says it.
    page : Page, optional
        How a page shows inputs and results, and where it has its runtime from.
    """

    host: str | None = None
    verify: bool = True
    external_data: str | bool | os.PathLike[str] | None = "auto"
    example: bool = False
    layout: str = "files"
    target: str | None = None
    quantize: str | Quantization | None = None
    page: Page | None = None

    def __post_init__(self) -> None:
        if self.host is not None and self.host not in HOSTS:
            raise ValueError(f"host must be 'operators' or 'segments', not {self.host!r}")
        if not isinstance(self.external_data, str | bool | os.PathLike | None):
            raise TypeError(f"external_data must be 'auto', True, False or a path, not {self.external_data!r}")

    def data_file(self, path: str, size: int) -> str | None:
        """The file for arrays of `size` bytes beside a model; None where they stand in the model.

        Raises
        ------
        ValueError
            For a file that is not in the model's folder, where alone a model may refer to.
        """
        wanted = self.external_data
        if wanted is None or not size or wanted is False or (wanted == "auto" and size < LARGE):
            return None
        if wanted is True or wanted == "auto":
            return f"{path}.data"
        folder, name = os.path.split(os.fspath(wanted))
        home, own = os.path.split(path)
        if not name or name == own or (folder and os.path.realpath(folder) != os.path.realpath(home)):
            raise ValueError(f"external_data must be another file of the model's folder, not {os.fspath(wanted)!r}")
        return os.path.join(home, name)


__all__ = [
    "HOSTS",
    "LARGE",
    "FileOptions",
    "ModelOptions",
    "read_model_options",
    "refuse_unknown_options",
    "require_layout",
]
