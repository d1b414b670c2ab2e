"""Where a mistake is found: when the program is extracted, when it is called, or not at all."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import itertools
import linecache
import re
import sys
import types
import typing
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import AbstractArray

import graph_program
from graph_program import GraphProgramError
from tests.seeded.mutations import ANNOTATED, Mutant
from tests.seeded.subjects import Subject

MOST_LINES = 100_000
"""Lines after which a run is given up: the mistake made a loop endless."""

_numbers = itertools.count()


class Found(Enum):
    """When a mistake comes out."""

    EXTRACTION = "at extraction"
    WARNING = "at extraction, as a warning"
    """A path that fails whenever a run takes it."""
    REQUIREMENT = "at extraction, as a warning of `check`"
    """The program wants more of its dims than the annotations say, and more than the unbroken one."""
    CALL = "at the call, as Python says"
    CALL_OTHERWISE = "at the call, otherwise"
    UNNOTICED = "unnoticed"
    CRASHED = "the extractor fails"
    NO_MISTAKE = "no mistake"


@dataclass
class Verdict:
    found: Found
    right_line: bool = False
    python: str = ""
    ours: str = ""
    mutant: Mutant | None = field(default=None, repr=False)


class EndlessLoop(Exception):
    """A run that was given up."""


def load(source: str) -> types.ModuleType:
    """A source text as a module that exists in memory only, with its lines known."""
    name = f"seeded_{next(_numbers)}"
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = types.ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module  # annotations that are text are read there
    module.__dict__.update(
        {n: getattr(graph_program, n) for n in ANNOTATED.values()}
    )  # the mistake may be one of these
    exec(compile(source, file, "exec"), module.__dict__)
    return module


def forget(module: types.ModuleType) -> None:
    """Free what `load` keeps."""
    sys.modules.pop(module.__name__, None)
    linecache.cache.pop(str(module.__file__), None)


@contextmanager
def limited(file: str) -> Iterator[None]:
    """Give a run up after `MOST_LINES` lines of a file."""
    left = MOST_LINES

    def line(frame: types.FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise EndlessLoop
        return line

    outer = sys.gettrace()
    sys.settrace(lambda frame, event, argument: line if frame.f_code.co_filename == file else None)
    try:
        yield
    finally:
        sys.settrace(outer)


def judge(subject: Subject, mutant: Mutant) -> Verdict:
    """Where the mistake of a mutant is found."""
    module = load(mutant.source)
    try:
        verdict = _judge(subject, mutant, module)
    finally:
        forget(module)
    verdict.mutant = mutant
    return verdict


def _judge(subject: Subject, mutant: Mutant, module: types.ModuleType) -> Verdict:
    program = getattr(module, subject.name)
    args = fitting(program.python, subject.args(module), sizes_of(subject))
    wanted, lines = _mistake(module, program, args)
    if wanted is None:
        return Verdict(Found.NO_MISTAKE)
    lines.add(mutant.line)
    try:
        said, required = extracted(program)
    except Exception as error:  # whatever it is, it is a fault of the extractor
        return Verdict(Found.CRASHED, False, _text(wanted), _text(error))
    if said:
        found = Found.EXTRACTION if required is None else Found.WARNING
        return Verdict(found, any(_at(error, lines) for error in said), _text(wanted), "\n".join(map(str, said)))
    assert required is not None
    added = required - requirements_of(subject)
    if added:
        shown = "; ".join(f"line {line}: {text}" for line, text in sorted(added))
        return Verdict(Found.REQUIREMENT, any(line in lines for line, _ in added), _text(wanted), shown)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            program(*copy.deepcopy(args))
    except Exception as error:  # the mistake may show as any class
        same = type(error) is type(wanted) and str(error) == str(wanted)
        alike = same or isinstance(wanted, Contradiction)
        return Verdict(Found.CALL if alike else Found.CALL_OTHERWISE, False, _text(wanted), _text(error))
    return Verdict(Found.UNNOTICED, False, _text(wanted), "")


Requirements = frozenset[tuple[int, str]]
"""Lines, with the warning there that the program needs more of its sizes than its annotations say."""


def extracted(program: Any) -> tuple[list[GraphProgramError], Requirements | None]:
    """What the extraction for the annotated types says, before anything is run.

    The refusal, and then None; or the errors of paths that not every run takes, and what is required.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = program._ready().examine(None, ())
        except GraphProgramError as error:
            return [error], None
    return list(found.findings), frozenset((d.loc.line, d.message) for d in found.unsaid)


@lru_cache(maxsize=1)
def requirements_of(subject: Subject) -> Requirements:
    """What a program that works requires of its sizes."""
    module = load(subject.source)
    said, required = extracted(getattr(module, subject.name))
    assert not said and required is not None, said
    forget(module)
    return required


def _at(error: GraphProgramError, lines: set[int]) -> bool:
    places = [error.loc, *(label.loc for label in error.diagnostic.labels)]
    return any(place.line in lines for place in places)


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


# ---------------------------------------------------------------- what Python says


class Contradiction(Exception):
    """A value is not what its annotation says."""


def _mistake(module: types.ModuleType, program: Any, args: tuple[Any, ...]) -> tuple[Exception | None, set[int]]:
    """What is wrong in plain Python, and the lines that its traceback ends at; None if nothing is."""
    file = str(module.__file__)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            with limited(file):
                result = program.python(*copy.deepcopy(args))
        except EndlessLoop:
            return None, set()
        except Exception as error:  # the mistake may show as any class
            frames = []
            step = error.__traceback__
            while step is not None:
                frames.append((step.tb_frame.f_code.co_filename, step.tb_lineno))
                step = step.tb_next
            return error, {line for name, line in frames if name == file}
    contradiction = _contradicted(program.python, args, result)
    if contradiction is None:
        return None, set()
    return Contradiction(contradiction), _lines_of_the_result(file, program.python)


def _lines_of_the_result(file: str, fn: Any) -> set[int]:
    """Where a checker of annotations at run time says that a result is wrong: the signature, and each `return`."""
    defined = (node for node in ast.walk(ast.parse("".join(linecache.getlines(file)))))
    function = next(n for n in defined if isinstance(n, ast.FunctionDef) and n.name == fn.__name__)
    returns = {n.lineno for n in ast.walk(function) if isinstance(n, ast.Return)}
    return {*range(function.lineno, function.body[0].lineno), *returns}


def _contradicted(fn: Any, args: tuple[Any, ...], result: Any) -> str | None:
    """Which part of the arguments or of the result is not what its annotation says."""
    dims: list[tuple[str, int]] = []
    for path, leaf, hint in _all_leaves(fn, (*args, result)):
        named = hint.dim_str.split()
        if not isinstance(leaf, np.ndarray) or leaf.dtype.name not in hint.dtypes or leaf.ndim != len(named):
            return f"{path}: {hint.__name__}"
        dims += zip(named, leaf.shape, strict=True)
    return _solve(dims)[1]


def _solve(dims: list[tuple[str, int]]) -> tuple[dict[str, int], str | None]:
    """The sizes of the names, and a dim that has another size than its text says."""
    sizes: dict[str, int] = {}
    for text, size in sorted((d for d in dims if d[0] != "_"), key=lambda d: not d[0].isidentifier()):
        names = set(re.findall(r"[a-z_]+", text)) - sizes.keys()
        if len(names) == 1:
            (name,) = names
            candidates = [n for n in range(size + 1) if eval(text, {}, {**sizes, name: n}) == size]
            if not candidates:
                return sizes, f"{text} is {size}"
            sizes[name] = candidates[0]
        elif eval(text, {}, dict(sizes)) != size:
            return sizes, f"{text} is {size}"
    return sizes, None


@lru_cache(maxsize=1)
def sizes_of(subject: Subject) -> dict[str, int]:
    """What the names of the dims mean for the arguments of a program that works."""
    module = load(subject.source)
    leaves = _all_leaves(getattr(module, subject.name).python, subject.args(module))
    sizes, wrong = _solve([d for _, leaf, hint in leaves for d in zip(hint.dim_str.split(), leaf.shape, strict=True)])
    assert wrong is None, wrong
    forget(module)
    return sizes


def fitting(fn: Any, args: tuple[Any, ...], sizes: dict[str, int]) -> tuple[Any, ...]:
    """The arguments as the annotations want them, where the mistake is in an annotation."""
    hints = typing.get_type_hints(fn)
    names = inspect.signature(fn).parameters
    return tuple(_fitted(value, hints.get(name), sizes) for name, value in zip(names, args, strict=True))


def _fitted(value: Any, hint: Any, sizes: dict[str, int]) -> Any:
    if _is_array(hint):
        shape = tuple(eval(d, {}, {**sizes, "_": n}) for d, n in _dims_with_sizes(hint, value))
        return (value if value.shape == shape else np.resize(value, shape)).astype(hint.dtypes[0])
    if dataclasses.is_dataclass(hint):
        inner = typing.get_type_hints(hint)
        changes = {name: _fitted(getattr(value, name), h, sizes) for name, h in inner.items()}
        return dataclasses.replace(value, **changes)
    if typing.get_origin(hint) is tuple:
        return tuple(_fitted(v, h, sizes) for v, h in zip(value, typing.get_args(hint), strict=True))
    return value


def _dims_with_sizes(hint: Any, value: Any) -> list[tuple[str, int]]:
    """Each dim of an annotation, with the size that an array has there now."""
    dims = hint.dim_str.split()
    return list(zip(dims, (*value.shape, *(1 for _ in dims)), strict=False))


def _is_array(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, AbstractArray)


def _all_leaves(fn: Any, values: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
    """The arrays of the arguments, and of the result if it comes last, with what their annotations say."""
    hints = typing.get_type_hints(fn)
    names = [*inspect.signature(fn).parameters, "return"][: len(values)]
    return [leaf for name, v in zip(names, values, strict=True) for leaf in _leaves(name, v, hints.get(name))]


def _leaves(path: str, value: Any, hint: Any) -> Iterator[tuple[str, Any, Any]]:
    """The arrays of a value, with what their annotations say."""
    if _is_array(hint):
        yield path, value, hint
    elif dataclasses.is_dataclass(hint):
        for name, inner in typing.get_type_hints(hint).items():
            yield from _leaves(f"{path}.{name}", getattr(value, name), inner)
    elif typing.get_origin(hint) is tuple:
        for i, (item, inner) in enumerate(zip(value, typing.get_args(hint), strict=False)):
            yield from _leaves(f"{path}[{i}]", item, inner)
