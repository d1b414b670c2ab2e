"""How a Python call meets the graph: argument specs, captured inputs, results, write-backs.

`ArgSpec`s describe the arguments of one specialisation, leaf by leaf; they are hashable, so a tuple
of them is the cache key.  The extractor turns them into graph inputs and says in an `Interface` how
to feed those inputs and how to build Python's result from the outputs, which is all that back ends see.

A *path* says where a leaf is found: a parameter's (or captured name's) name, then steps:
`("p", ".w")` is `p.w`, `("xs", 0)` is `xs[0]`, `("d", "key")` is `d["key"]`.  An attribute step is a
string that starts with a dot; a `KeyStep` wraps a dict key that would look like one.  Other steps stand last.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import memory
from graph_program.extract.types.declared import NO_DIMS, DeclaredDims
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.facts import SizeTest
from graph_program.extract.types.tensor_type import TensorType
from graph_program.extract.types.terms import TypeTerm


@dataclass(frozen=True)
class KeyStep:
    """`[key]` for a key of any kind (dict keys always use this)."""

    key: Hashable


@dataclass(frozen=True)
class SizeStep:
    """The size of one axis of the array at a path."""

    axis: int


@dataclass(frozen=True)
class LayoutStep:
    """How the array at a path lies in memory."""


Step = str | int | KeyStep | SizeStep | LayoutStep
Path = tuple[Step, ...]


def path_name(path: Path) -> str:
    """The dotted name of a leaf, used for graph inputs: `p.layers.0.w`."""
    parts = [str(path[0])]
    for step in path[1:]:
        key = step.key if isinstance(step, KeyStep) else step
        parts.append(str(key).lstrip("."))
    return ".".join(parts)


def path_text(path: Path) -> str:
    """The Python expression of a leaf, used in messages: `p.layers[0].w`."""
    text = str(path[0])
    for step in path[1:]:
        if isinstance(step, str):
            text += step
        else:
            text += f"[{(step.key if isinstance(step, KeyStep) else step)!r}]"
    return text


def follow(root: Any, path: Path) -> Any:
    """The object at `path[1:]` under `root`."""
    for step in path[1:]:
        if isinstance(step, str):
            root = getattr(root, step[1:])
        elif isinstance(step, SizeStep):
            root = root.shape[step.axis]
        elif isinstance(step, LayoutStep):
            root = memory.layout_of(root)
        else:
            root = root[step.key if isinstance(step, KeyStep) else step]
    return root


def tuple_steps(cls: type | None, count: int) -> list[Step]:
    """The steps to the elements of a tuple, or of a named tuple of class `cls`."""
    return list(range(count)) if cls is None else [f".{name}" for name in cls._fields]  # type: ignore[attr-defined]


# ---------------------------------------------------------------- arguments


@dataclass(frozen=True)
class TensorSpec:
    """An array, a NumPy scalar or a Python number; `layout` is part of it where the program depends on it."""

    type: TensorType
    layout: str = ""


class StaticSpec:
    """A value known at extraction: string, None, callable, class, enum, `Static[T]`.

    Compared by class and equality where the value is hashable, else by identity.
    """

    def __init__(self, value: Any):
        self.value = value
        identity = value.hex() if isinstance(value, float) else value  # NaN is itself, -0.0 is not 0.0
        try:
            self._key: tuple[Any, ...] = (type(value), identity, hash(identity))
        except TypeError:
            self._key = (type(value), id(value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticSpec) and self._key[:2] == other._key[:2]

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"StaticSpec({self.value!r})"


@dataclass(frozen=True)
class TupleSpec:
    """A tuple, or a named tuple of class `cls`."""

    elts: tuple[ArgSpec, ...]
    cls: type | None = None


@dataclass(frozen=True)
class ListSpec:
    elts: tuple[ArgSpec, ...]


@dataclass(frozen=True)
class DictSpec:
    items: tuple[tuple[Hashable, ArgSpec], ...]


@dataclass(frozen=True)
class RecordSpec:
    """A dataclass instance."""

    cls: type
    fields: tuple[tuple[str, ArgSpec], ...]


@dataclass(frozen=True)
class OpenSpec:
    """An array whose type has variables, to be inferred from its uses."""

    term: TypeTerm


@dataclass(frozen=True)
class SameSpec:
    """The very object that another part is, earlier in the order of the specs."""

    path: Path


@dataclass(frozen=True)
class AbsentSpec:
    """An attribute that its object does not have."""


ArgSpec = TensorSpec | StaticSpec | TupleSpec | ListSpec | DictSpec | RecordSpec | OpenSpec | SameSpec | AbsentSpec


def spec_leaves(spec: ArgSpec, path: Path = ()) -> Iterator[tuple[Path, ArgSpec]]:
    """The parts of an argument that are no structures, in order, each with its place."""
    parts = _spec_parts(spec)
    if parts is None:
        yield path, spec
    for step, part in parts or ():
        yield from spec_leaves(part, (*path, step))


def map_leaves(spec: ArgSpec, change: Callable[[ArgSpec, Path], ArgSpec], path: Path = ()) -> ArgSpec:
    """The spec with each part that is no structure changed, in the order of `spec_leaves`."""
    parts = _spec_parts(spec)
    if parts is None:
        return change(spec, path)
    changed = tuple(map_leaves(part, change, (*path, step)) for step, part in parts)
    match spec:
        case TupleSpec(_, cls):
            return TupleSpec(changed, cls)
        case DictSpec(items):
            return DictSpec(tuple((key, new) for (key, _), new in zip(items, changed, strict=True)))
        case RecordSpec(cls, fields):
            return RecordSpec(cls, tuple((name, new) for (name, _), new in zip(fields, changed, strict=True)))
    return ListSpec(changed)


def _spec_parts(spec: ArgSpec) -> list[tuple[Step, ArgSpec]] | None:
    """The parts of a structure with the steps to them; None for a leaf."""
    match spec:
        case TupleSpec(elts, cls):
            return list(zip(tuple_steps(cls, len(elts)), elts, strict=True))
        case ListSpec(elts):
            return list(enumerate(elts))
        case DictSpec(items):
            return [(KeyStep(key), part) for key, part in items]
        case RecordSpec(_, fields):
            return [(f".{name}", part) for name, part in fields]
    return None


# ---------------------------------------------------------------- inputs


@dataclass(frozen=True)
class ArgInput:
    """A graph input fed from the leaf of an argument."""

    name: str
    path: Path
    type: TensorType


@dataclass(frozen=True)
class CapturedInput:
    """A graph input fed from an array that the function captures.

    `array` is the very object found at extraction; a `Guard` on its path notices a rebinding.
    """

    name: str
    path: Path
    type: TensorType
    array: Any = field(compare=False)


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


# ---------------------------------------------------------------- results


@dataclass(frozen=True)
class OutputResult:
    """A graph output, given back in the class its type says."""

    index: int
    type: TensorType


@dataclass(frozen=True)
class ArgResult:
    """The caller's own object (a parameter returned as it came)."""

    path: Path


@dataclass(frozen=True)
class CapturedResult:
    """A captured object returned as it is."""

    value: Any


@dataclass(frozen=True)
class ConstantResult:
    value: Any


@dataclass(frozen=True)
class TupleResult:
    elts: tuple[Result, ...]
    cls: type | None = None


@dataclass(frozen=True)
class ListResult:
    elts: tuple[Result, ...]


@dataclass(frozen=True)
class DictResult:
    items: tuple[tuple[Hashable, Result], ...]


@dataclass(frozen=True)
class RecordResult:
    """An instance of `cls` built without calling `__init__`, its fields set one by one."""

    cls: type
    fields: tuple[tuple[str, Result], ...]


@dataclass(frozen=True)
class RaggedResult:
    """In the element of a `RowsResult`: arrays of different shapes.

    The output `index` has their elements one after another, the int64 output `shapes` (`[n, rank]`) their shapes.
    """

    index: int
    shapes: int
    type: TensorType


@dataclass(frozen=True)
class RowsResult:
    """A list of computed length: as many elements as the output `length` has rows.

    Outputs in `element` are stacked: what an element has is a row of them.
    """

    length: int
    element: Result


@dataclass(frozen=True)
class ClassedResult:
    """In the element of a `RowsResult`: a number, of Python where the bool output `flag` holds, else of NumPy."""

    flag: int
    number: OutputResult


@dataclass(frozen=True)
class ListedResult:
    """In the element of a `RowsResult`: a list whose length is not the same everywhere.

    Each of its own stacked outputs is kept as a `RaggedResult` is: `columns` are pairs of an output and its shapes.
    """

    columns: tuple[tuple[int, int], ...]
    rows: RowsResult


@dataclass(frozen=True)
class OptionalResult:
    """None if the bool output `flag` is true, else `value`."""

    flag: int
    value: Result


@dataclass(frozen=True)
class ChoiceResult:
    """One of several results of different kinds: the one whose number is the int64 output `case`."""

    case: int
    options: tuple[Result, ...]


@dataclass(frozen=True)
class TextResult:
    """A formatted string: literal parts, and (result, conversion, format specification) triples."""

    parts: tuple[str | tuple[Result, str, str], ...]


@dataclass(frozen=True)
class SharedResult:
    """A new object that may stand in several places; `number` tells it from others."""

    number: int
    value: Result


Result = (
    OutputResult
    | ArgResult
    | CapturedResult
    | ConstantResult
    | TupleResult
    | ListResult
    | DictResult
    | RecordResult
    | RowsResult
    | RaggedResult
    | ListedResult
    | ClassedResult
    | OptionalResult
    | ChoiceResult
    | TextResult
    | SharedResult
)


@dataclass(frozen=True)
class WriteBack:
    """After the call, `output` is copied into the caller's array at `path` (in-out parameter)."""

    path: Path
    output: int


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
    set_backs: tuple[SetBack | RefillBack, ...] = ()
    guards: tuple[Guard, ...] = ()
    effects: tuple[HostEffect, ...] = ()
    dims: DeclaredDims = NO_DIMS
    size_tests: tuple[SizeTest, ...] = ()
    equalities: Mapping[str, Dim] = field(default_factory=dict)
    state: State = NO_STATE
