"""What the program has written of the caller's so far, which stays written where an exception ends the program.

    x[0] = 1.0                          x1 = set_index(x, 0, 1.0)
    if n < 0:                           if less(n, 0):
        raise ValueError("n")   ->          error ValueError("n"); leave ended
    x[1] = 2.0                          x2 = set_index(x1, 1, 2.0)
                                        ended:    x is x1 or x2

A graph that a call runs forgets what it has computed where an error ends it, as that is cheaper.  So there is a
second one, made like this when a call first raises behind a write: it says what was written.
"""

from __future__ import annotations

from graph_program.extract.ir import tree
from graph_program.extract.stage.language.calls.inlining import run_function_body
from graph_program.extract.stage.machine.handlers import EVERYTHING, Clause, Scope, catching
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.state import Frame
from graph_program.extract.stage.paths.exits import exit_block
from graph_program.extract.stage.paths.raising import forget_locals


def run_to_any_end(m: Machine, function: tree.Function, frame: Frame) -> None:
    """The statements of the program; what they raise leaves them in the state as it is there."""
    label = m.fresh("ended")
    scope = Scope(frame, (Clause(EVERYTHING, label),), "", is_program=True)
    with exit_block(m, label, function), catching(m, scope):
        run_function_body(m, function, frame)
        if m.state is not None:
            forget_locals(m, frame)
