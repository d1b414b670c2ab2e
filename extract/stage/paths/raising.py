"""Where exceptions go: to the handler of a `try` around, else out of the program.

    try:                                    block handler:
        y = d[k] // n           ->              if equal(n, 0): ...; leave handler
    except ZeroDivisionError:                   ...
        ...

Which classes a point can raise is known at extraction, so a `try` statement around that catches it is
found then, and the failure is a jump.  Where none does, a failure is a `Check` or ends the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from graph_program.extract.diagnostics import GraphProgramError, LimitError
from graph_program.extract.ir import errors, residual
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.checks import lengths
from graph_program.extract.stage.machine.checks.size_facts import require, size_clauses
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.handlers import Clause, Scope, handler_of, way_out
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import leave
from graph_program.extract.stage.machine.signals import Needed, SplitNeeded, StaticNeeded, Unreachable
from graph_program.extract.stage.machine.state import RETURN, Frame
from graph_program.extract.stage.paths.narrowing import narrow
from graph_program.extract.stage.paths.several import each_case
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.exception_values import ExceptionObject, inside, with_message
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.inside import has_fields
from graph_program.extract.stage.values.questions import is_false, is_known, is_true, one_or_many
from graph_program.extract.stage.values.structure import class_name, describe, is_host, text_parts
from graph_program.extract.stage.values.values import Ref, Static, Tensor, Text, Tuple, Value, is_numeric, type_of

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine
    from graph_program.extract.types.tensors.tensor_type import TensorType


def _leaving_generators(m: Machine, error: ExceptionObject) -> ExceptionObject:
    """What an exception is outside the generators that it leaves (PEP 479)."""
    if way_out(m, error.cls)[0] is error.cls:
        return error
    return ExceptionObject(RuntimeError, (Static("generator raised StopIteration"),), cause=error)


# ---------------------------------------------------------------- failing


@entries.fail.given
def fail(m: Machine, error: ExceptionObject, explicit: bool = False) -> NoReturn:
    error = _leaving_generators(m, error)
    _fail(m, error if issubclass(error.cls, LimitError) else entries.in_context(m, error), explicit)


def _fail(m: Machine, error: ExceptionObject, explicit: bool) -> NoReturn:
    found, context = handler_of(m, error.cls), error.context
    uncaught = found is None or found[0].is_program
    if error.on_host or (uncaught and context is not None and context.on_host):
        entries.raise_on_host(m, error)
    if uncaught and context is not None and len(context.cases) > 1:
        each = {case.exception: replace(context, cases=(replace(case, conditions=()),)) for case in context.cases}
        each_case.for_each(m, context.cases, lambda one: _fail(m, replace(error, context=each[one]), explicit))
    elif found is None:
        number, args = error_number(m, error, explicit)
        m.emit(residual.Raise(number, args, loc=m.loc))
    elif uncaught:
        number, args = error_number(m, error, explicit)
        _depart(m, *found, residual.Check(residual.TRUE, number, args, loc=m.loc))
    else:
        jump(m, error, *found)
    m.state = None
    raise Unreachable


@entries.fail_where.given
def fail_where(m: Machine, bad: Value, error: ExceptionObject) -> None:
    error = _leaving_generators(m, error)
    found = handler_of(m, error.cls)
    if found is None and (not m.tries.handling or issubclass(error.cls, LimitError)):
        number, args = error_number(m, error)
        m.emit(residual.Check(m.operand(bad), number, args, loc=m.loc))
    else:
        end_where(m, bad, lambda: error)
    narrow(m.live, bad, holds=False)


@entries.end_where.given
def end_where(m: Machine, bad: Value, error: Callable[[], ExceptionObject]) -> None:
    if is_false(bad):
        return
    if is_true(bad):
        fail(m, error())
    outer, test = m.live, m.operand(bad)
    with m.collect() as ending:
        m.state = outer.copy()
        m.state.reach = None
        with suppress(Unreachable):
            fail(m, error())
    m.state = outer
    if not isinstance(ending[-1], residual.Raise):
        outer.reach = None
    m.emit(residual.If(test, ending, [], loc=m.loc))


def jump(m: Machine, error: ExceptionObject, scope: Scope, clause: Clause) -> None:
    """Leave for a handler, in the state as it is here."""
    raised = error if error.raised is not None else _kept(m, error)
    m.live.frames[scope.frame.id][scope.held] = raised
    _depart(m, scope, clause)


def _depart(m: Machine, scope: Scope, clause: Clause, error: residual.Check | None = None) -> None:
    """Leave for the end of a `try`, or with an error that of the program; functions on the way are left, too."""
    # What is under `with` is called by the one that has a context manager's `try`.
    frame, around = m.frame, {scope.frame, *scope.frame.callers()}
    while frame is not None and frame not in around:
        if not frame.escapes:
            m.live.frames.pop(frame.id, None)
        frame = frame.caller
    if scope.is_program:
        forget_locals(m, scope.frame)
    leave(m, clause.label, error)


def forget_locals(m: Machine, frame: Frame) -> None:
    """Leave only the result of the program's names, at an end of it: nobody reads the others any more.

    Merged with those of other ends, some would be given to the host for that alone.
    """
    names = m.live.frames[frame.id]
    m.live.frames[frame.id] = {RETURN: names[RETURN]} if RETURN in names else {}


def _kept(m: Machine, error: ExceptionObject) -> ExceptionObject:
    """The exception with its values in variables that a handler can read, whatever else leads there."""

    args = tuple(_kept_value(m, a) for a in error.args)
    keywords = tuple((k, _kept_value(m, v)) for k, v in error.keywords)
    error = entries.initialized(m, replace(error, args=args, keywords=keywords, raised=m.loc))
    if error.instance is not None:
        fields = m.live.heap[error.instance]
        m.live.heap[error.instance] = {name: _kept_value(m, value) for name, value in fields.items()}
    return error


@generic
def _kept_value(m: Machine, value: Value) -> Value:
    """A value of an exception in variables of its own."""
    return value


@_kept_value.of(Tensor)
def _kept_number(m: Machine, value: Tensor) -> Value:
    if not isinstance(value.operand, str):
        return value
    name = m.fresh("raised", value.type)
    m.emit(residual.Copy([name], [m.operand(value)], loc=m.loc))
    return Tensor(name, value.type, m.loc)


@_kept_value.of(Text)
def _kept_text(m: Machine, value: Text) -> Value:
    return Text(tuple(p if isinstance(p, str) else (_kept_value(m, p[0]), *p[1:]) for p in value.parts))


_kept_value.register(Tuple, lambda m, value: Tuple(tuple(_kept_value(m, v) for v in value.elts), value.cls))


# ---------------------------------------------------------------- errors of the program


@entries.error_number.given
def error_number(
    m: Machine, error: ExceptionObject, explicit: bool = False
) -> tuple[int, tuple[residual.Operand, ...]]:
    catalogue = _Catalogue(m)
    explicit = explicit or error.explicit
    m.report.errors.append(replace(catalogue.info(error), after_writes=_has_written(m), explicit=explicit))
    return len(m.report.errors) - 1, tuple(catalogue.operands)


def _has_written(m: Machine) -> bool:
    """Whether the program may have written something of the caller's by now."""
    if m.rows.given:  # objects in tables
        return True
    objects = m.outside.objects.items()
    return any(map(m.is_written, m.outside.arrays)) or any(m.live.heap.get(ref) is not held for ref, held in objects)


class _Catalogue:
    """Writes exceptions down, and collects the values in them."""

    def __init__(self, m: Machine):
        self.m = m
        self.operands: list[residual.Operand] = []
        self.types: list[TensorType] = []

    def info(self, error: ExceptionObject) -> errors.ErrorInfo:
        own = self._own(error)
        args = tuple(_argument(self, value) for value in error.args)
        keywords = tuple((name, _argument(self, value)) for name, value in error.keywords)
        cause = error.cause
        context = self._context(error)
        behind = None
        if isinstance(cause, ExceptionObject):
            same = error.context is not None and error.context.has(cause)
            behind = context if same and context is not None else self.info(cause)
        loc = error.raised or self.m.loc
        types = tuple(self.types)
        return errors.ErrorInfo(error.cls, args, loc, types, keywords, cause is not None, behind, context, own=own)

    def _own(self, error: ExceptionObject) -> errors.OwnContents | None:
        """What the class's own code makes of an exception; None where there is none, or only the class can say it."""
        m, before, count = self.m, Checkpoint(self.m), len(self.operands)
        try:
            error = entries.initialized(m, error)
            text = entries.own_text_of(m, error)
            if error.instance is None and text is None:
                return None
            own = self._contents(error, text)
            if (len(m.host.steps), len(m.host.effects)) == (before.host_steps, before.effects):
                return own
        except (GraphProgramError, Needed, StaticNeeded, SplitNeeded):
            pass  # whoever has the class calls it
        before.restore()
        del self.operands[count:], self.types[count:]
        return None

    def _contents(self, error: ExceptionObject, text: Value | None) -> errors.OwnContents:
        fields = {} if error.instance is None else dict(self.m.live.heap[error.instance])
        args = one_or_many(fields.pop("args", Tuple(error.args)))
        own_text = None if text is None else self.text(Text(text_parts(text)))
        return errors.OwnContents(tuple(_argument(self, v) for v in args), tuple(self._fields(fields)), own_text)

    def _fields(self, fields: Mapping[str, Value]) -> Iterator[tuple[str, errors.Argument]]:
        """The fields that an exception can have with it."""
        for name, value in fields.items():
            with suppress(GraphProgramError):
                yield name, _argument(self, value)

    def _context(self, error: ExceptionObject) -> errors.ErrorInfo | None:
        """What was being handled, where that is one exception of the graph's own."""
        context = error.context
        if context is None or context.on_host or len(context.cases) > 1:
            return None
        found = self.info(context.cases[0].exception)
        return replace(found, loc=inside(found.loc, context.outside))

    def object(self, value: Value, cls: type, contents: Iterable[tuple[str, Value]]) -> errors.ObjectArgument:
        text, shown = (self._text_of(value, conversion) for conversion in ("s", "r"))
        fields = tuple((name, _argument(self, v)) for name, v in contents)
        return errors.ObjectArgument(cls, fields, text, shown)

    def _text_of(self, value: Value, conversion: str) -> errors.TextArgument:
        text = Text(entries.message_value(self.m, value, conversion, ""))
        if is_host(*text.computed):
            what = f"a {class_name(value)} whose text is made on the host cannot be put into an exception"
            raise self.m.error("GP343", what, hint="give the exception the text: str(...)")
        return self.text(text)

    def text(self, value: Text) -> errors.TextArgument:
        return errors.TextArgument(tuple(p if isinstance(p, str) else self._piece(*p) for p in value.parts))

    def _piece(self, value: Value, conversion: str, specification: str) -> errors.Piece:
        return self.value(value), conversion, specification

    def value(self, value: Value) -> int:
        type_: TensorType
        if isinstance(value, Ref):
            value, type_ = self._rows(value)
        elif is_numeric(value):
            type_ = type_of(value)
        else:
            raise _not_told(self.m, value)
        told = self.m.operand(value), type_
        known = list(zip(self.operands, self.types, strict=True))
        if told in known:
            return known.index(told)
        self.operands.append(told[0])
        self.types.append(type_)
        return len(known)

    def _rows(self, value: Ref) -> tuple[Tensor, errors.RowsType]:
        """A list of computed length as an array."""
        contents = self.m.live.heap[value]
        assert isinstance(contents, Growing)
        found = lengths.stacked_number(contents)
        if found is None:
            entries.known_items(self.m, contents, "give its numbers one by one")
            raise AssertionError(contents)
        leaf, data = found
        return data, errors.RowsType(data.type.dtype, data.type.shape, cls=value.cls, element=leaf.type)


@generic
def _argument(catalogue: _Catalogue, value: Value) -> errors.Argument:
    """An argument of an exception as the catalogue has it."""
    raise _not_told(catalogue.m, value)


def _not_told(m: Machine, value: Value) -> GraphProgramError:
    text = f"a {describe(value)} cannot be put into an exception"
    return m.error("GP343", text, hint="give its numbers one by one")


_argument.register(Tensor, lambda catalogue, value: errors.ValueArgument(catalogue.value(value)))
_argument.register(Text, lambda catalogue, value: catalogue.text(value))


@_argument.of(Static)
def _of_known(catalogue: _Catalogue, value: Static) -> errors.Argument:
    is_text = type(value.value) is str
    return errors.TextArgument((value.value,)) if is_text else errors.ConstantArgument(value.value)


@_argument.of(Tuple)
def _of_tuple(catalogue: _Catalogue, value: Tuple) -> errors.Argument:
    if value.cls is None:
        return errors.SequenceArgument(tuple, tuple(_argument(catalogue, v) for v in value.elts))
    names: Sequence[str] = value.cls._fields  # type: ignore[attr-defined]
    return catalogue.object(value, value.cls, zip(names, value.elts, strict=True))


@_argument.of(Ref)
def _of_object(catalogue: _Catalogue, value: Ref) -> errors.Argument:
    if not has_fields(value, catalogue.m.live.heap):
        return _argument.declared(catalogue, value)
    return catalogue.object(value, value.cls, entries.contents_of(catalogue.m, value).items())


@_argument.of(Ref, holding=(list, tuple))
def _of_sequence(catalogue: _Catalogue, value: Ref) -> errors.Argument:
    if lengths.has_computed_length(catalogue.m, value):
        return errors.ValueArgument(catalogue.value(value))
    inside = entries.contents_of(catalogue.m, value)
    return errors.SequenceArgument(value.cls, tuple(_argument(catalogue, v) for v in inside))


def check(m: Machine, bad: Value, error: type[BaseException], *text: str | Value) -> None:
    """Raise `error` where `bad` holds; sizes in the text are shown as numbers."""
    clauses = size_clauses(bad)
    if clauses is not None:
        require(m, clauses, error, text, bad)
        return
    if is_known(bad):
        m.check(bad, error, *text)
        return
    end_where(m, bad, lambda: with_message(error, text))
    narrow(m.live, bad, holds=False)


def shape_text(sizes: Sequence[Value], comma: str = ",") -> list[str | Value]:
    """A shape as NumPy prints it in messages, in parts; `comma` as Python prints tuples where it is ", "."""
    text: list[str | Value] = ["("]
    for i, size in enumerate(sizes):
        text += [size, comma if i + 1 < len(sizes) else "," if len(sizes) == 1 else ""]
    return [*text, ")"]
