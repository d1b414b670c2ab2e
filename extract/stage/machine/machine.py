"""The machine that the evaluator's parts share: present state, emission, errors, captured values.

The parts (`statements`, `expressions`, `loops`, `calls`, ...) are functions over a `Machine`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.diagnostics import Diagnostic, Label, Loc, Note
from graph_program.extract.ir import residual
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.interface import CapturedInput, Guard
from graph_program.extract.ir.paths import Path
from graph_program.extract.ir.residual import Const, Operand
from graph_program.extract.ir.results import ArgResult, CapturedResult
from graph_program.extract.stage.machine import emission, handlers
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.machine.state import Exit, Frame, Owned, State
from graph_program.extract.stage.values import exception_values
from graph_program.extract.stage.values.exception_values import Handled
from graph_program.extract.stage.values.values import (
    Iteration,
    Ref,
    Row,
    Static,
    Tensor,
    Value,
    constant_array,
    static_type,
)
from graph_program.extract.stage.values.views import ContiguousView
from graph_program.extract.types.dims import MAX_WEIGHT, Dim, dim, symbol
from graph_program.extract.types.rules.facts import NOTHING, Facts
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import INT64, Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.handlers import Scope
    from graph_program.extract.stage.machine.host_contents import Put
    from graph_program.extract.stage.machine.inference import Inference
    from graph_program.extract.stage.machine.promises import Promises


@dataclass
class Machine:
    options: Options
    state: State | None = field(default_factory=State)
    """None where control cannot be."""
    frame: Frame | None = None
    node_loc: Loc = diagnostics.UNKNOWN
    out: list[residual.Stmt] = field(default_factory=list)
    types: dict[str, TensorType] = field(default_factory=dict)
    errors: list[ErrorInfo] = field(default_factory=list)
    pending: dict[str, list[Exit]] = field(default_factory=dict)
    captured: dict[int, tuple[CapturedInput, Tensor]] = field(default_factory=dict)
    guards: dict[str, Guard] = field(default_factory=dict)
    findings: list[diagnostics.GraphProgramError] = field(default_factory=list)
    """Refusals on paths that not every run takes."""
    notes: list[Note] = field(default_factory=list)
    counter: Iterator[int] = field(default_factory=itertools.count)
    dims: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    used: dict[str, int] = field(default_factory=dict)
    constants: dict[Any, Tensor] = field(default_factory=dict)
    writes: int = 0  # of arrays, evaluated so far
    hint: str = ""
    """The name that the value being computed will have, if it has one."""
    named_dims: dict[Dim, Dim] = field(default_factory=dict)
    """Symbols given to dims that are too long to carry on."""
    _dim_sources: tuple[int, dict[Dim, tuple[Tensor, int]]] = field(default_factory=lambda: (0, {}))
    telling: frozenset[str] = frozenset()
    """Names of dims whose sizes the arguments tell where they are needed."""
    recursive_calls: int = 0  # inlined so far
    splitting: int = 0
    """How many statements are being evaluated for one of the things that a value may be."""
    setting: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    """For the loops being evaluated: frame and names that a round may set for the next."""
    operands: list[list[Value]] = field(default_factory=lambda: [[]])
    """What the expressions that are being evaluated have of their operands so far, the innermost last."""
    rounds: list[int] = field(default_factory=list)
    """A number for each evaluation of a graph loop's body that is going on."""
    unrollable: dict[int, Loc] = field(default_factory=dict)
    """By number, the places of loops that can be unrolled."""
    computed_reads: list[tuple[Tensor | Ref, Loc]] = field(default_factory=list)
    """What stands for the elements of known lists that were read at computed positions, and where."""
    tables: dict[type, Ref] = field(default_factory=dict)
    """By class, the list of all its objects, which are known by their places in it."""
    columns: list[Tensor] = field(default_factory=list)
    """The inputs that hold what is in lists of the caller."""
    given: dict[Ref, Row] = field(default_factory=dict)
    """Objects of the caller that are in tables."""
    moved: dict[Tensor | Ref, tuple[Ref, str]] = field(default_factory=dict)
    """Arrays, lists and dicts of the caller that are attributes of such objects, and of which."""
    fields_set: set[tuple[type, str]] = field(default_factory=set)
    """Attributes of objects in tables that are set somewhere."""
    fields_changed: set[tuple[type, str]] = field(default_factory=set)
    """Those whose arrays, lists or dicts are written in place."""
    made: set[type] = field(default_factory=set)
    """Classes of objects that the program makes."""
    listed: set[type] = field(default_factory=set)
    """Classes of objects that are in lists of computed length."""
    host_kept: list[tuple[Tensor | Ref, Loc]] = field(default_factory=list)
    """Arrays and objects that dicts on the host have copies of, and where they went there."""
    host_shared: list[tuple[Tensor | Ref, Loc]] = field(default_factory=list)
    """Those of them that the program has, too."""
    host_places: dict[str, str] = field(default_factory=dict)
    """For the variables of objects on the host, where they have first got a name."""
    host_names: set[str] = field(default_factory=set)
    """The names, with their frames, that have had an object on the host."""
    host_handed: list[tuple[Tensor | Ref, Loc]] = field(default_factory=list)
    """Arrays and objects that host code of the program's own has looked into copies of, and where."""
    host_lent: list[tuple[Ref, Loc]] = field(default_factory=list)
    """Objects that generators and context managers on the host go on with copies of, and where they went there."""
    host_puts: list[Put] = field(default_factory=list)
    """What the program puts into containers on the host."""
    unrolling: set[int] = field(default_factory=set)
    """Loops being evaluated that are unrolled where their variable is needed statically."""
    effects: list[Any] = field(default_factory=list)
    """Host calls that wait for the end of the run, in program order."""
    unreported: dict[Loc, str] = field(default_factory=dict)
    """The calls of functions that only tell of the run and are left out, with their names."""
    host_steps: list[HostStep] = field(default_factory=list)
    """What Python does on the host."""
    both: set[str] = field(default_factory=set)
    """Variables with numbers that graph and host can each compute."""
    decided: dict[str, frozenset[Path]] = field(default_factory=dict)
    """Variables with numbers that are known where parameters are, and which ones: see `picks`."""
    picking: set[Path] = field(default_factory=set)
    """Parameters that pick a structure: paths that they part merge to something without a common type."""
    told: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By variables that the host tells: the number of the host step, and the place among what it tells."""
    host_objects: list[ArgResult | CapturedResult] = field(default_factory=list)
    """What the host has when the call begins."""
    hint_name: str = ""
    """The name last read, for messages about values that are not set."""
    mixed: int = -1
    """When a value without a common type was last made."""
    ahead: int = 0
    """Above 0 where iterators are only looked at."""
    splits: int = 0
    """How many values are told apart around what is being evaluated."""
    unrolled: int = 0
    """How many rounds of unrolled loops have been evaluated."""
    arguments: dict[Tensor | Ref, Any] = field(default_factory=dict)
    """Arrays and objects of the caller, which stay visible to it, with what they held when the call began."""
    inference: Inference | None = None
    """Where types are inferred from uses: the solver, and what it found."""
    owned: Owned = field(default_factory=Owned)
    """Captured objects that the program writes to."""
    orders: dict[str, Operand | None] = field(default_factory=dict)  # arrays laid out as others; None: as Fortran does
    unsaid: list[Diagnostic] = field(default_factory=list)
    """What the program requires of its dims that their annotations do not say."""
    promises: Promises | None = None
    """What the annotations of the program's own function promise."""
    generators: list[Iteration] = field(default_factory=list)
    """What the generator expressions of the statement being evaluated have given."""
    emptied: set[Iteration] = field(default_factory=set)
    """Iterators that some path has gone through."""
    operation_checks: list[residual.OperationCheck] = field(default_factory=list)
    """Those of the next operation that may fail."""
    scopes: list[Scope] = field(default_factory=list)
    """The `try` statements whose bodies are being evaluated, the innermost last."""
    handling: list[Handled] = field(default_factory=list)
    """What the handlers that are being evaluated have caught, the innermost last."""

    # ------------------------------------------------------------ places and errors

    @property
    def loc(self) -> Loc:
        """The source place being evaluated, with the chain of inlined calls."""
        frame = self.frame
        return self.node_loc.within(frame.call) if frame is not None else self.node_loc

    def error(
        self,
        code: str,
        message: str,
        *,
        cls: type[diagnostics.GraphProgramError] = diagnostics.UnsupportedError,
        hint: str = "",
        notes: tuple[str, ...] = (),
        labels: tuple[Label, ...] = (),
        raised: bool = False,
    ) -> diagnostics.GraphProgramError:
        """The exception to raise for a refusal at the present place.

        What Python raises as well (`raised`) ends the path only, where not every run gets here.
        """
        from graph_program.extract.stage.machine.checks.certain_failures import end_path, may_be_raised

        error = cls(Diagnostic(code, message, self.loc, labels, notes, hint))
        if may_be_raised(self, error, raised):
            end_path(self, error)
        return error

    @property
    def inferring(self) -> Inference:
        """The inference, where there are open values."""
        assert self.inference is not None
        return self.inference

    def note(self, note: Note) -> None:
        """Tell something about the program; once, also where code is evaluated several times."""
        if not any(note.same(n) for n in self.notes):
            self.notes.append(note)

    @property
    def live(self) -> State:
        """The state, where control is known to be."""
        assert self.state is not None
        return self.state

    @property
    def facts(self) -> Facts:
        """What is known of sizes at this point."""
        return NOTHING if self.state is None else self.state.facts

    # ------------------------------------------------------------ names

    def fresh(self, hint: str = "") -> str:
        """A new residual variable name, after `hint` where there is one."""
        base = hint or self.hint or "t"
        number = self.used.get(base, 0)
        self.used[base] = number + 1
        name = base if number == 0 and base != "t" else f"{base}.{number}"
        return name if name not in self.types else self.fresh(base)

    def input_name(self, name: str) -> str:
        """The name of an input: its own, also where it is called like the temporaries."""
        return name if name == "t" and name not in self.types else self.fresh(name)

    def fresh_dim(self) -> Dim:
        """A dimension about which nothing is known."""
        if self.inference is not None:
            return self.inference.solver.fresh_dim()
        return symbol(f"d{next(self.dims)}")

    def plain_dim(self, size: Dim) -> Dim:
        """The dim itself, or a symbol for one that has grown past reading."""
        if size.weight <= MAX_WEIGHT:
            return size
        return self.named_dims.setdefault(size, self.fresh_dim())

    # ------------------------------------------------------------ emission

    def emit(self, statement: residual.Stmt) -> None:
        self.out.append(statement)

    def contents(self, tensor: Tensor) -> Operand:
        """The operand that holds a tensor's present contents."""
        if self.state is None:
            return tensor.operand
        if tensor.view is not None:
            return entries.view_contents(self, tensor)
        return self.state.written.get(tensor, tensor.operand)

    def is_written(self, tensor: Tensor) -> bool:
        """Whether an array no longer holds what it was made with."""
        return self.contents(tensor) != tensor.operand

    def operand(self, value: Value) -> Operand:
        """The operand for a numeric value, in its own type."""
        if isinstance(value, Tensor):
            return self.contents(value)
        assert isinstance(value, Static)
        return Const(constant_array(self.in_range(value.value)))

    def in_range(self, value: Any) -> Any:
        """A static number, refused where it is a Python int that no int64 can hold."""
        if type(value) is int and not -(2**63) <= value < 2**63:
            raise self.error(
                "GP308",
                f"the integer {value} does not fit in 64 bits",
                cls=diagnostics.ProgramValueError,
                hint="Python ints are int64 in a graph; keep it static, or use np.uint64 for what wraps, or a float",
            )
        return value

    def op(self, name: str, *operands: Value, kind: Kind = Kind.ARRAY, hint: str = "", **attrs: Any) -> Tensor:
        """Emit one operation and give its result; see `emission.operation`."""
        return emission.operation(self, name, operands, attrs, kind, hint)

    def type_error(self, error: TypeRuleError, operands: Sequence[Value] = ()) -> diagnostics.GraphProgramError:
        """The diagnostic for operands that do not fit."""
        from graph_program.extract.stage.machine.checks.certain_failures import end_path, may_not_get_here

        found = error.error_class(Diagnostic(error.code, str(error), self.loc))
        if may_not_get_here(self) or handlers.is_caught(self, error.python_class):
            end_path(self, found, error.python_class, error.parts, error.arguments, operands)
        return found

    def cast(self, value: Value, dtype: np.dtype, kind: Kind | None = None) -> Tensor:
        """A numeric value in another element type (and class); constants are converted now."""
        if isinstance(value, Static):
            number = self.in_range(value.value)
            if isinstance(number, complex | np.complexfloating):
                emission.require_complex(self, np.asarray(number).dtype, dtype)
            with np.errstate(all="ignore"):
                array = np.asarray(number).astype(dtype)
            return self.constant(array, kind or static_type(value.value).kind)
        assert isinstance(value, Tensor)
        kind = kind or value.type.kind
        if value.type.dtype == dtype:
            return self.reclassed(value, kind)
        return self.op("cast", value, kind=kind, dtype=dtype)

    def reclassed(self, value: Tensor, kind: Kind) -> Tensor:
        """The same number as another class (no operation)."""
        if value.type.kind is kind:
            return value
        type_ = TensorType(value.type.dtype, value.type.shape, kind)
        result = Tensor(self.contents(value), type_, self.loc, size=value.size, bits=value.bits)
        result.steps, result.needs = value.steps, value.needs
        return result

    def constant(self, array: np.ndarray, kind: Kind = Kind.ARRAY) -> Tensor:
        """A new array (or number) with known contents."""
        shape = tuple(dim(n) for n in array.shape)
        size = None
        if kind is Kind.PYTHON and array.dtype == INT64:
            size = dim(int(array))
        value = np.array(array, copy=True)
        value.flags.writeable = False
        return Tensor(Const(value), TensorType(array.dtype, shape, kind), self.loc, size)

    def copied(self, value: Tensor) -> Tensor:
        """A new array with the same contents."""
        type_ = TensorType(value.type.dtype, value.type.shape, Kind.ARRAY)
        return Tensor(self.contents(value), type_, self.loc)

    def alias_of(self, value: Tensor) -> Tensor:
        """Another array object that shares all of a value's memory (`x[:]`, `x.view()`)."""
        result = self.copied(value)
        result.view = ContiguousView(value, self.copied, lambda base, contents: contents, self.contents(value))
        return result

    def dimension(self, value: Tensor, axis: int) -> Value:
        """The size of one axis as a Python int.

        One that is a dim of an argument, too, is read there, so that loops need not ask again.
        """
        size = self.facts.resolve(value.type.shape[axis])
        if size.constant is not None:
            return Static(size.constant)
        source, source_axis = self.dim_sources().get(size, (value, axis))
        result = self.op("dim", source, axis=source_axis, kind=Kind.PYTHON)
        result.size, result.bits = size, 48
        return result

    def dim_sources(self) -> dict[Dim, tuple[Tensor, int]]:
        """For each dim of an argument: an argument and the axis that has it."""
        arrays = [a for a in self.arguments if isinstance(a, Tensor)]
        arrays += self.columns
        if self._dim_sources[0] != len(arrays):
            found: dict[Dim, tuple[Tensor, int]] = {}
            for array in arrays:
                for axis, size in enumerate(array.type.shape):
                    found.setdefault(size, (array, axis))
            self._dim_sources = (len(arrays), found)
        return self._dim_sources[1]

    def broadcast(self, value: Tensor, like: Tensor) -> Tensor:
        """A value broadcast to another's shape."""
        if value.type.shape == like.type.shape:
            return self.copied(value)
        extra = value.rank - like.rank
        if extra > 0:
            value = self.op("squeeze", value, axes=tuple(range(extra)))
        dims = [self.dimension(like, axis) for axis in range(like.rank)]
        return self.op("broadcast_to", value, *dims)

    # ------------------------------------------------------------ captured objects

    def lift(self, value: Any, path: tuple[Any, ...] = ()) -> Value:
        """A live Python object as a value."""
        return entries.lift(self, value, path)

    def is_captured_array(self, value: Static) -> bool:
        return isinstance(value.value, np.ndarray)

    def captured_array(self, value: Static) -> Tensor:
        """A captured array as an input of the graph."""
        from graph_program.extract.stage.machine.memory.captured_arrays import captured_array

        return captured_array(self, value)

    def is_captured(self, tensor: Tensor) -> bool:
        return any(t is tensor for _, t in self.captured.values())

    def global_names(self) -> dict[str, Any]:
        """The module globals of the function being evaluated."""
        frame = self.frame
        while frame is not None and frame.parent is not None:
            frame = frame.parent
        return frame.python.__globals__ if frame is not None and frame.python is not None else {}

    # ------------------------------------------------------------ run-time errors

    def check(self, bad: Value, exception: type[BaseException], *message: Any) -> None:
        """Raise an exception where `bad` (a bool scalar) holds; a static one is decided now."""
        if isinstance(bad, Static):
            if bad.value:
                self.raise_(exception, message)
            return
        entries.fail_where(self, bad, exception_values.with_message(exception, message))

    def limit(
        self,
        bad: Value,
        code: str,
        message: str,
        *,
        hint: str = "",
        cls: type[diagnostics.LimitError] = diagnostics.LimitError,
    ) -> None:
        """End the call where `bad` holds: Python goes on there, and no `except` of the program sees it."""
        self.check(bad, cls, Static(Diagnostic(code, message, self.loc, hint=hint)))

    def raise_(self, exception: type[BaseException], message: tuple[Any, ...] | None) -> NoReturn:
        """Raise an exception: what is evaluated fails whenever it is reached, which is worth telling."""
        from graph_program.extract.stage.machine.checks.certain_failures import note_failure

        if not handlers.is_caught(self, exception):
            note_failure(self, exception, message or ())
        entries.fail(self, exception_values.with_message(exception, message))

    @contextmanager
    def collect(self) -> Iterator[list[residual.Stmt]]:
        """Gather what is emitted inside into a list of its own."""
        outer, inner = self.out, []  # type: tuple[list[residual.Stmt], list[residual.Stmt]]
        self.out = inner
        try:
            yield inner
        finally:
            self.out = outer
