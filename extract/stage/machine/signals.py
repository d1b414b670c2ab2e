"""What ends the evaluation of a statement other than its end."""

from __future__ import annotations

from collections.abc import Mapping

from graph_program.extract.diagnostics import GraphProgramError, Loc
from graph_program.extract.ir.paths import Path
from graph_program.extract.ir.specs import RowsSpec
from graph_program.extract.stage.machine.options import StateAttribute
from graph_program.extract.stage.machine.state import Frame
from graph_program.extract.stage.values.values import Maybe, Mixed, Tensor


class StaticNeeded(Exception):
    """A value that is not static stands where one is required; a loop or the entry may retry."""

    def __init__(self, value: Tensor, error: GraphProgramError):
        self.value = value
        self.error = error
        self.instead: HostDictNeeded | None = None
        """What to do where it cannot be made static."""


class SizeNeeded(StaticNeeded):
    """A size of an argument stands where a static one is required; the entry may retry with what it is."""


class EmptinessNeeded(StaticNeeded):
    """Whether sizes of arguments are 0 matters; the entry may retry with what they are."""


class PeelNeeded(Exception):
    """A value that differs between a loop's entry and its later rounds is used.

    Where the loop has ended, the entry starts again with rounds of it peeled.
    """

    def __init__(self, loop: int, error: GraphProgramError, place: Loc | None = None):
        self.loop = loop
        self.error = error
        self.place = place
        """The loop's."""


class PeelingFails(Exception):
    """Peeling rounds of a loop does not settle the types of what it carries."""

    def __init__(self, loop: int, error: GraphProgramError):
        self.loop = loop
        self.error = error


class SplitNeeded(Exception):
    """A value that is one of several without a common type is used: what follows is evaluated for each of them."""

    def __init__(self, value: Mixed, selector: Tensor, error: GraphProgramError):
        self.value = value
        self.selector = selector
        self.error = error


class ListGrows(PeelNeeded):
    """A list that gets longer in a graph loop is used; unrolling the loop may help."""


class NumbersNeeded(Exception):
    """A write depends on which array a merged value is: the entry starts again with that carried."""

    def __init__(self, error: GraphProgramError):
        self.error = error


class ChoicesNeeded(Exception):
    """A write depends on which object a merged value is: the entry starts again with the objects kept apart there."""

    def __init__(self, places: frozenset[Loc], error: GraphProgramError):
        self.places = places
        self.error = error


class KeysNeeded(Exception):
    """Which keys a dict has matters to a statement: the entry starts again with the statement in a branch for each."""

    place: Loc | None = None
    """The statement."""

    def __init__(self, value: Maybe, flag: Tensor, error: GraphProgramError):
        self.value = value
        self.flag = flag
        self.error = error


class LayoutNeeded(Exception):
    """Whether something is a view depends on how arguments lie in memory: the entry starts again with that known."""

    def __init__(self, paths: frozenset[Path], error: GraphProgramError):
        self.paths = paths
        self.error = error


class ColumnsNeeded(Exception):
    """An element of a list, read at a computed position, is written: the list is to be one of columns."""

    def __init__(self, places: frozenset[Loc], error: GraphProgramError):
        self.places = places
        self.error = error


class TablesNeeded(Exception):
    """An object that is written may be in several places: the entry starts again with those of its class in a table."""

    def __init__(self, classes: frozenset[type], error: GraphProgramError):
        self.classes = classes
        self.error = error


class OriginalNeeded(Exception):
    """An array of the caller in a table is written in place and replaced: the entry starts again and keeps it."""

    def __init__(self, place: tuple[type, str]):
        self.place = place


class HostDictNeeded(Exception):
    """A key of a dict, or an element of a set, is computed or known on the host only: it is to be made there.

    A dict of the caller, whose place is the path to it, stays there.
    """

    def __init__(self, place: Loc | Path, error: GraphProgramError):
        self.place = place
        self.error = error


class StateNeeded(Exception):
    """An attribute of a captured object is written: the entry starts again with it as state."""

    def __init__(self, attribute: StateAttribute, error: GraphProgramError):
        self.attribute = attribute
        self.error = error


class StepsNeeded(Exception):
    """Host code has to run in the middle of the graph's: the entry starts again with all of it where it is reached."""


class TailRecursion(Exception):
    """The function of an activation calls itself as its last step: it is to be evaluated as a loop."""

    def __init__(self, frame: Frame):
        self.frame = frame


class UnrollNeeded(Exception):
    """A list of computed length is used as one of known length, which unrolling the loops that it grows in makes it."""

    def __init__(self, loops: frozenset[Loc | Path], error: GraphProgramError):
        self.loops = loops
        self.error = error


class ElementsNeeded(Exception):
    """Empty lists of the caller, or of the state, get elements: the entry starts again with lists of any length."""

    def __init__(self, elements: Mapping[Path, RowsSpec]):
        self.elements = elements


class PartsNeeded(Exception):
    """A statement makes a value that it uses, and must tell apart: the entry starts again with it in steps."""

    def __init__(self, place: Loc, error: GraphProgramError):
        self.place = place
        self.error = error


class Unreachable(Exception):
    """The rest of the statement cannot be reached: an exception was raised for certain."""
