"""What operations require of sizes, settled: known by facts, checked before the run, or on the path.

    q @ k.T      [a, b] @ [e, c]  requires  e == b

Nothing is emitted for a requirement that the facts of the present state decide.  One over sizes of
arguments, at a place that every run reaches, becomes a `SizeCheck`: the shim evaluates it before the
graph runs.  Any other is a test in the graph that ends its path, so that no operation ever runs on
sizes that do not fit:

    t = not_equal(dim(x, 0), dim(y, 0))
    if t: raise ValueError("...")

From there on the requirement is a fact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import partial, reduce
from typing import TYPE_CHECKING

from graph_program.extract.diagnostics import Diagnostic
from graph_program.extract.ir import residual
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine import emission, handlers
from graph_program.extract.stage.machine.checks.booleans import both, either
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.emission import aside
from graph_program.extract.stage.values import exception_values
from graph_program.extract.stage.values.questions import is_known
from graph_program.extract.stage.values.values import Static, Tensor, Value, size_of
from graph_program.extract.types.dims import Application, Atom, Dim, Symbol, exact_quotient, product, symbol
from graph_program.extract.types.rules.facts import Clause, Condition, Requirement, SizeTest, clause_symbols, dim_of
from graph_program.extract.types.tensors.rule_errors import Given, TypeRuleError
from graph_program.extract.types.tensors.tensor_type import INT64, PY_INT, Kind

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine
    from graph_program.extract.types.rules.facts import Clause

COMPARISONS = {"==": "not_equal", "!=": "equal", "<": "greater_equal", "<=": "greater"}
"""The operation that is true where a condition does not hold."""
UNKNOWN = "?"
"""Of a message: a size that nothing has."""
Part = str | Dim | Value
"""Of a message: text, or what is shown as a number."""
ARITHMETIC = {"//": "floor_divide", "max": "maximum", "min": "minimum"}


@emission.settle.given
def settle(m: Machine, requirement: Requirement, operands: Sequence[Value], by_itself: bool = False) -> None:
    clauses = _open(m, requirement.clauses)
    if not clauses:
        return
    error = TypeRuleError(requirement.kind, *requirement.message)
    if not all(clauses):
        raise m.type_error(error, operands)
    _check(m, Failure(clauses, error.python_class, given_parts(requirement.message, operands)), operands, by_itself)


def given_parts(parts: Sequence[Part | Given], operands: Sequence[Value]) -> list[Part]:
    """The parts of a message with the operands that it shows."""
    return [
        part if not isinstance(part, Given) else operands[part.index] if part.index < len(operands) else str(part)
        for part in parts
    ]


def require(
    m: Machine,
    clauses: Sequence[Clause],
    exception: type[BaseException],
    parts: Sequence[Part],
    bad: Value | None = None,
    operands: Sequence[Value] = (),
) -> None:
    """See that sizes are as a lowering needs them, or that the program ends with NumPy's error.

    `bad` is true where they are not, for sizes that can only be read from what the lowering has read;
    others are those of the arguments and of `operands`.
    """
    left = _open(m, clauses)
    if not left:
        return
    if not all(left):
        m.raise_(exception, Sizes(m, operands).message(parts))
    sizes = [part if isinstance(part, str | Dim) else size_of(part) or part for part in parts]
    _check(m, Failure(left, exception, sizes, bad, parts), operands)


def require_before_the_run(
    m: Machine,
    clauses: Sequence[Clause],
    parts: Sequence[str | Dim],
    operands: Sequence[Value],
) -> None:
    """`require` of positions where the arguments decide; elsewhere the operation is left to fail by itself."""
    left = _open(m, clauses)
    reach = m.live.reach
    here = left and (not all(left) or handlers.is_caught(m, IndexError))
    if here or (left and reach is not None and _is_of_arguments(m, Failure(left, IndexError, parts), reach)):
        require(m, left, IndexError, parts, operands=operands)


def size_clauses(bad: Value) -> list[Clause] | None:
    """The clauses of which a truth value says that one does not hold; None if it is of something else."""
    if bad.compares is not None:
        return [(bad.compares.denied,)]
    if bad.implied is None or bad.implied[0]:
        return None
    parts = [size_clauses(part) for part, has in bad.implied[1] if not has]
    if len(parts) < len(bad.implied[1]) or any(part is None for part in parts):
        return None
    return [clause for part in parts if part is not None for clause in part]


def _open(m: Machine, clauses: Sequence[Clause]) -> list[Clause]:
    """What is not known of some clauses; an empty one cannot hold."""
    found = (m.live.facts.open_part(clause) for clause in clauses)
    return [clause for clause in found if clause is not None]


@dataclass(frozen=True)
class Failure:
    """What happens where some clause does not hold."""

    clauses: Sequence[Clause]
    exception: type[BaseException]
    message: Sequence[Part]
    bad: Value | None = None
    """What is true then, where the program has computed it."""
    read: Sequence[Part] = ()
    """The message with the values that the program has computed."""


def _check(m: Machine, failure: Failure, operands: Sequence[Value], by_itself: bool = False) -> None:
    """Check it at run time, and know it from here on."""
    note_undeclared(m, failure.clauses)
    hint, m.hint = m.hint, ""
    reach, clauses = m.live.reach, failure.clauses
    if reach is not None and _is_of_arguments(m, failure, reach):
        _check_before_the_run(m, failure, reach)
    elif by_itself and m.loops.rounds and not handlers.is_caught(m, failure.exception):
        _check_of_operation(m, failure, operands)  # rounds are many, and need not look twice
    elif not _check_here(m, failure, operands) and handlers.is_caught(m, failure.exception):
        clauses = ()  # a later check jumps to the handler
    m.hint = hint
    for clause in clauses:
        m.live.facts = m.live.facts.learn(clause)


def _is_of_arguments(m: Machine, failure: Failure, reach: tuple[Dim, ...]) -> bool:
    """Whether the sizes of arguments decide, and are all that the message shows; a `try` looks for itself."""
    if handlers.is_caught(m, failure.exception) or not all(isinstance(part, str | Dim) for part in failure.message):
        return False
    shown = (d.symbols for d in (*reach, *failure.message) if isinstance(d, Dim))
    known = m.dim_sources()
    return all(dim_of(name) in known for name in clause_symbols(failure.clauses).union(*shown))


def _check_here(m: Machine, failure: Failure, operands: Sequence[Value]) -> bool:
    """Test it here; false where no test can tell."""
    sizes = Sizes(m, operands)
    bad, message = sizes.failure(failure.clauses), sizes.message(failure.message)
    if failure.bad is not None and (bad is None or UNKNOWN in message):
        bad, message = failure.bad, sizes.message(failure.read)
    if is_known(bad):
        return True
    if bad is None or UNKNOWN in message:
        return False  # the operation fails by itself; what NumPy says then is found by replaying it
    entries.end_where(m, bad, lambda: exception_values.with_message(failure.exception, message))
    return True


def _check_of_operation(m: Machine, failure: Failure, operands: Sequence[Value]) -> None:
    sizes = Sizes(m, operands)
    with aside(m) as body:
        bad, message = sizes.failure(failure.clauses), sizes.message(failure.message)
    if bad is None or is_known(bad) or UNKNOWN in message:
        return
    with aside(m) as report:
        number, args = entries.error_number(m, exception_values.with_message(failure.exception, message))
    m.emit(residual.OperationCheck(body, m.operand(bad), report, number, args, loc=m.loc))


def _check_before_the_run(m: Machine, failure: Failure, reach: tuple[Dim, ...]) -> None:
    sizes = Sizes(m, (), given=True)
    with aside(m) as body:
        bad = sizes.failure(failure.clauses)
        assert bad is not None
        operand = m.operand(bad)
        error = exception_values.with_message(failure.exception, sizes.message(failure.message))
        number, args = entries.error_number(m, error)
    test = SizeTest(reach, tuple(failure.clauses))
    m.emit(residual.SizeCheck(body, operand, number, args, test, loc=m.loc))


@dataclass
class Sizes:
    """Symbolic dims as values, found where an operation is.

    With `given`, the sizes of the arguments as they were passed are read, whatever was written to them.
    """

    m: Machine
    operands: Sequence[Value]
    given: bool = False
    _known: dict[Dim, Value | None] = field(default_factory=dict)

    def failure(self, clauses: Sequence[Clause]) -> Value | None:
        """Whether some clause does not hold; None where that cannot be computed."""
        bad: Value = Static(False)
        for clause in clauses:
            fails: Value = Static(True)
            for c in clause:
                test = self._denied(c)
                if test is None:
                    return None
                fails = both(self.m, fails, test)
            bad = either(self.m, bad, fails)
        return bad

    def _denied(self, c: Condition) -> Value | None:
        left, right = self.value(c.left), self.value(c.right)
        if left is None or right is None:
            return None
        return self.m.op(COMPARISONS[c.op], self._number(left), self._number(right), kind=Kind.PYTHON)

    def _number(self, value: Value) -> Value:
        return self.m.cast(value, INT64)

    def message(self, parts: Sequence[Part]) -> tuple[str | Value, ...]:
        """A message with its dims as values; `?` for one that is not known."""
        return exception_values.spelled(
            [(self.value(part) or UNKNOWN) if isinstance(part, Dim) else part for part in parts]
        )

    # ------------------------------------------------------------ dims

    def value(self, d: Dim) -> Value | None:
        """The value of a dim, from the operands or the arguments; None where nothing has it."""
        if d.constant is not None:
            return Static(d.constant)
        if d not in self._known:
            self._known[d] = self._computed(d)
        return self._known[d]

    def _computed(self, d: Dim) -> Value | None:
        found = self._found(d)
        if found is not None:
            return found
        if len(d.terms) == 1 and len(d.terms[0][0]) == 1 and d.terms[0][1] == 1:
            return self._atom(d.terms[0][0][0])
        return self._sum(d) or self._product(d)

    def _sum(self, d: Dim) -> Value | None:
        total: Value | None = None
        for monomial, coefficient in d.terms:
            product: Value | None = None if coefficient == 1 and monomial else Static(coefficient)
            for atom in monomial:
                factor = self.value(Dim((((atom,), 1),)))
                if factor is None:
                    return None
                product = factor if product is None else self._op("multiply", product, factor)
            assert product is not None
            total = product if total is None else self._op("add", total, product)
        return total

    def _op(self, name: str, *operands: Value) -> Value:
        return self.m.op(name, *(self._number(v) for v in operands), kind=Kind.PYTHON)

    def _product(self, d: Dim) -> Value | None:
        """The number of elements of an operand, or of the shape that is asked for, if that is all that is known."""
        resolve = self.m.facts.resolve
        arrays = [[*map(resolve, v.type.shape)] for v in self.operands if isinstance(v, Tensor)]
        asked = [resolve(size) for v in self.operands if (size := size_of(v)) is not None]
        for factors in (*arrays, asked):
            if len(factors) > 1 and d not in factors and product(factors) == d:
                values = [value for f in factors if (value := self.value(f)) is not None]
                if len(values) == len(factors):
                    return reduce(partial(self._op, "multiply"), values)
        return None

    def _shifted(self, name: Dim) -> Value | None:
        """A name that no argument has by itself, from one that has it but for a constant: `m` from `m-1`."""
        for d in self.m.dim_sources():
            gap = (name - d).constant
            if gap is not None:
                found = self.value(d)
                return None if found is None else self._op("add", found, Static(gap))
        return None

    def _atom(self, atom: Atom) -> Value | None:
        if not isinstance(atom, Application):
            return self._shifted(dim_of(atom.name))
        values = [value for arg in atom.args if (value := self.value(arg)) is not None]
        if len(values) < len(atom.args):
            return None
        if atom.op in ARITHMETIC:
            return reduce(partial(self._op, ARITHMETIC[atom.op]), values)
        return reduce(self._broadcast, values) if atom.op == "&" else None

    def _broadcast(self, left: Value, right: Value) -> Value:
        """What two sizes broadcast to: the other one of a 1."""
        is_one = self._op("equal", left, Static(1))
        return self.m.op("where", is_one, self._number(right), self._number(left), kind=Kind.PYTHON)

    def _found(self, d: Dim) -> Value | None:
        """The dim where something has it as it is."""
        m = self.m
        source = m.dim_sources().get(d)
        if source is not None:
            array, axis = source
            if not self.given:
                return m.dimension(array, axis)
            return emission.emit_op(m, "dim", (array.operand,), {"axis": axis}, PY_INT)
        resolve = m.live.facts.resolve
        for operand in self.operands:
            if not isinstance(operand, Tensor):
                continue
            size = size_of(operand)
            if size is not None and resolve(size) == d:
                return operand
            for axis, size in enumerate(operand.type.shape):
                if resolve(size) == d and not isinstance(operand.operand, residual.Const):
                    return m.dimension(operand, axis)
        return None


SOMETIMES = "not every run gets here"


def note_undeclared(m: Machine, clauses: Sequence[Clause]) -> None:
    """Note the clauses that make annotated dims equal to something else, which the annotations do not say.

        def f(x: Float32[Tensor, "n k"], w: Float32[Tensor, "m k"]):
            return x @ w                     needs k == m

    To a reader two names are two sizes, as two type variables are two types.  The program is right for some sizes, so
    this is no error; it is what a transposed or misnamed weight looks like.
    """
    for clause in clauses:
        names = frozenset[str]().union(*(c.symbols for c in clause))
        if not names or not names <= m.options.declared or all(c.op != "==" for c in clause):
            continue
        text = " or ".join(map(str, clause))
        notes = () if m.live.certain else (SOMETIMES,)
        found = Diagnostic(
            "GP360",
            f"this needs {text}, which the annotations do not say",
            m.loc,
            notes=notes,
            hint="write the relation into the annotations, such as the same name for the same size",
        )
        if found not in m.report.unsaid:
            m.report.unsaid.append(found)


def expressible(m: Machine, size: Dim) -> bool:
    """Whether a dim can be computed from the arguments' shapes by sums and products."""
    known = m.dim_sources()
    atoms = [a for monomial, _ in size.terms for a in monomial]
    return all(isinstance(a, Symbol) and symbol(a.name) in known for a in atoms)


def counts_elements(m: Machine, size: Dim | None) -> bool:
    """Whether an int is a product of dims of one argument: NumPy makes no array where that overflows."""
    if size is None or len(size.terms) != 1 or size.terms[0][1] != 1:
        return False
    return any(exact_quotient(product(a.type.shape), size) is not None for a in m.outside.arrays)


def size_value(m: Machine, size: Dim) -> Value:
    """The value of a dim, computed from the arguments' shapes."""
    if size.constant is not None:
        return Static(size.constant)
    known = m.dim_sources()
    total: Tensor | None = None
    for monomial, coefficient in size.terms:
        part: Tensor = m.cast(Static(coefficient), INT64)
        for atom in monomial:
            array, axis = known[symbol(str(atom))]
            part = m.op("multiply", part, m.dimension(array, axis), kind=Kind.PYTHON)
        total = part if total is None else m.op("add", total, part, kind=Kind.PYTHON)
    assert total is not None
    total.size = size
    return total
