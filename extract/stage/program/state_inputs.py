"""The state of captured objects as values: types from the live objects, inputs for their leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.extract.arguments.argument_specs import ValueReader
from graph_program.extract.diagnostics import UnsupportedError
from graph_program.extract.ir.interface import State, StateObject
from graph_program.extract.ir.paths import LayoutStep, Path, follow
from graph_program.extract.ir.specs import (
    AbsentSpec,
    ArgSpec,
    RecordSpec,
    SameSpec,
    StaticSpec,
    TensorSpec,
    map_leaves,
    with_elements,
    with_static,
)
from graph_program.extract.stage.lists import empty_lists
from graph_program.extract.stage.machine.decisions import KNOWN, LAYOUTS, STATE, TAKEN_APART
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.objects import captured_state
from graph_program.extract.stage.operations.code_ownership import own_class
from graph_program.extract.stage.program.arguments import Arguments
from graph_program.extract.stage.values.values import Ref, Static
from graph_program.extract.types.notation.annotations import Annotation


class StateReader(ValueReader):
    """Reads the values of attributes, of instances of the user's classes, too; notes what is one object."""

    sized = True

    def __init__(self, m: Machine):
        super().__init__(m.loc)
        self.m = m
        self.places: dict[int, Path] = {}
        self.objects: dict[Path, Any] = {}

    def attribute(self, owner: Any, name: str, path: Path) -> ArgSpec:
        """The spec of an attribute as it is now."""
        value = captured_state.attribute_now(owner, name)
        if value is captured_state.ABSENT:
            return AbsentSpec()
        options = self.m.options
        spec = with_elements(self.read(value, None, path), empty_lists.elements(options.decided), path)
        return with_static(
            spec, lambda place: not options.purpose.any_length or place in options.decided[TAKEN_APART], path
        )

    def read(self, value: Any, note: Annotation | None, path: Path) -> ArgSpec:
        """The spec of a value; what cannot be in the graph is static, and the very object."""
        record = captured_state.is_record(value) and own_class(self.m, type(value))
        if record or type(value) in (np.ndarray, list, dict):
            known = self.places.get(id(value))
            if known is not None:
                return SameSpec(known)
            self.places[id(value)] = path
            self.objects[path] = value
        try:
            return self.record(value, note, path) if record else super().read(value, note, path)
        except UnsupportedError:
            return StaticSpec(value)

    def record(self, value: Any, note: Annotation | None, path: Path) -> ArgSpec:
        """An instance, all of its attributes."""
        found = captured_state.instance_attributes(value).items()
        return RecordSpec(type(value), tuple((n, self.read(v, None, (*path, f".{n}"))) for n, v in found))


def adopt(m: Machine, arguments: Arguments, taken: set[Path]) -> None:
    """Make values of what the program writes of captured objects; `taken` are names of parameters."""
    reader = StateReader(m)
    by_owner: dict[int, Ref] = {}
    for attribute in m.decided[STATE]:
        if id(attribute.owner) not in by_owner:
            path = _unique(attribute.path, {*taken, *(r.path for r in by_owner.values())})
            ref = by_owner[id(attribute.owner)] = arguments.fill(arguments.object(type(attribute.owner), path), {})
            m.outside.owned.values[id(attribute.owner)] = ref
            m.outside.owned.captured[ref] = Static(attribute.owner, path)
            reader.places[id(attribute.owner)] = path
    for attribute in m.decided[STATE]:
        ref = by_owner[id(attribute.owner)]
        path = (*ref.path, f".{attribute.name}")
        spec = reader.attribute(attribute.owner, attribute.name, path)
        arguments.state.append((ref, attribute.name, spec))
        if not isinstance(spec, AbsentSpec):
            contents = m.live.heap[ref]  # the very object that `initial` has
            contents[attribute.name] = arguments.value(spec, path, present(m))
    for path, obj in reader.objects.items():
        if path not in arguments.made:  # an array of objects, say, which is no argument
            continue
        m.outside.owned.values[id(obj)] = arguments.made[path]
        m.outside.owned.paths[id(obj)] = path
    if m.decided[STATE]:
        m.outside.owned.setting = setting = Ref(dict, m.loc)
        keys = (captured_state.setting_key(ref, name) for ref, name, _ in arguments.state)
        m.live.heap[setting] = {key: Static(False) for key in keys}


def _unique(path: Path, taken: set[Path]) -> Path:
    """The path with a root of its own, where something else has it."""
    number, found = 1, path
    while found in taken:
        number += 1
        found = (f"{path[0]}_{number}", *path[1:])
    return found


def present(m: Machine) -> Callable[[Path], Any]:
    """The Python object at a place of the state, now."""

    def find(path: Path) -> Any:
        holders = (r for r in m.outside.owned.captured if path[: len(r.path)] == r.path)
        ref = max(holders, key=lambda r: len(r.path))
        return follow(m.outside.owned.captured[ref].value, path[len(ref.path) - 1 :])

    return find


def specialised(spec: ArgSpec, path: Path, options: Options, present: Any) -> ArgSpec:
    """The spec with what the program was specialised for: the values, or the layouts, of leaves."""

    def shown(leaf: ArgSpec, place: Path) -> ArgSpec:
        if not isinstance(leaf, TensorSpec):
            return leaf
        if place in options.decided[KNOWN]:
            return StaticSpec(present(place))
        return replace(leaf, layout=present((*place, LayoutStep()))) if place in options.decided[LAYOUTS] else leaf

    return map_leaves(spec, shown, path)


def described(m: Machine, arguments: Arguments, options: Options) -> State:
    """The state as the interface tells it; leaves that were specialised by value are static."""
    find = present(m)
    objects = []
    for ref, live in m.outside.owned.captured.items():
        attributes = tuple(
            (name, specialised(spec, (*ref.path, f".{name}"), options, find))
            for holder, name, spec in arguments.state
            if holder is ref
        )
        objects.append(StateObject(ref.path, live.value, attributes))
    if not objects:
        return State()
    return State(tuple(objects), tuple(m.outside.owned.same.values()), tuple(m.outside.owned.apart.values()))
