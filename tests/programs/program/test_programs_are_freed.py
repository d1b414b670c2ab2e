"""What an extraction remembers does not keep the user's functions alive."""

from __future__ import annotations

import gc
import linecache
import types
import weakref

import numpy as np

from graph_program import graph_program

SOURCE = """
SEEN = {}

def remember(n):
    SEEN[n] = True

def half(v):
    return v / 2

class Box:
    def __init__(self, v):
        self.v = v

def program(x):
    remember(3)
    return Box(half(x[0])).v
"""


def test_functions_classes_and_programs_are_freed():
    def run() -> list[weakref.ref]:
        module, file = types.ModuleType("made"), "<made for a test>"
        linecache.cache[file] = (len(SOURCE), None, SOURCE.splitlines(True), file)
        exec(compile(SOURCE, file, "exec"), vars(module))
        program = graph_program(module.program)
        assert program(np.array([3.0])) == 1.5
        assert module.SEEN == {3: True}
        return [weakref.ref(thing) for thing in (program, module.program, module.remember, module.half, module.Box)]

    things = run()
    gc.collect()
    assert [thing() for thing in things] == [None] * 5
