"""The state of a program for its C file: what it is at the export, and a graph that is made for its sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.c.c_names import function_name
from graph_program.extract.arguments.call_sizes import symbol_name
from graph_program.extract.ir.interface import ArgInput, CapturedInput, Interface, SetBack
from graph_program.extract.ir.paths import Path, follow, path_name
from graph_program.extract.ir.retyped import with_sizes
from graph_program.extract.transform import optimize
from graph_program.extract.types.dims import Dim, dim

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.extract.extraction import Extraction
    from graph_program.extract.ir.graph import GraphProgram


def first_values(extraction: Extraction) -> dict[str, np.ndarray[Any, Any]]:
    """What the program takes that is state, as it is now, by the names of inputs; {} where it is no numbers and arrays.

    Where a part of the state has no such value, the whole state stays arguments and results.
    """
    described = extraction.interface
    state = [path for path, _ in described.state.attributes()]
    written = {back.path for back in described.write_backs}
    found: dict[str, np.ndarray[Any, Any]] = {}
    for given in described.inputs:
        is_state = any(given.path[: len(path)] == path for path in state)
        if not is_state and not (isinstance(given, CapturedInput) and given.path in written):
            continue
        value = given.present if isinstance(given, CapturedInput) else _value(described, given)
        if value is None:
            return {}
        array = np.asarray(value)
        if given.type.dtype.kind == "V" or array.dtype.kind not in "biufV" or array.ndim != given.type.rank:
            return {}
        found[given.name] = array.astype(given.type.dtype)
    return found


def set_flags(extraction: Extraction, program: GraphProgram) -> dict[str, str]:
    """The outputs that say whether a part of the state has a new value, where that is not always so."""
    backs = (back for back in extraction.interface.set_backs if isinstance(back, SetBack))
    return {path_name(back.path): program.output_names[back.when] for back in backs if back.when is not None}


def _value(described: Interface, given: ArgInput) -> Any:
    """A part of the state; None where it is no number and no array."""
    owner = next((o for o in described.state.objects if given.path[: len(o.path)] == o.path), None)
    if owner is None:
        return None
    rest: Path = ("", *given.path[len(owner.path) :])
    try:
        value = follow(owner.object, rest)
    except (AttributeError, LookupError, TypeError):
        return None
    value = getattr(value, given.part) if given.part else value
    return value if isinstance(value, bool | int | float | np.ndarray | np.generic) else None


def with_present_sizes(program: GraphProgram, sizes: Mapping[str, tuple[int, ...]], disabled: frozenset[str]) -> Any:
    """The graph where inputs that are state have the sizes that they have now."""
    known: dict[str, Dim] = {}
    for value in program.graph.inputs:
        for size, present in zip(value.type.shape, sizes.get(value.name, ()), strict=False):
            name = symbol_name(size)
            if name is not None and size.constant is None:
                known[name] = dim(present)
    return optimize(with_sizes(program, known), disabled) if known else program


def state_name(calls: Calls, name: str) -> str:
    """The name of a function with state: that of a method stands behind the class's, as several may be called alike."""
    if calls.callee.bound is None or calls.instance is None:
        return function_name(name)
    owner = calls.instance if isinstance(calls.instance, type) else type(calls.instance)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", owner.__name__).lower()
    return function_name(f"{words}_{name}")


__all__ = ["first_values", "set_flags", "state_name", "with_present_sizes"]
