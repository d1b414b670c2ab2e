"""Functions of the program's own: nested, with `nonlocal`, at module level, with several returns, recursive."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.kinds import BOOL, F64, FLOAT, INT, VECTOR, Array, Function, Kind, Lst, Number, Record, Tup
from tests.fuzz.writer import VECTOR_KIND, Variable, Writer, compound, expression, some_kind, statement

E = Callable[[Kind], str]


@expression(Number)
def library_number(w: Writer, kind: Number, e: E) -> str | None:
    """Calls of the functions of `library`."""
    forms = {
        INT: [
            lambda: f"helper({e(INT)}, b={e(INT)})",
            lambda: f"kind_of({e(INT)})",
            lambda: f"(lambda a, b=2: a * b % 11)({e(INT)})",
            lambda: f"apply(kind_of, {e(INT)})",
        ],
        FLOAT: [
            lambda: f"helper({e(FLOAT)})",
            lambda: f"apply(lambda q: q + {e(FLOAT)}, {e(FLOAT)})",
            lambda: f"sign_of({e(FLOAT)})",
        ],
        F64: [lambda: f"biggest({e(VECTOR)})", lambda: f"spread({e(VECTOR)})[{w.pick(['0', '1'])}]"],
    }
    return w.pick(forms[kind])() if kind in forms else None


@expression(Number)
def recursive(w: Writer, kind: Number, e: E) -> str | None:
    """Functions that end in a call of themselves."""
    texts = {INT: lambda: f"gcd({e(INT)}, {e(INT)})", FLOAT: lambda: f"sum_down({e(INT)} % 5, {e(FLOAT)})"}
    return texts[kind]() if kind in texts else None


@expression(Array)
def library_array(w: Writer, kind: Array, e: E) -> str | None:
    if kind.dtype != "float64":
        return None
    return w.pick([f"clipped({e(kind)}, -3.0, {e(FLOAT)})", f"twice(np.abs, {e(kind)})", f"early({e(kind)}, {e(INT)})"])


@expression(Number, Array, Record, Tup, Lst)
def call(w: Writer, kind: Kind, e: E) -> str | None:
    """A call of a function that was written for this program."""
    names = w.names(lambda k: isinstance(k, Function) and k.result == kind)
    return _call(w, w.pick(names), e) if names else None


def _call(w: Writer, name: str, e: E) -> str:
    function = w.scope[name].kind
    assert isinstance(function, Function)
    return f"{name}({', '.join(e(k) for k in function.parameters)})"


@statement
def call_statement(w: Writer) -> bool:
    """A call for what it writes to: its parameters, or `nonlocal` names."""
    names = w.names(lambda k: isinstance(k, Function))
    return bool(names) and w.emit(_call(w, w.pick(names), lambda k: w.expr(k, 2)))


@compound
def define(w: Writer) -> bool:
    """A nested function: reads names of the function around it, and may assign to them."""
    if w.indent > 2:
        return False
    name = w.fresh("inner")
    inner = Writer(w.random, w.pick([2, 4]), w)
    parameters = {inner.fresh("q"): Variable(some_kind(w), given=True) for _ in range(w.pick([0, 1, 1, 2]))}
    result = w.pick([some_kind(w), INT, FLOAT, VECTOR_KIND(w)])
    inner.lines, inner.indent = w.lines, w.indent + 1
    inner.result = lambda v: v.expr(result, 1)
    outer = [n for n, v in w.scope.items() if not v.fixed and isinstance(v.kind, Number | Array)]
    shared = w.random.sample(outer, min(len(outer), w.pick([0, 0, 1, 2])))
    inner.scope = {n: Variable(v.kind, fixed=n not in shared, given=True) for n, v in w.scope.items()} | parameters
    w.emit(f"def {name}({', '.join(parameters)}):")
    if shared:
        inner.emit(f"nonlocal {', '.join(shared)}")
    inner.statements((1, 2, 3))
    inner.emit(f"return {inner.expr(result)}")
    w.scope[name] = Variable(Function(tuple(v.kind for v in parameters.values()), result), fixed=True)
    return True


def module_function(w: Writer) -> None:
    """A function at module level with several returns, known to the program."""
    name = w.fresh("function")
    inner = Writer(w.random, 6, w)
    kinds = [some_kind(w) for _ in range(w.pick([1, 2, 3]))]
    parameters = {inner.fresh("q"): Variable(kind, given=True) for kind in kinds}
    result = w.pick([*kinds, INT, FLOAT, VECTOR])
    inner.result = lambda v: v.expr(result, 1)
    inner.scope = dict(parameters)
    inner.statements((1, 2, 3, 4))
    inner.emit(f"return {inner.expr(result)}")
    w.helpers.append("\n".join([f"def {name}({', '.join(parameters)}):", *inner.lines]))
    w.scope[name] = Variable(Function(tuple(kinds), result), fixed=True)


@statement
def late_binding(w: Writer) -> bool:
    """A lambda sees the value that a name has when it is called."""
    names = w.names(lambda k: k in (INT, FLOAT), assignable=True)
    if not names:
        return False
    name, function = w.pick(names), w.fresh("inner")
    kind = w.scope[name].kind
    w.emit(f"{function} = lambda a, b={name}: a + {name} - b")
    w.emit(f"{name} {w.pick(['+=', '='])} {w.expr(kind, 1)}")
    w.scope[function] = Variable(Function((kind,), kind), fixed=True)
    return True


@expression(Number)
def truth(w: Writer, kind: Number, e: E) -> str | None:
    return f"is_small({e(F64)})" if kind == BOOL else None
