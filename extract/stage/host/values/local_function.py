"""A function of the program as one of the host: its code, and what makes it."""

from __future__ import annotations

import ast
import builtins
import dis
import linecache
import types
from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.state import Frame


@dataclass(frozen=True, eq=False)
class LocalFunction:
    """What makes a function of its code: called with the values of its free variables, then of its defaults."""

    code: types.CodeType
    python: types.FunctionType
    """The function of the user's that it was written in."""
    free: tuple[str, ...]
    """The free variables that are variables of the program."""
    positional: int
    """How many defaults are those of positional parameters; the others are of these names."""
    keywords: tuple[str, ...]
    loc: diagnostics.Loc
    only_reads: bool = False
    """Whether it changes nothing of what it reads and is called with."""

    @property
    def __name__(self) -> str:
        return self.code.co_name.strip("<>")

    def __call__(self, *values: Any) -> types.FunctionType:
        own = dict(zip(self.python.__code__.co_freevars, self.python.__closure__ or (), strict=True))
        own |= {name: types.CellType(value) for name, value in zip(self.free, values, strict=False)}
        defaults = values[len(self.free) :]
        made = types.FunctionType(
            self.code,
            self.python.__globals__,
            self.code.co_name,
            defaults[: self.positional] or None,
            tuple(own[name] for name in self.code.co_freevars),
        )
        made.__kwdefaults__ = dict(zip(self.keywords, defaults[self.positional :], strict=True)) or None
        return made

    @property
    def text(self) -> str | None:
        """It as a lambda that gives the function; None for a `def`, and for what reads names of its module."""
        reads = (i.argval for i in dis.get_instructions(self.code) if i.opname == "LOAD_GLOBAL")
        node = _lambda_at(self.loc)
        if node is None or not all(hasattr(builtins, name) for name in reads):
            return None
        defaults = [f"default_{i}" for i in range(self.positional + len(self.keywords))]
        node.args.defaults = [ast.Name(name) for name in defaults[: self.positional]]
        names = iter(defaults[self.positional :])
        node.args.kw_defaults = [None if d is None else ast.Name(next(names)) for d in node.args.kw_defaults]
        return f"lambda {', '.join([*self.free, *defaults])}: {ast.unparse(node)}"


def owner(scope: Frame | None, name: str) -> Frame | None:
    """The frame of the program that has a variable; None for one of the live function's own cells."""
    while scope is not None and name not in scope.function.locals:
        scope = scope.parent
    return scope


def _lambda_at(loc: diagnostics.Loc) -> ast.Lambda | None:
    """The lambda that a file has at a place."""
    column = len(linecache.getline(loc.file, loc.line)[: loc.column - 1].encode())
    nodes = ast.walk(ast.parse("".join(linecache.getlines(loc.file))))
    places = ((n, n.lineno, n.col_offset) for n in nodes if isinstance(n, ast.Lambda))
    return next((n for n, line, offset in places if (line, offset) == (loc.line, column)), None)
