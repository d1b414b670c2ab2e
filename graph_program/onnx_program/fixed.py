"""Attributes of objects that a model was made for: what a state has of them must be that.

predict = load("predict.onnx", state=update.state)     refused where `update` writes what `predict` has fixed
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence, Sized
from typing import Any

import numpy as np

from graph_program.onnx_program.classes import Checked, Classes, same_value
from graph_program.onnx_program.parameters import ABSENT
from graph_program.onnx_program.places import get_part, path_of, text_of
from graph_program.onnx_program.told import CallError

HINT_OF_FIXED = (
    "write `{0} = {0}` in the program: what it assigns is state, and an input of the model; "
    "or export it with `freeze=False`, where it is an array"
)


class FixedAttribute:
    """An attribute of an object that the program reads, and that is a constant of the model.

    Of an array, the description has a checksum, or only the sizes where the program reads nothing else; of a list, a
    tuple or a dict how much it holds, and of an object nothing: what they hold has its own place.
    """

    def __init__(self, node: Mapping[str, Any], classes: Classes):
        self.path = path_of(node["path"], classes)
        self.text = text_of(self.path)
        self.length: int | None = node.get("length")
        self.array: Mapping[str, Any] | None = node.get("array")
        self.value = classes.literal(node["value"]) if "value" in node else ABSENT
        self.numbers = Checked(self.array) if self.array is not None and "digest" in self.array else None

    @property
    def attribute(self) -> str:
        """What to assign to: the attribute, or that of the list or dict that this is in."""
        last = max(i for i, step in enumerate(self.path) if isinstance(step, str))
        return text_of(self.path[: last + 1])

    @property
    def is_of_sizes(self) -> bool:
        """Whether the model has only the sizes of it."""
        return self.array is not None and "digest" not in self.array

    def check(self, state: Mapping[str, Any]) -> None:
        """Refuse a state that has something else there."""
        now = self._found(state)
        if now is not ABSENT and not self._fits(now):
            said = f"the model was exported with another {self.text}, which is a constant of it"
            raise CallError("GP401", said, HINT_OF_FIXED.format(self.attribute))

    def _found(self, state: Mapping[str, Any]) -> Any:
        found, steps = state.get(text_of(self.path[:-1]), ABSENT), self.path[-1:]
        if found is ABSENT:
            found, steps = state.get(self.path[0], ABSENT), self.path[1:]
        try:
            return functools.reduce(get_part, steps, found)
        except (AttributeError, LookupError, TypeError):
            return ABSENT

    def _fits(self, now: Any) -> bool:
        if self.length is not None:
            return isinstance(now, Sized) and len(now) == self.length
        if self.array is None:
            return self.value is ABSENT or same_value(now, self.value)
        if self.numbers is not None:
            return bool(self.numbers == now)
        kind = self.array["dtype"], self.array["shape"]
        return isinstance(now, np.ndarray) and (now.dtype.name, list(now.shape)) == kind


class Sharing:
    """What the programs that share a state write of it, and what they have as constants: places, by who does."""

    def __init__(self) -> None:
        self.written: dict[str, str] = {}
        self.fixed: dict[str, str] = {}

    def join(self, program: str, written: Sequence[str], fixed: Sequence[str]) -> None:
        """Note what one more program does.

        Raises
        ------
        CallError
            Where one writes what another has as a constant.
        """
        _refuse(dict.fromkeys(written, program), self.fixed)
        _refuse(self.written, dict.fromkeys(fixed, program))
        self.written.update(dict.fromkeys(written, program))
        self.fixed.update(dict.fromkeys(fixed, program))


def _refuse(written: Mapping[str, str], fixed: Mapping[str, str]) -> None:
    """Refuse constants that are written, or are inside of what is written."""
    clashes = [(place, writer) for place in fixed if (writer := _writer(written, place))]
    if clashes:
        place, writer = clashes[0]
        said = f"{' and '.join(place for place, _ in clashes)}, which {writer} writes, "
        said += "is a constant" if len(clashes) == 1 else "are constants"
        raise CallError(
            "GP401", f"{said} of the model of {fixed[place]}", HINT_OF_FIXED.format(place.partition("[")[0])
        )


def _writer(written: Mapping[str, str], place: str) -> str:
    """Who writes a place, or what it is a part of."""
    return next((who for text, who in written.items() if f"{place}.".startswith((f"{text}.", f"{text}["))), "")


class State(dict[str, Any]):
    """The objects of a state by name; `sharing` is one of all programs that have them."""

    def __init__(self) -> None:
        super().__init__()
        self.sharing = Sharing()
