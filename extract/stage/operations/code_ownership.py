"""Whose code a function is: the user's own, which is inlined, or that of an installed package."""

from __future__ import annotations

import functools
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any

from graph_program.extract.own_modules import is_inlined, is_language, is_of_project
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.options import Options

ORDERINGS = frozenset(
    f for name, f in vars(functools).items() if isinstance(f, types.FunctionType) and "_from_" in name
)
"""What `functools.total_ordering` gives to a class."""
PACKAGE_FOLDERS = frozenset(["site-packages", "dist-packages"])


@functools.lru_cache(maxsize=1)
def installed_paths() -> tuple[str, ...]:
    """Folders of installed packages and of the standard library."""
    keys = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple({sysconfig.get_paths()[k] for k in keys})


def is_own(m: Machine, function: Any) -> bool:
    """Whether a function is the user's own code, to be inlined."""
    return is_own_with(m.options, function)


def is_own_with(options: Options, function: Any) -> bool:
    """Whether a function is the user's own code where a program has such options."""
    module = function.__module__ or ""
    top = module.partition(".")[0]
    if is_of_project(module):
        return is_inlined(module)
    if top in options.inline or module in options.inline or (options.home and top == options.home):
        return True
    if top in sys.stdlib_module_names:
        return module == "__main__" or function in ORDERINGS
    return not is_installed(function) and not function.__code__.co_filename.startswith("<frozen")


def is_library(function: Any) -> bool:
    """Whether a function is one of ours, in the language itself: it stands for NumPy's, or is in `tensor_api`."""
    return is_language(function.__module__ or "")


def is_installed(function: types.FunctionType) -> bool:
    """Whether a function belongs to an installed package."""
    return comes_installed(function.__module__ or "", function.__code__.co_filename)


def comes_installed(module: str, file: str | None) -> bool:
    """Whether a module that lies in a file belongs to an installed package: the project's own by the record."""
    if is_of_project(module):
        return not is_inlined(module)
    return file is not None and _is_among_packages(file)


@functools.cache
def _is_among_packages(file: str) -> bool:
    """Whether a file belongs to an installed package, of this environment or of one that it extends."""
    return file.startswith(installed_paths()) or not PACKAGE_FOLDERS.isdisjoint(Path(file).parts)


def own_class(m: Machine, cls: type) -> bool:
    """Whether a class is the user's own, by the functions in it, or in the first of its bases that has some."""
    each = ([f for f in vars(base).values() if isinstance(f, types.FunctionType)] for base in cls.__mro__)
    functions: list[types.FunctionType] = next(filter(None, each), [])
    return any(is_own(m, f) for f in functions) or not functions


def unwrapped(value: Any) -> Any:
    """The function inside a program object, static method or class method."""
    while hasattr(type(value), "__graph_program__"):
        value = value.__wrapped__
    return value.__func__ if isinstance(value, staticmethod) else value


def public_name(value: Any) -> str:
    """Where a function is found: a method of a module's hidden object is that module's function."""
    owner = getattr(value, "__self__", None)
    name = getattr(value, "__name__", "")
    packages = type(owner).__module__.split(".")
    for length in range(1, len(packages) + 1):
        module = ".".join(packages[:length])
        if owner is not None and getattr(sys.modules.get(module), name, None) == value:
            return name if module == "builtins" else f"{module}.{name}"
    name = getattr(value, "__qualname__", None) or type(value).__name__
    module = getattr(value, "__module__", None) or "builtins"
    return name if module == "builtins" else f"{module}.{name}"
