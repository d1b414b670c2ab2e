"""Empty lists of the caller, or of the state, that get elements: what these are tells what such a list can hold.

    self.log = []               self.log.append(x)         a list of floats, of any length

Where it does, the evaluation starts again with the list as one of any length (`stage/program/given_lists`), which
now is empty.  So a program need not be called until its object has something in its lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_program.extract.ir.paths import ROW, KeyStep, Path, Step, path_name, tuple_steps
from graph_program.extract.ir.specs import ArgSpec, DictSpec, RecordSpec, RowsSpec, StaticSpec, TensorSpec, TupleSpec
from graph_program.extract.stage.lists import columns
from graph_program.extract.stage.machine.decisions import ELEMENTS, Decided
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.values.layouts import Group, InTable, Layout, Leaf, Listed, Same
from graph_program.extract.stage.values.questions import is_ref_to
from graph_program.extract.stage.values.values import Ref, Static
from graph_program.extract.types.dims import symbol


def require_elements(m: Machine) -> None:
    """Start again where empty lists get elements of one kind.

    Raises
    ------
    Needed
    """
    found: dict[Path, RowsSpec] = {}
    known = elements(m.decided)
    for ref, before in m.outside.objects.items() if m.options.purpose.any_length else ():
        if ref.cls is not list or before != () or ref.path in known:
            continue
        contents = m.live.heap[_present(m, ref)]
        layout = columns.layout_of_contents(m, contents, m.live.heap.__getitem__) if contents != () else None
        element = None if layout is None else _spec(m, layout, (*ref.path, ROW))
        if element is not None:
            found[ref.path] = RowsSpec(element, symbol(f"{path_name(ref.path)}_0"))
    if found:
        raise Needed(ELEMENTS, found.items())


def elements(decided: Decided) -> dict[Path, RowsSpec]:
    """What empty lists of the caller and of the state get."""
    return dict(decided[ELEMENTS].keys())


def _present(m: Machine, ref: Ref) -> Ref:
    """The list that stands in the place of one of the caller's when the program ends."""
    step = ref.path[-1]
    for holder in m.outside.arguments if isinstance(step, str | KeyStep) else ():
        held = m.live.heap.get(holder) if holder.path == ref.path[:-1] else None
        now = held.get(step.key if isinstance(step, KeyStep) else step[1:]) if isinstance(held, dict) else None
        if is_ref_to(now, list):
            return now
    return ref


def _spec(m: Machine, layout: Layout, place: Path) -> ArgSpec | None:
    """The spec of what is laid out so; None where the layout does not tell all of it."""
    match layout:
        case Leaf(type_, ragged=False) if all(size.constant is not None for size in type_.shape):
            return TensorSpec(type_)
        case Same(Static(value)) if value is None or isinstance(value, str):
            return StaticSpec(value)
        case Listed(inner, cls) if cls is list and place.count(ROW) == 1:
            element = _spec(m, inner, (*place, ROW))
            return None if element is None else RowsSpec(element, symbol(f"{path_name(place)}_values"))
        case InTable(cls) if not tables.is_recursive(m, cls):
            parts = tables.parts_of(tables.contents(m, cls))
            return _record(m, cls, {n: part for n, (part, _) in parts.items() if not tables.is_hidden(n)}, place)
        case Group(cls, keys, parts, True) if cls is dict:
            found = _parts(m, parts, [KeyStep(key) for key in keys], place)
            return None if found is None else DictSpec(tuple(zip(keys, found, strict=True)))
        case Group(cls, keys, parts, True) if cls is not list and cls is not None:
            return _record(m, cls, dict(zip(keys, parts, strict=True)), place)
        case Group(cls, _, parts, False):
            found = _parts(m, parts, tuple_steps(cls, len(parts)), place)
            return None if found is None else TupleSpec(found, cls)
    return None


def _record(m: Machine, cls: type, parts: Mapping[str, Layout], place: Path) -> ArgSpec | None:
    found = _parts(m, tuple(parts.values()), [f".{name}" for name in parts], place)
    return None if found is None else RecordSpec(cls, tuple(zip(parts, found, strict=True)))


def _parts(m: Machine, parts: Sequence[Layout], steps: Sequence[Step], place: Path) -> tuple[ArgSpec, ...] | None:
    found = [_spec(m, part, (*place, step)) for part, step in zip(parts, steps, strict=True)]
    known = tuple(spec for spec in found if spec is not None)
    return known if len(known) == len(found) else None
