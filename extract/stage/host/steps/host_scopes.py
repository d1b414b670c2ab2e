"""Which objects on the host have names where a step is done: they live as long as in Python.

    d = tempfile.TemporaryDirectory()       step 0 makes d
    path = d.name                           step 1, with d in scope; nothing reads d behind it
    np.save(path + "/x.npy", x)             step 2, with d in scope: the directory is still there

A place is a name with its frame, or a part of what is there.
"""

from __future__ import annotations

from collections.abc import Iterator

from graph_program.extract.ir.host import Scope
from graph_program.extract.stage.machine.decisions import STEPS
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.host_notes import is_plain
from graph_program.extract.stage.values.values import Host, Maybe, Mixed, Ref, Tensor, Tuple, Value


def scope(m: Machine) -> Scope:
    """The names that there are now, and the objects of the host that they lead to."""
    seen: set[Ref] = set()
    present = {f"{name}.{frame}": v for frame, names in m.live.frames.items() for name, v in names.items()}
    has = [found for place, value in present.items() for found in _places(m, place, value, seen)]
    return Scope(frozenset(map(str, m.live.frames)), frozenset(present.keys() & m.host.names), tuple(has))


def note(m: Machine, frame: int, name: str, value: Value) -> None:
    """A name gets a value: the objects in it have a place from here on."""
    if not m.decided[STEPS]:
        return
    found = dict(_places(m, f"{name}.{frame}", value, set()))
    if found:
        m.host.names.add(f"{name}.{frame}")
    for place, variable in found.items():
        m.host.places.setdefault(variable, place)


def has_been(m: Machine, frame: int, name: str) -> bool:
    """Whether a name has had an object on the host."""
    return f"{name}.{frame}" in m.host.names


def _places(m: Machine, place: str, value: Value, seen: set[Ref]) -> Iterator[tuple[str, str]]:
    match value:
        case Host(number=Tensor(operand=str() as variable)) if not is_plain(value):
            yield place, variable
        case Maybe(value=inner):
            yield from _places(m, place, inner, seen)
        case Mixed(values=values):
            for part in values:
                yield from _places(m, place, part, seen)
        case Tuple(elts):
            for i, part in enumerate(elts):
                yield from _places(m, f"{place}.{i}", part, seen)
        case Ref() if value not in seen:
            seen.add(value)
            inside = m.live.heap.get(value)
            parts = inside if isinstance(inside, dict) else dict(enumerate(inside if isinstance(inside, tuple) else ()))
            for key, part in parts.items():
                yield from _places(m, f"{place}.{key}", part, seen)


__all__ = ["has_been", "note", "scope"]
