"""Arrays of the state that share memory: a file has each as an array of its own, so a write to one must reach no other.

Arrays that are one object stay one; a call in process refuses the same by the arguments that it gets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from graph_program.backends.host.writing import refuse_overlap
from graph_program.extract.ir import specs
from graph_program.extract.ir.interface import Back, CapturedInput, Interface, RowsBack
from graph_program.extract.ir.paths import ROW, KeyStep, Path, path_text
from graph_program.extract.ir.specs import ArgSpec


def require_apart(described: Interface, backs: Iterable[Back]) -> None:
    """Refuse state that the program writes in place where other state, or a captured array, is a view of it.

    `backs` are what a call sets.

    Raises
    ------
    CallError
        GP405
    """
    written = {back.path for back in described.write_backs}
    rows = (back for back in backs if isinstance(back, RowsBack))
    written |= {(*back.path, f".{field.name}") for back in rows for field in back.fields if field.when is None}
    captured = [(i.path, i.array) for i in described.inputs if isinstance(i, CapturedInput)]
    state = [leaf for one in described.state.objects for leaf in _attributes(one.object, one.attributes, one.path)]
    for path, array in state:
        for other_path, other in (*state, *captured) if path in written else ():
            if other is not array:
                refuse_overlap(array, other, path_text(path), path_text(other_path))


_Leaves = Iterator[tuple[Path, np.ndarray[Any, Any]]]


def _attributes(owner: Any, attributes: tuple[tuple[str, ArgSpec], ...], path: Path) -> _Leaves:
    for name, spec in attributes:
        if not isinstance(spec, specs.AbsentSpec):
            yield from _leaves(spec, getattr(owner, name), (*path, f".{name}"))


def _leaves(spec: ArgSpec, value: Any, path: Path) -> _Leaves:
    """The arrays in a value, each with its place."""
    match spec:
        case specs.TensorSpec() if isinstance(value, np.ndarray):
            yield path, value
        case specs.TupleSpec(elts, cls) if cls is not None:
            yield from _attributes(value, tuple(zip(cls._fields, elts, strict=True)), path)  # type: ignore[attr-defined]
        case specs.TupleSpec(elts) | specs.ListSpec(elts):
            for i, (part, one) in enumerate(zip(elts, value, strict=True)):
                yield from _leaves(part, one, (*path, i))
        case specs.RowsSpec(element):
            for one in value:
                yield from _leaves(element, one, (*path, ROW))
        case specs.DictSpec(items):
            for key, part in items:
                yield from _leaves(part, value[key], (*path, KeyStep(key)))
        case specs.RecordSpec(_, fields):
            yield from _attributes(value, fields, path)


__all__ = ["require_apart"]
