"""How a program takes instances of the user's plain classes among its arguments.

An instance is taken apart, as that of a data class.  One that is called is known while extracting, as
functions are, unless the program writes its attributes; and where a program is refused with instances
taken apart, they are objects of the host, whose methods Python runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graph_program.extract.arguments.argument_specs import is_ordinary
from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir.specs import ArgSpec, RecordSpec, StaticSpec, spec_nodes
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.objects.plain_classes import is_plain

NOT_OWNED = "GP335"
"""The refusal of a write to what is known while extracting."""


@dataclass(frozen=True)
class Instances:
    """Which instances are taken apart, as far as the extractions of a program have shown."""

    options: Options
    called: frozenset[type] = frozenset()
    """Classes of callable objects that the program writes."""
    whole: frozenset[type] = frozenset()
    """Classes whose objects stay on the host."""

    def is_apart(self, value: Any) -> bool:
        """Whether an argument, or a part of one, is an instance that is taken apart."""
        cls = type(value)
        if cls in self.whole or (callable(value) and cls not in self.called):
            return False
        return is_plain(value, self.options)

    def others(self, specs: Sequence[tuple[str, ArgSpec]], error: GraphProgramError) -> Iterator[Instances]:
        """How the instances in some arguments may be taken where an extraction is refused."""
        parts = [part for _, spec in specs for _, part in spec_nodes(spec)]
        called = {type(s.value) for s in parts if isinstance(s, StaticSpec) and is_plain(s.value, self.options)}
        if called and error.code == NOT_OWNED:
            yield replace(self, called=self.called | called)
        apart = {s.cls for s in parts if isinstance(s, RecordSpec) and is_ordinary(s.cls)}
        if apart:
            yield replace(self, whole=self.whole | apart)
