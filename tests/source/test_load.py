"""Finding a function's text: which piece, whether it is still true, where everything stands."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import math
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from graph_program.extract.diagnostics import Loc, SourceError
from graph_program.extract.ir import tree
from graph_program.extract.source import load
from graph_program.extract.source.closure import UnboundNameError, free_variables, lookup
from graph_program.extract.source.load import load_function
from graph_program.extract.source.names_read import walk
from tests.source.texts import from_text, run_text


def span(node: tree.Node) -> tuple[int, int, int, int]:
    loc = node.loc
    return loc.line, loc.column, loc.end_line, loc.end_column


def shown(node: tree.Node, text: str) -> str:
    """The characters of `text` that a node on one line spans."""
    line = text.split("\n")[node.loc.line - 1]
    assert node.loc.line == node.loc.end_line
    return line[node.loc.column - 1 : node.loc.end_column - 1]


def import_text(path: Path, text: str) -> ModuleType:
    """Import `text` from a file of that name, anew each time."""
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---------------------------------------------------------------- places

PLACES = """\
# a comment
@(lambda f: f)
def f(x, *rest, k: int = 3):
    '''Documented.'''
    y = (x + 1, -x)  # é
    if (x > 0):
        s = "é" + str(y[0, 1:2])
    for i, j in rest: return [i for i in j]
    with open(x) as g: pass
    try: f(*y, **{1: x}, k=2)
    except ValueError as e: raise
"""


def test_places_are_those_of_the_file() -> None:
    f = from_text(PLACES, "f")
    function = load_function(f)
    assert {node.loc.function for node in walk(function)} == {"f", "<lambda>"}
    assert {node.loc.file for node in walk(function)} == {f.__code__.co_filename}
    assign, branch, loop, context, attempt = function.body
    assert isinstance(assign, tree.Assign) and isinstance(branch, tree.If)
    assert isinstance(attempt, tree.Try)
    parts: dict[tree.Node, str] = {
        function: "def f",
        function.decorators[0]: "lambda f: f",
        function.params[1]: "*rest",
        function.params[2]: "k: int = 3",
        assign: "y = (x + 1, -x)",
        assign.value: "(x + 1, -x)",
        branch: "if (x > 0)",
        branch.test: "x > 0",
        branch.body[0]: 's = "é" + str(y[0, 1:2])',
        loop: "for i, j in rest",
        context: "with open(x) as g",
        attempt: "try",
        attempt.body[0]: "f(*y, **{1: x}, k=2)",
        attempt.handlers[0]: "except ValueError as e",
    }
    for node, text in parts.items():
        assert shown(node, PLACES) == text
    index = next(n for n in walk(function) if isinstance(n, tree.Subscript)).index
    assert span(index) == (7, 25, 7, 31) and shown(index, PLACES) == "0, 1:2"


def test_a_statement_over_several_lines() -> None:
    text = "def f(x):\n    y = x + \\\n      1; z = (\n 2)\n    return y\n"
    first, second, last = load_function(from_text(text, "f")).body
    assert (span(first), span(second), span(last)) == ((2, 5, 3, 8), (3, 10, 4, 4), (5, 5, 5, 13))


def test_tabs_and_form_feeds_are_single_characters() -> None:
    text = "class C:\n\tdef f(self):\n\f\n\t\tif 1:\n\t\t\treturn\tself\n"
    function = load_function(run_text(text)["C"].f)
    (branch,) = function.body
    assert isinstance(branch, tree.If)
    assert span(branch) == (4, 3, 4, 7) and span(branch.body[0]) == (5, 4, 5, 15)


def test_comments_and_strings_left_of_the_body() -> None:
    text = 'if 1:\n    def f():\n        a = """\nleft"""\n# left\n        return a\n    b = 2\n'
    function = load_function(from_text(text, "f"))
    assert len(function.body) == 2
    assert isinstance(function.body[0], tree.Assign)
    assert function.body[0].value == tree.Constant("\nleft", loc=function.loc)


def test_dedent_to_an_enclosing_block_of_odd_width() -> None:
    text = "if 1:\n  if 2:\n     def f(x):\n        return x\n  y = 3\n"
    assert len(load_function(from_text(text, "f")).body) == 1


def test_text_without_a_final_newline_and_with_carriage_returns() -> None:
    assert span(load_function(from_text("def f(): return 1", "f")).body[0]) == (1, 10, 1, 18)
    f = from_text("def f(x):\r\n    return (\r\n        x)\r\n", "f")
    assert span(load_function(f).body[0]) == (2, 5, 3, 11)


# ---------------------------------------------------------------- which function


def wrapping(fn: Any) -> Any:
    return functools.wraps(fn)(lambda *args: fn(*args))


class Holder:
    @wrapping
    @wrapping
    def decorated(self, x: int) -> int:
        return self.plain() + x

    def plain(self) -> int:
        return 1

    @property
    def size(self) -> int:
        return 2

    @staticmethod
    def fixed() -> Any:
        def inner() -> Any:
            return Holder, __class__  # type: ignore[name-defined]

        return inner


def test_methods_properties_and_decorated_functions() -> None:
    decorated = Holder.decorated.__wrapped__.__wrapped__
    function = load_function(decorated)
    assert (function.qualname, len(function.decorators)) == ("Holder.decorated", 2)
    assert load_function(Holder.decorated).is_lambda
    assert load_function(Holder.plain).name == "plain"
    assert isinstance(Holder.size, property) and isinstance(Holder.size.fget, FunctionType)
    assert load_function(Holder.size.fget).qualname == "Holder.size"
    assert load_function(Holder.fixed()).qualname == "Holder.fixed.<locals>.inner"


def test_functions_of_one_name_are_told_apart_by_line() -> None:
    text = """
    if flag:
        def f(x): return 1
    else:
        try:
            def f(x): return 2
        finally:
            pass
    """
    for flag, expected in ((True, 1), (False, 2)):
        (stmt,) = load_function(from_text(text, "f", flag=flag)).body
        assert isinstance(stmt, tree.Return)
        assert stmt.value == tree.Constant(expected, loc=stmt.loc)


def test_trees_are_cached_per_code() -> None:
    def make(k: int) -> Any:
        return lambda x: x + k

    assert load_function(make(1)) is load_function(make(2))


def test_future_annotations_and_class_scope() -> None:
    text = """
    from __future__ import annotations
    def outer(k):
        class C:
            def f(self, x: Missing = k) -> Missing:
                return super().g(), k, C, self.__x
        return C
    """
    function = load_function(run_text(text)["outer"](1).f)
    assert function.returns == tree.Name("Missing", loc=function.loc)


# ---------------------------------------------------------------- lambdas


def lambda_body(fn: Any) -> str:
    loc = load_function(fn).loc
    lines = linecache.getlines(loc.file)[loc.line - 1 : loc.end_line]
    lines[-1] = lines[-1][: loc.end_column - 1]
    return "".join(lines)[loc.column - 1 :]


def test_lambdas_of_one_line() -> None:
    text = """
    fs = [lambda x: x + 1, lambda x: x + 2, lambda y: y, (lambda x: (x + 1)), lambda x=(1, 2), *y: lambda: x]
    fs += [fs[4]()]; é = {1: lambda: "é", 2: lambda k: {1: k}}; fs += [é[1], é[2]]
    """
    assert [lambda_body(f) for f in run_text(text)["fs"]] == [
        "lambda x: x + 1",
        "lambda x: x + 2",
        "lambda y: y",
        "lambda x: (x + 1)",
        "lambda x=(1, 2), *y: lambda: x",
        "lambda: x",
        'lambda: "é"',
        "lambda k: {1: k}",
    ]


def test_equal_lambdas_of_one_line_are_told_apart_by_column() -> None:
    fs = run_text("fs = [lambda x: x, lambda x: x, lambda x=1: x]")["fs"]
    assert [load_function(f).loc.column for f in fs] == [7, 20, 33]


def test_lambdas_in_headers_decorators_and_over_lines() -> None:
    text = """
    found = []
    keep = lambda f: found.append(f) or f
    if keep(lambda: 1): pass
    for i in [keep(lambda x:
                   x if x else
                   -x)]: pass
    @keep
    @(lambda f: keep(f))
    def g(a=keep(lambda: {"k": [2]}), *, b=keep(lambda *a, **k: a)): pass
    h = [keep(lambda: j) for j in [1] if keep(lambda: (yield))]
    s = "abc"[(keep(lambda: 0) and 1):]; t = keep(
        # a comment
        lambda x: x  # another
        + 1
    )
    """
    found = [f for f in run_text(text)["found"] if f.__name__ == "<lambda>"]
    assert sorted(lambda_body(f) for f in found) == sorted(
        [
            "lambda: 1",
            "lambda x:\n               x if x else\n               -x",
            'lambda: {"k": [2]}',
            "lambda *a, **k: a",
            "lambda: j",
            "lambda: (yield)",
            "lambda: 0",
            "lambda x: x  # another\n    + 1",
        ]
    )


def test_lambda_columns_count_characters() -> None:
    namespace = run_text('s = "é日"; f = lambda x: x; g = lambda x: x * 2\n')
    assert span(load_function(namespace["g"])) == (1, 32, 1, 47)
    assert span(load_function(namespace["f"]).body[0]) == (1, 25, 1, 26)


def test_ambiguous_lambdas_are_refused() -> None:
    f = run_text("fs = [lambda x=1: x, lambda x=2: x]")["fs"][0]
    f.__code__ = f.__code__.replace(co_linetable=b"")
    with pytest.raises(SourceError) as caught:
        load_function(f)
    assert caught.value.code == "GP103"
    assert "several lambdas on line 1" in str(caught.value)


# ---------------------------------------------------------------- no text, or the wrong one


@pytest.mark.parametrize("thing", [len, math.sqrt, str.upper, int, print, functools.partial(len)])
def test_things_that_are_no_python_functions(thing: Any) -> None:
    with pytest.raises(SourceError, match="not a Python function") as caught:
        load_function(thing)
    assert caught.value.code == "GP101"


@pytest.mark.parametrize("file", ["<string>", "<stdin>", "/nowhere/at/all.py"])
def test_functions_without_text(file: str) -> None:
    namespace: dict[str, Any] = {}
    exec(compile("def f(x):\n    return x\n", file, "exec"), namespace)
    with pytest.raises(SourceError, match="cannot be found") as caught:
        load_function(namespace["f"])
    assert caught.value.code == "GP101" and isinstance(caught.value, OSError)
    assert caught.value.loc == Loc(file, 1, 1, 1, 1, "f")


def test_an_edited_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "edited.py"
    for edited in ("def f(x):\n    return x + 2\n", "\ndef f(x):\n    return x + 1\n", "x = (\n", "1\n"):
        module = import_text(path, "def f(x):\n    return x + 1\n")
        path.write_text(edited)
        linecache.checkcache(str(path))
        with pytest.raises(SourceError, match="not what Python compiled") as caught:
            load_function(module.f)
        assert caught.value.code == "GP101"


def test_a_reloaded_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "reloaded.py"
    sys.dont_write_bytecode, kept = True, sys.dont_write_bytecode
    try:
        first = import_text(path, "def f(x):\n    return x + 1\n").f
        load_function(first)
        second = import_text(path, "def f(x, longer):\n    return x + longer\n").f
    finally:
        sys.dont_write_bytecode = kept
    assert len(load_function(second).params) == 2
    assert len(load_function(first).params) == 1


def test_text_that_the_parser_rejects(monkeypatch: pytest.MonkeyPatch) -> None:
    f = from_text("x = 1\ndef f(y):\n    return y\n", "f")

    def parse(text: str) -> Any:
        raise load.cst.ParserSyntaxError("Incomplete input.", lines=[text], raw_line=3, raw_column=4)

    monkeypatch.setattr(load.cst, "parse_module", parse)
    with pytest.raises(SourceError, match="cannot be parsed: Incomplete input") as caught:
        load_function(f)
    assert caught.value.code == "GP102"
    assert (caught.value.loc.line, caught.value.loc.column) == (3, 5)


def test_text_that_is_nested_too_deeply() -> None:
    f = from_text("def f(x):\n    return " + "x + " * 900 + "x\n", "f")
    with pytest.raises(SourceError, match="nested too deeply") as caught:
        load_function(f)
    assert caught.value.code == "GP102"


def test_notebook_magics_around_a_function_do_not_matter() -> None:
    text = "def f(x):\n    return x\n"
    namespace = run_text(text)
    file = namespace["f"].__code__.co_filename
    linecache.cache[file] = (1, None, [*text.splitlines(keepends=True), "!ls $HOME\n", "%time ?\n"], file)
    assert load_function(namespace["f"]).name == "f"


# ---------------------------------------------------------------- closures


def test_lookup_follows_pythons_order() -> None:
    captured = [1]
    late: Any

    def f() -> Any:
        return captured, late, math, len, missing  # type: ignore[name-defined]

    assert set(free_variables(f)) == {"captured", "late"}
    cell = lookup(f, "captured")
    assert cell.kind == "cell" and cell.read() is captured
    with pytest.raises(UnboundNameError, match="free variable 'late'"):
        lookup(f, "late").read()
    late = 2
    assert lookup(f, "late").read() == 2
    assert lookup(f, "math").kind == "global" and lookup(f, "math").read() is math
    assert lookup(f, "len").kind == "builtin" and lookup(f, "len").read() is len
    with pytest.raises(UnboundNameError, match="name 'missing' is not defined") as caught:
        lookup(f, "missing")
    assert caught.value.name == "missing" and not caught.value.free


def test_a_global_may_vanish_after_lookup() -> None:
    namespace = run_text("value = 1\ndef f(): return value\n")
    found = lookup(namespace["f"], "value")
    assert found.read() == 1
    del namespace["value"]
    with pytest.raises(UnboundNameError):
        found.read()
