"""The machine that the evaluator's parts share: present state, emission, errors, captured values.

The parts (`statements`, `expressions`, `loops`, `calls`, ...) are functions over a `Machine`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeGuard, TypeVar

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.diagnostics import Diagnostic, Label, Loc, Note
from graph_program.extract.ir import residual
from graph_program.extract.ir.residual import Const, Operand
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine import emission, handlers
from graph_program.extract.stage.machine.checks import certain_failures
from graph_program.extract.stage.machine.decisions import Decided
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.memory.captured_arrays import captured_array
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.machine.room_states import (
    ChoiceState,
    HostState,
    IteratorState,
    LoopState,
    Naming,
    OutsideState,
    Report,
    RowsState,
    TryState,
)
from graph_program.extract.stage.machine.state import Exit, Frame, State
from graph_program.extract.stage.values import exception_values
from graph_program.extract.stage.values.questions import is_known, is_known_as
from graph_program.extract.stage.values.sharing import ContiguousView
from graph_program.extract.stage.values.values import Static, Tensor, Value, constant_array, static_type
from graph_program.extract.types.dims import MAX_WEIGHT, Dim, dim, symbol
from graph_program.extract.types.rules.facts import NOTHING, Facts
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import INT64, Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.inference import Inference
    from graph_program.extract.stage.machine.options import Promises

P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class Machine:
    options: Options
    state: State | None = field(default_factory=State)
    """None where control cannot be."""
    frame: Frame | None = None
    node_loc: Loc = diagnostics.UNKNOWN
    out: list[residual.Stmt] = field(default_factory=list)
    host: HostState = field(default_factory=HostState)
    rows: RowsState = field(default_factory=RowsState)
    iterators: IteratorState = field(default_factory=IteratorState)
    loops: LoopState = field(default_factory=LoopState)
    naming: Naming = field(default_factory=Naming)
    choices: ChoiceState = field(default_factory=ChoiceState)
    report: Report = field(default_factory=Report)
    tries: TryState = field(default_factory=TryState)
    outside: OutsideState = field(default_factory=OutsideState)
    types: dict[str, TensorType] = field(default_factory=dict)
    pending: dict[str, list[Exit]] = field(default_factory=dict)
    constants: dict[Any, Tensor] = field(default_factory=dict)
    writes: int = 0  # of arrays, evaluated so far
    hint: str = ""
    """The name that the value being computed will have, if it has one."""
    telling: frozenset[str] = frozenset()
    """Names of dims whose sizes the arguments tell where they are needed."""
    operands: list[list[Value]] = field(default_factory=lambda: [[]])
    """What the expressions that are being evaluated have of their operands so far, the innermost last."""
    hint_name: str = ""
    """The name last read, for messages about values that are not set."""
    inference: Inference | None = None
    """Where types are inferred from uses: the solver, and what it found."""
    promises: Promises | None = None
    """What the annotations of the program's own function promise."""
    operation_checks: list[residual.OperationCheck] = field(default_factory=list)
    """Those of the next operation that may fail."""

    @property
    def decided(self) -> Decided:
        """What evaluations before this one have found to be needed."""
        return self.options.decided

    @property
    def current_frame(self) -> Frame:
        """The frame of the function whose body is being evaluated."""
        assert self.frame is not None
        return self.frame

    @property
    def locals(self) -> dict[str, Value]:
        """The values of its local names."""
        return self.live.frames[self.current_frame.id]

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
        cls: type[diagnostics.GraphProgramError] | None = None,
        hint: str = "",
        notes: tuple[str, ...] = (),
        labels: tuple[Label, ...] = (),
        raised: bool = False,
    ) -> diagnostics.GraphProgramError:
        """The exception to raise for a refusal at the present place.

        What Python raises as well (`raised`) ends the path only, where not every run gets here.
        """
        cls = cls or diagnostics.CLASSES.get(code, diagnostics.UnsupportedError)
        error = cls(Diagnostic(code, message, self.loc, labels, notes, hint))
        if certain_failures.may_be_raised(self, error, raised):
            certain_failures.end_path(self, error)
        return error

    @property
    def inferring(self) -> Inference:
        """The inference, where there are open values."""
        assert self.inference is not None
        return self.inference

    def note(self, note: Note) -> None:
        """Tell something about the program; once, also where code is evaluated several times."""
        if not any(note.same(n) for n in self.report.notes):
            self.report.notes.append(note)

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

    def fresh(self, hint: str = "", type_: TensorType | None = None) -> str:
        """A new residual variable name, after `hint` where there is one; a variable of that type, if one is given."""
        base = hint or self.hint or "t"
        number = self.naming.used.get(base, 0)
        self.naming.used[base] = number + 1
        name = base if number == 0 and base != "t" else f"{base}.{number}"
        if name in self.types:
            return self.fresh(base, type_)
        if type_ is not None:
            self.types[name] = type_
        return name

    def input_name(self, name: str, type_: TensorType) -> str:
        """The name of an input: its own, also where it is called like the temporaries."""
        name = name if name == "t" and name not in self.types else self.fresh(name)
        self.types[name] = type_
        return name

    def fresh_dim(self) -> Dim:
        """A dimension about which nothing is known."""
        if self.inference is not None:
            return self.inference.solver.fresh_dim()
        return symbol(f"d{next(self.naming.dims)}")

    def plain_dim(self, size: Dim) -> Dim:
        """The dim itself, or a symbol for one that has grown past reading."""
        if size.weight <= MAX_WEIGHT:
            return size
        return self.naming.named_dims.setdefault(size, self.fresh_dim())

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
        assert is_known(value)
        return Const(constant_array(self.in_range(value.value)))

    def in_range(self, value: Any) -> Any:
        """A static number, refused where it is a Python int that no int64 can hold."""
        if type(value) is int and not -(2**63) <= value < 2**63:
            raise self.error(
                "GP308",
                f"the integer {value} does not fit in 64 bits",
                hint="Python ints are int64 in a graph; keep it static, or use np.uint64 for what wraps, or a float",
            )
        return value

    def op(self, name: str, *operands: Value, kind: Kind = Kind.ARRAY, hint: str = "", **attrs: Any) -> Tensor:
        """Emit one operation and give its result; see `emission.operation`."""
        return emission.operation(self, name, operands, attrs, kind, hint)

    def type_error(self, error: TypeRuleError, operands: Sequence[Value] = ()) -> diagnostics.GraphProgramError:
        """The diagnostic for operands that do not fit."""
        found = error.error_class(Diagnostic(error.code, str(error), self.loc))
        if certain_failures.may_not_get_here(self) or handlers.is_caught(self, error.python_class):
            certain_failures.end_path(self, found, error.python_class, error.parts, error.arguments, operands)
        return found

    def by_rule(self, rule: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
        """What a rule of types gives; operands that do not fit it are refused."""
        try:
            return rule(*given, **named)
        except TypeRuleError as error:
            raise self.type_error(error) from None

    def by_python(self, function: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
        """What a function gives now; a TypeError is refused in Python's words."""
        try:
            return function(*given, **named)
        except TypeError as error:
            raise self.error("GP302", str(error), raised=True) from None

    def cast(self, value: Value, dtype: np.dtype, kind: Kind | None = None) -> Tensor:
        """A numeric value in another element type (and class); constants are converted now."""
        if is_known(value):
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
        arrays = self.outside.arrays + self.rows.columns
        if self.naming.dim_sources[0] != len(arrays):
            found: dict[Dim, tuple[Tensor, int]] = {}
            for array in arrays:
                for axis, size in enumerate(array.type.shape):
                    found.setdefault(size, (array, axis))
            self.naming.dim_sources = (len(arrays), found)
        return self.naming.dim_sources[1]

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

    def in_graph(self, value: Value) -> Value:
        """A captured array as an input of the graph; any other value as it is."""
        return self.captured_array(value) if self.is_captured_array(value) else value

    def is_captured_array(self, value: Value) -> TypeGuard[Static]:
        return is_known_as(value, np.ndarray)

    def captured_array(self, value: Static) -> Tensor:
        """A captured array as an input of the graph."""
        return captured_array(self, value)

    def is_captured(self, value: Value) -> TypeGuard[Tensor]:
        return any(t is value for _, t in self.outside.captured.values())

    def global_names(self) -> dict[str, Any]:
        """The module globals of the function being evaluated."""
        frame = self.frame
        while frame is not None and frame.parent is not None:
            frame = frame.parent
        return frame.python.__globals__ if frame is not None and frame.python is not None else {}

    # ------------------------------------------------------------ run-time errors

    def check(self, bad: Value, exception: type[BaseException], *message: Any) -> None:
        """Raise an exception where `bad` (a bool scalar) holds; a static one is decided now."""
        if is_known(bad):
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
        if not handlers.is_caught(self, exception):
            certain_failures.note_failure(self, exception, message or ())
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
