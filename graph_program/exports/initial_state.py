"""The values that a state has when its program is exported, as JSON.

{"once": [0, {"array": ...}]}        an array that is in two attributes, where it is met first
{"again": 0}                         and where it is met again
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from graph_program.exports.literals import ClassTable, Json
from graph_program.extract.ir import specs
from graph_program.extract.ir.specs import ArgSpec


class InitialState:
    """Writes values by their specs.

    All are written twice: the first time only shows which arrays and objects are met again.
    """

    def __init__(self, classes: ClassTable):
        self.classes = classes
        self.met: Counter[int] = Counter()
        self.numbers: dict[int, int] | None = None
        """Those of what is met again, once that is known."""

    def begin_again(self) -> None:
        """From now on it is known what is met again."""
        self.numbers = {}

    def of(self, spec: ArgSpec | None, value: Any) -> Json:
        """The value of an attribute, or of a part of one; without a spec, as far as JSON can say it."""
        is_record = isinstance(spec, specs.RecordSpec | specs.SameSpec)
        if not isinstance(value, np.ndarray | list | dict) and not is_record:
            return self.whole(spec, value)
        self.met[id(value)] += 1
        if self.numbers is None:
            return self.whole(spec, value) if self.met[id(value)] == 1 else None
        if id(value) in self.numbers:
            return {"again": self.numbers[id(value)]}
        if self.met[id(value)] <= 2:  # once each time
            return self.whole(spec, value)
        number = self.numbers[id(value)] = len(self.numbers)
        return {"once": [number, self.whole(spec, value)]}

    def whole(self, spec: ArgSpec | None, value: Any) -> Json:
        """All of a value that is met first."""
        match spec:
            case specs.TupleSpec(elts, None):
                return {"tuple": [self.of(part, one) for part, one in zip(elts, value, strict=True)]}
            case specs.TupleSpec(elts, cls) if cls is not None:
                names: Any = cls._fields  # type: ignore[attr-defined]
                return self.record(cls, zip(names, elts, value, strict=True))
            case specs.ListSpec(elts):
                return {"list": [self.of(part, one) for part, one in zip(elts, value, strict=True)]}
            case specs.RowsSpec(element):
                return {"list": [self.of(element, one) for one in value]}
            case specs.DictSpec(items):
                return {"dict": [[self.classes.literal(key), self.of(part, value[key])] for key, part in items]}
            case specs.RecordSpec(cls, fields):
                there = [(n, part, getattr(value, n)) for n, part in fields if not isinstance(part, specs.AbsentSpec)]
                return self.record(cls, there)
        return self.classes.literal(value)

    def record(self, cls: type, fields: Any) -> Json:
        """An object by its attributes."""
        return {
            "record": {"class": self.classes.key(cls), "items": [[name, self.of(part, v)] for name, part, v in fields]}
        }


__all__ = ["InitialState"]
