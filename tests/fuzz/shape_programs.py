"""Random programs about shapes, and the sizes to run them at.

A program is written statement by statement, and each is tried at once, in plain Python, at every
assignment of sizes: one that runs nowhere is dropped (almost always), one that runs at some sizes
only is sometimes kept.  So programs are rich in shapes that fit, and errors depend on sizes.
"""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.fuzz.shape_texts import HEADER, Texts

SIZES = (0, 1, 1, 2, 2, 3, 4, 5)
ASSIGNMENTS = 4
"""How many assignments of sizes a program is run at."""
LARGEST = 3000
"""Elements of an array beyond which a statement is dropped."""
TRIES = 8
DTYPES = {"Float64": np.float64, "Float32": np.float32, "Int64": np.int64, "Int32": np.int32, "Bool": np.bool_}
DIM_TEXTS = ("n", "n", "m", "m", "k", "3", "1", "n+1", "2*n", "n+m", "2*m", "m-1")
RUN_TIME = (ArithmeticError, AttributeError, LookupError, MemoryError, NameError, TypeError, ValueError)

Scope = dict[str, Any]


@dataclass
class ShapeProgram:
    """Source text of a function `program`, and its arguments at each assignment of sizes."""

    source: str
    calls: list[tuple[Any, ...]] = field(default_factory=list)


@dataclass
class Parameter:
    name: str
    dtype: str
    dims: tuple[str, ...] | None
    """None: a Python int."""

    def text(self, annotated: bool) -> str:
        if not annotated:
            return self.name
        return (
            f"{self.name}: int" if self.dims is None else f'{self.name}: {self.dtype}[Tensor, "{" ".join(self.dims)}"]'
        )


class Generator:
    """Writes one program; everything about it follows from the seed."""

    def __init__(self, seed: int):
        self.choose = random.Random(seed)
        self.texts = Texts(self.choose)
        self.lines: list[str] = []
        self.scopes: list[Scope | None] = []
        self.counter = 0
        self.nested = False
        """Whether a block is being written, which may not run."""
        self.globals: Scope = {}
        exec(compile(HEADER, "<header>", "exec"), self.globals)

    # ------------------------------------------------------------ programs

    def program(self) -> ShapeProgram:
        """A program with the arguments to call it with."""
        annotated = self.choose.random() < 0.7
        parameters = self.parameters()
        calls = self.arguments(parameters)
        self.scopes = [dict(zip([p.name for p in parameters], copy.deepcopy(c), strict=True)) for c in calls]
        self.name_sizes(parameters)
        for _ in range(self.choose.choice([3, 5, 8])):
            self.statement(1)
        self.emit(1, self.result())
        head = ", ".join(p.text(annotated) for p in parameters)
        return ShapeProgram("\n".join([HEADER, "", f"def program({head}):", *self.lines, ""]), calls)

    def parameters(self) -> list[Parameter]:
        names = ["x", "y", "z"][: self.choose.choice([1, 2, 2, 3])]
        found = []
        for name in names:
            rank = self.choose.choice([0, 1, 1, 2, 2, 2, 3])
            dtype = self.choose.choice(["Float64", "Float64", "Float64", "Float32", "Int64", "Int32", "Bool"])
            found.append(Parameter(name, dtype, tuple(self.choose.choice(DIM_TEXTS) for _ in range(rank))))
        if self.choose.random() < 0.3:
            found.append(Parameter("q", "", None))
        return found

    def arguments(self, parameters: list[Parameter]) -> list[tuple[Any, ...]]:
        """Arguments at each assignment; the first one's sizes differ from each other and from 0 and 1."""
        generic = dict(zip("nmk", self.choose.sample([2, 3, 4, 5, 6], 3), strict=True))
        rest = [{name: self.choose.choice(SIZES) for name in "nmk"} for _ in range(ASSIGNMENTS * 3)]
        calls = []
        for sizes in [generic, *rest]:
            shapes = [tuple(eval(d, {}, dict(sizes)) for d in p.dims or ()) for p in parameters]
            if all(n >= 0 for shape in shapes for n in shape) and len(calls) < ASSIGNMENTS:
                calls.append(tuple(self.value(p, s) for p, s in zip(parameters, shapes, strict=True)))
        return calls

    def value(self, parameter: Parameter, shape: tuple[int, ...]) -> Any:
        if parameter.dims is None:
            return self.choose.choice([0, 1, 2, 3, 5])
        numbers = np.random.default_rng(self.choose.randrange(10**6)).integers(-3, 6, shape)
        return np.asarray(numbers, DTYPES[parameter.dtype])

    def name_sizes(self, parameters: list[Parameter]) -> None:
        """`n = x.shape[0]`, for some of the dims."""
        for p in parameters:
            for i, d in enumerate(p.dims or ()):
                if d in "nmk" and self.choose.random() < 0.5:
                    self.simple(1, f"{d} = {p.name}.shape[{i}]")

    def result(self) -> str:
        self.look()
        names = self.texts.names(lambda v: isinstance(v, np.ndarray | int | float | np.generic))
        picked = self.choose.sample(names, min(len(names), 4)) if names else ["0"]
        return f"return {', '.join(picked)}"

    # ------------------------------------------------------------ trying

    def look(self) -> None:
        """Let expressions be written over one of the scopes that are alive."""
        alive = [s for s in self.scopes if s is not None]
        if alive:
            self.texts.scope = alive[0] if self.choose.random() < 0.8 else self.choose.choice(alive)

    def run(self, text: str, scope: Scope | None) -> Scope | None:
        """The scope after a statement; None if it raises."""
        if scope is None:
            return None
        local = copy.deepcopy(scope)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                exec(compile(text, "<statement>", "exec"), self.globals | local, names := {**local})
            except RUN_TIME:
                return None
        too_large = any(isinstance(v, np.ndarray) and v.size > LARGEST for v in names.values())
        return None if too_large or any(type(v) is int and abs(v) > 10**6 for v in names.values()) else names

    def attempt(self, text: str) -> bool:
        """Run a statement everywhere; whether it is kept, with what follows from it."""
        after = [self.run(text, s) for s in self.scopes]
        alive, before = sum(s is not None for s in after), sum(s is not None for s in self.scopes)
        chance = 1.0 if alive == before else 0.3 if alive else 0.05 if self.nested else 0.01
        if before and self.choose.random() < chance:
            self.scopes = after
            return True
        return False

    # ------------------------------------------------------------ statements

    def emit(self, indent: int, text: str) -> None:
        self.lines += ["    " * indent + line for line in text.split("\n")]

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def simple(self, indent: int, text: str) -> bool:
        if self.attempt(text):
            self.emit(indent, text)
            return True
        return False

    def statement(self, indent: int, nested: bool = True) -> None:
        self.look()
        flat = [self.assign] * 6 + [self.assign_size, self.write, self.rebind, self.rebind]
        blocks: list[Callable[[int], None]] = [self.if_, self.if_, self.for_, self.for_, self.while_, self.rows]
        if indent == 1:
            blocks += [self.leave, self.unpack]
        choices = flat if not nested or indent > 2 or self.choose.random() < 0.6 else blocks
        self.choose.choice(choices)(indent)

    def tried(self, indent: int, write: Callable[[], str]) -> None:
        """The first of a few texts that is kept."""
        for _ in range(TRIES):
            if self.simple(indent, write()):
                return

    def assign(self, indent: int) -> None:
        name = self.fresh("a")
        self.tried(indent, lambda: f"{name} = {self.texts.array()}")

    def rebind(self, indent: int) -> None:
        """A known array gets another value, of any shape."""
        known = self.texts.names(lambda v: isinstance(v, np.ndarray))
        if known:
            name = self.choose.choice(known)
            forms = [
                lambda: f"{name} = {self.texts.array()}",
                lambda: f"{name} = np.concatenate([{name}, {name}[:1]])",
                lambda: f"{name} = {name}[{self.choose.choice(['1:', ':-1', '::2', '::-1'])}]",
                lambda: f"{name} = {name} + {self.texts.leaf()}",
            ]
            self.tried(indent, lambda: str(self.choose.choice(forms)()))

    def assign_size(self, indent: int) -> None:
        name = self.fresh("s")
        self.tried(indent, lambda: f"{name} = {self.texts.size()}")

    def write(self, indent: int) -> None:
        """A slice assignment into an array that the program made."""
        known = [n for n in self.texts.names(lambda v: isinstance(v, np.ndarray)) if n not in "xyz"]
        if known:
            self.tried(
                indent,
                lambda: (
                    f"{(name := self.choose.choice(known))}[{self.texts.bound(name)}"
                    f"{self.choose.choice([':', f':{self.texts.bound(name)}', ''])}] "
                    f"{self.choose.choice(['=', '+='])} {self.choose.choice(['1', self.texts.leaf()])}"
                ),
            )

    def unpack(self, indent: int) -> None:
        name = self.texts.leaf(2)
        parts = [self.fresh("s") for _ in range(max(self.texts.rank(name), 1))]
        self.simple(indent, f"{', '.join(parts)}, = {name}.shape")

    # ------------------------------------------------------------ blocks

    def body(self, count: int) -> list[str]:
        """Statements of a block, tried as if it ran once, now."""
        outer_lines, outer_scopes, outer = self.lines, self.scopes, self.nested
        self.lines, self.scopes, self.nested = [], [copy.deepcopy(s) for s in outer_scopes], True
        for _ in range(count):
            self.statement(2, nested=False)
        written, self.lines, self.scopes, self.nested = self.lines, outer_lines, outer_scopes, outer
        return [line[4:] for line in written] or ["    pass"]

    def block(self, indent: int, head: str, entry: str = "pass") -> list[str]:
        """A head with a body; `entry` is what the body finds done."""
        outer = self.scopes
        self.scopes = [self.run(entry, s) for s in outer]
        self.look()
        lines = [head, *self.body(self.choose.choice([1, 1, 2, 3]))]
        self.scopes = outer
        self.look()
        return lines

    def compound(self, indent: int, write: Callable[[], list[str]]) -> None:
        for _ in range(3):
            text = "\n".join(write())
            if self.simple(indent, text):
                return

    def if_(self, indent: int) -> None:
        def write() -> list[str]:
            lines = self.block(indent, f"if {self.texts.truth()}:")
            return [*lines, *self.block(indent, "else:")] if self.choose.random() < 0.5 else lines

        self.compound(indent, write)

    def for_(self, indent: int) -> None:
        name = self.fresh("i")

        def write() -> list[str]:
            size = self.texts.size()
            heads = [f"range({size})", f"range(min({size}, 4))", "range(3)", f"range(1, {size})"]
            return self.block(indent, f"for {name} in {self.choose.choice(heads)}:", f"{name} = 0")

        self.compound(indent, write)

    def rows(self, indent: int) -> None:
        name, array = self.fresh("r"), self.texts.leaf(2)
        self.compound(indent, lambda: self.block(indent, f"for {name} in {array}:", f"{name} = {array}[0]"))

    def while_(self, indent: int) -> None:
        fuel = self.fresh("f")

        def write() -> list[str]:
            lines = self.block(indent, f"while {fuel} < 3 and {self.texts.truth()}:", f"{fuel} = 0")
            return [f"{fuel} = 0", lines[0], f"    {fuel} += 1", *lines[1:]]

        self.compound(indent, write)

    def leave(self, indent: int) -> None:
        """An early return, or an error of the program's own."""
        test = self.texts.truth()
        name = self.fresh("t")
        after = [self.run(f"{name} = bool({test})", s) for s in self.scopes]
        if not any(s is not None and not s[name] for s in after):
            return
        ends = [self.result(), f"raise ValueError('{name}')", f"raise IndexError({self.texts.size()})"]
        self.emit(indent, f"if {test}:\n    {self.choose.choice(ends)}")
        self.scopes = [s if t is not None and not t[name] else None for s, t in zip(self.scopes, after, strict=True)]


def shape_program(seed: int) -> ShapeProgram:
    """The random program of a seed."""
    return Generator(seed).program()
