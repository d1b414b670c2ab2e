"""Which of the project's modules hold code that becomes part of a program: a record, by the modules' names.

A checkout keeps the packages at its root, a wheel puts them among the installed ones.  Whether a function
may be inlined must not depend on that, so that no path decides it: whatever stands here is inlined wherever it
lies, and every other module of the project is an installed package's, in a checkout as well.
"""

from __future__ import annotations

import functools
import sys

PROJECT = "graph_program"
LANGUAGE = (
    "graph_program.extract.library",
    "graph_program.tensor_api",
)
"""Packages and modules in the language itself: they stand for functions of NumPy and Python, and no user wrote them."""
PROGRAMS = ("graph_program.samples",)
"""Packages of programs, such as a user's."""


def is_of_project(module: str) -> bool:
    """Whether a module is one of ours."""
    return module.partition(".")[0] == PROJECT


def is_language(module: str) -> bool:
    """Whether a module is written in the language itself."""
    return _is_in(module, LANGUAGE)


def is_inlined(module: str) -> bool:
    """Whether programs contain the functions of one of the project's modules."""
    return _is_in(module, LANGUAGE + PROGRAMS)


@functools.cache
def is_language_file(file: str) -> bool:
    """Whether a module that is written in the language itself, and has been imported, lies in a file."""
    ours = [m for name, m in list(sys.modules.items()) if name.startswith(LANGUAGE) and is_language(name)]
    return any(getattr(m, "__file__", None) == file for m in ours)


def _is_in(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


__all__ = ["LANGUAGE", "PROGRAMS", "PROJECT", "is_inlined", "is_language", "is_language_file", "is_of_project"]
