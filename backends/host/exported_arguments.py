"""What the function of an exported module asks of its arguments: all that the program was extracted for.

    runtime.require_known('mode', mode, 'fast')
    runtime.require_parts('pair', pair, tuple, 2)

A program in process is extracted again for other arguments; a file has one signature.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.backends.host.codegen import Scope
from graph_program.backends.host.matching import Matcher
from graph_program.backends.host.standalone import name_of
from graph_program.backends.host.texts import RUNTIME, array_text, literal
from graph_program.extract.ir import memory
from graph_program.extract.ir.paths import Path, path_text
from graph_program.extract.ir.specs import ArgSpec, DictSpec, ListSpec, SameSpec, StaticSpec, TensorSpec, TupleSpec
from graph_program.extract.types.tensors.tensor_type import Kind


class ExportedMatcher(Matcher):
    """Writes lines that take arguments apart, and refuse others than those of the export."""

    def __init__(self, scope: Scope, lines: list[str]):
        super().__init__(scope, lines, None)

    def check(self, variable: str, spec: ArgSpec, path: Path) -> None:
        """Ask for what a run does not ask for by itself: numbers are looked at where they are fed."""
        name = repr(path_text(path))
        match spec:
            case TensorSpec(type_) if type_.kind is Kind.ARRAY:
                self._require("array", name, variable, self.scope.constant(type_, "type"))
                self._memory(variable, spec, name)
            case StaticSpec():
                known = known_text(spec.value)
                if known is not None:
                    self._require("known", name, variable, known)
            case TupleSpec(elts) | ListSpec(elts):
                cls = "list" if isinstance(spec, ListSpec) else "tuple"
                self._require("parts", name, variable, cls, str(len(elts)))
            case DictSpec(items):
                keys = known_text([key for key, _ in items])
                if keys is not None:
                    self._require("keys", name, variable, keys)
            case SameSpec(place):
                wanted = f"the object that is {path_text(place)}"
                self._refuse_if(f"{variable} is not {self.places[place]}", variable, name, wanted)

    def _memory(self, variable: str, spec: TensorSpec, name: str) -> None:
        """Ask for the layout of an array, and that axes are not empty, where the program depends on it."""
        if spec.layout:
            misfit = memory.misfit_expression(variable, spec.layout, spec.type.rank)
            self._refuse_if(misfit, variable, name, f"an array whose layout is {spec.layout}")
        for axis in sorted(spec.filled):
            self._refuse_if(f"not {variable}.shape[{axis}]", variable, name, "an array that is not empty")

    def _require(self, what: str, *given: str) -> None:
        self.lines.append(f"{RUNTIME}.require_{what}({', '.join(given)})")

    def _refuse_if(self, test: str, variable: str, name: str, wanted: str) -> None:
        self.lines.append(f"if {test}: {RUNTIME}.refuse({name}, {variable}, {wanted!r})")


def known_text(value: Any) -> str | None:
    """A value that was known at the export, as an expression; None for one that a file cannot tell from others."""
    plain = repr(value) if type(value) is range else literal(value)
    if plain is not None:
        return plain
    if type(value) in (tuple, list):
        parts = [known_text(part) for part in value]
        text = "".join(f"{part}, " for part in parts)
        return None if None in parts else f"({text})" if type(value) is tuple else f"[{text}]"
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return f"{array_text(np.asarray(value))}[()]"
    name = name_of(value)
    return None if name is None else f"{RUNTIME}.Named({name!r})"


__all__ = ["ExportedMatcher", "known_text"]
