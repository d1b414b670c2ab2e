"""Where the parts of arguments and of the state are, and what a call has of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from graph_program.onnx_program.classes import Classes
from graph_program.onnx_program.sizes import Leaf


class Key(NamedTuple):
    key: Any


ROW: Any = type("RowStep", (), {"__repr__": lambda self: "..."})()
"""Any element of a list of any length."""


def path_of(steps: Sequence[Any], classes: Classes) -> tuple[Any, ...]:
    """A parameter or object of the state, then `.attribute`, an index or a key."""
    return tuple(_step(s, classes) if isinstance(s, dict) else s for s in steps)


def _step(data: Mapping[str, Any], classes: Classes) -> Any:
    return ROW if "row" in data else Key(classes.literal(data["key"]))


def text_of(path: tuple[Any, ...]) -> str:
    """The Python expression of a place, for messages."""
    text = str(path[0])
    for step in path[1:]:
        text += step if isinstance(step, str) else f"[{(step.key if isinstance(step, Key) else step)!r}]"
    return text


def get_part(holder: Any, step: Any) -> Any:
    return getattr(holder, step[1:]) if isinstance(step, str) else holder[step.key if isinstance(step, Key) else step]


def set_part(holder: Any, step: Any, value: Any) -> None:
    if isinstance(step, str):
        setattr(holder, step[1:], value)
    else:
        holder[step.key if isinstance(step, Key) else step] = value


class Call:
    """One call as far as it is read: parts of the arguments by place, inputs by name, and sizes."""

    def __init__(self, inputs: Mapping[str, Any]):
        self.inputs = inputs
        self.places: dict[tuple[Any, ...], Any] = {}
        self.feed: dict[str, np.ndarray[Any, Any]] = {}
        self.leaves: list[Leaf] = []

    def give(self, name: str, array: Any, dtype: Any) -> None:
        """Feed an input, if the model has it: one that nothing reads is left out."""
        if name in self.inputs:
            self.feed[name] = np.asarray(array, dtype, order="C")

    def place(self, path: tuple[Any, ...]) -> Any:
        """The part of the arguments or of the state that is at a path."""
        if path not in self.places:
            if len(path) == 1:
                raise LookupError(text_of(path))
            return get_part(self.place(path[:-1]), path[-1])
        return self.places[path]

    def text(self, path: tuple[Any, ...]) -> str:
        """A place for messages: of an element of a list of any length, as one of them."""
        steps = (ROW if (*path[:i], ROW) in self.places else step for i, step in enumerate(path))
        return text_of(tuple(steps))

    def objects(self, path: tuple[Any, ...]) -> list[Any]:
        """What is at a place, which may be in all elements of a list."""
        if ROW not in path:
            return [self.place(path)]
        start = path.index(ROW) + 1
        found = list(self.place(path[:start]))
        for step in path[start:]:
            found = [get_part(one, step) for one in found]
        return found
