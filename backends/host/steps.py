"""Host steps to Python: a function for each, on the line of the user's file that it comes from.

def step(objects, sent):                    # env.step(x.sum())
    made = objects[0].step(sent[0].item())
    return (made,), ()
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.backends.host.codegen import Scope
from graph_program.backends.host.exchange import Step
from graph_program.backends.host.results import OUTPUTS, Results
from graph_program.extract.ir.host import HostStep
from graph_program.extract.types.tensor_type import Kind, TensorType

OBJECTS, MADE, TOLD = "_objects", "_made", "_told"
NOTHING = f"{TOLD} = ()"


def compile_steps(steps: Sequence[HostStep]) -> list[Step]:
    """What runs each step."""
    return [_compiled(step) for step in steps]


def _compiled(step: HostStep) -> Step:
    scope = Scope()
    lines: list[str] = []
    writer = _Writer(scope, lines)
    args = [writer.expression(a) for a in step.args]
    keywords = [(k, writer.expression(v)) for k, v in step.keywords]
    lines += FORMS[step.kind](step, args, keywords, scope)
    if step.receives and lines[-1] == NOTHING:
        told = scope.constant(told_value, "told")
        lines[-1] = f"{TOLD} = ({told}({MADE}[0], {scope.constant(step.receives[0], 'type')}, {step.text!r}),)"
    text = "\n".join(
        [
            f"def _factory({', '.join(scope.constants)}):",
            f"    def {_function_name(step)}({OBJECTS}, {OUTPUTS}):",
            *(f"        {line}" for line in lines),
            f"        return {MADE}, {TOLD}",
            f"    return {_function_name(step)}",
        ]
    )
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = step.loc.line  # type: ignore[attr-defined]
    namespace: dict[str, Any] = {}
    exec(compile(tree, step.loc.file, "exec"), namespace)
    made: Step = namespace["_factory"](**scope.constants)
    return made


def _function_name(step: HostStep) -> str:
    """The name of the user's function, which tracebacks show."""
    name = step.loc.function.rpartition(".")[2]
    return name if name.isidentifier() else "program"


class _Writer(Results):
    """Expressions over `_objects` and what was sent, which stands where a call's outputs would."""

    def __init__(self, scope: Scope, lines: list[str]):
        super().__init__(scope, lambda path: "", lines, lambda index: f"{OBJECTS}[{index}]")


Form = Callable[[HostStep, list[str], list[tuple[str, str]], Scope], list[str]]


def _value(write: Callable[[HostStep, list[str]], str]) -> Form:
    """A step that is one expression, whose value is the new object."""

    def form(step: HostStep, args: list[str], keywords: list[tuple[str, str]], scope: Scope) -> list[str]:
        return [f"{MADE} = ({write(step, args)},)", NOTHING]

    return form


def _statement(write: Callable[[HostStep, list[str]], str]) -> Form:
    """A step that makes nothing."""

    def form(step: HostStep, args: list[str], keywords: list[tuple[str, str]], scope: Scope) -> list[str]:
        return [write(step, args), f"{MADE} = ()", NOTHING]

    return form


def _call(step: HostStep, args: list[str], keywords: list[tuple[str, str]], scope: Scope) -> list[str]:
    function, *rest = args
    if keywords:
        rest.append(f"**{{{', '.join(f'{k!r}: {v}' for k, v in keywords)}}}")
    call = f"{function}({', '.join(rest)})"
    return [f"{MADE} = ({call},)", NOTHING] if step.results else [call, f"{MADE} = ()", NOTHING]


def _truth(step: HostStep, args: list[str], keywords: list[tuple[str, str]], scope: Scope) -> list[str]:
    return [f"{TOLD} = (True if {args[0]} else False,)", f"{MADE} = ()"]


def _test(step: HostStep, args: list[str], keywords: list[tuple[str, str]], scope: Scope) -> list[str]:
    return [f"{TOLD} = ({args[0]} {step.detail} {args[1]},)", f"{MADE} = ()"]


def _next(step: HostStep, args: list[str], keywords: list[tuple[str, str]], scope: Scope) -> list[str]:
    end = scope.constant(object(), "end")
    take = f"{MADE} = ({scope.constant(next, 'next')}({args[0]}, {end}),)"
    return [take, f"{TOLD} = ({MADE}[0] is not {end},)"]


def _tell(step: HostStep, args: list[str], keywords: list[tuple[str, str]], scope: Scope) -> list[str]:
    told = [
        f"{scope.constant(told_value, 'told')}({a}, {scope.constant(t, 'type')}, {step.text!r})"
        for a, t in zip(args, step.receives, strict=True)
    ]
    return [f"{TOLD} = ({''.join(f'{t}, ' for t in told)})", f"{MADE} = ()"]


def _unpack(step: HostStep, args: list[str], keywords: list[tuple[str, str]], scope: Scope) -> list[str]:
    names = [f"_part{i}" for i in range(step.results)]
    starred = [f"*{n}" if str(i) == step.detail else n for i, n in enumerate(names)]
    targets = "".join(f"{n}, " for n in starred)
    return [f"{targets} = {args[0]}", f"{MADE} = ({''.join(f'{n}, ' for n in names)})", NOTHING]


def _in_place(step: HostStep, args: list[str], keywords: list[tuple[str, str]], scope: Scope) -> list[str]:
    return [f"_value = {args[0]}", f"_value {step.detail}= {args[1]}", f"{MADE} = (_value,)", NOTHING]


FORMS: dict[str, Form] = {
    "call": _call,
    "keep": _value(lambda step, a: a[0]),
    "attribute": _value(lambda step, a: f"{a[0]}.{step.detail}"),
    "item": _value(lambda step, a: f"{a[0]}[{a[1]}]"),
    "slice": _value(lambda step, a: f"{a[0]}[{a[1]}:{a[2]}:{a[3]}]"),
    "binary": _value(lambda step, a: f"{a[0]} {step.detail} {a[1]}"),
    "in_place": _in_place,
    "compare": _value(lambda step, a: f"{a[0]} {step.detail} {a[1]}"),
    "unary": _value(lambda step, a: f"{step.detail} {a[0]}"),
    "iterate": _value(lambda step, a: f"iter({a[0]})"),
    "next": _next,
    "truth": _truth,
    "test": _test,
    "tell": _tell,
    "unpack": _unpack,
    "set_attribute": _statement(lambda step, a: f"{a[0]}.{step.detail} = {a[1]}"),
    "set_item": _statement(lambda step, a: f"{a[0]}[{a[1]}] = {a[2]}"),
    "delete_attribute": _statement(lambda step, a: f"del {a[0]}.{step.detail}"),
    "delete_item": _statement(lambda step, a: f"del {a[0]}[{a[1]}]"),
}
"""How each kind of step is written."""


def told_value(value: Any, type_: TensorType, text: str) -> np.ndarray[Any, Any]:
    """A host value as the graph takes it.

    Raises
    ------
    TypeError
        Where it has another type than it was said to have.
    """
    if type_.kind is Kind.PYTHON and type_.dtype.kind == "f" and type(value) is int:
        value = float(value)  # as annotations have it
    array = np.asarray(value)
    fits = array.dtype == type_.dtype and array.ndim == type_.rank
    fits = fits and all(d.constant in (None, n) for d, n in zip(type_.shape, array.shape, strict=True))
    if not fits:
        raise TypeError(f"{text} gave {value!r:.80}, which is not {type_}")
    return array


__all__ = ["compile_steps", "told_value"]
