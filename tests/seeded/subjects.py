"""The programs that are broken: the samples, and programs of the tables that test NumPy's functions."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program.samples import coins, encoder, kalman, lstm
from tests.benchmarks import models
from tests.numpy import tables
from tests.numpy.inputs import SIZES, arguments

Args = tuple[Any, ...]


@dataclass(frozen=True)
class Subject:
    """A program that works.

    Attributes
    ----------
    source : str
        Its module.
    name : str
        The function.
    args : callable
        Given the executed module, the arguments (of classes of that module).
    skip : tuple of str
        Functions of the module that are no part of the program.
    """

    title: str
    source: str
    name: str
    args: Callable[[Any], Args]
    skip: tuple[str, ...] = ()


def _lstm(module: Any) -> Args:
    return module.random_lstm(4, 3), np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)


def _kalman(module: Any) -> Args:
    return module.Motion(), kalman.noisy_circle(5, noise=1.0)[1]


def _coins(module: Any) -> Args:
    photo = np.zeros((20, 26), np.uint8)
    photo[4:16, 5:18] = 200
    photo[8:12, 9:13] = 0
    photo[17, 21] = 220
    return photo, module.Settings(smoothing=1, background=10, smallest=20)


def _encoder(module: Any) -> Args:
    return np.random.default_rng(1).standard_normal((3, 8)).astype(np.float32), module.random_encoder(8, 12), 4


def samples() -> list[Subject]:
    """The shipped samples, and the models that the benchmarks know."""
    found = [
        Subject("lstm", inspect.getsource(lstm), "lstm", _lstm, ("main", "random_lstm")),
        Subject("kalman", inspect.getsource(kalman), "smooth_track", _kalman, ("main", "noisy_circle")),
        Subject("coins", inspect.getsource(coins), "count_coins", _coins, ("main", "photograph")),
        Subject("encoder", inspect.getsource(encoder), "encode", _encoder, ("main", "exported", "random_encoder")),
    ]
    source = inspect.getsource(models)
    return found + [
        Subject(f"model {name}", source, name, lambda module, name=name: module.EXAMPLES[name](), _others(source, name))
        for name in models.EXAMPLES
    ]


def _others(source: str, name: str) -> tuple[str, ...]:
    """The functions and classes of a module that a function does not use."""
    tree = ast.parse(source)
    defined = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    used, waiting = set(), [name]
    while waiting:
        found = waiting.pop()
        if found in defined and found not in used:
            used.add(found)
            waiting += [n.id for n in ast.walk(defined[found]) if isinstance(n, ast.Name)]
    return tuple(defined.keys() - used)


TYPES = {"c": '"2 n m"', "b": '"n m"', "x": '"n m"', "z": '"n m"', "y": '"m"', "q": '"n n"', "t": '"3"', "p": '"3"'}
TYPES |= {"v": '"k"', "w": '"n m"', "i": '"n m"', "j": '"4"', "a": '""'}
CLASSES = {"b": "Bool", "i": "Int64", "j": "Int64"}
HEAD = "import numpy as np\n\nfrom graph_program import Bool, Float64, Int64, Tensor, graph_program\n\n\n"


def of_tables() -> list[Subject]:
    """One program per function of the tables, with a line for each expression."""
    given = arguments("f8", SIZES[0])
    found = []
    for table in (tables.ANY, tables.REAL):
        for name, texts in table.items():
            expressions = [e for text in texts for e in _parts(text)]
            source, names = _program(expressions)
            args = tuple(given[n] for n in names)
            found.append(Subject(f"np: {name}", source, "program", lambda module, args=args: args))
    return found


def _parts(text: str) -> list[str]:
    body = ast.parse(text, mode="eval").body
    return [ast.unparse(e) for e in body.elts] if isinstance(body, ast.Tuple) else [text]


def _program(expressions: list[str]) -> tuple[str, list[str]]:
    known = set(TYPES) | {"r", "s"}
    used = {n.id for e in expressions for n in ast.walk(ast.parse(e)) if isinstance(n, ast.Name)} & known
    names = sorted(used)
    parameters = [f"{n}: {_annotation(n)}" for n in names]
    lines = [f"    r{i} = {e}" for i, e in enumerate(expressions)]
    results = ", ".join(f"r{i}" for i in range(len(expressions)))
    head = f"@graph_program\ndef program({', '.join(parameters)}):\n"
    return HEAD + head + "\n".join(lines) + f"\n    return {results},\n", names


def _annotation(name: str) -> str:
    if name in "rs":
        return "int" if name == "r" else "float"
    return f"{CLASSES.get(name, 'Float64')}[Tensor, {TYPES[name]}]"
