"""What the evaluator knows about functions it does not inline: NumPy's, `math`'s, builtins, methods.

A *lowering* is `f(m, *args, **kwargs) -> Value` with the parameters of the function it stands for
(all of them `Value`s, defaults included), so that binding arguments to it is Python's own rule.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Any

from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.inference import holds_open
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.generic import forward
from graph_program.extract.stage.values.values import Value


class Owner(Enum):
    """Whose function it is."""

    NUMPY = auto()
    BUILTINS = auto()
    SEQUENCES = auto()
    """Methods of Python's lists, tuples, dicts and strings, which hold values of any type."""
    OTHERS = auto()


@dataclass(frozen=True)
class Lowering:
    """A known function: how to evaluate a call of it."""

    name: str
    run: Callable[..., Value]
    owner: Owner

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """Its parameters, behind the machine those of the function."""
        return inspect.signature(self.run)

    def __call__(self, m: Machine, args: list[Value], keywords: dict[str, Value]) -> Value:
        """Evaluate a call; arguments that do not bind are refused as Python would (GP320)."""
        if m.inference is not None and self.owner is not Owner.SEQUENCES and holds_open(m, [*args, keywords]):
            result = call_open(m, self, args, keywords)
            if result is not None:
                return result
            args = [m.inference.closed(m, v) for v in args]
            keywords = {k: m.inference.closed(m, v) for k, v in keywords.items()}
        try:
            bound = self.signature.bind(m, *args, **keywords)
        except TypeError as error:
            raise m.error(
                "GP320",
                f"{self.name}(){' ' if str(error).startswith(('got', 'missing')) else ': '}{error}",
                hint="see the operations page for the arguments that have a graph form",
            ) from None
        if self.owner is Owner.NUMPY:
            require_right(m, self.name, [*args, *keywords.values()])
        return self.run(*bound.args, **bound.kwargs)


@forward
def call_open(m: Machine, function: Lowering, args: list[Value], keywords: dict[str, Value]) -> Value | None:
    """A call of a known function with open arguments; None where its own lowering is to be used."""


@forward
def require_right(m: Machine, name: str, args: Iterable[Value]) -> None:
    """Refuse a function of NumPy's that is not known to be right for the element types of its arguments."""


FUNCTIONS: dict[Any, Lowering] = {}
"""Known functions and classes, by the live object."""

METHODS: dict[str, Lowering] = {}
"""Methods of arrays and NumPy scalars, by name; the first parameter after `m` is the array."""

ATTRIBUTES: dict[str, Lowering] = {}
"""Attributes of arrays and NumPy scalars, by name."""


def lowers(
    *functions: Any, method: str = "", name: str = "", owner: Owner = Owner.NUMPY
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register a lowering for live functions, and for an array method if named."""

    def register(run: Callable[..., Value]) -> Callable[..., Value]:
        label = name or (functions[0].__name__ if functions else method)
        lowering = Lowering(label, run, owner)
        for function in functions:
            FUNCTIONS[function] = lowering
        if method:
            METHODS[method] = lowering
        return run

    return register


lowers_builtin = functools.partial(lowers, owner=Owner.BUILTINS)
lowers_other = functools.partial(lowers, owner=Owner.OTHERS)


def attribute(name: str) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register an attribute of arrays."""

    def register(run: Callable[..., Value]) -> Callable[..., Value]:
        ATTRIBUTES[name] = Lowering(name, run, Owner.NUMPY)
        return run

    return register


ARRAYS = ("Array", "Array | None")
"""Annotations of the parameters of programs that take anything array-like."""
