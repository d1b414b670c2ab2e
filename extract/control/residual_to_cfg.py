"""Residual program to control flow graph: jumps become edges, errors become a variable.

    Check(bad, k, args)         no_error = equal(error, 0)
                                failed = bitwise_and(bad, no_error)
                                error = where(failed, k + 1, error)
                                error_arg = where(failed, args[0], error_arg)

As there is one error at most, all errors share the variables for their arguments.  The first error in
program order wins.  A loop that can be entered with an error recorded also tests `error == 0`: in the
test of a `while`, in the condition of a counted loop, else in a test of its own.  A `while` or counted
loop that ends so goes on behind the loop, as straight code does after a `Check`; other loops have no such
place and go to the exit.

    Check(bad, replayed)        failed = bitwise_or(failed, bad)

What a repeated run tells is no more than a flag, and its number is chosen at the exit.

Where no run can be repeated to explain its failure, as in a model, a check that fails goes to the exit at once, as a
`raise` does: what follows it may make an operation fail.  A program without errors has no error variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from graph_program.extract.control.cfg import (
    BasicBlock,
    Branch,
    Cfg,
    Edge,
    Exit,
    Iterate,
    Jump,
    Terminator,
    remove_unreachable,
)
from graph_program.extract.control.names import Names
from graph_program.extract.control.operation_checks import with_operation_checks
from graph_program.extract.control.size_checks import with_size_checks
from graph_program.extract.control.statements import checked, only_host_ends, told, while_test
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.host import FAILED, HOST, RECEIVE, SEND, STEP
from graph_program.extract.ir.residual import (
    Block,
    Check,
    Const,
    Copy,
    Effect,
    Host,
    If,
    Leave,
    Loop,
    Op,
    Operand,
    Program,
    Raise,
    Stmt,
)
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, TensorType, carrier

ZERO = Const(np.array(0, np.int64))


@dataclass(frozen=True)
class HostPoint:
    """A place between two blocks where a host step runs; the first ends with what it reads, the second begins with
    what it makes and tells."""

    before: int
    after: int
    stmt: Host


def residual_to_cfg(program: Program, points: list[HostPoint] | None = None, alone: bool = False) -> Cfg:
    """The control flow graph of a residual program, not yet in SSA form.

    With `points`, a list that gets all of them, host steps are places between blocks, in no order but that of control.
    With `alone`, no run is repeated to explain its failure; one with host code never is.
    """
    return _Builder(with_size_checks(with_operation_checks(program)), points, alone).run()


class _Builder:
    def __init__(self, program: Program, points: list[HostPoint] | None, alone: bool):
        self.program = program
        self.ends = alone and not program.host
        """Whether a check that fails ends the program: nothing explains what would fail behind it."""
        self.points = points
        self.names = Names([*program.types, *program.inputs, HOST])
        self.types = dict(program.types)
        if program.host:
            self.types[HOST] = PY_INT
        self.blocks: dict[int, BasicBlock] = {}
        self.labels: dict[str, int] = {}
        self.guarded: set[int] = set()
        self.reached: set[int] = set()
        self.may_fail = False
        """Whether a check may have recorded a number by now."""
        self.may_be_flagged = False
        self.current: BasicBlock | None = self.new_block()
        self.exit = self.new_block()
        # What the host has written so far is among the results where an error ends the program.
        self.failed = self.new_block() if program.errors and not program.host else self.exit
        self.host = HOST if program.host and points is None else ""
        self.error = self.variable("error", PY_INT) if program.errors else ""
        replayed = [number for number, info in enumerate(program.errors, 1) if info.replayed]
        self.flag, self.replayed = (self.variable("failed", PY_BOOL), replayed[0]) if replayed else ("", 0)
        self.error_args = self._declare_error_args() if program.errors else []

    def run(self) -> Cfg:
        program = self.program
        if program.errors:
            self._initialise_errors(program.loc)
        self.statements(program.body)
        results = self._results()
        self.go(self.exit.id, program.loc)
        arguments = list(dict.fromkeys(name for names in self.error_args for name in names))
        end = self.exit
        error = [self.error] if program.errors else []
        if self.flag:
            end, error = self.new_block(), [self._told()]
            self.exit.terminator = Jump(Edge(end.id))
        host = [self.host] if self.host else []
        if self.failed is not self.exit:
            self.failed.terminator = Jump(Edge(self.exit.id))
        end.terminator = Exit([*results, *error, *arguments, *host])
        places = {name: i for i, name in enumerate(arguments, len(program.outputs) + 1)}
        indices = [tuple(places[name] for name in names) for names in self.error_args]
        cfg = Cfg(
            name=program.name,
            inputs=[*program.inputs, *host],
            blocks=self.blocks,
            exit=end.id,
            failed=None if self.failed is self.exit else self.failed.id,
            types=self.types,
            output_names=list(program.output_names),
            errors=list(program.errors),
            error_args=indices,
            host=list(program.host),
            keeps_writes=program.keeps_writes,
            loc=program.loc,
        )
        remove_unreachable(cfg)
        return cfg

    def _told(self) -> str:
        """The number of the error that there is in the end; what the flag stands for may have come before another."""
        if not self.flag:
            return self.error
        target = self.variable(self.error, PY_INT)
        number = Const(np.array(self.replayed, np.int64))
        self.exit.body.append(Op(target, "where", (self.flag, number, self.error), {}, loc=self.program.loc))
        return target

    def _results(self) -> Sequence[Operand]:
        """What the program gives; where it has left with an error nobody reads that, but for what the host is told."""
        outputs = self.program.outputs
        if self.failed is self.exit:
            return outputs
        read_by_host = set(told(self.program.body))
        read = [v for v in outputs if isinstance(v, str) and v not in read_by_host]
        results = {name: self.variable("result", self.types[name]) for name in dict.fromkeys(read)}
        if results and self.current is not None:
            self.add(Copy(list(results.values()), list(results), loc=self.program.loc))
        return [results.get(v, v) if isinstance(v, str) else v for v in outputs]

    # ------------------------------------------------------------ blocks

    def new_block(self) -> BasicBlock:
        block = BasicBlock(len(self.blocks))
        self.blocks[block.id] = block
        return block

    def variable(self, base: str, type: TensorType) -> str:
        name = self.names.fresh(base)
        self.types[name] = type
        return name

    def end(self, terminator: Terminator, loc: Loc) -> None:
        """End the current block, if control gets here at all."""
        if self.current is not None:
            self.reached.update(edge.target for edge in terminator.edges)
            self.current.terminator, self.current.loc = terminator, loc
            self.current = None

    def go(self, target: int, loc: Loc) -> None:
        self.end(Jump(Edge(target)), loc)

    def branch(self, test: Operand, then: BasicBlock, orelse: BasicBlock, loc: Loc) -> None:
        self.end(Branch(test, Edge(then.id), Edge(orelse.id)), loc)

    def add(self, item: Op | Copy) -> None:
        assert self.current is not None
        self.current.body.append(item)

    def op(self, base: str, type: TensorType, op: str, *args: Operand, loc: Loc, **attrs: int) -> str:
        target = self.variable(base, type)
        self.add(Op(target, op, args, attrs, loc=loc))
        return target

    # ------------------------------------------------------------ statements

    def statements(self, body: Iterable[Stmt]) -> None:
        for stmt in body:
            if self.current is None:
                return
            match stmt:
                case Op() | Copy():
                    self.add(stmt)
                case If():
                    self._if(stmt)
                case Loop(trips=None):
                    self._loop(stmt)
                case Loop():
                    self._counted(stmt)
                case Block():
                    self._block(stmt)
                case Leave():
                    self.go(self.labels[stmt.label], stmt.loc)
                case Check():
                    self._check(stmt)
                case Effect(targets, sources):
                    self._effect(Copy(targets, sources, loc=stmt.loc))
                case Host():
                    self._host(stmt)
                case Raise():
                    self._record(stmt.error, None, stmt.args, stmt.loc)
                    self.go(self.failed.id, stmt.loc)
                case _:
                    raise TypeError(f"not a residual statement: {stmt!r}")

    def _if(self, stmt: If) -> None:
        test = stmt.test
        if isinstance(test, Const):
            self.statements(stmt.body if bool(test.value) else stmt.orelse)
            return
        if id(stmt) in self.guarded:
            test = self._guarded_test(stmt)
        then, orelse, join = self.new_block(), self.new_block(), self.new_block()
        self.branch(test, then, orelse, stmt.loc)
        for start, arm in ((then, stmt.body), (orelse, stmt.orelse)):
            self.current = start
            self.statements(arm)
            self.go(join.id, stmt.loc)
        self._continue_at(join)

    def _continue_at(self, block: BasicBlock) -> None:
        self.current = block if block.id in self.reached else None

    def _block(self, stmt: Block) -> None:
        after = self.new_block()
        outer = self.labels.get(stmt.label)
        self.labels[stmt.label] = after.id
        self.statements(stmt.body)
        self.go(after.id, stmt.loc)
        if outer is not None:
            self.labels[stmt.label] = outer
        self._continue_at(after)

    # ------------------------------------------------------------ loops

    def _loop(self, stmt: Loop) -> None:
        self._note_checks(stmt)
        head = self._head(stmt)
        if self.may_fail or self.may_be_flagged:
            test = while_test(stmt.body)
            if test is not None and not self.program.host:
                self.guarded.add(id(test))
            else:
                self._only_without_error(stmt.loc)
        elif self.host and self.points is None and only_host_ends(stmt.body):
            body = self.new_block()
            failed = self.op("failed", PY_BOOL, FAILED, self.host, loc=stmt.loc)
            self.branch(failed, self.exit, body, stmt.loc)
            self.current = body
        self.statements(stmt.body)
        self.go(head.id, stmt.loc)

    def _note_checks(self, stmt: Loop) -> None:
        """A round may begin with what an earlier one has recorded."""
        if not self.ends:
            numbers = checked(stmt.body)
            flags = {number for number in numbers if self.program.errors[number].replayed}
            self.may_fail |= bool(numbers - flags)
            self.may_be_flagged |= bool(flags)

    def _head(self, stmt: Loop) -> BasicBlock:
        head = self.new_block()
        head.loop_loc = stmt.loc
        self.go(head.id, stmt.loc)
        self.current = head
        return head

    def _counted(self, stmt: Loop) -> None:
        self._note_checks(stmt)
        trips = stmt.trips
        assert trips is not None
        if isinstance(trips, str):
            # The count is read once, whatever the body assigns to the variable.
            count = self.variable(trips, PY_INT)
            self.add(Copy([count], [trips], loc=stmt.loc))
            trips = count
        head, body, after = self._head(stmt), self.new_block(), self.new_block()
        test = self._no_error(stmt.loc) if self.may_fail or self.may_be_flagged else None
        counter = stmt.counter or self.variable("iteration", PY_INT)
        self.types.setdefault(counter, PY_INT)
        self.end(Iterate(counter, trips, test, Edge(body.id), Edge(after.id)), stmt.loc)
        body.counters = [counter]
        self.current = body
        self.statements(stmt.body)
        self.go(head.id, stmt.loc)
        self._continue_at(after)
        if self.may_fail and self.current is not None and self.program.host:
            self._only_without_error(stmt.loc)

    def _only_without_error(self, loc: Loc) -> None:
        """Go to the exit where an error is recorded."""
        body = self.new_block()
        self.branch(self._no_error(loc), body, self.failed, loc)
        self.current = body

    # ------------------------------------------------------------ host code

    def _host(self, stmt: Host) -> None:
        """A host step behind everything on the host that comes before it, and behind the checks that do.

        That is what the variable `host` is for: it counts the objects that the host has made so far, and every
        step takes it and gives a new one.  The objects that a step makes have the numbers that follow.
        """
        if self.may_fail:
            self._only_without_error(stmt.loc)
        loc, step = stmt.loc, stmt.step
        if self.points is not None:
            self._point(stmt)
            return
        for i, target in enumerate(stmt.results):
            self.add(Op(target, "add", (self.host, Const(np.array(i + 1, np.int64))), {}, loc=loc))
        for slot, value in enumerate(stmt.sends):
            self.add(Op(self.host, SEND, (self.host, value), {"step": step, "slot": slot}, loc=loc))
        self.add(Op(self.host, STEP, (self.host, *stmt.objects), {"step": step}, loc=loc))
        for slot, target in enumerate(stmt.receives):
            self.add(Op(target, RECEIVE, (self.host,), {"step": step, "slot": slot}, loc=loc))

    def _point(self, stmt: Host) -> None:
        """A host step between this block and the next."""
        assert self.current is not None and self.points is not None
        before, after = self.current, self.new_block()
        self.add(Op(self.variable("step", PY_INT), STEP, (*stmt.objects, *stmt.sends), {}, loc=stmt.loc))
        self.go(after.id, stmt.loc)
        self.current = after
        for target in (*stmt.results, *stmt.receives):
            self.add(Op(target, RECEIVE, (), {}, loc=stmt.loc))
        self.points.append(HostPoint(before.id, after.id, stmt))

    # ------------------------------------------------------------ errors

    def _declare_error_args(self) -> list[list[str]]:
        """For each error, variables for its arguments: the n-th of a type is the same for all errors."""
        shared: dict[tuple[TensorType, int], str] = {}
        found: list[list[str]] = []
        for info in self.program.errors:
            types = [carrier(type) for type in info.arg_types]
            keys = [(type, types[:i].count(type)) for i, type in enumerate(types)]
            for key in keys:
                if key not in shared:
                    shared[key] = self.variable("error_arg", key[0])
            found.append([shared[key] for key in keys])
        return found

    def _initialise_errors(self, loc: Loc) -> None:
        """There is no error; where each ends the program, its arguments are set there, and nobody reads them else."""
        targets, sources = [self.error], [ZERO]
        for name in dict.fromkeys(name for names in self.error_args for name in names):
            if self.types[name].rank == 0 and not self.ends:
                targets.append(name)
                sources.append(Const(np.zeros((), self.types[name].dtype)))
        if self.flag:
            targets.append(self.flag)
            sources.append(Const(np.array(False)))
        self.add(Copy(targets, list[Operand](sources), loc=loc))

    def _no_number(self, loc: Loc) -> str:
        return self.op("no_error", PY_BOOL, "equal", self.error, ZERO, loc=loc)

    def _no_error(self, loc: Loc) -> str:
        """Whether nothing has failed, by a number or by the flag."""
        if not self.may_be_flagged:
            return self._no_number(loc)
        unflagged = self.op("no_error", PY_BOOL, "invert", self.flag, loc=loc)
        if not self.may_fail:
            return unflagged
        return self.op("no_error", PY_BOOL, "bitwise_and", unflagged, self._no_number(loc), loc=loc)

    def _guarded_test(self, stmt: If) -> str:
        """The test of a `while`, such that a recorded error takes the arm that leaves the loop."""
        if isinstance(stmt.body[-1] if stmt.body else None, Leave):
            failed = self.op("failed", PY_BOOL, "invert", self._no_error(stmt.loc), loc=stmt.loc)
            return self.op("stop", PY_BOOL, "bitwise_or", stmt.test, failed, loc=stmt.loc)
        return self.op("again", PY_BOOL, "bitwise_and", stmt.test, self._no_error(stmt.loc), loc=stmt.loc)

    def _effect(self, reached: Copy) -> None:
        """A host effect is reached only if no error is recorded."""
        if self.may_fail:
            self._copy_if(self._no_error(reached.loc), reached)
        else:
            self.add(reached)

    def _check(self, stmt: Check) -> None:
        bad: Operand | None = stmt.bad
        if isinstance(bad, Const):
            if not bool(bad.value):
                return
            bad = None
        if self._ends_with(stmt):
            self._leave(stmt, bad)
            return
        if self.flag and stmt.error + 1 == self.replayed:
            self._flag(bad, stmt.loc)
            return
        self._record(stmt.error, bad, stmt.args, stmt.loc)
        self.may_fail = True

    def _flag(self, bad: Operand | None, loc: Loc) -> None:
        """Note that something has failed where `bad` holds (None: always)."""
        if bad is None:
            self.add(Copy([self.flag], [Const(np.array(True))], loc=loc))
        else:
            self.add(Op(self.flag, "bitwise_or", (self.flag, bad), {}, loc=loc))
        self.may_be_flagged = True

    def _ends_with(self, stmt: Check) -> bool:
        """Whether what follows a failed check may fail, too, with nothing to explain that.

        A program that says what was written goes to its end by itself, where that is told.
        """
        unset = issubclass(self.program.errors[stmt.error].exception, NameError)
        return self.ends or (bool(self.program.host) and unset and not self.program.keeps_writes)

    def _leave(self, stmt: Check, bad: Operand | None) -> None:
        """Go to the exit where a check fails."""
        after = self.new_block()
        if bad is not None:
            failed = self.new_block()
            self.branch(bad, failed, after, stmt.loc)
            self.current = failed
        self._record(stmt.error, None, stmt.args, stmt.loc)
        self.go(self.failed.id, stmt.loc)
        self._continue_at(after)

    def _record(self, number: int, bad: Operand | None, args: tuple[Operand, ...], loc: Loc) -> None:
        """Record an error where `bad` holds (None: always), unless one is recorded already."""
        condition = bad
        if self.may_fail:
            condition = self._no_number(loc)
            if bad is not None:
                condition = self.op("failed", PY_BOOL, "bitwise_and", bad, condition, loc=loc)
        targets = [self.error, *self.error_args[number]]
        sources = [Const(np.array(number + 1, np.int64)), *args]
        if condition is None:
            self.add(Copy(targets, list(sources), loc=loc))
            return
        tensors = Copy([], [], loc=loc)
        for target, source in zip(targets, sources, strict=True):
            if self.types[target].rank == 0:
                self.add(Op(target, "where", (condition, source, target), {}, loc=loc))
            else:
                tensors.targets.append(target)
                tensors.sources.append(source)
        if tensors.targets:
            # `where` would broadcast, so tensors are copied under a branch.
            self._copy_if(condition, tensors)

    def _copy_if(self, condition: Operand, copy: Copy) -> None:
        then, join = self.new_block(), self.new_block()
        self.branch(condition, then, join, copy.loc)
        self.current = then
        self.add(copy)
        self.go(join.id, copy.loc)
        self.current = join
