"""The namespace `graph_program.tensor_api` with every call that a test makes run as a graph program.

`ARRAY_API_TESTS_MODULE=tests.external.array_api_graph` gives it to the array-api-tests.  A call from a function in one
of their `test_*.py` files becomes a program with the arrays of the call as parameters and its other arguments as
constants, and must not leave the graph; their helpers, which make inputs and look at results, run eagerly.
"""

from __future__ import annotations

import functools
import linecache
import math
import sys
import types
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import graph_program.tensor_api as eager
from graph_program import graph_program
from graph_program.tensor_api import Array

NOT_TESTED = ("Array", "from_dlpack", "__array_namespace_info__", "finfo", "iinfo", "broadcast_shapes")
"""What is no operation on arrays."""
UNARY = {"abs": "abs({0})", "neg": "-{0}", "pos": "+{0}", "invert": "~{0}", "getitem": "{0}[{1}]"}
UNARY |= {name: f"{name}({{0}})" for name in ("bool", "int", "float", "complex")}
OPERATORS = {f"__{name}__": text for name, text in UNARY.items()}
BINARY = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**"}
BINARY |= {"matmul": "@", "lshift": "<<", "rshift": ">>", "and": "&", "or": "|", "xor": "^"}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
for _name, _sign in BINARY.items():
    OPERATORS[f"__{_name}__"] = f"{{0}} {_sign} {{1}}"
    OPERATORS[f"__r{_name}__"] = f"{{1}} {_sign} {{0}}"
for _name, _sign in COMPARISONS.items():
    OPERATORS[f"__{_name}__"] = f"{{0}} {_sign} {{1}}"
STATEMENTS = {f"__i{name}__": f"{{0}} {sign}= {{1}}" for name, sign in BINARY.items()} | {
    "__setitem__": "{0}[{1}] = {2}"
}
PLAIN = {name: vars(Array)[name] for name in (*OPERATORS, *STATEMENTS) if name in vars(Array)}
"""The methods of arrays as they are."""

programs: dict[Any, Any] = {}
count = 0


def in_graph(kind: str, text: str, function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Run a call as a program: the arrays in its arguments are parameters, all else is constant."""
    arrays: list[Array] = []
    constants: list[Any] = []

    def argument(value: Any) -> str:
        if isinstance(value, Array):
            arrays.append(value)
            return f"a{len(arrays) - 1}"
        if type(value) in (list, tuple):
            inside = ", ".join(map(argument, value))
            return f"[{inside}]" if type(value) is list else f"({inside}{',' if len(value) == 1 else ''})"
        if isinstance(value, slice):
            return f"slice({argument(value.start)}, {argument(value.stop)}, {argument(value.step)})"
        constants.append(value)
        return f"c{len(constants) - 1}"

    positional = [argument(v) for v in args]
    if kind == "call":
        line = "return f(" + ", ".join([*positional, *(f"{k}={argument(v)}" for k, v in keywords.items())]) + ")"
    elif kind == "operator":
        line = "return " + text.format(*positional)
    else:
        line = text.format(*positional) + "; return a0"
    key = (line, function, tuple((type(c), _told(c)) for c in constants))
    program = programs.get(key)
    if program is None:
        program = programs[key] = _program(line, function, len(arrays), constants)
    with _methods(PLAIN):
        return program(*arrays)


def _told(constant: Any) -> str:
    """A text that no other constant of its type has; NaN has a sign, too."""
    return constant.hex() + str(math.copysign(1.0, constant)) if type(constant) is float else repr(constant)


def _program(line: str, function: Any, arity: int, constants: list[Any]) -> Any:
    global count
    count += 1
    parameters = ", ".join(f"a{i}" for i in range(arity))
    source = f"def call({parameters}):\n    {line}\n"
    file = f"<array api call {count}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, Any] = {"f": function, **{f"c{i}": c for i, c in enumerate(constants)}, "__name__": __name__}
    exec(compile(source, file, "exec"), names)
    return graph_program(names["call"], copies="error")


def from_test() -> bool:
    """Whether the caller of a wrapper is a test, and no helper."""
    frame = sys._getframe(2)
    return Path(frame.f_code.co_filename).name.startswith("test_") and "array_api_tests" in frame.f_code.co_filename


def tested(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the namespace that runs as a program where a test calls it."""

    @functools.wraps(function)
    def run(*args: Any, **keywords: Any) -> Any:
        if not from_test():
            return function(*args, **keywords)
        return in_graph("call", "", function, args, keywords)

    return run


def tested_method(name: str, method: Any) -> Any:
    """A method of arrays that runs as a program where a test calls it, as its operator."""

    @functools.wraps(method)
    def run(*args: Any) -> Any:
        if not from_test():
            return method(*args)
        if name in OPERATORS:
            return in_graph("operator", OPERATORS[name], name, args, {})
        return in_graph("statement", STATEMENTS[name], name, args, {})

    return run


@contextmanager
def _methods(methods: dict[str, Any]):  # type: ignore[no-untyped-def]
    before = {name: vars(Array)[name] for name in methods}
    for name, method in methods.items():
        setattr(Array, name, method)
    try:
        yield
    finally:
        for name, method in before.items():
            setattr(Array, name, method)


def _namespace(module: types.ModuleType, names: list[str]) -> dict[str, Any]:
    return {
        name: tested(value) if isinstance(value, types.FunctionType) and name not in NOT_TESTED else value
        for name, value in ((n, getattr(module, n)) for n in names)
    }


globals().update(_namespace(eager, eager.__all__))
for _name in ("linalg", "fft"):
    _module = types.ModuleType(f"{__name__}.{_name}")
    vars(_module).update(_namespace(getattr(eager, _name), getattr(eager, _name).__all__))
    globals()[_name] = _module
for _name, _method in PLAIN.items():
    setattr(Array, _name, tested_method(_name, _method))
