"""NumPy's own examples of the functions with a graph form, run as programs: `python -m tests.external.numpy_doctests`.

The examples of a docstring run in plain Python, one after the other.  Each expression, assignment and call among them
that uses NumPy becomes a program, too, with its arrays and numbers as arguments and all else as constants; what it
returns, raises and writes is compared with plain Python.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import inspect
import io
import itertools
import linecache
import sys
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graph_program import graph_program
from tests.external import numpy_coverage
from tests.external.compare import Outcome, mismatch, outcome, refusal, without_contents

EQUAL, REFUSED, HOST, WRONG = "equal", "refused", "on the host", "wrong"
NOT_PURE = ("print", "plt", "random", "rng", "timeit", "save", "memmap", "__array_interface__", "id", "ma")
"""Words of examples that show, draw or measure, look at memory, or have arrays of other classes."""
LONG = 1_000_000
"""Examples with such numbers make lists of millions of numbers one by one."""
UNSPECIFIED = ("empty", "np.ndarray(")
"""Functions whose results hold whatever was in memory."""
ANY_ORDER = ("partition(", "unique_values(")
"""Functions whose results have elements in an order that NumPy leaves open."""
OVERWRITTEN = "overwrite_input"
"""An argument that leaves the array as it happens to be."""
numbers = itertools.count()


@dataclass(frozen=True)
class Finding:
    """What became of one example."""

    function: str
    source: str
    verdict: str
    detail: str = ""


def functions() -> Iterator[tuple[str, Any]]:
    """The names with a graph form, and what they stand for."""
    owners = {**numpy_coverage.SPACES, numpy_coverage.METHODS: np.ndarray}
    for name in numpy_coverage.names():
        if name.covered and name.kind == numpy_coverage.ON_ARRAYS:
            space = "ndarray" if name.space == numpy_coverage.METHODS else name.space
            yield f"{space}.{name.name}", inspect.getattr_static(owners[name.space], name.name)


def findings(name: str, function: Any) -> Iterator[Finding]:
    """The examples of one docstring that are programs."""
    text = inspect.getdoc(function) or ""
    names: dict[str, Any] = {"np": np}
    for example in doctest.DocTestParser().get_examples(text):
        statement = program_statement(example.source)
        if statement is not None:
            yield from found(name, example.source.strip(), statement, names)
        if not run(example.source, names):
            return


def run(source: str, names: dict[str, Any]) -> bool:
    """Run an example in plain Python; False where the next ones miss something."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        file = f"<numpy example {next(numbers)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        try:
            exec(compile(source, file, "single"), names)
        except ImportError:
            return False
        except Exception:
            return True  # some examples raise, on purpose
    return True


def program_statement(source: str) -> ast.stmt | None:
    """The one statement of an example, if it is an expression or assignment that calls something of NumPy."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return None
    if len(body) != 1 or not isinstance(body[0], ast.Expr | ast.Assign | ast.AugAssign):
        return None
    words = {n.id for n in ast.walk(body[0]) if isinstance(n, ast.Name)}
    words |= {n.attr for n in ast.walk(body[0]) if isinstance(n, ast.Attribute)}
    calls = any(isinstance(n, ast.Call) for n in ast.walk(body[0]))
    others = {*NOT_PURE, *numpy_coverage.CLASS_OF, *numpy_coverage.OUT_OF_REACH} - {"dtype", "resize"}
    long = any(isinstance(n, ast.Constant) and isinstance(n.value, int) and n.value >= LONG for n in ast.walk(body[0]))
    return body[0] if calls and not long and not words & others else None


def is_plain(value: Any) -> bool:
    """Whether a result is made of arrays and Python's own values."""
    if isinstance(value, tuple | list):
        return all(map(is_plain, value))
    return value is None or isinstance(value, np.ndarray | np.generic | np.dtype | bool | int | float | complex | str)


def found(name: str, source: str, statement: ast.stmt, names: dict[str, Any]) -> Iterator[Finding]:
    """Compare one example as a program with plain Python, unless it is about objects of other kinds."""
    function, arguments = program_of(statement, names)
    try:
        expected = outcome(function, arguments)
    except RecursionError:  # arguments that cannot be copied
        return
    if is_plain(expected.result):
        program = graph_program(function, copies="error")
        yield Finding(name, source, *verdict(source, program, expected, outcome(program, arguments)))


def verdict(source: str, program: Any, expected: Outcome, got: Outcome) -> tuple[str, str]:
    """What became of a program, and how."""
    code = refusal(got, expected)
    if code:
        return REFUSED, f"{code} {str(got.error).splitlines()[0]}"
    if isinstance(got.error, OverflowError) and "for int64" in str(got.error):
        return REFUSED, f"int64 {got.error}"
    if any(word in source for word in UNSPECIFIED):
        expected, got = (replace(o, result=without_contents(o.result)) for o in (expected, got))
    if any(word in source for word in ANY_ORDER):
        expected, got = (replace(o, result=in_order(o.result)) for o in (expected, got))
    if OVERWRITTEN in source:
        expected, got = (replace(o, arguments=()) for o in (expected, got))
    different = mismatch(expected, got)
    if different:
        return WRONG, different
    return (HOST if got.error is None and "np." in program.host_source else EQUAL), ""


def in_order(value: Any) -> Any:
    """A result with the elements of arrays in order."""
    if isinstance(value, tuple | list):
        return type(value)(map(in_order, value))
    return np.sort(value, axis=None).reshape(value.shape) if isinstance(value, np.ndarray) else value


def program_of(statement: ast.stmt, names: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    """A function of the arrays and numbers of a statement that returns its value, or what it assigns."""
    used = [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id in names]
    parameters = [k for k in dict.fromkeys(used) if isinstance(names[k], np.ndarray | np.generic | int | float)]
    lines = [f"def example({', '.join(parameters)}):"]
    if isinstance(statement, ast.Expr):
        lines.append(f"    return {ast.unparse(statement.value)}")
    else:
        lines += [f"    {ast.unparse(statement)}", f"    return {', '.join(assigned(statement))}"]
    text, file = "\n".join(lines) + "\n", f"<numpy example {next(numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType("numpy_example")
    module.__dict__.update({k: v for k, v in names.items() if k != "__builtins__"})
    exec(compile(text, file, "exec"), module.__dict__)
    return module.__dict__["example"], tuple(names[k] for k in parameters)


def assigned(statement: ast.stmt) -> list[str]:
    """The names that a statement writes, or writes to."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]  # type: ignore[attr-defined]
    return list(dict.fromkeys(n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)))


def main() -> int:
    """Print how many examples are equal, refused, on the host and wrong; 1 if any is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.external.numpy_doctests", description=__doc__)
    parser.add_argument("--name", default="", help="only functions whose names contain this")
    parser.add_argument("--verbose", action="store_true", help="show each example that is not equal")
    parser.add_argument("--progress", action="store_true", help="name each example on stderr")
    options = parser.parse_args()
    verdicts: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for name, function in functions():
        if options.name not in name:
            continue
        for finding in findings(name, function):
            if (key := (finding.function.rsplit(".", 1)[-1], finding.source)) in seen:
                continue
            seen.add(key)
            if options.progress:
                print(f"{finding.function}: {finding.verdict}", file=sys.stderr, flush=True)
            verdicts[finding.verdict] += 1
            if finding.verdict == REFUSED:
                codes[finding.detail.split()[0]] += 1
            if finding.verdict == WRONG or (options.verbose and finding.verdict != EQUAL):
                print(f"{finding.verdict}: {finding.function}: {finding.source}\n    {finding.detail}", flush=True)
    print(f"NumPy {np.__version__}: " + ", ".join(f"{verdicts[v]} {v}" for v in (EQUAL, REFUSED, HOST, WRONG)))
    print("refused: " + ", ".join(f"{code} {count}" for code, count in codes.most_common()))
    return 1 if verdicts[WRONG] else 0


if __name__ == "__main__":
    sys.exit(main())
