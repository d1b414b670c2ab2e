"""What the partial evaluator knows at one point of the program.

A `State` holds the local names of every live frame, the contents of mutable objects, and the present
contents of arrays that have been written.  Branches copy it (shallowly); joins merge copies.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from types import FunctionType
from typing import TYPE_CHECKING, Any

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import residual, tree
from graph_program.extract.ir.paths import Path
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.decisions import StateAttribute
from graph_program.extract.stage.values.column_data import Element
from graph_program.extract.stage.values.values import Ref, Static, Tensor, Value
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.rules.facts import NOTHING, Facts

if TYPE_CHECKING:

    class Heap(dict[Ref, Any]):
        """What objects hold.  Any value may be looked up: one that is no object, or none of these, holds nothing."""

        def __getitem__(self, value: Value, /) -> Any: ...
        def get(self, value: object, default: Any = None, /) -> Any: ...

else:
    Heap = dict

RETURN = "<return>"
"""The pseudo local that holds a function's result, and the label that its `return`s leave."""
_frame_ids = itertools.count()


@dataclass(eq=False)
class Frame:
    """One activation of an inlined function; its names are in `State.frames[id]`.

    `python` is the live function where there is one; a function defined in the program has a
    `parent` frame instead.
    """

    function: tree.Function
    parent: Frame | None
    python: FunctionType | None
    call: Loc | None
    id: int = field(default_factory=lambda: next(_frame_ids))
    escapes: bool = False
    """A closure refers to it, so it outlives its call."""
    live_after: dict[int, frozenset[str]] = field(default_factory=dict)
    live_now: frozenset[str] | None = None
    """Local names that may still be read after the statement being evaluated; None: all."""
    labels: dict[str, str] = field(default_factory=dict)
    """The residual label that a source label stands for, in the activation being evaluated."""
    caller: Frame | None = None
    tail: bool = False
    """Its result is that of the function that called it."""
    tail_calls: frozenset[int] = frozenset()
    """ids of the expressions that are its last step."""
    again: str | None = None
    """Where it is a loop: the label at the end of a round."""
    unrolls: bool = False
    """Its recursive calls are inlined, as it cannot be a loop."""
    scopes: tuple[frozenset[str], ...] = ()
    """The variables of the comprehensions being evaluated that Python gives a scope of their own."""
    at_yield: Callable[[Value], None] | None = None
    """In the function of a context manager: evaluates what is under `with`, for what it yields."""
    key: object = None
    """For a recursive call: what of its arguments was known at extraction."""

    def callers(self) -> Iterator[Frame]:
        """The activations around this one, innermost first."""
        outer = self.caller
        while outer is not None:
            yield outer
            outer = outer.caller


@dataclass(frozen=True)
class Side:
    """One side of a test that number parameters (by path) decide."""

    test: str
    holds: bool
    deciding: frozenset[Path] = field(compare=False)


@dataclass
class State:
    frames: dict[int, dict[str, Value]] = field(default_factory=dict)
    heap: Heap = field(default_factory=Heap)
    written: dict[Tensor, residual.Operand] = field(default_factory=dict)
    synced: dict[Tensor, residual.Operand] = field(default_factory=dict)
    """For a view: the contents of its base that its own contents were read from."""
    facts: Facts = NOTHING
    """What is known of sizes here."""
    reach: tuple[Dim, ...] | None = ()
    """Every run for which these sizes are positive gets here, unless it raises; None: not known."""

    checked: frozenset[tuple[residual.Operand, Dim]] = frozenset()
    """Indices that are inside axes of these sizes."""
    elements: tuple[Element, ...] = ()
    """What was read from lists of computed length, and may be written."""
    bound: Mapping[str, Any] = field(default_factory=dict)
    """For a name that only annotations have: the element type it stands for, or an array that has the size."""

    consumed: Mapping[Value, tuple[Loc, int]] = field(default_factory=dict)
    """Iterators that were gone through, with the place and the unrolled round."""
    sides: frozenset[Side] = frozenset()
    """The sides of tests of parameters that led here."""

    @property
    def certain(self) -> bool:
        """Whether every run gets here that has not raised."""
        return self.reach == ()

    def copy(self) -> State:
        """An independent copy (values are immutable, so one level deep)."""
        return State(
            {key: dict(names) for key, names in self.frames.items()},
            Heap(self.heap),
            dict(self.written),
            dict(self.synced),
            self.facts,
            self.reach,
            self.checked,
            self.elements,
            self.bound,
            self.consumed,
            self.sides,
        )

    def bind(self, name: str, value: Any) -> None:
        """Say what a name of the annotations stands for from here on, if it is new."""
        if name not in self.bound:
            self.bound = {**self.bound, name: value}


@dataclass
class Exit:
    """A path that leaves a block or ends a branch: its state, and the copy at its end."""

    state: State
    out: list[residual.Stmt]
    copy: residual.Copy


@dataclass
class Body:
    """What one evaluation of a loop's body is: `begin` may leave the loop, `run` is the body."""

    assigned: frozenset[str]
    """Names that the loop binds or augments."""
    bound: frozenset[str]
    """Those that it binds: an array that is only augmented stays the same array."""
    begin: Callable[[str], None]
    """Evaluates the loop test, given the label to leave by; nothing for counted loops."""
    run: Callable[[Any], None]
    """Evaluates one round, given its number (for a counted loop)."""
    live: frozenset[str] | None = None
    """Local names that may be read after a round; None: not known."""
    counter: str = ""
    trips: Value | None = None
    retry: int | None = None
    """What is asked to be static in it may be so if this is not a loop."""


@dataclass
class Owned:
    """What stands for the captured objects that the program writes to."""

    values: dict[int, Value] = field(default_factory=dict)
    """By an object's id: an instance with state, or what is in its state."""
    paths: dict[int, Path] = field(default_factory=dict)
    """Where the state has an object."""
    captured: dict[Ref, Static] = field(default_factory=dict)
    """The instances with state, as captured objects."""
    origins: dict[int, StateAttribute] = field(default_factory=dict)
    """The attribute that a captured array or container was reached through."""
    same: dict[int, tuple[Path, Any]] = field(default_factory=dict)
    """Parts of the state that were found to be captured objects as well."""
    apart: dict[int, Any] = field(default_factory=dict)
    """Captured objects that are no part of the state."""
    setting: Ref | None = None
    """A hidden object that says of every attribute whether it has been set."""
