"""Steps on the host, as the program has them: what each is sent and tells, what it may raise and change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.ir import residual, results
from graph_program.extract.ir.host import ERROR, NUMBER, HostStep
from graph_program.extract.ir.residual import Operand
from graph_program.extract.stage.arrays import archives
from graph_program.extract.stage.host.steps import (
    container_effects,
    exception_context,
    host_code,
    host_raising,
    host_scopes,
)
from graph_program.extract.stage.host.steps.program_results import Results
from graph_program.extract.stage.host.values import host_aliasing, host_given
from graph_program.extract.stage.kinds import explicit_iterators
from graph_program.extract.stage.machine.decisions import EVERYWHERE, STEPS
from graph_program.extract.stage.machine.handlers import Scope
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.numbers.host_numbers import object_of
from graph_program.extract.stage.values.values import Host, Static, Tensor, Value, type_of
from graph_program.extract.types.tensors.tensor_type import TensorType


@host_code.step.given
def step(
    m: Machine,
    kind: str,
    args: Sequence[Value],
    keywords: Mapping[str, Value] | None = None,
    *,
    detail: str = "",
    count: int = 1,
    receives: Sequence[TensorType] = (),
    tells: Sequence[int] = (),
    text: str = "",
    explicit: bool = False,
    harmless: bool = False,
    notes: Sequence[Any] | None = None,
    names: Sequence[str] = (),
) -> tuple[list[Host], list[Tensor]]:
    if not m.decided[STEPS]:
        raise Needed(STEPS, [EVERYWHERE])
    args, keywords = _given(m, kind, args, keywords or {})
    container_effects.observe(m, kind, args, keywords, detail, [None] * count if notes is None else notes)
    caught = host_raising.clauses(m) if kind != ERROR else []
    asked = exception_context.current(m, kind, args)
    shares = host_aliasing.of_step(m, kind, args, keywords)
    sends = Sends(m)
    given = tuple(sends.result(a, "argument") for a in args)
    named = tuple((k, sends.result(v, "argument")) for k, v in keywords.items())
    handled = -1 if asked is None else sends.object(asked.number)
    hints = names or [m.hint or _NAMES.get(kind) or detail or "object"] * count
    made, told = _variables(m, hints, [NUMBER] * count), _variables(m, [m.hint or "told"] * len(receives), receives)
    raised = host_raising.variables(m) if caught else ([], [])
    changes = not (harmless or kind in host_code.UNCHANGING)
    described = HostStep(
        kind,
        given,
        named,
        detail,
        count + len(raised[0]),
        (*receives, *(m.types[name] for name in raised[1])),
        tuple(sends.types),
        text or kind,
        m.loc,
        changes,
        tuple(tells),
        explicit,
        tuple(sends.made),
        catches=tuple(clause.classes for _, clause in caught),
        outside=tuple(map(_calls_around, (scope for scope, _ in caught))),
        handled=handled,
        watched=host_aliasing.watched(kind, args),
        lends=changes and host_aliasing.lends(m, kind, args, keywords),
        scope=host_scopes.scope(m),
    )
    number = _emit(m, described, sends, [*made, *raised[0]], [*told, *raised[1]])
    m.host.told.update((name, (number, slot)) for slot, name in enumerate(told))
    if caught:
        host_raising.leave_where_raised(m, caught, raised[0][0], raised[1][0])
    objects = zip(_tensors(m, made), names or [m.hint] * count, strict=True)
    return [Host(v, m.loc, text, name=c, shares=shares) for v, c in objects], _tensors(m, told)


def _emit(m: Machine, described: HostStep, sends: Sends, gives: list[str], says: list[str]) -> int:
    """Put a step into the program; its number."""
    m.host.steps.append(described)
    number = len(m.host.steps) - 1
    m.emit(residual.Host(number, tuple(sends.numbers), tuple(sends.outputs), gives, says, loc=m.loc))
    return number


def _variables(m: Machine, hints: Sequence[str], types: Sequence[TensorType]) -> list[str]:
    """New variables of some types."""
    made = [m.fresh(hint) for hint in hints]
    m.types.update(zip(made, types, strict=True))
    return made


def _tensors(m: Machine, names: Sequence[str]) -> list[Tensor]:
    return [Tensor(name, m.types[name], m.loc) for name in names]


def _given(
    m: Machine, kind: str, args: Sequence[Value], keywords: Mapping[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """Arguments in a form that can be handed over."""
    called = args[0] if kind == "call" else None
    given = [host_given.given(m, a, called) for a in args]
    named = {name: host_given.given(m, v, called) for name, v in keywords.items()}
    if kind not in host_code.UNCHANGING:
        explicit_iterators.handed_over(m, (*given, *named.values()))
    return given, named


def _calls_around(scope: Scope) -> int:
    """How many calls that were inlined are around a `try`."""
    call = scope.frame.call
    return 0 if call is None else len(call.chain)


_NAMES = dict.fromkeys(["binary", "unary", "in_place", "compare"], "value") | {"unpack": "part", "call": "result"}


_NAMES |= {ERROR: "error", "iterate": "iterator", "next": "item", "item": "item", "slice": "slice", "keep": "kept"}


class Sends(Results):
    """What one step is given: expressions over objects on the host and values that the graph sends."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self.arguments_are_outputs = True
        self.numbers: list[Operand] = []
        self.types: list[TensorType] = []
        self.made: list[diagnostics.Loc] = []

    def output(self, value: Value, name: str) -> int:
        if id(value) not in self.shared:
            self.shared[id(value)] = (value, len(self.outputs))
            self.outputs.append(self.m.operand(value))
            self.types.append(self.m.facts.resolve_type(type_of(value)))
            self.made.append(value.loc if isinstance(value, Tensor) else self.m.loc)
        return self.shared[id(value)][1]

    def object(self, number: Value) -> int:
        operand = self.m.operand(number)
        if operand not in self.numbers:
            self.numbers.append(operand)
        return self.numbers.index(operand)

    def result(self, value: Value, name: str) -> results.Result:
        found = object_of(self.m, value)
        if found is not None:
            return results.ObjectResult(self.object(found.number))
        if isinstance(value, Static):
            obj = value.value
            return results.CapturedResult(archives.original(obj)) if _is_live(obj) else results.ConstantResult(obj)
        return super().result(value, name)


def _is_live(value: Any) -> bool:
    """Whether a static object is the very one that the user's code has, not a number or string."""
    return not isinstance(value, str | bytes | int | float | complex | None.__class__)
