"""The core tree means what the function means, and has the documented form."""

# ruff: noqa: B007, C416, F841, F842 - the functions are there to be read, not run

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

from graph_program.extract.diagnostics import UnsupportedError
from graph_program.extract.ir import tree
from graph_program.extract.ir.tree_printer import print_function
from graph_program.extract.source.load import load_function
from graph_program.extract.source.names_read import bound_names, walk
from graph_program.extract.source.unsupported import CONSTRUCTS, refuse_construct
from tests.source.evaluator import evaluate
from tests.source.programs import CASES
from tests.source.texts import from_text


def outcome(run: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The result, or the class and the arguments of what was raised."""
    try:
        return run(*copy.deepcopy(arguments))
    except UnboundLocalError as error:
        return type(error)
    except Exception as error:
        return type(error), error.args


@pytest.mark.parametrize("fn, arguments", CASES, ids=[fn.__name__ for fn, _ in CASES])
def test_tree_computes_what_the_function_computes(fn: FunctionType, arguments: tuple[tuple[Any, ...], ...]) -> None:
    for given in arguments:
        expected = outcome(fn, given)
        found = outcome(lambda *args: evaluate(fn, *args), given)
        assert repr(found) == repr(expected), print_function(load_function(fn))


@pytest.mark.parametrize("fn", [fn for fn, _ in CASES], ids=[fn.__name__ for fn, _ in CASES])
def test_locals_are_those_of_the_compiler(fn: FunctionType) -> None:
    code = fn.__code__
    found = {name for name in load_function(fn).locals if not name.startswith("__match_")}
    compiled = {*code.co_varnames, *code.co_cellvars}
    # Since Python 3.12 the targets of inlined comprehensions are among the compiled names.
    inner = {t for n in walk(load_function(fn)) if isinstance(n, tree.CompFor) for t in bound_names(n.target)}
    assert found == compiled if sys.version_info < (3, 12) else found <= compiled and compiled - found <= inner


@pytest.mark.parametrize("fn", [fn for fn, _ in CASES], ids=[fn.__name__ for fn, _ in CASES])
def test_every_place_lies_in_the_function(fn: FunctionType) -> None:
    function = load_function(fn)
    for node in walk(function):
        loc = node.loc
        assert loc.file == __file__.replace("test_desugar", "programs")
        assert (loc.line, loc.column) < (loc.end_line, loc.end_column)
        assert loc.line >= fn.__code__.co_firstlineno


def body(fn: Callable[..., Any]) -> tuple[tree.Stmt, ...]:
    assert isinstance(fn, FunctionType)
    return load_function(fn).body


def printed(fn: Callable[..., Any]) -> str:
    assert isinstance(fn, FunctionType)
    return print_function(load_function(fn))


def test_loops_get_blocks_only_where_something_leaves_them() -> None:
    def plain(xs):
        for x in xs:
            pass
        else:
            xs = 1

    def leaving(xs):
        while xs:
            if xs > 3:
                continue
            while True:
                break

    assert printed(plain).splitlines()[1:] == ["    for x in xs:", "        pass", "    xs = 1"]
    assert printed(leaving).splitlines()[1:] == [
        "    while xs:",
        "        block continue.1:",
        "            if xs > 3:",
        "                leave continue.1",
        "            block break.2:",
        "                while True:",
        "                    leave break.2",
    ]


def test_break_of_a_loop_with_else_skips_the_else() -> None:
    def search(xs):
        for x in xs:
            if x:
                break
        else:
            x = None
        return x

    block, last = body(search)
    assert isinstance(block, tree.Block) and isinstance(last, tree.Return)
    assert [type(stmt) for stmt in block.body] == [tree.For, tree.Assign]


def test_assert_uses_the_builtin_class() -> None:
    def f(x):
        assert x > 0, "positive"

    (stmt,) = body(f)
    assert isinstance(stmt, tree.If) and isinstance(stmt.test, tree.Unary)
    (raised,) = stmt.body
    assert isinstance(raised, tree.Raise) and isinstance(raised.exc, tree.Call)
    assert raised.exc.func == tree.Constant(AssertionError, loc=stmt.loc)


def test_declarations_docstrings_and_pass_vanish() -> None:
    def f():
        """Documented."""
        x: int

    assert body(f) == ()
    assert load_function(f).locals == {"x"}  # type: ignore[arg-type]


def test_chains_stay_one_node() -> None:
    def f(a, b, c):
        return a < b <= c, a and b and c, f"ab{c}de"

    (stmt,) = body(f)
    assert isinstance(stmt, tree.Return) and isinstance(stmt.value, tree.TupleExpr)
    comparison, boolean, string = stmt.value.elts
    assert isinstance(comparison, tree.Compare) and comparison.ops == ("<", "<=")
    assert isinstance(boolean, tree.BoolOp) and len(boolean.values) == 3
    assert isinstance(string, tree.JoinedStr)
    assert [getattr(part, "value", None) for part in string.parts][::2] == ["ab", "de"]


def test_imports_tell_a_submodule_from_its_package() -> None:
    f = from_text(
        """
        def f():
            import os.path
            import os.path as os, math as m
            from collections import abc
            from .. import sibling as s
        """,
        "f",
    )
    found = [(s.module, s.name, s.target) for s in body(f) if isinstance(s, tree.ImportName)]
    assert found == [
        ("os.path", None, "os"),
        ("os", "path", "os"),
        ("math", None, "m"),
        ("collections", "abc", "abc"),
        ("", "sibling", "s"),
    ]


def test_private_names_are_mangled() -> None:
    class _Box:
        def f(self, __x):
            def inner():
                return __x, self.__y, __dunder__

            return inner(__k=1)

    function = load_function(_Box.f)
    assert [p.name for p in function.params] == ["self", "_Box__x"]
    text = print_function(function)
    assert "return _Box__x, self._Box__y, __dunder__" in text
    assert "inner(__k=1)" in text


def test_flags_and_scopes() -> None:
    counter = 0

    def f(x):
        nonlocal counter
        global _missing
        counter, _missing = x, 1

        def generator():
            yield x

        async def coroutine():
            await x

        return [y for y in x], generator, coroutine, (lambda: (yield))

    function = load_function(f)
    assert function.nonlocals == {"counter"} and function.globals == {"_missing"}
    assert function.locals == {"x", "generator", "coroutine"}
    inner = {n.name: n for n in walk(function) if isinstance(n, tree.Function)}
    assert inner["generator"].is_generator and not inner["generator"].is_async
    assert inner["coroutine"].is_async and not inner["coroutine"].is_generator
    assert inner["<lambda>"].is_generator and inner["<lambda>"].is_lambda
    assert inner["generator"].qualname == f.__qualname__ + ".<locals>.generator"


def test_refused_constructs_stand_where_they_were() -> None:
    async def f(x):
        class Local:
            pass

        async with x:
            pass
        async for i in x:
            j = i
        await x
        return [y async for y in x]

    function = load_function(f)
    found = [n.construct for n in walk(function) if isinstance(n, (tree.Unsupported, tree.UnsupportedExpr))]
    assert sorted(found) == ["async_comprehension", "async_for", "async_with", "await", "class"]
    assert function.locals == {"x", "Local", "i", "j"}


def test_names_in_patterns_are_bound() -> None:
    def f(x):
        match x:
            case {"a": a, **rest}:
                b = a
            case (1, c) | (c, 1):
                b = c
        return b

    own = {name for name in load_function(f).locals if not name.startswith("__match_")}
    assert own == {"x", "a", "rest", "b", "c"}


def test_refusals_have_distinct_codes() -> None:
    codes = [construct.code for construct in CONSTRUCTS.values()]
    assert len(set(codes)) == len(codes)
    assert all(code.startswith("GP2") for code in codes)
    loc = load_function(test_refusals_have_distinct_codes).loc  # type: ignore[arg-type]
    for key, construct in CONSTRUCTS.items():
        error = refuse_construct(key, loc)
        assert isinstance(error, UnsupportedError) and error.code == construct.code
        assert construct.message in str(error) and construct.hint in str(error)
