"""Trained models in programs: calls are one operation, and one for each result.

prob, state = vad(chunk, state, sr)     ->      (what the sizes have to be)
                                                call = model_call(chunk, state, sr, model=vad)
                                                prob = model_result(call, number=0)
                                                state = model_result(call, number=1)

Sizes of results that have names of the inputs' are those; what only the model says of them is checked.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from graph_program.extract import diagnostics
from graph_program.extract.ir.models import CALL, OBJECT, RESULT, Demand, Known, Model, Port
from graph_program.extract.ir.residual import Const
from graph_program.extract.stage.host.values import host_operands
from graph_program.extract.stage.machine.checks import size_facts
from graph_program.extract.stage.machine.emission import emit_op
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.objects import live_reads
from graph_program.extract.stage.opened.schemes import term_of
from graph_program.extract.stage.operations.known_and_truth import numeric, settled, static, tensor
from graph_program.extract.stage.paths.several import member_numbers
from graph_program.extract.stage.values import structure
from graph_program.extract.stage.values.values import Static, Tensor, Tuple, Value, is_numeric, type_of
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.notation.terms import TypeTerm
from graph_program.extract.types.rules.facts import equal
from graph_program.extract.types.solving.solver import Origin
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType


def call(m: Machine, model: Model, args: Sequence[Value], keywords: dict[str, Value]) -> Value:
    """`model(*args, **keywords)`: an array, or a tuple of arrays."""
    if model.random:
        hint = "export it without; for numbers that repeat, draw them outside and pass them to the model"
        raise m.error("GP616", f"{model.name} has an operator that draws random numbers: {model.random}", hint=hint)
    try:
        given = model.bound(args, keywords)
    except TypeError as error:
        raise m.error("GP320", str(error), raised=True) from None
    if m.inference is not None:
        given = [_closed(m, port, value) for port, value in zip(model.inputs, given, strict=True)]
        if not all(is_numeric(m.in_graph(value)) for value in given):
            return _results(model, [m.inferring.lost(m) for _ in model.outputs])
    operands = [_operand(m, model, port, settled(m, value)) for port, value in zip(model.inputs, given, strict=True)]
    shapes = [m.facts.resolve_type(x.type).shape for x in operands]
    _require(m, model.demands(shapes, dim), operands)
    return _results(model, _computed(m, model, operands, model.named_sizes(shapes)))


def load(m: Machine, function: Callable[[str], Model], args: Sequence[Value], keywords: dict[str, Value]) -> Value:
    """`load_onnx(path)` in a program: the model as its file is now, which later calls look at again."""
    try:
        given = inspect.signature(function).bind(*args, **keywords).args
    except TypeError as error:
        raise m.error("GP320", f"load_onnx() {error}") from None
    named = static(m, given[0], "the path of a model")
    if not isinstance(named, str | os.PathLike):
        raise _wrong(m, f"expected str, bytes or os.PathLike object, not {type(named).__name__}")
    path = os.path.abspath(named)
    state = _state(path)
    live_reads.guard(m, f"load_onnx({path!r})", lambda: _state(path), state)
    try:
        return Static(_loaded(function, path, state))
    except diagnostics.ModelError as error:
        raise diagnostics.ModelError(replace(error.diagnostic, loc=m.loc)) from None


def _state(path: str) -> tuple[int, ...]:
    """What of a file is another one when it is written anew; nothing where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


@functools.lru_cache(4)
def _loaded(function: Callable[[str], Model], path: str, state: tuple[int, ...]) -> Model:
    """A model, once for the evaluations of a program."""
    return function(path)


def _results(model: Model, results: Sequence[Value]) -> Value:
    return results[0] if len(model.outputs) == 1 else Tuple(tuple(results))


def _computed(m: Machine, model: Model, operands: Sequence[Tensor], named: dict[str, Dim]) -> list[Value]:
    """The results of the operation, each a new array."""
    given = tuple(map(m.operand, operands))
    made = emit_op(m, CALL, given, {"model": model}, OBJECT, model.name)
    known = tuple(
        Known.of(m.facts.resolve_type(x.type), operand.value if isinstance(operand, Const) else None)
        for x, operand in zip(operands, given, strict=True)
    )
    results: list[tuple[Port, TensorType, Tensor]] = []
    unknown: dict[str, Dim] = {}
    for number, port in enumerate(model.outputs_of(known)):  # all beside the call, as a check may begin a branch
        shape = tuple(_size(m, said, sure, named, unknown) for said, sure in zip(port.dims, port.sure, strict=True))
        type_ = TensorType(port.dtype, shape)
        hint = m.hint or f"{model.name}.{port.name}"
        results.append((port, type_, emit_op(m, RESULT, (made.operand,), {"number": number}, type_, hint)))
    for port, type_, result in results:
        _require(m, model.promises(port, type_.shape, named, dim), [result])
    return [Tensor(result.operand, m.facts.resolve_type(type_), m.loc) for _, type_, result in results]


def _size(m: Machine, said: int | str | None, sure: bool, named: dict[str, Dim], unknown: dict[str, Dim]) -> Dim:
    """A size of a result, where it is sure; one of which nothing is known else."""
    if not sure or said is None:
        return m.fresh_dim()
    if isinstance(said, int):
        return dim(said)
    return named[said] if said in named else unknown.setdefault(said, m.fresh_dim())


def _require(m: Machine, demands: Iterable[Demand], operands: Sequence[Tensor]) -> None:
    for demand in demands:
        clauses = [] if demand.found == demand.wanted else [equal(demand.found, demand.wanted)]
        size_facts.require(m, clauses, ValueError, demand.message, operands=operands)


def _operand(m: Machine, model: Model, port: Port, value: Value) -> Tensor:
    """An argument as an array of the input's type; what cannot be one is Python's error."""
    value = m.in_graph(member_numbers.number(m, host_operands.told(m, value)))
    if structure.is_host(value):
        value = numeric(m, value, "argument")
    if not is_numeric(value):
        raise _wrong(m, model.wrong_class(port, structure.class_name(value)))
    type_ = type_of(value)
    if type_.kind is not Kind.PYTHON:
        x = tensor(m, value)
    elif model.takes_number(port, type_.python_class):
        x = m.reclassed(arithmetic.convert(m, value, port.dtype), Kind.ARRAY)
    else:
        raise _wrong(m, model.wrong_dtype(port, type_.python_class.__name__))
    if x.type.dtype != port.dtype:
        raise _wrong(m, model.wrong_dtype(port, x.type.dtype.name))
    if x.rank != len(port.dims):
        raise m.error("GP301", model.wrong_rank(port, x.rank), cls=diagnostics.ShapeError, raised=True)
    return x


def _wrong(m: Machine, text: str) -> diagnostics.GraphProgramError:
    return m.error("GP302", text, raised=True)


def _closed(m: Machine, port: Port, value: Value) -> Value:
    """An argument whose type is open is what the input asks for."""
    if is_numeric(value):
        return value

    def relate(origin: Origin) -> None:
        solver = m.inferring.solver
        wanted = TypeTerm(port.dtype, tuple(dim(d) if isinstance(d, int) else solver.fresh_dim() for d in port.dims))
        given = term_of(m, value)
        solver.equal_dtypes(given.dtype, wanted.dtype, origin)
        solver.equal_shapes(given.shape, wanted.shape, origin)

    m.inferring.constrain(m, f"the input {port.name!r} of a model", relate)
    return m.inferring.closed(m, value)
