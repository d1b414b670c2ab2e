"""What the evaluator knows about functions it does not inline: NumPy's, `math`'s, builtins, methods.

A *lowering* is `f(m, *args, **kwargs) -> Value` with the parameters of the function it stands for
(all of them `Value`s, defaults included), so that binding arguments to it is Python's own rule.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.stage import bfloat16_vocabulary, complex_vocabulary
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.values import Value


@dataclass(frozen=True)
class Lowering:
    """A known function: how to evaluate a call of it."""

    name: str
    run: Callable[..., Value]
    signature: inspect.Signature

    def __call__(self, m: Machine, args: list[Value], keywords: dict[str, Value]) -> Value:
        """Evaluate a call; arguments that do not bind are refused as Python would (GP320)."""
        if m.inference is not None and not self.run.__module__.endswith("sequence_methods"):
            from graph_program.extract.stage.opened import functions

            if functions.holds_open(m, [*args, keywords]):
                result = functions.call(m, self, args, keywords)
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
                cls=diagnostics.DTypeError,
                hint="see the operations page for the arguments that have a graph form",
            ) from None
        complex_vocabulary.require(m, self.name, self.run, [*args, *keywords.values()])
        bfloat16_vocabulary.require(m, self.name, self.run, [*args, *keywords.values()])
        return self.run(*bound.args, **bound.kwargs)


FUNCTIONS: dict[Any, Lowering] = {}
"""Known functions and classes, by the live object."""

METHODS: dict[str, Lowering] = {}
"""Methods of arrays and NumPy scalars, by name; the first parameter after `m` is the array."""

ATTRIBUTES: dict[str, Lowering] = {}
"""Attributes of arrays and NumPy scalars, by name."""


def lowers(*functions: Any, method: str = "", name: str = "") -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register a lowering for live functions, and for an array method if named."""

    def register(run: Callable[..., Value]) -> Callable[..., Value]:
        label = name or (functions[0].__name__ if functions else method)
        lowering = Lowering(label, run, inspect.signature(run))
        for function in functions:
            FUNCTIONS[function] = lowering
        if method:
            METHODS[method] = lowering
        return run

    return register


def attribute(name: str) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register an attribute of arrays."""

    def register(run: Callable[..., Value]) -> Callable[..., Value]:
        ATTRIBUTES[name] = Lowering(name, run, inspect.signature(run))
        return run

    return register
