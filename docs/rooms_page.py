"""The page of the evaluator's rooms: what each holds, who answers for which kind of value, who gives what is declared.

All of it is read from the rooms themselves, as they are when they have been loaded.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

STAGE = "graph_program.extract.stage"
ROOT = Path(__file__).resolve().parents[1]


def rooms() -> list[tuple[str, str, str]]:
    """Each room, the first line of its docstring and where it says to start."""
    from graph_program.extract.stage.program import rooms as loaded

    loaded.load()
    found = []
    for room in (*loaded.ROOMS, "program"):
        doc = inspect.getdoc(importlib.import_module(f"{STAGE}.{room}")) or ""
        start = next((line for line in doc.splitlines() if line.startswith("Start with")), "")
        found.append((f"`{room}`", doc.partition("\n")[0], start.removeprefix("Start with ").rstrip(".")))
    return found


def _instances(cls: type) -> dict[str, Any]:
    """The instances of a class that files of the evaluator declare, by file and name."""
    modules = sorted((name, module) for name, module in sys.modules.items() if name.startswith(f"{STAGE}."))
    return {
        f"{name.removeprefix(f'{STAGE}.')}.{key}": value
        for name, module in modules
        for key, value in vars(module).items()
        if isinstance(value, cls) and value.__module__ == name
    }


def decisions() -> Iterable[tuple[str, str, str]]:
    """What an evaluation may find to be needed: its name, what it makes of a subject, what it forgets."""
    from graph_program.extract.stage.machine.decisions import ALL

    for one in ALL:
        yield f"`{one.name}`", one.says, ", ".join(f"`{name}`" for name in one.forgets)


def forms() -> Iterable[tuple[str, str, str]]:
    """Operations that are asked of each thing that an operand may be: the operand, and the forms in their order."""
    from graph_program.extract.stage.paths.several.forms import OPERATIONS

    for one in sorted(OPERATIONS, key=lambda one: (one.operation.__module__, one.operation.__name__, one.operand)):
        operand = list(inspect.signature(one.operation).parameters)[one.operand + 1]
        yield _link(one.operation), f"`{operand}`", "; ".join(form.text for form in one.forms)


def declared() -> Iterable[tuple[str, str, str]]:
    """Functions that one file above gives: where they are declared, where they are given, what they do."""
    from graph_program.extract.stage.values.generic import Forward

    for function in _instances(Forward).values():
        yield _link(function.__wrapped__), _link(function.function), _first_line(function)


def generic_functions() -> Iterable[tuple[str, str, str]]:
    """Functions that each kind gives its answer to: what they are, and the kinds, each with the file of its answer."""
    from graph_program.extract.stage.values.generic import GenericFunction

    for function in _instances(GenericFunction).values():
        answers: dict[Any, list[str]] = defaultdict(list)
        for (kind, holding), answer in function.answers.items():
            answers[answer].append(kind.__name__ + ("" if holding is object else f" of {holding.__name__}"))
        kinds = [f"{' and '.join(sorted(names))} in {_link(answer)}" for answer, names in answers.items()]
        yield _link(function.__wrapped__), _first_line(function), "; ".join(sorted(kinds))


def _first_line(function: Any) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]


def _link(function: Any) -> str:
    """A function with a link to its file, whose name stands for an answer that is one expression."""
    path = Path(inspect.getsourcefile(inspect.unwrap(function)) or "").resolve().relative_to(ROOT)
    name = path.stem if function.__name__ == "<lambda>" else function.__name__
    return f"[`{name}`](../{path.as_posix()})"


__all__ = ["decisions", "declared", "forms", "generic_functions", "rooms"]
