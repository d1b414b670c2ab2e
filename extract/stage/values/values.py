"""The abstract values of the partial evaluator.

A `Value` stands for one Python object of the running program.

    Static      known now: number, string, None, function, class, module, dtype, captured object
    Tensor      a graph value: an array, a NumPy scalar or a Python number (see `Kind`)
    Tuple       a tuple or named tuple, taken apart
    Ref         a mutable object with identity: list, dict, instance; its contents are in the state
    others      functions with their scope, bound methods, ranges, slices, iterators; in files of their
                own: `exception_values`, `opened/values` (types being inferred), `elements` (long lists)

Arrays are mutable in Python but renamed here: the `Tensor` object is the array's *identity*, and
`State.written` maps it to the variable that holds its present contents once it has been written.
A `Tensor` made by basic indexing, `.T` or `reshape` remembers the array it is a `View` of.  A value
made by a control-flow join remembers its `sources`, which is what the alias test asks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import field
from typing import Any, TypeGuard

import numpy as np

from graph_program.extract.diagnostics import UNKNOWN as NOWHERE
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import tree
from graph_program.extract.ir.residual import Const, Operand
from graph_program.extract.records import dataclass
from graph_program.extract.stage.values.column_data import Element
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.rules.facts import Condition
from graph_program.extract.types.tensors.bfloat16 import is_bfloat16_class
from graph_program.extract.types.tensors.tensor_type import INT64, PY_TYPES, Kind, TensorType

births = itertools.count()


class Value:
    """Any abstract value.

    What it says below holds of every kind that says nothing else of itself, so that any value can be asked.
    """

    loc: Loc = NOWHERE
    path: tuple[Any, ...] = ()
    """Where an argument, or what is captured, came from."""
    sources: tuple[Value, ...] = ()
    """For one of a join: the values that it merges."""
    join: int = -1
    """The number of that join."""
    needs: frozenset[Any] = frozenset()
    """Loops (by number) and parameters (by path) that, unrolled or specialised, make it known."""
    depends: frozenset[Any] = frozenset()
    """For what may be a view of its source: the arguments (by path) whose layouts may tell."""
    view: View | None = None
    element: Element | None = None
    """For one in an element of a list of computed length: the element that it is in."""
    inside: tuple[Dim, Dim] | None = None
    """For an int: the least and the greatest value that it may have, as sizes, where they are known."""
    steps: frozenset[str] = frozenset()
    """For an int carried by loops: the merge variables from which it moves by small static steps."""
    text: str = "..."
    """For what is on the host: what it is the result of, in the user's words."""
    member: str = ""
    """For what is on the host: the name of the attribute that it is."""
    is_there: bool = False
    """For what is on the host: whether a test has said that it is not None."""
    strict: bool = False
    """For an iterator: whether its parts must have one length, which its end shows."""
    host: Host | None = None
    """For one that the host has told: the object there."""
    told: Tensor | None = None
    """For a number on the host, of known type: what the graph is told of it."""
    note: Any = None
    """For what is on the host: the annotation that says what it is; see `host_notes`."""
    method: Any = None
    """For what is on the host: what is known of it as a method, a `host_shipped.Method`."""
    shares: int = 0
    """For what is on the host: whether it may be, or hold, a copy of an object of the program's; see `sharing`."""
    lost: bool = False
    """For one whose type is being inferred: whether nothing can be said of it, so that it fits wherever it goes."""
    size: Dim | None = None
    """For an int of the graph: its value as a symbolic size, if known."""
    bits: int = 63
    """For an int of the graph: |value| < 2**bits; 63 if nothing is known."""
    identity: Tensor | None = None
    """For a merged array: which one it is, where that is carried; see `identities`."""
    implied: tuple[bool, tuple[tuple[Value, bool], ...]] | None = None
    """For a bool: if it has the first value, the others have theirs (`a and b`)."""
    compares: Condition | None = None
    """For a bool: the comparison of sizes that it is."""
    relied: bool = False
    """For a Python number of a join: that it is one of those it was made of has been taken for granted."""

    @property
    def there(self) -> Value:
        """What it is where it is not missing."""
        return self

    @property
    def is_missing(self) -> Value:
        """Whether it is missing, as a truth value."""
        return Static(False)

    @property
    def is_array(self) -> bool:
        """Whether it is an array of the graph."""
        return False

    @property
    def is_python(self) -> bool:
        """Whether it is a Python number of the graph."""
        return False

    @property
    def rank(self) -> int:
        """How many axes it has as an array of the graph."""
        return 0


@dataclass(frozen=True, eq=False)
class Static(Value):
    """A Python object known at extraction; its `path` names captured arrays, and is shown in messages."""

    value: Any
    path: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"Static({self.value!r})"


@dataclass(frozen=True, eq=False, repr=False)
class MadeSet(Static):
    """A set of known elements that the program makes."""

    loc: Loc = NOWHERE


@dataclass(frozen=True, eq=False, repr=False)
class Stream(Static):
    """A standard stream, as it is while extracting; host code finds the one that is there when it runs."""


NONE = Static(None)


@dataclass(frozen=True)
class View:
    """How a view is read from its base and written back to it.

    `read(contents of base) -> contents of view`; `write(contents of base, contents of view) ->
    contents of base`.  Both emit operations.  `write` is None where the relation is not exact.
    """

    base: Tensor
    read: Callable[[Tensor], Tensor]
    write: Callable[[Tensor, Tensor], Tensor] | None
    seen: Operand = ""
    """The contents of the base that the view was last read from."""
    read_only: bool = False
    """Whether NumPy refuses a write to it."""
    partial: bool = False
    """Whether reading it may fail where nothing has seen to it: an integer outside, a size that does not fit."""

    @property
    def may_fail(self) -> bool:
        """Whether reading it may fail on other paths than its own."""
        return self.partial or (self.base.view is not None and self.base.view.may_fail)


@dataclass(eq=False)
class Tensor(Value):
    """A graph value.

    Attributes
    ----------
    operand : str or Const
        The residual variable that holds it (for a written array: held it when it was made).
    """

    operand: Operand
    type: TensorType
    loc: Loc = NOWHERE
    size: Dim | None = None
    bits: int = 63
    steps: frozenset[str] = frozenset()
    needs: frozenset[Any] = frozenset()
    view: View | None = None
    layout: str = ""
    """How an array lies in memory, where that is known: see `ir.memory`."""
    depends: frozenset[Any] = frozenset()
    sources: tuple[Value, ...] = ()
    join: int = -1
    since: float = math.inf
    """For one that is merged at a loop's head: what was born later is private to a round."""
    host: Host | None = None
    identity: Tensor | None = None
    born: int = field(default_factory=lambda: next(births))
    path: tuple[Any, ...] = ()
    element: Element | None = None
    implied: tuple[bool, tuple[tuple[Value, bool], ...]] | None = None
    denied: Value | None = None
    """For a bool: what it is the negation of."""
    inside: tuple[Dim, Dim] | None = None
    compares: Condition | None = None
    relied: bool = False

    @property
    def is_array(self) -> bool:
        return self.type.kind is Kind.ARRAY

    @property
    def is_python(self) -> bool:
        return self.type.kind is Kind.PYTHON

    @property
    def rank(self) -> int:
        return self.type.rank


@dataclass(frozen=True, eq=False)
class Tuple(Value):
    """A tuple; `cls` is the class of a named tuple."""

    elts: tuple[Value, ...]
    cls: type | None = None


@dataclass(frozen=True, eq=False)
class Host(Value):
    """An object on the host; the graph has its number."""

    number: Value
    loc: Loc = NOWHERE
    text: str = ""
    note: Any = None
    told: Tensor | None = None
    method: Any = None
    name: str = ""
    """The variable that it was made for."""
    parts: tuple[Value, ...] = ()
    """What a tuple holds, where the host has taken it apart already."""
    shares: int = 0
    member: str = ""
    holder_shares: int = 0
    """Where it is an attribute, `shares` of the object that it is one of."""
    tests: list[tuple[Value, bool]] = field(default_factory=list)
    """Truth values that say whether it is None, with what they are then."""
    is_there: bool = False


@dataclass(frozen=True, eq=False)
class DictView(Tuple):
    """`d.keys()`, `d.values()` or `d.items()`: `elts` when it was made; it shows what the dict holds now."""

    dictionary: Value = NONE
    kind: str = "keys"


@dataclass(eq=False)
class Ref(Value):
    """A mutable object; `State.heap[ref]` holds a tuple or `Growing` (list), or a dict (dict, instance).

    `cls` is `list`, `dict`, `set` or the class of the instance; `tuple` for one of computed length.
    """

    cls: type
    loc: Loc = NOWHERE
    sources: tuple[Value, ...] = ()
    join: int = -1
    born: int = field(default_factory=lambda: next(births))
    path: tuple[Any, ...] = ()
    element: Element | None = None


@dataclass(frozen=True, eq=False)
class Row(Value):
    """An object in the table of its class, as the number of its row; see `stage/objects/object_tables`."""

    cls: type
    number: Value


@dataclass(frozen=True, eq=False)
class Closure(Value):
    """A function defined inside the program: its tree, and the frame it was defined in."""

    function: tree.Function
    scope: Any
    defaults: dict[str, Value]


@dataclass(frozen=True, eq=False)
class Bound(Value):
    """A method together with its object; `function` is a Static function or a Closure."""

    self: Value
    function: Value


@dataclass(frozen=True, eq=False)
class ArrayMethod(Value):
    """`x.name` of an array, number, list, ... : a method that the extractor itself knows."""

    self: Value
    name: str


@dataclass(frozen=True, eq=False)
class Range(Value):
    start: Value
    stop: Value
    step: Value


@dataclass(frozen=True, eq=False)
class SliceValue(Value):
    start: Value
    stop: Value
    step: Value
    path: tuple[Any, ...] = field(default=(), kw_only=True)
    """Where an argument came from."""


@dataclass(frozen=True, eq=False)
class Iteration(Value):
    """`zip`, `enumerate`, `reversed`, `map` and generators over `parts`; `kind` names it."""

    kind: str
    parts: tuple[Value, ...]
    start: Value | None = None
    """`enumerate`'s start."""
    function: Value | None = None
    """`map`'s function."""
    strict: bool = False
    apart: bool = False
    """For a generator: whether it cannot see what is done with its elements, as no host code is in it."""
    held: Any = None
    """What the arrays and lists held whose elements it would read one by one, where it has read all of them."""


@dataclass(frozen=True, eq=False)
class Partial(Value):
    """`functools.partial(function, *args, **keywords)`."""

    function: Value
    args: tuple[Value, ...]
    keywords: dict[str, Value]


@dataclass(frozen=True, eq=False)
class Text(Value):
    """A string with computed numbers in it: literal parts, and (value, conversion, specification).

    It cannot be in the graph; it may be printed, raised and returned.
    """

    parts: tuple[Any, ...]

    @property
    def computed(self) -> tuple[Value, ...]:
        """The values in it."""
        return tuple(part[0] for part in self.parts if not isinstance(part, str))


@dataclass(frozen=True, eq=False)
class Maybe(Value):
    """A value that is there only if `missing` (a bool scalar) is false.

    `absent` says what a missing one is: "unbound" (reading it raises UnboundLocalError) or "none".
    """

    missing: Value
    value: Value
    absent: str

    @property
    def there(self) -> Value:
        return self.value

    @property
    def is_missing(self) -> Value:
        return self.missing


@dataclass(frozen=True, eq=False)
class Mixed(Value):
    """Values that do not merge; may exist and be returned, refused where used.

    `selector` is the number of the one that it is, where that is known at run time.
    """

    values: tuple[Value, ...]
    locs: tuple[Loc, ...]
    reason: str
    loop: int | None = None
    """The loop at whose head they met: peeling one iteration may help."""
    selector: Tensor | None = None
    tests: list[tuple[Value, Value, Value]] = field(default_factory=list)
    """Truth values, with what it is where each holds and where it does not."""
    grows: bool = False
    """It stands for the items of a list that has different lengths."""
    advice: str = ""
    """What to write instead of such a list."""
    origins: tuple[Value, ...] = ()
    """What the values are on their own paths, where that is not what other paths can read."""
    place: Loc | None = None
    """Of that loop."""


class Unbound(Value):
    """A local name that is not set."""


UNBOUND = Unbound()


class Unknown(Value):
    """The value of what was refused, where the extraction goes on to find more; see `recovery`."""


UNKNOWN: Value = Unknown()


class UnknownUsed(Exception):
    """A value is asked for that is unknown."""


def is_number_class(value: Any) -> bool:
    """A Python number (not a NumPy scalar: np.float64 is a float, too)."""
    return type(value) in PY_TYPES


def is_numpy_number(value: Any) -> bool:
    """A NumPy scalar that is a number; those of `ml_dtypes` are none of NumPy's classes."""
    return isinstance(value, np.bool_ | np.number) or is_bfloat16_class(type(value))


def is_numeric_static(value: Value) -> TypeGuard[Static]:
    """A static number, of Python or NumPy."""
    return isinstance(value, Static) and (is_number_class(value.value) or is_numpy_number(value.value))


Number = Static | Tensor
"""A value that can be an operand of a tensor operation as it stands."""


def is_numeric(value: Value) -> TypeGuard[Number]:
    """A value that can be an operand of a tensor operation as it stands."""
    return isinstance(value, Tensor) or is_numeric_static(value)


def static_type(value: Any) -> TensorType:
    """The type of a static number."""
    if is_number_class(value):
        return PY_TYPES[type(value)]
    return TensorType(value.dtype, (), Kind.NUMPY)


def type_of(value: Value) -> TensorType:
    """The type of a numeric value."""
    if isinstance(value, Tensor):
        return value.type
    assert isinstance(value, Static)
    return static_type(value.value)


def constant_array(value: Any) -> np.ndarray:
    """A static number as a rank-0 array of its own type; int64, float64 or bool for Python's."""
    if is_number_class(value):
        return np.asarray(value, dtype=PY_TYPES[type(value)].dtype)
    return np.asarray(value)


def static_contents(value: Value) -> np.ndarray | None:
    """The elements of a numeric value, if they are known now."""
    if is_numeric_static(value):
        if type(value.value) is int and not -(2**63) <= value.value < 2**63:
            return None
        return constant_array(value.value)
    if isinstance(value, Tensor) and isinstance(value.operand, Const):
        return value.operand.value
    return None


def size_of(value: Value) -> Dim | None:
    """The symbolic value of an integer, if it is known."""
    if isinstance(value, Tensor):
        if value.size is None and isinstance(value.operand, Const) and value.type.dtype == INT64 and value.rank == 0:
            return dim(int(value.operand.value))
        return value.size
    if is_numeric_static(value) and isinstance(value.value, int | np.integer) and not isinstance(value.value, bool):
        return dim(int(value.value))
    return None
