"""How a Python call meets the graph: inputs, captured state, results, write-backs, effects that wait.

The extractor says in an `Interface` how to feed the inputs of the graph from the arguments (`specs`)
and how to build Python's result from the outputs (`results`), which is all that back ends see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any

from graph_program.extract.diagnostics import Diagnostic, Loc
from graph_program.extract.ir.paths import Path
from graph_program.extract.ir.results import ArgResult, CapturedResult, LentResult, Result, TableResult
from graph_program.extract.ir.specs import ArgSpec
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.notation.declared_dims import NO_DIMS, DeclaredDims
from graph_program.extract.types.rules.facts import SizeTest
from graph_program.extract.types.tensors.tensor_type import TensorType

# ---------------------------------------------------------------- inputs


@dataclass(frozen=True)
class ArgInput:
    """A graph input fed from the leaf of an argument."""

    name: str
    path: Path
    type: TensorType
    part: str = ""
    """For a part of a complex number or array: "real" or "imag"."""


@dataclass(frozen=True)
class CapturedInput:
    """A graph input fed from an array that the function captures.

    `array` is the very object found at extraction; a `Guard` on its path notices a rebinding.
    """

    name: str
    path: Path
    type: TensorType
    array: Any = field(compare=False)
    late: bool = False
    """Whether it is read where host code of the same call may have changed it."""
    part: str = ""
    """For a part of a complex array: "real" or "imag"."""

    @property
    def present(self) -> Any:
        """What the graph is fed with: the array, or a view of the part of it."""
        return getattr(self.array, self.part) if self.part else self.array


@dataclass(frozen=True)
class Guard:
    """A captured value that was taken as static: `read()` must still give `value` at the next call.

    The same object, or for numbers, strings and tuples an equal one of the same class.
    `exact` asks for the same object whatever its class says of equality.
    """

    text: str
    read: Any = field(compare=False)
    value: Any = field(compare=False)
    exact: bool = False
    late: bool = False
    """Whether it is read where host code of the same call may have changed it."""
    owner: Any = field(default=None, compare=False)
    """The captured object that has it, where `look(owner)` reads it: another object of the class may have it, too."""
    look: Callable[[Any], Any] | None = field(default=None, compare=False)
    path: Path = ()
    """Where it is an attribute of a captured object: of which, and which one."""


@dataclass(frozen=True)
class StateObject:
    """A captured object, and those of its attributes that the program writes.

    They are read before the run, as arguments are, and set after it.
    """

    path: Path
    object: Any = field(compare=False)
    attributes: tuple[tuple[str, ArgSpec], ...]


@dataclass(frozen=True)
class State:
    """The state of a program: what it writes of captured objects.

    Attributes
    ----------
    objects : tuple of StateObject
    same : tuple of (Path, object)
        Parts that must be these captured objects.
    apart : tuple of object
        Captured lists, dicts and instances that no part of the state may be.
    """

    objects: tuple[StateObject, ...] = ()
    same: tuple[tuple[Path, Any], ...] = field(default=(), compare=False)
    apart: tuple[Any, ...] = field(default=(), compare=False)

    def attributes(self) -> Iterator[tuple[Path, ArgSpec]]:
        """Every attribute that is state, with its place."""
        for owner in self.objects:
            for name, spec in owner.attributes:
                yield (*owner.path, f".{name}"), spec


NO_STATE = State()


@dataclass(frozen=True)
class Fixed:
    """A number of an argument or of the state, or a size of an argument, that the program was made for.

    Attributes
    ----------
    path : Path
    value : object
    needed : Diagnostic
        What needs it, and where.
    """

    path: Path
    value: Any
    needed: Diagnostic


# ---------------------------------------------------------------- what happens after the call


@dataclass(frozen=True)
class WriteBack:
    """After the call, `output` is copied into the caller's array at `path` (in-out parameter)."""

    path: Path
    output: int
    imag: int | None = None
    """For a complex array: the output with its imaginary part."""


@dataclass(frozen=True)
class SetBack:
    """After the call, the object at `path[:-1]` gets `result` at its last step (a written field).

    Only if the bool output `when` is true, where there is one.
    """

    path: Path
    result: Result
    when: int | None = None


@dataclass(frozen=True)
class RefillBack:
    """After the call, the list or dict at `path` has the items of `result`, a list or dict."""

    path: Path
    result: Result


@dataclass(frozen=True)
class RowField:
    """An attribute of the objects in a list: `result` builds it from the row that an object has in its table.

    It is set where the bool output `when` holds; without one, the array, list or dict there gets new contents.
    """

    name: str
    result: Result
    when: int | None


@dataclass(frozen=True)
class RowsBack:
    """After the call, the objects of a list have new attributes.

    In their table, the objects at the places `before` come first.
    """

    path: Path
    fields: tuple[RowField, ...]
    before: tuple[Path, ...]
    tables: tuple[TableResult, ...] = ()


Back = SetBack | RefillBack | RowsBack


@dataclass(frozen=True)
class HostEffect:
    """A host call with no result for the graph, such as `print`, made after the graph has run.

    It is made if the bool output `reached` is true, in the order of `Interface.effects`, also where
    the call then raises.
    """

    function: Any
    args: tuple[Result, ...]
    keywords: tuple[tuple[str, Result], ...]
    reached: int
    loc: Loc


@dataclass(frozen=True)
class Interface:
    """Everything the shim needs besides the model.

    Graph inputs are `inputs` in order (arguments first, then captured arrays).  `parameters` are the
    Python parameters in order with their specs.  `dims` are sizes that the caller has declared, which
    every call must keep to; `size_tests` what the program itself requires of its arguments' sizes.
    `equalities` are names of dims, and what they are in every run that does not raise.
    """

    parameters: tuple[tuple[str, ArgSpec], ...]
    inputs: tuple[ArgInput | CapturedInput, ...]
    result: Result
    write_backs: tuple[WriteBack, ...] = ()
    set_backs: tuple[Back, ...] = ()
    guards: tuple[Guard, ...] = ()
    effects: tuple[HostEffect, ...] = ()
    dims: DeclaredDims = NO_DIMS
    size_tests: tuple[SizeTest, ...] = ()
    equalities: Mapping[str, Dim] = field(default_factory=dict)
    state: State = NO_STATE
    keeps_writes: bool = False
    """Whether the outputs say what was written also where the error number is set."""
    unreported: tuple[tuple[Loc, str], ...] = ()
    """Calls of functions that only tell of the run, such as `print`, that were left out: places and names."""
    host: tuple[ArgResult | LentResult | CapturedResult, ...] | None = None
    """For a program with host steps: the objects that the host has when the call begins; the i-th is number -1 - i."""
