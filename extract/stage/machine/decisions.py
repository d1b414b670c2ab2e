"""What an evaluation may find to be decided otherwise: all that there is to decide, and what has been."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from graph_program.extract.diagnostics import GraphProgramError, Loc
from graph_program.extract.ir.paths import SizeStep, path_text
from graph_program.extract.records import dataclass

Subject = Any
"""What a decision is about: a place in the source, a path to a part of an argument, a class."""


@dataclass(frozen=True)
class Decision:
    """Something that an evaluation goes by once one before it has found that it has to.

    The first evaluation of a program decides nothing.  One that cannot go on without a decision raises `Needed`;
    the entry makes the decision about the subjects, and evaluates again.
    """

    name: str
    says: str
    """What a subject is then."""
    forgets: tuple[str, ...] = ()
    """Decisions that are open again, as the program may do without them now."""
    finds_again: bool = False
    """Whether so much of the program is evaluated otherwise that refusals noted before are looked for again."""
    may_fail: bool = False
    """Whether the refusal that stands where it does not help is one of the place, behind which evaluation goes on."""
    replaces: Callable[[Subject, Subject], bool] | None = None
    """Whether a subject of old is no longer one with this new one."""


def _reaches(new: StateAttribute, old: StateAttribute) -> bool:
    """Whether an attribute is reached through another, with which it is read from now on."""
    inside = (*new.path, f".{new.name}")
    return old.path[: len(inside)] == inside


KNOWN = Decision("known", "known by value", finds_again=True)
SIZES = Decision("sizes", "known by value")
EMPTINESS = Decision("emptiness", "known to be 0, or not to be")
LAYOUTS = Decision("layouts", "how it lies in memory is known")
ELEMENTS = Decision("elements", "an empty list that gets elements", forgets=("tables",))
TAKEN_APART = Decision(
    "taken apart",
    "a list of the length that it has now",
    forgets=("tables", "originals"),  # objects of known lists may need no tables
    finds_again=True,
)
UNROLLED = Decision("unrolled", "a loop that is unrolled, for a list that grows in it", may_fail=True)
PEELED = Decision("peeled", "a loop after its first rounds, for values used behind it", may_fail=True)
PARTED = Decision("parted", "evaluated operand by operand", may_fail=True)
SPLIT = Decision("split", "a branch, as what it does depends on what a value is")
COLUMNS = Decision("columns", "a list that becomes columns where it is read, as its element is written")
CHOICES = Decision("choices", "what meets here stays one of several arrays or objects")
NUMBERS = Decision("numbers", "arrays that meet carry which of them they are")
TABLES = Decision("tables", "its objects are in a table", forgets=("unrolled", "choices"), finds_again=True)
ORIGINALS = Decision("originals", "the caller's array is kept, as it is written in place and replaced")
STATE = Decision("state", "an attribute that is state", finds_again=True, replaces=_reaches)
HOST_DICTS = Decision("host dicts", "a dict or set on the host, which alone knows its keys")
STEPS = Decision("steps", "host code runs where it is reached, not after the graph", finds_again=True)
ALL = tuple(one for one in list(globals().values()) if isinstance(one, Decision))
"""The table: all that are above."""
EVERYWHERE = "everywhere"
"""The subject of a decision that is about the whole program."""


@dataclass(frozen=True, eq=False)
class StateAttribute:
    """An attribute of a captured object that the program writes; `path` is how it reaches the object."""

    owner: Any
    path: tuple[Any, ...]
    name: str

    def __eq__(self, other: object) -> bool:
        """Whether both are the same attribute of one object."""
        return isinstance(other, StateAttribute) and self.owner is other.owner and self.name == other.name

    def __hash__(self) -> int:
        return hash((id(self.owner), self.name))


Why = GraphProgramError | None
"""The refusal that stands where the decision does not help."""
NOTHING: Mapping[Subject, Why] = MappingProxyType({})


@dataclass(frozen=True)
class Decided:
    """What has been decided of a program: of each decision its subjects, with what asked for it."""

    _made: Mapping[str, Mapping[Subject, Why]] = field(default_factory=dict)

    def __getitem__(self, decision: Decision) -> Mapping[Subject, Why]:
        return self._made.get(decision.name, NOTHING)

    def and_of(self, decision: Decision, subjects: Iterable[Subject], why: Why) -> Decided:
        """With a decision about more subjects, and without what that forgets."""
        before, new = self[decision], dict.fromkeys(subjects, why)
        replaces = decision.replaces
        if replaces is not None:
            before = {old: asked for old, asked in before.items() if not any(replaces(one, old) for one in new)}
        kept = {name: made for name, made in self._made.items() if name not in decision.forgets}
        return Decided({**kept, decision.name: {**before, **{k: w for k, w in new.items() if k not in before}}})

    def without(self, decision: Decision) -> Decided:
        """With a decision open."""
        return Decided({name: made for name, made in self._made.items() if name != decision.name})


NOTHING_YET = Decided()


# ---------------------------------------------------------------- as text


def told(decided: Decided) -> Iterator[str]:
    """Lines that say what has been decided, about what, and why."""
    for decision in ALL:
        for subject, why in decided[decision].items():
            reason = "" if why is None else f" (otherwise {why.code}: {why.diagnostic.message}"
            reason += "" if why is None else f"; {why.loc})" if why.loc.line else ")"
            yield f"{_subject_text(subject)}: {decision.says}{reason}"


def _subject_text(subject: Subject) -> str:
    match subject:
        case Loc() | str():
            return str(subject)
        case type():
            return subject.__name__
        case StateAttribute():
            return path_text((*subject.path, f".{subject.name}"))
        case (type() as cls, str(name)):
            return f"{cls.__name__}.{name}"
        case (tuple() as path, _):
            return path_text(path)
        case (*path, SizeStep(axis)):
            return f"{path_text(tuple(path))}.shape[{axis}]"
    return path_text(subject)
