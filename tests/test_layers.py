"""The layers of `extract`, and rooms inside of layers and of the front door: imports point backwards, and few meet.

The rooms of `extract/stage` have a file of their own, `test_rooms`.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.arrows import ROOT, arrows, cycles, modules


@dataclass(frozen=True)
class House:
    """A folder whose files stand in an order.

    Attributes
    ----------
    package, folder : str
    order : tuple of str
        Folders, and files that stand alone, from the bottom up; the empty name is for all other files in the folder.
    apart : frozenset of pairs of str
        The first of each does not see the second, though it stands above.
    forward : frozenset of str
        Files that may import from above, such as entry points.
    """

    package: str
    folder: str
    order: tuple[str, ...]
    apart: frozenset[tuple[str, str]] = frozenset()
    forward: frozenset[str] = field(default=frozenset())

    @property
    def path(self) -> Path:
        return ROOT / self.folder

    def place(self, module: str) -> str:
        """What of the order a module belongs to."""
        first = module.partition(".")[0]
        return first if first in self.order else ""

    def is_up(self, module: str, other: str) -> bool:
        """Whether an import goes to what stands above, or is not seen."""
        own, others = self.place(module), self.place(other)
        if module in self.forward:
            return False
        return self.order.index(others) > self.order.index(own) or (own, others) in self.apart


EXTRACT = House(
    "graph_program.extract",
    "extract",
    (
        "records",
        "purpose",
        "on_demand",
        "own_modules",
        "diagnostics",
        "stack",
        "types",
        "ir",
        "arguments",
        "source",
        "library",
        "stage",
        "control",
        "passes",
        "transform",
        "slice",
        "graph_steps",
        "extraction",
        "steps",
        "pipeline",
        "",
    ),
    apart=frozenset([("control", "stage"), ("transform", "stage"), ("slice", "stage")]),
)
TYPES = House(
    "graph_program.extract.types",
    "extract/types",
    ("dims", "tensors", "notation", "rules", "solving", ""),
    apart=frozenset([("rules", "notation"), ("solving", "rules")]),
)
FRONT_DOOR = House(
    "graph_program",
    "graph_program",
    (
        "onnx_program",
        "pages",
        "calls",
        "targets",
        "quantized",
        "exports",
        "profiles",
        "verification",
        "bundles",
        "sessions",
        "",
        "command_line",
    ),
    forward=frozenset(["cli", "__main__"]),
)
HOUSES = {"extract": EXTRACT, "types": TYPES, "graph_program": FRONT_DOOR}


@pytest.mark.parametrize("house", HOUSES.values(), ids=HOUSES)
def test_imports_point_backwards(house: House) -> None:
    targets = arrows(house.package, house.path)
    wrong = [f"{name} imports {other}" for name in targets for other in targets[name] if house.is_up(name, other)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("house", HOUSES.values(), ids=HOUSES)
def test_every_folder_has_a_place_in_the_order(house: House) -> None:
    folders = {path.parent.name for path in house.path.glob("*/__init__.py")}
    assert folders <= set(house.order)


MEETING = {
    "extract/types": 1,
    "extract/ir": 1,
    "extract/arguments": 1,
    "extract/source": 1,
    "extract/library": 1,
    "extract/control": 2,
    "extract/transform": 3,
    "extract/slice": 1,
    "graph_program": 3,
}
"""How many files the largest import cycle of a folder may have; where it has become smaller, the number is lowered."""


@pytest.mark.parametrize("folder", MEETING)
def test_no_cycle_grows(folder: str) -> None:
    package = "graph_program" if folder == "graph_program" else f"graph_program.{folder.replace('/', '.')}"
    largest = max(map(len, cycles(arrows(package, ROOT / folder))), default=1)
    assert largest <= MEETING[folder], f"{largest} files of {folder} import each other; were {MEETING[folder]}"


def test_layers_and_rooms_say_what_they_hold() -> None:
    for house in HOUSES.values():
        for path in house.path.glob("*/__init__.py"):
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_programs_stand_in_the_rooms_of_the_evaluator() -> None:
    programs = ROOT / "tests" / "programs"
    files = [path.relative_to(programs) for path in programs.rglob("test_*.py")]
    assert {path.parts[0] for path in files} <= {path.name for path in (ROOT / "extract" / "stage").glob("[a-z]*")}
    counts = Counter(path.parent for path in files)
    assert max(counts.values()) <= 15, counts.most_common(1)


def test_a_room_of_types_is_neither_a_drawer_nor_a_hall() -> None:
    known = modules(TYPES.package, TYPES.path)
    counts = {room: sum(name.startswith(f"{room}.") for name in known) for room in TYPES.order if room}
    assert all(5 <= count <= 15 for count in counts.values()), counts
