"""Which functions a test module of numba compiles, and with what arguments its tests call them.

numba's decorators are replaced by a stand-in before the module is imported, and the module's tests
are run: they pass or fail as they like, and every call of a function that they asked numba to
compile is kept with a copy of its arguments.  So the programs and their arguments are numba's own,
also those of functions that are made inside a test.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import sys
import types
import unittest
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from tests.external.copies import copied

DECORATORS = ("jit", "njit")
TESTS = "numba.tests"
"""The package whose functions are recorded; numba compiles some of its own as well."""


@dataclass(frozen=True)
class Call:
    """The arguments of one call."""

    args: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)


@dataclass
class Recorded:
    """A function that a test compiles, and the arguments that it is called with."""

    function: FunctionType
    calls: list[Call] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.function.__qualname__


class Recorder:
    """The stand-in for numba's decorators."""

    def __init__(self) -> None:
        self.programs: dict[int, Recorded] = {}
        self.depth = 0

    def jit(self, signature_or_function: Any = None, *args: Any, **options: Any) -> Any:
        """`@jit`, `@jit(...)` and `jit(...)(function)`."""
        if isinstance(signature_or_function, FunctionType | Compiled):
            return self.compiled(signature_or_function)
        return self.compiled

    def compiled(self, function: Any) -> Any:
        if not isinstance(function, FunctionType) or not function.__module__.startswith(TESTS):
            return function
        recorded = self.programs.setdefault(id(function), Recorded(function))
        return Compiled(recorded, self)

    @contextlib.contextmanager
    def inside(self) -> Iterator[bool]:
        """While a program runs, the programs that it calls are not called by the test."""
        self.depth += 1
        try:
            yield self.depth == 1
        finally:
            self.depth -= 1


class Compiled:
    """What the stand-in returns: calls the plain function and keeps the arguments."""

    def __init__(self, recorded: Recorded, recorder: Recorder) -> None:
        self.py_func = recorded.function
        self._recorded = recorded
        self._recorder = recorder
        functools.update_wrapper(self, recorded.function)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        with self._recorder.inside() as outermost:
            if outermost:
                with contextlib.suppress(TypeError):  # what cannot be copied is not an argument for a comparison
                    self._recorded.calls.append(Call(*copied((args, keywords))))
            return self.py_func(*args, **keywords)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)


def plain_class(cls_or_spec: Any = None, spec: Any = None) -> Any:
    """The stand-in for `@jitclass`: the class itself."""
    return cls_or_spec if isinstance(cls_or_spec, type) else (lambda cls: cls)


@contextlib.contextmanager
def replaced(recorder: Recorder) -> Iterator[None]:
    """numba's decorators replaced by the recorder's."""
    import numba
    import numba.experimental
    import numba.typed  # compiles functions of its own when it is imported

    targets = [(numba, name, recorder.jit) for name in DECORATORS]
    targets.append((numba.experimental, "jitclass", plain_class))
    before = [getattr(owner, name) for owner, name, _ in targets]
    for owner, name, stand_in in targets:
        setattr(owner, name, stand_in)
    try:
        yield
    finally:
        for (owner, name, _), original in zip(targets, before, strict=True):
            setattr(owner, name, original)


def record(module_name: str) -> tuple[ModuleType, list[Recorded]]:
    """Import a test module of numba, run its tests, and give the programs that they compile."""
    recorder = Recorder()
    sys.modules.pop(f"numba.tests.{module_name}", None)
    with replaced(recorder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(f"numba.tests.{module_name}")
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            suite.run(unittest.TestResult())
    programs = list(recorder.programs.values())
    unwrap_names(module.__dict__)
    for program in programs:
        unwrap_cells(program.function)
        program.calls = [Call(unwrapped(call.args), call.keywords) for call in program.calls]
    return module, programs


def unwrapped(value: Any) -> Any:
    """A value with the plain functions in place of their stand-ins, and `range` for numba's parallel one."""
    if isinstance(value, Compiled):
        return value.py_func
    if value is parallel_range():
        return range
    if type(value) in (tuple, list):
        return type(value)(map(unwrapped, value))
    return value


def parallel_range() -> Any:
    import numba

    return numba.prange


def unwrap_names(names: dict[str, Any]) -> None:
    """Bind the plain functions to the names of a module."""
    for name, value in list(names.items()):
        if isinstance(value, Compiled) or value is parallel_range():
            names[name] = unwrapped(value)


def unwrap_cells(function: Callable[..., Any]) -> None:
    """Bind the plain functions to the variables that a closure captured, and those of its functions."""
    for cell in getattr(function, "__closure__", None) or ():
        with contextlib.suppress(ValueError):  # an empty cell
            before = cell.cell_contents
            cell.cell_contents = unwrapped(before)
            if cell.cell_contents is not before:
                unwrap_cells(cell.cell_contents)
