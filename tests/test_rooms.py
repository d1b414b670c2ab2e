"""The rooms of the evaluator: their direction, and measures of how far it is kept, whose limits may only fall."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from graph_program.extract.stage.program import rooms
from tests import arrows as arrows_of

STAGE = Path(__file__).resolve().parents[1] / "extract" / "stage"
PACKAGE = "graph_program.extract.stage"
ROOMS = (*rooms.ROOMS, "program")
"""From the bottom up: each imports from those before it."""
APART = {("numpy", "functions")}
"""Rooms that do not see each other, in whatever order they stand."""


def modules() -> dict[str, Path]:
    return arrows_of.modules(PACKAGE, STAGE)


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(modules()[name].read_text(encoding="utf-8"))


@cache
def arrows() -> frozenset[tuple[str, str]]:
    """Who imports whom."""
    return frozenset((name, other) for name, others in arrows_of.arrows(PACKAGE, STAGE).items() for other in others)


def is_up(name: str, other: str) -> bool:
    """Whether an import goes to a room above, or to one that the room does not see."""
    pair = name.partition(".")[0], other.partition(".")[0]
    return ROOMS.index(pair[1]) > ROOMS.index(pair[0]) or pair in APART


def upward() -> int:
    """Imports of rooms above."""
    return sum(is_up(*arrow) for arrow in arrows())


def largest_cycle() -> int:
    """The files of the largest strongly connected part."""
    return max(map(len, arrows_of.cycles(arrows_of.arrows(PACKAGE, STAGE))), default=1)


def imports_in_functions() -> int:
    """Import statements inside functions, each counted once."""
    found: set[int] = set()
    for name in modules():
        for function in ast.walk(tree_of(name)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                found |= {id(node) for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)}
    return len(found)


def files_in_a_folder() -> int:
    """Of the folder that has the most."""
    folders = [path.parent for path in modules().values() if path.name != "__init__.py"]
    return max(folders.count(folder) for folder in set(folders))


def fields_of_the_machine() -> int:
    """What its `__init__` and its class body set."""
    machine = next(n for n in tree_of("machine.machine").body if isinstance(n, ast.ClassDef) and n.name == "Machine")
    fields = {n.target.id for n in machine.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    for node in ast.walk(machine):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets if isinstance(node, ast.Assign | ast.AnnAssign) else []:
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
                fields.add(target.attr)
    return len(fields)


@cache
def value_classes() -> frozenset[str]:
    """The classes of the room of values that are values: `Value` and what derives from it."""
    files = [name for name in modules() if name.startswith("values.")]
    bases = {n.name: {b.id for b in n.bases if isinstance(b, ast.Name)} for f in files for n in classes_in(f)}
    found = {"Value"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return frozenset(found)


def classes_in(name: str) -> list[ast.ClassDef]:
    return [node for node in tree_of(name).body if isinstance(node, ast.ClassDef)]


def kinds_told_apart() -> int:
    """`isinstance` and arms of `match` on classes of values, outside the room of values."""
    return sum(bool(told) for name in modules() if not name.startswith("values") for told in told_apart(tree_of(name)))


def functions_of_many_kinds() -> int:
    """Functions that tell five kinds of values apart, or more."""
    trees = (tree_of(name) for name in modules() if not name.startswith("values"))
    functions = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return sum(len(set().union(*told_apart(function))) >= 5 for function in functions)


def told_apart(tree: ast.AST) -> Iterator[set[str]]:
    """The classes of values that each test asks for."""
    classes = value_classes()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            yield classes & {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
        elif isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name):
            yield classes & {node.cls.id}


LIMITS: dict[Callable[[], int], int] = {
    upward: 0,
    largest_cycle: 10,
    imports_in_functions: 0,
    files_in_a_folder: 15,
    fields_of_the_machine: 25,
    kinds_told_apart: 421,
    functions_of_many_kinds: 3,
}
"""What each may be at most; where one has fallen, its limit is lowered to it."""
ADVICE = "docs/rooms.md says how a room asks for what rooms above it know, and a value for what its kind answers."


@pytest.mark.parametrize("measure", LIMITS, ids=lambda measure: measure.__name__)
def test_no_measure_rises(measure: Callable[[], int]) -> None:
    found = measure()
    assert found <= LIMITS[measure], f"{measure.__name__} is {found}; was {LIMITS[measure]}. {measure.__doc__} {ADVICE}"


def test_every_room_has_a_place_in_the_order() -> None:
    folders = {path.name for path in STAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert folders == set(ROOMS)


def test_rooms_say_what_they_hold() -> None:
    for name, path in modules().items():
        if path.name == "__init__.py":
            assert ast.get_docstring(tree_of(name)), path
