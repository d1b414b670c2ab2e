"""What a run of random programs has left behind: calls that have not ended, threads, sessions."""

from __future__ import annotations

import gc
import threading
from collections import Counter

from graph_program.backends.host import exchange
from graph_program.backends.host.runnable import Runnable
from graph_program.backends.host.segment_driver import Driver
from graph_program.backends.onnxruntime.session import Session

FEW = 3
KINDS = (Runnable, Driver, Session, exchange.Exchange)


def alive() -> Counter[str]:
    """How many there are of what should not outlive its program."""
    gc.collect()
    found = Counter(type(o).__name__ for o in gc.get_objects() if issubclass(type(o), KINDS))
    return found + Counter({"call": len(exchange._active), "thread": threading.active_count()})


def left_behind(before: Counter[str]) -> list[str]:
    """What is there now that was not before, in words; the last programs may still be there."""
    more = alive() - before
    return [f"{count} of {name} left behind" for name, count in more.items() if count > FEW or name == "call"]
