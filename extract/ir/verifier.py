"""What residual programs and graphs must be; between passes, the tests hold every program to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.extract.ir import libraries, residual
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.host import EXCHANGE, HOST_OPS, WAIT
from graph_program.extract.ir.models import CALL, OBJECT, OPERATIONS, RESULT, Model
from graph_program.extract.ir.residual import Const, Operand, Program
from graph_program.extract.types.tensors.tensor_type import BOOL, INT64, TensorType, carrier
from graph_program.tensor_api.opdef import OPS


class VerificationError(AssertionError):
    """A program that breaks a rule of its form: a bug of the stage that made it."""


def require(condition: bool, message: str) -> None:
    if not condition:
        raise VerificationError(message)


def _verify_call(op: str, count: int, attrs: Mapping[str, Any], where: str) -> None:
    if op in OPERATIONS:
        _verify_model_call(op, count, attrs, where)
        return
    if op in libraries.OPERATIONS:
        require(not attrs, f"{where}: {op} takes arrays alone")
        return
    require(op in OPS, f"{where}: no operation is called {op}")
    operands = OPS[op].operands
    variadic = bool(operands) and operands[-1].startswith("*")
    least = len(operands) - variadic
    fits = count >= least if variadic else count == least
    require(fits, f"{where}: {op} takes {' '.join(operands)}, got {count}")
    require(set(attrs) == set(OPS[op].attrs), f"{where}: {op} has attributes {OPS[op].attrs}, got {[*attrs]}")


def _verify_model_call(op: str, count: int, attrs: Mapping[str, Any], where: str) -> None:
    """A call takes what the model does, and a result is one of a call's."""
    if op == CALL:
        model = attrs.get("model")
        require(isinstance(model, Model) and len(model.inputs) == count, f"{where}: no model takes {count} operands")
    else:
        require(count == 1 and [*attrs] == ["number"], f"{where}: a result is one of a call")


# ---------------------------------------------------------------- residual


def verify_residual(program: Program) -> None:
    """Raise `VerificationError` unless a residual program is well formed.

    Variables are assigned before they are read: those of operations on every path, merge variables
    on some path.  Only merge variables are assigned by copies.  Copies keep dtype and rank, labels
    are those of enclosing blocks, tests and counts are scalars.
    """
    _ResidualVerifier(program).run()


class _ResidualVerifier:
    def __init__(self, program: Program):
        self.program = program
        self.merged: set[str] = set()
        self.count = Counter[str]()
        _collect(program.body, self.count, self.merged)

    def run(self) -> None:
        program = self.program
        for name, count in self.count.items():
            require(name in program.types, f"{name} has no type")
            require(count == 1 or name in self.merged, f"{name} is assigned by {count} operations")
        defined = {*program.inputs, *self.merged}
        end = self.statements(program.body, defined, {})
        require(len(program.outputs) == len(program.output_names), "outputs and their names differ in number")
        if end is not None:
            for output in program.outputs:
                self.read(output, end, "output")

    def type(self, operand: Operand) -> TensorType | None:
        return None if isinstance(operand, Const) else self.program.types[operand]

    def dtype_and_rank(self, operand: Operand) -> tuple[np.dtype, int]:
        if isinstance(operand, Const):
            return operand.value.dtype, operand.value.ndim
        type = self.program.types[operand]
        return type.dtype, type.rank

    def read(self, operand: Operand, defined: set[str], where: str) -> None:
        if not isinstance(operand, Const):
            require(operand in self.program.types, f"{where}: {operand} has no type")
            require(operand in defined, f"{where}: {operand} may be read before it is assigned")

    def scalar(self, operand: Operand, dtype: np.dtype, defined: set[str], where: str) -> None:
        self.read(operand, defined, where)
        require(self.dtype_and_rank(operand) == (dtype, 0), f"{where}: {operand} is not a scalar {dtype}")

    def statements(
        self, body: list[residual.Stmt], defined: set[str], labels: dict[str, list[set[str]]]
    ) -> set[str] | None:
        """The variables that are assigned behind `body`; None if control does not get there."""
        here: set[str] | None = set(defined)
        for stmt in body:
            if here is None:
                return None
            here = self.statement(stmt, here, labels)
        return here

    def statement(self, stmt: residual.Stmt, here: set[str], labels: dict[str, list[set[str]]]) -> set[str] | None:
        where = f"{stmt.loc}: {type(stmt).__name__}"
        match stmt:
            case residual.Op(target, op, args, attrs):
                _verify_call(op, len(args), attrs, where)
                for arg in args:
                    self.read(arg, here, where)
                here.add(target)
            case residual.Copy() | residual.Effect():
                self.copy(stmt, here, where)
            case residual.Host(step, objects, sends, results, receives):
                self.host(step, objects, sends, here, where)
                here.update(results, receives)
            case residual.If(test, body, orelse):
                self.scalar(test, BOOL, here, where)
                return _join([self.statements(arm, here, labels) for arm in (body, orelse)])
            case residual.Loop():
                return self.loop(stmt, here, labels, where)
            case residual.Block(label, body):
                require(label not in labels, f"{where}: label {label} is that of an enclosing block")
                exits: list[set[str]] = []
                end = self.statements(body, here, {**labels, label: exits})
                return _join([end, *exits])
            case residual.Leave(label):
                require(label in labels, f"{where}: no enclosing block is called {label}")
                labels[label].append(here)
                return None
            case residual.Check(bad, error, args):
                self.scalar(bad, BOOL, here, where)
                self.error(error, args, here, where)
            case residual.SizeCheck(body, bad, error, args):
                inside = self.statements(body, {*self.program.inputs}, {})
                require(inside is not None, f"{where}: its body ends")
                self.scalar(bad, BOOL, inside or set(), where)
                self.error(error, args, inside or set(), where)
            case residual.OperationCheck(body, bad, report, error, args):
                inside = self.statements(body, here, {})
                require(inside is not None, f"{where}: its body ends")
                self.scalar(bad, BOOL, inside or set(), where)
                reported = self.statements(report, inside or set(), {})
                self.error(error, args, reported or set(), where)
            case residual.Raise(error, args):
                self.error(error, args, here, where)
                return None
        return here

    def copy(self, stmt: residual.Copy | residual.Effect, here: set[str], where: str) -> None:
        require(len(stmt.targets) == len(stmt.sources), f"{where}: unequal numbers")
        require(len(set(stmt.targets)) == len(stmt.targets), f"{where}: a target appears twice")
        for target, source in zip(stmt.targets, stmt.sources, strict=True):
            self.read(source, here, where)
            same = self.dtype_and_rank(target) == self.dtype_and_rank(source)
            require(same, f"{where}: {target} and {source} differ in dtype or rank")
        here.update(stmt.targets)

    def host(
        self, number: int, objects: tuple[Operand, ...], sends: tuple[Operand, ...], here: set[str], where: str
    ) -> None:
        require(0 <= number < len(self.program.host), f"{where}: there is no host step {number}")
        step = self.program.host[number]
        require(len(step.sends) == len(sends), f"{where}: {len(step.sends)} values are sent, got {len(sends)}")
        for operand in objects:
            self.scalar(operand, INT64, here, where)
        for operand, type in zip(sends, step.sends, strict=True):
            self.read(operand, here, where)
            same = self.dtype_and_rank(operand) == (type.dtype, type.rank)
            require(same, f"{where}: {operand} differs from {type} in dtype or rank")

    def loop(
        self, stmt: residual.Loop, here: set[str], labels: dict[str, list[set[str]]], where: str
    ) -> set[str] | None:
        inside = set(here)
        if stmt.trips is not None:
            self.scalar(stmt.trips, INT64, here, where)
        if stmt.counter is not None:
            inside.add(stmt.counter)
        self.statements(stmt.body, inside, labels)
        return here if stmt.trips is not None else None

    def error(self, number: int, args: tuple[Operand, ...], here: set[str], where: str) -> None:
        errors = self.program.errors
        require(0 <= number < len(errors), f"{where}: there is no error {number}")
        types = errors[number].arg_types
        require(len(types) == len(args), f"{where}: error {number} has {len(types)} arguments, got {len(args)}")
        for arg, type in zip(args, types, strict=True):
            self.read(arg, here, where)
            same = self.dtype_and_rank(arg) in ((type.dtype, type.rank), (carrier(type).dtype, type.rank))
            require(same, f"{where}: {arg} differs from {type} in dtype or rank")


def _join(paths: list[set[str] | None]) -> set[str] | None:
    reached = [path for path in paths if path is not None]
    return set.intersection(*reached) if reached else None


def _collect(body: list[residual.Stmt], count: Counter[str], merged: set[str]) -> None:
    """Count the assignments by operations, and find the merge variables."""
    for stmt in body:
        match stmt:
            case residual.Op():
                count[stmt.target] += 1
            case residual.Host():
                count.update([*stmt.results, *stmt.receives])
            case residual.Copy() | residual.Effect():
                merged.update(stmt.targets)
            case residual.If():
                _collect(stmt.body, count, merged)
                _collect(stmt.orelse, count, merged)
            case residual.OperationCheck():
                _collect([*stmt.body, *stmt.report], count, merged)
            case residual.Loop() | residual.Block() | residual.SizeCheck():
                _collect(stmt.body, count, merged)


# ---------------------------------------------------------------- graph


def verify_graph(program: GraphProgram, unread: bool = False) -> None:
    """Raise `VerificationError` unless a graph is well formed.

    Values are defined once, before they are read, under unique names; operations are known and get
    the operands and attributes they are declared with; regions have the right numbers and types of
    parameters and results (dtype and rank; dims may be less precise).

    With `unread`, operations do not read placeholders.  That holds for a graph fresh from its regions;
    later, folding may show that an arm cannot be taken which still stands there.
    """
    _GraphVerifier(unread).graph(program.graph, set(), "graph")
    results = len(program.output_names)
    errors = len(program.errors)
    require(len(program.error_args) == errors, "an error has no list of arguments")
    arguments = len({index for indices in program.error_args for index in indices})
    expected = results + (1 if errors else 0) + arguments + (1 if program.host else 0)
    require(len(program.graph.outputs) == expected, f"{expected} outputs expected")
    if errors:
        _same(program.graph.outputs[results].type, TensorType(INT64), "error number")
        for info, indices in zip(program.errors, program.error_args, strict=True):
            for type, index in zip(map(carrier, info.arg_types), indices, strict=True):
                _same(program.graph.outputs[index].type, type, "error argument")


class _GraphVerifier:
    def __init__(self, unread: bool) -> None:
        self.unread = unread
        self.names: set[str] = set()
        self.placeholders: set[Value] = set()

    def define(self, value: Value, defined: set[Value], where: str) -> None:
        require(value.name not in self.names, f"{where}: {value.name} is defined twice")
        self.names.add(value.name)
        defined.add(value)

    def graph(self, graph: Graph, outer: set[Value], where: str) -> None:
        """Verify a graph; `outer` is left as it was."""
        local: list[Value] = []
        defined = outer
        for value in graph.inputs:
            self.define(value, defined, where)
            local.append(value)
        for node in graph.nodes:
            place = f"{node.loc}: {node.op}"
            for value in node.inputs:
                require(value in defined, f"{place}: {value.name} is not defined here")
            for region in node.regions:
                self.graph(region, defined, place)
            self.node(node, place)
            for value in node.outputs:
                self.define(value, defined, place)
                local.append(value)
        for value in graph.outputs:
            require(value in defined, f"{where}: output {value.name} is not defined here")
            require(value.type != OBJECT, f"{where}: the call of a model is given as {value.name}")
        defined.difference_update(local)

    def node(self, node: Node, where: str) -> None:
        match node.op:
            case "if":
                _verify_if(node, where)
            case "loop":
                _verify_loop(node, where)
            case "constant":
                value = node.attrs["value"]
                _same(TensorType(value.dtype, tuple(value.shape)), node.outputs[0].type, where)
            case "placeholder":
                sized = len(node.inputs) in (0, node.outputs[0].type.rank)
                require(sized and len(node.outputs) == 1, f"{where}: arity")
                self.placeholders.add(node.outputs[0])
            case op if op in HOST_OPS:
                require(bool(node.inputs) and (len(node.outputs) == 1 or op in (EXCHANGE, WAIT)), f"{where}: arity")
                _same(node.inputs[0].type, TensorType(INT64), where)
            case _:
                _verify_call(node.op, len(node.inputs), node.attrs, where)
                objects = {"inputs": node.op == RESULT, "outputs": node.op == CALL}
                for name, wanted in objects.items():
                    found = any(value.type == OBJECT for value in getattr(node, name))
                    require(found == wanted, f"{where}: calls of models are read by their results alone")
                require(len(node.outputs) == 1 and not node.regions, f"{where}: one output, no regions")
        read = node.inputs[:2] if node.op == "loop" else node.inputs
        for value in read:
            read_for_nothing = self.unread and value in self.placeholders
            require(not read_for_nothing, f"{where}: reads the placeholder {value.name}")


def _verify_if(node: Node, where: str) -> None:
    require(len(node.inputs) == 1 and len(node.regions) == 2, f"{where}: one condition, two regions")
    _same(node.inputs[0].type, TensorType(BOOL), where)
    for region in node.regions:
        require(not region.inputs, f"{where}: a region has parameters")
        _same_lists(region.outputs, node.outputs, where)


def _verify_loop(node: Node, where: str) -> None:
    require(len(node.inputs) >= 2 and len(node.regions) == 1, f"{where}: trips, condition, one region")
    (body,) = node.regions
    trips, condition, *initial = node.inputs
    require(bool(body.inputs) and bool(body.outputs), f"{where}: iteration number and `again`")
    _same(trips.type, TensorType(INT64), where)
    _same(body.inputs[0].type, TensorType(INT64), where)
    _same(condition.type, TensorType(BOOL), where)
    _same(body.outputs[0].type, TensorType(BOOL), where)
    for values in (initial, body.inputs[1:], body.outputs[1:]):
        _same_lists(values, node.outputs, where)


def _same_lists(given: list[Value], expected: list[Value], where: str) -> None:
    require(len(given) == len(expected), f"{where}: {len(given)} values for {len(expected)}")
    for a, b in zip(given, expected, strict=True):
        _same(a.type, b.type, f"{where}: {a.name} as {b.name}")


def _same(given: TensorType, expected: TensorType, where: str) -> None:
    same = given.dtype == expected.dtype and given.rank == expected.rank
    require(same, f"{where}: {given} where {expected} is expected")
