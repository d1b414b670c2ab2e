"""The user's file as a module, and the programs in it."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import MethodType, ModuleType
from typing import Any

from graph_program.command_line.errors import CommandError
from graph_program.program import GraphProgramFunction

Program = GraphProgramFunction[..., Any]


def load_module(file: str) -> ModuleType:
    """Import a file by its path, with its folder importable, as `python FILE` would.

    A file that belongs to a package is imported as that package's module, so that its relative
    imports work.
    """
    path = Path(file).resolve()
    if not path.is_file():
        raise CommandError(f"there is no file {file}")
    name, root = _module_name(path)
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CommandError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        text = "".join(traceback.format_exception_only(error)).rstrip()
        raise CommandError(f"{file} cannot be parsed\n{text}") from None
    except (Exception, SystemExit) as error:  # the user's own, whatever it is: shown as Python shows it
        # The first frames are the import machinery's and ours.
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename != str(path):
            frames = frames.tb_next
        text = "".join(traceback.format_exception(type(error), error, frames or error.__traceback__)).rstrip()
        raise CommandError(f"{file} cannot be imported\n{text}") from None
    return module


def _module_name(path: Path) -> tuple[str, Path]:
    """The dotted name of a file and the folder it is found from."""
    parts, folder = [path.stem], path.parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts), folder


def programs_of(module: ModuleType) -> dict[str, Program]:
    """The programs that a module defines, those in its classes included, by dotted name."""
    found: dict[str, Program] = {}
    for name, value in vars(module).items():
        if isinstance(value, GraphProgramFunction) and _is_defined_in(value, module):
            found[name] = value
        elif isinstance(value, type) and value.__module__ == module.__name__:
            found |= _programs_of_class(value, name, frozenset())
    return found


def _programs_of_class(owner: type, path: str, around: frozenset[type]) -> dict[str, Program]:
    """The programs that a class defines, those of the classes inside it included."""
    found: dict[str, Program] = {}
    for name, value in vars(owner).items():
        if isinstance(value, type):
            if value.__module__ == owner.__module__ and value is not owner and value not in around:
                found |= _programs_of_class(value, f"{path}.{name}", around | {owner})
        elif callable(value) or isinstance(value, staticmethod | classmethod):
            program = as_program(getattr(owner, name, None))
            if program is not None:
                found[f"{path}.{name}"] = program
    return found


def as_program(value: Any) -> Program | None:
    """The program that a value is; a class method's, bound to its class."""
    if isinstance(value, MethodType) and isinstance(value.__func__, GraphProgramFunction):
        return value.__func__.__get__(value.__self__)
    return value if isinstance(value, GraphProgramFunction) else None


def _is_defined_in(program: Program, module: ModuleType) -> bool:
    return getattr(program, "__module__", None) == module.__name__


def find(owner: Any, name: str) -> Any:
    """What a dotted name stands for in a module or an object; None if nothing."""
    value: Any = owner
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def program_in(owner: Any, name: str, where: str) -> Program:
    """The program that a module, or an object, has by that name."""
    value = find(owner, name)
    program = as_program(value)
    if program is not None:
        return program
    if value is not None:
        raise CommandError(f"{name} in {where} is not a program; decorate it with @graph_program")
    known = programs_of(owner) if isinstance(owner, ModuleType) else _programs_of_class(type(owner), "", frozenset())
    names = ", ".join(found.lstrip(".") for found in known) or "none"
    raise CommandError(f"there is no {name} in {where}; its programs: {names}")


def split_name(text: str) -> tuple[str, str]:
    """`program.py:Class.method` as the file and the name."""
    file, colon, name = text.rpartition(":")
    if not colon or not file or not name:
        raise CommandError(f"expected FILE:NAME, such as program.py:step, not {text!r}")
    return file, name
