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
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.host_notes import is_plain
from graph_program.extract.stage.values.inside import by_key, held
from graph_program.extract.stage.values.values import Host, Maybe, Mixed, Ref, Tuple, Value


def scope(m: Machine) -> Scope:
    """The names that there are now, and the objects of the host that they lead to."""
    seen: set[Ref] = set()
    present = {f"{name}.{frame}": v for frame, names in m.live.frames.items() for name, v in names.items()}
    has = [found for place, value in present.items() for found in _places(m, value, place, seen)]
    return Scope(frozenset(map(str, m.live.frames)), frozenset(present.keys() & m.host.names), tuple(has))


def note(m: Machine, frame: int, name: str, value: Value) -> None:
    """A name gets a value: the objects in it have a place from here on."""
    if not m.decided[STEPS]:
        return
    found = dict(_places(m, value, f"{name}.{frame}", set()))
    if found:
        m.host.names.add(f"{name}.{frame}")
    for place, variable in found.items():
        m.host.places.setdefault(variable, place)


def has_been(m: Machine, frame: int, name: str) -> bool:
    """Whether a name has had an object on the host."""
    return f"{name}.{frame}" in m.host.names


@generic
def _places(m: Machine, value: Value, place: str, seen: set[Ref]) -> Iterator[tuple[str, str]]:
    """The places of the objects on the host that a value leads to, with their variables."""
    return iter(())


@_places.of(Host)
def _of_host(m: Machine, value: Host, place: str, seen: set[Ref]) -> Iterator[tuple[str, str]]:
    variable = m.operand(value.number)
    if isinstance(variable, str) and not is_plain(value):
        yield place, variable


@_places.of(Maybe, Mixed)
def _of_several(m: Machine, value: Maybe | Mixed, place: str, seen: set[Ref]) -> Iterator[tuple[str, str]]:
    for part in held(value):
        yield from _places(m, part, place, seen)


@_places.of(Tuple)
def _of_tuple(m: Machine, value: Tuple, place: str, seen: set[Ref]) -> Iterator[tuple[str, str]]:
    for i, part in enumerate(value.elts):
        yield from _places(m, part, f"{place}.{i}", seen)


@_places.of(Ref)
def _of_object(m: Machine, value: Ref, place: str, seen: set[Ref]) -> Iterator[tuple[str, str]]:
    if value not in seen:
        seen.add(value)
        for key, part in by_key(m.live.heap.get(value)):
            yield from _places(m, part, f"{place}.{key}", seen)
