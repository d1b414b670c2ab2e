"""`Inference`: the solver of one evaluation with open types, and what it found out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.records import dataclass
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.inside import contents_in, items_of
from graph_program.extract.stage.values.open_values import Open, OpenShape
from graph_program.extract.stage.values.values import Static, Tensor, Value, is_numeric, type_of
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.notation.terms import DTypeTerm, RankVar, ShapeTerm, TypeTerm, Weak, as_written
from graph_program.extract.types.solving.solver import ConstraintError, Origin
from graph_program.extract.types.tensors.bfloat16 import is_bfloat16
from graph_program.extract.types.tensors.tensor_type import INT64, PY_BOOL, PY_INT, Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine
    from graph_program.extract.types.solving.solver import ConstraintError, Origin, Solver

T = TypeVar("T")


def _is_left_out(dtype: DTypeTerm) -> bool:
    """Whether an element type is known to be complex or bfloat16."""
    if isinstance(dtype, np.dtype):
        return dtype.kind == "c" or is_bfloat16(dtype)
    return isinstance(dtype, Weak) and dtype.python is complex


@dataclass
class Inference:
    """What an evaluation with open types collects.

    Attributes
    ----------
    solver : Solver
    findings : list of GraphProgramError
        What contradicts itself in every run, and statements that could not be evaluated.
    """

    solver: Solver
    strict: bool = False
    """Whether only what every run needs counts: nothing supposed, and nothing from paths that a run may not take."""
    findings: list[diagnostics.GraphProgramError] = field(default_factory=list)
    products: list[tuple[list[ShapeTerm], Origin]] = field(default_factory=list)
    """The leading parts of the operands of each matrix product."""
    sums: list[tuple[list[ShapeTerm], Origin]] = field(default_factory=list)
    """The operands of each operation element by element."""
    likely: dict[RankVar, int] = field(default_factory=dict)
    """The rank of a sum of which only some operands have a known rank: as a rule, theirs."""
    changing: set[Dim] = field(default_factory=set)
    """Sizes that differ from path to path."""
    structured: set[str] = field(default_factory=set)
    """Parameters that turned out to be objects, not arrays."""
    asked: dict[tuple[str, ...], tuple[diagnostics.Loc, str, TypeTerm]] = field(default_factory=dict)
    """Values to be revealed, by place: their types are told when all constraints are known."""
    _closed: dict[int, tuple[TensorType, Tensor, Value]] = field(default_factory=dict)

    # ------------------------------------------------------------ values

    def open(self, m: Machine, term: TypeTerm, name: str = "") -> Open:
        return Open(term, m.loc, name or m.hint)

    def lost(self, m: Machine) -> Open:
        """A value that nothing is known of."""
        return Open(self.solver.fresh_type(m.hint or "t"), m.loc, m.hint, lost=True)

    def term(self, m: Machine, value: Value) -> TypeTerm | None:
        """The type of a value as a term; None for what is no number and no array, and for complex ones and bfloat16.

        What functions make of these is only known where all types are.
        """
        found = self._term(m, value)
        return None if found is not None and _is_left_out(found.dtype) else found

    def _term(self, m: Machine, value: Value) -> TypeTerm | None:
        if isinstance(value, Open):
            return self.solver.resolve(value.term)
        value = m.in_graph(value)
        return tensor_term(type_of(value)) if is_numeric(value) else None

    def closed(self, m: Machine, value: Value) -> Value:
        """A tensor for an open value whose type is known by now; else the value itself."""
        if not isinstance(value, Open):
            return value
        type_ = closed_type(self.solver.resolve(value.term))
        if type_ is None:
            return value
        known = self._closed.get(id(value))
        if known is None or known[0] != type_:
            known = self._closed[id(value)] = (type_, Tensor(m.fresh("open", type_), type_, m.loc), value)
        return known[1]

    def unknown_number(self, m: Machine, type_: TensorType, size: Dim | None = None) -> Value:
        """A Python number of which only the class is known, or an int that is a size."""
        size = None if size is None else self.solver.resolve(size)
        if size is not None and size.constant is not None:
            return Static(size.constant)
        return Tensor(m.fresh("open", type_), type_, m.loc, size=size, bits=48 if type_ == PY_INT else 63)

    def unknown_bool(self, m: Machine) -> Value:
        return self.unknown_number(m, PY_BOOL)

    # ------------------------------------------------------------ constraints

    def constrain(self, m: Machine, text: str, action: Callable[[Origin], T]) -> T | None:
        """What `action` gives, with its constraints; None, and no constraints, where they contradict.

        A contradiction in code that every run reaches is a finding.
        """
        if self.strict and not certain(m):
            return None
        origin = Origin(m.loc, text)
        result: T | None = None
        with self.solver.trial() as trial:
            result = action(origin)
        if trial.error is not None and certain(m):
            self.findings.append(contradiction(m, trial.error))
        return result

    def suppose(self, m: Machine, text: str, action: Callable[[Origin], T]) -> bool:
        """Constraints that are taken where they fit; whether they did."""
        if self.strict:
            return False
        with self.solver.trial() as trial:
            action(Origin(m.loc, text))
        return trial.error is None

    def settle(self) -> None:
        """What is multiplied with a matrix, or added to one, is a matrix, where nothing says otherwise."""
        for lead, origin in self.products:
            if () in [self.solver.resolve(part) for part in lead]:
                for part in lead:
                    with self.solver.trial():
                        self.solver.equal_shapes(part, (), origin)
        for shapes, origin in self.sums:
            resolved = [self.solver.resolve(shape) for shape in shapes]
            ranks = [len(s) for s in resolved if self.known_dims(s) is not None]
            for shape in resolved:
                if ranks and len(shape) - 1 == max(ranks) > 0 and isinstance(shape[0], RankVar):
                    with self.solver.trial():
                        self.solver.equal_shapes(shape[:1], (), origin)

    def integer(self, m: Machine, value: Value) -> Value:
        """A Python int for an open value where one is asked for."""
        if not isinstance(value, Open):
            return value

        def relate(origin: Origin, dtype: DTypeTerm) -> None:
            self.solver.equal_shapes(value.term.shape, (), origin)
            self.solver.equal_dtypes(value.term.dtype, dtype, origin)

        if not self.suppose(m, "an int", lambda origin: relate(origin, Weak(int))):
            self.suppose(m, "an int", lambda origin: relate(origin, INT64))
        return self.unknown_number(m, PY_INT)

    # ------------------------------------------------------------ shapes

    def front(self, shape: ShapeTerm, count: int, origin: Origin) -> tuple[list[Dim], ShapeTerm]:
        """The first `count` dims of a shape, as variables that remember where they come from, and the rest."""
        shape = self.solver.resolve(shape)
        self._check_rank(shape, count, origin)
        head = shape[:count]
        if len(head) == count and all(isinstance(d, Dim) for d in head):
            return [d for d in as_written(head) if isinstance(d, Dim)], shape[count:]
        dims = [self.solver.fresh_dim() for _ in range(count)]
        rest: ShapeTerm = (self.solver.fresh_rank(),)
        self.solver.equal_shapes(shape, (*dims, *rest), origin)
        return dims, self.solver.resolve(rest)

    def before_axis(self, shape: ShapeTerm, i: int, origin: Origin) -> tuple[ShapeTerm, ShapeTerm]:
        """The dims before a place that a new axis gets, counted in the result, and those behind it."""
        if i >= 0:
            dims, rest = self.front(shape, i, origin)
            return tuple(dims), rest
        rest, dims = self.back(shape, -i - 1, origin)
        return rest, tuple(dims)

    def around_axis(self, shape: ShapeTerm, i: int, origin: Origin) -> tuple[ShapeTerm, Dim, ShapeTerm]:
        """The dims before an axis, its own, and those behind it."""
        if i >= 0:
            dims, rest = self.front(shape, i + 1, origin)
            return tuple(dims[:i]), dims[i], rest
        rest, dims = self.back(shape, -i, origin)
        return rest, dims[0], tuple(dims[1:])

    def back(self, shape: ShapeTerm, count: int, origin: Origin) -> tuple[ShapeTerm, list[Dim]]:
        """The shape without its last `count` dims, and those, as variables that remember where they come from."""
        shape = self.solver.resolve(shape)
        self._check_rank(shape, count, origin)
        tail = shape[len(shape) - count :] if count else ()
        if len(shape) >= count and all(isinstance(d, Dim) for d in tail):
            return shape[: len(shape) - count], [d for d in as_written(tail) if isinstance(d, Dim)]
        dims = [self.solver.fresh_dim() for _ in range(count)]
        rest: ShapeTerm = (self.solver.fresh_rank(),)
        self.solver.equal_shapes(shape, (*rest, *dims), origin)
        return self.solver.resolve(rest), dims

    def _check_rank(self, shape: ShapeTerm, count: int, origin: Origin) -> None:
        known = self.known_dims(shape)
        if known is not None and len(known) < count:
            text = f"array is {len(known)}-dimensional, but {count} were indexed"
            raise ConstraintError(f"too many indices for array: {text}", origin)

    def known_dims(self, shape: ShapeTerm) -> tuple[Dim, ...] | None:
        """The dims of a shape whose rank is known."""
        return plain_dims(self.solver.resolve(shape))


def certain(m: Machine) -> bool:
    """Whether every run reaches this point."""
    return m.state is None or (not m.loops.rounds and getattr(m.state, "certain", True))


def contradiction(m: Machine, error: ConstraintError) -> diagnostics.GraphProgramError:
    """The diagnostic of constraints that cannot all hold, with both places."""
    labels = []
    if error.second is not None and error.second.loc != m.loc:
        labels.append(diagnostics.Label(error.second.loc, f"`{error.second.text}` needs it otherwise"))
    message = readable(str(error))
    if " is not " in message and ":" not in message:  # two sizes, and nothing of what wants them equal
        message = f"{error.first.text}: {message}"
    return diagnostics.ShapeError(diagnostics.Diagnostic("GP301", message, m.loc, tuple(labels)))


def readable(text: str) -> str:
    """A message with short names for the solver's variables: `?d12` is a, the next b."""
    names: dict[str, str] = {}
    letters = iter("abcdefghijklmnopqrstuvwxyz")

    def name(match: re.Match[str]) -> str:
        if match[0] not in names:
            names[match[0]] = next(letters, match[0][1:])
        return names[match[0]]

    return re.sub(r"\?[a-z]+\d*", name, text)


def tensor_term(type_: TensorType) -> TypeTerm:
    """A known type as a term."""
    dtype: DTypeTerm = Weak(type_.python_class) if type_.kind is Kind.PYTHON else type_.dtype
    return TypeTerm(dtype, type_.shape)


def closed_type(term: TypeTerm) -> TensorType | None:
    """The type that a term without variables stands for."""
    shape = plain_dims(term.shape)
    if shape is None:
        return None
    if isinstance(term.dtype, Weak):
        return None if shape else TensorType(np.dtype(term.dtype.python), (), Kind.PYTHON)
    return TensorType(term.dtype, shape) if isinstance(term.dtype, np.dtype) else None


def plain_dims(shape: ShapeTerm) -> tuple[Dim, ...] | None:
    """A shape of which every part is a dim."""
    dims = tuple(d for d in shape if isinstance(d, Dim))
    return dims if len(dims) == len(shape) else None


def holds_open(m: Machine, value: Any) -> bool:
    """Whether a value is open, or a list or tuple that holds one."""
    if isinstance(value, Open | OpenShape):
        return True
    if isinstance(value, list):
        value = tuple(value)
    elif not isinstance(value, tuple | dict):
        value = contents_in({} if m.state is None else m.state.heap, value)
    return value.is_open if isinstance(value, Growing) else any(holds_open(m, e) for e in items_of(value))
