"""A call of the Python function, and the same call by way of a model file, each on copies of the arguments."""

from __future__ import annotations

import copy
import os
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from inspect import BoundArguments
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

from graph_program.backends.host.results import Tables
from graph_program.backends.host.runner import OnlyRun
from graph_program.backends.host.shim import Shim
from graph_program.backends.onnxruntime.session import RUN_ERRORS
from graph_program.exports.feeds import Feed
from graph_program.extract.diagnostics import CallError, Diagnostic, LimitError, ModelError
from graph_program.extract.ir.errors import ConstantArgument, ErrorInfo
from graph_program.extract.ir.interface import ArgInput, Back, CapturedInput, Interface, RowsBack, State
from graph_program.extract.ir.paths import ROW, Path, follow
from graph_program.extract.ir.results import tables_in
from graph_program.extract.types.tensors.tensor_type import Kind
from graph_program.onnx_program.results import change_fields

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.extract.ir.graph import GraphProgram

Run = Callable[[Feed], dict[str, Any]]


class Written(Protocol):
    """What was written to a file."""

    @property
    def program(self) -> GraphProgram:
        """Its outputs are the file's, in the same order."""

    @property
    def extracted(self) -> GraphProgram:
        """The same with the outputs that a call needs."""

    @property
    def checked(self) -> bool:
        """Whether the file notices operations that fail."""

    @property
    def errors(self) -> Sequence[ErrorInfo]:
        """Those that the file tells of."""


class NotRunAgain(Exception):
    """The call does more than compute, or its arguments cannot be copied."""


@dataclass
class Outcome:
    """What a call has done: its result, or the class of its exception, and the arguments afterwards.

    `limit` is what a program cannot do and Python can.
    """

    arguments: Mapping[str, Any]
    result: Any = None
    error: type[BaseException] | None = None
    limit: LimitError | None = None

    @property
    def everything(self) -> dict[str, Any]:
        """All that can be compared, by name."""
        return {"result": self.result, **self.arguments}


class PlainCall:
    """A call that can be made several times.

    Parameters
    ----------
    calls : Calls
    interface : Interface
    made : Written
    values : mapping of str to object
        The arguments, all but the one that is bound.
    in_a_call : sequence of Back
        What a call of the program changes of the caller's objects, where the model has columns instead.

    Raises
    ------
    NotRunAgain
        Where a second call would be noticed.
    """

    def __init__(
        self,
        calls: Calls,
        interface: Interface,
        made: Written,
        values: Mapping[str, Any],
        in_a_call: Sequence[Back] = (),
    ):
        self.calls = calls
        self.changed = {
            back.path: {field.name: "into" if field.when is None else "set" for field in back.fields}
            for back in in_a_call
            if isinstance(back, RowsBack)
        }
        self.interface = replace(interface, size_tests=(), guards=())  # the file's own concern
        self.made = made
        everything = {calls.callee.bound or "": calls.instance, **values}
        self.arguments = {name: everything[name] for name in calls.callee.signature.parameters}
        if interface.effects or interface.unreported or interface.host is not None:
            raise NotRunAgain
        self.places = _places(made)
        self._copied()

    def _copied(self) -> tuple[dict[str, Any], Interface]:
        """The arguments copied, and the interface with the copies in the place of what the call changes."""
        memo: dict[int, Any] = {id(array): array for array in _only_read(self.interface, self.arguments)}
        try:
            copies = copy.deepcopy(self.arguments, memo)
        except Exception as error:  # whatever a class raises whose objects are not to be copied
            raise NotRunAgain from error
        interface, state = self.interface, self.interface.state
        written = {back.path for back in (*interface.write_backs, *interface.set_backs)}
        captured = [i for i in interface.inputs if isinstance(i, CapturedInput) and i.path in written]
        if any(id(thing) not in memo for thing in (*(o.object for o in state.objects), *(i.array for i in captured))):
            raise NotRunAgain  # it is no part of the arguments
        objects = tuple(replace(owner, object=memo[id(owner.object)]) for owner in state.objects)
        inputs = tuple(replace(i, array=memo[id(i.array)]) if i in captured else i for i in interface.inputs)
        return copies, replace(interface, inputs=inputs, state=State(objects))

    def python(self) -> Outcome:
        """What Python does."""
        copies, _ = self._copied()
        with _plainly():
            try:
                bound = BoundArguments(self.calls.callee.signature, OrderedDict(copies))
                return Outcome(copies, self.calls.fn(*bound.args, **bound.kwargs))
            except ModelError:  # of a model that no session takes: there is nothing to compare with
                raise
            except Exception as error:
                return Outcome(copies, error=type(error))

    def of_file(self, run: Run) -> Outcome:
        """What a call does whose graph is the file; errors of onnxruntime, and of the arguments, are raised."""
        copies, interface = self._copied()
        file = _FileRunner(self.made, self.places, run)
        shim = Shim(self.calls.callee, interface, file)
        given = {path for table in tables_in(interface.result) for path in table.given}
        held = {path: list(_elements(copies[str(path[0])], path[1:])) for path in given}
        with _plainly():
            try:
                result = shim.call(*copies.values())
            except _Raised as raised:
                return Outcome(copies, error=raised.info.exception, limit=_limit(raised.info))
            except CallError:
                raise
            except RUN_ERRORS:
                raise
            except Exception as error:
                return Outcome(copies, error=type(error))
        self._change(held, file.outputs)
        return Outcome(copies, result)

    def _change(self, held: Mapping[Path, Sequence[Any]], outputs: Sequence[Any]) -> None:
        """Give objects of the caller, which the result may have, the attributes that they have in their tables."""
        tables = tables_in(self.interface.result)
        if not tables:
            return
        given = {t.number: [thing for path in t.given for thing in held[path]] for t in tables}
        built = Tables(tables, outputs, given)
        for table in tables:
            ways = [self.changed.get(path, {}) for path in table.given for _ in held[path]]
            for row, (thing, how) in enumerate(zip(given[table.number], ways, strict=True)):
                news = {name: build(row) for name, build in built[table.number][1] if name in how}
                change_fields(thing, news, how)


def _elements(root: Any, steps: Path) -> Iterator[Any]:
    """What is at a place, in each element of the lists on the way there."""
    if ROW not in steps:
        yield follow(root, ("", *steps))
        return
    at = steps.index(ROW)
    for element in follow(root, ("", *steps[:at])):
        yield from _elements(element, steps[at + 1 :])


@contextmanager
def _plainly() -> Iterator[None]:
    """Programs that the function calls run as Python, too, and nothing is told of divisions by zero and the like."""
    variable = "GRAPH_PROGRAM_DISABLE"
    before = os.environ.get(variable)
    os.environ[variable] = "1"
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            yield
    finally:
        if before is None:
            del os.environ[variable]
        else:
            os.environ[variable] = before


def _only_read(interface: Interface, arguments: Mapping[str, Any]) -> Iterator[Any]:
    """Large arrays that no copy is needed of, as nothing is written to them."""
    written = {back.path for back in (*interface.write_backs, *interface.set_backs)}
    for described in interface.inputs:
        if isinstance(described, CapturedInput) and described.path not in written:
            yield described.array
    whole = {i.path[0] for i in interface.inputs if isinstance(i, ArgInput) and i.type.kind is Kind.ARRAY}
    for name, value in arguments.items():
        if name in whole and isinstance(value, np.ndarray) and (name,) not in written:
            yield value


def _places(made: Written) -> list[int]:
    """For each result of the call, where it is among the outputs of the model."""
    given = {value: i for i, value in reversed(list(enumerate(made.program.graph.outputs)))}
    wanted = made.extracted.graph.outputs[: len(made.extracted.output_names)]
    if not given.keys() >= set(wanted):
        raise NotRunAgain  # what only the call itself needs is not in the model
    return [given[value] for value in wanted]


class _Raised(Exception):
    """An error number has been set."""

    def __init__(self, info: ErrorInfo):
        super().__init__(info.exception.__name__)
        self.info = info


def _limit(info: ErrorInfo) -> LimitError | None:
    match info.args:
        case (ConstantArgument(Diagnostic() as told),) if issubclass(info.exception, LimitError):
            return info.exception(told)
    return None


class _FileRunner(OnlyRun):
    """A running model as a shim needs it, that is a file."""

    errors: tuple[type[Exception], ...] = ()

    def __init__(self, made: Written, places: list[int], run: Run):
        self.infos = made.errors
        self.names = ["all"]
        self.inputs = frozenset(value.name for value in made.program.graph.inputs)
        self.error_index = len(places) if self.infos else None
        self.outputs: list[Any] = []
        wanted = [*places, *([len(made.program.output_names)] if self.infos else [])]

        def ran(names: list[str], feed: Feed, options: None) -> list[Any]:
            outputs = list(run(feed).values())
            self.outputs = [outputs[place] for place in wanted]
            return self.outputs

        self.run: Callable[[list[str], Feed, None], list[Any]] = ran

    def fail(self, number: Any, source: Any, given: tuple[Any, ...] = ()) -> NoReturn:
        raise _Raised(self.infos[int(number) - 1])

    def replay(self, error: Exception | None, feed: Mapping[str, Any], given: tuple[Any, ...] = ()) -> NoReturn:
        raise AssertionError("a model checks sizes itself")

    judge: Any = replay


__all__ = ["NotRunAgain", "Outcome", "PlainCall"]
