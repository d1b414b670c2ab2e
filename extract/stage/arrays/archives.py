"""Captured archives of arrays, `np.load("w.npz")`: dicts of their arrays, which are read once.

Python reads the array from the file each time it is asked for, so nobody else has it, and what is written to it is gone
at the next time.  The arrays here cannot be written.
"""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np

from graph_program.extract.stage.operations.objects import python_class
from graph_program.extract.stage.values.values import Static

_read: weakref.WeakValueDictionary[int, Archive] = weakref.WeakValueDictionary()
"""The arrays of an archive, by its id, for as long as there is the archive."""


class Archive(dict[str, Any]):
    """The arrays of an archive, by name."""

    def __init__(self, file: np.lib.npyio.NpzFile):
        super().__init__((name, file[name]) for name in file.files)
        for array in self.values():
            array.flags.writeable = False
        self.archive = weakref.ref(file)
        self.files = list(file.files)
        self.f = SimpleNamespace(**self)


def arrays(file: np.lib.npyio.NpzFile) -> Archive:
    """The arrays of an archive; the same ones whenever it is asked."""
    found = _read.get(id(file))
    if found is None:
        found = _read[id(file)] = Archive(file)
        weakref.finalize(file, lambda kept: None, found)  # keeps them as long as the archive lives
    return found


def original(value: Any) -> Any:
    """The archive itself, for what gives it away."""
    return value.archive() if type(value) is Archive else value


python_class.register(Static, lambda m, value: type(original(value.value)))
