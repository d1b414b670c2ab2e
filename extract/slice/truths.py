"""Truth values from the host of which only the truth matters: NumPy's bool does for a declared `bool` there.

    if gate.passes(z): ...          # def passes(self, z) -> bool: return z > 0
    ok[i] = gate.passes(z)

Where a branch, a loop or `not` asks for it, or it goes into an array, `np.True_` and `True` are the same.  Where it is
computed with (`~`, `+`), given back or merged with other values for that, they are not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from graph_program.extract.ir import residual
from graph_program.extract.ir.residual import Op, Operand
from graph_program.extract.slice.statements import hosts_in, read_by, walk
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, Kind

NEGATIONS = frozenset(["invert", "logical_not"])
"""What gives a Python bool for either."""
KEEPING = frozenset(["bitwise_and", "bitwise_or", "cast"])
"""What gives a value for whose class the same question is asked."""


def with_truths(program: residual.Program) -> residual.Program:
    """The program whose steps know which of the bools that they tell are only asked for their truth."""
    told = [stmt for stmt in hosts_in(program.body) if PY_BOOL in program.host[stmt.step].receives]
    if not told:
        return program
    exact = _exact(program)
    steps = list(program.host)
    for stmt in told:
        step = program.host[stmt.step]
        slots = {i for i, name in enumerate(stmt.receives) if step.receives[i] == PY_BOOL and name not in exact}
        steps[stmt.step] = replace(step, truths=frozenset(slots))
    for stmt in told:  # one step may stand in several places
        step = steps[stmt.step]
        steps[stmt.step] = replace(step, truths=frozenset(i for i in step.truths if stmt.receives[i] not in exact))
    return replace(program, host=steps)


def _exact(program: residual.Program) -> set[str]:
    """The variables whose class matters."""
    found = {name for name in program.outputs if isinstance(name, str)}
    sources = defaultdict[str, set[str]](set)
    for stmt in walk(program.body):
        match stmt:
            case Op(target, op, args):
                if op in KEEPING and program.types[target].kind is Kind.PYTHON:
                    sources[target].update(_names(args))
                elif not _asks_for_truth(program, stmt):
                    found.update(_names(args[1:] if op == "where" else args))
            case residual.Copy() | residual.Effect():
                for target, source in zip(stmt.targets, stmt.sources, strict=True):
                    sources[target].update(_names([source]))
            case residual.If():
                pass
            case residual.Check() | residual.SizeCheck() | residual.OperationCheck():
                found.update(_names(stmt.args))
            case _:
                found.update(_names(read_by(stmt)))
    work = [name for name in found if name in sources]
    while work:
        new = sources.pop(work.pop(), set()) - found
        found |= new
        work += [name for name in new if name in sources]
    return found


def _asks_for_truth(program: residual.Program, op: Op) -> bool:
    """Whether an operation gives the same for either class: a negation, or what puts elements into an array."""
    type_ = program.types[op.target]
    if type_.kind is not Kind.ARRAY:
        return op.op in NEGATIONS and type_ == PY_BOOL
    into = any(program.types[name].kind is Kind.ARRAY for name in _names(op.args))
    return into or op.op == "expand_dims"


def _names(operands: Iterable[Operand]) -> list[str]:
    return [operand for operand in operands if isinstance(operand, str)]


__all__ = ["with_truths"]
