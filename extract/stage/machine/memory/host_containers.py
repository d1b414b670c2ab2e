"""What a program puts into containers on the host, noted as it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from graph_program.extract.stage.machine.decisions import HOST_DICTS
from graph_program.extract.stage.machine.host_contents import Made, Place, Put, common, is_empty, places_in, stored

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine


def fresh(m: Machine, cls: type, notes: Sequence[Any], part: str = "") -> Any:
    """The note of a container that is made here, with what it has in it from the start."""
    contents = m.options.contents
    if contents is None:
        return cls
    place = Place(m.loc, cls, part)
    put(m, place, [Any if note is None else note for note in notes])
    return contents.note(cls, frozenset([place]))


def put(m: Machine, place: Place, notes: Sequence[Any]) -> None:
    """Something is put into what a place makes."""
    m.host.puts += [Put(place, slot, stored(note)) for slot, note in enumerate(notes)]
    lost = {p for note in notes for p in places_in(note)} - {p for note in notes for p in places_in(stored(note))}
    give_up(m, lost)


def put_into(m: Machine, holder: Any, notes: Sequence[Any]) -> None:
    """Something is put into a container with a note; where that is not known, anything may be done with it."""
    if not isinstance(holder, Made):
        give_up(m, (place for note in notes for place in places_in(note)))
        return
    for place in holder.places:
        put(m, place, notes)


def give_up(m: Machine, places: Iterable[Place]) -> None:
    """Anything may be put into what some places make."""
    m.host.puts += [Put(place, None) for place in set(places)]


def merged(m: Machine, notes: Sequence[Any]) -> Any:
    """The note of one of several things on the host; None where they have no common one."""
    found = common(notes)
    give_up(m, {p for note in notes for p in places_in(note)} - {*places_in(found)})
    return found


def end_where_empty(m: Machine, note: Any, test: Callable[[Any], bool] = is_empty) -> None:
    """End the path where it takes something from a container in which nothing is, as is supposed so far.

    Raises
    ------
    Unreachable
    """
    contents = m.options.contents
    if contents is not None and not contents.final and test(note):
        contents.ended = True
        m.raise_(RuntimeError, ("nothing is in this container",))


def is_made_on_host(m: Machine) -> bool:
    """Whether the dict that is made here is the host's."""
    return m.loc in m.decided[HOST_DICTS]
