"""Texts with computed parts: shown, raised and returned as they are; for anything else, objects on the host.

name = f"row{k}"                    h1 = host[0](k)         # f"row{k}"
print(name.upper())         ->      h2 = host[1](h1)        # h1.upper()
                                    host[2](h2)             # print(h2)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import FUNCTIONS
from graph_program.extract.stage.operations import known_and_truth
from graph_program.extract.stage.operations.objects import user_method
from graph_program.extract.stage.operations.operator_slots import comparison_of_present
from graph_program.extract.stage.paths.several.one_of_several import is_computed_text
from graph_program.extract.stage.values.structure import is_text
from graph_program.extract.stage.values.values import Static, Text, Value, is_numeric
from graph_program.extract.types.tensors.tensor_type import PY_BOOL

THEMSELVES = {str, repr, ascii, format, isinstance, issubclass, type, callable, bool, getattr, hasattr, setattr}
"""Builtins that do with a text what they do with any value, wherever it is."""


def given_to(
    m: Machine, function: Any, args: Sequence[Value], keywords: Mapping[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """The arguments of a builtin, its texts on the host."""
    if function in THEMSELVES or getattr(function, "__module__", "") != "builtins" or function not in FUNCTIONS:
        return list(args), dict(keywords)

    def one(value: Value) -> Value:
        return host_entries.text(m, value) if is_computed_text(value) else value

    return [one(v) for v in args], {name: one(v) for name, v in keywords.items()}


def comparison(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    """`a op b` where one is a text; None where that is not a matter of what it says."""
    if op in ("in", "not in"):
        if user_method(b, "__contains__") is not None:
            return None
        text = "a search for a string"
        return host_code.step(m, "test", [a, b], detail=op, count=0, receives=[PY_BOOL], text=text)[1][0]
    if op in ("==", "!=") and any(v.is_python for v in (a, b)):
        return Static(op == "!=")
    if not (is_text(a) and is_text(b)):
        return None
    return host_code.one(m, "compare", a, b, detail=op, text="a comparison of strings", note=PY_BOOL)


@known_and_truth.truth.of(Text)
def truth(m: Machine, value: Text) -> Value:
    """Whether a text is not empty."""
    if any(p if isinstance(p, str) else is_numeric(p[0]) for p in value.parts):
        return Static(True)
    return host_code.truth(m, host_entries.text(m, value))


comparison_of_present.register(Text, lambda m, one, op, a, b: comparison(m, op, a, b))
