"""Iterators whose elements are all computed when they are made, where Python reads each when it is asked for it.

What they are read of must not change meanwhile, and host code must run when Python runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.iteration import held
from graph_program.extract.stage.operations.known_and_truth import settled
from graph_program.extract.stage.values.values import Iteration, Value


def made(
    m: Machine,
    function: Callable[..., Any],
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    read: Iterable[Value],
    make: Callable[[], Iteration],
) -> Value:
    """What `function(*args, **keywords)` gives: an iterator over elements of `read`.

    Where making it runs host code, the function itself is called, on the host.
    """
    before = Checkpoint(m)
    values = tuple(settled(m, value) for value in read)
    result = make()
    if len(m.host.steps) > before.host_steps or len(m.host.effects) > before.effects:
        before.restore()
        return host_entries.call_there(m, function, list(args), dict(keywords))
    return replace(result, held=(values, held(m, values)))
