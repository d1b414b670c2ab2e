"""An object of the module whose attributes programs read and write: state."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.kinds import FLOAT, Kind, Number, Record
from tests.fuzz.writer import Writer, expression, statement

E = Callable[[Kind], str]

NAME = "TRACKER"
TRACKER = Record("Tracker")
TEXT = f"{NAME} = Tracker(0, 0.0, np.zeros(3), [0.0, 0.0])"


@statement
def call_tracker(w: Writer) -> bool:
    if NAME not in w.scope:
        return False
    changes = ["values += 1.0", "values[0] = 2.0", "items[0] += 1.0", "items = [1.0, 2.0]", "count -= 1", "total = 0"]
    return w.emit(
        w.pick(
            [
                f"{NAME}.add({w.expr(FLOAT, 1)})",
                f"{NAME}.shift({w.expr(FLOAT, 1)})",
                f"{NAME}.values = {NAME}.values {w.pick(['+', '*'])} {w.expr(FLOAT, 1)}",
                f"{NAME}.{w.pick(changes)}",
            ]
        )
    )


@expression(Number)
def tracked(w: Writer, kind: Number, e: E) -> str | None:
    if NAME not in w.scope or kind != FLOAT:
        return None
    return w.pick([f"{NAME}.mean", f"{NAME}.add({e(FLOAT)})"])
