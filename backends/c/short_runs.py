"""Runs that are over before another thread would want the interpreter: they keep its lock.

    void *gp_thread = gp_py.leave();          to      const bool gp_is_short = gp_array_0->sizes[0] <= 4096;
                                                      void *gp_thread = gp_is_short ? NULL : gp_py.leave();

To give the lock back and take it again is a tenth of such a call.  A thread that waits for the lock asks for it after
5 ms (`sys.getswitchinterval`), and what goes through so many elements takes some microseconds.
"""

from __future__ import annotations

import re

from graph_program.backends.c.pauses import CALL, PAUSE, bounded
from graph_program.extract.ir.graph import Graph, GraphProgram

FEW = 4096
"""Elements of all arguments and results."""
MAKERS = ("iota", "full", "broadcast_to")
"""Operations whose last operands are the sizes of what they make."""
LONG = re.compile(rf"\b{PAUSE}\(|\bgp_(take|room)\(|{CALL.pattern}")
"""What takes longer than to go through all elements, or looks itself whether it is to end."""


def may_be_short(program: GraphProgram, text: str) -> bool:
    """Whether only the sizes of arguments say how long a program runs, and no product of them does."""
    return not program.host and LONG.search(text) is None and _is_bounded(program.graph)


def _is_bounded(graph: Graph) -> bool:
    """Whether all arrays are as large as sizes and constants say."""
    for node in graph.nodes:
        if node.op in MAKERS and not all(bounded(value, graph) for value in node.inputs[-node.outputs[0].type.rank :]):
            return False
        if not all(map(_is_bounded, node.regions)):
            return False
    return True


__all__ = ["FEW", "may_be_short"]
