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
from dataclasses import dataclass, field

from graph_program.extract.ir import residual
from graph_program.extract.stage.booleans import both, either
from graph_program.extract.stage.machine import Machine, size_of
from graph_program.extract.stage.values import Static, Tensor, Value
from graph_program.extract.types.dims import Application, Atom, Dim
from graph_program.extract.types.errors import TypeRuleError
from graph_program.extract.types.facts import Clause, Condition, Requirement, SizeTest, clause_symbols, dim_of
from graph_program.extract.types.tensor_type import INT64, PY_INT, Kind

COMPARISONS = {"==": "not_equal", "!=": "equal", "<": "greater_equal", "<=": "greater"}
"""The operation that is true where a condition does not hold."""
ARITHMETIC = {"//": "floor_divide", "max": "maximum", "min": "minimum"}


def settle(m: Machine, requirement: Requirement, operands: Sequence[Value]) -> None:
    """See that a requirement of an operation holds, or that the program ends with NumPy's error."""
    facts = m.live.facts
    clauses = []
    for clause in requirement.clauses:
        left = facts.open_part(clause)
        if left is not None:
            clauses.append(left)
    if not clauses:
        return
    if not all(clauses):
        raise m.type_error(TypeRuleError(requirement.kind, *requirement.message))
    hint, m.hint = m.hint, ""
    _check(m, requirement, clauses, operands)
    m.hint = hint
    for clause in clauses:
        m.live.facts = m.live.facts.learn(clause)


def _check(m: Machine, requirement: Requirement, clauses: Sequence[Clause], operands: Sequence[Value]) -> None:
    reach, known = m.live.reach, m.dim_sources()
    if reach is not None:
        names = clause_symbols(clauses).union(*(d.symbols for d in reach))
        if all(dim_of(name) in known for name in names):
            _check_before_the_run(m, requirement, clauses, reach)
            return
    sizes = Sizes(m, operands)
    bad = sizes.failure(clauses)
    if bad is None or isinstance(bad, Static):
        return
    error = TypeRuleError(requirement.kind, *requirement.message)
    number, args = m.error_number(error.python_class, sizes.message(requirement.message))
    m.emit(residual.If(m.operand(bad), [residual.Raise(number, args, loc=m.loc)], [], loc=m.loc))


def _check_before_the_run(
    m: Machine, requirement: Requirement, clauses: Sequence[Clause], reach: tuple[Dim, ...]
) -> None:
    sizes = Sizes(m, (), given=True)
    with m.collect() as body:
        bad = sizes.failure(clauses)
        assert bad is not None
        operand = m.operand(bad)
        error = TypeRuleError(requirement.kind, *requirement.message)
        number, args = m.error_number(error.python_class, sizes.message(requirement.message))
    test = SizeTest(reach, tuple(clauses))
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

    def message(self, parts: Sequence[str | Dim]) -> tuple[str | Value, ...]:
        """A message with its dims as values; `?` for one that is not known."""
        return tuple(part if isinstance(part, str) else self._shown(part) for part in parts)

    def _shown(self, d: Dim) -> str | Value:
        value = self.value(d)
        if value is None:
            return "?"
        return str(value.value) if isinstance(value, Static) else value

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

    def _atom(self, atom: Atom) -> Value | None:
        if not isinstance(atom, Application):
            return None
        left, right = self.value(atom.left), self.value(atom.right)
        if left is None or right is None:
            return None
        if atom.op in ARITHMETIC:
            return self._op(ARITHMETIC[atom.op], left, right)
        if atom.op == "&":  # what two sizes broadcast to: the other one of a 1
            is_one = self._op("equal", left, Static(1))
            return self.m.op("where", is_one, self._number(right), self._number(left), kind=Kind.PYTHON)
        return None

    def _found(self, d: Dim) -> Value | None:
        """The dim where something has it as it is."""
        m = self.m
        source = m.dim_sources().get(d)
        if source is not None:
            array, axis = source
            if not self.given:
                return m.dimension(array, axis)
            return m.emit_op("dim", (array.operand,), {"axis": axis}, PY_INT)
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
