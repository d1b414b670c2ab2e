"""Objects that are in several places after the call.

    self.items.append(t)     a list of computed length is made of new objects when the call ends:
    self.best = t            `self.best` would be another one than is in the list
    return max(tracks, key=score)                 and this one another than the caller's

Where the caller, or the next call, could tell, the class gets a table (`objects/object_tables`): then the object is
the same one everywhere.  What the caller's structures keep needs one; for what is only given back it is tried.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from graph_program.extract.diagnostics import DTypeError, GraphProgramError, Label
from graph_program.extract.ir.paths import KeyStep, path_text
from graph_program.extract.stage.machine.checks import lengths
from graph_program.extract.stage.machine.host_contents import Made
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import captured_arrays, tables
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.values import sharing
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.inside import by_key, inner_values
from graph_program.extract.stage.values.layouts import object_classes
from graph_program.extract.stage.values.values import Ref, Value


class Leaving(NamedTuple):
    """An object that is there after the call, or all those in the elements of a list."""

    place: str
    value: Ref
    classes: frozenset[type]
    is_new: bool
    """Whether it is made from what the graph gives for it."""
    repeats: bool = False
    """Whether one object may be several elements."""


class Shared(NamedTuple):
    """Classes whose objects would be in two places, and those."""

    classes: frozenset[type]
    places: tuple[str, str]


def copied(m: Machine, result: Value) -> Needed | None:
    """What keeps objects in the result from being copies of those that the caller has, or of each other.

    Raises
    ------
    Needed, or UnsupportedError
        Where the caller's own structures would have copies (GP456).
    """
    initial = list(m.outside.objects)
    _require_none_on_host(m, initial)
    kept = list(_kept(m, initial))
    found = _shared(kept, kept)
    if found is not None:
        raise tables.asked(m, found.classes, _refusal(m, found))
    given_back = list(_found_in(m, "the result", result))
    found = _shared(given_back, [*given_back, *kept])
    asked = None if found is None else tables.asked(m, found.classes, _refusal(m, found))
    return asked if isinstance(asked, Needed) else None


def _require_none_on_host(m: Machine, initial: Sequence[Ref]) -> None:
    """Refuse to keep a container of the host that has copies of objects which the program has, too.

    Raises
    ------
    UnsupportedError
        GP456.
    """
    copied = [(ref, loc) for ref, loc in m.host.shared if isinstance(ref, Ref) and ref.cls not in (list, dict)]
    for ref in initial if copied else ():
        changed = m.live.heap[ref]
        for key, value in changed.items() if isinstance(changed, dict) else ():
            if isinstance(value.note, Made):
                first, loc = copied[0]
                place = path_text((*ref.path, KeyStep(key) if ref.cls is dict else f".{key}"))
                raise m.error(
                    "GP456",
                    f"'{place}' would have a copy of a {first.cls.__name__} after the call, "
                    "as a dict or list on the host has copies",
                    labels=(Label(loc, "it goes there here"),),
                    hint="keep the position in the list, or put it in one place only",
                )


def _kept(m: Machine, initial: Iterable[Ref]) -> Iterator[Leaving]:
    """The objects in the caller's structures, as these are now."""
    for ref in initial:
        contents = m.live.heap[ref]
        place = path_text(ref.path)
        if isinstance(contents, Growing):
            yield from _found_in(m, place, ref)
            continue
        if _is_changeable(m, ref.cls):
            yield Leaving(place, ref, frozenset([ref.cls]), False)
        for key, value in by_key(contents):
            step = key if isinstance(contents, tuple) else KeyStep(key) if ref.cls is dict else f".{key}"
            if not (isinstance(value, Ref) and value.path):
                yield from _found_in(m, path_text((*ref.path, step)), value)
            elif value.cls in (list, dict):
                yield Leaving(path_text((*ref.path, step)), value, frozenset([value.cls]), False)


def _found_in(m: Machine, place: str, value: Value) -> Iterator[Leaving]:
    """The objects in a value that can be written, lists and dicts among them."""
    for one in inner_values(m.live.heap, value):
        if not isinstance(one, Ref):
            continue
        whole = m.live.heap.get(one)
        if isinstance(whole, Growing):
            classes = frozenset(cls for cls in object_classes(whole.layout) if _is_changeable(m, cls))
            is_new = m.outside.arguments.get(one) is not whole
            if classes and whole.objects is not None:
                yield Leaving(place, whole.objects, classes, is_new, not whole.apart)
            if one.cls is list:
                yield Leaving(place, one, frozenset([list]), _is_new(one))
        elif _is_changeable(m, one.cls) or one.cls in (list, dict):
            yield Leaving(place, one, frozenset([one.cls]), _is_new(one))


def _is_new(ref: Ref) -> bool:
    return not ref.path and bool(ref.sources or ref.element is not None)


def _is_changeable(m: Machine, cls: type) -> bool:
    is_frozen = dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    return tables.can_have(cls) and cls not in m.rows.tables and not is_frozen


def _shared(made: Sequence[Leaving], others: Sequence[Leaving]) -> Shared | None:
    """The classes of objects that are made anew, but are in others, too."""
    classes: set[type] = set()
    places: tuple[str, str] = ("", "")
    for one in (x for x in made if x.is_new):
        if one.repeats:
            classes |= one.classes
            places = (one.place, one.place)
        for other in others:
            both = one.classes & other.classes
            is_same = one.value is other.value and one.is_new == other.is_new
            if not both <= classes and not is_same and sharing.may_share(one.value, other.value):
                classes |= both
                places = (one.place, other.place)
    return Shared(frozenset(classes), places) if classes else None


def _refusal(m: Machine, found: Shared) -> GraphProgramError:
    names = " or a ".join(sorted(cls.__name__ for cls in found.classes))
    one, other = found.places
    second = f"'{other}'" if one != other else "another of its elements"
    return m.error(
        "GP456",
        f"'{one}' would have a copy of a {names} after the call, which {second} has as well",
        hint="keep the position in the list, or put it in one place only",
    )


def refused_change(m: Machine, ref: Ref, after: Growing) -> Exception:
    """What to raise where a list of the caller, which has arrays or objects in it, gets a computed length."""
    classes = frozenset(filter(tables.can_have, object_classes(after.layout)))
    what = "objects" if classes else "arrays"
    place, is_state = path_text(ref.path), captured_arrays.is_state(m, ref)
    whose = "state" if is_state else "caller"
    message = f"the list '{place}' of the {whose}, which has {what} in it, changes its length"
    name = place.rpartition(".")[2] if place.rpartition(".")[2].isidentifier() else "items"
    hint = "return the new list"
    if is_state:
        hint = f"change a copy and set it: `{name} = list({place})`, then `{place} = {name}`"
    if not classes:
        return lengths.structure_error(m, [after], "GP356", message, hint)
    return tables.asked(m, classes, m.error("GP356", message, cls=DTypeError, hint=hint))
