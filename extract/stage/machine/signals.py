"""What ends the evaluation of a statement other than its end."""

from __future__ import annotations

from collections.abc import Iterable

from graph_program.extract.diagnostics import GraphProgramError, Loc
from graph_program.extract.stage.machine.decisions import PEELED, SPLIT, Decision, Subject, Why
from graph_program.extract.stage.machine.state import Frame
from graph_program.extract.stage.values.values import Maybe, Mixed, Tensor, Value


class Needed(Exception):
    """Something is to be decided otherwise: the entry decides it and evaluates again, or raises the error.

    Parameters
    ----------
    decision : Decision
    subjects : iterable
        What it is to be decided about; nothing is gained where that has been decided already.
    error : GraphProgramError, optional
        The refusal that stands then; None where there are new subjects for certain.
    """

    def __init__(self, decision: Decision, subjects: Iterable[Subject], error: Why = None):
        self.decision = decision
        self.subjects = tuple(subjects)
        self.error = error


class StaticNeeded(Exception):
    """A value that is not static stands where one is required; a loop or the entry may retry."""

    def __init__(self, value: Value, error: GraphProgramError):
        self.value = value
        self.error = error
        self.instead: Needed | None = None
        """What to do where it cannot be made static."""


class SizeNeeded(StaticNeeded):
    """A size of an argument stands where a static one is required; the entry may retry with what it is."""


class EmptinessNeeded(StaticNeeded):
    """Whether sizes of arguments are 0 matters; the entry may retry with what they are."""


class PeelNeeded(Needed):
    """A value that differs between a loop's entry and its later rounds is used.

    Where the loop has ended, the entry starts again with rounds of it peeled: of the loop at `place`.
    """

    error: GraphProgramError

    def __init__(self, loop: int, error: GraphProgramError, place: Loc | None = None):
        super().__init__(PEELED, () if place is None else (place,), error)
        self.loop = loop


class ListGrows(PeelNeeded):
    """A list that gets longer in a graph loop is used; unrolling the loop may help."""


class PeelingFails(Exception):
    """Peeling rounds of a loop does not settle the types of what it carries."""

    def __init__(self, loop: int, error: GraphProgramError):
        self.loop = loop
        self.error = error


class KeysNeeded(Needed):
    """Which keys a dict has matters to a statement: it is a branch for each, at once or when the entry starts again."""

    def __init__(self, value: Maybe, flag: Tensor, error: GraphProgramError):
        super().__init__(SPLIT, (), error)
        self.value = value
        self.flag = flag


class SplitNeeded(Exception):
    """A value that is one of several without a common type is used: what follows is evaluated for each of them."""

    def __init__(self, value: Mixed, selector: Tensor, error: GraphProgramError):
        self.value = value
        self.selector = selector
        self.error = error


class TailRecursion(Exception):
    """The function of an activation calls itself as its last step: it is to be evaluated as a loop."""

    def __init__(self, frame: Frame):
        self.frame = frame


class Unreachable(Exception):
    """The rest of the statement cannot be reached: an exception was raised for certain."""
