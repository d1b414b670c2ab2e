"""What a call changes of its arguments and of the state, after everything new has been computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from graph_program.onnx_program.classes import Classes
from graph_program.onnx_program.places import Call, path_of, set_part, text_of
from graph_program.onnx_program.results import Outputs, change_fields, refill, result
from graph_program.onnx_program.told import CallError

WORK: Any = 100_000
"""How hard NumPy looks for an overlap before one is assumed."""


class Change:
    """An array that gets new contents, an attribute or item that is set, or a list or dict that gets other items."""

    def __init__(self, node: Mapping[str, Any], classes: Classes):
        self.kind = {"write": "write", "set": "set", "refill": "refill"}[node["kind"]]
        self.path = path_of(node["path"], classes)
        self.value = result(node["value"], classes)
        self.when = node.get("when")
        self.in_place = {str(name): str(how) for name, how in node["in place"]} if "in place" in node else None

    def refuse_shared(self, call: Call) -> None:
        """Refuse an array that shares memory with another argument, and an object that is in two places."""
        place = self.path[:-1] if self.kind == "set" else self.path
        changed = call.place(place)
        if self.kind == "write" and not changed.flags.forc and _repeats(changed):
            said = (
                f"elements of argument '{text_of(place)}' share memory with one another, and the program writes to it"
            )
            raise CallError("GP405", said, "pass a copy")
        for path, other in call.places.items():
            if path == place or (path[: len(place)] == place and self.kind != "write"):
                continue
            text = f"arguments '{text_of(place)}' and '{call.text(path)}'"
            if self.kind != "write":
                if other is changed and not isinstance(other, np.ndarray):
                    said = f"{text} are one object, and the program changes it"
                    raise CallError("GP405", said, "pass a copy in one of the two places")
            elif isinstance(other, np.ndarray) and _overlap(changed, other):
                said = f"{text} share memory, and the program writes to '{text_of(place)}'"
                raise CallError("GP405", said, "pass a copy of one of them")

    def prepared(self, values: Outputs) -> Callable[[], None]:
        """What makes the change; nothing is changed before all are prepared."""
        if self.when is not None and not values[self.when]:
            return lambda: None
        new = self.value(values)
        if self.kind == "set":
            holder = values.call.place(self.path[:-1])
            return lambda: set_part(holder, self.path[-1], new)
        held = values.call.place(self.path)
        if self.kind == "write":
            return _written(held, new)
        if self.in_place is not None:
            return partial(_changed_in_place, held, new, self.in_place)
        return lambda: refill(held, new)


def refuse_shared_objects(call: Call, path: tuple[Any, ...]) -> None:
    """Refuse a list whose objects are changed, where one of them is in another place, too."""
    start = len(path) - 1
    own = {id(held) for held in call.objects(path)}
    for other, held in call.places.items():
        if id(held) in own and other[:start] != path[:start]:
            said = f"arguments '{text_of(path)}' and '{call.text(other)}' are one object, and the program changes it"
            raise CallError("GP405", said, "pass a copy in one of the two places")


def _overlap(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    if (a is not b and a.base is None and b.base is None) or not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=WORK)
    except np.exceptions.TooHardError:
        return True


def _repeats(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array may have several of its own elements in one place (`as_strided`)."""
    reach = array.itemsize
    for stride, size in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if stride < reach and array.size and array.flags.writeable:
            return True
        reach += stride * (size - 1)
    return False


def _written(array: np.ndarray[Any, Any], new: Any) -> Callable[[], None]:
    if array.flags.writeable:
        return lambda: np.copyto(array, new)
    if array.tobytes() != np.asarray(new).tobytes():
        raise ValueError("assignment destination is read-only")
    return lambda: None  # the program has not come to its assignment


def _changed_in_place(held: list[Any], new: list[Any], changed: Mapping[str, str]) -> None:
    """Give the objects of a list the attributes of others."""
    for old, other in zip(held, new, strict=True):
        change_fields(old, {name: getattr(other, name) for name in changed}, changed)
